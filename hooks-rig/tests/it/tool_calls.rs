//! What hooks may do to the tool calls of rig's own loop.

use std::sync::{Arc, Mutex};

use crate::common::{Model, call, cx, say};
use hooks_core::agent::{AfterToolCall, ApproveToolCall, BeforeToolCall, ToolCallEnd, ToolOutput};
use hooks_core::{HookAction, hook, hooks};
use hooks_rig::RigHooks;
use serde_json::json;

#[tokio::test]
async fn a_call_that_a_hook_blocks_does_not_run_and_the_model_reads_why() {
    #[hook(only("echo"))]
    fn deny(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::block("not today")
    }
    let model = Model::start([call("echo", &json!({ "x": 1 })), say("Then not.")]).await;
    let agent = model.agent(RigHooks::new(hooks![deny], cx()));
    let response = agent.prompt("Go.").await.unwrap();
    assert_eq!(response.output(), "Then not.");
    let read = model.read_last();
    assert_eq!(read["role"], "tool");
    assert_eq!(read["tool_call_id"], "call_1");
    assert_eq!(read["content"], "hook `deny` blocked the event: not today");
}

#[tokio::test]
async fn arguments_that_a_hook_rewrites_are_those_that_the_tool_gets() {
    #[hook]
    fn to_root(call: &mut BeforeToolCall) {
        call.args["path"] = "/".into();
    }
    let model = Model::start([call("echo", &json!({ "path": "etc" })), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![to_root], cx()));
    agent.prompt("Go.").await.unwrap();
    assert_eq!(model.read_last()["content"], r#"echo {"path":"/"}"#);
}

#[tokio::test]
async fn an_answer_of_a_hook_is_what_the_model_reads_and_the_tool_does_not_run() {
    #[hook]
    fn cached(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::respond(ToolOutput::new("from the cache, mail ada@example.org"))
    }
    #[hook]
    fn redact(done: &mut AfterToolCall) {
        done.output.content = done.output.content.replace("ada@example.org", "[mail]");
    }
    let model = Model::start([call("fail", &json!({})), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![cached, redact], cx()));
    agent.prompt("Go.").await.unwrap();
    assert_eq!(model.read_last()["content"], "from the cache, mail [mail]");
}

#[tokio::test]
async fn what_a_hook_makes_of_an_output_is_what_the_model_reads() {
    #[hook]
    fn redact(done: &mut AfterToolCall) {
        done.output.content = done.output.content.replace("secret", "[redacted]");
    }
    let model = Model::start([call("echo", &json!({ "x": "secret" })), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![redact], cx()));
    agent.prompt("Go.").await.unwrap();
    assert_eq!(model.read_last()["content"], r#"echo {"x":"[redacted]"}"#);
}

/// What an observer has seen of calls that are over.
#[derive(Clone, Default)]
struct Ended(Arc<Mutex<Vec<String>>>);

#[hook]
impl Ended {
    fn note(&self, done: &ToolCallEnd<'_>) {
        let ToolCallEnd {
            id,
            name,
            args,
            output,
            ..
        } = done;
        let ok = if output.is_error { "failed" } else { "ok" };
        let line = format!("{id} {name} {args} {ok} {}", output.content);
        self.0.lock().unwrap().push(line);
    }
}

#[tokio::test]
async fn a_call_that_is_over_is_told_of_with_the_output_of_the_tool() {
    let ended = Ended::default();
    let model = Model::start([
        call("echo", &json!({ "x": 1 })),
        call("fail", &json!({})),
        say("Done."),
    ])
    .await;
    let agent = model.agent(RigHooks::new(hooks![ended.clone()], cx()));
    agent.prompt("Go.").await.unwrap();
    assert_eq!(
        *ended.0.lock().unwrap(),
        [
            r#"call_1 echo {"x":1} ok echo {"x":1}"#,
            "call_1 fail {} failed the tool broke"
        ]
    );
}

#[tokio::test]
async fn a_call_that_is_denied_approval_does_not_run() {
    #[hook]
    fn nobody(_: &ApproveToolCall<'_>) -> HookAction<ApproveToolCall<'_>> {
        HookAction::block("nobody is there to ask")
    }
    let model = Model::start([call("echo", &json!({})), say("Then not.")]).await;
    let agent = model.agent(RigHooks::new(hooks![nobody], cx()));
    agent.prompt("Go.").await.unwrap();
    assert_eq!(
        model.read_last()["content"],
        "hook `nobody` blocked the event: nobody is there to ask"
    );
}

#[tokio::test]
async fn a_hook_that_aborts_the_turn_ends_the_run_of_rig() {
    #[hook]
    fn stop(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::abort_turn("enough")
    }
    let model = Model::start([call("echo", &json!({})), say("Never said.")]).await;
    let agent = model.agent(RigHooks::new(hooks![stop], cx()));
    let error = agent.prompt("Go.").await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("hook `stop` aborted the turn: enough"),
        "{error}"
    );
    assert_eq!(model.asked().len(), 1);
}

#[tokio::test]
async fn a_hook_that_aborts_the_run_after_a_tool_ends_it_before_the_model_reads_the_output() {
    #[hook]
    fn stop(_: &AfterToolCall) -> HookAction<AfterToolCall> {
        HookAction::abort_run("a private key came out")
    }
    let model = Model::start([call("echo", &json!({})), say("Never said.")]).await;
    let agent = model.agent(RigHooks::new(hooks![stop], cx()));
    let error = agent.prompt("Go.").await.unwrap_err();
    assert!(
        error.to_string().contains("a private key came out"),
        "{error}"
    );
    assert_eq!(model.asked().len(), 1);
}

#[tokio::test]
async fn another_tool_than_the_model_called_is_refused() {
    #[hook]
    fn rename(call: &mut BeforeToolCall) {
        call.name = "fail".into();
    }
    let model = Model::start([call("echo", &json!({})), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![rename], cx()));
    agent.prompt("Go.").await.unwrap();
    let content = model.read_last()["content"].to_string();
    assert!(content.contains("rig calls no other tool"), "{content}");
}
