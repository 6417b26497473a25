//! With the feature `tracing` every hook runs in a span of its own, and a skipped failure is told.

#![cfg(feature = "tracing")]

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use hooks_core::agent::{
    AgentContext, AgentEvent, AgentEventMut, AgentHandler, AgentSaid, BeforeToolCall,
    HeartbeatTick, MessageReceived, ToolOutput,
};
use hooks_core::{HookAction, HookRegistry, async_trait, hook, hooks, intercept_fn, observe_fn};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Writes down what happens, a line each; a span's id is its place in the list of spans.
#[derive(Clone, Default)]
struct Recorder {
    spans: Arc<Mutex<Vec<String>>>,
    lines: Arc<Mutex<Vec<String>>>,
}

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Recorder {
    fn line(&self, what: &str, span: &Id) {
        let spans = self.spans.lock().unwrap();
        let nth = usize::try_from(span.into_u64()).unwrap() - 1;
        self.lines
            .lock()
            .unwrap()
            .push(format!("{what} {}", spans[nth]));
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("hooks_core")
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields(span.metadata().name().into());
        span.record(&mut fields);
        let mut spans = self.spans.lock().unwrap();
        spans.push(fields.0);
        Id::from_u64(spans.len() as u64)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(event.metadata().level().to_string());
        event.record(&mut fields);
        self.lines.lock().unwrap().push(fields.0);
    }
    fn enter(&self, span: &Id) {
        self.line("enter", span);
    }
    fn exit(&self, span: &Id) {
        self.line("exit", span);
    }
}

#[hook(priority = 1)]
fn at_once(_: &BeforeToolCall) {
    tracing::info!(target: "hooks_core_test", "in the hook");
}

#[hook(only("write"))]
fn for_writes(_: &BeforeToolCall) {}

#[hook(when = is_write)]
fn if_it_writes(_: &BeforeToolCall) {}

fn is_write(call: &BeforeToolCall) -> bool {
    call.name == "write"
}

#[hook(name = "waits")]
async fn later(_: &BeforeToolCall) {
    tokio::task::yield_now().await;
}

#[hook(on_panic = skip)]
fn fails(_: &HeartbeatTick) {
    panic!("oh no");
}

#[hook]
async fn decides(_: &MessageReceived) -> HookAction<MessageReceived> {
    HookAction::block("no")
}

#[hook]
fn answers(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::respond(ToolOutput::new("7"))
}

struct Plugin;

#[async_trait]
impl AgentHandler for Plugin {
    fn name(&self) -> &str {
        "plugin"
    }
    async fn handle(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
        match event {
            AgentEventMut::HeartbeatTick(_) => {
                tracing::info!(target: "hooks_core_test", "in the plugin");
                AgentSaid::Continue
            }
            AgentEventMut::MessageReceived(_) => HookAction::<MessageReceived>::block("no").into(),
            _ => AgentSaid::Continue,
        }
    }
}

#[tokio::test]
async fn a_decision_is_told_once() {
    let recorder = Recorder::default();
    let _guard = tracing::subscriber::set_default(recorder.clone());
    let cx = AgentContext::new("s1");
    let told =
        r#"DEBUG message=hook decided name="answers" event="BeforeToolCall" decision="respond""#;
    let (optional, nested) = (
        hooks![Some(answers), later],
        hooks![hooks![answers], later @ -1],
    );
    let result = optional
        .intercept(&cx, &mut BeforeToolCall::default())
        .await;
    assert!(!result.is_continue());
    let result = nested.intercept(&cx, &mut BeforeToolCall::default()).await;
    assert!(!result.is_continue());
    let lines = recorder.lines.lock().unwrap();
    let times = lines.iter().filter(|line| *line == told).count();
    assert_eq!(times, 2, "{lines:#?}");
}

#[tokio::test]
async fn closures_and_handlers_run_in_spans_as_well() {
    let recorder = Recorder::default();
    let _guard = tracing::subscriber::set_default(recorder.clone());
    let cx = AgentContext::new("s1");
    let closures = hooks![
        intercept_fn::<MessageReceived, _>(|_, _| HookAction::block("no")),
        observe_fn::<HeartbeatTick, _>(
            |_, _| tracing::info!(target: "hooks_core_test", "in the closure")
        ),
    ];
    let _ = closures.intercept_now(&cx, &mut MessageReceived::default());
    closures.observe_now(&cx, &HeartbeatTick);
    let registry =
        HookRegistry::<AgentEvent>::new().with(Box::new(Plugin) as Box<dyn AgentHandler>);
    let _ = registry
        .intercept(&cx, &mut MessageReceived::default())
        .await;
    registry.observe(&cx, &HeartbeatTick).await;

    let lines = recorder.lines.lock().unwrap().join("\n");
    for expected in [
        r#"DEBUG message=hook decided name="intercept_fn" event="MessageReceived" decision="block""#,
        "enter hook name=\"observe_fn\" event=\"HeartbeatTick\"\nINFO message=in the closure",
        r#"DEBUG message=hook decided name="plugin" event="MessageReceived" decision="block""#,
        "enter hook name=\"plugin\" event=\"HeartbeatTick\"\nINFO message=in the plugin",
    ] {
        assert!(lines.contains(expected), "{expected}\n---\n{lines}");
    }
}

#[test]
fn a_hook_that_is_not_for_the_tool_has_no_span() {
    let recorder = Recorder::default();
    let _guard = tracing::subscriber::set_default(recorder.clone());
    let mut call = BeforeToolCall::new("1", "read", serde_json::json!({}));
    let said = hooks![for_writes, if_it_writes, at_once]
        .intercept_now(&AgentContext::new("s1"), &mut call);
    assert!(said.is_continue());
    assert_eq!(
        *recorder.spans.lock().unwrap(),
        [r#"hook name="at_once" event="BeforeToolCall""#]
    );
}

#[tokio::test]
async fn every_hook_runs_in_its_span() {
    let recorder = Recorder::default();
    let _guard = tracing::subscriber::set_default(recorder.clone());
    let cx = AgentContext::new("s1");
    let hooks = hooks![at_once, later, fails];
    let result = hooks.intercept(&cx, &mut BeforeToolCall::default()).await;
    assert!(result.is_continue());
    hooks.observe(&cx, &HeartbeatTick).await;
    let nested = hooks![hooks![decides], hooks];
    let result = nested.intercept(&cx, &mut MessageReceived::default()).await;
    assert!(!result.is_continue());

    let span_of_sync = r#"hook name="at_once" event="BeforeToolCall""#;
    let awaited_span = r#"hook name="waits" event="BeforeToolCall""#;
    let failing_span = r#"hook name="fails" event="HeartbeatTick""#;
    let lines = recorder.lines.lock().unwrap();
    let position = |line: &str| lines.iter().position(|other| other == line);
    assert_eq!(lines[0], format!("enter {span_of_sync}"));
    assert_eq!(lines[1], "INFO message=in the hook");
    assert_eq!(lines[2], format!("exit {span_of_sync}"));
    // Entered anew for each poll, and to be dropped.
    let polls = lines
        .iter()
        .filter(|line| **line == format!("enter {awaited_span}"));
    assert!(polls.count() >= 2);
    assert!(position(&format!("enter {failing_span}")).is_some());
    let decision =
        r#"DEBUG message=hook decided name="decides" event="MessageReceived" decision="block""#;
    assert_eq!(
        lines.iter().filter(|line| **line == decision).count(),
        1,
        "{lines:#?}"
    );
    let warning =
        r#"WARN message=hook skipped: the hook panicked: oh no name="fails" event="HeartbeatTick""#;
    assert!(position(warning).is_some(), "{lines:#?}");
}
