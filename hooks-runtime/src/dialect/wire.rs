//! Tests what hooks read, for every event and every dialect: `tests/wire/`.

use std::time::Duration;

use expect_test::expect_file;
use hooks_core::agent::{
    AfterCompact, AfterLlmCall, AfterToolCall, AgentContext, AgentEnd, AgentError, AgentEvent,
    AgentStart, AgentStatus, Approval, ApproveToolCall, BeforeCompact, BeforeLlmCall,
    BeforeModelResolve, BeforePromptBuild, BeforeStop, BeforeToolCall, ChatMessage, Interrupt,
    InvalidToolCall, LlmFailed, LlmResponse, MessageReceived, MessageSending, Notification,
    SessionEnd, SessionStart, SubagentStart, SubagentStop, ToolCallEnd, ToolCallSkipped,
    ToolCallStart, ToolOutcome, ToolOutput, Usage,
};
use serde_json::{Value, json};

use super::Dialect;
use crate::events;
use crate::filter::Filter;
use crate::handler::Ask;
use crate::load::canonical;

/// Returns one of every event, with data.
#[expect(clippy::too_many_lines, reason = "each event once")]
#[expect(
    clippy::field_reassign_with_default,
    reason = "some of the payloads may grow"
)]
fn every(check: &mut dyn FnMut(&str, AgentEvent<'_>)) {
    let args = json!({ "command": "cargo test", "timeout": 5 });
    let call = BeforeToolCall::new("call-1", "shell", args.clone());
    let second = Duration::from_millis(1250);
    let mut start = SessionStart::default();
    start.session_id = "s1".into();
    start.model = Some("m-1".into());
    check("SessionStart", AgentEvent::SessionStart(&start));
    let end = SessionEnd {
        session_id: "s1",
        channel: "cli",
        reason: "logout",
    };
    check("SessionEnd", AgentEvent::SessionEnd(&end));
    let mut message = MessageReceived::default();
    message.content = "run the \"tests\"\nplease".into();
    check("MessageReceived", AgentEvent::MessageReceived(&message));
    check(
        "AgentStart",
        AgentEvent::AgentStart(&AgentStart {
            prompt: "run the tests",
        }),
    );
    let resolve = BeforeModelResolve {
        provider: "p".into(),
        model: "m-1".into(),
    };
    check(
        "BeforeModelResolve",
        AgentEvent::BeforeModelResolve(&resolve),
    );
    let build = BeforePromptBuild {
        prompt: "You are careful.".into(),
    };
    check("BeforePromptBuild", AgentEvent::BeforePromptBuild(&build));
    let mut model = BeforeLlmCall::default();
    model.model = "m-1".into();
    model.messages = vec![ChatMessage::user("hello"), ChatMessage::assistant("hi")];
    check("BeforeLlmCall", AgentEvent::BeforeLlmCall(&model));
    let mut failed = LlmFailed::default();
    failed.error = "overloaded".into();
    check("LlmFailed", AgentEvent::LlmFailed(&failed));
    let mut response = LlmResponse::new("hi");
    response.usage = Usage::new(10, 5);
    let answered = AfterLlmCall {
        model: "m-1".into(),
        response,
        attempt: 0,
    };
    check("AfterLlmCall", AgentEvent::AfterLlmCall(&answered));
    let mut invalid = InvalidToolCall::default();
    (invalid.id, invalid.name, invalid.error) =
        ("call-1".into(), "shel".into(), "no such tool".into());
    check("InvalidToolCall", AgentEvent::InvalidToolCall(&invalid));
    check("BeforeToolCall", AgentEvent::BeforeToolCall(&call));
    let approval = Approval::ask("may it?");
    let approve = ApproveToolCall {
        id: "call-1",
        name: "shell",
        args: &args,
        approval: &approval,
    };
    check("ApproveToolCall", AgentEvent::ApproveToolCall(&approve));
    let started = ToolCallStart {
        id: "call-1",
        name: "shell",
        args: &args,
    };
    check("ToolCallStart", AgentEvent::ToolCallStart(&started));
    let done = AfterToolCall::of(call.clone(), ToolOutput::new("2 passed"), second);
    check("AfterToolCall", AgentEvent::AfterToolCall(&done));
    let wrong = AfterToolCall::of(call, ToolOutput::error("1 failed"), second);
    check("AfterToolCall failed", AgentEvent::AfterToolCall(&wrong));
    let ended = ToolCallEnd::of(&done, ToolOutcome::Ran);
    check("ToolCallEnd", AgentEvent::ToolCallEnd(&ended));
    let skipped = ToolCallSkipped {
        id: "call-1",
        name: "shell",
        args: &args,
        by: "guard",
        reason: "no",
    };
    check("ToolCallSkipped", AgentEvent::ToolCallSkipped(&skipped));
    let mut sub = SubagentStart::default();
    (sub.id, sub.agent, sub.prompt) = ("a2".into(), "reviewer".into(), "review it".into());
    check("SubagentStart", AgentEvent::SubagentStart(&sub));
    let stopped = SubagentStop {
        id: "a2",
        agent: "reviewer",
        response: "fine",
        status: AgentStatus::Completed,
    };
    check("SubagentStop", AgentEvent::SubagentStop(&stopped));
    let mut stop = BeforeStop::default();
    (stop.response, stop.attempt) = ("done".into(), 1);
    check("BeforeStop", AgentEvent::BeforeStop(&stop));
    let end = AgentEnd {
        response: "done",
        status: AgentStatus::Completed,
        usage: Usage::default(),
        duration: second,
    };
    check("AgentEnd", AgentEvent::AgentEnd(&end));
    check(
        "AgentError",
        AgentEvent::AgentError(&AgentError {
            stage: "model",
            message: "gone",
        }),
    );
    let mut sending = MessageSending::default();
    sending.content = "done".into();
    check("MessageSending", AgentEvent::MessageSending(&sending));
    let mut compact = BeforeCompact::default();
    compact.trigger = "manual".into();
    check("BeforeCompact", AgentEvent::BeforeCompact(&compact));
    check(
        "AfterCompact",
        AgentEvent::AfterCompact(&AfterCompact {
            trigger: "auto",
            summary: "short",
        }),
    );
    check(
        "Interrupt",
        AgentEvent::Interrupt(&Interrupt {
            kind: "user",
            message: "stop",
        }),
    );
    let notification = Notification {
        kind: "idle_prompt",
        title: "",
        message: "waiting",
    };
    check("Notification", AgentEvent::Notification(&notification));
}

/// Returns everything that a dialect writes, one event per line. The keys are sorted, because the JSON library decides
/// their order.
fn written(dialect: Dialect) -> String {
    let mut text = String::new();
    let filter = Filter {
        aliases: super::tools::aliases(dialect),
        ..Filter::default()
    };
    every(&mut |name, event| {
        let info = events::info(&event);
        let is_known = dialect
            .rules()
            .events
            .iter()
            .any(|event| event.ours == info.name);
        if !is_known && dialect != Dialect::Hooks {
            return;
        }
        for depth in [0, 1] {
            if depth > 0 && info.name != "BeforeStop" {
                continue;
            }
            let mut cx = AgentContext::new("s1")
                .with_agent_id("coder")
                .with_cwd("/work/shop");
            cx.turn = 3;
            cx.depth = depth;
            let ask = Ask {
                cx: &cx,
                event,
                info,
                hook: "hook",
                named: info.name,
                tool: filter.tool(&event),
            };
            let mut input = serde_json::to_value(dialect.input(&ask)).unwrap();
            if let Some(time) = input.get_mut("timestamp") {
                assert!(time.as_str().unwrap().ends_with('Z'));
                *time = Value::from("2026-01-01T00:00:00Z");
            }
            for line in [name, &canonical(&input), ""] {
                text.push_str(line);
                text.push('\n');
            }
        }
    });
    text
}

#[test]
fn hooks_read_what_their_system_writes() {
    expect_file!["../../tests/wire/hooks.txt"].assert_eq(&written(Dialect::Hooks));
    expect_file!["../../tests/wire/claude.txt"].assert_eq(&written(Dialect::Claude));
    expect_file!["../../tests/wire/codex.txt"].assert_eq(&written(Dialect::Codex));
    expect_file!["../../tests/wire/gemini.txt"].assert_eq(&written(Dialect::Gemini));
    expect_file!["../../tests/wire/goose.txt"].assert_eq(&written(Dialect::Goose));
    expect_file!["../../tests/wire/goclaw.txt"].assert_eq(&written(Dialect::Goclaw));
}
