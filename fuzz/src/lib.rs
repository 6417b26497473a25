//! Fuzzing on stable Rust: everything that reads a text from a model, or from outside, takes millions of texts here.
//!
//! A [`Target`] is a function that takes any bytes and panics if a property does not hold. It returns [`Features`]: what the
//! code under test did with the text. The [driver](run) mutates the texts of a corpus, and keeps each text that shows a
//! feature for the first time. So the corpus grows towards what has not been tried yet, without a compiler that
//! instruments the code.
//!
//! The functions have the signature that libFuzzer wants, too: `fuzz_target!(|data: &[u8]| { fuzz::shell(data); })`.
#![forbid(unsafe_code)]
#![allow(clippy::must_use_candidate, reason = "a target is run for its panics")]

mod features;
mod mutate;
pub mod run;
mod targets;

use std::fs;
use std::path::{Path, PathBuf};

pub use self::features::Features;
pub use self::targets::{config, glob, redact, shell, url};

/// One thing to fuzz.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name on the command line, and that of its folder in `corpus`.
    pub name: &'static str,
    /// Takes a text. It panics if a property does not hold.
    pub run: fn(&[u8]) -> Features,
    /// The files of tests that have a text in each line.
    lines: &'static [&'static str],
    /// The folders of tests that have a text in each file.
    folders: &'static [&'static str],
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 5] = [
        Target {
            name: "glob",
            run: glob,
            lines: &[],
            folders: &["fuzz/corpus/glob"],
        },
        Target {
            name: "shell",
            run: shell,
            lines: &[
                "hooks-builtin/tests/corpus/shell_harmless.txt",
                "hooks-builtin/tests/corpus/shell_hostile.txt",
            ],
            folders: &["fuzz/corpus/shell"],
        },
        Target {
            name: "config",
            run: config,
            lines: &[],
            folders: &["fuzz/corpus/config", "hooks-builtin/tests/config_errors"],
        },
        Target {
            name: "redact",
            run: redact,
            lines: &[
                "hooks-builtin/tests/corpus/secrets.txt",
                "hooks-builtin/tests/corpus/secrets_lookalikes.txt",
            ],
            folders: &["fuzz/corpus/redact"],
        },
        Target {
            name: "url",
            run: url,
            lines: &[
                "hooks-builtin/tests/corpus/urls_good.txt",
                "hooks-builtin/tests/corpus/urls_hostile.txt",
            ],
            folders: &["fuzz/corpus/url"],
        },
    ];

    /// The texts to begin with: the target's corpus, and those of the tests. The order is always the same.
    ///
    /// # Panics
    ///
    /// If one cannot be read.
    #[must_use]
    pub fn seeds(&self) -> Vec<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let read = |path: &Path| {
            let bytes =
                fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let mut seeds = Vec::new();
        for file in self.lines {
            let text = read(&root.join(file));
            let lines = text
                .lines()
                .filter(|line| !line.is_empty() && !line.starts_with('#'));
            // A line may say first what it is a case of.
            seeds.extend(lines.map(|line| line.rsplit('\t').next().unwrap_or(line).to_owned()));
        }
        for folder in self.folders {
            seeds.extend(files(&root.join(folder)).iter().map(|file| read(file)));
        }
        seeds
    }
}

/// The files of a folder by their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| {
        file.is_file()
            && file
                .extension()
                .is_none_or(|extension| extension != "stderr")
    });
    files.sort();
    files
}
