//! A throw-away folder in which a script runs.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hooks_sandbox::trace::{Seen, Traced};

pub(crate) struct Place {
    folder: tempfile::TempDir,
}

/// What is in the folder: `path` and text, or `path -> target`.
const FILES: [&str; 14] = [
    "a.txt alpha\n",
    "b.txt beta\nalpha\n",
    "odd name.txt odd\n",
    "-dash.txt dash\n",
    "names a.txt\nb.txt\n",
    "src/one.rs fn one() {}\n",
    "src/two.rs fn two() {}\n",
    "src/deep/three.rs fn three() {}\n",
    "docs/read.md # Title\n",
    "docs/more.md more\n",
    "empty/.keep ",
    "link -> a.txt",
    "into -> src",
    "docs/up -> ../b.txt",
];

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("truth-")
            .tempdir()
            .expect("a folder");
        let place = Place { folder };
        fs::create_dir_all(place.home()).expect("it is ours");
        for line in FILES {
            let (path, target) = match line.split_once(" -> ") {
                Some((path, target)) => (path, Some(target)),
                None => (line, None),
            };
            let (path, text) = match target {
                Some(_) => (path, ""),
                // A name may have a blank, and ends with its last dot.
                None if path.starts_with("odd") => ("odd name.txt", "odd\n"),
                None => path.split_once(' ').expect("a path and a text"),
            };
            let path = place.root_path().join(path);
            fs::create_dir_all(path.parent().expect("it is in the folder")).expect("it is ours");
            match target {
                Some(target) => symlink(target, path).expect("it is ours"),
                None => fs::write(path, text).expect("it is ours"),
            }
        }
        let git = Command::new("git")
            .args(["init", "-q", "--template="])
            .current_dir(place.root_path())
            .status();
        assert!(git.expect("git is there").success());
        place
    }

    /// Two levels down, so that what leaves it by `..` is still in the scratch folder.
    pub(crate) fn root_path(&self) -> PathBuf {
        let folder = self.folder.path().canonicalize().expect("it is there");
        folder.join("outer/root")
    }

    pub(crate) fn root(&self) -> String {
        self.root_path().to_str().expect("UTF-8").to_owned()
    }

    pub(crate) fn home(&self) -> String {
        self.folder
            .path()
            .join("home")
            .to_str()
            .expect("UTF-8")
            .to_owned()
    }

    pub(crate) fn scratch(&self) -> &Path {
        self.folder.path()
    }

    /// Runs a script, and returns what it and its children have done.
    pub(crate) fn run(&self, shell: &str, script: &str) -> Vec<Seen> {
        let mut traced = Traced::new(shell);
        let command = traced.command();
        command.args(["-c", script]).current_dir(self.root_path());
        command.env_clear().env("HOME", self.home());
        command.env("PATH", "/usr/bin:/bin").env("LC_ALL", "C");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let (_, seen) = traced
            .run()
            .unwrap_or_else(|error| panic!("{script}: {error}"));
        seen.into_iter()
            .filter(|seen| seen.error.is_none())
            .collect()
    }
}
