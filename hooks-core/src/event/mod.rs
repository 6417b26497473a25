//! Events: what happens, and what its hooks may do.
//!
//! A vocabulary is an enum. Each of its variants borrows one payload, and that payload is the event.
//! [`#[derive(HookEvent)]`](crate::HookEvent) on the enum implements everything in this module. You name these traits
//! in bounds and see them in compiler messages; you do not implement them by hand.
//!
//! | file | holds |
//! | --- | --- |
//! | `vocabulary` | [`Vocabulary`], the set of all events of one kind of agent |
//! | `kind` | [`Kind`]: whether hooks [`Observe`] or [`Intercept`] an event |
//! | `rights` | marker traits for what hooks may do to an event; anything else does not compile |
//! | `slot` | where an event is in its vocabulary, as a type |
//! | `answers` | which hook handles which event, as a type |
//! | `named` | the type that a hook names as its event, checked once |
//! | `set` | [`EventSet`], the same at run time |
//! | `info` | [`EventInfo`], a row of the table of all events |
//!
//! This module does not depend on hooks or dispatch.

mod answers;
mod info;
mod kind;
mod named;
mod rights;
mod set;
mod slot;
mod vocabulary;

pub(crate) use self::answers::{Answers, Many, Skip, Within};
pub use self::answers::{Both, Every, Mode, On, OnMany, One};
pub use self::info::EventInfo;
pub use self::kind::{Access, Decisive, Intercept, Kind, Observe};
pub use self::named::{If, Returned};
pub use self::rights::{
    Blockable, CanSave, CannotSave, Intercepted, Observed, Patch, Respondable, Saving, Subject,
};
pub use self::set::EventSet;
pub use self::slot::Nibble;
pub(crate) use self::slot::Slot;
pub use self::vocabulary::{
    Agreed, AnyVocabulary, Context, ContextOf, Reads, SharesVocabulary, Speaks, Vocabulary,
};

/// An event: the payload of one variant of a vocabulary.
///
/// ```
/// use hooks_core::Event;
/// use hooks_core::agent::{BeforeToolCall, LlmDelta};
///
/// fn name_of<E: Event>(_: &E) -> &'static str {
///     E::NAME
/// }
/// assert_eq!(name_of(&BeforeToolCall::default()), "BeforeToolCall");
/// assert_eq!(name_of(&LlmDelta::default()), "LlmDelta");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event",
    label = "not an event",
    note = "an event is the payload of a variant of an enum with `#[derive(HookEvent)]`; it is \
            taken by reference, and after the context: `fn hook(cx: &AgentContext, call: &BeforeToolCall)`, \
            `hooks.observe(&cx, &event)`",
    note = "the enum itself is taken by value, by a hook on all of its events: write `#[hook(every)]`, and \
            `event: AgentEvent<'_>` to look, or `event: AgentEventMut<'_>` to decide"
)]
pub trait Event: Sized + Send + Sync {
    /// The enum that the event belongs to.
    type Vocabulary: Vocabulary + 'static;
    /// Whether hooks observe or intercept it.
    type Kind: Kind;
    /// What a hook may respond instead of the agent; [`Infallible`](core::convert::Infallible) if no hook can
    /// respond.
    type Response: Send;
    /// What [`HookAction::modify`](crate::HookAction::modify) takes: the event itself, unless the derive is given
    /// `patch = …`.
    type Patch: Patch<Self> + Send;
    /// The event's name, which is the name of its variant.
    const NAME: &'static str;

    /// `#[hook]` expands to code that reads this before any other item of an event: see [`If`].
    #[doc(hidden)]
    const IS_EVENT: bool = true;
    /// Its row in the table of all events.
    #[doc(hidden)]
    const INFO: &'static EventInfo;
    #[doc(hidden)]
    type Slot: Slot;
    /// The same event with another lifetime.
    #[doc(hidden)]
    type At<'x>: Event<Vocabulary = Self::Vocabulary, Kind = Self::Kind, Slot = Self::Slot>;
    /// The vocabulary's read-only view of the event.
    #[doc(hidden)]
    fn view(&self) -> <Self::Vocabulary as Vocabulary>::View<'_>;
    /// The vocabulary's view of the event that a dispatch holds.
    #[doc(hidden)]
    fn view_mut(access: Access<'_, Self>) -> <Self::Vocabulary as Vocabulary>::Mut<'_>;
    /// A copy of the event, if it is `Clone`.
    #[doc(hidden)]
    fn saved(&self) -> Option<Self>;
    /// The event's [subject](Subject), if it has one.
    #[doc(hidden)]
    fn subject_of(&self) -> Option<&str> {
        None
    }

    /// Reads the event that a dispatch holds.
    #[doc(hidden)]
    #[inline(always)]
    fn look(access: Access<'_, Self>) -> &Self {
        Self::Kind::look::<Self>(access)
    }

    /// Reads the event that a dispatch holds, and goes on holding it.
    #[doc(hidden)]
    #[inline(always)]
    fn peek<'l>(access: &'l Access<'_, Self>) -> &'l Self {
        Self::Kind::peek::<Self>(access)
    }

    /// Lends the event that a dispatch holds.
    #[doc(hidden)]
    #[inline(always)]
    fn lend<'l>(access: &'l mut Access<'_, Self>) -> Access<'l, Self> {
        Self::Kind::lend::<Self>(access)
    }
}
