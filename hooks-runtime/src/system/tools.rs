//! The names of well-known tools in different systems, and those of their arguments.
//!
//! A file may mean a tool by any of its names. Where a hook's file uses another name than the agent, the hook reads that
//! name, and the arguments have the names that go with it.

use std::collections::HashMap;

use hooks_builtin::__tools::{arguments_of, names as tools_of};
use hooks_builtin::Profile;
pub(crate) use hooks_compiled::renamed::Renamed;
use hooks_rules::input::Rule;
use hooks_rules::tools::{Aliases, known as well_known};
use serde_json::Value;

use super::Dialect;
use crate::answer::{Change, HandlerAnswer};
use crate::events::EventInfo;

/// Returns the dialect's name of each tool; an empty one if it has none.
fn named(dialect: Dialect) -> Vec<&'static str> {
    let profile = dialect.system().files.profile;
    let own: Vec<_> = profile.into_iter().flat_map(tools_of).collect();
    let tools = well_known().iter().map(|tool| {
        let [claude, codex, gemini, goose] = tool.names;
        match dialect {
            _ if profile.is_some() => {
                if let Some(own) = dialect.system().files.renamed.get(claude) {
                    return own.as_str();
                }
                let mut names = tool.names().filter(|name| own.contains(name));
                names.next().unwrap_or_default()
            }
            Dialect::Codex => codex,
            Dialect::Gemini => gemini,
            Dialect::Goose => goose,
            _ => claude,
        }
    });
    tools.collect()
}

/// The names that agents of the user's own give to tools, each after a name by which files mean the tool.
pub(crate) fn of_own(agents: &[Dialect]) -> Vec<(String, String)> {
    let tables = agents.iter().flat_map(|agent| &agent.system().tools.0);
    let named = tables.flat_map(|(tool, others)| {
        let known = well_known()
            .iter()
            .find(|known| known.names().any(|name| name == tool));
        let names: Vec<&str> = match known {
            Some(known) => known.names().collect(),
            None => vec![tool],
        };
        let pairs = names.into_iter().flat_map(move |name| {
            others
                .iter()
                .map(move |other| (name.to_owned(), other.clone()))
        });
        pairs.collect::<Vec<_>>()
    });
    named.collect()
}

/// Every name that a tool may have in the matchers of a system; none if not all of its tools are known.
pub(crate) fn known(dialect: Dialect) -> Vec<&'static str> {
    let system = dialect.system();
    let Some(init) = &system.init else {
        return Vec::new();
    };
    let claudes = system.files.claudes_tools.then_some(Profile::ClaudeCode);
    let profiles = init.profiles.iter().copied().chain(claudes);
    let mut known: Vec<&str> = profiles.flat_map(tools_of).collect();
    known.extend(init.tools.iter().map(String::as_str));
    for (name, others) in &system.tools.0 {
        known.push(name);
        known.extend(others.iter().map(String::as_str));
    }
    known
}

/// Returns the dialect's names for well-known tools. In our own files, a tool has all of its names.
pub(crate) fn aliases_of(dialect: Dialect) -> Aliases {
    let has_table = matches!(
        dialect,
        Dialect::Hooks | Dialect::Claude | Dialect::Codex | Dialect::Gemini | Dialect::Goose
    );
    if !has_table && dialect.system().files.profile.is_none() {
        return Aliases::default();
    }
    let of = dialect.system().aliases.get_or_init(|| made(dialect));
    of.clone()
}

fn made(dialect: Dialect) -> Aliases {
    let is_ours = dialect == Dialect::Hooks;
    let takes_claudes = dialect.system().files.claudes_tools;
    let own = named(dialect);
    let mut theirs: HashMap<String, Vec<String>> = HashMap::new();
    for (tool, own_name) in well_known().iter().zip(&own) {
        let meant: Vec<_> = if is_ours {
            tool.names().collect()
        } else {
            let claudes = takes_claudes.then_some(tool.names[0]);
            let all = [*own_name].into_iter().chain(claudes);
            all.filter(|name| !name.is_empty()).collect()
        };
        for known in tool.names() {
            // A name that the dialect uses for another tool means that tool.
            let is_another = known != *own_name || !takes_claudes;
            if !is_ours && is_another && own.contains(&known) {
                continue;
            }
            let names = theirs.entry(known.to_owned()).or_default();
            for name in meant.iter().filter(|name| **name != known || takes_claudes) {
                if !names.iter().any(|other| other == name) {
                    names.push((*name).to_owned());
                }
            }
        }
    }
    let same = &dialect.system().tools.0;
    Aliases::new(theirs, same, !is_ours, takes_claudes)
}

/// Returns a rule for the input of a tool as the `if` of a file of ours takes it, or nothing if it takes no such rule.
///
/// Claude Code's files have such rules. A tool without parentheses stands for all its calls.
///
/// ```
/// use hooks_runtime::tool_rule;
///
/// assert_eq!(tool_rule("Bash(git push *)").unwrap(), "Bash(git push *)");
/// assert_eq!(tool_rule("Edit").unwrap(), "Edit(*)");
/// assert_eq!(tool_rule("size(args.command) > 9"), None);
/// ```
#[must_use]
pub fn tool_rule(text: &str) -> Option<String> {
    let claudes = Aliases::claudes();
    let text = text.trim();
    let rule = if text.contains('(') {
        Rule::of_tool(text, claudes)
    } else {
        Rule::of_tool(&format!("{text}(*)"), claudes)
    };
    rule.filter(Rule::is_known)
        .map(|rule| rule.text().to_owned())
}

/// Returns the arguments for a tool of this name, of an agent or of any; none if they have these names already.
pub(crate) fn renamed(tool: &str, args: &Value, agent: Option<Profile>) -> Option<Renamed> {
    let expected: Vec<_> = arguments_of(tool, agent).collect();
    Renamed::of(&expected, args)
}

impl HandlerAnswer {
    /// Returns the answer with the agent's own names of a tool's arguments.
    pub(crate) fn renamed(mut self, names: Option<&Renamed>, info: &EventInfo) -> Self {
        let Some(names) = names.filter(|_| info.takes_args) else {
            return self;
        };
        self.change = self.change.map(|change| match change {
            Change::Merge(keys) => Change::Merge(names.back(keys)),
            Change::Replace(Value::Object(args)) => Change::Replace(names.back(args).into()),
            other => other,
        });
        self
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn tools_have_the_names_of_the_dialect() {
        let of = |dialect, ours: &'static str| {
            let aliases = aliases_of(dialect);
            aliases.theirs(ours, None::<fn(&str) -> bool>).to_owned()
        };
        assert_eq!(of(Dialect::Claude, "shell"), "Bash");
        assert_eq!(of(Dialect::Claude, "run_shell_command"), "Bash");
        assert_eq!(of(Dialect::Claude, "Bash"), "Bash");
        assert_eq!(of(Dialect::Gemini, "shell"), "run_shell_command");
        assert_eq!(of(Dialect::Gemini, "file_write"), "write_file");
        assert_eq!(of(Dialect::Claude, "deploy"), "deploy");
        assert_eq!(of(Dialect::Goclaw, "shell"), "shell");
        assert_eq!(of(Dialect::Hooks, "Bash"), "Bash");
    }

    /// `tool("…")` of `#[hook]` and `tools` in a file of ours.
    #[test]
    fn a_glob_means_the_same_tools_in_rust_and_in_a_file() {
        let aliases = aliases_of(Dialect::Hooks);
        for glob in [
            "shell", "replace", "web_*", "*edit*", "Bash", "deploy", "mcp__*",
        ] {
            let glob = hooks_builtin::Glob::new(glob).unwrap();
            let in_rust = hooks_glob::tools::names(&glob);
            for name in well_known()
                .iter()
                .flat_map(hooks_glob::tools::Same::names)
                .chain(["deploy", "bash2"])
            {
                let mut others = aliases.of_tool(name);
                let in_a_file = glob.matches(name) || others.any(|other| glob.matches(other));
                let in_rust = glob.matches(name) || in_rust.contains(&name);
                assert_eq!(in_rust, in_a_file, "{glob} {name}");
            }
        }
    }

    /// Rules for the input of a tool are loaded without the table of Claude Code, as they are compiled.
    #[test]
    fn claudes_names_are_those_of_its_table() {
        let (table, claudes) = (aliases_of(Dialect::Claude), Aliases::claudes());
        let of = |aliases: &Aliases, name: &'static str| {
            let others: BTreeSet<String> = aliases.of_tool(name).cloned().collect();
            (
                others,
                aliases.theirs(name, None::<fn(&str) -> bool>).to_owned(),
            )
        };
        let names = well_known().iter().flat_map(hooks_glob::tools::Same::names);
        for name in names.chain(["Task", "deploy"]) {
            assert_eq!(of(&table, name), of(&claudes, name), "{name}");
        }
    }

    #[test]
    fn the_matcher_chooses_between_names() {
        let asks = |wanted: &'static str| Some(move |name: &str| name == wanted);
        let aliases = aliases_of(Dialect::Claude);
        assert_eq!(aliases.theirs("replace", asks("MultiEdit")), "MultiEdit");
        assert_eq!(aliases.theirs("replace", asks("")), "Edit");
        let ours = aliases_of(Dialect::Hooks);
        assert_eq!(ours.theirs("Bash", asks("shell")), "shell");
        assert_eq!(ours.theirs("run_terminal_command", asks("Bash")), "Bash");
        assert_eq!(ours.theirs("Bash", asks("other")), "Bash");
    }

    #[test]
    fn arguments_have_the_names_that_go_with_the_tools() {
        let of = |tool: &str, args: Value| {
            renamed(tool, &args, None).map(|renamed| renamed.args().clone())
        };
        assert_eq!(
            of("Read", json!({ "path": ".env", "limit": 1 })),
            Some(json!({ "file_path": ".env", "limit": 1 }))
        );
        assert_eq!(
            of("shell", json!({ "CommandLine": "ls", "Cwd": "/" })),
            Some(json!({ "command": "ls", "cwd": "/" }))
        );
        assert_eq!(of("Bash", json!({ "command": "ls" })), None);
        assert_eq!(of("deploy", json!({ "cmd": "ls" })), None);
        // Two that mean the same stay as they are.
        assert_eq!(of("Read", json!({ "path": "a", "filename": "b" })), None);
        let renamed = renamed("Edit", &json!({ "filePath": "a", "oldString": "b" }), None).unwrap();
        let set = json!({ "file_path": "c", "old_string": "b", "more": 1 });
        let Value::Object(set) = set else { panic!() };
        assert_eq!(
            Value::Object(renamed.back(set)),
            json!({ "filePath": "c", "oldString": "b", "more": 1 })
        );
    }
}
