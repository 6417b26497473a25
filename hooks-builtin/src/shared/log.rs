//! What the logs have in common: each writes an event down when its dispatch ends.
//!
//! A log is a [`Log`], which makes it a probe. Several logs are one probe, [`Logs`], so that what hooks change is found
//! once for all of them.

use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_core::{AnyAction, EventInfo};

use super::changes::EventHistory;

/// Writes events down.
pub trait Log: Send + Sync + 'static {
    /// Whether it tells what hooks have changed in an event.
    const COMPARES: bool = false;

    /// Whether it writes an event down.
    fn wants(&self, event: &EventInfo) -> bool;

    /// Whether it wants to know what hooks change in an event.
    fn compares(&self, event: &EventInfo) -> bool {
        Self::COMPARES && self.wants(event)
    }

    /// Writes an event down, with what the hooks ended with; nothing if the dispatch was dropped.
    fn write(
        &self,
        seen: &EventHistory,
        cx: &AgentContext,
        event: AgentEvent<'_>,
        result: Option<AnyAction<'_>>,
    );
}

/// No log.
impl Log for () {
    fn wants(&self, _: &EventInfo) -> bool {
        false
    }

    fn write(
        &self,
        _: &EventHistory,
        _: &AgentContext,
        _: AgentEvent<'_>,
        _: Option<AnyAction<'_>>,
    ) {
    }
}

/// Logs in the place of one probe: those of `A`, and one more that may be off.
#[derive(Debug)]
pub struct Logs<A, B>(pub A, pub Option<B>);

impl<A: Log, B: Log> Log for Logs<A, B> {
    fn wants(&self, event: &EventInfo) -> bool {
        let Logs(rest, log) = self;
        rest.wants(event) || log.as_ref().is_some_and(|log| log.wants(event))
    }

    fn compares(&self, event: &EventInfo) -> bool {
        let Logs(rest, log) = self;
        rest.compares(event) || log.as_ref().is_some_and(|log| log.compares(event))
    }

    fn write(
        &self,
        seen: &EventHistory,
        cx: &AgentContext,
        event: AgentEvent<'_>,
        result: Option<AnyAction<'_>>,
    ) {
        let Logs(rest, log) = self;
        rest.write(seen, cx, event, result);
        if let Some(log) = log
            && log.wants(event.info())
        {
            log.write(seen, cx, event, result);
        }
    }
}

/// Makes a probe of a log. This is not a blanket impl, because the trait is of another crate.
macro_rules! probe {
    ($Log:ty $(, for $($L:ident)+)?) => {
        impl $(<$($L: $crate::shared::log::Log),+>)?
            ::hooks_core::probe::Probe<::hooks_core::agent::AgentEvent<'static>> for $Log
        {
            type State = $crate::shared::changes::EventHistory;

            fn wants(&self, event: &::hooks_core::EventInfo) -> bool {
                $crate::shared::log::Log::wants(self, event)
            }

            fn begin(
                &self,
                _: &::hooks_core::agent::AgentContext,
                event: ::hooks_core::agent::AgentEvent<'_>,
            ) -> Self::State {
                let compares = $crate::shared::log::Log::compares(self, event.info());
                $crate::shared::changes::EventHistory::new(compares)
            }

            fn changing(
                &self,
                seen: &mut Self::State,
                event: ::hooks_core::agent::AgentEvent<'_>,
            ) {
                seen.changing(event);
            }

            fn ran(
                &self,
                seen: &mut Self::State,
                hook: ::hooks_core::probe::Ran<'_>,
                event: ::hooks_core::agent::AgentEvent<'_>,
            ) {
                seen.ran(hook, event);
            }

            fn failed(
                &self,
                seen: &mut Self::State,
                _: &str,
                _: &dyn ::std::fmt::Display,
                event: ::hooks_core::agent::AgentEvent<'_>,
            ) {
                seen.failed(event);
            }

            fn end(
                &self,
                seen: Self::State,
                cx: &::hooks_core::agent::AgentContext,
                event: ::hooks_core::agent::AgentEvent<'_>,
                result: Option<::hooks_core::AnyAction<'_>>,
            ) {
                $crate::shared::log::Log::write(self, &seen, cx, event, result);
            }
        }
    };
}
pub(crate) use probe;

probe!(Logs<A, B>, for A B);
