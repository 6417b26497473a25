//! Vocabularies: the events of one kind of agent, and the context that their hooks share.

use core::marker::PhantomData;

use super::{Event, EventInfo};

/// The context that hooks on `E` may read.
///
/// ```
/// use hooks_core::Context;
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
///
/// let cx: Context<BeforeToolCall> = AgentContext::new("s1");
/// ```
pub type Context<E> = <<E as Event>::Vocabulary as Vocabulary>::Context;

/// All events of one kind of agent: what `#[derive(HookEvent)]` makes of an enum.
///
/// It is implemented for the enum with any lifetime. The vocabulary of an event is the enum for `'static`.
///
/// ```
/// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
/// use hooks_core::{Event, Vocabulary};
///
/// fn context_of<E: Event>(_: &E) -> &'static str {
///     core::any::type_name::<<E::Vocabulary as Vocabulary>::Context>()
/// }
/// assert!(context_of(&BeforeToolCall::default()).ends_with("AgentContext"));
/// assert!(AgentEvent::NAMES.contains(&"BeforeToolCall"));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a vocabulary",
    label = "not a vocabulary",
    note = "a vocabulary is an enum with `#[derive(HookEvent)]`, such as `AgentEvent`, whose variants are \
            the events"
)]
pub trait Vocabulary: SharesVocabulary<Self> + Sized {
    /// What every hook may read besides the event: `#[events(context = …)]`, by default `()`.
    type Context: ContextOf<Self> + Sync;
    /// The enum for `'static`, by which the events know it.
    #[doc(hidden)]
    type Static: Vocabulary<Context = Self::Context> + 'static;
    /// The enum itself, which borrows an event for `'a`: what a hook with `every` receives.
    type View<'a>: Send;
    /// The enum that lends an event for `'a`, by `&mut` if it is intercepted: what a hook with `every` receives if it
    /// may decide.
    type Mut<'a>: Send;
    /// What a hook with `every` returns: an action on any event, such as `AgentSaid`.
    type Said: Default + Send;
    /// All events, in the order of the enum.
    const EVENTS: &'static [EventInfo];

    /// The name of the event in a view. An impl must bind the payloads to implement this, so rustc does not report
    /// the payloads of a private vocabulary as dead code.
    #[doc(hidden)]
    fn name_of(view: &Self::View<'_>) -> &'static str;
}

/// The context of the vocabulary `V`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the context of this event's vocabulary",
    label = "neither the context nor the only event",
    note = "a hook takes one event, and before it, if wanted, a reference to the vocabulary's context: \
            `&AgentContext` for the standard one, and what `#[events(context = …)]` names for others"
)]
pub trait ContextOf<V: Vocabulary> {
    #[doc(hidden)]
    fn of(context: &V::Context) -> &Self;
}

/// Implemented for two vocabularies that are the same.
#[diagnostic::on_unimplemented(
    message = "two vocabularies: `{Self}` and `{V}`",
    label = "belongs to another vocabulary",
    note = "the hooks of one list, and the events that it is given, share one vocabulary: make one \
            pipeline for each"
)]
pub trait SharesVocabulary<V> {
    #[doc(hidden)]
    type Common;

    /// The vocabulary of a list that a hook has joined.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    fn joined(_: Agreed<Self>, _: Agreed<V>) -> Agreed<Self::Common>
    where
        Self: Sized,
    {
        Agreed::NEW
    }
}

/// What the hooks of a vocabulary read when they are dispatched on an event of `V`.
///
/// rustc knows it from the hooks alone, before it looks at the event. So what points to the context, such as an `Arc`,
/// goes in as it is.
#[doc(hidden)]
pub trait Reads<V> {
    type Context;
}

#[diagnostic::do_not_recommend]
impl<V: Vocabulary> Reads<V> for AnyVocabulary {
    type Context = V::Context;
}

/// The vocabulary of a list that handles no event, such as `hooks![]`: it combines with every vocabulary.
#[derive(Debug)]
pub enum AnyVocabulary {}

#[diagnostic::do_not_recommend]
impl<V> SharesVocabulary<V> for AnyVocabulary {
    type Common = V;
}

/// The one vocabulary that a [wrapper](crate::wrap::Wrapper) or a [probe](crate::probe::Probe) of hooks is for. Hooks
/// without a vocabulary, such as `hooks![]`, have any.
#[diagnostic::on_unimplemented(
    message = "the vocabulary of these hooks is not known here",
    label = "hooks of an unknown vocabulary",
    note = "where hooks are a type parameter, take the trait of their vocabulary, such as `H: AgentHooks`"
)]
pub trait Speaks<V: Vocabulary>:
    SharesVocabulary<V, Common = V> + Reads<V, Context = V::Context>
{
}

#[diagnostic::do_not_recommend]
impl<X: Vocabulary> Speaks<X::Static> for X where
    X: SharesVocabulary<X::Static, Common = X::Static>
        + Reads<X::Static, Context = <X as Vocabulary>::Context>
{
}

#[diagnostic::do_not_recommend]
impl<V: Vocabulary> Speaks<V> for AnyVocabulary {}

/// The vocabulary that the hooks of a list have agreed on so far.
#[derive(Debug)]
pub struct Agreed<V>(PhantomData<V>);

impl<V> Agreed<V> {
    pub(crate) const NEW: Self = Agreed(PhantomData);
}

impl Agreed<AnyVocabulary> {
    /// Nothing: the vocabulary of an empty list.
    pub const NOTHING_YET: Self = Agreed::NEW;
}
