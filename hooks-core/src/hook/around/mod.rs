//! Hooks around the work that follows an event: a tool call or a model call.
//!
//! A hook with `#[hook(around)]` is an `async fn` that receives the event and [`Next`]. It awaits `next.run()` in its
//! middle, so it can hold a permit, a span or a transaction while the work runs. It may also run the work again, or
//! not at all.
//!
//! # How it works without a box
//!
//! `next.run()` does not contain the work. It requests the work: it leaves a note in a [`WorkSlot`]. The driver that
//! polls the hook reads the note, starts the work, polls it, and puts its output into the slot. So the hook's future
//! does not depend on the type of the work. It is `Send` even if the compiler cannot show that the work's future is,
//! and the hook is an ordinary function, not a generic one. Hook, slot and work lie side by side in the driver's own
//! future: nothing is boxed or spawned, and dropping that future drops all of it.
//!
//! | file | holds |
//! | --- | --- |
//! | `work` | the output of the work, and how it says that hooks have refused the work |
//! | `slot` | the note, and how a driver reads it |
//! | `next` | [`Next`], what a hook receives |
//! | `steps` | runs a hook as its mode requires |

mod next;
mod slot;
mod steps;
mod work;

pub use self::next::Next;
pub(crate) use self::slot::{Lock, Room, drive};
pub use self::steps::{Around, Wraps};
pub(crate) use self::steps::{WrapStep, around_all, enter, room_of, wraps};
pub use self::work::{HasWork, Output, Refused, Unknown, WorkOf};
use crate::event::Context;

/// Runs work with the hooks around it. A macro for the same reason as [`drive!`].
macro_rules! around {
    ($E:ty, $hooks:expr, $cx:expr, $event:expr, $start:expr) => {{
        let (hooks, cx, event) = ($hooks, $cx, $event);
        if $crate::hook::wraps::<$E, _>(hooks) {
            let room = $crate::hook::room_of::<$E, _>(hooks);
            let around = $crate::hook::enter(hooks, cx, event, &room, None);
            $crate::hook::drive!(&room, around, $start)
        } else {
            $start.await
        }
    }};
}
#[cfg(feature = "agent")]
pub(crate) use around;

/// Runs `work` with the hooks around it. Hooks of higher priority are farther out.
///
/// It clones and calls `work` each time a hook runs it. Without the feature `std`, it calls `work` once.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall, ToolOutput};
/// use hooks_core::{Next, hook, hooks, wrap_around};
///
/// #[hook(around)]
/// async fn shout(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
///     let output = next.run().await;
///     ToolOutput::new(output.content.to_uppercase())
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let (cx, call) = (AgentContext::new("s1"), BeforeToolCall::default());
/// let output = wrap_around(&hooks![shout], &cx, &call, async || ToolOutput::new("done")).await;
/// assert_eq!(output.content, "DONE");
/// # }
/// ```
// Not a trait method: its future would have to be declared `Send`, which `work` need not be.
#[inline]
pub async fn wrap_around<E: HasWork, H: Wraps<E>>(
    hooks: &H,
    cx: &Context<E>,
    event: &E,
    work: impl AsyncFnOnce() -> E::Work + Clone,
) -> E::Work {
    around!(E, hooks, cx, event, work.clone()())
}
