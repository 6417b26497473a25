//! Runs a hook around the work as its mode requires.

use core::future::{Future, pending};

use super::HasWork;
use super::next::{Next, Tell};
use super::slot::{Room, WorkSlot};
use crate::event::{Answers, Context, Event, One, SharesVocabulary, Skip};
use crate::hook::Hook;

/// How `H` wraps the work of `E`.
type ModeOf<H, E> = <<H as Hook>::Wraps as Answers>::At<<E as Event>::Slot>;

/// A hook around the work of `E`: the trait that `#[hook(around)]` implements.
#[doc(hidden)]
pub trait Around<E> {
    /// Whether there is such a hook, exactly, through whatever holds it.
    const WRAPS: bool = true;

    fn around<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
        next: Next<'a, E>,
    ) -> impl Future<Output = E::Work> + Send
    where
        E: HasWork;
}

/// Wraps work in `H` as its mode requires.
#[doc(hidden)]
pub trait WrapStep<H: ?Sized, E: HasWork> {
    /// Where a driver runs the work.
    type Room: Room<E::Work>;
    /// See [`Around::WRAPS`].
    const WRAPS: bool;

    /// The hook, for a driver that runs the work in the room.
    fn enter<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: &'a E,
        room: &'a Self::Room,
        told: Option<&'a Tell<'a>>,
    ) -> impl Future<Output = E::Work> + Send;

    /// Runs the work of `next`, with the hook around it.
    fn wrap<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: &'a E,
        next: Next<'a, E>,
    ) -> impl Future<Output = E::Work> + Send;
}

#[diagnostic::do_not_recommend]
impl<H: Sync + ?Sized, E: HasWork> WrapStep<H, E> for Skip {
    type Room = ();
    const WRAPS: bool = false;

    #[inline(always)]
    fn enter<'a>(
        _: &'a H,
        _: &'a Context<E>,
        _: &'a E,
        (): &'a (),
        _: Option<&'a Tell<'a>>,
    ) -> impl Future<Output = E::Work> + Send {
        pending()
    }

    async fn wrap<'a>(_: &'a H, _: &'a Context<E>, _: &'a E, mut next: Next<'a, E>) -> E::Work {
        next.run().await
    }
}

#[diagnostic::do_not_recommend]
impl<H: Around<E> + Sync + ?Sized, E: HasWork> WrapStep<H, E> for One {
    type Room = WorkSlot<E::Work>;
    const WRAPS: bool = H::WRAPS;

    fn enter<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: &'a E,
        slot: &'a WorkSlot<E::Work>,
        told: Option<&'a Tell<'a>>,
    ) -> impl Future<Output = E::Work> + Send {
        hook.around(cx, event, Next::new(slot, told))
    }

    fn wrap<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: &'a E,
        next: Next<'a, E>,
    ) -> impl Future<Output = E::Work> + Send {
        hook.around(cx, event, next)
    }
}

/// Hooks that can wrap the work of the event `E`: every hook can, though most add nothing.
///
/// `AgentHooks` requires it, so that [`run_tool_call`](crate::agent::run_tool_call) and
/// [`run_llm_call`](crate::agent::run_llm_call) find the hooks with `#[hook(around)]`. A driver of your own calls
/// [`wrap_around`](super::wrap_around).
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall, ToolOutput};
/// use hooks_core::{Wraps, hooks, wrap_around};
///
/// /// A driver for one event. It asks for no more than it needs.
/// async fn run(hooks: &impl Wraps<BeforeToolCall>, call: &BeforeToolCall) -> ToolOutput {
///     wrap_around(hooks, &AgentContext::new("s1"), call, async || ToolOutput::new("done")).await
/// }
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// assert_eq!(run(&hooks![], &BeforeToolCall::default()).await.content, "done");
/// # }
/// ```
pub trait Wraps<E: HasWork>: Hook {
    #[doc(hidden)]
    type Step: WrapStep<Self, E>;
}

impl<E: HasWork, H: Hook + ?Sized> Wraps<E> for H
where
    H::Vocabulary: SharesVocabulary<E::Vocabulary>,
    ModeOf<H, E>: WrapStep<H, E>,
{
    type Step = ModeOf<H, E>;
}

/// Whether any hook wraps the work.
#[inline(always)]
pub(crate) fn wraps<E: HasWork, H: Wraps<E> + ?Sized>(hooks: &H) -> bool {
    <H::Step as WrapStep<H, E>>::WRAPS && hooks.wrapped().contains::<E>()
}

/// Where a driver runs the work of `E` with the hooks `H` around it.
type RoomOf<H, E> = <<H as Wraps<E>>::Step as WrapStep<H, E>>::Room;

#[inline(always)]
pub(crate) fn room_of<E: HasWork, H: Wraps<E> + ?Sized>(_: &H) -> RoomOf<H, E> {
    Room::new()
}

/// The hooks around the work of `next`.
#[inline]
pub(crate) fn around_all<'a, E: HasWork, H: Wraps<E> + ?Sized>(
    hooks: &'a H,
    cx: &'a Context<E>,
    event: &'a E,
    next: Next<'a, E>,
) -> impl Future<Output = E::Work> + Send {
    <H::Step as WrapStep<H, E>>::wrap(hooks, cx, event, next)
}

/// The hooks around work that a driver runs in the room.
#[inline(always)]
pub(crate) fn enter<'a, E: HasWork, H: Wraps<E> + ?Sized>(
    hooks: &'a H,
    cx: &'a Context<E>,
    event: &'a E,
    room: &'a RoomOf<H, E>,
    told: Option<&'a Tell<'a>>,
) -> impl Future<Output = E::Work> + Send {
    <H::Step as WrapStep<H, E>>::enter(hooks, cx, event, room, told)
}
