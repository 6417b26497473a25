//! Calls of tools that do not exist, or with arguments that are none.

use crate::common::{Model, call, call_raw, cx, say};
use hooks_core::agent::{AfterToolCall, BeforeToolCall, InvalidToolCall, ToolOutput};
use hooks_core::{HookAction, hook, hooks};
use hooks_rig::RigHooks;
use serde_json::json;

#[tokio::test]
async fn a_call_that_a_hook_repairs_runs_with_the_repaired_name_and_arguments() {
    #[hook]
    fn repair(call: &mut InvalidToolCall) {
        call.name = "echo".into();
        call.args["x"] = 2.into();
    }
    let model = Model::start([call("ecko", &json!({ "x": 1 })), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![repair], cx()));
    agent.prompt("Go.").await.unwrap();
    assert_eq!(model.read_last()["content"], r#"echo {"x":2}"#);
}

#[tokio::test]
async fn a_repaired_call_passes_the_hooks_that_every_call_passes() {
    #[hook]
    fn repair(call: &mut InvalidToolCall) {
        call.name = "echo".into();
    }
    #[hook(only("echo"))]
    fn deny(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::block("not today")
    }
    let model = Model::start([call("ecko", &json!({})), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![repair, deny], cx()));
    agent.prompt("Go.").await.unwrap();
    assert_eq!(
        model.read_last()["content"],
        "hook `deny` blocked the event: not today"
    );
}

#[tokio::test]
async fn a_call_that_a_hook_answers_gets_the_answer_after_all_hooks() {
    #[hook]
    fn answer(call: &InvalidToolCall) -> HookAction<InvalidToolCall> {
        HookAction::respond(ToolOutput::error(format!("{}: secret", call.error)))
    }
    #[hook]
    fn redact(done: &mut AfterToolCall) {
        done.output.content = done.output.content.replace("secret", "[redacted]");
    }
    let model = Model::start([call("ecko", &json!({})), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![answer, redact], cx()));
    agent.prompt("Go.").await.unwrap();
    assert_eq!(
        model.read_last()["content"],
        "there is no tool `ecko`; there are: echo, fail, picture: [redacted]"
    );
}

#[tokio::test]
async fn a_call_that_a_hook_blocks_is_skipped_with_the_reason() {
    #[hook]
    fn deny(_: &InvalidToolCall) -> HookAction<InvalidToolCall> {
        HookAction::block("no such thing")
    }
    let model = Model::start([call("ecko", &json!({})), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![deny], cx()));
    agent.prompt("Go.").await.unwrap();
    assert_eq!(
        model.read_last()["content"],
        "hook `deny` blocked the event: no such thing"
    );
}

#[tokio::test]
async fn a_hook_that_aborts_ends_the_run() {
    #[hook]
    fn stop(_: &InvalidToolCall) -> HookAction<InvalidToolCall> {
        HookAction::abort_run("it makes things up")
    }
    let model = Model::start([call("ecko", &json!({})), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![stop], cx()));
    let error = agent.prompt("Go.").await.unwrap_err();
    assert!(error.to_string().contains("it makes things up"), "{error}");
}

#[tokio::test]
async fn a_call_that_no_hook_touches_is_rigs_business() {
    #[hook]
    fn look(_: &InvalidToolCall) {}
    let model = Model::start([call("ecko", &json!({})), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![look], cx()));
    let error = agent.prompt("Go.").await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("unknown or disallowed tool `ecko`"),
        "{error}"
    );
}

#[tokio::test]
async fn arguments_that_a_hook_repairs_are_those_that_the_model_is_told_to_use() {
    #[hook]
    fn repair(call: &mut InvalidToolCall) {
        assert_eq!(call.args, r#"{"x": 1"#);
        call.args = json!({ "x": 1 });
    }
    let model = Model::start([call_raw("echo", r#"{"x": 1"#), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![repair], cx()));
    agent.prompt("Go.").await.unwrap();
    let content = model.read_last()["content"].to_string();
    assert!(
        content.contains(r#"again with these arguments: {\"x\":1}"#),
        "{content}"
    );
}
