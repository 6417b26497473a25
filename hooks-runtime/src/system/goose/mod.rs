//! goose.

use std::time::Duration;

use crate::system::claude;
use crate::system::says::Put::{Is, Text};
use crate::system::says::{Says, What, says};
use crate::system::table::{
    CALLS, Calls, Exits, Refusal, Subject, System, Twins, When, Words, event,
};
use crate::system::tools::Class;
use crate::system::table::Order;

const BLOCK: &[Says] =
    &[says(What::Deny, &[("decision", Is("block")), ("reason", Text)]).exits()];

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "goose",
    title: "goose",
    calls: Some(Calls {
        named: &["event", "hook_event_name"],
        project: &[],
        is_caller: |input, _| {
            input["event"].is_string()
                && (input["working_dir"].is_string() || !input["matcher_context"].is_null())
        },
        ..CALLS
    }),
    events: &[
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool).says(BLOCK),
        event("PostToolUse", "AfterToolCall")
            .when(When::Succeeded)
            .of(Subject::Tool)
            .refusal(Refusal::Shows).says(&[]),
        event("PostToolUseFailure", "AfterToolCall")
            .when(When::Failed)
            .of(Subject::Tool)
            .refusal(Refusal::Shows).says(&[]),
        event("BeforeReadFile", "BeforeToolCall")
            .when(When::Tool(Class::Read))
            .of(Subject::Path),
        event("BeforeShellExecution", "BeforeToolCall")
            .when(When::Tool(Class::Shell))
            .of(Subject::Command),
        event("AfterShellExecution", "AfterToolCall")
            .when(When::Tool(Class::Shell))
            .of(Subject::Command)
            .refusal(Refusal::Shows),
        event("AfterFileEdit", "AfterToolCall")
            .when(When::Tool(Class::Edit))
            .of(Subject::Path)
            .refusal(Refusal::Shows),
        event("UserPromptSubmit", "MessageReceived").says(&[]),
        event("Stop", "BeforeStop").says(BLOCK),
        event("SessionStart", "SessionStart").refusal(Refusal::Shows).says(&[]),
        event("SessionEnd", "SessionEnd").refusal(Refusal::Shows).says(&[]),
    ],
    never: &["PreToolUseResult"],
    words: Words::Goose,
    exits: Exits::Goose,
    timeout: Duration::from_secs(30),
    kinds: &["command"],
    of_names: |_| false,
    order: Order::InTurn,
    twins: Twins::No,
    on_failure: Some("on_failure"),
    names_event: false,
    files: &[],
    takes_args: false,
    ..claude::SYSTEM
};
