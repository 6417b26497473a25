//! `run_turn`.

use hooks_core::agent::*;
use hooks_core::{HookAction, Scope, hook, hooks};
use serde_json::json;
use std::cell::RefCell;

use super::fixtures::*;

const BEGIN: [&str; 3] = ["AgentStart", "BeforeModelResolve", "BeforePromptBuild"];
const MODEL: [&str; 4] = ["BeforeLlmCall", "LlmInput", "LlmOutput", "AfterLlmCall"];
const TOOL: [&str; 5] = [
    "BeforeToolCall",
    "ApproveToolCall",
    "ToolCallStart",
    "AfterToolCall",
    "ToolCallEnd",
];
const END: [&str; 2] = ["BeforeStop", "AgentEnd"];

pub(crate) fn conversation() -> Conversation {
    Conversation::new("script", "large")
        .with_prompt("Be brief.")
        .with_tools([ToolDefinition::new("shell", "Runs a command", json!({}))])
}

pub(crate) fn calls(names: &[&str]) -> LlmResponse {
    let call = |(at, name): (usize, &&str)| ToolCall::new(format!("c{at}"), *name, json!({}));
    LlmResponse {
        tool_calls: names.iter().enumerate().map(call).collect(),
        usage: Usage::new(10, 1),
        ..LlmResponse::default()
    }
}

fn says(text: &str) -> LlmResponse {
    LlmResponse {
        usage: Usage::new(10, 1),
        ..LlmResponse::new(text)
    }
}

/// A turn with a model that gives these answers.
fn run<H: AgentHooks>(
    hooks: &H,
    conversation: &mut Conversation,
    answers: Vec<Result<LlmResponse, &str>>,
) -> Result<TurnResult, RunError> {
    let answers = RefCell::new(answers.into_iter());
    now(run_turn(
        hooks,
        &cx(),
        conversation,
        "Go.",
        async |_: &BeforeLlmCall, _: Deltas<'_>| {
            yield_once().await;
            let answer = answers.borrow_mut().next();
            answer.expect("the script goes on")
        },
        async |_: &BeforeToolCall| {
            yield_once().await;
            ToolOutput::new("tool")
        },
    ))
}

/// Whether a provider takes it: after each message with calls stand their outputs, one each, and nothing between.
pub(crate) fn assert_is_whole(messages: &[ChatMessage]) {
    for (at, message) in messages.iter().enumerate() {
        let calls: Vec<_> = message
            .tool_calls
            .iter()
            .map(|call| call.id.as_str())
            .collect();
        let after = messages[at + 1..].iter();
        let outputs = after.map_while(|one| one.tool_call_id.as_deref());
        if !calls.is_empty() {
            assert_eq!(outputs.collect::<Vec<_>>(), calls, "{messages:#?}");
        }
    }
}

#[test]
fn a_turn_raises_its_events_in_order() {
    let recorder = Recorder::default();
    let mut conversation = conversation();
    let answers = vec![Ok(calls(&["shell", "fly"])), Ok(says("Done."))];
    let done = run(&hooks![&recorder], &mut conversation, answers).unwrap();
    let expected = [
        &BEGIN[..],
        &MODEL,
        &TOOL,
        &["InvalidToolCall", "ToolCallSkipped"],
        &MODEL,
        &END,
    ];
    assert_eq!(recorder.names(), expected.concat());
    assert_eq!(
        done,
        TurnResult {
            response: "Done.".into(),
            usage: Usage::new(20, 2)
        }
    );
    let end = recorder.only("AgentEnd");
    assert_eq!(
        (&end["response"], &end["status"]),
        (&json!("Done."), &json!("completed"))
    );
    assert_eq!(end["usage"]["input_tokens"], 20);
    assert_is_whole(&conversation.request.messages);
    for name in recorder.names() {
        assert!(raised::TURN.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn an_abort_on_any_event_of_a_turn_ends_it_and_every_call_once() {
    for on in [
        "BeforeModelResolve",
        "BeforePromptBuild",
        "BeforeLlmCall",
        "LlmFailed",
        "AfterLlmCall",
        "InvalidToolCall",
        "BeforeToolCall",
        "ApproveToolCall",
        "AfterToolCall",
        "BeforeStop",
    ] {
        for (say, scope) in [(Say::AbortTurn, Scope::Turn), (Say::AbortRun, Scope::Run)] {
            let recorder = Recorder::default();
            let mut conversation = conversation();
            let retry = Says::new("LlmFailed", Say::Answer);
            let hooks = hooks![&recorder, Says::new(on, say), retry @ -1];
            let answers = vec![
                Err("busy"),
                Ok(calls(&["shell", "fly", "shell"])),
                Ok(says("Done.")),
            ];
            let done = run(&hooks, &mut conversation, answers);
            assert_eq!(
                done,
                Err(RunError::Cancelled(cancel("Says", scope))),
                "{on}"
            );

            assert_eq!(recorder.names().last().unwrap(), "AgentEnd", "{on}");
            let end = recorder.only("AgentEnd");
            assert_eq!(end["status"], "aborted", "{on}");
            assert_eq!(recorder.count("AgentError"), 0, "{on}");
            let ends = recorder.count("ToolCallEnd") + recorder.count("ToolCallSkipped");
            let has_calls = conversation
                .request
                .messages
                .iter()
                .any(|one| !one.tool_calls.is_empty());
            assert_eq!(
                ends,
                if has_calls { 3 } else { 0 },
                "{on}: {:?}",
                recorder.names()
            );
            assert_is_whole(&conversation.request.messages);
        }
    }
}

#[test]
fn calls_after_an_abort_are_skipped_with_its_reason() {
    let recorder = Recorder::default();
    let mut conversation = conversation();
    let hooks = hooks![&recorder, Says::new("AfterToolCall", Say::AbortTurn)];
    let answers = vec![Ok(calls(&["shell", "shell", "shell"]))];
    assert!(run(&hooks, &mut conversation, answers).is_err());
    let expected = [
        &BEGIN[..],
        &MODEL,
        &TOOL,
        &["ToolCallSkipped"; 2],
        &["AgentEnd"],
    ];
    assert_eq!(recorder.names(), expected.concat());
    for (at, skipped) in (1..).zip(recorder.all("ToolCallSkipped")) {
        assert_eq!(skipped["id"], format!("c{at}"));
        assert_eq!(
            (&skipped["by"], &skipped["reason"]),
            (&json!("Says"), &json!("enough"))
        );
    }
    // The output that no hook let pass is not in the conversation either.
    assert!(
        conversation
            .request
            .messages
            .iter()
            .all(|one| one.content != "tool")
    );
    assert_is_whole(&conversation.request.messages);

    // And the next turn goes on with it.
    assert!(run(&hooks![], &mut conversation, vec![Ok(says("Done."))]).is_ok());
}

#[test]
fn an_aborted_turn_tells_what_it_used() {
    let recorder = Recorder::default();
    let hooks = hooks![&recorder, Says::new("AfterLlmCall", Say::AbortTurn)];
    assert!(run(&hooks, &mut conversation(), vec![Ok(says("Done."))]).is_err());
    assert_eq!(recorder.only("AgentEnd")["usage"]["input_tokens"], 10);
}

#[test]
fn a_failed_turn_says_so_and_ends() {
    let recorder = Recorder::default();
    let done = run(&hooks![&recorder], &mut conversation(), vec![Err("busy")]);
    assert_eq!(done, Err(RunError::Failed("busy".into())));
    let expected = [
        &BEGIN[..],
        &["BeforeLlmCall", "LlmInput", "LlmFailed"],
        &["AgentError", "AgentEnd"],
    ];
    assert_eq!(recorder.names(), expected.concat());
    assert_eq!(recorder.only("AgentError")["message"], "busy");
    assert_eq!(recorder.only("AgentEnd")["status"], "failed");
}

#[test]
fn a_turn_that_takes_too_many_calls_fails() {
    let recorder = Recorder::default();
    let mut conversation = conversation();
    conversation.max_llm_calls = 3;
    let answers = (0..4).map(|_| Ok(calls(&["shell"]))).collect();
    let done = run(&hooks![&recorder], &mut conversation, answers);
    assert!(matches!(done, Err(RunError::Failed(error)) if error.contains("more than 3")));
    assert_eq!(recorder.count("LlmInput"), 3);
    assert_eq!(recorder.only("AgentEnd")["status"], "failed");
    assert_is_whole(&conversation.request.messages);
}

#[test]
fn a_block_before_the_model_ends_the_turn() {
    for on in ["BeforeModelResolve", "BeforePromptBuild", "BeforeLlmCall"] {
        let recorder = Recorder::default();
        let hooks = hooks![&recorder, Says::new(on, Say::Block)];
        let done = run(&hooks, &mut conversation(), vec![]);
        assert_eq!(
            done,
            Err(RunError::Cancelled(cancel("Says", Scope::Event))),
            "{on}"
        );
        assert_eq!(recorder.only("AgentEnd")["status"], "aborted");
    }
}

#[test]
fn a_hook_before_the_stop_sends_the_agent_on() {
    let recorder = Recorder::default();
    let mut conversation = conversation();
    let hooks = hooks![&recorder, Says::new("BeforeStop", Say::Block).times(2)];
    let answers = vec![
        Ok(says("Done.")),
        Ok(says("Done now.")),
        Ok(says("Really.")),
    ];
    let done = run(&hooks, &mut conversation, answers).unwrap();
    assert_eq!(done.response, "Really.");
    let expected = [
        &BEGIN[..],
        &MODEL,
        &["BeforeStop"],
        &MODEL,
        &["BeforeStop"],
        &MODEL,
        &END,
    ];
    assert_eq!(recorder.names(), expected.concat());
    let attempts: Vec<_> = recorder
        .all("BeforeStop")
        .iter()
        .map(|stop| stop["attempt"].clone())
        .collect();
    assert_eq!(attempts, [0, 1, 2]);
    let said: Vec<_> = conversation
        .request
        .messages
        .iter()
        .map(|one| one.content.as_str())
        .collect();
    assert_eq!(
        said,
        [
            "Be brief.",
            "Go.",
            "Done.",
            "enough",
            "Done now.",
            "enough",
            "Really."
        ]
    );
}

#[test]
fn a_hook_that_is_never_content_does_not_keep_the_agent_for_ever() {
    let recorder = Recorder::default();
    let hooks = hooks![&recorder, Says::new("BeforeStop", Say::Block)];
    let answers = (0..20).map(|_| Ok(says("Done."))).collect();
    assert!(run(&hooks, &mut conversation(), answers).is_ok());
    assert_eq!(recorder.count("BeforeStop"), 1 + MAX_RETRIES as usize);
}

#[test]
fn what_a_hook_makes_of_the_last_word_is_what_was_said() {
    let mut conversation = conversation();
    let hooks = hooks![Says::new("BeforeStop", Say::Modify)];
    let done = run(
        &hooks,
        &mut conversation,
        vec![Ok(says("The key is 1234."))],
    )
    .unwrap();
    assert_eq!(done.response, "modified");
    assert_eq!(
        conversation.request.messages.last().unwrap().content,
        "modified"
    );
}

#[test]
fn hooks_choose_the_model_and_write_the_prompt() {
    let recorder = Recorder::default();
    let mut conversation = conversation();
    let hooks = hooks![
        &recorder,
        Says::new("BeforeModelResolve", Say::Modify),
        Says::new("BeforePromptBuild", Say::Modify),
    ];
    assert!(run(&hooks, &mut conversation, vec![Ok(says("Done."))]).is_ok());
    let input = recorder.only("LlmInput");
    assert_eq!(input["model"], "modified");
    assert_eq!(input["messages"][0]["content"], "modified");

    // The next turn begins with the agent's own prompt again, and there is one of them.
    assert!(run(&hooks![], &mut conversation, vec![Ok(says("Done."))]).is_ok());
    let messages = &conversation.request.messages;
    assert_eq!(messages[0].content, "Be brief.");
    assert_eq!(
        messages
            .iter()
            .filter(|one| one.role == Role::System)
            .count(),
        1
    );
}

#[test]
fn a_hook_can_take_the_prompt_away() {
    #[hook]
    fn none(build: &mut BeforePromptBuild) {
        build.prompt.clear();
    }
    let mut conversation = conversation();
    for hooks_on in [false, true] {
        let hooks = hooks![hooks_on.then_some(none)];
        assert!(run(&hooks, &mut conversation, vec![Ok(says("Done."))]).is_ok());
    }
    assert!(
        conversation
            .request
            .messages
            .iter()
            .all(|one| one.role != Role::System)
    );
}

#[test]
fn context_follows_on_the_outputs_of_all_calls() {
    let mut conversation = conversation();
    let hooks = hooks![
        Says::new("BeforeToolCall", Say::Context),
        Says::new("AfterToolCall", Say::Context).times(1),
    ];
    let answers = vec![Ok(calls(&["shell", "shell"])), Ok(says("Done."))];
    assert!(run(&hooks, &mut conversation, answers).is_ok());
    let said: Vec<_> = conversation
        .request
        .messages
        .iter()
        .map(|one| one.content.as_str())
        .collect();
    let [before, after] = ["beside BeforeToolCall", "beside AfterToolCall"];
    assert_eq!(
        said[2..],
        ["", "tool", "tool", before, after, before, "Done."]
    );
    assert_is_whole(&conversation.request.messages);
}

#[test]
fn context_of_the_session_and_the_message_follows_on_the_prompt_and_is_told_once() {
    let mut conversation = conversation();
    conversation.context = vec!["Tests come first.".into(), "It is Monday.".into()];
    for _ in 0..2 {
        assert!(run(&hooks![], &mut conversation, vec![Ok(says("Done."))]).is_ok());
    }
    let said: Vec<_> = conversation
        .request
        .messages
        .iter()
        .map(|one| (&one.role, one.content.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (&Role::System, "Be brief."),
            (&Role::User, "Go."),
            (&Role::System, "Tests come first."),
            (&Role::System, "It is Monday."),
            (&Role::Assistant, "Done."),
            (&Role::User, "Go."),
            (&Role::Assistant, "Done."),
        ]
    );
}

#[test]
fn a_blocked_call_tells_the_model_and_the_turn_goes_on() {
    let mut conversation = conversation();
    let hooks = hooks![Says::new("BeforeToolCall", Say::Block).times(1)];
    let answers = vec![Ok(calls(&["shell", "shell"])), Ok(says("Done."))];
    assert!(run(&hooks, &mut conversation, answers).is_ok());
    let said: Vec<_> = conversation
        .request
        .messages
        .iter()
        .map(|one| one.content.as_str())
        .collect();
    assert_eq!(
        said[3..5],
        ["hook `Says` blocked the event: enough", "tool"]
    );
}

#[test]
fn arguments_that_are_no_object_are_an_invalid_call() {
    #[hook]
    fn repair(call: &mut InvalidToolCall) -> HookAction<InvalidToolCall> {
        assert!(call.error.contains("not a JSON object"), "{}", call.error);
        HookAction::modify(json!({ "command": "ls" }))
    }
    let recorder = Recorder::default();
    let mut answer = calls(&["shell"]);
    answer.tool_calls[0].args = json!("ls");
    let answers = vec![Ok(answer), Ok(says("Done."))];
    assert!(run(&hooks![&recorder, repair], &mut conversation(), answers).is_ok());
    assert_eq!(
        recorder.only("ToolCallEnd")["args"],
        json!({ "command": "ls" })
    );
}

/// A conversation that was read from Anthropic's JSON holds its outputs in parts of the user's message.
#[test]
fn calls_that_have_their_outputs_in_parts_are_not_answered_twice() {
    let messages: Vec<ChatMessage> = serde_json::from_value(json!([
        { "role": "user", "content": "Go." },
        { "role": "assistant", "content": [
            { "type": "tool_use", "id": "t1", "name": "shell", "input": {} },
            { "type": "tool_use", "id": "t2", "name": "shell", "input": {} },
        ] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "t1", "content": "1" },
            { "type": "tool_result", "tool_use_id": "t2", "content": "2" },
        ] },
    ]))
    .unwrap();
    let mut conversation = conversation().with_messages(messages.clone());
    assert!(run(&hooks![], &mut conversation, vec![Ok(says("Done."))]).is_ok());
    assert_eq!(conversation.request.messages[1..4], messages);
    assert_eq!(conversation.request.messages.len(), 6);
}

#[test]
fn a_turn_ends_if_the_user_has_the_answers_of_all_calls() {
    #[hook(only("a"))]
    fn handled(done: &mut AfterToolCall) {
        done.output.response_handled = true;
    }
    let with_tools = || {
        let tool = |name| ToolDefinition::new(name, "", json!({}));
        conversation().with_tools([tool("a"), tool("b")])
    };
    let mut all = with_tools();
    let done = run(&hooks![handled], &mut all, vec![Ok(calls(&["a", "a"]))]).unwrap();
    assert_eq!(done.response, "");
    assert_is_whole(&all.request.messages);

    let mut some = with_tools();
    let answers = vec![Ok(calls(&["a", "b"])), Ok(says("done"))];
    let done = run(&hooks![handled], &mut some, answers).unwrap();
    assert_eq!(done.response, "done");

    // A hook may still say something.
    #[hook]
    fn last_word(stop: &mut BeforeStop) {
        stop.response.push_str("see above");
    }
    let mut said = with_tools();
    let done = run(
        &hooks![handled, last_word],
        &mut said,
        vec![Ok(calls(&["a"]))],
    )
    .unwrap();
    assert_eq!(done.response, "see above");
    let last = said.request.messages.last().unwrap();
    assert_eq!(
        (&last.role, &*last.content),
        (&Role::Assistant, "see above")
    );
}

#[test]
fn a_turn_says_what_is_known_about_its_tools_also_if_a_hook_repairs_the_call() {
    #[hook]
    fn repair(call: &mut InvalidToolCall) {
        call.name = "shell".into();
    }
    let known = ToolAnnotations {
        open_world: Some(true),
        ..ToolAnnotations::default()
    };
    let recorder = Recorder::default();
    let mut conversation = conversation().with_annotations("shell", known);
    let answers = vec![Ok(calls(&["shell", "bash"])), Ok(says("done"))];
    run(&hooks![&recorder, repair], &mut conversation, answers).unwrap();
    let started = recorder.all("ToolCallStart");
    assert_eq!(started.len(), 2);
    assert!(
        started
            .iter()
            .all(|start| start["annotations"] == json!(known))
    );
}
