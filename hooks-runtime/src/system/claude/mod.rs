//! Claude Code. Most systems have adopted its events and its keys.

use std::time::Duration;

use crate::entry::OnFault;
use crate::system::says::Put::{Bool, Event, Is, Shaped, Text, Value};
use crate::system::says::{Place, Says, What, says};
use crate::system::table::{
    CALLS, Calls, Exits, Refusal, Root, Subject, System, Twins, When, Whose, Words, event,
};
use crate::system::table::Order;

const OF_PROMPT: Duration = Duration::from_secs(30);

/// The end of `hookSpecificOutput`, which most decisions stand in.
pub(crate) const NAMED: Place = ("hookSpecificOutput.hookEventName", Event);
const ENDS: Place = ("continue", Bool(false));
const WHY: Place = ("stopReason", Text);
const WORD: &str = "hookSpecificOutput.permissionDecision";
/// The word of a denial.
pub(crate) const DENIED: Place = (WORD, Is("deny"));
/// The reason of a decision about a tool.
pub(crate) const REASON: Place = ("hookSpecificOutput.permissionDecisionReason", Text);

/// The turn ends.
pub(crate) const STOP: Says = says(What::Stop, &[ENDS, WHY]);
/// The tool does not run.
pub(crate) const DENY: Says = says(What::Deny, &[NAMED, DENIED, REASON]);
/// The user is asked.
pub(crate) const ASK: Says = says(What::Ask, &[NAMED, (WORD, Is("ask")), REASON]);
/// Somebody decides later.
const DEFER: Says = says(What::Defer, &[NAMED, (WORD, Is("defer")), REASON]);
/// Nobody is asked.
pub(crate) const ALLOW: Says = says(What::Allow, &[NAMED, (WORD, Is("allow")), REASON]);
/// The tool gets these arguments.
pub(crate) const INPUT: Says = says(
    What::Input,
    &[NAMED, ("hookSpecificOutput.updatedInput", Value)],
);
/// The model reads more.
pub(crate) const CONTEXT: Says = says(
    What::Context,
    &[NAMED, ("hookSpecificOutput.additionalContext", Text)],
);
/// The event does not happen, or the agent goes on.
pub(crate) const BLOCK: Says = says(What::Deny, &[("decision", Is("block")), ("reason", Text)]);

const TOOL: &[Says] = &[
    says(
        What::Stop,
        &[ENDS, WHY, NAMED, DENIED, REASON],
    ),
    DENY,
    ASK,
    DEFER,
    ALLOW,
    INPUT,
    CONTEXT,
];
/// The answers to a request for permission.
pub(crate) const PERMISSION: &[Says] = &[
    says(
        What::Stop,
        &[
            NAMED,
            ("hookSpecificOutput.decision.behavior", Is("deny")),
            ("hookSpecificOutput.decision.message", Text),
            ("hookSpecificOutput.decision.interrupt", Bool(true)),
        ],
    ),
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
    says(
        What::Output,
        &[NAMED, ("hookSpecificOutput.updatedToolOutput", Shaped)],
    ),
    CONTEXT,
];
const FAILED: &[Says] = &[STOP, CONTEXT];
const PROMPT: &[Says] = &[STOP, BLOCK, CONTEXT];
const END: &[Says] = &[STOP, BLOCK];
const START: &[Says] = &[STOP, CONTEXT];
const DISPLAY: &[Says] = &[
    STOP,
    says(
        What::Text,
        &[NAMED, ("hookSpecificOutput.displayContent", Text)],
    ),
];

/// The characters of a name in a matcher.
pub(crate) fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The characters of a list of names with `|` between them.
pub(crate) fn list_of_words(c: char) -> bool {
    word(c) || c == '|'
}

fn list_of_names(c: char) -> bool {
    word(c) || matches!(c, '-' | ' ' | ',' | '|')
}

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "claude",
    title: "Claude Code",
    calls: Some(Calls {
        message: Some("systemMessage"),
        ..CALLS
    }),
    events: &[
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool).says(TOOL),
        event("PermissionRequest", "ApproveToolCall").when(When::Requested).of(Subject::Tool).says(PERMISSION),
        event("PermissionDenied", "ToolCallSkipped").of(Subject::Tool).says(&[]),
        event("PostToolUse", "AfterToolCall")
            .when(When::Succeeded)
            .of(Subject::Tool)
            .refusal(Refusal::Tells).says(DONE),
        event("PostToolUseFailure", "AfterToolCall")
            .when(When::Failed)
            .of(Subject::Tool)
            .refusal(Refusal::Tells).says(FAILED),
        event("UserPromptSubmit", "MessageReceived")
            .with_text()
            .within(OF_PROMPT).says(PROMPT),
        event("Stop", "BeforeStop").when(When::Top).says(END),
        event("SubagentStop", "BeforeStop")
            .when(When::Nested)
            .of(Subject::Kind).says(END),
        event("StopFailure", "AgentError").refusal(Refusal::Shows).says(&[]),
        event("SubagentStart", "SubagentStart")
            .of(Subject::Kind)
            .refusal(Refusal::Shows).says(START),
        event("SessionStart", "SessionStart")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .with_text().says(START),
        event("SessionEnd", "SessionEnd")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .never_stops()
            .within(Duration::from_millis(1500)).says(&[]),
        event("PreCompact", "BeforeCompact")
            .of(Subject::Reason)
            .never_stops().says(END),
        event("PostCompact", "AfterCompact")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .never_stops().says(&[]),
        event("Notification", "Notification")
            .of(Subject::Kind)
            .refusal(Refusal::Shows)
            .never_stops().says(&[]),
        event("MessageDisplay", "MessageSending")
            .refusal(Refusal::Shows)
            .within(Duration::from_secs(10)).says(DISPLAY),
    ],
    never: &[
        "PostToolBatch",
        "UserPromptExpansion",
        "Setup",
        "InstructionsLoaded",
        "ConfigChange",
        "CwdChanged",
        "DirectoryAdded",
        "FileChanged",
        "WorktreeCreate",
        "WorktreeRemove",
        "TaskCreated",
        "TaskCompleted",
        "TeammateIdle",
        "PreModelSwitch",
        "PostModelSwitch",
        "Elicitation",
        "ElicitationResult",
    ],
    words: Words::Claude,
    reads: &[],
    exits: Exits::Claude,
    root: Root::Hooks,
    is_flat: false,
    commands: &["command"],
    takes_args: true,
    is_path: |_| false,
    runs_at_file: false,
    windows: &[],
    timeouts: &["timeout"],
    unit: |_| Duration::from_secs(1),
    odd_timeouts: |timeout| timeout >= 1000.0,
    timeout: Duration::from_mins(10),
    prompt_timeout: OF_PROMPT,
    kinds: &["command", "http", "prompt"],
    of_names: list_of_names,
    is_lenient: false,
    is_whole: false,
    tools: None,
    renamed: &[],
    takes_claudes_tools: false,
    ignored: &[],
    order: Order::AtOnce,
    twins: Twins::Whole,
    on_failure: Some("onFailure"),
    fault: OnFault::Skip,
    is_strict: false,
    names_event: true,
    merges_input: false,
    files: &[
        (Whose::User, ".claude/settings.json"),
        (Whose::Project, ".claude/settings.json"),
        (Whose::Project, ".claude/settings.local.json"),
        (Whose::Managed, "managed-settings.json"),
        (Whose::Managed, "managed-settings.d"),
    ],
};

/// The start of a system of somebody else: what most of them do differently.
pub(crate) const CALLER: System = System {
    events: &[],
    never: &[],
    exits: Exits::Told,
    takes_args: false,
    timeout: Duration::from_mins(1),
    kinds: &[],
    of_names: list_of_words,
    twins: Twins::No,
    on_failure: None,
    names_event: false,
    files: &[],
    ..SYSTEM
};
