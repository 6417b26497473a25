//! A file to import: `[[hooks.import]]`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use hooks_rules::entry::{Mode, is_default};

/// Writes the entry, with a key for each system that has files.
macro_rules! imports {
    ($($(#[$doc:meta])* $variant:ident = $name:ident $(, $files:literal)?;)*) => {
        /// A file to import: `[[hooks.import]]`. Exactly one key names it: that of its system, such as `claude`, or
        /// `hooks`. Another system's file stays as it is.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct ImportEntry {
            $($(
                #[doc = concat!($files, ".")]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $name: Option<PathBuf>,
            )?)*
            /// A file of an agent of your own, which `dialect` names.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub file: Option<PathBuf>,
            /// The agent whose file `file` is: one of `[[agents]]`.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub dialect: Option<String>,
            /// The priority of all hooks of the file: higher numbers run first. The default is 0. In a file of this
            /// format, it is added to each hook's own priority, except the built-in ones.
            #[serde(skip_serializing_if = "is_default")]
            pub priority: i32,
            /// Whether the hooks of the file run, and whether their answers take effect. The default is `enforce`.
            /// `shadow` is an error if a file of this format has built-in hooks.
            #[serde(skip_serializing_if = "is_default")]
            pub mode: Mode,
            /// Each tool's name in the file, with its name in this agent: `{ Bash = "shell" }`. It is not allowed for a
            /// file of this format.
            #[serde(skip_serializing_if = "BTreeMap::is_empty")]
            pub tools: BTreeMap<String, String>,
            /// Whether a failure of a hook blocks every event that can be blocked. The default is `false`: the rule of
            /// the file's system applies.
            #[serde(skip_serializing_if = "is_default")]
            pub strict: bool,
        }

        impl ImportEntry {
            /// The keys that name a file: those of all systems with files.
            pub const KEYS: &[&str] = &[$($((stringify!($name), $files).0,)?)*];

            /// Returns the files, each with the key that names it.
            #[must_use]
            pub fn files(&self) -> Vec<(&'static str, &PathBuf)> {
                let files = [$($((stringify!($name), &self.$name, $files),)?)* ("file", &self.file, "")];
                let files = files.into_iter();
                files
                    .filter_map(|(key, file, _)| Some((key, file.as_ref()?)))
                    .collect()
            }
        }
    };
}

super::systems::systems!(imports);
