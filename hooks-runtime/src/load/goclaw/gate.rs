//! Reads the successors of an agent's quality gates.

use hooks_config::ConfigError;
use serde_json::{Map, Value};

use super::{HookPlace, LONGEST};
use crate::definition::{Definition, DefinitionPlace};
use crate::entry::{ImportEntry, Mode, OnFault};
use crate::events::EventInfo;
use crate::filter::Filter;
use crate::load::Loader;
use crate::load::near::misspelled;
use crate::system::Dialect;
use crate::system::table::SystemEvent;

/// The keys of a gate.
const KEYS: &[&str] = &[
    "event",
    "type",
    "command",
    "prompt",
    "prompt_template",
    "instructions",
    "agent",
    "block_on_failure",
    "max_retries",
];

impl Loader<'_> {
    /// Reads a quality gate, which judges the result of a delegation. If it blocks, the subagent continues with the
    /// reason.
    pub(super) fn gate(
        &mut self,
        place: &HookPlace<'_>,
        gate: &Value,
        entry: &ImportEntry,
    ) -> Result<Option<Definition>, ConfigError> {
        if let Some(wrong) = misspelled(place.document, &place.path, gate, KEYS) {
            return Err(wrong);
        }
        if gate["event"].as_str() != Some("delegation.completed") {
            return Err(place.wrong(
                &["event"],
                "a quality gate must be for `delegation.completed`",
                None,
            ));
        }
        if entry.mode == Mode::Off {
            return Ok(None);
        }
        let blocks = gate["block_on_failure"] == Value::Bool(true);
        let (named, event) = if blocks {
            ("delegation.completed", "BeforeStop")
        } else {
            ("subagent_stop", "SubagentStop")
        };
        let Some(info) = EventInfo::named(event) else {
            return Ok(None);
        };
        let mut config = Map::new();
        let kind = match gate["type"].as_str() {
            Some("command") => {
                config.insert("command".into(), gate["command"].clone());
                "command"
            }
            Some("agent") => {
                let text = ["prompt", "prompt_template", "instructions"]
                    .iter()
                    .find_map(|key| gate[*key].as_str());
                let Some(text) = text else {
                    return Err(place.wrong(
                        &["type"],
                        "the gate asks an agent, but does not say what",
                        Some("write `\"prompt\": \"…\"`, which a model judges by"),
                    ));
                };
                config.insert("prompt_template".into(), text.into());
                "prompt"
            }
            _ => {
                return Err(place.wrong(
                    &["type"],
                    "a quality gate must be a `command` or an `agent`",
                    None,
                ));
            }
        };
        let line = Some(place.document.line(&place.path));
        let origin = DefinitionPlace::of(place.document.file(), line);
        let name = self.free_name("quality gate", &origin.to_string());
        let (body, state) = self.goclaw_body(place, kind, &config, gate, &name, true)?;
        let help = if blocks {
            "the gate runs where the subagent wants to stop, and sends the subagent on with the reason"
        } else {
            "the gate runs as a hook on `subagent_stop`, which blocks nothing"
        };
        let notice = place.wrong(&[], "quality gates are hooks now", Some(help));
        self.notices.push(notice.to_string());
        let event = Dialect::Goclaw.system().named(named);
        Ok(Some(Definition {
            events: vec![(info, named.to_owned())],
            filter: Filter {
                whens: event.map(SystemEvent::whens).unwrap_or_default(),
                ..Filter::default()
            },
            mode: entry.mode,
            timeout: LONGEST,
            on_failure: Some(if blocks {
                OnFault::Block
            } else {
                OnFault::Skip
            }),
            is_background: !blocks,
            state,
            ..Definition::new(name, origin, Dialect::Goclaw, body)
        }))
    }
}
