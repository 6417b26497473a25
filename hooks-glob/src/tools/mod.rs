//! The tools of well-known agents, and the names of those that do the same.
//!
//! `tools.txt` is the one table of them. `tools` in a file and `tool("…")` of `#[hook]` mean a tool by any of its names.

use alloc::vec::Vec;

use crate::Glob;

const TABLE: &str = include_str!("tools.txt");

/// The line before the tools that do the same in different systems.
const SAME: &str = "[same]";
/// The line before the arguments that mean the same.
const ARGUMENTS: &str = "[arguments]";

/// Returns the tools of agents: the agent, the tool, and its arguments. A tool may have several lines.
///
/// ```
/// let (agent, tool, arguments) = hooks_glob::tools::lines().next().unwrap();
/// assert_eq!((agent, tool), ("claude_code", "Bash"));
/// assert!(arguments.contains("command=command"));
/// ```
pub fn lines() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let (mut agent, mut tool) = ("", "");
    let lines = TABLE.lines().take_while(|line| *line != SAME);
    lines.filter_map(move |line| {
        if let Some(name) = line.strip_prefix('[') {
            agent = name.trim_end_matches(']');
            return None;
        }
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let Some((name, arguments)) = line.split_once(" :") else {
            return Some((agent, tool, line));
        };
        tool = name;
        Some((agent, tool, arguments))
    })
}

/// Tools that do the same in different systems.
#[derive(Clone, Debug)]
pub struct Same {
    /// What they do: `shell`, `read`, `edit`, `web` or `other`.
    pub class: &'static str,
    /// The names in Claude Code, Codex, Gemini CLI and goose.
    pub names: [&'static str; 4],
    /// The names that other agents give them.
    pub others: Vec<&'static str>,
}

impl Same {
    /// Returns all names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().chain(&self.others).copied()
    }
}

/// Returns all tools that do the same in different systems.
pub fn same() -> impl Iterator<Item = Same> {
    section(SAME).map(|(names, others)| {
        let mut names = names.split_whitespace();
        let mut next = || names.next().unwrap_or_default();
        Same {
            class: next(),
            names: [next(), next(), next(), next()],
            others,
        }
    })
}

/// Returns every name of the tools that a glob means, each once. A tool that is not well known has none.
///
/// ```
/// use hooks_glob::{Glob, tools};
///
/// let shell = tools::names(&Glob::new("shell")?);
/// assert!(shell.contains(&"Bash") && shell.contains(&"run_shell_command"));
/// assert!(tools::names(&Glob::new("deploy")?).is_empty());
/// # Ok::<(), hooks_glob::GlobError>(())
/// ```
#[must_use]
pub fn names(glob: &Glob) -> Vec<&'static str> {
    let is_meant = |tool: &Same| tool.names().any(|name| glob.matches(name));
    let mut names = Vec::new();
    for name in same()
        .filter(is_meant)
        .flat_map(|tool| tool.names().collect::<Vec<_>>())
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns the names of arguments that mean the same: one list for each meaning.
pub fn arguments() -> impl Iterator<Item = Vec<&'static str>> {
    section(ARGUMENTS).map(|(ours, mut others)| {
        others.insert(0, ours);
        others
    })
}

/// Returns the lines of a section after the tools of agents: the part before the colon, and the words after it.
fn section(head: &str) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let lines = TABLE.lines().skip_while(move |line| *line != head).skip(1);
    let mut rows: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in lines.take_while(|line| !line.is_empty()) {
        match (line.split_once(" :"), rows.last_mut()) {
            (Some((first, rest)), _) => rows.push((first, rest.split_whitespace().collect())),
            (None, Some((_, words))) => words.extend(line.split_whitespace()),
            (None, None) => {}
        }
    }
    rows.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_same_tools_has_a_colon_or_goes_on() {
        let lines = TABLE.lines().skip_while(|line| *line != SAME).skip(1);
        let lines = lines.take_while(|line| !line.is_empty());
        assert_eq!(
            same().count(),
            lines.filter(|line| line.contains(" :")).count()
        );
        assert!(same().all(|tool| tool.names().all(|name| !name.is_empty())));
    }

    #[test]
    fn a_glob_means_the_tools_of_which_it_matches_one_name() {
        let names = |glob| super::names(&Glob::new(glob).unwrap());
        // `replace` is one tool of Gemini CLI, and does what two of Claude Code do.
        let replace = names("replace");
        assert!(replace.contains(&"Edit") && replace.contains(&"MultiEdit"));
        assert!(!replace.contains(&"Write"));
        let web = names("web_*");
        assert!(web.contains(&"WebFetch") && web.contains(&"google_web_search"));
        assert!(names("mcp__*").is_empty() && names("BASH").is_empty());
    }
}
