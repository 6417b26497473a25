//! What happened, beside what was predicted.

use std::path::{Component, Path, PathBuf};

use hooks_sandbox::Attempt;
use hooks_sandbox::trace::Seen;
use hooks_shell::{Access, Argument, Effects, PathUse};

use super::place::Place;

/// What programs and shells read for themselves, whatever they are told.
const OWN: [&str; 9] = [
    // Programs, libraries, languages and time zones.
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    // Where libraries are, who the user is, and the settings of the system.
    "/etc",
    "/proc",
    "/sys",
    // `/dev/null` and the streams of the script.
    "/dev",
    // The text of a here-document, in bash.
    "/tmp/sh-thd",
];

/// Whether every path is known well enough to be compared.
pub(crate) fn is_whole(effects: &Effects) -> bool {
    effects.paths().all(|used| {
        matches!(
            used.path,
            Argument::Text(_) | Argument::Pattern(_) | Argument::Names(_)
        )
    })
}

/// Returns what happened without being predicted, in words.
pub(crate) fn surprises(effects: &Effects, seen: &[Seen], place: &Place) -> Vec<String> {
    let seen = seen
        .iter()
        .filter(|seen| !is_own(seen, place) && !is_of_git(effects, seen, place));
    let surprising = seen.filter(|seen| match seen.attempt {
        Attempt::Run => !runs(effects, &seen.target),
        Attempt::Read => {
            let target = Path::new(&seen.target);
            !effects
                .paths()
                .any(|used| covers(used, target) || used.access.changes() && belongs(used, target))
        }
        Attempt::Write => {
            let target = Path::new(&seen.target);
            let mut written = effects
                .paths()
                .filter(|used| used.access.changes() || used.access.makes_links());
            !written.any(|used| covers(used, target) || belongs(used, target))
        }
        _ => effects.network().next().is_none(),
    });
    let mut found: Vec<_> = surprising
        .map(|seen| format!("{} {}", seen.attempt, seen.target))
        .collect();
    found.sort();
    found.dedup();
    found
}

fn is_own(seen: &Seen, place: &Place) -> bool {
    let path = Path::new(&seen.target);
    let is_inside = path.starts_with(place.scratch());
    let is_text = seen.target.starts_with("/tmp/sh-thd");
    let is_system = OWN.iter().any(|own| path.starts_with(own)) || is_text;
    let is_home = path.starts_with(place.home());
    // The shell looks for the folder that it is in.
    let is_folder = seen.attempt == Attempt::Read && place.root_path().starts_with(path);
    let reads = seen.attempt == Attempt::Read;
    seen.attempt != Attempt::Run && (!is_inside && is_system || reads && (is_home || is_folder))
}

/// Whether git, which was predicted to use its repository, does so.
fn is_of_git(effects: &Effects, seen: &Seen, place: &Place) -> bool {
    let uses = effects
        .paths()
        .any(|used| matches!(used.access, Access::Repository | Access::Checkout));
    let target = Path::new(&seen.target);
    // From a folder of the work tree, it lists all of it.
    let lists =
        seen.attempt == Attempt::Read && target.starts_with(place.root_path()) && target.is_dir();
    let runs = seen.attempt == Attempt::Run && target.ends_with("git");
    uses && (lists || runs || target.starts_with(place.root_path().join(".git")))
}

/// Whether it was predicted that a program runs. The shell itself runs the script, and a rewritten one splits names by `tr`.
fn runs(effects: &Effects, target: &str) -> bool {
    let name = target.rsplit('/').next().unwrap_or(target);
    let is_named = |known: &str| known.rsplit('/').next() == Some(name);
    matches!(name, "dash" | "bash" | "sh" | "tr")
        || effects.programs().any(|program| is_named(&program.name))
}

/// Whether a path is one that was predicted to be used, or lies in one.
fn covers(used: &PathUse, target: &Path) -> bool {
    places(used).iter().any(|place| target.starts_with(place))
}

/// The paths that a prediction names, as they are written and where they lead; of many paths, the folders that hold them.
fn places(used: &PathUse) -> Vec<PathBuf> {
    let texts: Vec<&str> = match &used.path {
        Argument::Text(text) => vec![text],
        Argument::Pattern(pattern) => {
            let fixed = pattern.find(['*', '?', '[', '\\']).unwrap_or(pattern.len());
            // The shell reads the folder, and the programs get what is in it.
            vec![
                pattern[..fixed]
                    .rfind('/')
                    .map_or("", |slash| &pattern[..slash]),
            ]
        }
        Argument::Names(names) => names.folders().collect(),
        _ => Vec::new(),
    };
    let mut places = Vec::new();
    for base in used.directories.iter().map(Path::new) {
        for text in &texts {
            // What is gone by now led nowhere.
            let written = joined(base, text);
            let parent = written
                .parent()
                .and_then(|parent| parent.canonicalize().ok());
            let in_parent = parent
                .zip(written.file_name())
                .map(|(parent, name)| parent.join(name));
            places.extend(written.canonicalize());
            places.extend(in_parent);
            places.push(written);
        }
    }
    places
}

/// Whether a written file belongs to a predicted one: a folder on the way to it, or the temporary file of `sed -i`.
fn belongs(used: &PathUse, target: &Path) -> bool {
    let name = target
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let is_temporary = name.starts_with("sed") && name.len() == 9;
    places(used).iter().any(|place| {
        place.starts_with(target)
            || is_temporary && (place.parent() == target.parent() || target.parent() == Some(place))
    })
}

/// A path without `.` and `..`, through no links: as the tracer writes paths.
fn joined(base: &Path, text: &str) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in base.join(text).components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}
