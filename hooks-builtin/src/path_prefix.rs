//! Makes relative paths of file tools absolute under a root.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use hooks_core::agent::{ApproveToolCall, BeforeToolCall};
use hooks_core::{HookAction, hook};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::shared::alias::Alias;
use crate::shared::path_arguments::{self, Rules};
use crate::shared::{BuildError, Globs, paths};

/// Makes the relative paths of file tools absolute under a root, and keeps all of them inside it.
///
/// A path that would leave the root, by `..`, through a link, as an absolute path or with `~`, blocks the call. Every
/// other argument stays unchanged (ClawSeed's own example loses them). The hook checks a path before the tool call, and
/// again when the call is approved, because later hooks may have changed it. Whoever can create a link between the
/// second check and the tool can still get out, so this guards against a model, not against a program. The names of the
/// tool and of the argument decide what is a path, so list tools with unusual names.
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
pub struct PathPrefix(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Absolute, without links.
    root: PathBuf,
    tools: Globs,
    arguments: Rules,
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
    /// The tools whose paths are rewritten and checked, as globs. The default is tools whose names say that they handle
    /// files, such as `read`, `Write`, `file_*`, `*_file`, `list_directory`, `view` and `str_replace_editor`. For a
    /// tool that is named `glob`, the argument `pattern` may not leave the root either.
    #[serde(default = "file_tools")]
    pub tools: Globs,
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
        "view",
        "View",
        "str_replace_editor",
        "str_replace_based_edit_tool",
        "NotebookEdit",
        "NotebookRead",
        "read",
        "Read",
        "write",
        "Write",
        "edit",
        "Edit",
        "MultiEdit",
        "list",
        "List",
        "LS",
        "ls",
        "delete",
        "Delete",
        "move",
        "copy",
        "glob",
        "Glob",
        "grep",
        "Grep",
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
                    "is empty, and so no path is looked at: leave it out for the usual ones";
                return Err(BuildError::new("path_prefix", key, message));
            }
        }
        let root = paths::folder(&config.root).map_err(|error| {
            wrong(format!(
                "has to be a folder, and `{}` is none: {error}",
                config.root.display()
            ))
            .with_source(error)
        })?;
        if root.to_str().is_none() {
            return Err(wrong("has to be UTF-8, as tools' arguments are".into()));
        }
        Ok(PathPrefix(Arc::new(Inner {
            root,
            tools: config.tools.clone(),
            arguments: Rules::new(&config.arguments),
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
        if !self.0.concerns(&call.name, &call.args) {
            return Ok(());
        }
        self.0.check_pattern(&call.name, &call.args)?;
        for (argument, value) in call.args.as_object_mut().into_iter().flatten() {
            if self.0.arguments.meet(argument) {
                self.0.for_paths(argument, value, &mut |path| {
                    if let Some(absolute) = self.0.absolute(path)? {
                        *path = absolute;
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    fn check_again<'a>(
        &self,
        call: &ApproveToolCall<'a>,
    ) -> Result<HookAction<ApproveToolCall<'a>>, String> {
        if self.0.concerns(call.name, call.args) {
            self.0.check_pattern(call.name, call.args)?;
            for (argument, value) in call.args.as_object().into_iter().flatten() {
                if self.0.arguments.meet(argument) {
                    let mut check = |path: &mut String| self.0.absolute(path).map(drop);
                    self.0.for_paths(argument, &mut value.clone(), &mut check)?;
                }
            }
        }
        Ok(HookAction::Continue)
    }
}

impl Inner {
    /// Whether the call is a call of a file tool, and may contain a path: most calls have no such argument.
    fn concerns(&self, tool: &str, args: &Value) -> bool {
        let may_hold_path = |name: &String| name == "pattern" || self.arguments.meet(name);
        args.as_object()
            .is_some_and(|args| args.keys().any(may_hold_path))
            && self.tools.matches(tool)
    }

    /// Calls a function for every path in an argument: the argument itself, the items of a list, and in an object the
    /// arguments that hold paths. Other strings of an object may be any text.
    fn for_paths(
        &self,
        argument: &str,
        value: &mut Value,
        act: &mut impl FnMut(&mut String) -> Result<(), String>,
    ) -> Result<(), String> {
        match value {
            Value::String(path) => act(path),
            Value::Array(values) => values
                .iter_mut()
                .try_for_each(|value| self.for_paths(argument, value, act)),
            Value::Object(values) => {
                let mut has_path = false;
                for (name, value) in values {
                    if self.arguments.meet(name) {
                        has_path = true;
                        self.for_paths(name, value, act)?;
                    }
                }
                if has_path {
                    return Ok(());
                }
                // The keys of the object may be the paths.
                Err(format!(
                    "in `{argument}` it cannot be told what is a path: give a path, a list of paths, or of \
                     objects with a `path`"
                ))
            }
            _ => Ok(()),
        }
    }

    /// If a tool lists what a pattern matches, the pattern must stay inside the root too.
    fn check_pattern(&self, tool: &str, args: &Value) -> Result<(), String> {
        let Some(pattern) = args.get("pattern").and_then(Value::as_str) else {
            return Ok(());
        };
        if !tool.eq_ignore_ascii_case("glob") {
            return Ok(());
        }
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
            .map_err(|error| format!("the path `{path}` leads nowhere: {error}"))?;
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
    use hooks_core::agent::{AgentContext, Approval};
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
            reason.starts_with("in `files` it cannot be told"),
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
                "it is an expression"
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
