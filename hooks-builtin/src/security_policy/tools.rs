//! The tools and their arguments: declared in the configuration, or known from a profile.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::de::value::BorrowedStrDeserializer;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smol_str::SmolStr;

use super::SecurityPolicyConfig;
use crate::shared::Globs;
use crate::shared::path_arguments::{self, Rules, normal};
use crate::shared::visible::Visible;

/// The kind of an argument of a tool: see `profiles.txt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
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
    Harmless,
    /// Any value other than nothing changes what the call does.
    Nothing,
}

/// A tool that is declared in `[hooks.builtin.security_policy.tools]`.
///
/// ```
/// use hooks_builtin::SecurityPolicyConfig;
///
/// let config: SecurityPolicyConfig = toml::from_str(r#"
///     [tools]
///     run = { command = "script", directory = "folder", harmless = ["timeout"] }
///     save = { write = ["path"], read = ["template"] }
///     "mcp__github__*" = { harmless = ["*"] }
/// "#)?;
/// assert_eq!(config.tools["run"].command.as_deref(), Some("script"));
/// # Ok::<_, toml::de::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ToolConfig {
    /// The argument with the command: a text or a list of words. Then you must declare every other argument too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The argument with the directory that the command runs in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The arguments with paths that the tool reads. The default is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    /// The arguments with paths that the tool writes. The default is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<String>,
    /// The argument with a patch: a text that names files. Then you must declare every other argument too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// The arguments that may have any value. `["*"]` stands for all arguments, whatever their names are. The default
    /// is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub harmless: Vec<String>,
}

/// An agent whose tools the policy knows.
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
    pub const ALL: [Profile; 11] = [
        Profile::ClaudeCode,
        Profile::Codex,
        Profile::GeminiCli,
        Profile::Cursor,
        Profile::Windsurf,
        Profile::Copilot,
        Profile::Openhands,
        Profile::Goose,
        Profile::Zed,
        Profile::Common,
        Profile::Examples,
    ];
}

/// The known arguments of a tool, by their normalised names.
#[derive(Clone, Debug, Default)]
pub(super) struct Tool {
    roles: HashMap<SmolStr, Role>,
    /// Whether arguments that are not listed may be anything, even if their names say that they are paths.
    is_open: bool,
}

/// Returns the lines of `profiles.txt`: the profile, the tool, and its arguments. A tool may have several lines.
fn profiles() -> impl Iterator<Item = (Option<Profile>, &'static str, &'static str)> {
    let (mut profile, mut tool) = (None, "");
    include_str!("profiles.txt")
        .lines()
        .filter_map(move |line| {
            if let Some(name) = line.strip_prefix('[') {
                profile = named(name.trim_end_matches(']'));
                return None;
            }
            if line.is_empty() || line.starts_with('#') {
                return None;
            }
            let Some((name, arguments)) = line.split_once(" :") else {
                return Some((profile, tool, line));
            };
            tool = name;
            Some((profile, tool, arguments))
        })
}

/// Returns the arguments of a line of `profiles.txt`, each with its role.
fn roles(arguments: &'static str) -> impl Iterator<Item = (&'static str, Option<Role>)> {
    let pairs = arguments.split_whitespace();
    pairs.filter_map(|pair| pair.split_once('=').map(|(name, role)| (name, named(role))))
}

/// Parses a value from its name in a configuration.
fn named<'n, T: Deserialize<'n>>(name: &'n str) -> Option<T> {
    let name: BorrowedStrDeserializer<'n, serde::de::value::Error> =
        BorrowedStrDeserializer::new(name);
    T::deserialize(name).ok()
}

impl Tool {
    fn add(&mut self, name: &str, role: Role) {
        let name = normal(name);
        let before = self.roles.get(&name);
        // If two agents have a tool of the same name, the stricter one applies.
        let is_weaker = matches!(
            (before, role),
            (
                Some(Role::Write | Role::Command),
                Role::Read | Role::Harmless | Role::Glob | Role::Files
            ) | (Some(Role::Files), Role::Glob)
                | (Some(_), Role::Harmless)
        );
        if !is_weaker {
            self.roles.insert(name, role);
        }
    }

    fn of(config: &ToolConfig) -> Self {
        let mut tool = Tool {
            is_open: config.harmless.iter().any(|name| name == "*"),
            ..Tool::default()
        };
        let lists = [
            (&*config.harmless, Role::Harmless),
            (&config.read, Role::Read),
            (&config.write, Role::Write),
            (config.command.as_slice(), Role::Command),
            (config.directory.as_slice(), Role::Directory),
            (config.patch.as_slice(), Role::Patch),
        ];
        for (names, role) in lists {
            for name in names {
                tool.add(name, role);
            }
        }
        tool
    }

    /// Whether the tool runs a command.
    pub(super) fn is_shell(&self) -> bool {
        self.roles.values().any(|role| *role == Role::Command)
    }

    /// Whether every argument must be declared: any of them may say what the tool runs or changes.
    fn is_closed(&self) -> bool {
        let is_strict = |role: &Role| matches!(role, Role::Command | Role::Patch | Role::Nothing);
        self.roles.values().any(is_strict)
    }

    /// The arguments that may hold the command.
    pub(super) fn commands(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .roles
            .iter()
            .filter(|(_, role)| **role == Role::Command)
            .map(|(name, _)| name.as_str())
            .collect();
        names.sort_unstable();
        names
    }
}

/// All tools that a policy knows.
#[derive(Debug)]
pub(super) struct Tools {
    declared: Vec<(SmolStr, Globs, Tool)>,
    known: HashMap<SmolStr, Tool>,
    paths: Rules,
}

impl Tools {
    pub(super) fn new(config: &SecurityPolicyConfig) -> Result<Self, String> {
        let mut declared = Vec::new();
        for (name, tool) in &config.tools {
            let globs = Globs::new([normal(name)]).map_err(|error| error.to_string())?;
            declared.push((normal(name), globs, Tool::of(tool)));
        }
        // Exact names come before patterns.
        declared.sort_by_key(|(name, ..)| name.contains(['*', '?', '[', '{']));
        let mut known: HashMap<SmolStr, Tool> = HashMap::new();
        for (profile, name, arguments) in profiles() {
            if profile.is_some_and(|profile| config.profiles.contains(&profile)) {
                let tool = known.entry(normal(name)).or_default();
                for (name, role) in roles(arguments) {
                    // An unknown role is not allowed.
                    tool.add(name, role.unwrap_or(Role::Nothing));
                }
            }
        }
        let paths = path_arguments::possible();
        Ok(Tools {
            declared,
            known,
            paths: Rules::new(paths.iter().chain(&config.path_arguments)),
        })
    }

    /// Returns what is known about a tool. It borrows, because it runs for every call, unless the configuration adds
    /// something.
    pub(super) fn find(&self, config: &SecurityPolicyConfig, name: &str) -> Option<Cow<'_, Tool>> {
        let normal = normal(name);
        if let Some((.., tool)) = self
            .declared
            .iter()
            .find(|(own, globs, _)| *own == normal || globs.matches(&normal))
        {
            return Some(Cow::Borrowed(tool));
        }
        let mut found = self.known.get(&normal).map(Cow::Borrowed);
        if config.shell_tools.matches(name) {
            let tool = found.get_or_insert_default().to_mut();
            tool.add(&config.command_argument, Role::Command);
            for name in ["cwd", "workdir", "directory", "working_directory"] {
                tool.add(name, Role::Directory);
            }
            for name in ["description", "timeout", "explanation"] {
                tool.add(name, Role::Harmless);
            }
        }
        if found.is_none() && config.read_only_tools.matches(name) {
            found = Some(Cow::default());
        }
        found
    }

    /// Returns the role of an argument; nothing if it must be declared and is not.
    pub(super) fn role(&self, tool: &Tool, name: &str) -> Option<Role> {
        match tool.roles.get(&normal(name)) {
            Some(role) => Some(*role),
            None if tool.is_open => Some(Role::Harmless),
            None if tool.is_closed() => None,
            None if self.paths.meet(name) => Some(Role::Write),
            None => Some(Role::Harmless),
        }
    }

    pub(super) fn is_path(&self, name: &str) -> bool {
        self.paths.meet(name)
    }
}

/// The reason for a tool that is not declared, with the line that declares it.
pub(super) fn undeclared(name: &str, args: &Value) -> String {
    let empty = serde_json::Map::new();
    let args = args.as_object().unwrap_or(&empty);
    let shown = Visible(name);
    let has = |words: &[&str]| {
        args.keys()
            .find(|key| words.contains(&normal(key).as_str()))
    };
    let rules = Rules::new(path_arguments::certain());
    let is_path = |key: &&String| rules.meet(key);
    let paths: Vec<_> = args.keys().filter(is_path).collect();
    let declared = match has(&["command", "cmd", "commandline", "script", "code"]) {
        Some(command) => format!("{{ command = {command:?} }}"),
        None if paths.is_empty() => "{ harmless = [\"*\"] }".to_owned(),
        None => format!("{{ write = {paths:?} }}"),
    };
    format!(
        "the tool `{shown}` is not declared, so what it does is not known: write `{shown:?} = {declared}` under \
         `[hooks.builtin.security_policy.tools]`",
        shown = shown.to_string(),
    )
}

/// The declared tools, by name.
pub(super) type ToolConfigs = BTreeMap<String, ToolConfig>;

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
