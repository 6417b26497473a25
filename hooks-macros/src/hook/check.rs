//! Checks a hook. Reports mistakes at the user's own token, with what to write instead.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{
    Attribute, Expr, FnArg, GenericArgument, GenericParam, Item, ItemImpl, PathArguments,
    ReceiverKind, ReturnType, Safety, Signature, Type, TypeReference,
};

use super::options::{Around, Choice, HookOptions};
use super::parse::{Handled, Handler, Hook, is_hook};
use crate::driver::Errors;
use crate::lifetimes::{self, AnyLifetime};

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

/// Checks for a second `#[hook]`: the first one is already parsed.
pub(super) fn once(attrs: &[Attribute], errors: &mut Errors) {
    if let Some(second) = attrs.iter().find(|attr| is_hook(attr)) {
        twice(second, errors);
    }
}

/// Reports a second `#[hook]`, whose options would be lost.
pub(super) fn twice(second: &Attribute, errors: &mut Errors) {
    errors.at(
        second.path().span(),
        "`#[hook]` stands twice: write all options in one",
    );
}

/// Checks functions and methods alike.
pub(super) fn signature(signature: &Signature, errors: &mut Errors) {
    if let Safety::Unsafe(token) = &signature.safety {
        errors.at(
            token.span,
            "a hook is called by the pipeline, which is safe code: remove `unsafe`",
        );
    }
    if let Some(abi) = &signature.abi {
        errors.at(
            abi.span(),
            "a hook is called by the pipeline, from Rust: remove `extern`",
        );
    }
    for parameter in &signature.generics.params {
        if !matches!(parameter, GenericParam::Lifetime(_)) {
            errors.at(
                parameter.span(),
                "a hook handles one type of event, so its function is not generic: a generic hook is \
                 a type, written `#[hook] impl<T> MyHook<T> { … }`",
            );
        }
    }
    for input in &signature.inputs {
        if let FnArg::Typed(typed) = input
            && let Type::ImplTrait(generic) = referent(&typed.ty)
        {
            errors.at(
                generic.span(),
                "a hook handles one type of event, so its function is not generic: name the event, as \
                 `&BeforeToolCall`",
            );
        }
    }
}

/// The type behind a reference, or the type itself.
fn referent(ty: &Type) -> &Type {
    match ty {
        Type::Reference(reference) => referent(&reference.elem),
        Type::Group(group) => referent(&group.elem),
        other => other,
    }
}

/// Checks free functions.
pub(super) fn function(signature: &Signature, errors: &mut Errors) {
    if let Some(receiver) = signature.receiver() {
        errors.at(
            receiver.self_token.span,
            "a hook function has no `self`: for state, write `#[hook]` on the whole `impl` block of the \
             type, whose methods with an event are hooks then",
        );
    }
}

/// Checks methods. `None` if the method is apparently not meant as a hook.
pub(super) fn method(signature: &Signature, errors: &mut Errors) -> Option<()> {
    let receiver = signature.receiver()?;
    let is_shared = match &receiver.kind {
        ReceiverKind::Reference(_, _, mutability) => mutability.is_none(),
        ReceiverKind::Typed(_, ty) => {
            matches!(ty.as_ref(), Type::Reference(reference) if reference.mutability.is_none())
        }
        _ => false,
    };
    if !is_shared {
        errors.at(
            receiver.self_token.span,
            format!(
                "a hook is shared by all that use the pipeline: take `&self`, and keep what changes in an \
                 atomic or a `Mutex`; {NOT_A_HOOK}"
            ),
        );
        return None;
    }
    Some(())
}

/// What to do with a method that takes more than `&self` and is not a hook.
const NOT_A_HOOK: &str = "a method that is no hook goes in an `impl` block without `#[hook]`";

/// Checks the whole `impl` block.
pub(super) fn block(block: &ItemImpl, errors: &mut Errors) {
    if let Some((path, _)) = &block.trait_ {
        errors.at(
            path.span(),
            "`#[hook]` goes on an `impl` block of the type itself: a trait's methods are not hooks",
        );
    }
}

/// Reports `#[hook(…)]` on a method that handles nothing.
pub(super) fn method_is_no_handler(at: Span, errors: &mut Errors) {
    errors.at(
        at,
        "this method handles no event: a hook takes `&self` and then the event, as `&BeforeToolCall`",
    );
}

/// Checks all handlers of an `impl` block.
pub(super) fn handlers(block: &ItemImpl, handlers: &[Handler], errors: &mut Errors) {
    let has_methods = block.items.iter().any(|item| {
        matches!(item, syn::ImplItem::Fn(method)
            if method.sig.receiver().is_some() && method.sig.inputs.len() > 1)
    });
    if !has_methods && block.trait_.is_none() {
        errors.at(
            block.self_ty.span(),
            "this `impl` block handles no event: write a method that takes `&self` and an event, as \
             `fn check(&self, call: &BeforeToolCall)`",
        );
    }
    for (nth, handler) in handlers.iter().enumerate() {
        if !handler.cfgs.is_empty() {
            continue;
        }
        let twin = handlers[..nth].iter().find(|other| {
            other.cfgs.is_empty()
                && handler.is_around() == other.is_around()
                && handler.event.text() == other.event.text()
        });
        if let Some(twin) = twin {
            let message = match &handler.event {
                Handled::One { .. } => format!(
                    "`{}` handles this event already: a hook answers an event once",
                    twin.function
                ),
                Handled::Every { .. } => format!(
                    "`{}` is given every event already: a hook with `every` has one method",
                    twin.function
                ),
            };
            errors.at(handler.event.span(), message);
        }
    }
}

/// Reports the wrong number of parameters.
pub(super) fn parameters(signature: &Signature, parameters: &[&Type], errors: &mut Errors) {
    match parameters.get(2) {
        None => errors.at(
            signature.ident.span(),
            "a hook takes the event that it handles: write `event: &BeforeToolCall`",
        ),
        Some(third) if signature.receiver().is_some() => errors.at(
            referent(third).span(),
            format!(
                "a hook takes one event, and before it, if wanted, the context: for several events write \
                 a method for each; {NOT_A_HOOK}"
            ),
        ),
        Some(third) => errors.at(
            referent(third).span(),
            "a hook takes one event, and before it, if wanted, the context: for several events write \
             `#[hook]` on an `impl` block with a method for each",
        ),
    }
}

/// Checks the first of two parameters.
pub(super) fn context(context: &Type, event: &Type, errors: &mut Errors) -> Option<Type> {
    match context {
        Type::Reference(reference) if reference.mutability.is_none() => {
            Some((*reference.elem).clone())
        }
        Type::Reference(reference) => {
            errors.at(
                reference.mutability.span(),
                "all hooks read the same context: take it by `&`, as `cx: &AgentContext`",
            );
            None
        }
        other if matches!(event, Type::Reference(_)) => {
            errors.at(
                other.span(),
                "what stands before the event is the context, by reference: write `cx: &AgentContext`; if \
                 this is the event, the context goes before it",
            );
            None
        }
        other => {
            errors.at(
                other.span(),
                "what stands before the event is the context, by reference: write `cx: &AgentContext`",
            );
            None
        }
    }
}

/// Checks the event's parameter.
pub(super) fn event<'t>(
    event: &'t Type,
    signature: &Signature,
    errors: &mut Errors,
) -> Option<&'t TypeReference> {
    match event {
        // `signature` reports it.
        ty if matches!(referent(ty), Type::ImplTrait(_)) => None,
        ty if is_plain_data(referent(ty)) => {
            let referent = referent(ty);
            let name = referent.to_token_stream().to_string().replace(' ', "");
            let or = match signature.receiver() {
                Some(_) => NOT_A_HOOK,
                None => {
                    "a hook takes the payload of a variant of an enum with `#[derive(HookEvent)]`, by \
                     reference, as `&BeforeToolCall`"
                }
            };
            errors.at(referent.span(), format!("`{name}` is not an event: {or}"));
            None
        }
        Type::Reference(reference) => Some(reference),
        other => {
            let ty = other.to_token_stream().to_string().replace(' ', "");
            let or = match signature.receiver() {
                Some(_) => NOT_A_HOOK,
                None => "a hook on all events of a vocabulary is written `#[hook(every)]`",
            };
            errors.at(
                other.span(),
                format!(
                    "a hook takes its event by reference: write `&{ty}`, or `&mut {ty}` to change it; {or}"
                ),
            );
            None
        }
    }
}

/// Whether a type cannot be a payload: the types of the language and its prelude.
fn is_plain_data(ty: &Type) -> bool {
    const PLAIN: [&str; 22] = [
        "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32",
        "i64", "i128", "isize", "f32", "f64", "String", "Vec", "Option", "Result", "Box",
    ];
    match ty {
        Type::Path(path) if path.qself.is_none() && path.path.segments.len() == 1 => path
            .path
            .segments
            .first()
            .is_some_and(|only| PLAIN.iter().any(|plain| only.ident == plain)),
        Type::Slice(_) | Type::Array(_) | Type::Tuple(_) | Type::FnPtr(_) => true,
        _ => false,
    }
}

/// Checks the lifetime of the event's reference, which is not the event's own: the event outlives the dispatch. rustc
/// suggests one lifetime for both if a return type names neither.
pub(super) fn one_lifetime_for_both(
    event: &TypeReference,
    signature: &Signature,
    errors: &mut Errors,
) {
    if let Some(lifetime) = &event.lifetime
        && let ReturnType::Type(_, returned) = &signature.output
        && lifetimes::mentions(&event.elem, lifetime)
        && lifetimes::mentions(returned, lifetime)
    {
        let ty = event.elem.to_token_stream().to_string().replace(' ', "");
        errors.at(
            lifetime.span(),
            format!("the event is borrowed for less than its own lifetime: write `&{ty}`"),
        );
    }
}

/// Checks the parameter of a hook with `every`.
pub(super) fn view<'t>(view: &'t Type, errors: &mut Errors) -> Option<&'t Type> {
    if let Type::Reference(reference) = view {
        errors.at(
            reference.span(),
            "a hook with `every` takes the vocabulary's enum by value: write `event: AgentEvent<'_>`, or \
             `event: AgentEventMut<'_>` to change it or to decide; a hook on one event goes without `every`, \
             and in a block of its own",
        );
        return None;
    }
    let borrows = !matches!(view, Type::Path(path)
        if path.path.segments.last().is_some_and(|last| last.arguments.is_none()));
    if !borrows {
        errors.at(
            view.span(),
            "a hook with `every` takes the vocabulary's enum, which borrows the event: write \
             `event: AgentEvent<'_>`",
        );
        return None;
    }
    any_lifetime(&AnyLifetime::new(view.clone(), "event"), errors);
    Some(view)
}

/// Checks the parameter for the decision.
pub(super) fn decision(
    decision: &Type,
    signature: &Signature,
    hook: &HookOptions,
    errors: &mut Errors,
) -> Option<()> {
    if !hook.every {
        errors.at(
            decision.span(),
            "what was decided is told to hooks that look at everything: write `#[hook(every)]`, and take \
             `event: AgentEvent<'_>`",
        );
        return None;
    }
    if let Some(token) = &signature.asyncness {
        errors.at(
            token.span(),
            "a hook that is told of decisions is a plain `fn`: what takes long goes to a task or a thread",
        );
        return None;
    }
    Some(())
}

/// The type of the witness, from the parameter after the decision: `W` of `Option<&W>`.
pub(super) fn witness(parameter: &Type, errors: &mut Errors) -> Option<Type> {
    if let Type::Path(path) = parameter
        && let Some(last) = path.path.segments.last()
        && last.ident == "Option"
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(Type::Reference(reference))) = arguments.args.first()
        && reference.mutability.is_none()
    {
        return Some((*reference.elem).clone());
    }
    errors.at(
        parameter.span(),
        "after the decision comes what a witness has seen of the changes to the event: write \
         `seen: Option<&Seen>`, where `Seen` implements `Witness`",
    );
    None
}

/// Checks the parameter for the work, and the option that belongs to it.
pub(super) fn around(
    next: Option<&Type>,
    option: Option<&Around>,
    signature: &Signature,
    hook: &HookOptions,
    errors: &mut Errors,
) -> Option<()> {
    match (next, option) {
        (None, None) => return Some(()),
        (Some(next), None) => {
            errors.at(
                next.span(),
                "`Next` is for a hook that stands around the work: write `#[hook(around)]`",
            );
            return None;
        }
        (None, Some(option)) => {
            errors.at(
                option.span,
                "a hook with `around` takes the work as its last parameter: write \
                 `mut next: Next<'_, BeforeToolCall>`, and `next.run().await` in its middle",
            );
            return None;
        }
        (Some(_), Some(_)) => {}
    }
    if hook.every {
        errors.at(
            signature.ident.span(),
            "`every` and `around` do not go together: a hook stands around the work of one event",
        );
        return None;
    }
    if signature.asyncness.is_none() {
        errors.at(
            signature.fn_token.span,
            "a hook with `around` awaits the work: write `async fn`",
        );
        return None;
    }
    Some(())
}

/// Checks that a hook takes its event with any lifetime.
pub(super) fn any_lifetime(ty: &AnyLifetime, errors: &mut Errors) {
    if let Some(fixed) = &ty.fixed {
        errors.at(
            fixed.span(),
            "a hook sees its event for as long as the dispatch lasts, not for `'static`: write `'_`",
        );
    }
}

/// Checks that a priority or name uses no parameter of the `impl` block: it is the same for all values of the type.
fn of_the_whole_type(hook: &Hook, options: &HookOptions, errors: &mut Errors) {
    let parameters: Vec<_> = hook
        .generics
        .params
        .iter()
        .filter_map(|parameter| match parameter {
            GenericParam::Type(ty) => Some(&ty.ident),
            GenericParam::Const(constant) => Some(&constant.ident),
            GenericParam::Lifetime(_) => None,
        })
        .collect();
    let ty = &hook.ty;
    for value in [&options.priority, &options.name].into_iter().flatten() {
        let Some(found) = first_ident(value.to_token_stream(), &|ident| {
            ident == "Self" || parameters.contains(&ident)
        }) else {
            continue;
        };
        errors.at(
            found.span(),
            if found == "Self" {
                let ty = ty.to_token_stream().to_string().replace(' ', "");
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

/// The first identifier, at any depth, for which a predicate holds.
fn first_ident(tokens: TokenStream, is_wanted: &dyn Fn(&Ident) -> bool) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) => is_wanted(&ident).then_some(ident),
        TokenTree::Group(group) => first_ident(group.stream(), is_wanted),
        _ => None,
    })
}

/// Checks the options against each other, and against the hook.
pub(super) fn hook(hook: &Hook, options: &HookOptions, errors: &mut Errors) {
    of_the_whole_type(hook, options, errors);
    for when in options.when.iter().chain(
        hook.handlers
            .iter()
            .filter_map(|handler| handler.options.when.as_ref())
            .filter(|_| options.when.is_none()),
    ) {
        if let Expr::Closure(closure) = when
            && !matches!(closure.inputs.len(), 1 | 2)
        {
            errors.at(
                closure.span(),
                "a predicate takes the event, and before it, if wanted, the context: write `|event| …` or \
                 `|cx, event| …`",
            );
        }
    }
    match (&options.every, &options.vocabulary) {
        (false, Some(path)) => errors.at(
            path.span(),
            "`vocabulary` goes with `every`: a hook on one event has that event's vocabulary",
        ),
        (true, _) => {
            if let Some(only) = &options.only {
                errors.at(
                    only.span,
                    "`only(…)` goes with one event, and `every` is for all: match on the event in the hook",
                );
            }
            if let Some(when) = &options.when {
                errors.at(
                    when.span(),
                    "`when` goes with one event, and `every` is for all: match on the event in the hook",
                );
            }
            let only_looks = hook.handlers.iter().any(|handler| handler.takes_decision);
            let block = [options.on_panic, options.on_timeout].into_iter().flatten();
            for block in block.filter(|policy| only_looks && policy.choice == Choice::Block) {
                errors.at(
                    block.span,
                    "a hook that is told of decisions only looks, so it cannot block: write `skip`",
                );
            }
        }
        (false, None) => {}
    }
    if let Some(timeout) = &options.timeout
        && !hook.handlers.is_empty()
        && !hook.handlers.iter().any(|handler| handler.is_async)
    {
        errors.at(timeout.span, SYNCHRONOUS);
    }
    for handler in &hook.handlers {
        let own = &handler.options;
        if let Some(timeout) = &own.timeout
            && options.timeout.is_none()
            && !handler.is_async
        {
            errors.at(timeout.span, SYNCHRONOUS);
        }
    }
    for handler in hook.handlers.iter().filter(|handler| handler.is_around()) {
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
        if let Handled::One {
            is_mut: true, span, ..
        } = &handler.event
        {
            errors.at(
                *span,
                "a hook with `around` looks at the event, which the work borrows: take it by `&`, and change it \
                 in a hook without `around`",
            );
        }
    }
    let policies = hook.handlers.iter().map(|handler| &handler.options);
    let without_timeout = policies
        .filter(|own| own.timeout.is_none())
        .find_map(|own| own.on_timeout);
    if let Some(policy) = without_timeout {
        errors.at(
            policy.option,
            "`on_timeout` without `timeout`: say how long the hook may take, as `timeout = \"2s\"`",
        );
    }
}

const SYNCHRONOUS: &str = "`timeout` needs an `async fn`: a synchronous hook runs to its end before anything \
                           can stop it";

impl Handled {
    pub(super) fn span(&self) -> Span {
        match self {
            Handled::One { written, .. } => written.ty.span(),
            Handled::Every { view, .. } => view.span(),
        }
    }

    fn text(&self) -> String {
        match self {
            Handled::One { written, .. } => written.for_static().to_token_stream().to_string(),
            Handled::Every { .. } => String::new(),
        }
    }
}
