//! The meaning of a hook: its handlers, and what each takes and returns.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{
    Attribute, Expr, GenericArgument, Generics, ImplItem, ItemFn, ItemImpl, Path, PathArguments,
    ReceiverKind, Signature, Type, parse_quote,
};

use super::options::{FailureChoice, HandlerOptions, HookOptions, OnFailure};
use super::parameters::{EventParameter, Parameters};
use crate::driver::{self, Errors};
use crate::lifetimes::{self, AnyLifetime};

/// A hook: what it is, and what it handles.
pub(super) struct ParsedHook {
    /// The path of `hooks_core`, if it is not `::hooks_core`.
    pub(super) core: Option<TokenStream>,
    /// The type that is the hook.
    pub(super) ty: Type,
    pub(super) generics: Generics,
    pub(super) priority: Expr,
    pub(super) name: Expr,
    /// The `cfg`s of the item, which apply to all generated code.
    pub(super) cfgs: Vec<Attribute>,
    pub(super) handlers: Vec<HookFunction>,
}

/// One function that handles one event, or every event.
pub(super) struct HookFunction {
    /// The path to call: `Self::call` or `Self::check`.
    pub(super) function: Ident,
    pub(super) takes_self: bool,
    pub(super) is_async: bool,
    pub(super) context: Option<Type>,
    pub(super) event: Handled,
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
pub(super) fn core_path(given: Option<&Path>) -> syn::Result<Option<TokenStream>> {
    driver::core_path(given, "#[hook(crate = agentlib::hooks_core)]")
}

impl ParsedHook {
    pub(super) fn of_function(
        options: &HookOptions,
        function: &ItemFn,
        errors: &mut Errors,
    ) -> syn::Result<ParsedHook> {
        let core = core_path(options.krate.as_ref())?;
        let ident = &function.sig.ident;
        let handler = HookFunction::new(
            &function.sig,
            Ident::new("call", ident.span()),
            &Generics::default(),
            options.of_handlers.clone(),
            options,
            Vec::new(),
            errors,
        );
        Ok(ParsedHook::new(
            options,
            core,
            parse_quote!(#ident),
            Generics::default(),
            ident,
            cfgs(&function.attrs),
            handler.into_iter().collect(),
        ))
    }

    pub(super) fn of_impl(
        options: &HookOptions,
        block: &ItemImpl,
        errors: &mut Errors,
    ) -> syn::Result<ParsedHook> {
        let core = core_path(options.krate.as_ref())?;
        let mut handlers = Vec::new();
        for item in &block.items {
            let ImplItem::Fn(method) = item else { continue };
            let own = method_options(&method.attrs, errors);
            if is_handler(&method.sig) && takes_shared_self(&method.sig) {
                handlers.extend(HookFunction::new(
                    &method.sig,
                    method.sig.ident.clone(),
                    &block.generics,
                    own.over(&options.of_handlers),
                    options,
                    cfgs(&method.attrs),
                    errors,
                ));
            }
        }
        let unnamed = Ident::new("hook", Span::call_site());
        let ident = match block.self_ty.as_ref() {
            Type::Path(path) => path
                .path
                .segments
                .last()
                .map_or(&unnamed, |last| &last.ident),
            _ => &unnamed,
        };
        Ok(ParsedHook::new(
            options,
            core,
            (*block.self_ty).clone(),
            block.generics.clone(),
            ident,
            cfgs(&block.attrs),
            handlers,
        ))
    }

    fn new(
        options: &HookOptions,
        core: Option<TokenStream>,
        ty: Type,
        generics: Generics,
        ident: &Ident,
        cfgs: Vec<Attribute>,
        handlers: Vec<HookFunction>,
    ) -> ParsedHook {
        let name = driver::text_of(ident);
        ParsedHook {
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

impl ParsedHook {
    /// The guard that judges what a handler of the same event may change.
    pub(super) fn judge_of(&self, handler: &HookFunction) -> Option<&HookFunction> {
        let changes = handler.options.guard.is_none() && !handler.is_around();
        let of_same = |other: &&HookFunction| {
            other.options.guard.is_some() && other.event.is_same(&handler.event)
        };
        self.handlers.iter().find(of_same).filter(|_| changes)
    }

    /// Whether a guard judges what another handler of the same event may change.
    pub(super) fn is_judge(&self, guard: &HookFunction) -> bool {
        let judges = |other: &HookFunction| {
            self.judge_of(other)
                .is_some_and(|judge| std::ptr::eq(judge, guard))
        };
        self.handlers.iter().any(judges)
    }
}

impl HookFunction {
    /// Whether the handler wraps the work that follows the event.
    pub(super) fn is_around(&self) -> bool {
        self.next.is_some()
    }

    /// Whether the function returns nothing at all.
    pub(super) fn says_nothing(&self) -> bool {
        matches!(&self.said, Some(said) if is_nothing(said))
    }

    /// Whether the function may return `Modify`: it returns more than nothing, or nothing and an error.
    pub(super) fn may_modify(&self) -> bool {
        !self.action().is_some_and(is_nothing)
    }

    /// What the function returns if it does not fail.
    pub(super) fn action(&self) -> Option<&Type> {
        self.said.as_ref().map(unless_it_fails)
    }

    /// Whether its `when` may take the context.
    pub(super) fn when_takes_context(&self) -> bool {
        match &self.options.when {
            None => false,
            Some(Expr::Closure(closure)) => closure.inputs.len() == 2,
            Some(_) => true,
        }
    }

    /// Whether the call takes the context.
    pub(super) fn uses_context(&self) -> bool {
        let catches = |policy: OnFailure| policy.choice != FailureChoice::Propagate;
        let when_is_caught = self.is_around() || self.options.on_panic.is_some_and(catches);
        self.context.is_some() || (when_is_caught && self.when_takes_context())
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
    ) -> Option<HookFunction> {
        let around = options.around;
        let Parameters {
            context,
            event,
            next,
        } = Parameters::read(signature, around, hook, errors)?;
        let event = match event {
            EventParameter::One(reference) => {
                let prefix = lifetimes::free_prefix(block, "event");
                let written = AnyLifetime::new(ungrouped(&reference.elem).clone(), prefix);
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
            }
            EventParameter::Every(view) => Handled::Every {
                view: AnyLifetime::new(view.clone(), "event").for_static(),
                vocabulary: hook.vocabulary.as_ref().map(for_static),
            },
        };
        Some(HookFunction {
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
            next: next.map(Spanned::span),
            options,
            cfgs,
        })
    }
}

/// What a function of this return type returns if it does not fail.
pub(super) fn unless_it_fails(ty: &Type) -> &Type {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && last.ident == "Result"
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(ok)) = arguments.args.first()
    {
        return ok;
    }
    ty
}

fn is_nothing(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(nothing) if nothing.elems.is_empty())
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

/// Whether a method of the block is a handler: constructors and getters are none.
pub(super) fn is_handler(signature: &Signature) -> bool {
    signature.receiver().is_some() && signature.inputs.len() > 1
}

/// Whether a method takes `&self`.
pub(super) fn takes_shared_self(signature: &Signature) -> bool {
    match signature.receiver().map(|receiver| &receiver.kind) {
        Some(ReceiverKind::Reference(_, _, mutability)) => mutability.is_none(),
        Some(ReceiverKind::Typed(_, ty)) => {
            matches!(ty.as_ref(), Type::Reference(reference) if reference.mutability.is_none())
        }
        _ => false,
    }
}

/// The options on a method.
fn method_options(attrs: &[Attribute], errors: &mut Errors) -> HandlerOptions {
    let Some(attr) = attrs.iter().find(|attr| is_hook(attr)) else {
        return HandlerOptions::default();
    };
    let tokens = match &attr.meta {
        syn::Meta::List(list) => list.tokens.clone(),
        _ => quote!(),
    };
    HandlerOptions::read(tokens, errors)
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

/// A type without the invisible parentheses that a `macro_rules!` matcher adds.
pub(super) fn ungrouped(mut ty: &Type) -> &Type {
    while let Type::Group(group) = ty {
        ty = &group.elem;
    }
    ty
}
