//! Programs that are many: which of their commands may run.

use super::word::Value;

/// A program whose first word that is no option says what it does.
struct Program {
    name: &'static str,
    /// Options that may stand before the command: those that stand alone, and those that take a value.
    alone: &'static [&'static str],
    with_value: &'static [&'static str],
    /// The commands that run no program which stands in their arguments, and change no settings.
    commands: &'static [&'static str],
}

const PROGRAMS: [Program; 3] = [
    Program {
        name: "cargo",
        alone: &[
            "-V",
            "--version",
            "-h",
            "--help",
            "--list",
            "-q",
            "--quiet",
            "-v",
            "-vv",
            "--verbose",
            "--frozen",
            "--locked",
            "--offline",
        ],
        with_value: &["-C", "--color", "--explain"],
        commands: &[
            "add",
            "b",
            "bench",
            "build",
            "c",
            "check",
            "clean",
            "clippy",
            "d",
            "doc",
            "fetch",
            "fix",
            "fmt",
            "generate-lockfile",
            "help",
            "info",
            "init",
            "locate-project",
            "metadata",
            "new",
            "nextest",
            "package",
            "pkgid",
            "r",
            "read-manifest",
            "remove",
            "report",
            "rm",
            "run",
            "search",
            "t",
            "test",
            "tree",
            "update",
            "vendor",
            "verify-project",
            "version",
        ],
    },
    Program {
        name: "git",
        alone: &[
            "-v",
            "--version",
            "-h",
            "--help",
            "-p",
            "--paginate",
            "-P",
            "--no-pager",
            "--no-replace-objects",
            "--no-optional-locks",
            "--no-advice",
            "--literal-pathspecs",
            "--glob-pathspecs",
            "--noglob-pathspecs",
            "--icase-pathspecs",
        ],
        with_value: &["-C"],
        commands: &[
            "add",
            "am",
            "apply",
            "archive",
            "blame",
            "branch",
            "bundle",
            "cat-file",
            "check-attr",
            "check-ignore",
            "checkout",
            "cherry",
            "cherry-pick",
            "clean",
            "clone",
            "commit",
            "count-objects",
            "describe",
            "diff",
            "diff-files",
            "diff-index",
            "diff-tree",
            "fetch",
            "for-each-ref",
            "format-patch",
            "fsck",
            "gc",
            "grep",
            "init",
            "log",
            "ls-files",
            "ls-remote",
            "ls-tree",
            "merge",
            "merge-base",
            "mv",
            "name-rev",
            "notes",
            "prune",
            "pull",
            "push",
            "range-diff",
            "rebase",
            "reflog",
            "remote",
            "reset",
            "restore",
            "rev-list",
            "rev-parse",
            "revert",
            "rm",
            "shortlog",
            "show",
            "show-branch",
            "show-ref",
            "stash",
            "status",
            "switch",
            "symbolic-ref",
            "tag",
            "verify-commit",
            "verify-tag",
            "version",
            "whatchanged",
            "worktree",
        ],
    },
    Program {
        name: "npm",
        alone: &[
            "-v",
            "--version",
            "-h",
            "--help",
            "-s",
            "--silent",
            "--quiet",
            "--verbose",
        ],
        with_value: &[],
        commands: &[
            "audit",
            "bin",
            "ci",
            "dedupe",
            "doctor",
            "explain",
            "fund",
            "help",
            "i",
            "info",
            "install",
            "list",
            "ls",
            "outdated",
            "pack",
            "ping",
            "prefix",
            "prune",
            "query",
            "rebuild",
            "restart",
            "root",
            "run",
            "run-script",
            "search",
            "start",
            "stop",
            "t",
            "test",
            "uninstall",
            "update",
            "version",
            "view",
            "why",
        ],
    },
];

/// The command that an allowed program is given, if it is one of many and is given one.
pub(super) fn command<'a>(
    program: &str,
    arguments: &'a [Value],
) -> Result<Option<&'a str>, String> {
    let Some(known) = PROGRAMS.iter().find(|known| known.name == program) else {
        return Ok(None);
    };
    let mut words = arguments.iter().map(|argument| argument.text.as_str());
    while let Some(word) = words.next() {
        if known.with_value.contains(&word) {
            words.next();
        } else if known.commands.contains(&word) {
            return Ok(Some(word));
        } else if word.starts_with('-') && !known.alone.contains(&word) {
            return Err(format!(
                "the option `{word}` of `{program}` is not looked at where it stands: leave it out, or write it after \
                 the command"
            ));
        } else if !(word.starts_with('-')
            || (program == "cargo" && word.starts_with('+') && !word.contains('/')))
        {
            return Err(format!(
                "`{program} {word}` may run another program, or change what `{program}` does"
            ));
        }
    }
    Ok(None)
}
