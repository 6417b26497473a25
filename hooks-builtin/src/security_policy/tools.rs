//! The tools and their arguments: declared in the configuration, or known from a profile.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smol_str::SmolStr;

use super::SecurityPolicyConfig;
use crate::shared::Globs;
use crate::shared::path_arguments::{self, PathArguments, normal};
use crate::shared::tools::{self, ArgumentRole, Tool};
use crate::shared::visible::Visible;

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
    /// Whether its shell goes on between calls, and keeps its folder and its variables. Then every command enters its
    /// folder, and leaves the shell as it was. The default is `false`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub persistent: bool,
    /// The argument with a patch: a text that names files. Then you must declare every other argument too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// The arguments that may have any value. `["*"]` stands for all arguments, whatever their names are. The default
    /// is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub harmless: Vec<String>,
}

fn declared_tool(config: &ToolConfig) -> Tool {
    let mut tool = Tool::default();
    tool.is_persistent = config.persistent;
    tool.is_open = config.harmless.iter().any(|name| name == "*");
    let lists = [
        (&*config.harmless, ArgumentRole::Harmless),
        (&config.read, ArgumentRole::Read),
        (&config.write, ArgumentRole::Write),
        (config.command.as_slice(), ArgumentRole::Command),
        (config.directory.as_slice(), ArgumentRole::Directory),
        (config.patch.as_slice(), ArgumentRole::Patch),
    ];
    for (names, role) in lists {
        for name in names {
            tool.add(name, role);
        }
    }
    tool
}

/// All tools that a policy knows.
#[derive(Debug)]
pub(super) struct PolicyTools {
    declared: Vec<(SmolStr, Globs, Tool)>,
    known: HashMap<SmolStr, Tool>,
    paths: PathArguments,
    addresses: PathArguments,
}

impl PolicyTools {
    pub(super) fn new(config: &SecurityPolicyConfig) -> Result<Self, String> {
        let mut declared = Vec::new();
        for (name, tool) in &config.tools {
            let globs = Globs::new([normal(name)]).map_err(|error| error.to_string())?;
            declared.push((normal(name), globs, declared_tool(tool)));
        }
        // Exact names come before patterns.
        declared.sort_by_key(|(name, ..)| name.contains(['*', '?', '[', '{']));
        let paths = path_arguments::possible();
        Ok(PolicyTools {
            declared,
            known: tools::known(&config.profiles),
            paths: PathArguments::new(paths.iter().chain(&config.path_arguments)),
            addresses: PathArguments::new(ADDRESSES),
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
            tool.add(&config.command_argument, ArgumentRole::Command);
            for name in ["cwd", "workdir", "directory", "working_directory"] {
                tool.add(name, ArgumentRole::Directory);
            }
            for name in ["description", "timeout", "explanation"] {
                tool.add(name, ArgumentRole::Harmless);
            }
        }
        if found.is_none() && config.read_only_tools.matches(name) {
            found = Some(Cow::default());
        }
        found
    }

    /// Returns the role of an argument; nothing if it must be declared and is not.
    pub(super) fn role(&self, tool: &Tool, name: &str) -> Option<ArgumentRole> {
        match tool.role(name) {
            Some(role) => Some(role),
            None if tool.is_open => Some(ArgumentRole::Harmless),
            None if tool.is_closed() => None,
            None => self.meaning(name).or(Some(ArgumentRole::Harmless)),
        }
    }

    /// What the name of an argument says.
    pub(super) fn meaning(&self, name: &str) -> Option<ArgumentRole> {
        if self.addresses.meet(name) {
            Some(ArgumentRole::Address)
        } else {
            self.paths.meet(name).then_some(ArgumentRole::Write)
        }
    }
}

/// The arguments with addresses, by their names.
const ADDRESSES: [&str; 7] = ["url", "urls", "uri", "uris", "href", "link", "links"];

/// The reason for a tool that is not declared, with the line that declares it.
pub(super) fn undeclared(name: &str, args: &Value) -> String {
    let empty = serde_json::Map::new();
    let args = args.as_object().unwrap_or(&empty);
    let shown = Visible(name);
    let has = |words: &[&str]| {
        args.keys()
            .find(|key| words.contains(&normal(key).as_str()))
    };
    let rules = PathArguments::new(path_arguments::certain());
    let is_path = |key: &&String| rules.meet(key);
    let paths: Vec<_> = args.keys().filter(is_path).collect();
    let declared = match has(&["command", "cmd", "commandline", "script", "code"]) {
        Some(command) => format!("{{ command = {command:?} }}"),
        // Its name says that the policy judges the address.
        None if paths.is_empty() && has(&ADDRESSES).is_some() => "{}".to_owned(),
        None if paths.is_empty() => "{ harmless = [\"*\"] }".to_owned(),
        None => format!("{{ write = {paths:?} }}"),
    };
    format!(
        "the tool `{shown}` is not declared, so the policy does not know what it does: write `{shown:?} = {declared}` under \
         `[hooks.builtin.security_policy.tools]`",
        shown = shown.to_string(),
    )
}

/// The declared tools, by name.
pub(super) type ToolConfigs = BTreeMap<String, ToolConfig>;
