//! Which events a run of rig raises, in which order.

use std::sync::{Arc, Mutex};

use crate::common::{Model, call, cx, say};
use futures::StreamExt;
use hooks_core::agent::{
    AfterToolCall, AgentEnd, AgentError, AgentEvent, AgentStatus, Approval, BeforeToolCall,
    LlmOutput, StopReason, ToolCallEnd, ToolCallSkipped, ToolOutcome, ToolOutput,
};
use hooks_core::{HookAction, hook, hooks, priority};
use hooks_rig::{NOT_RAISED, RAISED, RigHooks};
use serde_json::{Value, json};

/// Every event that was raised, as JSON.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<Value>>>);

#[hook(every, priority = priority::FIRST)]
impl Seen {
    fn note(&self, event: AgentEvent<'_>) {
        let event = serde_json::to_value(event).unwrap();
        self.0.lock().unwrap().push(event);
    }
}

impl Seen {
    fn names(&self) -> Vec<String> {
        let seen = self.0.lock().unwrap();
        let name = |event: &Value| event["event"].as_str().unwrap().to_owned();
        seen.iter().map(name).collect()
    }

    fn all(&self, name: &str) -> Vec<Value> {
        let seen = self.0.lock().unwrap();
        let named = seen.iter().filter(|event| event["event"] == name);
        named.cloned().collect()
    }
}

#[test]
fn every_event_of_the_vocabulary_is_raised_or_said_not_to_be() {
    let mut all: Vec<&str> = [RAISED, NOT_RAISED].concat();
    let mut names = AgentEvent::NAMES.to_vec();
    all.sort_unstable();
    names.sort_unstable();
    assert_eq!(all, names);
}

#[tokio::test]
async fn the_events_of_a_turn_come_in_the_order_of_the_contract() {
    let seen = Seen::default();
    let model = Model::start([call("echo", &json!({ "x": 1 })), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![seen.clone()], cx()));
    let mut stream = agent.prompt("Go.").stream();
    while let Some(item) = stream.next().await {
        item.unwrap();
    }
    let mut names = seen.names();
    names.dedup();
    assert_eq!(
        names,
        [
            "MessageReceived",
            "AgentStart",
            "BeforeModelResolve",
            "BeforePromptBuild",
            "BeforeLlmCall",
            "LlmInput",
            "LlmDelta",
            "LlmOutput",
            "AfterLlmCall",
            "BeforeToolCall",
            "ApproveToolCall",
            "ToolCallStart",
            "AfterToolCall",
            "ToolCallEnd",
            "BeforeModelResolve",
            "BeforePromptBuild",
            "BeforeLlmCall",
            "LlmInput",
            "LlmDelta",
            "LlmOutput",
            "AfterLlmCall",
            "BeforeStop",
            "AgentEnd",
        ]
    );
    for name in names {
        assert!(RAISED.contains(&name.as_str()), "{name}");
    }
    let input = &seen.all("LlmInput")[1];
    assert_eq!(input["messages"][2]["tool_calls"][0]["id"], "call_1");
    assert_eq!(input["messages"][3]["tool_call_id"], "call_1");
    assert_eq!(input["messages"][3]["name"], "echo");
}

#[tokio::test]
async fn what_the_calls_of_the_model_use_is_told_of_and_summed_up() {
    struct Usage(Arc<Mutex<Vec<u64>>>);
    #[hook]
    impl Usage {
        fn call(&self, output: &LlmOutput<'_>) {
            assert_eq!(output.provider, "openai");
            assert!(!output.duration.is_zero());
            assert!(matches!(
                output.response.stop_reason,
                Some(StopReason::ToolUse | StopReason::EndTurn)
            ));
            self.0.lock().unwrap().push(output.response.usage.total());
        }
        fn end(&self, end: &AgentEnd<'_>) {
            assert_eq!(end.status, AgentStatus::Completed);
            assert!(!end.duration.is_zero());
            self.0.lock().unwrap().push(end.usage.total());
        }
    }
    let totals = Arc::default();
    let model = Model::start([call("echo", &json!({})), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![Usage(Arc::clone(&totals))], cx()));
    agent.prompt("Go.").await.unwrap();
    assert_eq!(*totals.lock().unwrap(), [100, 100, 200]);
}

#[tokio::test]
async fn a_call_that_is_blocked_is_skipped_and_does_not_end() {
    #[hook]
    fn deny(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::block("not today")
    }
    let seen = Seen::default();
    let model = Model::start([call("echo", &json!({})), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![deny, seen.clone()], cx()));
    agent.prompt("Go.").await.unwrap();
    let skipped = seen.all("ToolCallSkipped");
    assert_eq!(skipped.len(), 1);
    assert_eq!(skipped[0]["by"], "deny");
    assert_eq!(skipped[0]["reason"], "not today");
    for name in ["ToolCallStart", "AfterToolCall", "ToolCallEnd"] {
        assert!(seen.all(name).is_empty(), "{name}");
    }
}

#[tokio::test]
async fn a_call_that_another_hook_of_rig_denies_is_skipped() {
    use rig_agent::agent::hook::{AgentHook, DispatchAction, DispatchEvent, HookContext};
    struct Deny;
    impl AgentHook for Deny {
        async fn on_dispatch(&self, _: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
            match event.tool_name() {
                Some(_) => DispatchAction::skip("rig says no"),
                None => DispatchAction::proceed(),
            }
        }
    }
    let seen = Seen::default();
    let model = Model::start([call("echo", &json!({})), say("Done.")]).await;
    let agent = model
        .builder(RigHooks::new(hooks![seen.clone()], cx()))
        .add_hook(Deny)
        .build();
    agent.prompt("Go.").await.unwrap();
    let skipped = seen.all("ToolCallSkipped");
    assert_eq!(skipped[0]["by"], "rig");
    assert_eq!(skipped[0]["reason"], "rig says no");
    assert!(seen.all("ToolCallEnd").is_empty());
}

#[tokio::test]
async fn an_end_says_whether_the_tool_ran_or_a_hook_answered() {
    #[hook(only("fail"))]
    fn answer(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::respond(ToolOutput::new("as if"))
    }
    struct Outcomes(Arc<Mutex<Vec<ToolOutcome>>>);
    #[hook]
    impl Outcomes {
        fn end(&self, end: &ToolCallEnd<'_>) {
            self.0.lock().unwrap().push(end.outcome);
        }
        fn skipped(&self, _: &ToolCallSkipped<'_>) {
            panic!("nothing is skipped");
        }
    }
    let outcomes = Arc::default();
    let model = Model::start([
        call("echo", &json!({})),
        call("fail", &json!({})),
        say("Done."),
    ])
    .await;
    let hooks = hooks![answer, Outcomes(Arc::clone(&outcomes))];
    let agent = model.agent(RigHooks::new(hooks, cx()));
    agent.prompt("Go.").await.unwrap();
    let outcomes = outcomes.lock().unwrap();
    assert_eq!(*outcomes, [ToolOutcome::Ran, ToolOutcome::Answered]);
}

#[tokio::test]
async fn what_hooks_add_the_model_reads_after_the_output() {
    #[hook]
    fn before(call: &mut BeforeToolCall) {
        call.context.push("It is Sunday.".into());
    }
    #[hook]
    fn after(done: &mut AfterToolCall) {
        done.context.push("It rains.".into());
    }
    let model = Model::start([call("echo", &json!({})), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![before, after], cx()));
    agent.prompt("Go.").await.unwrap();
    let content = model.read_last()["content"].to_string();
    let place = |text| content.find(text).expect(text);
    assert!(place("echo {}") < place("It is Sunday."));
    assert!(place("It is Sunday.") < place("It rains."));
}

#[tokio::test]
async fn a_call_to_ask_about_is_skipped_where_there_is_nobody_to_ask() {
    #[hook]
    fn ask(call: &mut BeforeToolCall) {
        call.approval = Approval::ask("it changes production");
    }
    let model = Model::start([call("echo", &json!({})), say("Done.")]).await;
    let agent = model.agent(RigHooks::new(hooks![ask], cx()));
    agent.prompt("Go.").await.unwrap();
    let content = model.read_last()["content"].to_string();
    assert!(content.contains("no approver is configured"), "{content}");
}

#[tokio::test]
async fn a_run_that_fails_is_told_of_as_an_error_and_an_end() {
    struct Ends(Arc<Mutex<Vec<String>>>);
    #[hook]
    impl Ends {
        fn error(&self, error: &AgentError<'_>) {
            self.0.lock().unwrap().push(error.message.to_owned());
        }
        fn end(&self, end: &AgentEnd<'_>) {
            self.0.lock().unwrap().push(format!("{:?}", end.status));
        }
    }
    let ends = Arc::default();
    let model = Model::start([]).await;
    let agent = model.agent(RigHooks::new(hooks![Ends(Arc::clone(&ends))], cx()));
    agent.prompt("Go.").await.unwrap_err();
    let ends = ends.lock().unwrap();
    assert!(ends[0].contains("the script is over"), "{ends:?}");
    assert_eq!(ends[1], "Failed");
}

#[tokio::test]
async fn a_pipeline_is_one_hook_of_rig_named_after_its_hooks() {
    #[hook(priority = 1)]
    fn first(_: &BeforeToolCall) {}
    #[hook]
    fn second(_: &AfterToolCall) {}
    use rig_agent::agent::AgentHook;
    use rig_agent::agent::hook::StepEventKind;
    let hooks = RigHooks::new(hooks![second, first], cx());
    assert_eq!(hooks.name().unwrap(), "hooks![first, second]");
    assert!(hooks.observes(StepEventKind::ToolDispatch));
    assert!(!hooks.observes(StepEventKind::CompletionDispatch));
    assert!(!hooks.observes(StepEventKind::TextDelta));
}
