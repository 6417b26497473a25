//! Exports spans to OpenTelemetry, under the names of its conventions for generative AI.
//!
//! The span of a tool call begins with `ToolCallStart`, and waits for the end of the call in a map of bounded size. The
//! span of a hook is made when the hook has run, because only then a probe hears of it.

use std::fmt::Display;
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use hooks_core::EventInfo;
use hooks_core::agent::{AgentContext, AgentEvent, ToolOutcome};
use hooks_core::probe::{Probe, Ran};
use lru::LruCache;
use opentelemetry::global::{self, BoxedSpan, BoxedTracer};
use opentelemetry::trace::{Span, SpanKind, Status, Tracer, TracerProvider};
use opentelemetry::{KeyValue, Value};

use crate::shared::changes::EventHistory;

/// Exports tool calls, and what hooks decided about events, as spans of OpenTelemetry.
///
/// It follows OpenTelemetry's conventions for generative AI, and makes one span for each tool call:
///
/// | in the span | is |
/// | --- | --- |
/// | name, kind | `execute_tool {tool}`, `INTERNAL` |
/// | `gen_ai.operation.name` | `execute_tool` |
/// | `gen_ai.tool.name`, `gen_ai.tool.call.id` | the tool and the call |
/// | `gen_ai.conversation.id`, `gen_ai.agent.id` | the session and the agent |
/// | status, `error.type` | an error: `tool_error` if the output is one, `skipped` if the call did not run, `never_ended` if the agent did not say how it ended |
/// | `hooks.skipped_by`, and the status's description | who skipped the call, and the reason |
/// | `hooks.answered` | `true` if a hook answered in the tool's place |
///
/// An id that is empty is left out. The parent is the current context of OpenTelemetry, where the event is raised.
/// Arguments and results may be secret, so you ask for them: [`with_content`](Self::with_content). A reason is always
/// told, and a hook may quote the call in it: [`SecurityPolicy`](crate::SecurityPolicy) names the path that it forbids.
/// The spans of hooks are an option, too: [`with_guardrails`](Self::with_guardrails).
///
/// Upstream, all of these conventions have the status "Development", so names may change there, and then here.
///
/// It is a probe: attach it with [`with_probe`](hooks_core::Hook::with_probe). It never stops the agent, not even if a
/// sampler or an exporter panics. How long it makes an event wait is up to your provider: a batch exporter works on a
/// thread of its own, and a simple exporter sends each span before the agent goes on. It remembers
/// [`MOST_CALLS`](Self::MOST_CALLS) running calls. The oldest beyond them ends as `never_ended`, and so does each that
/// still runs when you drop the last clone. Do that before you shut the provider down.
///
/// ```
/// use std::sync::Arc;
/// use hooks_builtin::Otel;
/// use hooks_core::agent::{AgentContext, BeforeToolCall, ToolCall, ToolOutput, run_tool_call};
/// use hooks_core::{Hook, hooks};
/// use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // In your agent: a batch exporter, such as that of the crate `opentelemetry-otlp`.
/// let exporter = InMemorySpanExporter::default();
/// let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
///
/// let hooks = hooks![].with_probe(Arc::new(Otel::with_tracer_provider(&provider)));
/// let call = ToolCall::new("1", "list", serde_json::json!({}));
/// let tool = async |_: &BeforeToolCall| ToolOutput::new("a.txt");
/// run_tool_call(&hooks, &AgentContext::new("s1"), call, tool).await?;
///
/// assert_eq!(exporter.get_finished_spans()?[0].name, "execute_tool list");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Otel {
    content: bool,
    guardrails: bool,
    inner: Arc<OtelState>,
}

#[derive(Debug)]
struct OtelState {
    tracer: BoxedTracer,
    /// The spans of calls that run, each under a hash, so that a look-up copies no names.
    running: Mutex<LruCache<u64, BoxedSpan>>,
    hashes: RandomState,
}

/// What is remembered of one dispatch: nothing, unless its hooks get spans.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct Judging {
    /// What the spans of all its hooks say.
    common: Vec<KeyValue>,
    seen: EventHistory,
}

impl Otel {
    /// How many running calls are remembered.
    pub const MOST_CALLS: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

    /// Exports to the global provider. Set that first, with `opentelemetry::global::set_tracer_provider`: spans do not
    /// reach one that is set later. Your program and this crate must have the same version of `opentelemetry`, because
    /// each has a global provider of its own.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_builtin::Otel;
    /// use hooks_core::{Hook, hooks};
    ///
    /// opentelemetry::global::set_tracer_provider(opentelemetry_sdk::trace::SdkTracerProvider::default());
    /// let hooks = hooks![].with_probe(Arc::new(Otel::new()));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Otel::with_tracer(global::tracer(SCOPE))
    }

    /// Exports to a provider of your own. [`Otel`] shows it.
    #[must_use]
    pub fn with_tracer_provider<P>(provider: &P) -> Self
    where
        P: TracerProvider<Tracer: Send + Sync + 'static>,
        <P::Tracer as Tracer>::Span: Send + Sync + 'static,
    {
        Otel::with_tracer(BoxedTracer::new(Box::new(provider.tracer(SCOPE))))
    }

    fn with_tracer(tracer: BoxedTracer) -> Self {
        Otel {
            content: false,
            guardrails: false,
            inner: Arc::new(OtelState {
                tracer,
                running: Mutex::new(LruCache::new(Self::MOST_CALLS)),
                hashes: RandomState::new(),
            }),
        }
    }

    /// Whether the span of a call tells its arguments, as JSON, and the text of its output: the attributes
    /// `gen_ai.tool.call.arguments` and `gen_ai.tool.call.result`. The default is `false`, because they may be secret,
    /// or personal data. They are shown as hooks left them.
    ///
    /// ```
    /// let otel = hooks_builtin::Otel::new().with_content(true);
    /// ```
    #[must_use]
    pub fn with_content(mut self, content: bool) -> Self {
        self.content = content;
        self
    }

    /// Whether each hook that runs on an intercepted event gets a span. The default is `false`.
    ///
    /// This is an experiment. OpenTelemetry has no convention for guardrails yet, only a [proposal], and its names have
    /// changed more than once. These are the names of the revision that says `apply_guardrail`. It has spans for
    /// guardrails of other processes only, and it says that a hook alone is not a guardrail, because it may be
    /// anything: with this switch, you say that yours are. It also asks for a result in the words of the system, so
    /// there is no general verdict. `hooks.changed` is an attribute of this project.
    ///
    /// | in the span | is |
    /// | --- | --- |
    /// | name, kind | `apply_guardrail {hook}`, `INTERNAL`; it lasts as long as the hook ran |
    /// | `gen_ai.operation.name` | `apply_guardrail` |
    /// | `gen_ai.guardrail.component.name` | the hook |
    /// | `gen_ai.guardrail.source` | the event, such as `BeforeToolCall` |
    /// | `gen_ai.guardrail.result.type`, `….value` | `action`, and `continue`, `modify`, `respond`, `block`, `abort_turn` or `abort_run` |
    /// | `hooks.changed` | whether the hook changed the event; to find that out, the event is serialized |
    /// | `gen_ai.tool.call.id`, `gen_ai.conversation.id`, `gen_ai.agent.id` | as in the span of a call |
    /// | status, `error.type` | an error, `hook_failed`, if the hook failed; there is no result then |
    ///
    /// A panic that a hook's own `on_panic` catches is shown as what the hook then says. A reason is not shown here:
    /// the proposal forbids content in it, and a hook may quote some.
    ///
    /// ```
    /// let otel = hooks_builtin::Otel::new().with_guardrails(true);
    /// ```
    ///
    /// [proposal]: https://github.com/open-telemetry/semantic-conventions-genai/pull/427
    #[must_use]
    pub fn with_guardrails(mut self, guardrails: bool) -> Self {
        self.guardrails = guardrails;
        self
    }

    fn span(&self, name: String, start: SystemTime, attributes: Vec<KeyValue>) -> BoxedSpan {
        let tracer = &self.inner.tracer;
        let span = tracer.span_builder(name).with_kind(SpanKind::Internal);
        let span = span.with_start_time(start).with_attributes(attributes);
        span.start(tracer)
    }

    fn call(&self, cx: &AgentContext, id: &str, name: &str, start: SystemTime) -> BoxedSpan {
        let mut attributes = common("execute_tool", cx, id);
        attributes.push(KeyValue::new("gen_ai.tool.name", name.to_owned()));
        self.span(format!("execute_tool {name}"), start, attributes)
    }

    fn key(&self, cx: &AgentContext, id: &str) -> u64 {
        let call = (&cx.tenant_id, &cx.session_id, &cx.run_id, id);
        self.inner.hashes.hash_one(call)
    }

    /// The span of a call that is over. A call without a start began as long ago as it ran.
    fn take(&self, cx: &AgentContext, id: &str, name: &str, ran: Duration) -> BoxedSpan {
        let running = self.inner.lock().pop(&self.key(cx, id));
        running.unwrap_or_else(|| self.call(cx, id, name, ago(SystemTime::now(), ran)))
    }

    /// Begins or ends the span of a call.
    fn tell_call(&self, cx: &AgentContext, event: AgentEvent<'_>) {
        let (mut span, args, output) = match event {
            AgentEvent::ToolCallStart(call) => {
                let span = self.call(cx, call.id, call.name, SystemTime::now());
                // Its own statement, because whatever drops a span must not hold the lock.
                let oldest = self.inner.lock().push(self.key(cx, call.id), span);
                return oldest.into_iter().for_each(|(_, span)| abandon(span));
            }
            AgentEvent::ToolCallEnd(call) => {
                let mut span = self.take(cx, call.id, call.name, call.duration);
                if call.outcome == ToolOutcome::Answered {
                    span.set_attribute(KeyValue::new("hooks.answered", true));
                }
                if call.output.is_error {
                    fail(&mut span, "tool_error", "the output is an error");
                }
                (span, call.args, Some(call.output))
            }
            AgentEvent::ToolCallSkipped(call) => {
                let mut span = self.take(cx, call.id, call.name, Duration::ZERO);
                span.set_attribute(KeyValue::new("hooks.skipped_by", call.by.to_owned()));
                fail(&mut span, "skipped", call.reason);
                (span, call.args, None)
            }
            _ => return,
        };
        if self.content && span.is_recording() {
            let args = KeyValue::new("gen_ai.tool.call.arguments", args.to_string());
            let result = output.map(|output| output.content.clone());
            let result = result.map(|text| KeyValue::new("gen_ai.tool.call.result", text));
            span.set_attributes([Some(args), result].into_iter().flatten());
        }
        span.end();
    }

    /// Makes the span of a hook that has run just now, with what it did; nothing if it failed.
    fn tell_hook(
        &self,
        common: &[KeyValue],
        hook: &str,
        ran: Duration,
        did: Option<(&'static str, bool)>,
    ) {
        let mut attributes = common.to_vec();
        let mut add = |key, value: Value| attributes.push(KeyValue::new(key, value));
        add("gen_ai.guardrail.component.name", hook.to_owned().into());
        if let Some((action, changed)) = did {
            add("gen_ai.guardrail.result.type", "action".into());
            add("gen_ai.guardrail.result.value", action.into());
            add("hooks.changed", changed.into());
        }
        let now = SystemTime::now();
        let name = format!("apply_guardrail {hook}");
        let mut span = self.span(name, ago(now, ran), attributes);
        if did.is_none() {
            fail(&mut span, "hook_failed", "the hook failed");
        }
        span.end_with_timestamp(now);
    }
}

impl Default for Otel {
    fn default() -> Self {
        Otel::new()
    }
}

impl OtelState {
    fn lock(&self) -> MutexGuard<'_, LruCache<u64, BoxedSpan>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A span that is only dropped would look like a call that succeeded.
impl Drop for OtelState {
    fn drop(&mut self) {
        while let Some((_, span)) = self.lock().pop_lru() {
            safely(|| abandon(span));
        }
    }
}

impl Probe<AgentEvent<'static>> for Otel {
    type State = Judging;
    const TIMED: bool = true;

    fn wants(&self, event: &EventInfo) -> bool {
        let is_of_a_call = matches!(
            event.name,
            "ToolCallStart" | "ToolCallEnd" | "ToolCallSkipped"
        );
        is_of_a_call || (self.guardrails && event.is_intercepted)
    }

    fn begin(&self, cx: &AgentContext, event: AgentEvent<'_>) -> Judging {
        let id = match event {
            AgentEvent::InvalidToolCall(call) => &*call.id,
            AgentEvent::BeforeToolCall(call) => &*call.id,
            AgentEvent::ApproveToolCall(call) => call.id,
            AgentEvent::AfterToolCall(call) => &*call.id,
            _ => "",
        };
        if !event.info().is_intercepted {
            safely(|| self.tell_call(cx, event));
            return Judging::default();
        }
        let mut common = common("apply_guardrail", cx, id);
        common.push(KeyValue::new("gen_ai.guardrail.source", event.name()));
        Judging {
            common,
            seen: EventHistory::new(true),
        }
    }

    fn changing(&self, state: &mut Judging, event: AgentEvent<'_>) {
        state.seen.changing(event);
    }

    fn ran(&self, state: &mut Judging, hook: Ran<'_>, event: AgentEvent<'_>) {
        let did = (hook.action.word(), state.seen.ran(hook, event));
        safely(|| self.tell_hook(&state.common, hook.name, hook.duration, Some(did)));
    }

    fn failed(&self, state: &mut Judging, hook: &str, _: &dyn Display, event: AgentEvent<'_>) {
        state.seen.failed(event);
        safely(|| self.tell_hook(&state.common, hook, Duration::ZERO, None));
    }
}

/// The name under which OpenTelemetry knows who made the spans.
const SCOPE: &str = "hooks";

/// What both kinds of spans say.
fn common(operation: &'static str, cx: &AgentContext, call: &str) -> Vec<KeyValue> {
    let ids = [
        ("gen_ai.tool.call.id", call),
        ("gen_ai.conversation.id", &cx.session_id),
        ("gen_ai.agent.id", &cx.agent_id),
    ];
    let known = ids.into_iter().filter(|(_, id)| !id.is_empty());
    let known = known.map(|(key, id)| KeyValue::new(key, id.to_owned()));
    let operation = KeyValue::new("gen_ai.operation.name", operation);
    std::iter::once(operation).chain(known).collect()
}

fn fail(span: &mut BoxedSpan, kind: &'static str, description: &str) {
    span.set_attribute(KeyValue::new("error.type", kind));
    span.set_status(Status::error(description.to_owned()));
}

/// Ends the span of a call whose end is missing.
fn abandon(mut span: BoxedSpan) {
    fail(
        &mut span,
        "never_ended",
        "the agent did not say how the call ended",
    );
    span.end();
}

fn ago(now: SystemTime, duration: Duration) -> SystemTime {
    now.checked_sub(duration).unwrap_or(now)
}

/// Calls what the user's provider does. If that panics, a span is lost, and the agent goes on.
fn safely(tell: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(tell));
}
