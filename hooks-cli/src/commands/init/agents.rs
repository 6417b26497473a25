//! The agents whose settings `hooks init` knows: those whose table says how the settings look.

use std::collections::BTreeSet;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use hooks_builtin::__tools::names;
use hooks_runtime::{Dialect, Init, Registration};

use crate::commands::serve::RAISED;

/// An agent, and what its table says about its settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agent {
    pub(crate) system: Dialect,
    pub(crate) init: &'static Init,
}

pub(crate) const TEXTS: &str = "replaces secrets in the output of tools and in outgoing messages; with `{ model_input = true }` in prompts, too";

/// All agents whose settings can be written.
pub(crate) fn all() -> impl Iterator<Item = Agent> {
    let agent = |system: &Dialect| {
        Some(Agent {
            system: *system,
            init: system.init()?,
        })
    };
    Dialect::ALL.iter().filter_map(agent)
}

/// The names on the command line, as the agents that they stand for.
pub(crate) fn parser() -> impl TypedValueParser<Value = Agent> {
    let named = |name: String| all().find(|agent| agent.system.as_str() == name);
    PossibleValuesParser::new(all().map(|agent| agent.system.as_str()))
        .map(move |name| named(name).expect("it is one of these names"))
}

impl Agent {
    pub(crate) fn title(self) -> &'static str {
        self.system.title()
    }

    /// Whether it keeps a process that it asks, and calls no commands.
    pub(crate) fn keeps_a_process(self) -> bool {
        self.system.calls().next().is_none()
    }

    /// The end of each command of ours in the settings. An older entry may name the program by another path.
    pub(crate) fn mark(self, call: &Registration) -> String {
        if self.keeps_a_process() {
            return call.file.to_string_lossy().into_owned();
        }
        let command = call.command(self.system);
        let (_, mark) = command.split_once(" run ").unwrap_or_default();
        format!(" {mark}")
    }

    /// Returns the names of its tools.
    pub(crate) fn tools(self) -> impl Iterator<Item = &'static str> {
        let known = self
            .init
            .profiles
            .iter()
            .flat_map(|profile| names(*profile));
        known.chain(self.init.tools.iter().map(String::as_str))
    }

    /// Returns our events that it raises.
    pub(crate) fn raised(self) -> BTreeSet<&'static str> {
        if self.keeps_a_process() {
            RAISED.iter().copied().collect()
        } else {
            self.system.raises()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_of_an_agent_is_one_of_ours() {
        for agent in all() {
            let raised = agent.raised();
            for event in ["BeforeToolCall", "ApproveToolCall", "ToolCallEnd"] {
                assert!(raised.contains(event), "{}: {raised:?}", agent.system);
            }
        }
        let of = |system: Dialect| system.raises();
        assert!(
            of(Dialect::Gemini).contains("BeforeLlmCall")
                && of(Dialect::Gemini).contains("AfterLlmCall")
        );
        assert!(
            of(Dialect::Claude).contains("MessageSending")
                && !of(Dialect::Claude).contains("BeforeLlmCall")
        );
    }
}
