//! The tools of well-known agents: what their arguments are. `hooks_glob::tools` has the one table of them.

use std::collections::HashMap;

use hooks_glob::tools::lines;
pub use hooks_glob::tools::{Same, arguments, same};
use schemars::JsonSchema;
use serde::de::value::BorrowedStrDeserializer;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::shared::path_arguments::normal;

/// The kind of an argument of a tool: see the head of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ArgumentRole {
    Command,
    Directory,
    Shell,
    Read,
    Write,
    /// A pattern of files that are listed, or searched.
    Glob,
    /// A pattern of files that are read.
    Files,
    Patch,
    /// A text with addresses in it, which may be those of files.
    Addresses,
    /// An address that is fetched, or a list of them.
    Address,
    /// The words after the program in the command.
    Arguments,
    /// Variables, with their values.
    Environment,
    /// It is true instead of a command.
    Instead,
    Harmless,
    /// Any value other than nothing changes what the call does.
    Nothing,
}

/// An agent whose tools are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Profile {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Gemini CLI.
    GeminiCli,
    /// Cursor.
    Cursor,
    /// Windsurf.
    Windsurf,
    /// GitHub Copilot, in editors and at the command line.
    Copilot,
    /// Qwen Code.
    Qwen,
    /// OpenCode, and Kilo.
    Opencode,
    /// Antigravity CLI.
    Antigravity,
    /// Grok Build.
    Grok,
    /// Devin CLI.
    Devin,
    /// Kiro.
    Kiro,
    /// Cline.
    Cline,
    /// Factory Droid.
    Droid,
    /// Augment.
    Augment,
    /// OpenHands.
    Openhands,
    /// goose.
    Goose,
    /// Zed.
    Zed,
    /// Common names of tools, such as `shell`, `file_read` and `execute_command`.
    Common,
    /// The examples of this project.
    Examples,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Profile; 20] = [
        Profile::ClaudeCode,
        Profile::Codex,
        Profile::GeminiCli,
        Profile::Cursor,
        Profile::Windsurf,
        Profile::Copilot,
        Profile::Qwen,
        Profile::Opencode,
        Profile::Antigravity,
        Profile::Grok,
        Profile::Devin,
        Profile::Kiro,
        Profile::Cline,
        Profile::Droid,
        Profile::Augment,
        Profile::Openhands,
        Profile::Goose,
        Profile::Zed,
        Profile::Common,
        Profile::Examples,
    ];
}

/// The known arguments of a tool, by their normalised names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tool {
    roles: HashMap<SmolStr, ArgumentRole>,
    /// Whether arguments that are not listed may be anything, even if their names say that they are paths.
    #[cfg(feature = "security-policy")]
    pub(crate) is_open: bool,
    /// Whether its shell goes on between calls.
    #[cfg(feature = "security-policy")]
    pub(crate) is_persistent: bool,
}

/// Returns the tools of agents: the profile, the tool, and its arguments. A tool may have several lines.
fn profiles() -> impl Iterator<Item = (Option<Profile>, &'static str, &'static str)> {
    lines().map(|(agent, tool, arguments)| (named(agent), tool, arguments))
}

/// Returns the names of an agent's tools.
pub fn names(of: Profile) -> impl Iterator<Item = &'static str> {
    let lines = profiles().filter(move |(profile, _, _)| *profile == Some(of));
    lines.map(|(_, tool, _)| tool)
}

/// Returns the arguments of a line, each with its role.
fn roles(arguments: &'static str) -> impl Iterator<Item = (&'static str, Option<ArgumentRole>)> {
    let pairs = arguments.split_whitespace();
    pairs.filter_map(|pair| pair.split_once('=').map(|(name, role)| (name, named(role))))
}

/// Parses a value from its name in a configuration.
fn named<'n, T: Deserialize<'n>>(name: &'n str) -> Option<T> {
    let name: BorrowedStrDeserializer<'n, serde::de::value::Error> =
        BorrowedStrDeserializer::new(name);
    T::deserialize(name).ok()
}

/// Returns the tools of these agents, by their normalised names.
pub(crate) fn known(profiles: &[Profile]) -> HashMap<SmolStr, Tool> {
    let mut known: HashMap<SmolStr, Tool> = HashMap::new();
    for (profile, name, arguments) in self::profiles() {
        if profile.is_some_and(|profile| profiles.contains(&profile)) {
            let tool = known.entry(normal(name)).or_default();
            for (name, role) in roles(arguments) {
                // An unknown role is not allowed.
                tool.add(name, role.unwrap_or(ArgumentRole::Nothing));
            }
        }
    }
    known
}

/// Returns the names of the arguments of a tool with exactly this name, of an agent or of all.
pub fn arguments_of(tool: &str, of: Option<Profile>) -> impl Iterator<Item = &'static str> {
    let is_meant = move |profile| of.is_none() || of == profile;
    let named = profiles().filter(move |(profile, name, _)| *name == tool && is_meant(*profile));
    named.flat_map(|(_, _, arguments)| roles(arguments).map(|(name, _)| name))
}

impl Tool {
    /// Adds an argument.
    pub(crate) fn add(&mut self, name: &str, role: ArgumentRole) {
        let name = normal(name);
        let before = self.roles.get(&name);
        // If two agents have a tool of the same name, the stricter one applies.
        let is_weaker = matches!(
            (before, role),
            (
                Some(ArgumentRole::Write | ArgumentRole::Command),
                ArgumentRole::Read
                    | ArgumentRole::Harmless
                    | ArgumentRole::Glob
                    | ArgumentRole::Files
            ) | (Some(ArgumentRole::Files), ArgumentRole::Glob)
                | (Some(_), ArgumentRole::Harmless)
        );
        if !is_weaker {
            self.roles.insert(name, role);
        }
    }

    /// Returns the listed arguments.
    #[cfg(test)]
    pub(crate) fn roles(&self) -> impl Iterator<Item = (&str, ArgumentRole)> {
        self.roles.iter().map(|(name, role)| (name.as_str(), *role))
    }

    /// Returns the role of an argument, if it is listed.
    pub(crate) fn role(&self, argument: &str) -> Option<ArgumentRole> {
        self.roles.get(&normal(argument)).copied()
    }

    /// Whether the tool runs a command.
    pub(crate) fn is_shell(&self) -> bool {
        self.roles
            .values()
            .any(|role| *role == ArgumentRole::Command)
    }

    /// Whether none of its arguments names something to change.
    #[cfg(feature = "security-policy")]
    pub(crate) fn reads_only(&self) -> bool {
        let changes = |role: &ArgumentRole| {
            matches!(
                role,
                ArgumentRole::Write | ArgumentRole::Patch | ArgumentRole::Command
            )
        };
        let reads = |role: &ArgumentRole| {
            matches!(
                role,
                ArgumentRole::Read | ArgumentRole::Glob | ArgumentRole::Files
            )
        };
        self.roles.values().any(reads) && !self.roles.values().any(changes)
    }

    /// Whether every argument must be declared: any of them may say what the tool runs or changes.
    #[cfg(feature = "security-policy")]
    pub(crate) fn is_closed(&self) -> bool {
        let is_strict = |role: &ArgumentRole| {
            matches!(
                role,
                ArgumentRole::Command | ArgumentRole::Patch | ArgumentRole::Nothing
            )
        };
        self.roles.values().any(is_strict)
    }

    /// The arguments that may hold the command.
    #[cfg(feature = "security-policy")]
    pub(crate) fn commands(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .roles
            .iter()
            .filter(|(_, role)| **role == ArgumentRole::Command)
            .map(|(name, _)| name.as_str())
            .collect();
        names.sort_unstable();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_profiles_is_known() {
        let mut found = Vec::new();
        for (profile, tool, arguments) in profiles() {
            found.push(profile.expect("an agent"));
            assert!(!tool.is_empty() && tool.trim() == tool, "{tool}");
            assert_eq!(
                roles(arguments).count(),
                arguments.split_whitespace().count(),
                "{tool}"
            );
            for (name, role) in roles(arguments) {
                assert!(role.is_some(), "{tool} : {name}");
            }
        }
        found.dedup();
        assert_eq!(found, Profile::ALL);
    }
}
