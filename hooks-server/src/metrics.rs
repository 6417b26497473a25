//! What the daemon counts.
//!
//! | metric | labels | |
//! | --- | --- | --- |
//! | `hooks_dispatches_total` | `event`, `decision` | events that were judged; `event` is empty for what cannot be read |
//! | `hooks_dispatch_duration_seconds` | | how long each took, with the reading of its event |
//! | `hooks_responses_total` | `status` | answers to requests: `2xx`, `3xx`, `4xx`, `5xx` |
//! | `hooks_refused_total` | `reason` | what was refused: requests for their `token`, `role`, `rate`, because the daemon is `unavailable`, and for an `event` whose agent is not known or that cannot be read; and `connections` of an address that has too many |
//! | `hooks_failed_open` | `hook`, with a store `tenant` | how often a hook failed and the event went on |
//! | `hooks_breaker_open` | `hook`, with a store `tenant` | 1 if the hook is not asked, because it has failed too often; with a store, only of hooks that have failed |
//! | `hooks_dropped` | | observed events that were not passed to a hook, because too many ran in the background |
//! | `hooks_tenants` | `state` | tenants whose hooks are `loaded`, and which are `broken`: they cannot be loaded |
//! | `hooks_store_up` | | 1 if the store answers and takes executions |
//! | `hooks_store_write_seconds` | | how long the last batch of executions took to write |
//! | `hooks_records_queue` | | executions that wait to be written |
//! | `hooks_records_queue_bytes` | | about how much memory they take |
//! | `hooks_records_dropped` | | executions that a store did not get, because its queue was full |
//! | `hooks_callers_remembered` | | how often a caller that was known before was let in while the store was away |
//! | `hooks_connections` | | connections that are open |
//! | `hooks_build_info` | `version` | 1 |

use std::time::Duration;

use axum::http::StatusCode;
use hooks_runtime::{BreakerState, Decided, Runtime};
use hooks_store::Store;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Metric, Registry};

/// The labels of a metric, each with its value.
type Labels<T, const N: usize> = [(&'static str, T); N];

/// A gauge of seconds.
type Seconds = Gauge<f64, std::sync::atomic::AtomicU64>;

/// The counts, since the daemon began.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    dispatches: Family<Labels<&'static str, 2>, Counter>,
    durations: Histogram,
    responses: Family<Labels<&'static str, 1>, Counter>,
    refused: Family<Labels<&'static str, 1>, Counter>,
    failed_open: Family<Vec<(&'static str, String)>, Gauge>,
    breakers: Family<Vec<(&'static str, String)>, Gauge>,
    dropped: Gauge,
    tenants: Family<Labels<&'static str, 1>, Gauge>,
    store_up: Gauge,
    store_write: Seconds,
    queue: Gauge,
    queue_bytes: Gauge,
    records_dropped: Gauge,
    remembered: Gauge,
    pub(crate) connections: Gauge,
}

fn count(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut all = Registry::with_prefix("hooks");
        let build: Family<Labels<&'static str, 1>, Gauge> = Family::default();
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        build.get_or_create(&version).set(1);
        all.register("build_info", "The version", build);
        // From 10 µs to 10 s.
        let took = Histogram::new(exponential_buckets(1e-5, 10_f64.sqrt(), 13));
        all.register(
            "dispatch_duration_seconds",
            "How long each took",
            took.clone(),
        );
        let mut of = MetricRegistry(&mut all);
        Metrics {
            dispatches: of.make("dispatches", "Events that were judged"),
            durations: took,
            responses: of.make("responses", "Answers to requests"),
            refused: of.make("refused", "Requests that were refused"),
            failed_open: of.make("failed_open", "Failures of hooks that let the event go on"),
            breakers: of.make("breaker_open", "Hooks that are not asked"),
            dropped: of.make("dropped", "Events that no hook was told of"),
            tenants: of.make("tenants", "Tenants whose hooks were asked for"),
            store_up: of.make("store_up", "Whether the store does what it should"),
            store_write: of.make(
                "store_write_seconds",
                "How long the last batch took to write",
            ),
            queue: of.make("records_queue", "Executions that wait to be written"),
            queue_bytes: of.make("records_queue_bytes", "About how much memory they take"),
            records_dropped: of.make("records_dropped", "Executions that a store did not get"),
            remembered: of.make("callers_remembered", "Callers let in without the store"),
            connections: of.make("connections", "Connections that are open"),
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

    /// Counts an answer to a request.
    pub(crate) fn answered(&self, status: StatusCode) {
        let class = match status.as_u16() / 100 {
            1 | 2 => "2xx",
            3 => "3xx",
            4 => "4xx",
            _ => "5xx",
        };
        self.responses.get_or_create(&[("status", class)]).inc();
        match status {
            StatusCode::FORBIDDEN => self.refuses("role"),
            StatusCode::TOO_MANY_REQUESTS => self.refuses("rate"),
            StatusCode::SERVICE_UNAVAILABLE => self.refuses("unavailable"),
            _ => {}
        }
    }

    /// Counts a request that is refused.
    pub(crate) fn refuses(&self, reason: &'static str) {
        self.refused.get_or_create(&[("reason", reason)]).inc();
    }

    /// Takes how a store is, how many tenants it has whose hooks cannot be loaded, and how many callers were let in without it.
    pub(crate) fn see(&self, store: &Store, broken: usize, remembered: u64) {
        self.remembered.set(count(remembered));
        let recorder = store.recorder();
        let (waiting, bytes, took) = recorder.waiting();
        self.store_up.set(store.trouble().is_none().into());
        self.store_write.set(took.as_secs_f64());
        self.queue.set(count(waiting));
        self.queue_bytes.set(count(bytes));
        self.records_dropped.set(count(recorder.dropped()));
        self.tenants
            .get_or_create(&[("state", "broken")])
            .set(count(broken));
    }

    /// Writes everything, with the state of these hooks, each with its tenant.
    pub(crate) fn text(&self, hooks: &[(String, Runtime)]) -> String {
        self.failed_open.clear();
        self.breakers.clear();
        let (mut dropped, mut tenants) = (0, 0);
        for (tenant, hooks) in hooks {
            // There may be very many tenants and hooks.
            let status = if tenant.is_empty() {
                hooks.status()
            } else {
                hooks.troubled()
            };
            let labels = |hook| {
                let tenant = Some(("tenant", tenant.clone())).filter(|(_, id)| !id.is_empty());
                let labels = tenant.into_iter().chain([("hook", hook)]);
                labels.collect::<Vec<_>>()
            };
            dropped += status.dropped;
            tenants += 1;
            for hook in status.hooks {
                let is_open = !matches!(hook.breaker, BreakerState::Closed);
                let breaker = self.breakers.get_or_create(&labels(hook.name));
                breaker.set(is_open.into());
            }
            for failed in status.failed_open {
                let failures = self.failed_open.get_or_create(&labels(failed.hook));
                failures.set(count(failed.count));
            }
        }
        self.dropped.set(count(dropped));
        self.tenants
            .get_or_create(&[("state", "loaded")])
            .set(tenants);
        let mut text = String::new();
        // A String takes everything.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// Makes metrics that a registry knows.
struct MetricRegistry<'a>(&'a mut Registry);

impl MetricRegistry<'_> {
    fn make<M: Metric + Clone + Default>(&mut self, name: &str, help: &str) -> M {
        let metric = M::default();
        self.0.register(name, help, metric.clone());
        metric
    }
}
