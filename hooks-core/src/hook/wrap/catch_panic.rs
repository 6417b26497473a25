//! Catches the panics of a hook.

use super::{Inner, No, ResultOf, Wrapped, Wrapper, catch_async};
use crate::event::Vocabulary;
use crate::hook::AnyEvent;

/// What happens when a hook panics.
///
/// ZeroClaw catches the panics of all its hooks and skips those hooks.
///
/// ```
/// use hooks_core::OnPanic;
/// assert_eq!(OnPanic::default(), OnPanic::Skip);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum OnPanic {
    /// The event continues in the state that it had before the hook. The default.
    ///
    /// An event that is not `Clone` cannot be restored. After a panic, it is blocked if possible.
    #[default]
    Skip,
    /// The event is blocked, with the panic's message as the reason. An event that cannot be blocked continues in the
    /// state that it had before the hook.
    Block,
    /// The panic unwinds through the dispatch.
    Propagate,
}

/// Catches the panics of a hook, on every event: what [`Hook::on_panic`](crate::Hook::on_panic) returns.
///
/// A panic in a pipeline is one failure of all its hooks together: the hooks after the one that panicked do not run.
/// The failure has the name of the hook that panicked. Needs the feature `std`.
///
/// If a hook with `#[hook(around)]` panics, [`Skip`](OnPanic::Skip) gives the output that the work had, and runs the work
/// without the hook if it has not begun. Work that has begun and whose output is lost does not run again: its output says
/// so, as with [`Block`](OnPanic::Block). A panic of the work itself is none of the hook: it unwinds.
///
/// ```
/// use hooks_core::agent::*;
/// use hooks_core::{Hook, OnPanic, hook, hooks};
///
/// #[hook]
/// fn careless(call: &mut BeforeToolCall) {
///     call.name.clear();
///     panic!("out of luck");
/// }
///
/// let hooks = hooks![careless.on_panic(OnPanic::Skip)];
/// let mut call = BeforeToolCall { name: "shell".into(), ..Default::default() };
/// assert!(hooks.intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
/// assert_eq!(call.name, "shell");
/// ```
pub type CatchPanic<H> = Wrapped<H, OnPanic>;

impl<H> CatchPanic<H> {
    /// Catches the panics of `hook`.
    pub const fn new(hook: H, policy: OnPanic) -> Self {
        Wrapped::of(hook, policy)
    }
}

impl<V: Vocabulary> Wrapper<V> for OnPanic {
    type Waits = No;

    async fn run<E: AnyEvent<Vocabulary = V>>(&self, mut hooks: impl Inner<E>) -> ResultOf<E> {
        if *self == OnPanic::Propagate {
            return hooks.run().await;
        }
        let before = hooks.saved();
        let result = catch_async(hooks.run()).await;
        result.unwrap_or_else(|panicked| hooks.fail(before, *self == OnPanic::Block, panicked))
    }
}
