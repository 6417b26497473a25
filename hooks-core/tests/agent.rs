//! The standard vocabulary: its names, what its events may do, and that its payloads survive JSON.

use std::fmt::Debug;
use std::time::Duration;

use hooks_core::agent::*;
use hooks_core::{Blockable, Event, Intercepted, Observed, Patch, Respondable, Subject};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[test]
fn there_are_27_events_in_the_order_of_a_turn() {
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
            "LlmOutput",
            "AfterLlmCall",
            "InvalidToolCall",
            "BeforeToolCall",
            "ApproveToolCall",
            "AfterToolCall",
            "ToolCallEnd",
            "SubagentStart",
            "SubagentStop",
            "BeforeStop",
            "AgentEnd",
            "MessageSending",
            "MessageSent",
            "BeforeCompact",
            "Notification",
        ]
    );
}

/// What an event may do is told by traits, so a test of it compiles or does not.
#[test]
fn each_event_allows_what_the_table_says() {
    fn observed<E: Observed>() {}
    fn blockable<E: Intercepted + Blockable>() {}
    fn answered<E: Intercepted + Respondable<Answer = A>, A>() {}
    fn patched<E: Event<Patch = P>, P: Patch<E>>() {}
    fn subject<E: Subject>() {}

    observed::<GatewayStart>();
    observed::<GatewayStop>();
    observed::<HeartbeatTick>();
    observed::<SessionStart>();
    observed::<SessionEnd>();
    observed::<AgentStart>();
    observed::<AgentEnd>();
    observed::<LlmInput>();
    observed::<LlmOutput>();
    observed::<LlmDelta>();
    observed::<ToolCallEnd>();
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
    let tool_call = ToolCall {
        id: "1".into(),
        name: "shell".into(),
        args: json!({ "command": "ls" }),
    };
    let message = ChatMessage {
        tool_calls: vec![tool_call.clone()],
        ..ChatMessage::new(Role::Assistant, "Let me see.")
    };
    let response = LlmResponse {
        content: "Done.".into(),
        tool_calls: vec![tool_call],
    };
    let output = ToolOutput {
        for_user: Some("short".into()),
        silent: true,
        ..ToolOutput::error("long")
    };
    let args = json!({ "path": "/" });
    let text = || String::from("text \"quoted\"\n");
    round_trip(
        AgentContext::new("s1")
            .with_agent_id("a")
            .with_tenant_id("t")
            .with_cwd("/")
            .with_turn(2)
            .with_depth(1),
    );
    round_trip(MessageReceived {
        channel: text(),
        sender: text(),
        content: text(),
    });
    round_trip(MessageSending {
        channel: text(),
        recipient: text(),
        content: text(),
    });
    round_trip(BeforeModelResolve {
        provider: text(),
        model: text(),
    });
    round_trip(BeforePromptBuild { prompt: text() });
    round_trip(BeforeLlmCall {
        model: text(),
        messages: vec![message],
        tools: vec![ToolDefinition {
            name: text(),
            description: text(),
            parameters: json!({}),
        }],
        options: json!({ "temperature": 0.5 }),
    });
    round_trip(AfterLlmCall {
        model: text(),
        response,
    });
    round_trip(Retry::with_feedback("shorter"));
    round_trip(BeforeToolCall {
        id: text(),
        name: text(),
        args: args.clone(),
    });
    round_trip(InvalidToolCall {
        id: text(),
        name: text(),
        args: args.clone(),
        error: text(),
    });
    round_trip(ToolCallPatch {
        name: Some(text()),
        args: Some(args.clone()),
    });
    round_trip(AfterToolCall {
        id: text(),
        name: text(),
        args,
        output,
        duration: Duration::from_millis(1_500),
    });
    round_trip(SubagentStart {
        agent: text(),
        prompt: text(),
    });
    round_trip(BeforeStop { response: text() });
    round_trip(BeforeCompact {
        trigger: text(),
        instructions: text(),
    });
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
        SessionStart {
            session_id: "s",
            channel: "cli",
        },
    );
    borrowed_round_trip(
        r#"{"session_id":"s","channel":"cli"}"#,
        SessionEnd {
            session_id: "s",
            channel: "cli",
        },
    );
    borrowed_round_trip(r#"{"prompt":"p"}"#, AgentStart { prompt: "p" });
    borrowed_round_trip(r#"{"response":"r"}"#, AgentEnd { response: "r" });
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
        r#"{"agent":"a","response":"r"}"#,
        SubagentStop {
            agent: "a",
            response: "r",
        },
    );
    borrowed_round_trip(
        r#"{"kind":"k","message":"m"}"#,
        Notification {
            kind: "k",
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
        output: &output,
        duration: Duration::from_millis(1_500),
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
        })
    );
    let approve = ApproveToolCall {
        id: "1",
        name: "list",
        args: &args,
    };
    let value = serde_json::to_value(AgentEvent::from(&approve)).unwrap();
    assert_eq!(
        value,
        json!({ "event": "ApproveToolCall", "id": "1", "name": "list", "args": { "a": 1 } })
    );
    let messages = [ChatMessage::new(Role::User, "hi")];
    let input = LlmInput {
        model: "m",
        messages: &messages,
    };
    let value = serde_json::to_value(AgentEvent::from(&input)).unwrap();
    assert_eq!(
        value,
        json!({ "event": "LlmInput", "model": "m", "messages": [{ "role": "user", "content": "hi" }] })
    );
    let output = LlmOutput {
        model: "m",
        response: &response,
    };
    let value = serde_json::to_value(AgentEvent::from(&output)).unwrap();
    assert_eq!(
        value,
        json!({ "event": "LlmOutput", "model": "m", "response": { "content": "y" } })
    );
    let value = serde_json::to_value(AgentEvent::from(&GatewayStop)).unwrap();
    assert_eq!(value, json!({ "event": "GatewayStop" }));
}

#[test]
fn a_tool_call_goes_from_event_to_event() {
    let call = ToolCall {
        id: "1".into(),
        name: "list".into(),
        args: json!({ "path": "." }),
    };
    let invalid = InvalidToolCall {
        id: "1".into(),
        name: "list".into(),
        args: json!({ "path": "." }),
        error: "repaired".into(),
    };
    let before = BeforeToolCall::from(call);
    assert_eq!(BeforeToolCall::from(invalid), before);
    let approve = ApproveToolCall::from(&before);
    assert_eq!(
        (approve.id, approve.name, approve.args),
        ("1", "list", &json!({ "path": "." }))
    );
    let after = AfterToolCall {
        name: "list".into(),
        output: ToolOutput::new("x"),
        duration: Duration::from_secs(1),
        ..AfterToolCall::default()
    };
    let end = ToolCallEnd::from(&after);
    assert_eq!(
        (end.name, end.output, end.duration),
        ("list", &after.output, after.duration)
    );
    let message = MessageSending {
        content: "hi".into(),
        ..MessageSending::default()
    };
    assert_eq!(MessageSent::from(&message).content, "hi");
}
