//! What a hook around the work receives.

use core::fmt;
use core::future::Future;

use super::HasWork;
use super::slot::{NextRun, WorkSlot};
use crate::decision::Name;
use crate::hook::Step;

/// What hears of hooks around the work: a probe, or a holder that knows them under another name.
pub(crate) type Tell<'a> = dyn Fn(Name<'_>, Step<'_>) + Send + Sync + 'a;

/// The work that a hook with `#[hook(around)]` wraps, together with the inner hooks.
///
/// It corresponds to `Next` in axum's middleware, and to the inner service of a tower layer. None of the five systems
/// has hooks around a call.
///
/// A [wrapper](crate::wrap::Wrapper) of the hook, such as `.timeout(…)` or `.when(…)`, holds here as well as on events, and
/// a [probe](crate::probe::Probe::around) sees the hook.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall, ToolOutput, run_tool_call};
/// use hooks_core::{Next, hook, hooks};
///
/// /// Runs a tool again, once, if it failed.
/// #[hook(around, only("fetch"))]
/// async fn retry(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
///     let output = next.run().await;
///     if output.is_error { next.run().await } else { output }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let tries = std::cell::Cell::new(0);
/// let call = BeforeToolCall { name: "fetch".into(), ..Default::default() };
/// let done = run_tool_call(&hooks![retry], &AgentContext::new("s1"), call, async |_: &BeforeToolCall| {
///     tries.set(tries.get() + 1);
///     if tries.get() == 1 { ToolOutput::error("connection reset") } else { ToolOutput::new("a page") }
/// })
/// .await
/// .unwrap();
/// assert_eq!((done.output.content.as_str(), tries.get()), ("a page", 2));
/// # }
/// ```
#[doc(alias("middleware", "layer", "wrap"))]
pub struct Next<'a, E: HasWork> {
    slot: &'a WorkSlot<E::Work>,
    told: Option<&'a Tell<'a>>,
    /// The hook that has it.
    hook: &'static str,
}

impl<E: HasWork> fmt::Debug for Next<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Next")
    }
}

impl<'a, E: HasWork> Next<'a, E> {
    pub(crate) const fn new(slot: &'a WorkSlot<E::Work>, told: Option<&'a Tell<'a>>) -> Self {
        let hook = "";
        Next { slot, told, hook }
    }

    /// The same work, for hooks of which another one hears.
    pub(crate) const fn telling<'l>(&self, told: &'l Tell<'l>) -> Next<'l, E>
    where
        'a: 'l,
    {
        Next::new(self.slot, Some(told))
    }

    /// The same once more, for another run.
    pub(crate) const fn again(&self) -> Self {
        Next::new(self.slot, self.told)
    }

    pub(super) const fn slot(&self) -> &'a WorkSlot<E::Work> {
        self.slot
    }

    /// What hears of the hooks.
    pub(crate) const fn told(&self) -> Option<&'a Tell<'a>> {
        self.told
    }

    pub(crate) fn tell(&self, hook: Name<'_>, step: Step<'_>) {
        if let Some(tell) = self.told {
            tell(hook, step);
        }
    }

    /// A hook begins.
    #[doc(hidden)]
    pub fn begins(&mut self, hook: &'static str) -> Running<'a> {
        self.hook = hook;
        self.tell(Name::Static(hook), Step::Began);
        let told = self.told;
        Running { told, hook }
    }

    /// Runs the work, and returns its output.
    ///
    /// Each call starts the work anew. Dropping the future before it is done, as a timeout does, also drops the work.
    pub fn run(&mut self) -> impl Future<Output = E::Work> + Send + use<'_, 'a, E> {
        NextRun::new(self)
    }

    /// The hook requests the work.
    pub(super) fn hands_on(&self) {
        if !self.hook.is_empty() {
            self.tell(Name::Static(self.hook), Step::HandedOn);
        }
    }
}

/// A hook around the work, while it runs.
#[doc(hidden)]
#[expect(
    missing_debug_implementations,
    reason = "only the expansion of a hook has it"
)]
pub struct Running<'a> {
    told: Option<&'a Tell<'a>>,
    hook: &'static str,
}

impl Running<'_> {
    /// The hook has ended.
    pub fn ends(mut self) {
        if let Some(tell) = self.told.take() {
            tell(Name::Static(self.hook), Step::Ended);
        }
    }
}

/// The hook is dropped before its end.
impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(tell) = self.told {
            tell(Name::Static(self.hook), Step::Dropped);
        }
    }
}
