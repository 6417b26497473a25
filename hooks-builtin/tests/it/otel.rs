//! The spans that `Otel` makes, as an exporter of OpenTelemetry's SDK gets them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hooks_builtin::Otel;
use hooks_core::agent::{
    AfterToolCall, AgentContext, BeforeToolCall, MessageSending, ToolCall, ToolCallEnd,
    ToolCallStart, ToolOutcome, ToolOutput, run_tool_call,
};
use hooks_core::{Hook, HookAction, OnPanic, hook, hooks};
use opentelemetry::Context;
use opentelemetry::trace::{Span as _, SpanId, SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::trace::{TracerProvider, noop::NoopTracerProvider};
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{
    InMemorySpanExporter, SdkTracerProvider, Span, SpanData, SpanProcessor,
};
use serde_json::{Value, json};

type Texts = BTreeMap<String, String>;

/// A probe, and the spans that it has exported.
fn exporting() -> (Otel, InMemorySpanExporter) {
    let (provider, exporter) = provider();
    (Otel::with_tracer_provider(&provider), exporter)
}

fn provider() -> (SdkTracerProvider, InMemorySpanExporter) {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone());
    (provider.build(), exporter)
}

fn finished(exporter: &InMemorySpanExporter) -> Vec<SpanData> {
    exporter.get_finished_spans().unwrap()
}

fn only(exporter: &InMemorySpanExporter) -> SpanData {
    let [span] = <[_; 1]>::try_from(finished(exporter)).unwrap();
    span
}

fn attributes(span: &SpanData) -> Texts {
    let all = span.attributes.iter();
    let texts: Texts = all
        .map(|pair| (pair.key.to_string(), pair.value.to_string()))
        .collect();
    assert_eq!(texts.len(), span.attributes.len(), "one stands there twice");
    texts
}

/// The attributes of a call's span: these, and those that all have.
fn of_a_call(more: &[(&str, &str)]) -> Texts {
    let all = [
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "shell"),
        ("gen_ai.tool.call.id", "1"),
        ("gen_ai.conversation.id", "s1"),
        ("gen_ai.agent.id", "coder"),
    ];
    let all = all.iter().chain(more);
    all.map(|(key, text)| ((*key).to_owned(), (*text).to_owned()))
        .collect()
}

fn cx() -> AgentContext {
    AgentContext::new("s1").with_agent_id("coder")
}

fn shell() -> ToolCall {
    ToolCall::new("1", "shell", json!({ "command": "ls" }))
}

async fn lists(_: &BeforeToolCall) -> ToolOutput {
    ToolOutput::new("a.txt")
}

fn start<'a>(id: &'a str, args: &'a Value) -> ToolCallStart<'a> {
    ToolCallStart {
        id,
        name: "shell",
        args,
        annotations: hooks_core::agent::ToolAnnotations::default(),
    }
}

fn end(otel: &Otel, cx: &AgentContext, id: &str, ran: Duration) {
    let call = BeforeToolCall::new(id, "shell", json!({}));
    let after = AfterToolCall::of(call, ToolOutput::new(""), ran);
    let end = ToolCallEnd::of(&after, ToolOutcome::Ran);
    hooks![].with_probe(otel).observe_now(cx, &end);
}

#[hook]
fn no_shell(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::block("no shell here")
}

#[tokio::test]
async fn a_tool_call_is_a_span_from_its_start_to_its_end_in_the_current_context() {
    let (otel, exporter) = exporting();
    let tool = async |_: &BeforeToolCall| {
        tokio::time::sleep(Duration::from_millis(20)).await;
        ToolOutput::new("a.txt")
    };
    let turn = SdkTracerProvider::default().tracer("t").start("turn");
    let parent = turn.span_context().clone();
    // The test's runtime has one thread, so the context stays the current one.
    let attached = Context::current().with_span(turn).attach();
    let hooks = hooks![].with_probe(&otel);
    run_tool_call(&hooks, &cx(), shell(), tool).await.unwrap();
    drop(attached);

    let span = only(&exporter);
    assert_eq!(span.name, "execute_tool shell");
    assert_eq!(span.span_kind, SpanKind::Internal);
    assert_eq!(span.status, Status::Unset);
    assert_eq!(attributes(&span), of_a_call(&[]));
    assert_eq!(span.instrumentation_scope.name(), "hooks");
    assert_eq!(span.parent_span_id, parent.span_id());
    assert_eq!(span.span_context.trace_id(), parent.trace_id());
    let lasted = span.end_time.duration_since(span.start_time).unwrap();
    assert!(lasted >= Duration::from_millis(20), "{lasted:?}");
}

#[tokio::test]
async fn arguments_and_results_are_told_only_if_you_ask() {
    let (otel, exporter) = exporting();
    let hooks = hooks![].with_probe(Arc::new(otel.with_content(true)));
    run_tool_call(&hooks, &cx(), shell(), lists).await.unwrap();
    let told = of_a_call(&[
        ("gen_ai.tool.call.arguments", r#"{"command":"ls"}"#),
        ("gen_ai.tool.call.result", "a.txt"),
    ]);
    assert_eq!(attributes(&only(&exporter)), told);
}

#[tokio::test]
async fn an_output_that_is_an_error_is_an_error_of_the_span() {
    let (otel, exporter) = exporting();
    let fails = async |_: &BeforeToolCall| ToolOutput::error("the secret file is missing");
    let hooks = hooks![].with_probe(&otel);
    run_tool_call(&hooks, &cx(), shell(), fails).await.unwrap();
    let span = only(&exporter);
    assert_eq!(span.status, Status::error("the output is an error"));
    assert_eq!(
        attributes(&span),
        of_a_call(&[("error.type", "tool_error")])
    );
}

#[tokio::test]
async fn a_call_that_is_skipped_is_a_span_with_the_hook_and_the_reason() {
    let (otel, exporter) = exporting();
    let hooks = hooks![no_shell].with_probe(&otel);
    run_tool_call(&hooks, &cx(), shell(), lists).await.unwrap();
    let span = only(&exporter);
    assert_eq!(span.name, "execute_tool shell");
    assert_eq!(span.status, Status::error("no shell here"));
    assert_eq!(
        attributes(&span),
        of_a_call(&[("error.type", "skipped"), ("hooks.skipped_by", "no_shell")])
    );
}

#[tokio::test]
async fn a_call_that_a_hook_answers_says_so() {
    #[hook]
    fn answers(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::respond(ToolOutput::new("b.txt"))
    }

    let (otel, exporter) = exporting();
    let hooks = hooks![answers].with_probe(&otel);
    run_tool_call(&hooks, &cx(), shell(), lists).await.unwrap();
    let span = only(&exporter);
    assert_eq!(attributes(&span), of_a_call(&[("hooks.answered", "true")]));
}

#[test]
fn a_call_that_nobody_saw_begin_began_as_long_ago_as_it_ran() {
    let (otel, exporter) = exporting();
    end(&otel, &cx(), "1", Duration::from_secs(5));
    let span = only(&exporter);
    let lasted = span.end_time.duration_since(span.start_time).unwrap();
    assert!(lasted >= Duration::from_secs(5), "{lasted:?}");
    assert_eq!(span.parent_span_id, SpanId::INVALID);
}

#[test]
fn calls_of_one_id_in_two_sessions_are_two_calls() {
    let (otel, exporter) = exporting();
    let hooks = hooks![].with_probe(&otel);
    for session in ["s1", "s2"] {
        hooks.observe_now(&AgentContext::new(session), &start("1", &json!({})));
    }
    for session in ["s1", "s2"] {
        end(&otel, &AgentContext::new(session), "1", Duration::ZERO);
        let spans = finished(&exporter);
        let span = spans.last().unwrap();
        assert_eq!(attributes(span)["gen_ai.conversation.id"], session);
    }
    assert_eq!(finished(&exporter).len(), 2);
}

#[test]
fn calls_that_never_end_are_bounded_and_none_looks_like_a_success() {
    // The exporter forgets its spans with the last handle of the provider.
    let (provider, exporter) = provider();
    let otel = Otel::with_tracer_provider(&provider);
    let most = Otel::MOST_CALLS.get();
    for number in 0..=most {
        let hooks = hooks![].with_probe(&otel);
        hooks.observe_now(&cx(), &start(&number.to_string(), &json!({})));
    }
    let oldest = only(&exporter);
    assert_eq!(attributes(&oldest)["gen_ai.tool.call.id"], "0");
    assert_eq!(attributes(&oldest)["error.type"], "never_ended");
    assert_eq!(
        oldest.status,
        Status::error("the agent did not say how the call ended")
    );

    let clone = otel.clone();
    drop(otel);
    assert_eq!(finished(&exporter).len(), 1);
    drop(clone);
    let all = finished(&exporter);
    assert_eq!(all.len(), most + 1);
    for span in all {
        assert_eq!(attributes(&span)["error.type"], "never_ended");
    }
}

#[test]
fn hooks_get_spans_only_if_you_ask() {
    let (otel, exporter) = exporting();
    let hooks = hooks![no_shell].with_probe(&otel);
    let _ = hooks.intercept_now(&cx(), &mut BeforeToolCall::from(shell()));
    assert_eq!(finished(&exporter), []);
}

#[test]
fn each_hook_that_judged_is_a_span_with_what_it_said_and_whether_it_changed_the_event() {
    #[hook(priority = 30)]
    fn looks(call: &mut BeforeToolCall) {
        std::thread::sleep(Duration::from_millis(20));
        call.name.make_ascii_lowercase();
    }
    #[hook(priority = 20)]
    fn changes(call: &mut BeforeToolCall) {
        call.name = "bash".into();
    }

    let (otel, exporter) = exporting();
    let otel = otel.with_guardrails(true);
    let hooks = hooks![looks, changes, no_shell].with_probe(&otel);
    let _ = hooks.intercept_now(&cx(), &mut BeforeToolCall::from(shell()));

    let spans = finished(&exporter);
    let expected = [
        ("looks", "continue", "false"),
        ("changes", "continue", "true"),
        ("no_shell", "block", "false"),
    ];
    assert_eq!(spans.len(), expected.len());
    for (span, (hook, said, changed)) in spans.iter().zip(expected) {
        assert_eq!(span.name, format!("apply_guardrail {hook}"));
        assert_eq!(span.span_kind, SpanKind::Internal);
        assert_eq!(span.status, Status::Unset);
        let told = [
            ("gen_ai.operation.name", "apply_guardrail"),
            ("gen_ai.guardrail.component.name", hook),
            ("gen_ai.guardrail.source", "BeforeToolCall"),
            ("gen_ai.guardrail.result.type", "action"),
            ("gen_ai.guardrail.result.value", said),
            ("hooks.changed", changed),
            ("gen_ai.tool.call.id", "1"),
            ("gen_ai.conversation.id", "s1"),
            ("gen_ai.agent.id", "coder"),
        ];
        let told = told.map(|(key, text)| (key.to_owned(), text.to_owned()));
        assert_eq!(attributes(span), Texts::from(told));
    }
    let lasted = spans[0].end_time.duration_since(spans[0].start_time);
    assert!(lasted.unwrap() >= Duration::from_millis(20));
}

#[test]
fn a_hook_that_failed_has_no_result_and_no_text_of_the_failure() {
    #[hook]
    fn breaks(message: &mut MessageSending) {
        message.content.push_str(" changed");
        panic!("{}", message.content);
    }

    let (otel, exporter) = exporting();
    let otel = otel.with_guardrails(true);
    let hooks = hooks![breaks.on_panic(OnPanic::Skip)].with_probe(&otel);
    let mut message = MessageSending::default();
    let _ = hooks.intercept_now(&AgentContext::default(), &mut message);
    let span = only(&exporter);
    assert_eq!(span.status, Status::error("the hook failed"));
    let told = [
        ("gen_ai.operation.name", "apply_guardrail"),
        ("gen_ai.guardrail.component.name", "breaks"),
        ("gen_ai.guardrail.source", "MessageSending"),
        ("error.type", "hook_failed"),
    ];
    let told = told.map(|(key, text)| (key.to_owned(), text.to_owned()));
    assert_eq!(attributes(&span), Texts::from(told));
}

#[tokio::test]
async fn a_panic_of_the_provider_does_not_reach_the_agent() {
    /// An exporter may need a runtime that is not there.
    #[derive(Debug)]
    struct Panics;

    impl SpanProcessor for Panics {
        fn on_start(&self, _: &mut Span, _: &Context) {}

        fn on_end(&self, _: SpanData) {
            panic!("there is no reactor running");
        }

        fn force_flush(&self) -> OTelSdkResult {
            Ok(())
        }

        fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
            Ok(())
        }
    }

    let provider = SdkTracerProvider::builder().with_span_processor(Panics);
    let otel = Otel::with_tracer_provider(&provider.build()).with_guardrails(true);
    let hooks = hooks![no_shell].with_probe(&otel);
    for _ in 0..2 {
        let done = run_tool_call(&hooks, &cx(), shell(), lists).await.unwrap();
        assert_eq!(done.outcome, ToolOutcome::Skipped);
    }
    let hooks = hooks![].with_probe(&otel);
    hooks.observe_now(&cx(), &start("2", &json!({})));
    drop(otel);
}

#[test]
fn a_provider_that_keeps_nothing_is_no_mistake() {
    let otel = Otel::with_tracer_provider(&NoopTracerProvider::new()).with_content(true);
    hooks![]
        .with_probe(&otel)
        .observe_now(&cx(), &start("1", &json!({})));
    end(&otel, &cx(), "1", Duration::ZERO);
}
