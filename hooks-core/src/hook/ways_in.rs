//! The methods that an agent calls on its hooks.
//!
//! rustc shows the first line of a method whose arguments do not fit. Hence the comments on those lines.

use core::future::Future;

use super::{Hook, Listening, ModeOf, Step, StepNow};
use crate::decision::{Decides, HookResult, Outcome, Told, WitnessesOf};
use crate::event::{
    Access, Context, Event, Intercept, Intercepted, Observe, Observed, SharesVocabulary,
};

/// Hooks that can receive the observed event `E`.
///
/// ```
/// use hooks_core::agent::{AgentContext, LlmDelta};
/// use hooks_core::{Observes, hooks};
///
/// async fn stream(hooks: impl for<'a> Observes<LlmDelta<'a>>, text: &str) {
///     let delta = LlmDelta { text, ..Default::default() };
///     hooks.observe(&AgentContext::new("s1"), &delta).await;
/// }
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// stream(hooks![], "Hello").await;
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "these hooks are not on the events of the vocabulary that `{E}` is in",
    label = "belongs to another vocabulary",
    note = "the hooks of one list, of one `then`, and the events that they are given, share one vocabulary: \
            make one pipeline for each"
)]
pub trait Observes<E: Observed>: Hook {
    /// Runs all hooks. Asynchronous hooks run concurrently, and no hook can stop another.
    fn observe<'a>(&'a self, cx: &'a Context<E>, event: &'a E) -> impl Future<Output = ()> + Send;
}

/// Hooks that can handle the intercepted event `E`.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeStop};
/// use hooks_core::{Intercepts, hooks};
///
/// async fn may_stop(hooks: impl Intercepts<BeforeStop>) -> bool {
///     hooks.intercept(&AgentContext::new("s1"), &mut BeforeStop::default()).await.is_continue()
/// }
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// assert!(may_stop(hooks![]).await);
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "these hooks are not on the events of the vocabulary that `{E}` is in",
    label = "belongs to another vocabulary",
    note = "the hooks of one list, of one `then`, and the events that they are given, share one vocabulary: \
            make one pipeline for each"
)]
pub trait Intercepts<E: Intercepted>: Hook {
    /// Runs the hooks in order, until one blocks, responds or aborts. Hooks change the event in place.
    fn intercept<'a /* `.intercept(&cx, &mut event)` */>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> impl Future<Output = HookResult<E>> + Send;

    /// Tells the hooks that one before all of them has decided.
    #[doc(hidden)]
    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>);

    /// Asks for the witnesses that the hooks want.
    #[doc(hidden)]
    fn listen(&self, witnesses: &mut WitnessesOf<E>);

    /// Runs the hooks with witnesses.
    #[doc(hidden)]
    fn witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a mut E,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> impl Future<Output = HookResult<E>> + Send;
}

/// Hooks that are all synchronous on the observed event `E`.
///
/// ```
/// use hooks_core::agent::{AgentContext, HeartbeatTick};
/// use hooks_core::{ObservesNow, hook, hooks};
///
/// #[hook]
/// fn beat(_: &HeartbeatTick) { println!("tick"); }
///
/// fn tick(hooks: impl ObservesNow<HeartbeatTick>) {
///     hooks.observe_now(&AgentContext::new("s1"), &HeartbeatTick);
/// }
/// tick(hooks![beat]);
/// ```
#[diagnostic::on_unimplemented(
    message = "the hooks in `{Self}` are not known to answer `{E}` without being awaited",
    label = "one of the hooks on this event may be `async`",
    note = "write `.observe(&cx, &event).await`; where hooks are a type parameter, `AgentHooksNow` in the place of \
            `AgentHooks` takes only hooks that are plain `fn`s"
)]
pub trait ObservesNow<E: Observed>: Hook {
    /// Like [`Observes::observe`], without an executor.
    fn observe_now<'a>(&'a self, cx: &'a Context<E>, event: &'a E);
}

/// Hooks that are all synchronous on the intercepted event `E`.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::{InterceptsNow, hook};
///
/// #[hook]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// let mut call = BeforeToolCall { name: "Shell".into(), ..Default::default() };
/// assert!(lower.intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
/// assert_eq!(call.name, "shell");
/// ```
#[diagnostic::on_unimplemented(
    message = "the hooks in `{Self}` are not known to answer `{E}` without being awaited",
    label = "one of the hooks on this event may be `async`",
    note = "write `.intercept(&cx, &mut event).await`; where hooks are a type parameter, `AgentHooksNow` in the place of \
            `AgentHooks` takes only hooks that are plain `fn`s"
)]
pub trait InterceptsNow<E: Intercepted>: Hook {
    /// Like [`Intercepts::intercept`], without an executor.
    fn intercept_now<'a /* `.intercept_now(&cx, &mut event)` */>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> HookResult<E>;

    /// Tells the hooks that one before all of them has decided.
    #[doc(hidden)]
    fn decided_now<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>);

    /// Asks for the witnesses that the hooks want.
    #[doc(hidden)]
    fn listen_now(&self, witnesses: &mut WitnessesOf<E>);

    /// Runs the hooks with witnesses.
    #[doc(hidden)]
    fn witnessed_now<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a mut E,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> HookResult<E>;
}

#[diagnostic::do_not_recommend]
impl<E: Observed, H: Hook> Observes<E> for H
where
    H::Vocabulary: SharesVocabulary<E::Vocabulary>,
    ModeOf<H, E>: Step<H, E>,
{
    #[inline]
    fn observe<'a>(&'a self, cx: &'a Context<E>, event: &'a E) -> impl Future<Output = ()> + Send {
        <ModeOf<H, E> as Step<H, E>>::whole(self, cx, event)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Intercepted, H: Hook> Intercepts<E> for H
where
    H::Vocabulary: SharesVocabulary<E::Vocabulary>,
    ModeOf<H, E>: Step<H, E>,
{
    #[inline]
    fn intercept<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> impl Future<Output = HookResult<E>> + Send {
        H::Listens::enter::<ModeOf<H, E>, H, E>(self, cx, event)
    }

    #[inline]
    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>) {
        <ModeOf<H, E> as Step<H, E>>::decided(self, cx, event, told);
    }

    #[inline]
    fn listen(&self, witnesses: &mut WitnessesOf<E>) {
        <ModeOf<H, E> as Step<H, E>>::listen(self, witnesses);
    }

    fn witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a mut E,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> impl Future<Output = HookResult<E>> + Send {
        <ModeOf<H, E> as Step<H, E>>::witnessed(self, cx, event, witnesses)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Observed, H: Hook> ObservesNow<E> for H
where
    H::Vocabulary: SharesVocabulary<E::Vocabulary>,
    ModeOf<H, E>: StepNow<H, E>,
{
    #[inline]
    fn observe_now<'a>(&'a self, cx: &'a Context<E>, event: &'a E) {
        <ModeOf<H, E> as StepNow<H, E>>::step(self, cx, event);
    }
}

#[diagnostic::do_not_recommend]
impl<E: Intercepted, H: Hook> InterceptsNow<E> for H
where
    H::Vocabulary: SharesVocabulary<E::Vocabulary>,
    ModeOf<H, E>: StepNow<H, E>,
{
    #[inline]
    fn intercept_now<'a>(&'a self, cx: &'a Context<E>, event: &'a mut E) -> HookResult<E> {
        H::Listens::enter_now::<ModeOf<H, E>, H, E>(self, cx, event)
    }

    #[inline]
    fn decided_now<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>) {
        <ModeOf<H, E> as StepNow<H, E>>::decided(self, cx, event, told);
    }

    #[inline]
    fn listen_now(&self, witnesses: &mut WitnessesOf<E>) {
        <ModeOf<H, E> as StepNow<H, E>>::listen(self, witnesses);
    }

    fn witnessed_now<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a mut E,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> HookResult<E> {
        <ModeOf<H, E> as StepNow<H, E>>::witnessed(self, cx, event, witnesses)
    }
}

/// A hook that runs through its public methods for an event of the kind `K`: all that is known of an
/// `impl AgentHooks`.
#[doc(hidden)]
pub trait Asked<E: Event<Kind = K>, K: Decides>: Hook {
    /// Observes or intercepts.
    fn ask<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send;
    /// Tells the hook what an earlier hook has decided.
    fn told<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>);
    /// Asks for the witnesses that the hook wants.
    fn heeds(&self, witnesses: &mut WitnessesOf<E>);
    /// Observes, or intercepts with witnesses.
    fn ask_witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> impl Future<Output = Outcome<E>> + Send;
}

impl<E: Observed, H: Observes<E>> Asked<E, Observe> for H {
    #[inline]
    fn ask<'a>(&'a self, cx: &'a Context<E>, event: &'a E) -> impl Future<Output = ()> + Send {
        self.observe(cx, event)
    }

    /// Hooks decide nothing about an observed event.
    #[inline(always)]
    fn told<'a>(&'a self, _: &'a Context<E>, _: &'a E, _: Told<'a, E::Vocabulary>) {}

    /// Hooks change nothing in an observed event.
    #[inline(always)]
    fn heeds(&self, _: &mut WitnessesOf<E>) {}

    #[inline]
    fn ask_witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
        _: &'a mut WitnessesOf<E>,
    ) -> impl Future<Output = ()> + Send {
        self.observe(cx, event)
    }
}

impl<E: Intercepted, H: Intercepts<E>> Asked<E, Intercept> for H {
    #[inline]
    fn ask<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> impl Future<Output = HookResult<E>> + Send {
        self.intercept(cx, event)
    }

    #[inline]
    fn told<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>) {
        self.decided(cx, event, told);
    }

    #[inline]
    fn heeds(&self, witnesses: &mut WitnessesOf<E>) {
        self.listen(witnesses);
    }

    #[inline]
    fn ask_witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a mut E,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> impl Future<Output = HookResult<E>> + Send {
        self.witnessed(cx, event, witnesses)
    }
}

/// Like [`Asked`], without an executor.
#[doc(hidden)]
pub trait AskedNow<E: Event<Kind = K>, K: Decides>: Hook {
    /// Observes or intercepts.
    fn ask_now<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E>;
    /// Tells the hook what an earlier hook has decided.
    fn told_now<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>);
    /// Asks for the witnesses that the hook wants.
    fn heeds_now(&self, witnesses: &mut WitnessesOf<E>);
    /// Observes, or intercepts with witnesses.
    fn ask_witnessed_now<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> Outcome<E>;
}

impl<E: Observed, H: ObservesNow<E>> AskedNow<E, Observe> for H {
    #[inline]
    fn ask_now<'a>(&'a self, cx: &'a Context<E>, event: &'a E) {
        self.observe_now(cx, event);
    }

    #[inline(always)]
    fn told_now<'a>(&'a self, _: &'a Context<E>, _: &'a E, _: Told<'a, E::Vocabulary>) {}

    #[inline(always)]
    fn heeds_now(&self, _: &mut WitnessesOf<E>) {}

    #[inline]
    fn ask_witnessed_now<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
        _: &'a mut WitnessesOf<E>,
    ) {
        self.observe_now(cx, event);
    }
}

impl<E: Intercepted, H: InterceptsNow<E>> AskedNow<E, Intercept> for H {
    #[inline]
    fn ask_now<'a>(&'a self, cx: &'a Context<E>, event: &'a mut E) -> HookResult<E> {
        self.intercept_now(cx, event)
    }

    #[inline]
    fn told_now<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>) {
        self.decided_now(cx, event, told);
    }

    #[inline]
    fn heeds_now(&self, witnesses: &mut WitnessesOf<E>) {
        self.listen_now(witnesses);
    }

    #[inline]
    fn ask_witnessed_now<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a mut E,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> HookResult<E> {
        self.witnessed_now(cx, event, witnesses)
    }
}
