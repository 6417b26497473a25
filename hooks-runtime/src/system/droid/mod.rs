//! Factory Droid. Its names of tools are its own: a matcher `Bash` never fires.

use hooks_builtin::Profile;

use crate::system::claude;
use crate::system::reads::{self, Row};
use crate::system::says::Says;
use crate::system::table::{CALLS, Calls, Refusal, Root, Subject, System, When, Whose, event};

const TOOL: &[Says] = &[
    claude::DENY.exits(),
    claude::ASK,
    claude::ALLOW,
    claude::INPUT,
];
const CALL: &[Row] = &[("tool_name", reads::tool), ("tool_input", reads::args)];
const END: &[Row] = &[("stop_hook_active", reads::again)];
const PROMPT: &[Says] = &[claude::BLOCK, claude::CONTEXT];

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "droid",
    title: "Factory Droid",
    calls: Some(Calls {
        message: Some("systemMessage"),
        project: &["FACTORY_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
        is_caller: |_, is_set| is_set("FACTORY_PROJECT_DIR"),
        ..CALLS
    }),
    events: &[
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool).reads(CALL).says(TOOL),
        event("PostToolUse", "AfterToolCall")
            .when(When::Succeeded)
            .of(Subject::Tool)
            .refusal(Refusal::Tells)
            .reads(&[
                ("tool_name", reads::tool),
                ("tool_input", reads::args),
                ("tool_response", reads::shaped),
            ])
            .says(PROMPT),
        event("UserPromptSubmit", "MessageReceived").with_text().reads(reads::PROMPT).says(PROMPT),
        event("Stop", "BeforeStop").when(When::Top).reads(END).says(&[claude::BLOCK]),
        event("SubagentStop", "BeforeStop").when(When::Nested).reads(END).says(&[claude::BLOCK]),
        event("SessionStart", "SessionStart")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .with_text()
            .reads(reads::SOURCE)
            .says(&[claude::CONTEXT]),
        event("SessionEnd", "SessionEnd")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .reads(reads::REASON)
            .says(&[]),
        event("PreCompact", "BeforeCompact")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .reads(reads::COMPACT)
            .says(&[]),
        event("Notification", "Notification")
            .refusal(Refusal::Shows)
            .reads(&[("message", reads::text)])
            .says(&[]),
    ],
    never: &[],
    reads: &[
        ("session_id", reads::session),
        ("transcript_path", reads::transcript),
        ("cwd", reads::cwd),
        ("permission_mode", reads::mode),
        ("hook_event_name", reads::named),
    ],
    root: Root::Top,
    kinds: &["command"],
    ignored: &["commandRegex"],
    tools: Some(Profile::Droid),
    files: &[
        (Whose::User, ".factory/hooks.json"),
        (Whose::User, ".factory/settings.json"),
        (Whose::Project, ".factory/hooks.json"),
        (Whose::Project, ".factory/settings.json"),
        (Whose::Project, ".factory/settings.local.json"),
    ],
    ..claude::CALLER
};
