//! The agents whose settings `hooks init` knows: those whose table says how the settings look.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command};
use hooks_builtin::__tools::names;
use hooks_runtime::{Dialect, Init, Registration};

use crate::commands::serve::RAISED;

/// An agent, and what its table says about its settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agent {
    pub(crate) system: Dialect,
    pub(crate) init: &'static Init,
    /// The file of its table, if it is one of the user's own.
    pub(crate) table: Option<&'static Path>,
}

pub(crate) const TEXTS: &str = "replaces secrets in the output of tools and in outgoing messages; with `{ model_input = true }` in prompts, too";

/// All agents whose settings can be written.
pub(crate) fn all() -> impl Iterator<Item = Agent> {
    Dialect::ALL.iter().copied().filter_map(of)
}

/// An agent, if its settings are known.
pub(crate) fn of(system: Dialect) -> Option<Agent> {
    let init = system.init()?;
    let table = None;
    Some(Agent {
        system,
        init,
        table,
    })
}

/// Understands the name of an agent, or the file of the table of one of your own.
#[derive(Clone, Debug)]
pub(crate) struct AgentNameParser;

impl TypedValueParser for AgentNameParser {
    type Value = Agent;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Agent, clap::Error> {
        let path = Path::new(value);
        if path.extension().is_none_or(|ending| ending != "toml") {
            let names = PossibleValuesParser::new(all().map(|agent| agent.system.as_str()));
            let name = names.parse_ref(command, arg, value)?;
            return Ok(all()
                .find(|agent| agent.system.as_str() == name)
                .expect("the name is one of these"));
        }
        own(path).map_err(|error| {
            clap::Error::raw(ErrorKind::ValueValidation, format!("{error}\n")).with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue>>> {
        Some(Box::new(
            all().map(|agent| PossibleValue::new(agent.system.as_str())),
        ))
    }
}

/// Reads a table of an agent of the user's own, in which is how its settings look.
fn own(path: &Path) -> Result<Agent, String> {
    let text =
        hooks_runtime::__read_text(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let system = Dialect::own(path, text).map_err(|error| error.to_string())?;
    let agent = of(system).ok_or_else(|| {
        let path = path.display();
        format!("{path}: the table has no `[init]`, so the agent's settings are not known")
    })?;
    // The arguments of this process name few.
    let table: &'static Path = Box::leak(Box::<Path>::from(path));
    Ok(Agent {
        table: Some(table),
        ..agent
    })
}

impl Agent {
    pub(crate) fn title(self) -> &'static str {
        self.system.title()
    }

    /// Whether it keeps a process that it asks, and calls no commands.
    pub(crate) fn keeps_a_process(self) -> bool {
        self.system.calls().next().is_none()
    }

    /// What a text of settings with a call of ours has in it.
    pub(crate) fn mark(self, call: &Registration) -> String {
        if self.keeps_a_process() {
            return call.file.to_string_lossy().into_owned();
        }
        call.mark(self.system)
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
