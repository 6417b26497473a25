//! Gemini CLI.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::system::claude::{self, NAMED, STOP};
use crate::system::says::Put::{Is, Made, Text, Value};
use crate::system::says::{Says, What, says};
use crate::system::table::{
    CALLS, Calls, Exits, Refusal, Subject, System, Twins, Whose, Words, event,
};

const DENY: Says = says(What::Deny, &[("decision", Is("deny")), ("reason", Text)]);
const TOOL: &[Says] = &[
    STOP,
    DENY,
    says(
        What::Input,
        &[NAMED, ("hookSpecificOutput.tool_input", Value)],
    ),
];
const DONE: &[Says] = &[
    STOP,
    DENY,
    says(What::Output, &[("decision", Is("deny")), ("reason", Text)]),
    claude::CONTEXT,
];
const PROMPT: &[Says] = &[STOP, DENY, claude::CONTEXT];
const END: &[Says] = &[STOP, DENY];
const MODEL: &[Says] = &[
    STOP,
    DENY,
    says(
        What::Request,
        &[NAMED, ("hookSpecificOutput.llm_request", Made(request))],
    ),
    // It reads the answer only beside a denial.
    says(
        What::Response,
        &[
            ("decision", Is("deny")),
            ("reason", Is("a hook answered in the model's place")),
            NAMED,
            ("hookSpecificOutput.llm_response", Made(response)),
        ],
    ),
];
const ANSWER: &[Says] = &[
    STOP,
    DENY,
    says(
        What::Text,
        &[NAMED, ("hookSpecificOutput.llm_response", Made(response))],
    ),
];

/// A model's answer, from its text or from ours.
fn response(said: &Json) -> Json {
    let text = said.as_str().or(said["content"].as_str());
    json!({ "candidates": [{ "content": { "role": "model", "parts": [text.unwrap_or_default()] }, "finishReason": "STOP" }] })
}

/// A request to a model.
fn request(request: &Json) -> Json {
    let messages = request["messages"].as_array();
    let messages = messages.into_iter().flatten().map(|message| {
        let role = match message["role"].as_str() {
            Some("assistant") => "model",
            Some("system") => "system",
            _ => "user",
        };
        json!({ "role": role, "content": message["content"] })
    });
    json!({
        "model": request["model"],
        "messages": messages.collect::<Vec<_>>(),
        "config": request["options"],
    })
}

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "gemini",
    title: "Gemini CLI",
    calls: Some(Calls {
        message: Some("systemMessage"),
        project: &["GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
        ..CALLS
    }),
    events: &[
        event("BeforeTool", "BeforeToolCall").of(Subject::Tool).says(TOOL),
        event("AfterTool", "AfterToolCall")
            .of(Subject::Tool)
            .refusal(Refusal::Replaces).says(DONE),
        event("BeforeAgent", "MessageReceived").says(PROMPT),
        event("AfterAgent", "BeforeStop").says(END),
        event("BeforeModel", "BeforeLlmCall").says(MODEL),
        event("AfterModel", "AfterLlmCall").says(ANSWER),
        event("SessionStart", "SessionStart")
            .of(Subject::Reason)
            .refusal(Refusal::Shows).says(&[claude::CONTEXT]),
        event("SessionEnd", "SessionEnd")
            .of(Subject::Reason)
            .refusal(Refusal::Shows).says(&[]),
        event("PreCompress", "BeforeCompact")
            .of(Subject::Reason)
            .refusal(Refusal::Shows).says(&[]),
        event("Notification", "Notification")
            .of(Subject::Kind)
            .refusal(Refusal::Shows).says(&[]),
    ],
    never: &["BeforeToolSelection"],
    words: Words::Gemini,
    exits: Exits::Gemini,
    unit: |_| Duration::from_millis(1),
    odd_timeouts: |timeout| timeout < 1000.0,
    timeout: Duration::from_mins(1),
    kinds: &["command"],
    of_names: |_| false,
    is_lenient: true,
    twins: Twins::NameAndCommand,
    on_failure: None,
    names_event: false,
    merges_input: true,
    files: &[
        (Whose::User, ".gemini/settings.json"),
        (Whose::Project, ".gemini/settings.json"),
    ],
    takes_args: false,
    ..claude::SYSTEM
};
