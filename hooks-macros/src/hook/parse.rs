//! The meaning of a hook: its handlers, and what each takes and returns.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{
    Attribute, Expr, FnArg, GenericArgument, Generics, ImplItem, ItemFn, ItemImpl, Path,
    PathArguments, Signature, Type, parse_quote,
};

use super::check;
use super::options::{HandlerOptions, HookOptions};
use crate::driver::{self, Errors};
use crate::lifetimes::{self, AnyLifetime};

/// A hook: what it is, and what it handles.
pub(super) struct Hook {
    /// The path of `hooks_core`.
    pub(super) core: TokenStream,
    /// The type that is the hook.
    pub(super) ty: Type,
    pub(super) generics: Generics,
    pub(super) priority: Expr,
    pub(super) name: Expr,
    /// The `cfg`s of the item, which apply to all generated code.
    pub(super) cfgs: Vec<Attribute>,
    pub(super) handlers: Vec<Handler>,
}

/// One function that handles one event, or every event.
pub(super) struct Handler {
    /// The path to call: `Self::call` or `Self::check`.
    pub(super) function: Ident,
    pub(super) takes_self: bool,
    pub(super) is_async: bool,
    pub(super) context: Option<Type>,
    pub(super) event: Handled,
    /// Whether it takes the decision after the event.
    pub(super) takes_decision: bool,
    /// The type of the witness that it takes after the decision.
    pub(super) witness: Option<Type>,
    /// The span of `Next`, if it takes one: it then wraps the work that follows the event.
    pub(super) next: Option<Span>,
    /// The span of the return type, or of the event if there is none.
    pub(super) output: Span,
    /// The return type, if it can be named outside the function: without an `impl Trait`, and without a lifetime of
    /// the parameters.
    pub(super) said: Option<Type>,
    pub(super) options: HandlerOptions,
    pub(super) cfgs: Vec<Attribute>,
}

/// What a handler takes.
pub(super) enum Handled {
    /// `&Event` or `&mut Event`.
    One {
        /// The type as written.
        written: AnyLifetime,
        /// The alias for it in generated code: see `types::event`.
        ty: AnyLifetime,
        alias: Option<Ident>,
        is_mut: bool,
        /// The span of the `mut`, or of the type.
        span: Span,
    },
    /// `AgentEvent<'_>` or `AgentEventMut<'_>`: the view for `'static`, and the vocabulary if it is named.
    Every {
        view: Type,
        vocabulary: Option<Type>,
    },
}

/// The path of `hooks_core`, for a hook.
pub(super) fn core_path(given: Option<&Path>) -> syn::Result<TokenStream> {
    driver::core_path(given, "#[hook(crate = agentlib::hooks_core)]")
}

impl Hook {
    pub(super) fn of_function(options: TokenStream, function: &ItemFn) -> syn::Result<Hook> {
        let options = HookOptions::read(options)?;
        let core = core_path(options.krate.as_ref())?;
        let mut errors = Errors::default();
        check::once(&function.attrs, &mut errors);
        check::signature(&function.sig, &mut errors);
        check::function(&function.sig, &mut errors);
        let handler = Handler::new(
            &function.sig,
            Ident::new("call", function.sig.ident.span()),
            &Generics::default(),
            options.of_handlers(),
            &options,
            Vec::new(),
            &mut errors,
        );
        let ident = &function.sig.ident;
        let hook = Hook::new(
            &options,
            core,
            parse_quote!(#ident),
            Generics::default(),
            ident,
            cfgs(&function.attrs),
            handler.into_iter().collect(),
        );
        check::hook(&hook, &options, &mut errors);
        errors.finish().map(|()| hook)
    }

    pub(super) fn of_impl(options: TokenStream, block: &ItemImpl) -> syn::Result<Hook> {
        let options = HookOptions::read(options)?;
        let core = core_path(options.krate.as_ref())?;
        let mut errors = Errors::default();
        check::once(&block.attrs, &mut errors);
        check::block(block, &mut errors);
        let mut handlers = Vec::new();
        for item in &block.items {
            let ImplItem::Fn(method) = item else { continue };
            let (own, found) = method_options(&method.attrs, &mut errors);
            // Constructors and getters are not hooks.
            if method.sig.receiver().is_none() || method.sig.inputs.len() < 2 {
                if let Some(found) = found {
                    check::method_is_no_handler(found, &mut errors);
                }
                continue;
            }
            check::signature(&method.sig, &mut errors);
            if check::method(&method.sig, &mut errors).is_none() {
                continue;
            }
            handlers.extend(Handler::new(
                &method.sig,
                method.sig.ident.clone(),
                &block.generics,
                own.over(&options.of_handlers()),
                &options,
                cfgs(&method.attrs),
                &mut errors,
            ));
        }
        check::handlers(block, &handlers, &mut errors);
        let unnamed = Ident::new("hook", Span::call_site());
        let ident = match block.self_ty.as_ref() {
            Type::Path(path) => path
                .path
                .segments
                .last()
                .map_or(&unnamed, |last| &last.ident),
            _ => &unnamed,
        };
        let hook = Hook::new(
            &options,
            core,
            (*block.self_ty).clone(),
            block.generics.clone(),
            ident,
            cfgs(&block.attrs),
            handlers,
        );
        check::hook(&hook, &options, &mut errors);
        errors.finish().map(|()| hook)
    }

    fn new(
        options: &HookOptions,
        core: TokenStream,
        ty: Type,
        generics: Generics,
        ident: &Ident,
        cfgs: Vec<Attribute>,
        handlers: Vec<Handler>,
    ) -> Hook {
        let name = driver::text_of(ident);
        Hook {
            core,
            ty,
            generics,
            priority: options.priority.clone().unwrap_or_else(|| parse_quote!(0)),
            name: options.name.clone().unwrap_or_else(|| parse_quote!(#name)),
            cfgs,
            handlers,
        }
    }
}

impl Handler {
    /// Whether the handler wraps the work that follows the event.
    pub(super) fn is_around(&self) -> bool {
        self.next.is_some()
    }

    /// Whether the function returns something.
    pub(super) fn returns(&self) -> bool {
        !matches!(&self.said, Some(Type::Tuple(nothing)) if nothing.elems.is_empty())
    }

    /// Whether the function takes the context, or its `when` may take it.
    pub(super) fn uses_context(&self) -> bool {
        let when_does = match &self.options.when {
            None => false,
            Some(Expr::Closure(closure)) => closure.inputs.len() == 2,
            Some(_) => true,
        };
        self.context.is_some() || when_does
    }

    /// Parses a signature; `None` if it is too wrong to continue.
    fn new(
        signature: &Signature,
        function: Ident,
        block: &Generics,
        options: HandlerOptions,
        hook: &HookOptions,
        cfgs: Vec<Attribute>,
        errors: &mut Errors,
    ) -> Option<Handler> {
        let mut parameters: Vec<&Type> = signature
            .inputs
            .iter()
            .filter_map(|input| match input {
                FnArg::Typed(typed) => Some(ungrouped(&typed.ty)),
                FnArg::Receiver(_) => None,
            })
            .collect();
        let next = parameters.pop_if(|last| ends_in(last, "Next"));
        check::around(next, options.around.as_ref(), signature, hook, errors)?;
        let after_decision = matches!(parameters.as_slice(),
            [_, .., decision, last] if ends_in(decision, "Decision")
                && (ends_in(last, "Option") || matches!(last, Type::Reference(_))));
        let witness = match after_decision.then(|| parameters.pop()).flatten() {
            Some(witness) => Some(check::witness(witness, errors)?),
            None => None,
        };
        let decision = parameters.pop_if(|last| ends_in(last, "Decision"));
        if let Some(decision) = decision {
            check::decision(decision, signature, hook, errors)?;
        }
        let (context, event) = match parameters.as_slice() {
            [event] => (None, event),
            [context, event] => (Some(check::context(context, event, errors)?), event),
            wrong => {
                check::parameters(signature, wrong, errors);
                return None;
            }
        };
        let event = if hook.every {
            let view = check::view(event, errors)?;
            Handled::Every {
                view: AnyLifetime::new(view.clone(), "event").for_static(),
                vocabulary: hook.vocabulary.as_ref().map(for_static),
            }
        } else {
            let reference = check::event(event, signature, errors)?;
            check::one_lifetime_for_both(reference, signature, errors);
            let prefix = lifetimes::free_prefix(block, "event");
            let written = AnyLifetime::new(ungrouped(&reference.elem).clone(), prefix);
            check::any_lifetime(&written, errors);
            let span = written.ty.span();
            // A constant cannot use a type parameter.
            let alias = (!lifetimes::is_generic(&written.ty, block))
                .then(|| format_ident!("__Event_{}", driver::text_of(&function), span = span));
            Handled::One {
                span: reference.mutability.map_or(span, |token| token.span),
                is_mut: reference.mutability.is_some(),
                ty: match &alias {
                    Some(alias) => written.named(alias),
                    None => written.clone(),
                },
                written,
                alias,
            }
        };
        Some(Handler {
            takes_self: signature.receiver().is_some(),
            is_async: signature.asyncness.is_some(),
            output: match &signature.output {
                syn::ReturnType::Default => event.span(),
                syn::ReturnType::Type(_, ty) => ty.span(),
            },
            said: match &signature.output {
                syn::ReturnType::Default => Some(parse_quote!(())),
                syn::ReturnType::Type(_, ty) => lifetimes::is_nameable(ty).then(|| (**ty).clone()),
            },
            function,
            context,
            event,
            takes_decision: decision.is_some(),
            witness,
            next: next.map(Spanned::span),
            options,
            cfgs,
        })
    }
}

/// A vocabulary's enum for `'static`.
fn for_static(path: &Path) -> Type {
    let mut path = path.clone();
    if let Some(last) = path.segments.last_mut()
        && last.arguments.is_none()
    {
        let lifetime = GenericArgument::Lifetime(parse_quote!('static));
        last.arguments = PathArguments::AngleBracketed(parse_quote!(<#lifetime>));
    }
    parse_quote!(#path)
}

/// The options on a method, and their span.
fn method_options(attrs: &[Attribute], errors: &mut Errors) -> (HandlerOptions, Option<Span>) {
    let mut all = attrs.iter().filter(|attr| is_hook(attr));
    let Some(attr) = all.next() else {
        return (HandlerOptions::default(), None);
    };
    if let Some(second) = all.next() {
        check::twice(second, errors);
    }
    let tokens = match &attr.meta {
        syn::Meta::List(list) => list.tokens.clone(),
        _ => quote!(),
    };
    let options = HandlerOptions::read(tokens).unwrap_or_else(|error| {
        errors.push(error);
        HandlerOptions::default()
    });
    (options, Some(attr.path().span()))
}

/// Whether an attribute is `#[hook(…)]`, by any path.
pub(super) fn is_hook(attr: &Attribute) -> bool {
    let last = attr.path().segments.last();
    last.is_some_and(|segment| segment.ident == "hook")
}

fn cfgs(attrs: &[Attribute]) -> Vec<Attribute> {
    let is_cfg = |attr: &&Attribute| attr.path().is_ident("cfg");
    attrs.iter().filter(is_cfg).cloned().collect()
}

/// Whether a parameter's type has this name, by any path.
fn ends_in(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path)
        if path.path.segments.last().is_some_and(|last| last.ident == name))
}

/// A type without the invisible parentheses that a `macro_rules!` matcher adds.
fn ungrouped(mut ty: &Type) -> &Type {
    while let Type::Group(group) = ty {
        ty = &group.elem;
    }
    ty
}
