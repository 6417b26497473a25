//! Checks a hook. Reports mistakes at the user's own token, with what to write instead.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{
    Attribute, FnArg, GenericParam, ImplItem, Item, ItemFn, ItemImpl, Lifetime, Pat, ReturnType,
    Safety, Signature, Type, parse_quote,
};

use super::options::HookOptions;
use super::parameters::{NOT_A_HOOK, referent};
use super::parse::{Handled, HookFunction, ParsedHook, is_handler, is_hook, takes_shared_self};
use super::says;
use crate::driver::{Errors, text};
use crate::lifetimes;

/// `#[hook]` on an item that cannot be a hook.
pub(super) fn not_a_hook(item: &Item) -> syn::Error {
    let (what, instead) = match item {
        Item::Struct(_) | Item::Enum(_) | Item::Union(_) => (
            "a type",
            "write it on an `impl` block of the type, with a method for each event",
        ),
        Item::Trait(_) => ("a trait", "write it on the `impl` block of a type"),
        Item::Const(_) | Item::Static(_) => (
            "a value",
            "write it on a function; a closure becomes a hook with `intercept_fn` or `observe_fn`",
        ),
        _ => ("this", "write it on `fn name(event: &Event)`"),
    };
    let message =
        format!("`#[hook]` goes on a function or an `impl` block, not on {what}: {instead}");
    // Points at the item's keyword: its attributes and visibility are not the mistake.
    let at = match item {
        Item::Struct(item) => item.struct_token.span,
        Item::Enum(item) => item.enum_token.span,
        Item::Union(item) => item.union_token.span,
        Item::Trait(item) => item.trait_token.span,
        Item::Const(item) => item.const_token.span,
        Item::Static(item) => item.static_token.span,
        other => other.span(),
    };
    syn::Error::new(at, message)
}

/// `#[hook]` on an `impl` block of a type of Rust.
pub(super) fn not_a_type_of_yours(block: &ItemImpl) -> syn::Error {
    let ty = text(&block.self_ty);
    syn::Error::new(
        block.self_ty.span(),
        format!(
            "a hook is a type of your crate: write `struct MyHook({ty});`, and `#[hook]` on `impl MyHook`"
        ),
    )
}

/// Checks a hook function.
pub(super) fn function(function: &mut ItemFn, hook: &ParsedHook, errors: &mut Errors) {
    // The first `#[hook]` is already parsed.
    twice(function.attrs.iter().find(|attr| is_hook(attr)), errors);
    signature(&function.sig, errors);
    if let Some(receiver) = function.sig.receiver() {
        errors.at(
            receiver.self_token.span,
            "a hook function has no `self`: for state, write `#[hook]` on the whole `impl` block of the \
             type, whose methods with an event are hooks then",
        );
    }
    let named_alike = function.sig.inputs.iter().find_map(|input| match input {
        FnArg::Typed(typed) => match typed.pat.as_ref() {
            Pat::Ident(name) if name.ident == function.sig.ident => Some(name.ident.clone()),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    });
    if let Some(name) = &named_alike {
        errors.at(
            name.span(),
            format!("the hook itself is the value `{name}`, so no parameter can have its name: rename one of them"),
        );
    }
    for handler in &hook.handlers {
        says::check(handler, &mut function.sig, &mut function.block, errors);
    }
    // Where the parameters are wrong, so is all that depends on them.
    if hook.handlers.is_empty() || named_alike.is_some() {
        function.sig.inputs.clear();
        function.sig.output = ReturnType::Default;
        function.block = parse_quote!({});
    }
}

/// Checks an `impl` block.
pub(super) fn block(block: &mut ItemImpl, hook: &ParsedHook, errors: &mut Errors) {
    twice(block.attrs.iter().find(|attr| is_hook(attr)), errors);
    if let Some((path, _)) = &block.trait_ {
        errors.at(
            path.span(),
            "`#[hook]` goes on an `impl` block of the type itself: a trait's methods are not hooks",
        );
    }
    let mut has_handlers = block.trait_.is_some();
    for item in &mut block.items {
        let ImplItem::Fn(method) = item else { continue };
        let mut own = method.attrs.iter().filter(|attr| is_hook(attr));
        let attribute = own.next();
        twice(own.next(), errors);
        if is_handler(&method.sig) {
            has_handlers = true;
            self::method(&method.sig, errors);
        } else if let Some(attribute) = attribute {
            errors.at(
                attribute.path().span(),
                "this method handles no event: a hook takes `&self` and then the event, as `&BeforeToolCall`",
            );
        }
        let of_method = |handler: &&HookFunction| handler.function == method.sig.ident;
        if let Some(handler) = hook.handlers.iter().find(of_method) {
            says::check(handler, &mut method.sig, &mut method.block, errors);
        }
    }
    if !has_handlers {
        errors.at(
            block.self_ty.span(),
            "this `impl` block handles no event: write a method that takes `&self` and an event, as \
             `fn check(&self, call: &BeforeToolCall)`",
        );
    }
    once_each(&hook.handlers, errors);
}

/// Checks for a second `#[hook]`, whose options would be lost.
fn twice(second: Option<&Attribute>, errors: &mut Errors) {
    if let Some(second) = second {
        errors.at(
            second.path().span(),
            "`#[hook]` is written twice: write all options in one",
        );
    }
}

/// Checks functions and methods alike.
fn signature(signature: &Signature, errors: &mut Errors) {
    let called = "a hook is called by the pipeline";
    if let Some(token) = &signature.constness {
        errors.at(token.span, format!("{called}, at run time: remove `const`"));
    }
    if let Safety::Unsafe(token) = &signature.safety {
        let message = format!("{called}, which is safe code: remove `unsafe`");
        errors.at(token.span, message);
    }
    if let Some(abi) = &signature.abi {
        errors.at(abi.span(), format!("{called}, from Rust: remove `extern`"));
    }
    let not_generic = "a hook handles one type of event, so its function is not generic";
    for parameter in &signature.generics.params {
        if !matches!(parameter, GenericParam::Lifetime(_)) {
            let how = "a generic hook is a type, written `#[hook] impl<T> MyHook<T> { … }`";
            errors.at(parameter.span(), format!("{not_generic}: {how}"));
        }
    }
    for input in &signature.inputs {
        if let FnArg::Typed(typed) = input
            && let generic @ (Type::ImplTrait(_) | Type::TraitObject(_)) = referent(&typed.ty)
        {
            let how = "name the event, as `&BeforeToolCall`";
            errors.at(generic.span(), format!("{not_generic}: {how}"));
        }
    }
}

/// Checks a method that takes an event.
fn method(signature: &Signature, errors: &mut Errors) {
    if let Some(receiver) = signature.receiver()
        && !takes_shared_self(signature)
    {
        errors.at(
            receiver.self_token.span,
            format!(
                "a hook is shared by all that use the pipeline: take `&self`, and keep what changes in an \
                 atomic or a `Mutex`; {NOT_A_HOOK}"
            ),
        );
    }
    self::signature(signature, errors);
}

/// Checks that a hook answers an event once.
fn once_each(handlers: &[HookFunction], errors: &mut Errors) {
    let always: Vec<_> = handlers
        .iter()
        .filter(|handler| handler.cfgs.is_empty())
        .collect();
    for (nth, handler) in always.iter().enumerate() {
        let is_twin = |other: &&&HookFunction| {
            handler.is_around() == other.is_around()
                && handler.options.guard.is_some() == other.options.guard.is_some()
                && handler.event.is_same(&other.event)
        };
        let is_judged = |other: &&HookFunction| {
            !other.is_around()
                && other.options.guard.is_none()
                && other.event.is_same(&handler.event)
        };
        if handler.options.guard.is_some()
            && handler.is_async
            && handlers.iter().any(|other| is_judged(&other))
        {
            errors.at(
                handler.function.span(),
                "a guard beside a method that changes the same event is a plain `fn`: remove `async`, or write the \
                 guard as a hook of its own",
            );
        }
        let Some(twin) = always[..nth].iter().find(is_twin) else {
            continue;
        };
        let first = &twin.function;
        let message = match &handler.event {
            Handled::One { .. } => {
                format!("`{first}` handles this event already: a hook answers an event once")
            }
            Handled::Every { .. } => {
                format!(
                    "`{first}` is given every event already: a hook with `every` has one method"
                )
            }
        };
        errors.at(handler.event.span(), message);
    }
}

/// Checks that a priority or name uses no parameter of the `impl` block: it is the same for all values of the type.
fn of_the_whole_type(hook: &ParsedHook, options: &HookOptions, errors: &mut Errors) {
    let parameters = lifetimes::parameters(&hook.generics);
    for value in [&options.priority, &options.name].into_iter().flatten() {
        let is_of_a_value = |ident: &Ident| ident == "Self" || parameters.contains(&ident);
        let Some(found) = lifetimes::first_ident(value.to_token_stream(), &is_of_a_value) else {
            continue;
        };
        errors.at(
            found.span(),
            if found == "Self" {
                let ty = text(&hook.ty);
                format!("`Self` has no meaning in an option: write `{ty}`")
            } else {
                format!(
                    "a hook has one priority and one name for all `{found}`: write a constant; for a \
                     priority of one place in a list, write `hook @ 10` there"
                )
            },
        );
    }
}

/// Checks the options against each other, and against the hook.
pub(super) fn hook(hook: &ParsedHook, options: &HookOptions, errors: &mut Errors) {
    of_the_whole_type(hook, options, errors);
    let of_all = &options.of_handlers;
    if let (false, Some(path)) = (options.every, &options.vocabulary) {
        errors.at(
            path.span(),
            "`vocabulary` goes with `every`: a hook on one event has that event's vocabulary",
        );
    }
    if options.every {
        let only = of_all.only.as_ref().map(|only| ("only(…)", only.span));
        let tool = of_all.tool.as_ref().map(|tool| ("tool(…)", tool.span));
        let when = of_all.when.as_ref().map(|when| ("when", when.span()));
        for (option, span) in only.into_iter().chain(tool).chain(when) {
            errors.at(
                span,
                format!("`{option}` goes with one event, and `every` is for all: match on the event in the hook"),
            );
        }
    }
    let is_any_async = hook.handlers.iter().any(|handler| handler.is_async);
    if let Some(timeout) = &of_all.timeout
        && !hook.handlers.is_empty()
        && !is_any_async
    {
        errors.at(timeout.span, SYNCHRONOUS);
    }
    let mut is_told = false;
    for handler in &hook.handlers {
        let own = &handler.options;
        if let Some(timeout) = &own.timeout
            && of_all.timeout.is_none()
            && !handler.is_async
        {
            errors.at(timeout.span, SYNCHRONOUS);
        }
        if let Some(policy) = own.on_timeout
            && own.timeout.is_none()
            && !is_told
        {
            is_told = true;
            errors.at(
                policy.option,
                "`on_timeout` without `timeout`: say how long the hook may take, as `timeout = \"2s\"`",
            );
        }
        guard(handler, errors);
        if handler.is_around() {
            around(handler, errors);
        }
    }
}

/// Checks a hook around the work.
fn around(handler: &HookFunction, errors: &mut Errors) {
    let own = &handler.options;
    let failing = [
        own.timeout.map(|option| option.span),
        own.on_timeout.map(|option| option.option),
        own.on_panic.map(|option| option.option),
    ];
    for option in failing.into_iter().flatten() {
        errors.at(
            option,
            "a hook with `around` holds the work, so no policy could leave it out: limit the work itself, \
             as `tokio::time::timeout(limit, next.run()).await`",
        );
    }
    match &handler.event {
        Handled::Every { view, .. } => errors.at(
            view.span(),
            "`every` and `around` do not go together: a hook wraps the work of one event",
        ),
        Handled::One {
            is_mut: true, span, ..
        } => errors.at(
            *span,
            "a hook with `around` looks at the event, which the work borrows: take it by `&`, and change it \
             in a hook without `around`",
        ),
        Handled::One { .. } => {}
    }
}

/// Checks that a guard only judges.
fn guard(handler: &HookFunction, errors: &mut Errors) {
    let Some(guard) = &handler.options.guard else {
        return;
    };
    match &handler.event {
        Handled::Every { .. } => errors.at(
            *guard,
            "a guard judges one event, and `every` is for all: write `#[hook(guard)]` on a hook for each event",
        ),
        _ if handler.is_around() => errors.at(
            *guard,
            "a hook wraps the work, or it is a guard that judges the event before: write two hooks",
        ),
        Handled::One {
            is_mut: true, span, ..
        } => errors.at(
            *span,
            "a guard judges the form of the event that takes effect, so it cannot change it: take it by `&`",
        ),
        Handled::One { .. } if handler.says_nothing() => {
            let event = handler.event.written();
            errors.at(
                handler.function.span(),
                format!(
                    "a guard that returns nothing judges nothing: write `-> HookAction<{event}>`; only an event \
                     that can be blocked has guards"
                ),
            );
        }
        Handled::One { .. } => {}
    }
}

const SYNCHRONOUS: &str = "`timeout` needs an `async fn`: a synchronous hook runs to its end before anything \
                           can stop it";

impl Handled {
    /// The event, as a user writes it.
    pub(super) fn written(&self) -> String {
        match self {
            Handled::One { written, .. } => {
                text(&written.with(&Lifetime::new("'_", Span::call_site())))
            }
            Handled::Every { view, .. } => text(view),
        }
    }

    pub(super) fn span(&self) -> Span {
        match self {
            Handled::One { written, .. } => written.ty.span(),
            Handled::Every { view, .. } => view.span(),
        }
    }

    pub(super) fn is_same(&self, other: &Handled) -> bool {
        match (self, other) {
            (Handled::One { written: one, .. }, Handled::One { written: other, .. }) => {
                one.for_static() == other.for_static()
            }
            (Handled::Every { .. }, Handled::Every { .. }) => true,
            _ => false,
        }
    }
}
