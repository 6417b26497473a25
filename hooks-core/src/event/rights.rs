//! What hooks may do to an event, as marker traits: anything else does not compile.

use super::{Access, Event, Intercept, Observe};

/// An event that hooks look at: marked `#[observe]` in its vocabulary.
///
/// ```
/// use hooks_core::agent::{AgentContext, HeartbeatTick};
/// use hooks_core::{Observed, hooks};
///
/// fn is_observed<E: Observed>(_: &E) {}
/// is_observed(&HeartbeatTick);
/// hooks![].observe_now(&AgentContext::new("s1"), &HeartbeatTick);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an observed event",
    label = "not observed",
    note = "an intercepted event is dispatched with `.intercept(&cx, &mut event)` or \
            `.intercept_now(&cx, &mut event)`, whose result tells what its hooks decided"
)]
pub trait Observed: Event<Kind = Observe> {}

#[diagnostic::do_not_recommend]
impl<E: Event<Kind = Observe>> Observed for E {}

/// An event that hooks may change, answer or stop: marked `#[intercept]` in its vocabulary.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::{Intercepted, hooks};
///
/// fn is_intercepted<E: Intercepted>(_: &E) {}
/// let mut call = BeforeToolCall::default();
/// is_intercepted(&call);
/// assert!(hooks![].intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an intercepted event",
    label = "not intercepted",
    note = "an observed event is only looked at: its hooks take it by `&` and return nothing, and \
            agents dispatch it with `.observe(&cx, &event)` or `.observe_now(&cx, &event)`"
)]
pub trait Intercepted: Event<Kind = Intercept> {
    /// The patch of the same event with another lifetime, which the type of a closure cannot name.
    #[doc(hidden)]
    fn patch_of(patch: <Self::At<'static> as Event>::Patch) -> Self::Patch;
    /// Like [`patch_of`](Self::patch_of), for a response.
    #[doc(hidden)]
    fn response_of(response: <Self::At<'static> as Event>::Response) -> Self::Response;

    /// Reborrows the event that a dispatch holds, for changes.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    fn change(access: Access<'_, Self>) -> &mut Self {
        access
    }
}

/// An intercepted event that hooks may block: one without `no_block`.
///
/// ```
/// use hooks_core::agent::BeforeToolCall;
/// use hooks_core::{Blockable, HookAction};
///
/// fn deny<E: Blockable>() -> HookAction<E> {
///     HookAction::block("not today")
/// }
/// assert!(!deny::<BeforeToolCall>().is_continue());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be blocked",
    label = "cannot be blocked",
    note = "the work of this event is done already, or the event is only observed: no hook on it may `block`, return \
            `Err`, or fail with `block`; a hook may rewrite an intercepted event, or stop more than \
            the event with `HookAction::abort_turn(…)` and `HookAction::abort_run(…)`, and a hook \
            that fails may be left out with `skip`"
)]
pub trait Blockable: Intercepted {}

/// An intercepted event that hooks may answer instead of the agent: one with `respond = …`.
///
/// ```
/// use hooks_core::agent::{BeforeToolCall, ToolOutput};
/// use hooks_core::{HookAction, Respondable};
///
/// fn answer<E: Respondable<Answer = ToolOutput>>() -> HookAction<E> {
///     HookAction::respond(ToolOutput::new("from the cache"))
/// }
/// assert!(!answer::<BeforeToolCall>().is_continue());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be answered by a hook",
    label = "no response is possible",
    note = "only an event declared with `#[intercept(respond = Answer)]` can: here a hook may change \
            the event, `HookAction::block(…)`, `abort_turn(…)` or `abort_run(…)` it"
)]
pub trait Respondable: Event<Response = Self::Answer> {
    /// The type named by `respond = …`.
    type Answer;
}

/// An event with a subject, the field that `only("glob")` and `tool("glob")` match: one with `subject = …`.
///
/// ```
/// use hooks_core::Subject;
/// use hooks_core::agent::BeforeToolCall;
///
/// let call = BeforeToolCall { name: "shell".into(), ..Default::default() };
/// assert_eq!(call.subject(), "shell");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no subject, so `only(…)` and `tool(…)` have nothing to match",
    label = "no subject",
    note = "only an event declared with `subject = field` has one, as `BeforeToolCall` has its `name`; \
            use `when = |event| …` to look at anything else"
)]
pub trait Subject: Event {
    /// The text that globs are matched against, such as the tool's name.
    fn subject(&self) -> &str;
}

/// What [`HookAction::modify`](crate::HookAction::modify) takes for the event `E`: a change, and how to apply it.
///
/// Implement it for the type named by `#[intercept(patch = …)]`. Every event is a patch of itself, which replaces the
/// whole event.
///
/// ```
/// use hooks_core::{HookAction, HookEvent, Patch, hook, hooks};
///
/// #[derive(Debug)]
/// pub struct Cart { pub total: u32 }
/// pub struct Coupon { pub percent: u32 }
///
/// impl Patch<Cart> for Coupon {
///     fn apply(self, cart: &mut Cart) {
///         cart.total -= cart.total * self.percent / 100;
///     }
/// }
///
/// #[derive(HookEvent)]
/// pub enum ShopEvent<'a> {
///     #[intercept(patch = Coupon)]
///     Checkout(&'a Cart),
/// }
///
/// #[hook]
/// fn happy_hour(_: &Cart) -> HookAction<Cart> {
///     HookAction::modify(Coupon { percent: 10 })
/// }
///
/// let mut cart = Cart { total: 200 };
/// assert!(hooks![happy_hour].intercept_now(&(), &mut cart).is_continue());
/// assert_eq!(cart.total, 180);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a patch of `{E}`",
    label = "not a patch of `{E}`",
    note = "what `patch = …` names says how it changes the event: write \
            `impl Patch<{E}> for {Self} {{ fn apply(self, event: &mut {E}) {{ … }} }}`"
)]
pub trait Patch<E> {
    /// Applies the change.
    fn apply(self, event: &mut E);
}

#[diagnostic::do_not_recommend]
impl<E: Event> Patch<E> for E {
    fn apply(self, event: &mut E) {
        *event = self;
    }
}

/// Copies an event if it is `Clone`, and returns `None` if it is not. The derive calls `(&Saving(event)).save()`, and
/// method resolution prefers [`CanSave`] if it applies.
#[doc(hidden)]
#[derive(Debug)]
pub struct Saving<'e, E>(pub &'e E);

#[doc(hidden)]
pub trait CanSave {
    type Event;
    fn save(&self) -> Option<Self::Event>;
}

impl<E: Clone> CanSave for Saving<'_, E> {
    type Event = E;
    fn save(&self) -> Option<E> {
        Some(self.0.clone())
    }
}

#[doc(hidden)]
pub trait CannotSave {
    type Event;
    fn save(&self) -> Option<Self::Event>;
}

impl<E> CannotSave for &Saving<'_, E> {
    type Event = E;
    fn save(&self) -> Option<E> {
        None
    }
}
