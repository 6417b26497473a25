//! Other systems' names for our events.

use crate::Dialect;
use crate::dialect::table::When;
use crate::events::{EVENTS, EventInfo};

/// Names of events in other systems, and ours. A name with several meanings occurs several times.
const NAMES: &[(&str, &str)] = &[
    // Claude Code, Codex, goose, and all systems that read their files.
    ("PreToolUse", "BeforeToolCall"),
    ("PostToolUse", "AfterToolCall"),
    ("PostToolUseFailure", "AfterToolCall"),
    ("PermissionRequest", "ApproveToolCall"),
    ("PermissionDenied", "ToolCallSkipped"),
    ("UserPromptSubmit", "MessageReceived"),
    ("Stop", "BeforeStop"),
    ("PreCompact", "BeforeCompact"),
    ("PostCompact", "AfterCompact"),
    ("MessageDisplay", "MessageSending"),
    ("StopFailure", "AgentError"),
    ("BeforeReadFile", "BeforeToolCall"),
    ("BeforeShellExecution", "BeforeToolCall"),
    ("AfterShellExecution", "AfterToolCall"),
    ("AfterFileEdit", "AfterToolCall"),
    // Gemini CLI.
    ("BeforeTool", "BeforeToolCall"),
    ("AfterTool", "AfterToolCall"),
    ("BeforeAgent", "MessageReceived"),
    ("AfterAgent", "BeforeStop"),
    ("BeforeModel", "BeforeLlmCall"),
    ("AfterModel", "AfterLlmCall"),
    ("PreCompress", "BeforeCompact"),
    // Cursor.
    ("preToolUse", "BeforeToolCall"),
    ("postToolUse", "AfterToolCall"),
    ("postToolUseFailure", "AfterToolCall"),
    ("beforeShellExecution", "BeforeToolCall"),
    ("afterShellExecution", "AfterToolCall"),
    ("beforeMCPExecution", "BeforeToolCall"),
    ("afterMCPExecution", "AfterToolCall"),
    ("beforeReadFile", "BeforeToolCall"),
    ("afterFileEdit", "AfterToolCall"),
    ("beforeSubmitPrompt", "MessageReceived"),
    ("preCompact", "BeforeCompact"),
    ("afterAgentResponse", "MessageSending"),
    ("sessionStart", "SessionStart"),
    ("sessionEnd", "SessionEnd"),
    ("subagentStart", "SubagentStart"),
    ("subagentStop", "SubagentStop"),
    // GoClaw, and ZeroClaw's and ClawSeed's hooks.
    ("session_start", "SessionStart"),
    ("session_end", "SessionEnd"),
    ("user_prompt_submit", "MessageReceived"),
    ("pre_tool_use", "BeforeToolCall"),
    ("post_tool_use", "AfterToolCall"),
    ("stop", "AgentEnd"),
    ("subagent_start", "SubagentStart"),
    ("subagent_stop", "SubagentStop"),
    ("before_tool_call", "BeforeToolCall"),
    ("after_tool_call", "AfterToolCall"),
    ("before_llm_call", "BeforeLlmCall"),
    ("after_llm_call", "AfterLlmCall"),
    ("before_model_resolve", "BeforeModelResolve"),
    ("before_prompt_build", "BeforePromptBuild"),
    ("on_message_received", "MessageReceived"),
    ("on_message_sending", "MessageSending"),
    ("on_message_sent", "MessageSent"),
    ("on_session_start", "SessionStart"),
    ("on_session_end", "SessionEnd"),
    ("on_llm_input", "LlmInput"),
    ("on_llm_output", "LlmOutput"),
    ("on_after_tool_call", "ToolCallEnd"),
    ("on_heartbeat_tick", "HeartbeatTick"),
    ("on_gateway_start", "GatewayStart"),
    ("on_gateway_stop", "GatewayStop"),
    // mini-claw-code.
    ("PreToolCall", "BeforeToolCall"),
    ("PostToolCall", "AfterToolCall"),
    // PicoClaw.
    ("before_tool", "BeforeToolCall"),
    ("after_tool", "AfterToolCall"),
    ("approve_tool", "ApproveToolCall"),
    ("before_llm", "BeforeLlmCall"),
    ("after_llm", "AfterLlmCall"),
    ("agent.turn.start", "AgentStart"),
    ("agent.turn.end", "AgentEnd"),
    ("agent.llm.request", "LlmInput"),
    ("agent.llm.response", "LlmOutput"),
    ("agent.llm.delta", "LlmDelta"),
    ("agent.llm.retry", "LlmFailed"),
    ("agent.tool.exec_start", "ToolCallStart"),
    ("agent.tool.exec_end", "ToolCallEnd"),
    ("agent.tool.exec_skipped", "ToolCallSkipped"),
    ("agent.context.compress", "AfterCompact"),
    ("agent.subturn.spawn", "SubagentStart"),
    ("agent.subturn.end", "SubagentStop"),
    ("agent.interrupt.received", "Interrupt"),
    ("agent.error", "AgentError"),
    ("channel.message.outbound_queued", "MessageSending"),
    ("channel.message.outbound_sent", "MessageSent"),
    ("channel.message.outbound_failed", "MessageFailed"),
    ("gateway.start", "GatewayStart"),
    ("gateway.shutdown", "GatewayStop"),
];

/// Returns our events with this name, ours or the dialect's, each with its name for hooks of the dialect.
pub(crate) fn ours(dialect: Dialect, name: &str) -> Vec<(&'static EventInfo, String)> {
    // `SubagentStop` of Claude Code is a decision, made when the subagent wants to stop.
    if dialect == Dialect::Claude && name == "SubagentStop" {
        return EventInfo::named("BeforeStop")
            .map(|event| (event, name.to_owned()))
            .into_iter()
            .collect();
    }
    if let Some(event) = EventInfo::named(name) {
        return vec![(event, name.to_owned())];
    }
    let named = NAMES.iter().filter(|(theirs, _)| *theirs == name);
    named
        .filter_map(|(theirs, ours)| Some((EventInfo::named(ours)?, (*theirs).to_owned())))
        .collect()
}

/// All events that PicoClaw has as well, each with its kind there.
pub(crate) fn kinds_of_picoclaw() -> Vec<(&'static EventInfo, String)> {
    // No other system has dots in its names.
    let kinds = NAMES.iter().filter(|(theirs, _)| theirs.contains('.'));
    kinds
        .flat_map(|(kind, _)| ours(Dialect::Picoclaw, kind))
        .collect()
}

/// Which events of a kind are meant by names of other systems. Names that are about all events of a kind, or together are,
/// limit nothing: `Stop` is that of an agent that no other has started, and `Stop` and `SubagentStop` are all.
pub(crate) fn whens(dialect: Dialect, names: &[String]) -> Vec<(&'static str, When)> {
    let systems = [Dialect::Claude, Dialect::Goose];
    let meant = |name: &str| {
        let mut rows = systems
            .iter()
            .filter_map(|system| system.rules().named(name));
        rows.next()
    };
    let mut whens = Vec::new();
    for name in names {
        let Some(row) = meant(name) else { continue };
        let others = names.iter().filter(|other| *other != name);
        let is_alone = others
            .flat_map(|other| ours(dialect, other))
            .all(|(event, _)| event.name != row.ours);
        // `SubagentStop` is also one of our own names.
        let is_that = ours(dialect, name)
            .iter()
            .any(|(event, _)| event.name == row.ours);
        if is_alone && is_that && row.when != When::Always {
            whens.push((row.ours, row.when));
        }
    }
    whens
}

/// Returns what to write instead of an unknown name.
pub(crate) fn suggestion(name: &str) -> String {
    let known = EVENTS
        .iter()
        .map(|event| event.name)
        .chain(NAMES.iter().map(|(theirs, _)| *theirs));
    // Some names differ only in case.
    let nearness = |known: &str| {
        strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase())
            + strsim::jaro_winkler(name, known) / 100.0
    };
    let near = known
        .map(|known| (nearness(known), known))
        .max_by(|one, other| one.0.total_cmp(&other.0));
    match near {
        Some((near, known)) if near > 0.8 => match ours(Dialect::Hooks, known).first() {
            Some((event, _)) if event.name != known => {
                format!("did you mean `{known}`? here, that is `{}`", event.name)
            }
            _ => format!("did you mean `{known}`?"),
        },
        _ => "the events are `BeforeToolCall`, `AfterToolCall`, `MessageReceived`, … and `*` for all: see the table of \
              `hooks_core::agent`"
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_of_our_events() {
        for (theirs, ours) in NAMES {
            assert!(EventInfo::named(ours).is_some(), "{theirs}: {ours}");
            assert!(
                EventInfo::named(theirs).is_none(),
                "{theirs} is ours already"
            );
        }
    }

    #[test]
    fn some_names_mean_a_part_of_our_events() {
        let of = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
            whens(Dialect::Hooks, &names)
        };
        assert_eq!(
            of(&["PostToolUseFailure"]),
            [("AfterToolCall", When::Failed)]
        );
        assert_eq!(
            of(&["PostToolUse", "PreToolUse"]),
            [("AfterToolCall", When::Succeeded)]
        );
        assert_eq!(of(&["PostToolUse", "PostToolUseFailure"]), []);
        assert_eq!(of(&["Stop"]), [("BeforeStop", When::Top)]);
        assert_eq!(of(&["SubagentStop"]), []);
        assert_eq!(of(&["AfterToolCall", "PostToolUse"]), []);
    }

    #[test]
    fn the_nearest_name_is_suggested() {
        assert_eq!(
            suggestion("BeforeToolcal"),
            "did you mean `BeforeToolCall`?"
        );
        assert_eq!(
            suggestion("PreToolUs"),
            "did you mean `PreToolUse`? here, that is `BeforeToolCall`"
        );
    }
}
