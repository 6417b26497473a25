//! The parameters of a hook's function. Reports mistakes at the user's own token, with what to write instead.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{FnArg, ReturnType, Signature, Type, TypeReference};

use super::options::HookOptions;
use super::parse::ungrouped;
use crate::driver::{Errors, text};
use crate::lifetimes::{self, AnyLifetime};

/// What a method that is not a hook needs.
pub(super) const NOT_A_HOOK: &str =
    "a method that is not a hook goes in an `impl` block without `#[hook]`";

/// What a hook's function takes besides `self`.
pub(super) struct Parameters<'s> {
    pub(super) context: Option<Type>,
    pub(super) event: EventParameter<'s>,
    /// The work, of a hook with `around`.
    pub(super) next: Option<&'s Type>,
}

pub(super) enum EventParameter<'s> {
    One(&'s TypeReference),
    Every(&'s Type),
}

impl<'s> Parameters<'s> {
    /// Reads the parameters; `None` if they are too wrong to continue.
    pub(super) fn read(
        signature: &'s Signature,
        option: Option<Span>,
        hook: &HookOptions,
        errors: &mut Errors,
    ) -> Option<Self> {
        let mut types: Vec<&Type> = signature
            .inputs
            .iter()
            .filter_map(|input| match input {
                FnArg::Typed(typed) => Some(ungrouped(&typed.ty)),
                FnArg::Receiver(_) => None,
            })
            .collect();
        let next = types.pop_if(|last| last_segment(last).is_some_and(|name| name == "Next"));
        around(next, option, signature, errors)?;
        let (context, event) = match types.as_slice() {
            [event] => (None, *event),
            [first, event] => (Some(context(first, event, errors)?), *event),
            wrong => {
                wrong_number(signature, wrong, errors);
                return None;
            }
        };
        let event = if hook.every {
            EventParameter::Every(view(event, errors)?)
        } else {
            EventParameter::One(self::event(event, signature, errors)?)
        };
        Some(Parameters {
            context,
            event,
            next,
        })
    }
}

/// The type behind a reference, or the type itself.
pub(super) fn referent(ty: &Type) -> &Type {
    match ty {
        Type::Reference(reference) => referent(&reference.elem),
        Type::Group(group) => referent(&group.elem),
        other => other,
    }
}

/// The last name in a type's path.
pub(super) fn last_segment(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

/// Checks the parameter for the work, and the option that belongs to it.
fn around(
    next: Option<&Type>,
    option: Option<Span>,
    signature: &Signature,
    errors: &mut Errors,
) -> Option<()> {
    let (at, message) = match (next, option) {
        (Some(next), None) => (
            next.span(),
            "`Next` is for a hook that wraps the work: write `#[hook(around)]`",
        ),
        (None, Some(option)) => (
            option,
            "a hook with `around` takes the work as its last parameter: write \
             `mut next: Next<'_, BeforeToolCall>`, and `next.run().await` in its middle",
        ),
        (Some(_), Some(_)) if signature.asyncness.is_none() => (
            signature.fn_token.span,
            "a hook with `around` awaits the work: write `async fn`",
        ),
        (Some(next), Some(_)) if !has_arguments(next) => (
            next.span(),
            "`Next` is the work of one event: write `Next<'_, BeforeToolCall>`",
        ),
        _ => return Some(()),
    };
    errors.at(at, message);
    None
}

/// Whether a type's path ends with arguments in `<…>`.
fn has_arguments(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| !last.arguments.is_none()),
        _ => true,
    }
}

fn wrong_number(signature: &Signature, types: &[&Type], errors: &mut Errors) {
    let Some(third) = types.get(2) else {
        return errors.at(
            signature.ident.span(),
            "a hook takes the event that it handles: write `event: &BeforeToolCall`",
        );
    };
    let or = match signature.receiver() {
        Some(_) => format!("a method for each; {NOT_A_HOOK}"),
        None => "`#[hook]` on an `impl` block with a method for each".to_owned(),
    };
    errors.at(
        referent(third).span(),
        format!(
            "a hook takes one event, and before it, if wanted, the context: for several events write {or}"
        ),
    );
}

/// Checks the first of two parameters.
fn context(context: &Type, event: &Type, errors: &mut Errors) -> Option<Type> {
    let is_context = |ty| last_segment(referent(ty)).is_some_and(|name| name.ends_with("Context"));
    let (at, message): (Span, &str) = match context {
        _ if is_context(event) && !is_context(context) => (
            referent(event).span(),
            "the context comes before the event: swap the two",
        ),
        Type::Reference(reference) if reference.mutability.is_none() => {
            return Some((*reference.elem).clone());
        }
        Type::Reference(reference) => (
            reference.mutability.span(),
            "all hooks read the same context: take it by `&`, as `cx: &AgentContext`",
        ),
        other if matches!(event, Type::Reference(_)) => (
            other.span(),
            "the parameter before the event is the context, by reference: write `cx: &AgentContext`; if \
             this is the event, the context goes before it",
        ),
        other => (
            other.span(),
            "the parameter before the event is the context, by reference: write `cx: &AgentContext`",
        ),
    };
    errors.at(at, message);
    None
}

/// Checks the event's parameter.
fn event<'t>(
    event: &'t Type,
    signature: &Signature,
    errors: &mut Errors,
) -> Option<&'t TypeReference> {
    match event {
        // `check` reports it.
        ty if matches!(referent(ty), Type::ImplTrait(_) | Type::TraitObject(_)) => None,
        ty if is_plain_data(referent(ty)) => {
            let (referent, name) = (referent(ty), text(referent(ty)));
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
        Type::Reference(reference) => {
            lifetimes_of(reference, signature, errors);
            Some(reference)
        }
        other if is_named_as_a_vocabulary(other) => {
            errors.at(
                other.span(),
                "a hook on every event of a vocabulary is written `#[hook(every)]`; a hook on one event takes its \
                 payload by reference, as `&BeforeToolCall`",
            );
            None
        }
        other => {
            let ty = text(other);
            let or = signature.receiver().map(|_| format!("; {NOT_A_HOOK}"));
            let or = or.unwrap_or_default();
            errors.at(
                other.span(),
                format!("a hook takes its event by reference: write `&{ty}`, or `&mut {ty}` to change it{or}"),
            );
            None
        }
    }
}

/// Whether a type is probably the enum of a vocabulary, by its name.
fn is_named_as_a_vocabulary(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|name| name.ends_with("Event") || name.ends_with("EventMut"))
}

/// Whether a type cannot be a payload: the types of the language and its prelude.
fn is_plain_data(ty: &Type) -> bool {
    const PLAIN: [&str; 22] = [
        "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32",
        "i64", "i128", "isize", "f32", "f64", "String", "Vec", "Option", "Result", "Box",
    ];
    match ty {
        Type::Path(path) if path.qself.is_none() && path.path.segments.len() == 1 => {
            last_segment(ty).is_some_and(|name| PLAIN.contains(&name.as_str()))
        }
        Type::Slice(_) | Type::Array(_) | Type::Tuple(_) | Type::FnPtr(_) => true,
        _ => false,
    }
}

/// Checks the lifetimes of the event: it is seen for as long as the dispatch lasts. The lifetime of the reference is not
/// the event's own, though rustc suggests one lifetime for both if a return type names neither.
fn lifetimes_of(event: &TypeReference, signature: &Signature, errors: &mut Errors) {
    if let Some(lifetime) = &event.lifetime
        && let ReturnType::Type(_, returned) = &signature.output
        && lifetimes::mentions(&event.elem, lifetime)
        && lifetimes::mentions(returned, lifetime)
    {
        let ty = text(&event.elem);
        errors.at(
            lifetime.span(),
            format!("the event is borrowed for less than its own lifetime: write `&{ty}`"),
        );
    }
    not_static(&event.elem, errors);
}

fn not_static(ty: &Type, errors: &mut Errors) {
    if let Some(fixed) = AnyLifetime::new(ty.clone(), "event").fixed {
        errors.at(
            fixed.span(),
            "a hook sees its event for as long as the dispatch lasts, not for `'static`: write `'_`",
        );
    }
}

/// Checks the parameter of a hook with `every`.
fn view<'t>(view: &'t Type, errors: &mut Errors) -> Option<&'t Type> {
    let message = match view {
        Type::Reference(_) => {
            "a hook with `every` takes the vocabulary's enum by value: write `event: AgentEvent<'_>`, or \
             `event: AgentEventMut<'_>` to change it or to decide; a hook on one event goes without `every`, \
             and in a block of its own"
        }
        view if !has_arguments(view) => {
            "a hook with `every` takes the vocabulary's enum, which borrows the event: write \
             `event: AgentEvent<'_>`"
        }
        _ => {
            not_static(view, errors);
            return Some(view);
        }
    };
    errors.at(view.span(), message);
    None
}
