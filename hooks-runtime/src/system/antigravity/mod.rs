//! Antigravity CLI. Its input does not name the event, and it denies a call if the answer has no decision.

use std::time::Duration;

use hooks_builtin::Profile;
use hooks_core::agent::AgentEvent;
use serde_json::{Value as Json, json};

use crate::entry::OnFault;
use crate::system::input::{of_output, of_tool};
use crate::system::says::Put::{Bool, Is, Made, Text};
use crate::system::says::{Says, What, says};
use crate::system::table::{
    CALLS, Calls, Exits, Order, Refusal, Root, Subject, System, Whose, event,
};
use crate::system::{Ask, claude, reads};

const TOOL: &[Says] = &[
    says(What::Deny, &[("decision", Is("deny")), ("reason", Text)]),
    says(What::Ask, &[("decision", Is("force_ask")), ("reason", Text)]),
    says(What::Allow, &[("decision", Is("auto_approve"))]),
    says(What::Quiet, &[("decision", Is("allow"))]),
    // These it reads, too.
    says(What::Ask, &[("decision", Is("ask")), ("reason", Text)]),
    says(What::Deny, &[("allow_tool", Bool(false)), ("deny_reason", Text)]),
];
const STEPS: &[Says] = &[says(What::Context, &[("injectSteps", Made(steps))])];
const END: &[Says] = &[says(
    What::Deny,
    &[("decision", Is("continue")), ("reason", Text)],
)];

fn steps(context: &Json) -> Json {
    json!([{ "ephemeralMessage": context }])
}

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "antigravity",
    title: "Antigravity CLI",
    calls: Some(Calls {
        named: &[],
        inside: &["/toolCall"],
        project: &[],
        always_answers: true,
        refusal: &[("decision", Is("deny")), ("reason", Text)],
        is_caller: |input, _| {
            input["conversationId"].is_string() && input["workspacePaths"].is_array()
        },
        ..CALLS
    }),
    events: &[
        event("PreToolUse", "BeforeToolCall")
            .of(Subject::Tool)
            .closed(OnFault::Block)
            .reads(&[("toolCall", call), ("stepIdx", step)])
            .says(TOOL),
        event("PostToolUse", "ToolCallEnd")
            .of(Subject::Tool)
            .refusal(Refusal::Shows)
            .reads(&[("toolCall", call), ("stepIdx", step), ("error", error)])
            .says(&[]),
        event("PreInvocation", "BeforeLlmCall").refusal(Refusal::Shows).reads(&[("invocationNum", step)]).says(STEPS),
        event("PostInvocation", "LlmOutput").refusal(Refusal::Shows).reads(&[("modelOutput", said)]).says(&[]),
        event("Stop", "BeforeStop")
            .reads(&[("executionNum", reads::attempt), ("finalModelOutput", reads::text)])
            .says(END),
        event("SessionStart", "SessionStart").refusal(Refusal::Shows).says(STEPS),
    ],
    never: &[],
    reads: &[
        ("conversationId", reads::session),
        ("workspacePaths", reads::roots),
        ("transcriptPath", reads::transcript),
        ("artifactDirectoryPath", reads::null),
        ("modelName", reads::model),
    ],
    exits: Exits::Placed,
    root: Root::Sets,
    is_flat: true,
    runs_at_file: true,
    timeout: Duration::from_secs(30),
    kinds: &["command"],
    of_names: claude::word,
    order: Order::InTurn,
    tools: Some(Profile::Antigravity),
    files: &[
        (Whose::User, ".gemini/config/hooks.json"),
        (Whose::Project, ".agents/hooks.json"),
    ],
    ..claude::CALLER
};

fn call(ask: &Ask<'_>, _: &'static str) -> Option<Json> {
    let (tool, args) = of_tool(ask)?;
    Some(json!({ "name": tool, "args": args }))
}

#[expect(clippy::unnecessary_wraps, reason = "all rows have one type")]
fn step(ask: &Ask<'_>, _: &'static str) -> Option<Json> {
    Some(json!(ask.cx.turn))
}

fn error(ask: &Ask<'_>, _: &'static str) -> Option<Json> {
    let (output, _) = of_output(&ask.event)?;
    Some(json!(if output.is_error { &*output.content } else { "" }))
}

fn said(ask: &Ask<'_>, _: &'static str) -> Option<Json> {
    match ask.event {
        AgentEvent::LlmOutput(output) => Some(json!(output.response.content)),
        _ => None,
    }
}
