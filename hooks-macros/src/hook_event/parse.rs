//! The meaning of a vocabulary: its context and its events.

use darling::FromMeta;
use heck::ToSnakeCase;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Expr, Fields, Meta, Path, Type, Variant, Visibility, parse_quote,
};

use super::check;
use crate::driver::{self, Errors};
use crate::lifetimes::AnyLifetime;

/// An enum of events.
pub(super) struct Vocabulary {
    /// The path of `hooks_core`.
    pub(super) core: TokenStream,
    pub(super) visibility: Visibility,
    pub(super) ident: Ident,
    /// `ShopHooks`
    pub(super) hooks: Ident,
    /// `ShopHooksNow`
    pub(super) hooks_now: Ident,
    /// `ShopHandler`
    pub(super) handler: Ident,
    /// `ShopEventMut`
    pub(super) mutable: Ident,
    /// `ShopSaid`
    pub(super) said: Ident,
    pub(super) context: Type,
    pub(super) events: Vec<Event>,
}

/// A variant.
pub(super) struct Event {
    pub(super) variant: Ident,
    /// The payload, with any lifetime.
    pub(super) payload: AnyLifetime,
    /// The handler's method: `checkout`.
    pub(super) method: Ident,
    pub(super) kind: Kind,
    pub(super) subject: Option<Ident>,
    pub(super) docs: Vec<Attribute>,
}

pub(super) enum Kind {
    Observe,
    Intercept(Box<Intercept>),
}

/// What hooks may do to an intercepted event.
pub(super) struct Intercept {
    pub(super) respond: Option<Type>,
    pub(super) patch: Option<Type>,
    pub(super) no_block: bool,
    /// The output of the work that follows the event.
    pub(super) around: Option<Type>,
    /// Whether it asks for an approval.
    pub(super) approval: bool,
}

/// `#[events(…)]`
#[derive(FromMeta, Default)]
#[darling(default)]
struct EventsOptions {
    #[darling(with = ty)]
    context: Option<Type>,
    #[darling(rename = "crate", with = driver::path)]
    krate: Option<Path>,
}

/// `#[observe(…)]`
#[derive(FromMeta, Default)]
#[darling(default)]
struct ObserveOptions {
    #[darling(with = ident)]
    subject: Option<Ident>,
}

/// `#[intercept(…)]`
#[derive(FromMeta, Default)]
#[darling(default)]
struct InterceptOptions {
    #[darling(with = ty)]
    respond: Option<Type>,
    #[darling(with = ty)]
    patch: Option<Type>,
    #[darling(with = driver::flag)]
    no_block: bool,
    #[darling(with = ty)]
    around: Option<Type>,
    #[darling(with = driver::flag)]
    approval: bool,
    #[darling(with = ident)]
    subject: Option<Ident>,
}

impl Vocabulary {
    pub(super) fn of(item: &DeriveInput) -> syn::Result<Self> {
        let Data::Enum(data) = &item.data else {
            return Err(check::not_an_enum(item));
        };
        check::generics(item)?;
        let mut errors = Errors::default();
        let mut attrs = item
            .attrs
            .iter()
            .filter(|attr| attr.path().is_ident("events"));
        let allowed = "`context` and `crate`";
        let options: EventsOptions = options(attrs.next(), allowed, &mut errors);
        if let Some(second) = attrs.next() {
            check::events_twice(second, &mut errors);
        }
        let events: Vec<Event> = data
            .variants
            .iter()
            .filter_map(|variant| Event::of(variant, &mut errors))
            .collect();
        if data.variants.is_empty() {
            check::no_variants(item, &mut errors);
        }
        check::events(&events, &mut errors);
        errors.finish()?;
        let name = driver::text_of(&item.ident);
        let stem = match name.strip_suffix("Event") {
            Some("") | None => &name,
            Some(stem) => stem,
        };
        Ok(Vocabulary {
            core: driver::core_path(
                options.krate.as_ref(),
                "#[events(crate = agentlib::hooks_core)]",
            )?,
            visibility: item.vis.clone(),
            hooks: format_ident!("{stem}Hooks", span = item.ident.span()),
            hooks_now: format_ident!("{stem}HooksNow", span = item.ident.span()),
            handler: format_ident!("{stem}Handler", span = item.ident.span()),
            mutable: format_ident!("{name}Mut", span = item.ident.span()),
            said: format_ident!("{stem}Said", span = item.ident.span()),
            ident: item.ident.clone(),
            context: options.context.unwrap_or_else(|| parse_quote!(())),
            events,
        })
    }
}

impl Event {
    /// Whether a hook on every event receives it by `&mut`. An event that borrows is lent by `&`: hooks must not
    /// change what it borrows, and one lifetime could not stand for both borrows.
    pub(super) fn is_lent_mut(&self) -> bool {
        self.intercept().is_some() && self.payload.lifetimes.is_empty()
    }

    /// What hooks may do to it, if it is intercepted.
    pub(super) fn intercept(&self) -> Option<&Intercept> {
        match &self.kind {
            Kind::Observe => None,
            Kind::Intercept(intercept) => Some(intercept),
        }
    }

    /// Parses a variant; `None` if it is too wrong to continue.
    fn of(variant: &Variant, errors: &mut Errors) -> Option<Self> {
        let kind = |name: &'static str| move |attr: &&Attribute| attr.path().is_ident(name);
        let observe: Vec<_> = variant.attrs.iter().filter(kind("observe")).collect();
        let intercept: Vec<_> = variant.attrs.iter().filter(kind("intercept")).collect();
        let (kind, subject) = match (observe.as_slice(), intercept.as_slice()) {
            ([attr], []) => {
                let options: ObserveOptions = options(Some(*attr), "`subject`", errors);
                (Kind::Observe, options.subject)
            }
            ([], [attr]) => {
                let allowed = "`respond`, `patch`, `no_block`, `around`, `approval` and `subject`";
                let options: InterceptOptions = options(Some(*attr), allowed, errors);
                let kind = Intercept {
                    respond: options.respond,
                    patch: options.patch,
                    no_block: options.no_block,
                    around: options.around,
                    approval: options.approval,
                };
                (Kind::Intercept(Box::new(kind)), options.subject)
            }
            _ => {
                check::not_one_kind(variant, observe.iter().chain(&intercept).copied(), errors);
                return None;
            }
        };
        let Fields::Unnamed(fields) = &variant.fields else {
            check::not_one_payload(variant, errors);
            return None;
        };
        if fields.unnamed.len() != 1 {
            check::not_one_payload(variant, errors);
            return None;
        }
        let payload = check::payload(&fields.unnamed[0].ty, errors)?;
        let method = driver::text_of(&variant.ident).to_snake_case();
        let mut method = syn::parse_str::<Ident>(&method)
            .unwrap_or_else(|_| Ident::new_raw(&method, variant.ident.span()));
        method.set_span(variant.ident.span());
        Some(Event {
            variant: variant.ident.clone(),
            payload: AnyLifetime::new(payload.clone(), "event"),
            method,
            kind,
            subject,
            docs: variant
                .attrs
                .iter()
                .filter(|attr| attr.path().is_ident("doc"))
                .cloned()
                .collect(),
        })
    }
}

/// Parses the options of an attribute, if it exists and has some.
fn options<T: FromMeta + Default>(
    attr: Option<&Attribute>,
    allowed: &str,
    errors: &mut Errors,
) -> T {
    let read = match attr.map(|attr| &attr.meta) {
        None | Some(Meta::Path(_)) => return T::default(),
        Some(Meta::List(list)) => driver::options(list.tokens.clone(), allowed),
        Some(Meta::NameValue(pair)) => Err(syn::Error::new(
            pair.eq_token.span(),
            format!("options stand in parentheses: the options are {allowed}"),
        )),
    };
    read.unwrap_or_else(|error| {
        errors.push(error);
        T::default()
    })
}

/// An option that is a type: `key = Type`.
fn ty(meta: &Meta) -> darling::Result<Option<Type>> {
    let value = driver::expression(meta)?;
    syn::parse2(quote!(#value)).map(Some).map_err(|_| {
        let key = driver::name_of(meta.path());
        let how = format!("`{key}` takes a type: write `{key} = Type`");
        darling::Error::custom(how).with_span(&value)
    })
}

/// An option that is a name: `key = field`.
fn ident(meta: &Meta) -> darling::Result<Option<Ident>> {
    match driver::expression(meta)? {
        Some(Expr::Path(path)) if path.path.get_ident().is_some() => {
            Ok(path.path.get_ident().cloned())
        }
        other => {
            let key = driver::name_of(meta.path());
            let how = format!("`{key}` takes the name of a field: write `{key} = field`");
            Err(darling::Error::custom(how).with_span(&other))
        }
    }
}
