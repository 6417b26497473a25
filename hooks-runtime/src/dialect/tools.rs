//! The names of well-known tools in different systems.

use std::sync::{Arc, LazyLock};

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

/// One tool, by its names: Claude Code's, Codex's, Gemini CLI's, goose's, and the names that agents give it.
struct Tool {
    class: Class,
    claude: &'static str,
    codex: &'static str,
    gemini: &'static str,
    goose: &'static str,
    others: &'static [&'static str],
}

const TOOLS: &[Tool] = &[
    Tool {
        class: Class::Shell,
        claude: "Bash",
        codex: "Bash",
        gemini: "run_shell_command",
        goose: "developer__shell",
        others: &[
            "shell",
            "exec",
            "bash",
            "Shell",
            "exec_command",
            "execute_command",
            "run_command",
            "terminal",
        ],
    },
    Tool {
        class: Class::Read,
        claude: "Read",
        codex: "Read",
        gemini: "read_file",
        goose: "developer__read",
        others: &["file_read", "read"],
    },
    Tool {
        class: Class::Edit,
        claude: "Write",
        codex: "Write",
        gemini: "write_file",
        goose: "developer__write",
        others: &["file_write", "write", "create_file"],
    },
    Tool {
        class: Class::Edit,
        claude: "Edit",
        codex: "Edit",
        gemini: "replace",
        goose: "developer__edit",
        others: &[
            "file_edit",
            "edit_file",
            "edit",
            "str_replace",
            "str_replace_editor",
        ],
    },
    Tool {
        class: Class::Edit,
        claude: "MultiEdit",
        codex: "apply_patch",
        gemini: "replace",
        goose: "developer__edit",
        others: &["multi_edit", "patch"],
    },
    Tool {
        class: Class::Edit,
        claude: "NotebookEdit",
        codex: "NotebookEdit",
        gemini: "notebook_edit",
        goose: "notebook_edit",
        others: &[],
    },
    Tool {
        class: Class::Read,
        claude: "Glob",
        codex: "Glob",
        gemini: "glob",
        goose: "glob",
        others: &["file_glob", "find_files"],
    },
    Tool {
        class: Class::Read,
        claude: "Grep",
        codex: "Grep",
        gemini: "search_file_content",
        goose: "grep",
        others: &["file_search", "search_files"],
    },
    Tool {
        class: Class::Read,
        claude: "LS",
        codex: "LS",
        gemini: "list_directory",
        goose: "list_dir",
        others: &["ls", "list_files"],
    },
    Tool {
        class: Class::Web,
        claude: "WebFetch",
        codex: "WebFetch",
        gemini: "web_fetch",
        goose: "web_fetch",
        others: &["fetch", "http_request", "browse"],
    },
    Tool {
        class: Class::Web,
        claude: "WebSearch",
        codex: "WebSearch",
        gemini: "google_web_search",
        goose: "web_search",
        others: &["search_web"],
    },
    Tool {
        class: Class::Other,
        claude: "Agent",
        codex: "Agent",
        gemini: "agent",
        goose: "subagent",
        others: &["Task", "delegate", "spawn", "subtask"],
    },
];

impl Tool {
    fn named(&self, dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::Codex => self.codex,
            Dialect::Gemini => self.gemini,
            Dialect::Goose => self.goose,
            _ => self.claude,
        }
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        let names = [self.claude, self.codex, self.gemini, self.goose];
        names.into_iter().chain(self.others.iter().copied())
    }
}

/// Names of tools: the file's, and this agent's.
pub(crate) type Aliases = Arc<[(String, String)]>;

/// Returns what a tool of any system does, if its name is well known.
pub(crate) fn class_of(name: &str) -> Option<Class> {
    let mut tools = TOOLS.iter();
    let tool = tools.find(|tool| tool.names().any(|known| known == name))?;
    Some(tool.class)
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
            for tool in TOOLS {
                let theirs = tool.named(dialect);
                for other in tool.names().filter(|other| *other != theirs) {
                    let alias = (theirs.to_owned(), other.to_owned());
                    // A name that the dialect uses for another tool means that tool.
                    let is_other = TOOLS.iter().any(|tool| tool.named(dialect) == other);
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
