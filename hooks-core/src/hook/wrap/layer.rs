//! A wrapper around the hooks with `#[hook(around)]`.
//!
//! The wrapper's one method runs once more, around these hooks and the work in them. So it decides whether they run and
//! for how long, and what happens if they fail. The work then has an output of theirs, or runs without them, or is
//! refused.

use alloc::borrow::Cow;
use core::cell::Cell;
use core::fmt::Display;

use super::{Inner, ResultOf, Saved, Wrapped, Wrapper};
use crate::decision::{Cancel, HookResult, Name};
use crate::event::Context;
use crate::hook::{
    Around, HasWork, Lock, Next, Step, WrapStep, Wraps, drive, enter, room_of, wraps,
};

const LOST: &str = "the work had begun, and its output is lost";

/// What has become of the work.
enum Came<W> {
    /// It has not begun.
    NotBegun,
    /// It has begun, and its output is gone.
    Lost,
    /// Its output.
    Output(W),
}

/// The hooks around the work, inside a wrapper.
struct Layer<'a, H: ?Sized, E: HasWork> {
    hook: &'a H,
    cx: &'a Context<E>,
    event: &'a E,
    next: &'a Next<'a, E>,
    came: &'a mut Came<E::Work>,
    /// The wrapper wants to restore what a failed hook has done, so a copy of the work's output is kept.
    keeps: Cell<bool>,
    /// The hook that began last.
    running: Lock<Option<Cow<'static, str>>>,
}

impl<H: Wraps<E> + ?Sized, E: HasWork> Inner<E> for Layer<'_, H, E> {
    async fn run(&mut self) -> ResultOf<E> {
        let (next, came, running) = (self.next, &mut *self.came, &self.running);
        let copied = E::COPIED.filter(|_| self.keeps.get());
        let told = |hook: Name<'_>, step: Step<'_>| {
            if let Step::Began = step {
                running.with(|running| *running = Some(hook.owned()));
            }
            next.tell(hook, step);
        };
        let room = room_of::<E, H>(self.hook);
        let around = enter(self.hook, self.cx, self.event, &room, Some(&told));
        let output = drive!(&room, around, async {
            *came = Came::Lost;
            let output = next.again().run().await;
            if let Some(copied) = copied {
                *came = Came::Output(copied(&output));
            }
            output
        });
        *came = Came::Output(output);
        HookResult::Continue
    }

    /// Work cannot be done on a copy, so the hooks do not run.
    async fn run_on(&mut self, _: &mut E) -> ResultOf<E> {
        HookResult::Continue
    }

    fn cx(&self) -> &Context<E> {
        self.cx
    }

    fn event(&self) -> &E {
        self.event
    }

    fn saved(&self) -> Saved<E> {
        self.keeps.set(true);
        Saved::Lost
    }

    fn hook(&self) -> Cow<'static, str> {
        let running = self.running.with(|running| running.clone());
        running.unwrap_or_else(|| self.hook.name().owned())
    }

    fn is_now(&self) -> bool {
        false
    }

    fn judges(&self) -> bool {
        false
    }

    fn is_around(&self) -> bool {
        true
    }

    fn fail(&mut self, _: Saved<E>, block: bool, failure: impl Display) -> ResultOf<E> {
        let hook = self.hook();
        self.next.tell(Name::of(&hook), Step::Failed(&failure));
        match self.came {
            _ if block => HookResult::Cancel(Cancel::of(hook, &failure)),
            Came::Lost => HookResult::Cancel(Cancel::of(hook, &format_args!("{failure}; {LOST}"))),
            Came::NotBegun | Came::Output(_) => HookResult::failed(false, hook, failure),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<E, H, L> Around<E> for Wrapped<H, L>
where
    E: HasWork,
    H: Wraps<E>,
    L: Wrapper<E::Vocabulary>,
{
    const WRAPS: bool = <H::Step as WrapStep<H, E>>::WRAPS;

    async fn around<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
        mut next: Next<'a, E>,
    ) -> E::Work {
        const {
            assert!(
                E::REFUSED.is_some() || !L::FAILS || !<H::Step as WrapStep<H, E>>::WRAPS,
                "a wrapper around a hook with `#[hook(around)]` may fail, and the output of the work cannot say so: \
                 in `#[intercept(around = Type)]`, write a `Result` whose error is `From<Cancel>`, or write \
                 `impl hooks_core::Refused for Type`"
            );
        }
        if !wraps::<E, H>(&self.hook) {
            return next.run().await;
        }
        let mut came = Came::NotBegun;
        let layer = Layer {
            hook: &self.hook,
            cx,
            event,
            next: &next,
            came: &mut came,
            keeps: Cell::new(false),
            running: Lock::default(),
        };
        let cancel = match (self.wrapper.run(layer).await, came) {
            (HookResult::Cancel(cancel), _) => cancel,
            (_, Came::Output(output)) => return output,
            (_, Came::NotBegun) => return next.run().await,
            // The wrapper has dropped the hooks, and said that nothing failed.
            (_, Came::Lost) => Cancel::of(self.hook.name().owned(), &LOST),
        };
        match E::REFUSED {
            Some(output) => output(cancel),
            None => panic!("{cancel}"),
        }
    }
}
