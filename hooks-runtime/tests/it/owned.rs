//! Events from JSON.

use hooks_core::agent::{AgentContext, AgentEvent, AgentEventMut, BeforeToolCall};
use hooks_runtime::{Decided, OwnedEvent, Runtime};
use serde_json::{Value, json};

#[test]
fn every_event_is_made_of_nothing_and_of_its_own_json() {
    for &name in AgentEvent::NAMES {
        let mut event = OwnedEvent::from_json(name, json!({}))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(event.name(), name);
        assert_eq!(event.view().name(), name);
        assert_eq!(event.as_mut().name(), name);
        let json = event.to_json();
        assert_eq!(json["event"], name);
        let again = OwnedEvent::from_json(name, json.clone())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again.to_json(), json, "{name}");
    }
}

#[test]
fn what_is_said_arrives() {
    for (name, payload) in [
        ("GatewayStart", json!({ "host": "h", "port": 1 })),
        (
            "SessionEnd",
            json!({ "session_id": "s", "channel": "c", "reason": "line\nbreak" }),
        ),
        (
            "SubagentStop",
            json!({ "id": "1", "agent": "a", "response": "r", "status": "failed" }),
        ),
        (
            "LlmInput",
            json!({ "provider": "p", "model": "m", "messages": [{ "role": "user", "content": "hi" }] }),
        ),
        (
            "LlmOutput",
            json!({ "provider": "p", "model": "m", "response": { "content": "hi" }, "duration": { "secs": 1, "nanos": 0 } }),
        ),
        (
            "ApproveToolCall",
            json!({ "id": "1", "name": "t", "args": { "a": 1 }, "approval": { "ask": { "reason": "why" } } }),
        ),
        (
            "ToolCallSkipped",
            json!({ "id": "1", "name": "t", "args": {}, "annotations": { "read_only": true, "destructive": null, "idempotent": null, "open_world": null }, "by": "b", "reason": "r" }),
        ),
        ("Custom", json!({ "kind": "k", "payload": [1, 2] })),
        ("BeforeStop", json!({ "response": "r", "attempt": 3 })),
    ] {
        let event = OwnedEvent::from_json(name, payload.clone())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let json = event.to_json();
        for (key, value) in payload.as_object().unwrap() {
            assert_eq!(&json[key], value, "{name}: {key}");
        }
    }
}

#[test]
fn what_is_wrong_is_said() {
    for (name, payload, expected) in [
        (
            "BeforeTolCall",
            json!({}),
            "there is no event `BeforeTolCall`: did you mean `BeforeToolCall`?",
        ),
        (
            "BeforeStop",
            json!([]),
            "the payload of `BeforeStop` must be an object, not a list",
        ),
        (
            "HeartbeatTick",
            json!({ "x": 1 }),
            "`x` is not a field of `HeartbeatTick`: the event has no fields",
        ),
        (
            "ToolCallStart",
            json!({ "name": 1 }),
            "`ToolCallStart`: `name` must be a string, not a number",
        ),
    ] {
        let error = OwnedEvent::from_json(name, payload).expect_err(expected);
        assert_eq!(error.to_string(), expected);
    }
    let error = OwnedEvent::from_json("LlmInput", json!({ "messages": 1 }))
        .err()
        .unwrap();
    assert!(
        error.to_string().starts_with("`LlmInput`: `messages`: "),
        "{error}"
    );
}

#[test]
fn other_systems_names_are_known() {
    for (name, ours) in [
        ("PreToolUse", "BeforeToolCall"),
        ("pre_tool_use", "BeforeToolCall"),
        ("before_tool", "BeforeToolCall"),
        ("UserPromptSubmit", "MessageReceived"),
        ("BeforeModel", "BeforeLlmCall"),
    ] {
        assert_eq!(OwnedEvent::name_of(name), Some(ours));
        assert_eq!(
            OwnedEvent::from_json(name, Value::Null).unwrap().name(),
            ours
        );
    }
}

#[tokio::test]
async fn hooks_change_what_owns_its_data_and_see_what_borrows() {
    let runtime = Runtime::builder()
        .text(
            r#"
            [[hooks.on]]
            event = "BeforeToolCall"
            modify = { dry_run = true }

            [[hooks.on]]
            name = "deny"
            event = "ApproveToolCall"
            if = "args.n == 1"
            block = "no"
            "#,
        )
        .build()
        .await
        .unwrap();
    let cx = AgentContext::new("s1");
    let mut call = OwnedEvent::from(BeforeToolCall::new("1", "t", json!({})));
    let outcome = runtime.fire(&cx, &mut call).await;
    assert_eq!(outcome.decision, Decided::Continue);
    assert_eq!(
        outcome.change,
        json!([{ "op": "add", "path": "/args/dry_run", "value": true }])
    );
    let AgentEventMut::BeforeToolCall(call) = call.as_mut() else {
        panic!("another event");
    };
    assert_eq!(call.args["dry_run"], true);

    let mut approve =
        OwnedEvent::from_json("ApproveToolCall", json!({ "args": { "n": 1 } })).unwrap();
    let outcome = runtime.fire(&cx, &mut approve).await;
    assert_eq!(outcome.decision, Decided::Block);
    assert_eq!(
        (outcome.hook.as_deref(), outcome.reason.as_deref()),
        (Some("deny"), Some("no"))
    );
}
