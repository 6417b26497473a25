//! The tables: one for each system.

use std::time::Duration;

use super::{Exits, Refusal, Rules, Subject, Twins, When, Whose, Words, event};
use crate::dialect::Dialect;
use crate::dialect::tools::Class;
use crate::entry::OnFault;
use crate::unit::Order;

const SECOND: Duration = Duration::from_secs(1);

fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn list_of_words(c: char) -> bool {
    word(c) || c == '|'
}

fn list_of_names(c: char) -> bool {
    word(c) || matches!(c, '-' | ' ' | ',' | '|')
}

fn nothing(_: char) -> bool {
    false
}

const OF_PROMPT: Duration = Duration::from_secs(30);
const LAST: Duration = Duration::from_millis(1500);

const CLAUDE: Rules = Rules {
    events: &[
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool),
        event("PermissionRequest", "ApproveToolCall").of(Subject::Tool),
        event("PermissionDenied", "ToolCallSkipped").of(Subject::Tool),
        event("PostToolUse", "AfterToolCall")
            .when(When::Succeeded)
            .of(Subject::Tool)
            .refusal(Refusal::Tells),
        event("PostToolUseFailure", "AfterToolCall")
            .when(When::Failed)
            .of(Subject::Tool)
            .refusal(Refusal::Tells),
        event("UserPromptSubmit", "MessageReceived")
            .with_text()
            .within(OF_PROMPT),
        event("Stop", "BeforeStop").when(When::Top),
        event("SubagentStop", "BeforeStop")
            .when(When::Nested)
            .of(Subject::Kind),
        event("StopFailure", "AgentError").refusal(Refusal::Shows),
        event("SubagentStart", "SubagentStart")
            .of(Subject::Kind)
            .refusal(Refusal::Shows),
        event("SessionStart", "SessionStart")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .with_text(),
        event("SessionEnd", "SessionEnd")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .never_stops()
            .within(LAST),
        event("PreCompact", "BeforeCompact")
            .of(Subject::Reason)
            .never_stops(),
        event("PostCompact", "AfterCompact")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .never_stops(),
        event("Notification", "Notification")
            .of(Subject::Kind)
            .refusal(Refusal::Shows)
            .never_stops(),
        event("MessageDisplay", "MessageSending")
            .refusal(Refusal::Shows)
            .within(Duration::from_secs(10)),
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
    exits: Exits::Claude,
    unit: SECOND,
    odd_timeouts: |timeout| timeout >= 1000.0,
    timeout: Duration::from_mins(10),
    prompt_timeout: OF_PROMPT,
    kinds: &["command", "http", "prompt"],
    of_names: list_of_names,
    is_lenient: false,
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

const CODEX: Rules = Rules {
    events: &[
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool),
        event("PermissionRequest", "ApproveToolCall").of(Subject::Tool),
        event("PostToolUse", "AfterToolCall")
            .of(Subject::Tool)
            .refusal(Refusal::Tells),
        event("UserPromptSubmit", "MessageReceived").with_text(),
        event("Stop", "BeforeStop").when(When::Top),
        event("SubagentStop", "BeforeStop")
            .when(When::Nested)
            .of(Subject::Kind),
        event("SubagentStart", "SubagentStart")
            .of(Subject::Kind)
            .refusal(Refusal::Shows)
            .with_text(),
        event("SessionStart", "SessionStart")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .with_text(),
        event("SessionEnd", "SessionEnd")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .within(Duration::from_secs(3)),
        event("Interrupt", "Interrupt")
            .refusal(Refusal::Shows)
            .within(Duration::from_secs(3)),
        event("PreCompact", "BeforeCompact").of(Subject::Reason),
        event("PostCompact", "AfterCompact")
            .of(Subject::Reason)
            .refusal(Refusal::Shows),
    ],
    never: &["PreModelRequest", "PostModelRequest"],
    words: Words::Codex,
    exits: Exits::Codex,
    kinds: &["command"],
    of_names: list_of_words,
    twins: Twins::No,
    on_failure: None,
    is_strict: true,
    files: &[
        (Whose::User, ".codex/hooks.json"),
        (Whose::Project, ".codex/hooks.json"),
    ],
    ..CLAUDE
};

const GEMINI: Rules = Rules {
    events: &[
        event("BeforeTool", "BeforeToolCall").of(Subject::Tool),
        event("AfterTool", "AfterToolCall")
            .of(Subject::Tool)
            .refusal(Refusal::Replaces),
        event("BeforeAgent", "MessageReceived"),
        event("AfterAgent", "BeforeStop"),
        event("BeforeModel", "BeforeLlmCall"),
        event("AfterModel", "AfterLlmCall"),
        event("SessionStart", "SessionStart")
            .of(Subject::Reason)
            .refusal(Refusal::Shows),
        event("SessionEnd", "SessionEnd")
            .of(Subject::Reason)
            .refusal(Refusal::Shows),
        event("PreCompress", "BeforeCompact")
            .of(Subject::Reason)
            .refusal(Refusal::Shows),
        event("Notification", "Notification")
            .of(Subject::Kind)
            .refusal(Refusal::Shows),
    ],
    never: &["BeforeToolSelection"],
    words: Words::Gemini,
    exits: Exits::Gemini,
    unit: Duration::from_millis(1),
    odd_timeouts: |timeout| timeout < 1000.0,
    timeout: Duration::from_mins(1),
    kinds: &["command"],
    of_names: nothing,
    is_lenient: true,
    twins: Twins::NameAndCommand,
    on_failure: None,
    names_event: false,
    merges_input: true,
    files: &[
        (Whose::User, ".gemini/settings.json"),
        (Whose::Project, ".gemini/settings.json"),
    ],
    ..CLAUDE
};

const GOOSE: Rules = Rules {
    events: &[
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool),
        event("PostToolUse", "AfterToolCall")
            .when(When::Succeeded)
            .of(Subject::Tool)
            .refusal(Refusal::Shows),
        event("PostToolUseFailure", "AfterToolCall")
            .when(When::Failed)
            .of(Subject::Tool)
            .refusal(Refusal::Shows),
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
        event("UserPromptSubmit", "MessageReceived"),
        event("Stop", "BeforeStop"),
        event("SessionStart", "SessionStart").refusal(Refusal::Shows),
        event("SessionEnd", "SessionEnd").refusal(Refusal::Shows),
    ],
    never: &["PreToolUseResult"],
    words: Words::Goose,
    exits: Exits::Goose,
    timeout: Duration::from_secs(30),
    kinds: &["command"],
    of_names: nothing,
    order: Order::InTurn,
    twins: Twins::No,
    on_failure: Some("on_failure"),
    names_event: false,
    files: &[],
    ..CLAUDE
};

const GOCLAW: Rules = Rules {
    events: &[
        event("session_start", "SessionStart")
            .of(Subject::Empty)
            .refusal(Refusal::Shows),
        event("user_prompt_submit", "MessageReceived").of(Subject::Empty),
        event("pre_tool_use", "BeforeToolCall").of(Subject::Tool),
        event("post_tool_use", "ToolCallEnd").of(Subject::Tool),
        event("stop", "AgentEnd").of(Subject::Empty),
        event("subagent_start", "SubagentStart").of(Subject::Empty),
        event("subagent_stop", "SubagentStop").of(Subject::Empty),
        // The successor of the quality gates: see `load::goclaw`.
        event("delegation.completed", "BeforeStop")
            .when(When::Nested)
            .of(Subject::Empty),
    ],
    never: &[],
    words: Words::Goclaw,
    exits: Exits::Goclaw,
    unit: Duration::from_millis(1),
    odd_timeouts: |_| false,
    timeout: Duration::from_secs(5),
    prompt_timeout: Duration::from_secs(5),
    kinds: &["command", "http", "prompt"],
    of_names: nothing,
    order: Order::InTurn,
    twins: Twins::No,
    on_failure: None,
    fault: OnFault::Block,
    names_event: false,
    files: &[],
    ..CLAUDE
};

const FLAT: Rules = Rules {
    events: &[
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool),
        event("PreToolCall", "BeforeToolCall").of(Subject::Tool),
        event("PostToolUse", "ToolCallEnd").of(Subject::Tool),
        event("PostToolCall", "ToolCallEnd").of(Subject::Tool),
    ],
    never: &["AgentStart", "AgentEnd"],
    exits: Exits::Flat,
    kinds: &["command"],
    order: Order::InTurn,
    twins: Twins::No,
    on_failure: None,
    fault: OnFault::Block,
    files: &[],
    ..CLAUDE
};

/// Our own: Claude Code's keys for all of our events.
const HOOKS: Rules = Rules {
    events: &[],
    never: &[],
    fault: OnFault::Block,
    names_event: false,
    files: &[],
    ..CLAUDE
};

impl Dialect {
    /// Returns the rules of the dialect.
    pub(crate) fn rules(self) -> &'static Rules {
        const { &[HOOKS, CLAUDE, CODEX, GEMINI, GOOSE, GOCLAW, FLAT] }
            .get(match self {
                Dialect::Hooks | Dialect::Picoclaw => 0,
                Dialect::Claude => 1,
                Dialect::Codex => 2,
                Dialect::Gemini => 3,
                Dialect::Goose => 4,
                Dialect::Goclaw => 5,
                Dialect::Flat => 6,
            })
            .unwrap_or(&HOOKS)
    }
}
