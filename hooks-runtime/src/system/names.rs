//! Other systems' names for our events.

use crate::events::{EVENTS, EventInfo};
use crate::system::Dialect;
use crate::system::table::{EventCondition, SystemEvent};

/// Names of events in systems without a table, and ours.
const NAMES: &[(&str, &str)] = &[
    // ZeroClaw and ClawSeed, and what GoClaw calls the same in our own files.
    ("post_tool_use", "AfterToolCall"),
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
    // Kiro CLI 2.
    ("userPromptSubmit", "MessageReceived"),
    // mini-claw-code.
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
    // A name of the system's own comes first: `SubagentStop` of Claude Code is a decision, made when the subagent wants to
    // stop.
    if let Some(event) = dialect.system().named(name).and_then(SystemEvent::info) {
        return vec![(event, name.to_owned())];
    }
    if let Some(event) = EventInfo::named(name) {
        return vec![(event, name.to_owned())];
    }
    let named = known().find(|(theirs, _)| *theirs == name);
    named
        .and_then(|(theirs, ours)| Some((EventInfo::named(ours)?, theirs.to_owned())))
        .into_iter()
        .collect()
}

/// All names, and ours: those without a table first, and then those of the systems, in their order.
fn known() -> impl Iterator<Item = (&'static str, &'static str)> {
    let systems = Dialect::ALL.iter().map(|dialect| dialect.system());
    let listed = systems.flat_map(|system| system.events().iter());
    let listed = listed.map(|event| (event.named.as_str(), event.ours));
    NAMES.iter().copied().chain(listed)
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
pub(crate) fn whens(dialect: Dialect, names: &[String]) -> Vec<(&'static str, EventCondition)> {
    let systems = [Dialect::Claude, Dialect::Goose];
    let meant = |name: &str| {
        let mut rows = systems
            .iter()
            .filter_map(|system| system.system().named(name));
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
        if is_alone && is_that && row.when != EventCondition::Always {
            whens.push((row.ours, row.when));
        }
    }
    whens
}

/// Returns what to write in a file of a system instead of a name that another one has for the event.
pub(crate) fn suggestion_in(dialect: Dialect, name: &str) -> String {
    let events = dialect.system().events();
    let spelling = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let here = ours(Dialect::Hooks, name)
        .into_iter()
        .find_map(|(event, _)| {
            let mut here = events.iter().filter(|row| row.ours == event.name);
            here.next()
        });
    let here = here.or_else(|| {
        events
            .iter()
            .find(|row| spelling(&row.named) == spelling(name))
    });
    match here {
        Some(row) => format!("here it is `{}`", row.named),
        None if !ours(Dialect::Hooks, name).is_empty() => {
            format!("{} has no such event", dialect.title())
        }
        None => suggestion(name),
    }
}

/// Returns what to write instead of an unknown name.
pub(crate) fn suggestion(name: &str) -> String {
    let mut systems = Dialect::ALL.iter().map(|dialect| dialect.system());
    if let Some(system) = systems.find(|system| system.never.iter().any(|never| never == name)) {
        return format!(
            "`{name}` of {} is a custom event here: write `event = \"Custom\"` and `matcher = \"^{name}$\"`",
            system.title
        );
    }
    let known = EVENTS
        .iter()
        .map(|event| event.name)
        .chain(known().map(|(theirs, _)| theirs));
    // Some names differ only in case.
    let nearness = |known: &str| {
        strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase())
            + strsim::jaro_winkler(name, known) / 100.0
    };
    let near = known
        // To compare long texts takes long, and what is much longer is meant as something else.
        .filter(|known| name.len() < 10 * known.len())
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
        for (theirs, ours) in known() {
            assert!(EventInfo::named(ours).is_some(), "{theirs}: {ours}");
        }
        for (theirs, _) in NAMES {
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
            [("AfterToolCall", EventCondition::Failed)]
        );
        assert_eq!(
            of(&["PostToolUse", "PreToolUse"]),
            [("AfterToolCall", EventCondition::Succeeded)]
        );
        assert_eq!(of(&["PostToolUse", "PostToolUseFailure"]), []);
        assert_eq!(of(&["Stop"]), [("BeforeStop", EventCondition::Top)]);
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
            suggestion("Setup"),
            "`Setup` of Claude Code is a custom event here: write `event = \"Custom\"` and `matcher = \"^Setup$\"`"
        );
        assert_eq!(
            suggestion("PreToolUs"),
            "did you mean `PreToolUse`? here, that is `BeforeToolCall`"
        );
    }
}
