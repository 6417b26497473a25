//! The meaning of a vocabulary: its context and its events.

use proc_macro2::{Ident, Span, TokenStream};
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Expr, Fields, GenericParam, Meta, Type, Variant, Visibility,
    parse_quote,
};

use crate::driver::{self, Errors};
use crate::lifetimes::AnyLifetime;
use crate::options::{AttributeOptions, Options};

/// An enum of events.
pub(super) struct EventEnum {
    /// The path of `hooks_core`, if it is not `::hooks_core`.
    pub(super) core: Option<TokenStream>,
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
    pub(super) events: Vec<EventVariant>,
}

/// A variant.
pub(super) struct EventVariant {
    pub(super) variant: Ident,
    /// The payload, with any lifetime.
    pub(super) payload: AnyLifetime,
    pub(super) kind: VariantKind,
    /// Why the kind is wrong, and where. The event is then intercepted, and hooks may do everything to it.
    pub(super) mistake: Option<(Span, &'static str)>,
    pub(super) subject: Option<Ident>,
    pub(super) docs: Vec<Attribute>,
}

pub(super) enum VariantKind {
    Observe,
    Intercept(Box<InterceptOptions>),
}

/// What hooks may do to an intercepted event: `#[intercept(…)]`.
#[derive(Default)]
pub(super) struct InterceptOptions {
    pub(super) respond: Option<Type>,
    pub(super) patch: Option<Type>,
    pub(super) no_block: bool,
    /// The output of the work that follows the event.
    pub(super) around: Option<Type>,
    /// Whether it asks for an approval.
    pub(super) approval: bool,
}

const INTERCEPT: AttributeOptions = AttributeOptions {
    examples: &[
        "respond = Type",
        "patch = Type",
        "no_block",
        "around = Type",
        "approval",
        "subject = field",
    ],
    rest: "",
    instead: |_| None,
};

const OBSERVE: AttributeOptions = AttributeOptions {
    examples: &["subject = field"],
    rest: "; the others belong to `#[intercept(…)]`",
    instead: |_| None,
};

const EVENTS: AttributeOptions = AttributeOptions {
    examples: &["context = Type", "crate = some::path"],
    rest: "",
    instead: |_| None,
};

impl InterceptOptions {
    /// An event whose kind is wrong, so that it has no type: what its hooks do then must not be a second mistake.
    fn everything() -> Self {
        let no_type: Type = parse_quote!(<Self as ::hooks_core::Event>::Kind);
        InterceptOptions {
            respond: Some(no_type.clone()),
            around: Some(no_type),
            ..InterceptOptions::default()
        }
    }
}

impl EventEnum {
    /// Reads an enum, as far as it can be read.
    ///
    /// # Errors
    ///
    /// If it is not an enum of borrowed payloads at all.
    pub(super) fn of(item: &DeriveInput, errors: &mut Errors) -> syn::Result<Self> {
        let Data::Enum(data) = &item.data else {
            return Err(not_an_enum(item));
        };
        if data.variants.is_empty() {
            return Err(syn::Error::new(
                item.ident.span(),
                "a vocabulary has at least one event: write a variant, as `#[observe] Done(&'a Done)`",
            ));
        }
        one_lifetime(item)?;
        let attr = item
            .attrs
            .iter()
            .find(|attr| attr.path().is_ident("events"));
        let mut options = options(attr, &EVENTS, errors);
        let (context, krate) = (options.ty("context"), options.path("crate"));
        let events = data
            .variants
            .iter()
            .filter_map(|variant| EventVariant::of(variant, errors))
            .collect();
        let context = context.unwrap_or_else(|| parse_quote!(()));
        let context = AnyLifetime::new(context, "cx");
        if let Some(lifetime) = context.lifetimes.first() {
            errors.at(
                lifetime.span(),
                "all dispatches have one type of context, so it cannot borrow: let it own what it holds, as `String` \
                 or `Arc<str>` for a `&str`; only `'static` may be borrowed",
            );
        }
        let name = driver::text_of(&item.ident);
        let stem = match name.strip_suffix("Event") {
            Some("") | None => &name,
            Some(stem) => stem,
        };
        let named = |name: String| Ident::new(&name, item.ident.span());
        Ok(EventEnum {
            core: driver::core_path(krate.as_ref(), "#[events(crate = agentlib::hooks_core)]")?,
            visibility: item.vis.clone(),
            hooks: named(format!("{stem}Hooks")),
            hooks_now: named(format!("{stem}HooksNow")),
            handler: named(format!("{stem}Handler")),
            mutable: named(format!("{name}Mut")),
            said: named(format!("{stem}Said")),
            ident: item.ident.clone(),
            context: context.for_static(),
            events,
        })
    }
}

fn not_an_enum(item: &DeriveInput) -> syn::Error {
    let at = match &item.data {
        Data::Struct(data) => data.struct_token.span,
        Data::Union(data) => data.union_token.span,
        Data::Enum(data) => data.enum_token.span,
    };
    syn::Error::new(
        at,
        "a vocabulary is an enum with a variant for each event: write \
         `enum MyEvent<'a> { #[observe] Done(&'a Done) }`; the payloads are structs, and derive nothing \
         of ours",
    )
}

/// An enum without its one lifetime cannot be right, so nothing else is reported.
fn one_lifetime(item: &DeriveInput) -> syn::Result<()> {
    let parameters = &item.generics.params;
    let at = match parameters.first() {
        Some(GenericParam::Lifetime(_)) if parameters.len() == 1 => return Ok(()),
        None => item.ident.span(),
        Some(_) => parameters.span(),
    };
    let name = &item.ident;
    Err(syn::Error::new(
        at,
        format!(
            "a vocabulary borrows its payloads for one lifetime, and has no other parameter: write \
             `enum {name}<'a>`"
        ),
    ))
}

impl EventVariant {
    /// Whether a hook on every event receives it by `&mut`. An event that borrows is lent by `&`: hooks must not
    /// change what it borrows, and one lifetime could not stand for both borrows.
    pub(super) fn is_lent_mut(&self) -> bool {
        self.intercept().is_some() && self.payload.lifetimes.is_empty()
    }

    /// What hooks may do to it, if it is intercepted.
    pub(super) fn intercept(&self) -> Option<&InterceptOptions> {
        match &self.kind {
            VariantKind::Intercept(intercept) => Some(intercept),
            VariantKind::Observe => None,
        }
    }

    /// Reads a variant; `None` if it has no payload.
    fn of(variant: &Variant, errors: &mut Errors) -> Option<Self> {
        let is_kind = |attr: &&Attribute| {
            attr.path().is_ident("observe") || attr.path().is_ident("intercept")
        };
        let mut kinds = variant.attrs.iter().filter(is_kind);
        let (first, second) = (kinds.next(), kinds.next());
        let mistake = match (first, second) {
            (None, _) => Some((
                variant.ident.span(),
                "an event has a kind: write `#[observe]` before it if hooks only look, or `#[intercept]` if \
                 they may change or stop it",
            )),
            (_, Some(second)) => Some((
                second.path().span(),
                "an event has one kind: `#[observe]`, or `#[intercept]`, once",
            )),
            (Some(_), None) => None,
        };
        let (kind, subject) = match first {
            _ if mistake.is_some() => (
                VariantKind::Intercept(Box::new(InterceptOptions::everything())),
                None,
            ),
            Some(attr) if attr.path().is_ident("observe") => (
                VariantKind::Observe,
                subject(&mut options(Some(attr), &OBSERVE, errors)),
            ),
            attr => {
                let options = &mut options(attr, &INTERCEPT, errors);
                let intercept = InterceptOptions {
                    respond: options.ty("respond"),
                    patch: options.ty("patch"),
                    no_block: options.flag("no_block").is_some(),
                    around: options.ty("around"),
                    approval: options.flag("approval").is_some(),
                };
                (
                    VariantKind::Intercept(Box::new(intercept)),
                    subject(options),
                )
            }
        };
        let payload = match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                payload(&fields.unnamed[0].ty, errors)?
            }
            _ => {
                let name = &variant.ident;
                errors.at(
                    name.span(),
                    format!(
                        "an event has one payload, by reference: write `{name}(&'a {name})`, with its data in \
                         `struct {name}`"
                    ),
                );
                return None;
            }
        };
        Some(EventVariant {
            variant: variant.ident.clone(),
            payload: AnyLifetime::new(payload.clone(), "event"),
            kind,
            mistake,
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

/// The payload's type, without its `&'a`.
fn payload<'t>(ty: &'t Type, errors: &mut Errors) -> Option<&'t Type> {
    let (at, message) = match ty {
        Type::Group(group) => return payload(&group.elem, errors),
        Type::Reference(reference) if reference.mutability.is_none() => {
            return named(&reference.elem, errors);
        }
        Type::Reference(reference) => (
            reference.mutability.span(),
            "the enum is a view of the event, so it borrows its payload by `&`: hooks change it through the \
             dispatch"
                .to_owned(),
        ),
        other => {
            let ty = driver::text(other);
            let how = "an event's payload is borrowed, so that nothing is moved or cloned to raise it";
            (other.span(), format!("{how}: write `&'a {ty}`"))
        }
    };
    errors.at(at, message);
    None
}

/// The borrowed type, which must be usable as the event of only one vocabulary.
fn named<'t>(ty: &'t Type, errors: &mut Errors) -> Option<&'t Type> {
    match ty {
        Type::Group(group) => named(&group.elem, errors),
        Type::Path(_) if !driver::is_of_rust(ty) => Some(ty),
        Type::Macro(_) => Some(ty),
        other => {
            errors.at(
                other.span(),
                "an event's payload is a struct or an enum of this crate, as its type tells which event it \
                 is: write `struct Done<'a> { text: &'a str }`, and `&'a Done<'a>` here",
            );
            None
        }
    }
}

/// Reads the options of an attribute, if it exists and has some.
fn options<'e>(
    attr: Option<&Attribute>,
    known: &AttributeOptions,
    errors: &'e mut Errors,
) -> Options<'e> {
    let tokens = match attr.map(|attr| &attr.meta) {
        None | Some(Meta::Path(_)) => TokenStream::new(),
        Some(Meta::List(list)) => list.tokens.clone(),
        Some(Meta::NameValue(pair)) => {
            let message = format!("options stand in parentheses: {}", known.all());
            errors.at(pair.eq_token.span(), message);
            TokenStream::new()
        }
    };
    Options::read(tokens, known, errors)
}

/// `subject = field`
fn subject(options: &mut Options<'_>) -> Option<Ident> {
    let (_, value) = options.expr("subject")?;
    if let Expr::Path(path) = &value
        && let Some(field) = path.path.get_ident()
    {
        return Some(field.clone());
    }
    let message = "`subject` takes the name of a field: write `subject = field`";
    options.errors.at(value.span(), message);
    None
}
