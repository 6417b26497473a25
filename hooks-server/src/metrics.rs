//! What the daemon counts.
//!
//! | metric | labels | |
//! | --- | --- | --- |
//! | `hooks_dispatches_total` | `event`, `decision` | events that were judged; `event` is empty for what cannot be read |
//! | `hooks_dispatch_duration_seconds` | | how long each took, with the reading of its event |
//! | `hooks_failed_open` | `hook` | how often a hook failed and the event went on |
//! | `hooks_breaker_open` | `hook` | 1 if the hook is not asked, because it has failed too often |
//! | `hooks_dropped` | | observed events that were not passed to a hook, because too many ran in the background |
//! | `hooks_records_dropped` | | executions that a store did not get, because its queue was full |
//! | `hooks_connections` | | connections that are open |

use std::time::Duration;

use hooks_runtime::{BreakerState, Decided, Runtime};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Metric, Registry};

/// The labels of a metric, each with its value.
type Labels<T, const N: usize> = [(&'static str, T); N];

/// The counts, since the daemon began.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    dispatches: Family<Labels<&'static str, 2>, Counter>,
    durations: Histogram,
    failed_open: Family<Labels<String, 1>, Gauge>,
    breakers: Family<Labels<String, 1>, Gauge>,
    dropped: Gauge,
    records_dropped: Gauge,
    pub(crate) connections: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        fn known<M: Metric + Clone>(of: &mut Registry, name: &str, help: &str, metric: M) -> M {
            of.register(name, help, metric.clone());
            metric
        }
        let mut all = Registry::with_prefix("hooks");
        let of = &mut all;
        // From 10 µs to 10 s.
        let buckets = exponential_buckets(1e-5, 10_f64.sqrt(), 13);
        let (durations, took) = (Histogram::new(buckets), "dispatch_duration_seconds");
        let (open, lost) = (
            "Failures of hooks that let the event go on",
            "Executions that a store did not get",
        );
        Metrics {
            dispatches: known(
                of,
                "dispatches",
                "Events that were judged",
                Family::default(),
            ),
            durations: known(of, took, "How long each took", durations),
            failed_open: known(of, "failed_open", open, Family::default()),
            breakers: known(
                of,
                "breaker_open",
                "Hooks that are not asked",
                Family::default(),
            ),
            dropped: known(
                of,
                "dropped",
                "Events that no hook was told of",
                Gauge::default(),
            ),
            records_dropped: known(of, "records_dropped", lost, Gauge::default()),
            connections: known(
                of,
                "connections",
                "Connections that are open",
                Gauge::default(),
            ),
            registry: all,
        }
    }

    /// Counts an event that was judged.
    pub(crate) fn judged(&self, event: Option<&'static str>, decision: Decided, took: Duration) {
        let event = ("event", event.unwrap_or_default());
        let labels = [event, ("decision", decision.as_str())];
        self.dispatches.get_or_create(&labels).inc();
        self.durations.observe(took.as_secs_f64());
    }

    /// Writes everything, with the state of these hooks, and how many executions a store did not get.
    pub(crate) fn text(&self, hooks: Option<&Runtime>, lost: u64) -> String {
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        self.records_dropped.set(count(lost));
        if let Some(status) = hooks.map(Runtime::status) {
            self.failed_open.clear();
            for failed in status.failed_open {
                let failures = self.failed_open.get_or_create(&[("hook", failed.hook)]);
                failures.set(count(failed.count));
            }
            self.breakers.clear();
            for hook in status.hooks {
                let is_open = !matches!(hook.breaker, BreakerState::Closed);
                let breaker = self.breakers.get_or_create(&[("hook", hook.name)]);
                breaker.set(is_open.into());
            }
            self.dropped.set(count(status.dropped));
        }
        let mut text = String::new();
        // A String takes everything.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
