//! Makes relative paths of file tools absolute under a root.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, LazyLock};

use hooks_core::agent::{ApproveToolCall, BeforeToolCall};
use hooks_core::{HookAction, hook};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smol_str::SmolStr;

use crate::shared::alias::Alias;
use crate::shared::path_arguments::{self, PathArguments, normal};
use crate::shared::tools::{self, ArgumentRole, Profile, Tool};
use crate::shared::visible::Visible;
use crate::shared::{BuildError, Globs, patch, paths};

/// Makes the relative paths of file tools absolute under a root, and keeps all of them inside it.
///
/// A path that would leave the root, by `..`, through a link, as an absolute path or with `~`, blocks the call. Every
/// other argument stays unchanged (ClawSeed's own example loses them). The hook checks a path before the tool call, and
/// again when the call is approved, because later hooks may have changed it. A program that can create a link between
/// the second check and the tool can still get out, so this guards against a model, not against a program.
///
/// The hook knows the tools of well-known agents: which arguments are paths, patterns of files, or patches. Of a tool that
/// it knows by [`tools`](PathPrefixConfig::tools), the names of the arguments decide. A call of any other tool is blocked
/// if an argument is named as a path is: list the tool in `tools`, or in [`except`](PathPrefixConfig::except). Tools that
/// run commands are not its concern: the security policy judges them.
///
/// Its priority is 0.
///
/// It corresponds to ClawSeed's `PathPrefixHook`.
///
/// ```
/// use hooks_builtin::PathPrefix;
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::hooks;
/// use serde_json::json;
///
/// let root = std::env::temp_dir().canonicalize().unwrap();
/// let hooks = hooks![PathPrefix::new(&root).unwrap()];
/// let cx = AgentContext::new("s1");
///
/// let args = json!({ "path": "src/./main.rs", "content": "" });
/// let mut call = BeforeToolCall { name: "file_write".into(), args, ..Default::default() };
/// assert!(hooks.intercept_now(&cx, &mut call).is_continue());
/// assert_eq!(call.args, json!({ "path": root.join("src/main.rs"), "content": "" }));
///
/// call.args = json!({ "path": "../../etc/passwd" });
/// assert!(!hooks.intercept_now(&cx, &mut call).is_continue());
/// ```
#[derive(Clone, Debug)]
pub struct PathPrefix(Arc<PathPrefixSettings>);

#[derive(Debug)]
struct PathPrefixSettings {
    /// Absolute, without links.
    root: PathBuf,
    tools: Globs,
    except: Globs,
    arguments: PathArguments,
}

/// The settings of `[hooks.builtin.path_prefix]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Alias { of: "root", name: "prefix" })]
pub struct PathPrefixConfig {
    /// The folder that paths are relative to, and that they may not leave. It must exist. `~` is the home directory,
    /// and a relative path starts at the current directory. ClawSeed's name of this key, `prefix`, works too.
    #[serde(alias = "prefix")]
    pub root: PathBuf,
    /// The tools whose paths are rewritten and checked, as globs, in addition to those of well-known agents. The default
    /// is names such as `file_*`, `*_file`, `*_directory` and `directory_tree`.
    #[serde(default = "file_tools")]
    pub tools: Globs,
    /// The tools whose arguments are never paths, as globs. The default is none.
    #[serde(default, skip_serializing_if = "Globs::is_empty")]
    pub except: Globs,
    /// The arguments that contain a path, a list of paths, or a list of objects with such an argument. Each entry is a
    /// name, or the word that a name ends with. Case, `_` and `-` do not matter: `path` also matches `file_path` and
    /// `AbsolutePath`. The default is `path`, `file`, `filename`, `directory`, `dir`, `folder`, `source`, `destination`
    /// and similar words.
    #[serde(default = "path_arguments::certain")]
    pub arguments: Vec<String>,
}

fn file_tools() -> Globs {
    Globs::new([
        "file_*",
        "*_file",
        "*_files",
        "*_multiple_files",
        "*_directory",
        "*_dir",
        "*_folder",
        "*File",
        "*Files",
        "*Directory",
        "directory_tree",
        "get_file_info",
    ])
    .unwrap_or_default()
}

impl PathPrefixConfig {
    /// Returns the default configuration for a root.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        PathPrefixConfig {
            root: root.into(),
            tools: file_tools(),
            except: Globs::default(),
            arguments: path_arguments::certain(),
        }
    }
}

impl PathPrefix {
    /// Keeps the usual file tools under a root.
    ///
    /// # Errors
    ///
    /// As [`from_config`](Self::from_config).
    pub fn new(root: impl Into<PathBuf>) -> Result<Self, BuildError> {
        PathPrefix::from_config(&PathPrefixConfig::new(root))
    }

    /// Creates the hook from its configuration.
    ///
    /// # Errors
    ///
    /// If the root is not an existing folder, or its path is not UTF-8.
    pub fn from_config(config: &PathPrefixConfig) -> Result<Self, BuildError> {
        let wrong = |message: String| BuildError::new("path_prefix", "root", message);
        for (key, is_empty) in [
            ("tools", config.tools.is_empty()),
            ("arguments", config.arguments.is_empty()),
        ] {
            if is_empty {
                let message =
                    "is empty, so no path is checked: leave it out for the usual arguments";
                return Err(BuildError::new("path_prefix", key, message));
            }
        }
        let root = paths::folder(&config.root).map_err(|error| {
            wrong(format!(
                "must be a folder, but `{}` is not one: {error}",
                config.root.display()
            ))
            .with_source(error)
        })?;
        if root.to_str().is_none() {
            return Err(wrong("must be UTF-8, as the arguments of tools are".into()));
        }
        Ok(PathPrefix(Arc::new(PathPrefixSettings {
            root,
            tools: config.tools.clone(),
            except: config.except.clone(),
            arguments: PathArguments::new(&config.arguments),
        })))
    }

    /// Returns the root, absolute and without links.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.0.root
    }
}

#[hook]
impl PathPrefix {
    fn rewrite(&self, call: &mut BeforeToolCall) -> Result<(), String> {
        let Some(arguments) = call.args.as_object_mut() else {
            return Ok(());
        };
        let Some(tool) = self.0.tool(&call.name) else {
            return Ok(());
        };
        for (argument, value) in arguments {
            self.0.check(tool, &call.name, argument, value)?;
        }
        Ok(())
    }

    fn check_again<'a>(
        &self,
        call: &ApproveToolCall<'a>,
    ) -> Result<HookAction<ApproveToolCall<'a>>, String> {
        if let Some(tool) = self.0.tool(call.name) {
            for (argument, value) in call.args.as_object().into_iter().flatten() {
                // Other arguments may be whole files, and are not copied.
                if !matches!(self.0.holds(tool, argument), ArgumentKind::Other) {
                    self.0
                        .check(tool, call.name, argument, &mut value.clone())?;
                }
            }
        }
        Ok(HookAction::Continue)
    }
}

/// The tools of well-known agents.
static KNOWN: LazyLock<HashMap<SmolStr, Tool>> = LazyLock::new(|| tools::known(&Profile::ALL));

/// How a tool that may handle files is known.
#[derive(Clone, Copy)]
enum FileTool {
    /// From the table.
    Known(&'static Tool),
    /// From the configuration.
    Listed,
    Unknown,
}

/// What an argument holds.
enum ArgumentKind {
    Path,
    Pattern,
    Patch,
    Other,
}

impl PathPrefixSettings {
    /// Returns how a tool is known, if it may handle files.
    fn tool(&self, name: &str) -> Option<FileTool> {
        if self.except.matches(name) {
            return None;
        }
        match KNOWN.get(&normal(name)) {
            Some(tool) if !tool.is_shell() => Some(FileTool::Known(tool)),
            _ if self.tools.matches(name) => Some(FileTool::Listed),
            Some(_) => None,
            None => Some(FileTool::Unknown),
        }
    }

    fn holds(&self, tool: FileTool, argument: &str) -> ArgumentKind {
        let role = match tool {
            FileTool::Known(tool) => tool.role(argument),
            _ => None,
        };
        match role {
            Some(ArgumentRole::Read | ArgumentRole::Write | ArgumentRole::Directory) => {
                ArgumentKind::Path
            }
            Some(ArgumentRole::Glob | ArgumentRole::Files) => ArgumentKind::Pattern,
            Some(ArgumentRole::Patch) => ArgumentKind::Patch,
            None if self.arguments.meet(argument) => ArgumentKind::Path,
            _ => ArgumentKind::Other,
        }
    }

    /// Checks an argument, and makes its relative paths absolute.
    fn check(
        &self,
        tool: FileTool,
        name: &str,
        argument: &str,
        value: &mut Value,
    ) -> Result<(), String> {
        let is_text = matches!(value, Value::String(_) | Value::Array(_) | Value::Object(_));
        match self.holds(tool, argument) {
            ArgumentKind::Path if matches!(tool, FileTool::Unknown) && is_text => Err(format!(
                "the tool `{}` is unknown, and its argument `{}` has the name of a path: list the tool in `tools` of \
                 `[hooks.builtin.path_prefix]`, or in `except` if the argument is not a path",
                Visible(name),
                Visible(argument),
            )),
            ArgumentKind::Path => self.for_paths(argument, value),
            ArgumentKind::Pattern => self.for_patterns(argument, value),
            ArgumentKind::Patch => match value {
                Value::String(patch) => {
                    let files = patch::files(patch)?;
                    files
                        .iter()
                        .try_for_each(|file| self.absolute(file).map(drop))
                }
                _ => Ok(()),
            },
            ArgumentKind::Other => Ok(()),
        }
    }

    /// Checks the patterns in an argument. What is not a pattern, in an argument that is named as a path is, is a path.
    fn for_patterns(&self, argument: &str, value: &mut Value) -> Result<(), String> {
        match value {
            Value::String(pattern) => {
                self.check_pattern(pattern)?;
                let is_plain = !pattern.contains(['*', '?', '[', '{']);
                if is_plain
                    && self.arguments.meet(argument)
                    && let Some(absolute) = self.absolute(pattern)?
                {
                    *pattern = absolute;
                }
                Ok(())
            }
            Value::Array(values) => values
                .iter_mut()
                .try_for_each(|value| self.for_patterns(argument, value)),
            _ => Ok(()),
        }
    }

    /// Makes every path in an argument absolute: the argument itself, the items of a list, and in an object the
    /// arguments that hold paths. Other strings of an object may be any text.
    fn for_paths(&self, argument: &str, value: &mut Value) -> Result<(), String> {
        match value {
            Value::String(path) => {
                if let Some(absolute) = self.absolute(path)? {
                    *path = absolute;
                }
                Ok(())
            }
            Value::Array(values) => values
                .iter_mut()
                .try_for_each(|value| self.for_paths(argument, value)),
            Value::Object(values) => {
                let mut has_path = false;
                for (name, value) in values {
                    if self.arguments.meet(name) {
                        has_path = true;
                        self.for_paths(name, value)?;
                    }
                }
                if has_path {
                    return Ok(());
                }
                // The keys of the object may be the paths.
                Err(format!(
                    "`{argument}` has no known form of a path: give a path, a list of paths, or a list of objects \
                     with a `path`"
                ))
            }
            _ => Ok(()),
        }
    }

    /// What a pattern matches must stay inside the root too.
    fn check_pattern(&self, pattern: &str) -> Result<(), String> {
        let is_plain = |part: &&str| !part.contains(['*', '?', '[', '{']);
        let plain: Vec<_> = pattern.split('/').take_while(is_plain).collect();
        // An alternative may be a path of its own.
        let begins = ["{/", ",/", "{~", ",~"]
            .iter()
            .any(|begin| pattern.contains(begin));
        let climbs = pattern.split(['/', '{', ',', '}']).any(|part| part == "..");
        if begins || climbs {
            return Err(format!(
                "the pattern `{pattern}` may leave `{}`: write it without `..`, and relative to that folder",
                self.root.display()
            ));
        }
        let plain = match plain.join("/") {
            root if root.is_empty() && pattern.starts_with('/') => "/".into(),
            plain => plain,
        };
        self.absolute(&plain).map(drop)
    }

    /// Checks that a path is inside the root. Returns the absolute path if the path is relative or contains `..`, and
    /// nothing if it can stay as it is.
    fn absolute(&self, path: &str) -> Result<Option<String>, String> {
        let root = self.root.display();
        let leads_to = paths::resolve(path, &self.root)
            .map_err(|error| format!("the path `{path}` cannot be resolved: {error}"))?;
        if !leads_to.starts_with(&self.root) {
            return Err(format!(
                "the path `{path}` leaves `{root}`: give one that is relative to that folder, or inside it"
            ));
        }
        // A tool may remove `..` without resolving the links before it, and arrive elsewhere.
        let written = Path::new(path);
        let climbs = written
            .components()
            .any(|part| part == Component::ParentDir);
        if written.is_absolute() && !climbs {
            return Ok(None);
        }
        match leads_to.into_os_string().into_string() {
            Ok(absolute) => Ok(Some(absolute)),
            Err(_) => Err(format!(
                "the path `{path}` leads to a name that is not UTF-8"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::agent::{AgentContext, Approval, ToolAnnotations};
    use hooks_core::hooks;
    use serde_json::json;

    use super::*;

    fn rewritten(root: &Path, name: &str, args: Value) -> Result<Value, String> {
        let hooks = hooks![PathPrefix::new(root).unwrap()];
        let mut call = BeforeToolCall {
            name: name.into(),
            args,
            ..BeforeToolCall::default()
        };
        match hooks
            .intercept_now(&AgentContext::new("s1"), &mut call)
            .into_result()
        {
            Ok(_) => Ok(call.args),
            Err(cancel) => Err(cancel.reason.into_owned()),
        }
    }

    #[test]
    fn a_path_is_found_in_a_list_of_lists_and_under_other_names() {
        let folder = tempfile::tempdir().unwrap();
        for args in [
            json!({ "paths": [["../secret"]] }),
            json!({ "paths": [{ "path": "../secret" }] }),
            json!({ "path": { "a": "../secret" } }),
            json!({ "filePath": "/etc/passwd" }),
            json!({ "source": "a", "destination": "../../x" }),
        ] {
            for tool in [
                "read",
                "Read",
                "move_file",
                "read_multiple_files",
                "list_directory",
            ] {
                assert!(
                    rewritten(folder.path(), tool, args.clone()).is_err(),
                    "{tool} {args}"
                );
            }
        }
    }

    #[test]
    fn every_file_tool_of_well_known_agents_stays_inside() {
        let folder = tempfile::tempdir().unwrap();
        let mut count = 0;
        for (name, tool) in KNOWN.iter().filter(|(_, tool)| !tool.is_shell()) {
            for (argument, role) in tool.roles() {
                let value = match role {
                    ArgumentRole::Read | ArgumentRole::Write | ArgumentRole::Directory => "../x",
                    ArgumentRole::Glob | ArgumentRole::Files => "../**/x",
                    ArgumentRole::Patch => "*** Begin Patch\n*** Delete File: ../x\n*** End Patch",
                    _ => continue,
                };
                count += 1;
                let args = json!({ argument: value });
                assert!(
                    rewritten(folder.path(), name, args).is_err(),
                    "{name} {argument}"
                );
            }
        }
        assert!(count > 80, "{count}");
        for name in [
            "replace",
            "search_replace",
            "move_path",
            "MovePath",
            "developer__text_editor",
        ] {
            assert!(KNOWN.contains_key(&normal(name)), "{name}");
        }
    }

    #[test]
    fn an_unknown_tool_with_a_path_is_blocked_unless_it_is_listed() {
        let folder = tempfile::tempdir().unwrap();
        let args = json!({ "path": "a", "level": 3 });
        let reason = rewritten(folder.path(), "polish", args.clone()).unwrap_err();
        assert!(
            reason.contains("`polish` is unknown") && reason.contains("`path`"),
            "{reason}"
        );
        let plain = json!({ "level": 3, "path": null });
        assert_eq!(
            rewritten(folder.path(), "polish", plain.clone()).unwrap(),
            plain
        );

        let with = |tools: &[&str], except: &[&str]| {
            let config = PathPrefixConfig {
                tools: Globs::new(tools).unwrap(),
                except: Globs::new(except).unwrap(),
                ..PathPrefixConfig::new(folder.path())
            };
            let hooks = hooks![PathPrefix::from_config(&config).unwrap()];
            let mut call = BeforeToolCall {
                name: "polish".into(),
                args: args.clone(),
                ..BeforeToolCall::default()
            };
            let result = hooks.intercept_now(&AgentContext::new("s1"), &mut call);
            result.is_continue().then_some(call.args["path"].clone())
        };
        let inside = folder.path().canonicalize().unwrap().join("a");
        assert_eq!(with(&["polish"], &[]), Some(json!(inside)));
        assert_eq!(with(&["other"], &["pol*"]), Some(json!("a")));
        assert_eq!(with(&["other"], &[]), None);
    }

    #[test]
    fn a_setting_that_leaves_no_path_to_look_at_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = PathPrefixConfig::new(folder.path());
        config.tools = Globs::default();
        assert_eq!(PathPrefix::from_config(&config).unwrap_err().key(), "tools");
        let mut config = PathPrefixConfig::new(folder.path());
        config.arguments.clear();
        assert_eq!(
            PathPrefix::from_config(&config).unwrap_err().key(),
            "arguments"
        );
    }

    #[test]
    fn relative_paths_become_absolute_and_the_other_arguments_stay() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let inside = root.join("a/b.rs");
        let args = json!({ "path": "a/x/../b.rs", "content": "../c", "mode": 7 });
        assert_eq!(
            rewritten(&root, "write", args).unwrap(),
            json!({ "path": inside, "content": "../c", "mode": 7 })
        );
        let args = json!({ "paths": ["a/b.rs", inside, 3], "file": null });
        assert_eq!(
            rewritten(&root, "read_file", args).unwrap(),
            json!({ "paths": [inside, inside, 3], "file": null })
        );
        assert_eq!(
            rewritten(&root, "list", json!({ "path": "" })).unwrap(),
            json!({ "path": root })
        );
        let other = json!({ "path": "../x" });
        assert_eq!(rewritten(&root, "shell", other.clone()).unwrap(), other);
        assert_eq!(rewritten(&root, "read", json!("x")).unwrap(), json!("x"));
    }

    #[test]
    fn in_objects_only_what_is_named_as_a_path_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let args = json!({ "files": [{ "path": "a.txt", "content": "/usr/bin/env x" }] });
        assert_eq!(
            rewritten(&root, "write_files", args).unwrap(),
            json!({ "files": [{ "path": root.join("a.txt"), "content": "/usr/bin/env x" }] })
        );
        let inside = json!({ "files": [{ "path": "../a.txt", "content": "x" }] });
        assert!(rewritten(&root, "write_files", inside).is_err());
        let keys = json!({ "files": { "../../etc/x": "hello" } });
        let reason = rewritten(&root, "write_files", keys).unwrap_err();
        assert!(
            reason.starts_with("`files` has no known form of a path"),
            "{reason}"
        );
    }

    #[test]
    fn patterns_stay_inside_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let inside = format!("{}/**/*.rs", root.display());
        for pattern in ["**/*.rs", "src/{a,b}/*.rs", "*", "", "a..b/*", &inside] {
            let args = json!({ "pattern": pattern });
            assert_eq!(
                rewritten(&root, "Glob", args.clone()),
                Ok(args),
                "{pattern}"
            );
        }
        for pattern in [
            "/etc/*.conf",
            "/*",
            "../../**",
            "src/*/../../../x",
            "~/*",
            "{/etc,a}/*",
            "{..,a}/*",
        ] {
            let args = json!({ "pattern": pattern });
            assert!(rewritten(&root, "glob", args.clone()).is_err(), "{pattern}");
            assert!(
                rewritten(&root, "grep", args).is_ok(),
                "the argument is an expression"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn dots_behind_a_link_are_taken_away_as_the_system_does() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b/c")).unwrap();
        std::os::unix::fs::symlink("a/b/c", root.join("link")).unwrap();
        let path = root.join("link/../../../x");
        assert_eq!(
            rewritten(&root, "read", json!({ "path": path })).unwrap(),
            json!({ "path": root.join("x") })
        );
    }

    #[test]
    fn what_leaves_the_root_is_blocked() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let sibling = format!("{}-more/x", root.display());
        for path in [
            "..",
            "a/../../x",
            "/etc/passwd",
            "~/x",
            "~root",
            &sibling,
            "\0",
        ] {
            let reason = rewritten(&root, "read", json!({ "path": path })).unwrap_err();
            assert!(
                reason.starts_with(&format!("the path `{path}`")),
                "{reason}"
            );
            let listed = json!({ "paths": ["fine", path] });
            assert!(rewritten(&root, "read", listed).is_err(), "{path:?}");
        }
    }

    #[test]
    fn a_path_that_was_changed_since_is_blocked_when_the_call_is_approved() {
        let folder = tempfile::tempdir().unwrap();
        let hooks = hooks![PathPrefix::new(folder.path()).unwrap()];
        let cx = AgentContext::new("s1");
        let approve = |path: &str| {
            let args = json!({ "path": path });
            let mut call = ApproveToolCall {
                id: "1",
                name: "read",
                args: &args,
                annotations: ToolAnnotations::default(),
                approval: &Approval::Usual,
            };
            hooks.intercept_now(&cx, &mut call).is_continue()
        };
        assert!(approve("a") && !approve("../a"));
    }

    #[test]
    fn a_root_that_is_no_folder_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for root in [Path::new("/no/such/folder"), file.path()] {
            let error = PathPrefix::new(root).unwrap_err();
            assert_eq!((error.hook(), error.key()), ("path_prefix", "root"));
        }
        let config: PathPrefixConfig = serde_json::from_str(r#"{"prefix": "/"}"#).unwrap();
        assert_eq!(config, PathPrefixConfig::new("/"));
    }

    #[cfg(unix)]
    mod never_leaves {
        use std::os::unix::fs::symlink;

        use proptest::prelude::*;

        use super::*;

        /// Asks the system where a path leads. The part that does not exist is appended as it is.
        fn really(path: &Path) -> PathBuf {
            let mut rest = Vec::new();
            let mut there = path.to_owned();
            loop {
                if let Ok(real) = there.canonicalize() {
                    return rest.iter().rev().fold(real, |path, name| path.join(name));
                }
                rest.push(there.file_name().expect("no `..` is left").to_owned());
                there.pop();
            }
        }

        proptest! {
            #[test]
            fn its_root(
                parts in prop::collection::vec(
                    prop::sample::select(vec![
                        "a", "b", "..", ".", "in", "out", "up", "new", "~", "", "loop", "far",
                    ]),
                    0..9,
                ),
                absolute in any::<bool>(),
            ) {
                let folder = tempfile::tempdir().unwrap();
                let root = folder.path().canonicalize().unwrap().join("root");
                std::fs::create_dir_all(root.join("a/b")).unwrap();
                symlink("a/b", root.join("in")).unwrap();
                symlink("/etc", root.join("out")).unwrap();
                symlink("..", root.join("up")).unwrap();
                symlink("../../..", root.join("a/far")).unwrap();
                symlink("loop", root.join("loop")).unwrap();
                let mut path = parts.join("/");
                if absolute {
                    path = format!("{}/{path}", root.display());
                }
                if let Ok(args) = rewritten(&root, "read", json!({ "path": path })) {
                    let opened = Path::new(args["path"].as_str().unwrap());
                    prop_assert!(opened.is_absolute());
                    prop_assert!(!opened.components().any(|part| part == Component::ParentDir));
                    prop_assert!(really(opened).starts_with(&root), "{path} -> {opened:?}");
                }
            }
        }
    }
}
