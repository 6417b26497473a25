//! Codex. It rejects answers with keys that it does not know, and takes a rejected answer for none: so a block is an
//! exit code, and an answer contains no more than necessary.

use std::time::Duration;

use crate::system::claude::{self, CONTEXT, NAMED, STOP};
use crate::system::says::Put::{Is, Text, Value};
use crate::system::says::{Says, What, says};
use crate::system::table::{
    CALLS, Calls, Exits, Refusal, Subject, System, Twins, When, Whose, Words, event,
};

const REFUSED: Says = says(What::Deny, &[]).exits();
const STOPPED: Says = says(What::Stop, &[]).exits();
const TOOL: &[Says] = &[
    STOPPED,
    REFUSED,
    says(
        What::Input,
        &[
            NAMED,
            ("hookSpecificOutput.permissionDecision", Is("allow")),
            ("hookSpecificOutput.updatedInput", Value),
        ],
    ),
    CONTEXT,
];
const PERMISSION: &[Says] = &[
    says(
        What::Deny,
        &[
            NAMED,
            ("hookSpecificOutput.decision.behavior", Is("deny")),
            ("hookSpecificOutput.decision.message", Text),
        ],
    ),
    says(
        What::Allow,
        &[NAMED, ("hookSpecificOutput.decision.behavior", Is("allow"))],
    ),
];
const DONE: &[Says] = &[
    STOP,
    says(What::Output, &[("decision", Is("block")), ("reason", Text)]),
    CONTEXT,
];
const PROMPT: &[Says] = &[STOPPED, REFUSED, CONTEXT];
/// A hook that only ends the turn does not refuse its end: the agent would go on.
const END: &[Says] = &[STOP, REFUSED];
const COMPACT: &[Says] = &[STOPPED, REFUSED];
const START: &[Says] = &[STOP, CONTEXT];

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "codex",
    title: "Codex",
    calls: Some(Calls {
        message: Some("systemMessage"),
        project: &[],
        ..CALLS
    }),
    events: &[
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool).says(TOOL),
        event("PermissionRequest", "ApproveToolCall").when(When::Requested).of(Subject::Tool).says(PERMISSION),
        event("PostToolUse", "AfterToolCall")
            .of(Subject::Tool)
            .refusal(Refusal::Tells).says(DONE),
        event("UserPromptSubmit", "MessageReceived").with_text().says(PROMPT),
        event("Stop", "BeforeStop").when(When::Top).says(END),
        event("SubagentStop", "BeforeStop")
            .when(When::Nested)
            .of(Subject::Kind).says(END),
        event("SubagentStart", "SubagentStart")
            .of(Subject::Kind)
            .refusal(Refusal::Shows)
            .with_text().says(START),
        event("SessionStart", "SessionStart")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .with_text().says(START),
        event("SessionEnd", "SessionEnd")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .within(Duration::from_secs(3)).says(&[]),
        event("Interrupt", "Interrupt")
            .refusal(Refusal::Shows)
            .within(Duration::from_secs(3)).says(&[]),
        event("PreCompact", "BeforeCompact").of(Subject::Reason).says(COMPACT),
        event("PostCompact", "AfterCompact")
            .of(Subject::Reason)
            .refusal(Refusal::Shows).says(&[]),
    ],
    never: &["PreModelRequest", "PostModelRequest"],
    words: Words::Codex,
    exits: Exits::Codex,
    windows: &["commandWindows", "command_windows"],
    kinds: &["command"],
    of_names: claude::list_of_words,
    twins: Twins::No,
    on_failure: None,
    is_strict: true,
    files: &[
        (Whose::User, ".codex/hooks.json"),
        (Whose::Project, ".codex/hooks.json"),
    ],
    takes_args: false,
    ..claude::SYSTEM
};
