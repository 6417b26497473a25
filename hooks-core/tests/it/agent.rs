//! The standard vocabulary: its names, what its events may do, and that its payloads survive JSON.

use std::fmt::Debug;
use std::time::Duration;

use hooks_core::agent::*;
use hooks_core::{
    Blockable, Cancel, Event, Intercepted, Observed, Patch, Respondable, Scope, Subject,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[test]
fn there_are_35_events_in_the_order_of_a_turn() {
    assert_eq!(
        AgentEvent::NAMES,
        [
            "GatewayStart",
            "GatewayStop",
            "HeartbeatTick",
            "SessionStart",
            "SessionEnd",
            "MessageReceived",
            "AgentStart",
            "BeforeModelResolve",
            "BeforePromptBuild",
            "BeforeLlmCall",
            "LlmInput",
            "LlmDelta",
            "LlmFailed",
            "LlmOutput",
            "AfterLlmCall",
            "InvalidToolCall",
            "BeforeToolCall",
            "ApproveToolCall",
            "ToolCallStart",
            "AfterToolCall",
            "ToolCallEnd",
            "ToolCallSkipped",
            "SubagentStart",
            "SubagentStop",
            "BeforeStop",
            "AgentEnd",
            "AgentError",
            "MessageSending",
            "MessageSent",
            "MessageFailed",
            "BeforeCompact",
            "AfterCompact",
            "Interrupt",
            "Notification",
            "Custom",
        ]
    );
}

/// The module's page has one table, with a row an event: what it says of the kind is what the vocabulary says.
#[test]
fn the_table_of_the_modules_page_has_a_row_for_each_event() {
    let page = include_str!("../../src/agent/mod.rs");
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter_map(|line| line.strip_prefix("//! | [`"))
        .map(|row| row.split(" | ").collect())
        .collect();
    let names: Vec<&str> = rows
        .iter()
        .map(|row| row[0].trim_end_matches("`]"))
        .collect();
    assert_eq!(names, AgentEvent::NAMES);
    for row in rows {
        let name = row[0].trim_end_matches("`]");
        let (_, before) = page
            .split_once(&format!("    {name}(&'a "))
            .map(|(before, after)| (after, before))
            .unwrap();
        let attribute = before.rsplit("#[").next().unwrap();
        assert_eq!(row.len(), 5, "{name}");
        assert!(attribute.starts_with(row[1]), "{name}");
        let blocks = attribute.starts_with("intercept") && !attribute.contains("no_block");
        assert_eq!(row[2].contains("block"), blocks, "{name}");
        assert_eq!(
            row[2].contains("respond"),
            attribute.contains("respond"),
            "{name}"
        );
    }
}

/// What an event may do is told by traits, so a test of it compiles or does not.
#[test]
fn each_event_allows_what_the_table_says() {
    fn observed<E: Observed>() {}
    fn no_block<E: Intercepted>() {}
    fn blockable<E: Intercepted + Blockable>() {}
    fn answered<E: Intercepted + Respondable<Answer = A>, A>() {}
    fn patched<E: Event<Patch = P>, P: Patch<E>>() {}
    fn subject<E: Subject>() {}

    observed::<GatewayStart>();
    observed::<GatewayStop>();
    observed::<HeartbeatTick>();
    no_block::<SessionStart>();
    no_block::<LlmFailed>();
    no_block::<AfterLlmCall>();
    no_block::<AfterToolCall>();
    observed::<SessionEnd>();
    observed::<AgentStart>();
    observed::<AgentEnd>();
    observed::<LlmInput>();
    observed::<LlmOutput>();
    observed::<LlmDelta>();
    observed::<ToolCallStart>();
    observed::<ToolCallEnd>();
    observed::<ToolCallSkipped>();
    observed::<AgentError>();
    observed::<MessageFailed>();
    observed::<AfterCompact>();
    observed::<Interrupt>();
    observed::<Custom>();
    observed::<MessageSent>();
    observed::<SubagentStop>();
    observed::<Notification>();
    blockable::<MessageReceived>();
    blockable::<BeforeModelResolve>();
    blockable::<BeforePromptBuild>();
    blockable::<BeforeLlmCall>();
    blockable::<BeforeToolCall>();
    blockable::<InvalidToolCall>();
    blockable::<ApproveToolCall>();
    blockable::<MessageSending>();
    blockable::<SubagentStart>();
    blockable::<BeforeStop>();
    blockable::<BeforeCompact>();
    answered::<BeforeLlmCall, LlmResponse>();
    answered::<AfterLlmCall, Retry>();
    answered::<LlmFailed, Retry>();
    answered::<ApproveToolCall, Approved>();
    answered::<BeforeToolCall, ToolOutput>();
    answered::<InvalidToolCall, ToolOutput>();
    patched::<BeforeToolCall, ToolCallPatch>();
    patched::<InvalidToolCall, ToolCallPatch>();
    patched::<AfterToolCall, ToolOutput>();
    patched::<AfterLlmCall, AfterLlmCall>();
    subject::<BeforeToolCall>();
    subject::<InvalidToolCall>();
    subject::<ApproveToolCall>();
    subject::<AfterToolCall>();
    subject::<ToolCallEnd>();
    subject::<ToolCallStart>();
    subject::<ToolCallSkipped>();
    subject::<Custom>();
}

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug + Clone + Default>(value: T) {
    for value in [value, T::default()] {
        let json = serde_json::to_string(&value).unwrap();
        assert_eq!(
            serde_json::from_str::<T>(&json).unwrap(),
            value.clone(),
            "{json}"
        );
    }
}

fn borrowed_round_trip<T>(json: &'static str, value: T)
where
    T: Serialize + Deserialize<'static> + PartialEq + Debug + Copy,
{
    assert_eq!(serde_json::to_string(&value).unwrap(), json);
    assert_eq!(serde_json::from_str::<T>(json).unwrap(), value);
}

#[test]
fn owning_payloads_survive_json() {
    let tool_call = ToolCall::new("1", "shell", json!({ "command": "ls" }));
    let message = ChatMessage::assistant("Let me see.").with_tool_calls([tool_call.clone()]);
    let response = LlmResponse {
        tool_calls: vec![tool_call],
        reasoning: Some("Hm.".into()),
        stop_reason: Some(StopReason::ToolUse),
        usage: Usage {
            cost_usd: Some(0.25),
            cache_read_tokens: 3,
            ..Usage::new(10, 2)
        },
        ..LlmResponse::new("Done.")
    };
    let picture = Media::from_base64(MediaKind::Image, "image/png", "AAAA").with_name("a.png");
    let output = ToolOutput {
        for_user: Some("short".into()),
        data: Some(json!([1])),
        media: vec![picture.clone()],
        silent: true,
        ..ToolOutput::error("long")
    };
    let args = json!({ "path": "/" });
    let text = || String::from("text \"quoted\"\n");
    let context = || vec![text()];
    round_trip(
        AgentContext::new("s1")
            .with_agent_id("a")
            .with_agent_type("coder")
            .with_tenant_id("t")
            .with_run_id("r")
            .with_parent_run_id("p")
            .with_cwd("/")
            .with_project_dir("/")
            .with_turn(2)
            .with_depth(1)
            .with_channel("cli")
            .with_chat_id("c")
            .with_sender("ada")
            .with_trace_id("0af7")
            .with_extra("roles", json!(["admin"])),
    );
    round_trip(SessionStart {
        source: text(),
        model: Some(text()),
        context: context(),
        ..SessionStart::new("s1", "cli")
    });
    round_trip(MessageReceived {
        id: Some(text()),
        attachments: vec![picture],
        context: context(),
        ..MessageReceived::new(text(), text(), text())
    });
    round_trip(MessageSending::new(text(), text(), text()));
    round_trip(BeforeModelResolve {
        provider: text(),
        model: text(),
    });
    round_trip(BeforePromptBuild { prompt: text() });
    round_trip(BeforeLlmCall {
        tools: vec![ToolDefinition::new(text(), text(), json!({}))],
        options: json!({ "temperature": 0.5 }),
        ..BeforeLlmCall::new(text(), text(), vec![message])
    });
    round_trip(AfterLlmCall::new(text(), response, 1));
    round_trip(LlmFailed::new(text(), text(), text(), 2));
    round_trip(Retry::with_feedback("shorter"));
    for approval in [
        Approval::Usual,
        Approval::ask(text()),
        Approval::granted(text()),
    ] {
        round_trip(BeforeToolCall {
            approval,
            context: context(),
            ..BeforeToolCall::new(text(), text(), args.clone())
        });
    }
    round_trip(Approved::by("ada"));
    round_trip(InvalidToolCall::new(text(), text(), args.clone(), text()));
    round_trip(ToolCallPatch {
        name: Some(text()),
        args: Some(args.clone()),
    });
    let call = BeforeToolCall::new(text(), text(), args);
    round_trip(AfterToolCall {
        context: context(),
        ..AfterToolCall::of(call, output, Duration::from_millis(1_500))
    });
    round_trip(SubagentStart {
        context: context(),
        ..SubagentStart::new(text(), text(), text())
    });
    round_trip(BeforeStop::new(text(), 1));
    round_trip(BeforeCompact::new(text()));
}

#[test]
fn absent_keys_are_the_default_and_arguments_an_object() {
    let empty = json!({});
    assert_eq!(BeforeToolCall::default().args, empty);
    assert_eq!(ToolCall::default().args, empty);
    assert_eq!(InvalidToolCall::default().args, empty);
    assert_eq!(AfterToolCall::default().args, empty);
    assert_eq!(BeforeLlmCall::default().options, empty);
    assert_eq!(ToolDefinition::default().parameters, empty);

    let call: BeforeToolCall = serde_json::from_value(json!({ "name": "shell" })).unwrap();
    assert_eq!(call, BeforeToolCall::new("", "shell", json!({})));
    let cx: AgentContext = serde_json::from_value(json!({ "session_id": "s1" })).unwrap();
    assert_eq!(cx, AgentContext::new("s1"));
    let response: LlmResponse = serde_json::from_value(json!({ "content": "Hi" })).unwrap();
    assert_eq!(response, LlmResponse::new("Hi"));
}

#[test]
fn usage_adds_up_and_does_not_overflow() {
    let one = Usage {
        input_tokens: u64::MAX,
        output_tokens: 1,
        cost_usd: Some(0.5),
        ..Usage::default()
    };
    let sum = one + Usage::new(1, 1);
    assert_eq!((sum.input_tokens, sum.output_tokens), (u64::MAX, 2));
    assert_eq!((sum.total(), sum.cost_usd), (u64::MAX, Some(0.5)));
    let mut total = Usage::default();
    total += one;
    assert_eq!(total, one);
    assert_eq!([one, Usage::default()].iter().sum::<Usage>(), one);
    assert_eq!(Usage::default().cost_usd, None);
}

#[test]
fn stop_reasons_are_read_in_the_words_of_both_providers() {
    for (word, reason) in [
        ("stop", StopReason::EndTurn),
        ("end_turn", StopReason::EndTurn),
        ("tool_calls", StopReason::ToolUse),
        ("function_call", StopReason::ToolUse),
        ("tool_use", StopReason::ToolUse),
        ("length", StopReason::MaxTokens),
        ("max_tokens", StopReason::MaxTokens),
        ("stop_sequence", StopReason::StopSequence),
        ("content_filter", StopReason::ContentFilter),
        ("refusal", StopReason::Refusal),
        ("pause_turn", StopReason::Other("pause_turn".into())),
    ] {
        let read: StopReason = serde_json::from_value(json!(word)).unwrap();
        assert_eq!(read, reason);
        let written = serde_json::to_value(&read).unwrap();
        assert_eq!(
            serde_json::from_value::<StopReason>(written).unwrap(),
            reason
        );
        assert_eq!(
            StopReason::from(read.as_openai()).as_openai(),
            read.as_openai()
        );
    }
}

#[test]
fn payloads_that_borrow_text_survive_json() {
    borrowed_round_trip(
        r#"{"host":"::1","port":80}"#,
        GatewayStart {
            host: "::1",
            port: 80,
        },
    );
    borrowed_round_trip("null", GatewayStop);
    borrowed_round_trip("null", HeartbeatTick);
    borrowed_round_trip(
        r#"{"session_id":"s","channel":"cli"}"#,
        SessionEnd {
            session_id: "s",
            channel: "cli",
            reason: "",
        },
    );
    borrowed_round_trip(r#"{"prompt":"p"}"#, AgentStart { prompt: "p" });
    borrowed_round_trip(
        concat!(
            r#"{"response":"r","status":"failed","usage":{"input_tokens":2,"output_tokens":1,"#,
            r#""cache_read_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0},"#,
            r#""duration":{"secs":1,"nanos":0}}"#
        ),
        AgentEnd {
            response: "r",
            status: AgentStatus::Failed,
            usage: Usage::new(2, 1),
            duration: Duration::from_secs(1),
        },
    );
    borrowed_round_trip(
        r#"{"stage":"model","message":"m"}"#,
        AgentError {
            stage: "model",
            message: "m",
        },
    );
    borrowed_round_trip(
        r#"{"channel":"c","recipient":"r","content":"x","error":"e"}"#,
        MessageFailed {
            channel: "c",
            recipient: "r",
            content: "x",
            error: "e",
        },
    );
    borrowed_round_trip(
        r#"{"trigger":"auto","summary":"s"}"#,
        AfterCompact {
            trigger: "auto",
            summary: "s",
        },
    );
    borrowed_round_trip(
        r#"{"kind":"stop","message":""}"#,
        Interrupt {
            kind: "stop",
            message: "",
        },
    );
    borrowed_round_trip(
        r#"{"kind":"reasoning","text":"t"}"#,
        LlmDelta {
            kind: DeltaKind::Reasoning,
            text: "t",
        },
    );
    borrowed_round_trip(
        r#"{"channel":"c","recipient":"r","content":"x"}"#,
        MessageSent {
            channel: "c",
            recipient: "r",
            content: "x",
        },
    );
    borrowed_round_trip(
        r#"{"id":"1","agent":"a","response":"r","status":"completed"}"#,
        SubagentStop {
            id: "1",
            agent: "a",
            response: "r",
            status: AgentStatus::Completed,
        },
    );
    borrowed_round_trip(
        r#"{"kind":"k","title":"t","message":"m"}"#,
        Notification {
            kind: "k",
            title: "t",
            message: "m",
        },
    );
}

#[test]
fn every_event_serializes_with_its_name() {
    let (args, output, response) = (
        json!({ "a": 1 }),
        ToolOutput::new("x"),
        LlmResponse::new("y"),
    );
    let end = ToolCallEnd {
        id: "1",
        name: "list",
        args: &args,
        annotations: ToolAnnotations::default(),
        output: &output,
        duration: Duration::from_millis(1_500),
        outcome: ToolOutcome::Ran,
    };
    assert_eq!(
        serde_json::to_value(AgentEvent::from(&end)).unwrap(),
        json!({
            "event": "ToolCallEnd",
            "id": "1",
            "name": "list",
            "args": { "a": 1 },
            "output": { "content": "x", "is_error": false, "silent": false },
            "duration": { "secs": 1, "nanos": 500_000_000 },
            "outcome": "ran",
        })
    );
    let approve = ApproveToolCall {
        id: "1",
        name: "list",
        args: &args,
        annotations: ToolAnnotations::default(),
        approval: &Approval::ask("why not"),
    };
    let value = serde_json::to_value(AgentEvent::from(&approve)).unwrap();
    assert_eq!(
        value,
        json!({
            "event": "ApproveToolCall", "id": "1", "name": "list", "args": { "a": 1 },
            "approval": { "ask": { "reason": "why not" } },
        })
    );
    let custom = Custom {
        kind: "index.rebuilt",
        payload: &args,
    };
    let value = serde_json::to_value(AgentEvent::from(&custom)).unwrap();
    assert_eq!(
        value,
        json!({ "event": "Custom", "kind": "index.rebuilt", "payload": { "a": 1 } })
    );
    let messages = [ChatMessage::new(Role::User, "hi")];
    let input = LlmInput {
        model: "m",
        messages: &messages,
        ..LlmInput::default()
    };
    let value = serde_json::to_value(AgentEvent::from(&input)).unwrap();
    assert_eq!(
        value,
        json!({ "event": "LlmInput", "provider": "", "model": "m", "messages": [{ "role": "user", "content": "hi" }] })
    );
    let call = BeforeLlmCall::new("p", "m", Vec::new());
    let output = LlmOutput::of(&call, &response, Duration::ZERO);
    let value = serde_json::to_value(AgentEvent::from(&output)).unwrap();
    assert_eq!(
        value,
        json!({
            "event": "LlmOutput", "provider": "p", "model": "m", "response": { "content": "y" },
            "duration": { "secs": 0, "nanos": 0 },
        })
    );
    let value = serde_json::to_value(AgentEvent::from(&GatewayStop)).unwrap();
    assert_eq!(value, json!({ "event": "GatewayStop" }));
}

#[test]
fn a_tool_call_goes_from_event_to_event() {
    let args = json!({ "path": "." });
    let call = ToolCall::new("1", "list", args.clone());
    let invalid = InvalidToolCall::new("1", "list", args.clone(), "repaired");
    let mut before = BeforeToolCall::from(call);
    assert_eq!(BeforeToolCall::from(invalid), before);
    before.approval = Approval::granted("policy");
    before.context.push("as asked".into());
    let approve = ApproveToolCall::from(&before);
    assert_eq!(
        (approve.id, approve.name, approve.args),
        ("1", "list", &args)
    );
    assert_eq!(approve.approval, &before.approval);
    let start = ToolCallStart::from(&before);
    assert_eq!((start.id, start.name, start.args), ("1", "list", &args));

    let cancel = Cancel {
        hook: "deny".into(),
        reason: "no".into(),
        scope: Scope::Event,
    };
    let skipped = ToolCallSkipped::of(&before, &cancel);
    assert_eq!(
        (skipped.name, skipped.by, skipped.reason),
        ("list", "deny", "no")
    );

    let second = Duration::from_secs(1);
    let after = AfterToolCall::of(before, ToolOutput::new("x"), second);
    assert_eq!(after.context, ["as asked"]);
    let end = ToolCallEnd::of(&after, ToolOutcome::Answered);
    assert_eq!(
        (end.name, end.args, end.output),
        ("list", &args, &after.output)
    );
    assert_eq!((end.duration, end.outcome), (second, ToolOutcome::Answered));

    let message = MessageSending {
        content: "hi".into(),
        ..MessageSending::default()
    };
    assert_eq!(MessageSent::from(&message).content, "hi");
}
