//! Antigravity CLI. Its input does not name the event, and it denies a call if the answer has no decision.

use crate::system::claude;
use crate::system::says::Put::{Is, Made, Text};
use crate::system::says::{Says, What, says};
use crate::system::table::{CALLS, Calls, System, event};
use serde_json::{Value as Json, json};


const TOOL: &[Says] = &[
    says(What::Deny, &[("decision", Is("deny")), ("reason", Text)]),
    says(What::Ask, &[("decision", Is("force_ask")), ("reason", Text)]),
    says(What::Allow, &[("decision", Is("auto_approve"))]),
    says(What::Quiet, &[("decision", Is("allow"))]),
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
        event("PreToolUse", "BeforeToolCall").says(TOOL),
        event("PostToolUse", "ToolCallEnd").says(&[]),
        event("PreInvocation", "BeforeLlmCall").says(STEPS),
        event("PostInvocation", "LlmOutput").says(&[]),
        event("Stop", "BeforeStop").says(END),
        event("SessionStart", "SessionStart").says(STEPS),
    ],
    never: &[],
    ..claude::CALLER
};
