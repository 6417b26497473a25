//! What hooks see of the calls of the model, and may do to them.

use std::sync::{Arc, Mutex};

use crate::common::{Model, call, cx, say};
use futures::StreamExt;
use hooks_core::agent::{
    AfterLlmCall, AgentContext, AgentEnd, AgentStart, BeforeLlmCall, BeforeModelResolve,
    BeforePromptBuild, BeforeStop, ChatMessage, DeltaKind, LlmDelta, LlmInput, LlmOutput,
    MessageReceived, Retry, Role,
};
use hooks_core::{HookAction, hook, hooks};
use hooks_rig::RigHooks;
use serde_json::{Value, json};

/// Lines that an observer has written.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl Lines {
    fn push(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

#[tokio::test]
async fn the_models_input_and_output_are_told_of() {
    struct Watch(Lines);
    #[hook]
    impl Watch {
        fn input(&self, input: &LlmInput<'_>) {
            let roles: Vec<Role> = input
                .messages
                .iter()
                .map(|message| message.role.clone())
                .collect();
            let last = input.messages.last().unwrap();
            self.0
                .push(format!("{} {roles:?} {}", input.model, last.content));
        }
        fn output(&self, output: &LlmOutput<'_>) {
            let LlmOutput {
                model, response, ..
            } = output;
            let calls: Vec<&str> = response
                .tool_calls
                .iter()
                .map(|call| call.name.as_str())
                .collect();
            self.0
                .push(format!("{model} {:?} {calls:?}", response.content));
        }
    }
    let lines = Lines::default();
    let model = Model::start([call("echo", &json!({ "x": 1 })), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![Watch(lines.clone())], cx()));
    agent.prompt("Go.").await.unwrap();
    assert_eq!(
        lines.take(),
        [
            "default [System, User] Go.",
            r#"default "" ["echo"]"#,
            r#"default [System, User, Assistant, Tool] echo {"x":1}"#,
            r#"default "Done." []"#,
        ]
    );
}

#[tokio::test]
async fn every_piece_of_a_streamed_answer_is_told_of() {
    struct Pieces(Lines);
    #[hook]
    impl Pieces {
        fn piece(&self, delta: &LlmDelta<'_>) {
            if !delta.text.is_empty() {
                self.0.push(format!("{:?} {}", delta.kind, delta.text));
            }
        }
    }
    let lines = Lines::default();
    let model = Model::start([call("echo", &json!({ "x": 1 })), say("All is done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![Pieces(lines.clone())], cx()));
    let mut stream = agent.prompt("Go.").stream();
    while let Some(item) = stream.next().await {
        item.unwrap();
    }
    let text = format!("{:?}", DeltaKind::Text);
    assert_eq!(
        lines.take(),
        [
            r#"ToolCall {"x"#.to_owned(),
            r#"ToolCall ":1}"#.to_owned(),
            format!("{text} All "),
            format!("{text} is "),
            format!("{text} done."),
        ]
    );
}

#[tokio::test]
async fn an_answer_that_a_hook_refuses_is_asked_for_again() {
    #[hook]
    fn brief(call: &AfterLlmCall) -> HookAction<AfterLlmCall> {
        if call.response.content.len() > 20 {
            return HookAction::respond(Retry::with_feedback("Be brief."));
        }
        HookAction::Continue
    }
    let model = Model::start([say("A long and winding answer."), say("Yes.")]).await;
    let agent = model.agent(RigHooks::new(hooks![brief], cx()));
    let response = agent.prompt("Well?").await.unwrap();
    assert_eq!(response.output(), "Yes.");
    assert_eq!(
        model.read_last(),
        json!({ "role": "user", "content": "Be brief." })
    );
}

#[tokio::test]
async fn an_answer_that_a_hook_has_repeated_is_forgotten() {
    #[hook]
    fn not_empty(call: &AfterLlmCall) -> HookAction<AfterLlmCall> {
        if call.response.content == "…" {
            return HookAction::respond(Retry::default());
        }
        HookAction::Continue
    }
    let model = Model::start([say("…"), say("Yes.")]).await;
    let agent = model.agent(RigHooks::new(hooks![not_empty], cx()));
    agent.prompt("Well?").await.unwrap();
    let asked = model.asked();
    assert_eq!(asked[0]["messages"], asked[1]["messages"]);
}

#[tokio::test]
async fn an_answer_that_calls_tools_cannot_be_asked_for_again() {
    #[hook]
    fn never(_: &AfterLlmCall) -> HookAction<AfterLlmCall> {
        HookAction::respond(Retry::default())
    }
    let model = Model::start([call("echo", &json!({})), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![never], cx()));
    let error = agent.prompt("Go.").await.unwrap_err();
    assert!(error.to_string().contains("has tool calls"), "{error}");
}

#[tokio::test]
async fn an_answer_that_a_hook_changes_is_the_one_of_the_run() {
    #[hook]
    fn redact(call: &mut AfterLlmCall) {
        call.response.content = call.response.content.replace("ada@example.org", "[mail]");
    }
    let model = Model::start([say("Write to ada@example.org.")]).await;
    let agent = model.agent(RigHooks::new(hooks![redact], cx()));
    let response = agent.prompt("Whom?").await.unwrap();
    assert_eq!(response.output(), "Write to [mail].");
}

#[tokio::test]
async fn a_hook_that_blocks_the_stop_sends_the_model_on() {
    #[hook]
    fn tests_first(stop: &BeforeStop) -> HookAction<BeforeStop> {
        if stop.response.contains("tests pass") {
            return HookAction::Continue;
        }
        HookAction::block("run the tests first")
    }
    let model = Model::start([say("Done."), say("Done, and the tests pass.")]).await;
    let agent = model.agent(RigHooks::new(hooks![tests_first], cx()));
    let response = agent.prompt("Go.").await.unwrap();
    assert_eq!(response.output(), "Done, and the tests pass.");
    assert_eq!(model.read_last()["content"], "run the tests first");
}

#[tokio::test]
async fn a_prompt_that_a_hook_rewrites_is_the_one_that_the_model_reads() {
    #[hook]
    fn shout(message: &mut MessageReceived) {
        message.content.make_ascii_uppercase();
    }
    let model = Model::start([say("Yes.")]).await;
    let agent = model.agent(RigHooks::new(hooks![shout], cx()));
    agent.prompt("is it so?").await.unwrap();
    assert_eq!(model.read_last()["content"], "IS IT SO?");
}

#[tokio::test]
async fn a_prompt_that_a_hook_blocks_is_not_worked_on() {
    struct Drop(Lines);
    #[hook]
    impl Drop {
        fn drop(&self, _: &MessageReceived) -> HookAction<MessageReceived> {
            HookAction::block("spam")
        }
        fn start(&self, _: &AgentStart<'_>) {
            self.0.push("start".into());
        }
        fn end(&self, _: &AgentEnd<'_>) {
            self.0.push("end".into());
        }
    }
    let lines = Lines::default();
    let model = Model::start([say("Yes.")]).await;
    let agent = model.agent(RigHooks::new(hooks![Drop(lines.clone())], cx()));
    let error = agent.prompt("Buy!").await.unwrap_err();
    assert!(error.to_string().contains("spam"), "{error}");
    assert!(model.asked().is_empty());
    assert!(lines.take().is_empty());
}

#[tokio::test]
async fn the_beginning_and_the_end_of_a_run_are_told_of() {
    struct Life(Lines);
    #[hook]
    impl Life {
        fn start(&self, cx: &AgentContext, start: &AgentStart<'_>) {
            self.0.push(format!("{} {}", cx.turn, start.prompt));
        }
        fn end(&self, cx: &AgentContext, end: &AgentEnd<'_>) {
            self.0.push(format!("{} {}", cx.turn, end.response));
        }
    }
    let lines = Lines::default();
    let model = Model::start([say("One."), say("Two.")]).await;
    let agent = model.agent(RigHooks::new(
        hooks![Life(lines.clone())],
        cx().with_turn(3),
    ));
    agent.prompt("First?").await.unwrap();
    agent.prompt("Second?").await.unwrap();
    assert_eq!(lines.take(), ["3 First?", "3 One.", "4 Second?", "4 Two."]);
}

#[tokio::test]
async fn a_system_prompt_that_a_hook_changes_is_the_one_that_the_model_reads() {
    #[hook]
    fn brief(build: &mut BeforePromptBuild) {
        build.prompt.push_str(" Be brief.");
    }
    let model = Model::start([say("Yes.")]).await;
    let agent = model.agent(RigHooks::new(hooks![brief], cx()));
    agent.prompt("Well?").await.unwrap();
    assert_eq!(
        model.asked()[0]["messages"][0]["content"][0]["text"],
        "You are a test. Be brief."
    );
}

#[tokio::test]
async fn a_conversation_that_a_hook_changes_is_the_one_that_the_model_reads() {
    #[hook]
    fn steer(call: &mut BeforeLlmCall) {
        call.messages
            .insert(1, ChatMessage::new(Role::User, "Remember: be kind."));
        call.tools.retain(|tool| tool.name == "echo");
        call.options["temperature"] = 0.5.into();
        call.options["seed"] = 7.into();
        call.model = "small".into();
    }
    let model = Model::start([call("echo", &json!({ "x": 1 })), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![steer], cx()));
    agent.prompt("Go.").await.unwrap();
    let asked = model.asked();
    let asked = &asked[1];
    assert_eq!(asked["model"], "small");
    assert_eq!(asked["temperature"], 0.5);
    assert_eq!(asked["seed"], 7);
    assert_eq!(asked["tools"].as_array().unwrap().len(), 1);
    let messages = asked["messages"].as_array().unwrap();
    let roles: Vec<&Value> = messages.iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool"]);
    // rig's client sends what one side says in a row as one message.
    assert_eq!(messages[1]["content"][0]["text"], "Remember: be kind.");
    assert_eq!(messages[1]["content"][1]["text"], "Go.");
    assert_eq!(messages[2]["tool_calls"][0]["id"], "call_1");
    assert_eq!(messages[3]["tool_call_id"], "call_1");
}

#[tokio::test]
async fn a_hook_that_blocks_the_models_call_ends_the_run() {
    #[hook]
    fn budget(_: &BeforeLlmCall) -> HookAction<BeforeLlmCall> {
        HookAction::block("the budget is spent")
    }
    let model = Model::start([say("Yes.")]).await;
    let agent = model.agent(RigHooks::new(hooks![budget], cx()));
    let error = agent.prompt("Well?").await.unwrap_err();
    assert!(error.to_string().contains("the budget is spent"), "{error}");
    assert!(model.asked().is_empty());
}

#[tokio::test]
async fn a_hook_that_names_another_model_has_that_asked() {
    #[hook]
    async fn small(resolve: &mut BeforeModelResolve) {
        resolve.model = "small".into();
    }
    let (large, small_one) = (Model::start([]).await, Model::start([say("Tiny.")]).await);
    let agent = large
        .builder(RigHooks::new(hooks![small], cx()))
        .model_route("small", small_one.client("small-model"))
        .build();
    let response = agent.prompt("Well?").await.unwrap();
    assert_eq!(response.output(), "Tiny.");
    assert_eq!(small_one.asked()[0]["model"], "small-model");
}

#[tokio::test]
async fn a_hook_that_waits_where_rig_does_not_ends_the_run() {
    #[hook]
    async fn slow(_: &BeforeModelResolve) {
        tokio::task::yield_now().await;
    }
    let model = Model::start([say("Yes.")]).await;
    let agent = model.agent(RigHooks::new(hooks![slow], cx()));
    let error = agent.prompt("Well?").await.unwrap_err();
    assert!(error.to_string().contains("synchronously"), "{error}");
}
