//! A watch of any type, for hooks behind a box.
//!
//! The hooks of a registry do not know the type of the watch that a dispatch carries. They get it as [`Through`], a watch
//! behind a reference. A source of hooks may also bring probes, which are behind a box themselves: [`AnyProbe`].

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt::Display;

use super::{Did, Probe, Shows, Since, Step, Watch, catch};
use crate::decision::{AnyAction, Name};
use crate::event::{EventInfo, Vocabulary};

/// A watch of any type.
#[allow(missing_docs, reason = "only the derive's expansion names it")]
pub trait AnyWatch<V: Vocabulary>: Send + Sync {
    fn admits(&self, _is_guard: bool) -> bool {
        true
    }
    fn is_timed(&self) -> bool;
    fn before(&mut self, _hook: Name<'_>) {}
    fn changing(&mut self, _event: &dyn Shows<V>) {}
    fn after(&mut self, did: Did<'_>, event: &dyn Shows<V>);
    fn failed(&mut self, _hook: &str, _failure: &dyn Display, _event: &dyn Shows<V>) {}
    fn after_shared(&self, did: Did<'_>, event: &dyn Shows<V>);
}

/// The watch of a dispatch, for hooks behind a box.
#[expect(missing_debug_implementations, reason = "only a dispatch has it")]
pub struct Face<'h, V: Vocabulary, W: Watch<V>>(pub(crate) W::Held<'h>);

impl<V: Vocabulary, W: Watch<V>> AnyWatch<V> for Face<'_, V, W> {
    fn admits(&self, is_guard: bool) -> bool {
        W::admits(&self.0, is_guard)
    }

    fn is_timed(&self) -> bool {
        W::is_timed(W::share(&self.0))
    }

    fn before(&mut self, hook: Name<'_>) {
        W::before(&mut self.0, hook);
    }

    fn changing(&mut self, event: &dyn Shows<V>) {
        W::changing(&mut self.0, event);
    }

    fn after(&mut self, did: Did<'_>, event: &dyn Shows<V>) {
        W::after(&mut self.0, did, event);
    }

    fn failed(&mut self, hook: &str, failure: &dyn Display, event: &dyn Shows<V>) {
        W::failed(&mut self.0, hook, failure, event);
    }

    fn after_shared(&self, did: Did<'_>, event: &dyn Shows<V>) {
        W::after_shared(W::share(&self.0), did, event);
    }
}

/// The watch of a dispatch of an observed event, for hooks behind a box.
#[expect(missing_debug_implementations, reason = "only a dispatch has it")]
pub struct SharedFace<'h, V: Vocabulary, W: Watch<V>>(pub(crate) W::Shared<'h>);

impl<V: Vocabulary, W: Watch<V>> AnyWatch<V> for SharedFace<'_, V, W> {
    fn is_timed(&self) -> bool {
        W::is_timed(self.0)
    }

    fn after(&mut self, did: Did<'_>, event: &dyn Shows<V>) {
        self.after_shared(did, event);
    }

    fn after_shared(&self, did: Did<'_>, event: &dyn Shows<V>) {
        W::after_shared(self.0, did, event);
    }
}

/// All of them.
impl<V: Vocabulary> AnyWatch<V> for Vec<Box<dyn AnyDispatch<V> + '_>> {
    fn is_timed(&self) -> bool {
        self.iter().any(|probe| probe.is_timed())
    }

    fn changing(&mut self, event: &dyn Shows<V>) {
        for probe in self {
            probe.changing(event);
        }
    }

    fn after(&mut self, did: Did<'_>, event: &dyn Shows<V>) {
        for probe in self {
            probe.after(did, event);
        }
    }

    fn failed(&mut self, hook: &str, failure: &dyn Display, event: &dyn Shows<V>) {
        for probe in self {
            probe.failed(hook, failure, event);
        }
    }

    fn after_shared(&self, did: Did<'_>, event: &dyn Shows<V>) {
        for probe in self {
            probe.after_shared(did, event);
        }
    }
}

/// A watch behind a reference.
#[derive(Debug)]
pub enum Through {}

impl<V: Vocabulary + 'static> Watch<V> for Through {
    type Held<'a> = &'a mut (dyn AnyWatch<V> + 'a);
    type Shared<'a> = &'a (dyn AnyWatch<V> + 'a);
    type Token = Since;

    fn lend<'l>(held: &'l mut Self::Held<'_>) -> Self::Held<'l> {
        &mut **held
    }

    fn share<'l>(held: &'l Self::Held<'_>) -> Self::Shared<'l> {
        &**held
    }

    fn reshare<'l>(shared: &'l Self::Shared<'_>) -> Self::Shared<'l> {
        *shared
    }

    fn admits(held: &Self::Held<'_>, is_guard: bool) -> bool {
        held.admits(is_guard)
    }

    fn is_timed(shared: Self::Shared<'_>) -> bool {
        shared.is_timed()
    }

    fn before(held: &mut Self::Held<'_>, hook: Name<'_>) {
        held.before(hook);
    }

    fn changing(held: &mut Self::Held<'_>, event: &dyn Shows<V>) {
        held.changing(event);
    }

    fn after(held: &mut Self::Held<'_>, did: Did<'_>, event: &dyn Shows<V>) {
        held.after(did, event);
    }

    fn failed(held: &mut Self::Held<'_>, hook: &str, failure: &dyn Display, event: &dyn Shows<V>) {
        held.failed(hook, failure, event);
    }

    fn after_shared(shared: Self::Shared<'_>, did: Did<'_>, event: &dyn Shows<V>) {
        shared.after_shared(did, event);
    }
}

/// A probe of any type, which a source of hooks brings along.
pub(crate) trait AnyProbe<V: Vocabulary + 'static>: Send + Sync {
    fn wants(&self, event: &EventInfo) -> bool;
    fn begin<'a>(
        &'a self,
        cx: &'a V::Context,
        event: &dyn Shows<V>,
    ) -> Box<dyn AnyDispatch<V> + 'a>;
    fn around(
        &self,
        cx: &V::Context,
        hook: &str,
        step: Step<'_>,
        event: &dyn Shows<V>,
        info: &EventInfo,
    );
}

/// One dispatch that a probe of any type looks at.
pub(crate) trait AnyDispatch<V: Vocabulary>: AnyWatch<V> {
    fn end(self: Box<Self>, event: &dyn Shows<V>, result: Option<AnyAction<'_>>);
}

/// A probe that panics does not reach the agent: it sees no more of that dispatch.
impl<V: Vocabulary + 'static, P: Probe<V>> AnyProbe<V> for P {
    fn wants(&self, event: &EventInfo) -> bool {
        catch(|| Probe::wants(self, event)).unwrap_or(false)
    }

    fn begin<'a>(
        &'a self,
        cx: &'a V::Context,
        event: &dyn Shows<V>,
    ) -> Box<dyn AnyDispatch<V> + 'a> {
        let state = catch(|| Probe::begin(self, cx, event.show())).ok();
        Box::new(Dispatched::<V, P> {
            probe: self,
            cx,
            state,
        })
    }

    fn around(
        &self,
        cx: &V::Context,
        hook: &str,
        step: Step<'_>,
        event: &dyn Shows<V>,
        info: &EventInfo,
    ) {
        if AnyProbe::wants(self, info) {
            let _ = catch(|| Probe::around(self, cx, hook, step, event.show()));
        }
    }
}

struct Dispatched<'a, V: Vocabulary, P: Probe<V>> {
    probe: &'a P,
    cx: &'a V::Context,
    /// There is none after a panic.
    state: Option<P::State>,
}

impl<V: Vocabulary, P: Probe<V>> Dispatched<'_, V, P> {
    fn tell(&mut self, tell: impl FnOnce(&P, &mut P::State)) {
        if let Some(state) = &mut self.state
            && catch(|| tell(self.probe, state)).is_err()
        {
            self.state = None;
        }
    }
}

impl<V: Vocabulary, P: Probe<V>> AnyWatch<V> for Dispatched<'_, V, P> {
    fn is_timed(&self) -> bool {
        P::TIMED
    }

    fn changing(&mut self, event: &dyn Shows<V>) {
        self.tell(|probe, state| probe.changing(state, event.show()));
    }

    fn after(&mut self, did: Did<'_>, event: &dyn Shows<V>) {
        self.tell(|probe, state| probe.ran(state, did.into(), event.show()));
    }

    fn failed(&mut self, hook: &str, failure: &dyn Display, event: &dyn Shows<V>) {
        self.tell(|probe, state| probe.failed(state, hook, failure, event.show()));
    }

    fn after_shared(&self, did: Did<'_>, event: &dyn Shows<V>) {
        if let Some(state) = &self.state {
            let _ = catch(|| self.probe.observed(state, did.into(), event.show()));
        }
    }
}

impl<V: Vocabulary, P: Probe<V>> AnyDispatch<V> for Dispatched<'_, V, P> {
    fn end(self: Box<Self>, event: &dyn Shows<V>, result: Option<AnyAction<'_>>) {
        let Dispatched { probe, cx, state } = *self;
        if let Some(state) = state {
            let _ = catch(|| probe.end(state, cx, event.show(), result));
        }
    }
}
