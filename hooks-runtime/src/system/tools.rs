//! The names of well-known tools in different systems.

use std::sync::{Arc, LazyLock};

use hooks_builtin::__tools::{Same, same};

use super::Dialect;

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Shell,
    Read,
    Edit,
    Web,
    Other,
}

impl Class {
    fn of(word: &str) -> Self {
        match word {
            "shell" => Class::Shell,
            "read" => Class::Read,
            "edit" => Class::Edit,
            "web" => Class::Web,
            _ => Class::Other,
        }
    }
}

/// The well-known tools, from the table of `hooks-builtin`.
static TOOLS: LazyLock<Vec<Same>> = LazyLock::new(|| same().collect());

/// Returns the dialect's name of a tool.
fn named(tool: &Same, dialect: Dialect) -> &'static str {
    let [claude, codex, gemini, goose] = tool.names;
    match dialect {
        Dialect::Codex => codex,
        Dialect::Gemini => gemini,
        Dialect::Goose => goose,
        _ => claude,
    }
}

/// Returns all names of a tool.
fn names(tool: &Same) -> impl Iterator<Item = &'static str> {
    tool.names.iter().chain(&tool.others).copied()
}

/// Names of tools: the file's, and this agent's.
pub(crate) type Aliases = Arc<[(String, String)]>;

/// Returns what a tool of any system does, if its name is well known.
pub(crate) fn class_of(name: &str) -> Option<Class> {
    let mut tools = TOOLS.iter();
    let tool = tools.find(|tool| names(tool).any(|known| known == name))?;
    Some(Class::of(tool.class))
}

/// Returns the dialect's names for well-known tools, each with another name that an agent may use for the tool.
pub(crate) fn aliases(dialect: Dialect) -> Aliases {
    static OF: LazyLock<[Aliases; 4]> = LazyLock::new(|| {
        [
            Dialect::Claude,
            Dialect::Codex,
            Dialect::Gemini,
            Dialect::Goose,
        ]
        .map(|dialect| {
            let mut aliases = Vec::new();
            for tool in TOOLS.iter() {
                let theirs = named(tool, dialect);
                for other in names(tool).filter(|other| *other != theirs) {
                    let alias = (theirs.to_owned(), other.to_owned());
                    // A name that the dialect uses for another tool means that tool.
                    let is_other = TOOLS.iter().any(|tool| named(tool, dialect) == other);
                    if !is_other && !aliases.contains(&alias) {
                        aliases.push(alias);
                    }
                }
            }
            aliases.into()
        })
    });
    match dialect {
        Dialect::Claude => Arc::clone(&OF[0]),
        Dialect::Codex => Arc::clone(&OF[1]),
        Dialect::Gemini => Arc::clone(&OF[2]),
        Dialect::Goose => Arc::clone(&OF[3]),
        _ => Aliases::default(),
    }
}

/// Returns the name of a tool in the terms of a file. If there are several, it is the one in the file's matcher.
pub(crate) fn theirs<'a>(
    aliases: &'a [(String, String)],
    ours: &'a str,
    asks_for: impl Fn(&str) -> bool,
) -> &'a str {
    let mut first = None;
    for (theirs, _) in aliases.iter().filter(|(_, known)| known == ours) {
        if asks_for(theirs) {
            return theirs;
        }
        first = first.or(Some(theirs.as_str()));
    }
    first.unwrap_or(ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_have_the_names_of_the_dialect() {
        let any = |_: &str| true;
        let of = |dialect, ours: &'static str| {
            let aliases = aliases(dialect);
            theirs(&aliases, ours, any).to_owned()
        };
        assert_eq!(of(Dialect::Claude, "shell"), "Bash");
        assert_eq!(of(Dialect::Claude, "run_shell_command"), "Bash");
        assert_eq!(of(Dialect::Claude, "Bash"), "Bash");
        assert_eq!(of(Dialect::Gemini, "shell"), "run_shell_command");
        assert_eq!(of(Dialect::Gemini, "file_write"), "write_file");
        assert_eq!(of(Dialect::Claude, "deploy"), "deploy");
        assert_eq!(of(Dialect::Goclaw, "shell"), "shell");
    }

    #[test]
    fn the_matcher_chooses_between_two_names() {
        let aliases = aliases(Dialect::Claude);
        assert_eq!(
            theirs(&aliases, "replace", |name| name == "MultiEdit"),
            "MultiEdit"
        );
        assert_eq!(theirs(&aliases, "replace", |_| true), "Edit");
    }
}
