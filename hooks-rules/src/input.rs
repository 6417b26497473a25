//! Rules for the input of a tool, as in the `if` of Claude Code's files: `Bash(git *)`, `Edit(src/**)`.
//!
//! A rule avoids starting a process. It is not a guard: if it is unclear whether it matches, the hook runs.

#[cfg(feature = "input")]
use std::path::{Path, PathBuf};

use hooks_glob::Glob;
#[cfg(feature = "input")]
use hooks_shell::{Environment, Script};
#[cfg(feature = "input")]
use serde_json::Value;
#[cfg(feature = "input")]
use url::Url;

use crate::pattern::{self, Regex};
#[cfg(feature = "input")]
use crate::tools::path_of;
use crate::tools::{self, Aliases, Class};

#[cfg(feature = "input")]
/// A call of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The tool, by the agent's name.
    pub tool: &'a str,
    /// The arguments.
    pub args: &'a Value,
    /// The folder in which the agent works; empty if it does not say.
    pub cwd: &'a str,
    /// The folder of the project; empty if the agent does not say.
    pub project: &'a str,
    /// Returns the folder in which an agent works that does not say.
    pub here: fn() -> Option<PathBuf>,
    /// Returns the home folder of the user.
    pub home: fn() -> Option<PathBuf>,
}

/// One rule.
#[derive(Clone, Debug)]
pub struct Rule {
    text: String,
    tool: Option<Glob>,
    pattern: CallPattern,
    aliases: Aliases,
}

#[derive(Clone, Debug)]
enum CallPattern {
    /// Every call of the tool.
    Any,
    /// One of the commands of a script.
    Command {
        regex: Regex,
        /// Whether the pattern is only the name of a program.
        is_name: bool,
        /// What the line of a command begins with.
        begins: String,
    },
    /// The path, relative to a folder.
    Path { regex: Regex, from: From },
    /// The host of a URL.
    Host(String),
    /// One of these arguments: the kind of a subagent, or the name of a skill.
    Argument(&'static [&'static str], Glob),
    /// A rule that is not understood.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Cwd,
    Project,
    Home,
    Root,
    /// Anywhere below the folder.
    Anywhere,
}

/// Whether a text can be the name of a tool, or a pattern of one.
fn is_name(text: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_-*.:/".contains(c);
    !text.is_empty() && text.chars().all(is_of_name)
}

impl Rule {
    /// Parses a rule. A rule that is not understood matches every call.
    #[must_use]
    pub fn parse(text: &str, aliases: Aliases) -> Self {
        let trimmed = text.trim();
        let (tool, inner) = match trimmed.split_once('(') {
            Some((tool, rest)) => (tool.trim(), rest.strip_suffix(')')),
            None => (trimmed, Some("*")),
        };
        let class = tools::class_of(tool);
        // A rule is alone: `Bash(a) || Bash(b)` is not a pattern of a command.
        let several = inner.is_some_and(|inner| {
            let rest = inner.split_once(')').map(|(_, rest)| rest.trim_start());
            rest.is_some_and(|rest| rest.starts_with(['|', '&', ',']) && rest.contains('('))
        });
        let pattern = match (inner.map(str::trim), class) {
            _ if several || !is_name(tool) => CallPattern::Unknown,
            (None, _) => CallPattern::Unknown,
            (Some("*" | ""), _) => CallPattern::Any,
            (Some(inner), Some(Class::Shell)) => command(inner),
            (Some(inner), Some(Class::Read | Class::Edit)) => path(inner),
            (Some(inner), _) => match (inner.strip_prefix("domain:"), Glob::new(inner)) {
                (Some(host), _) => CallPattern::Host(host.trim().to_lowercase()),
                (None, Ok(glob)) if matches!(tool, "Agent" | "Task") => {
                    CallPattern::Argument(&["subagent_type", "agent_type"], glob)
                }
                (None, Ok(glob)) if tool == "Skill" => {
                    CallPattern::Argument(&["skill", "name"], glob)
                }
                (None, _) => CallPattern::Unknown,
            },
        };
        Rule {
            text: trimmed.to_owned(),
            tool: Glob::new(tool).ok(),
            pattern,
            aliases,
        }
    }

    /// Parses a rule in a file of ours, whose `if` may also be a condition in CEL. `Bash(git *)` is not CEL, because
    /// CEL has no such function. The name of a well-known tool means that tool, whatever the agent calls it: `claudes` are
    /// Claude Code's names.
    #[must_use]
    pub fn of_tool(text: &str, claudes: Aliases) -> Option<Self> {
        let (tool, rest) = text.trim().split_once('(')?;
        let class = tools::class_of(tool.trim()).filter(|_| rest.ends_with(')'))?;
        let mut rule = Rule::parse(text, claudes);
        let name = match class {
            Class::Shell => "Bash",
            Class::Read => "Read",
            Class::Edit => "Edit",
            Class::Web | Class::Other => tool.trim(),
        };
        rule.tool = Glob::new(name).ok();
        Some(rule)
    }

    /// Whether the rule is understood.
    #[must_use]
    pub fn is_known(&self) -> bool {
        !matches!(self.pattern, CallPattern::Unknown) && self.tool.is_some()
    }

    /// Returns the rule as it is written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    #[cfg(feature = "input")]
    /// Whether the rule matches a call.
    #[must_use]
    pub fn matches(&self, call: &Call<'_>) -> bool {
        let args = call.args;
        if !self.is_known() {
            return true;
        }
        self.is_tool(call.tool)
            && match &self.pattern {
                // Of two names of an argument, it is not known which one the tool reads.
                _ if tools::ambiguous(args).is_some() => true,
                CallPattern::Any | CallPattern::Unknown => true,
                CallPattern::Command {
                    regex,
                    is_name,
                    begins,
                } => runs(call, regex, *is_name, begins).unwrap_or(true),
                CallPattern::Path { regex, from } => is_below(call, regex, *from),
                CallPattern::Host(host) => {
                    args["url"].as_str().is_none_or(|url| has_host(url, host))
                }
                // A call that does not say it may be any.
                CallPattern::Argument(keys, glob) => {
                    let mut said = keys.iter().filter_map(|key| args[*key].as_str());
                    said.next().is_none_or(|said| glob.matches(said))
                }
            }
    }

    #[cfg(feature = "input")]
    /// Why the rule matches a call although nothing in it says so: what the command runs cannot be told.
    #[must_use]
    pub fn unsure(&self, call: &Call<'_>) -> Option<String> {
        match &self.pattern {
            CallPattern::Command {
                regex,
                is_name,
                begins,
            } => runs(call, regex, *is_name, begins).err(),
            _ => None,
        }
    }

    #[cfg(feature = "input")]
    /// What the rule says about a line of a shell, of this tool: one of its programs, or all of it. Nothing if that cannot be
    /// told.
    #[must_use]
    pub fn is_about(&self, tool: &str, name: &str, line: Option<&str>) -> Option<bool> {
        if !self.is_known() {
            return None;
        }
        match &self.pattern {
            _ if !self.is_tool(tool) => Some(false),
            CallPattern::Any => Some(true),
            CallPattern::Command { regex, is_name, .. } => match line {
                Some(line) => Some(regex.is_match(line)),
                None if *is_name => Some(regex.is_match(name)),
                None => None,
            },
            _ => None,
        }
    }

    #[cfg(feature = "input")]
    /// Whether the rule may match a call of this tool. A rule that is not understood may match any.
    #[must_use]
    pub fn may_concern(&self, tool: &str) -> bool {
        !self.is_known() || self.is_tool(tool)
    }

    #[cfg(feature = "input")]
    /// Whether the rule is for a tool. A rule for `Edit` is for all tools that change files, and a rule for `Read` is
    /// for all that read them.
    fn is_tool(&self, tool: &str) -> bool {
        let Some(rule) = &self.tool else {
            return true;
        };
        let mut theirs = self.aliases.of_tool(tool);
        // The name of a server is all of its tools.
        let is_of_server = rule.as_str().starts_with("mcp__")
            && tool
                .strip_prefix(rule.as_str())
                .is_some_and(|tool| tool.starts_with("__"));
        rule.matches(tool)
            || is_of_server
            || theirs.any(|name| rule.matches(name))
            || (matches!(rule.as_str(), "Edit" | "Read")
                && tools::class_of(tool) == tools::class_of(rule.as_str()))
    }
}

/// Parses a pattern of a command line, in which `*` is any text.
fn command(pattern: &str) -> CallPattern {
    // The old form of a prefix.
    let (start, is_start) = match pattern.strip_suffix(":*") {
        Some(start) => (start, true),
        None => match pattern.strip_suffix(" *") {
            Some(start) => (start, true),
            None => (pattern, false),
        },
    };
    let parts: Vec<_> = start.split('*').map(regex_syntax::escape).collect();
    let end = if is_start { r"(?:\s.*)?" } else { "" };
    match pattern::compiled(&format!("(?s)^{}{end}$", parts.join(".*"))) {
        Ok(regex) => CallPattern::Command {
            regex,
            is_name: !start.trim().contains(char::is_whitespace),
            begins: start.split('*').next().unwrap_or_default().to_owned(),
        },
        Err(_) => CallPattern::Unknown,
    }
}

/// Parses a pattern of a path, in the form of `.gitignore`.
fn path(pattern: &str) -> CallPattern {
    let (from, rest) = if let Some(rest) = pattern.strip_prefix("//") {
        (From::Root, rest)
    } else if let Some(rest) = pattern.strip_prefix("~/") {
        (From::Home, rest)
    } else if let Some(rest) = pattern.strip_prefix('/') {
        (From::Project, rest)
    } else if let Some(rest) = pattern.strip_prefix("./") {
        (From::Cwd, rest)
    } else if pattern.trim_end_matches('/').contains('/') {
        (From::Cwd, pattern)
    } else {
        (From::Anywhere, pattern)
    };
    let mut regex = String::from("(?s)^");
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '*' if chars.peek() == Some(&'*') => {
                chars.next();
                if chars.peek() == Some(&'/') {
                    chars.next();
                    regex.push_str("(?:.*/)?");
                } else {
                    regex.push_str(".*");
                }
            }
            '*' => regex.push_str("[^/]*"),
            '?' => regex.push_str("[^/]"),
            '/' if chars.peek().is_none() => {}
            c => regex.push_str(&regex_syntax::escape(c.encode_utf8(&mut [0; 4]))),
        }
    }
    // A folder includes everything in it.
    regex.push_str("(?:/.*)?$");
    match pattern::compiled(&regex) {
        Ok(regex) => CallPattern::Path { regex, from },
        Err(_) => CallPattern::Unknown,
    }
}

#[cfg(feature = "input")]
/// Whether a script runs a command that matches the pattern; if that cannot be told, why.
fn runs(call: &Call<'_>, regex: &Regex, is_name: bool, begins: &str) -> Result<bool, String> {
    let names = ["command"].iter().chain(tools::other_names("command"));
    let Some(text) = names.map(|name| &call.args[*name]).find_map(tools::text_of) else {
        return Err("the call has no command".to_owned());
    };
    let script = Script::parse(&text).map_err(|rejected| rejected.to_string())?;
    let effects = script.evaluate(&Environment::new(call.cwd));
    if let Some(unknown) = effects.unknown().find(|unknown| unknown.may_run) {
        return Err(unknown.reason.clone());
    }
    if !is_name && (text.contains("$(") || text.contains('`')) {
        return Err("the command has the output of another in it".to_owned());
    }
    if regex.is_match(text.trim()) {
        return Ok(true);
    }
    let mut is_run = Ok(false);
    for program in effects.programs() {
        for (line, is_whole) in program.lines() {
            if regex.is_match(if is_whole { &line } else { &program.name }) {
                return Ok(true);
            }
            let may_be = line.starts_with(begins) || begins.starts_with(&line);
            if !is_whole && !is_name && may_be {
                is_run = Err(format!("`{line}…` is only known at run time"));
            }
        }
    }
    is_run
}

#[cfg(feature = "input")]
/// Whether a call touches a path that matches the pattern.
fn is_below(call: &Call<'_>, regex: &Regex, from: From) -> bool {
    let Some(path) = path_of(call.args) else {
        return true;
    };
    let path = path.replace('\\', "/");
    let text = |folder: PathBuf| folder.to_string_lossy().into_owned();
    let cwd = match call.cwd {
        "" => match (call.here)() {
            Some(folder) => text(folder),
            None => return true,
        },
        cwd => cwd.to_owned(),
    };
    let project = match call.project {
        "" => &cwd,
        project => project,
    };
    let whole = if path.starts_with('/') {
        path
    } else {
        format!("{}/{path}", cwd.trim_end_matches('/'))
    };
    let whole = normal(&whole);
    let below = |folder: &str| {
        let folder = normal(folder);
        let rest = whole.strip_prefix(folder.trim_end_matches('/'))?;
        rest.strip_prefix('/').map(str::to_owned)
    };
    match from {
        From::Root => regex.is_match(whole.trim_start_matches('/')),
        From::Home => (call.home)()
            .and_then(|home| below(&text(home)))
            .is_some_and(|path| regex.is_match(&path)),
        From::Project => below(project).is_some_and(|path| regex.is_match(&path)),
        From::Cwd => below(&cwd).is_some_and(|path| regex.is_match(&path)),
        From::Anywhere => whole
            .match_indices('/')
            .any(|(at, _)| regex.is_match(&whole[at + 1..])),
    }
}

#[cfg(feature = "input")]
/// Removes `.` and `..` from a path, without file accesses.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let start = if Path::new(path).is_absolute() {
        "/"
    } else {
        ""
    };
    format!("{start}{}", parts.join("/"))
}

#[cfg(feature = "input")]
/// Whether the host of a URL is this host, or a subdomain of it.
fn has_host(url: &str, host: &str) -> bool {
    let Ok(url) = Url::parse(url) else {
        return true;
    };
    let Some(found) = url.host_str() else {
        return true;
    };
    let found = found.trim_end_matches('.').to_lowercase();
    match host.strip_prefix("*.") {
        Some(parent) => found
            .strip_suffix(parent)
            .is_some_and(|rest| rest.ends_with('.')),
        None => found == host,
    }
}
