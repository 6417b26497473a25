//! The events of the agents, and what each of them is here.

use super::Client;

/// The meaning of an agent's event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    SessionStart,
    SessionEnd,
    Prompt,
    /// Before a tool runs.
    Tool,
    /// Before a command runs, without a tool name.
    Shell,
    /// Before an MCP tool runs.
    Mcp,
    /// Before a file is read, without a tool name.
    ReadFile,
    Permission,
    Denied,
    ToolDone,
    ToolFailed,
    ShellDone,
    McpDone,
    EditDone,
    Stop,
    SubagentStop,
    SubagentStart,
    Compact,
    Compacted,
    Notification,
    /// A message that is about to be shown.
    Display,
    /// A message that was already shown, so it cannot be changed.
    Displayed,
    Failure,
    Model,
    ModelDone,
    Interrupt,
    /// The agent has this event, but we do not.
    NotOurs,
}

impl Kind {
    /// Whether a tool is about to run.
    pub(super) fn is_tool_call(self) -> bool {
        matches!(self, Kind::Tool | Kind::Shell | Kind::Mcp | Kind::ReadFile)
    }
}

type Table = &'static [(&'static str, Kind)];

const CLAUDE: Table = &[
    ("SessionStart", Kind::SessionStart),
    ("SessionEnd", Kind::SessionEnd),
    ("UserPromptSubmit", Kind::Prompt),
    ("PreToolUse", Kind::Tool),
    ("PermissionRequest", Kind::Permission),
    ("PermissionDenied", Kind::Denied),
    ("PostToolUse", Kind::ToolDone),
    ("PostToolUseFailure", Kind::ToolFailed),
    ("Stop", Kind::Stop),
    ("SubagentStop", Kind::SubagentStop),
    ("SubagentStart", Kind::SubagentStart),
    ("StopFailure", Kind::Failure),
    ("PreCompact", Kind::Compact),
    ("PostCompact", Kind::Compacted),
    ("Notification", Kind::Notification),
    ("MessageDisplay", Kind::Display),
    ("Setup", Kind::NotOurs),
    ("InstructionsLoaded", Kind::NotOurs),
    ("UserPromptExpansion", Kind::NotOurs),
    ("PostToolBatch", Kind::NotOurs),
    ("TaskCreated", Kind::NotOurs),
    ("TaskCompleted", Kind::NotOurs),
    ("TeammateIdle", Kind::NotOurs),
    ("ConfigChange", Kind::NotOurs),
    ("CwdChanged", Kind::NotOurs),
    ("DirectoryAdded", Kind::NotOurs),
    ("FileChanged", Kind::NotOurs),
    ("WorktreeCreate", Kind::NotOurs),
    ("WorktreeRemove", Kind::NotOurs),
    ("PreModelSwitch", Kind::NotOurs),
    ("PostModelSwitch", Kind::NotOurs),
    ("Elicitation", Kind::NotOurs),
    ("ElicitationResult", Kind::NotOurs),
];

const CODEX: Table = &[
    ("SessionStart", Kind::SessionStart),
    ("SessionEnd", Kind::SessionEnd),
    ("UserPromptSubmit", Kind::Prompt),
    ("PreToolUse", Kind::Tool),
    ("PermissionRequest", Kind::Permission),
    ("PostToolUse", Kind::ToolDone),
    ("PreCompact", Kind::Compact),
    ("PostCompact", Kind::Compacted),
    ("SubagentStart", Kind::SubagentStart),
    ("SubagentStop", Kind::SubagentStop),
    ("Stop", Kind::Stop),
    ("Interrupt", Kind::Interrupt),
    ("PreModelRequest", Kind::NotOurs),
    ("PostModelRequest", Kind::NotOurs),
];

const GEMINI: Table = &[
    ("SessionStart", Kind::SessionStart),
    ("SessionEnd", Kind::SessionEnd),
    ("BeforeAgent", Kind::Prompt),
    ("AfterAgent", Kind::Stop),
    ("BeforeModel", Kind::Model),
    ("AfterModel", Kind::ModelDone),
    ("BeforeToolSelection", Kind::NotOurs),
    ("BeforeTool", Kind::Tool),
    ("AfterTool", Kind::ToolDone),
    ("PreCompress", Kind::Compact),
    ("Notification", Kind::Notification),
];

const GOOSE: Table = &[
    ("SessionStart", Kind::SessionStart),
    ("SessionEnd", Kind::SessionEnd),
    ("UserPromptSubmit", Kind::Prompt),
    ("PreToolUse", Kind::Tool),
    ("PreToolUseResult", Kind::NotOurs),
    ("PostToolUse", Kind::ToolDone),
    ("PostToolUseFailure", Kind::ToolFailed),
    // Raised in addition to `PreToolUse` and `PostToolUse` for the same call.
    ("BeforeReadFile", Kind::NotOurs),
    ("AfterFileEdit", Kind::NotOurs),
    ("BeforeShellExecution", Kind::NotOurs),
    ("AfterShellExecution", Kind::NotOurs),
    ("Stop", Kind::Stop),
];

const CURSOR: Table = &[
    ("sessionStart", Kind::SessionStart),
    ("sessionEnd", Kind::SessionEnd),
    ("beforeSubmitPrompt", Kind::Prompt),
    ("preToolUse", Kind::Tool),
    ("beforeShellExecution", Kind::Shell),
    ("beforeMCPExecution", Kind::Mcp),
    ("beforeReadFile", Kind::ReadFile),
    ("beforeTabFileRead", Kind::ReadFile),
    ("postToolUse", Kind::ToolDone),
    ("postToolUseFailure", Kind::ToolFailed),
    ("afterShellExecution", Kind::ShellDone),
    ("afterMCPExecution", Kind::McpDone),
    ("afterFileEdit", Kind::EditDone),
    ("afterTabFileEdit", Kind::EditDone),
    ("subagentStart", Kind::SubagentStart),
    ("subagentStop", Kind::SubagentStop),
    ("preCompact", Kind::Compact),
    ("stop", Kind::Stop),
    ("afterAgentResponse", Kind::Displayed),
    ("afterAgentThought", Kind::NotOurs),
    ("workspaceOpen", Kind::NotOurs),
];

impl Client {
    fn table(self) -> Table {
        match self {
            Client::Claude => CLAUDE,
            Client::Codex => CODEX,
            Client::Gemini => GEMINI,
            Client::Goose => GOOSE,
            Client::Cursor => CURSOR,
        }
    }

    pub(super) fn kind(self, event: &str) -> Option<Kind> {
        let mut events = self.table().iter();
        events
            .find(|(name, _)| *name == event)
            .map(|(_, kind)| *kind)
    }

    /// Returns the names of the agent's events on which our hooks can run.
    ///
    /// ```
    /// use hooks_runtime::bridge::Client;
    /// assert!(Client::Cursor.events().any(|event| event == "beforeShellExecution"));
    /// assert!(!Client::Claude.events().any(|event| event == "Setup"));
    /// ```
    pub fn events(self) -> impl Iterator<Item = &'static str> {
        let ours = self
            .table()
            .iter()
            .filter(|(_, kind)| *kind != Kind::NotOurs);
        ours.map(|(name, _)| *name)
    }
}
