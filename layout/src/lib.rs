//! Tests that the folders of a crate use each other in one direction only.
//!
//! Each folder of `src` is a room, and a room uses only the rooms before it. So a newcomer can read the crate from one
//! end to the other, and no two rooms need each other. Rust does not check this within a crate. [`Layout::check`] does,
//! by reading the source.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of a crate, and what is beside them.
///
/// ```no_run
/// # use layout::Layout;
/// const LAYOUT: Layout = Layout {
///     rooms: &["parse", "evaluate"],
///     leaves: &["value"],
///     collections: &["lib"],
///     macros: &[],
/// };
/// LAYOUT.check(env!("CARGO_MANIFEST_DIR"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The rooms. Each may use those before it, and itself.
    pub rooms: &'static [&'static str],
    /// Files beside the rooms, which use no room: every room may use them.
    pub leaves: &'static [&'static str],
    /// Files that only collect what the rooms have.
    pub collections: &'static [&'static str],
    /// The macros that are exported at the root, where Rust puts them.
    pub macros: &'static [&'static str],
}

impl Layout {
    /// Checks the package in a folder.
    ///
    /// # Panics
    ///
    /// If a file uses a room after its own, if `super::` reaches the root, where it would hide such a use, or if a file
    /// belongs to no room.
    pub fn check(&self, package: &str) {
        let mut wrong = Vec::new();
        let mut there = BTreeSet::new();
        for (path, text) in sources(package) {
            let room = room_of(&path);
            if !self.collections.contains(&room.as_str()) {
                let uses = uses(&text, self.rooms);
                let against = uses.iter().filter(|used| !self.may_use(&room, used));
                wrong.extend(
                    against.map(|used| format!("{} may not use `crate::{used}`", path.display())),
                );
            }
            let climbs = longest_climb(&text);
            if climbs > 0 && climbs >= depth_of(&path) {
                wrong.push(format!(
                    "{}: `super::` reaches the crate's root: write `crate::`",
                    path.display()
                ));
            }
            there.insert(room);
        }
        let known = [self.rooms, self.leaves, self.collections].concat();
        let known: BTreeSet<String> = known.into_iter().map(str::to_owned).collect();
        let differing = known.symmetric_difference(&there);
        wrong.extend(differing.map(|room| {
            format!("`{room}` is either missing in `src`, or in no list of the layout")
        }));
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }

    /// Whether a file of this room may write `crate::used`.
    fn may_use(&self, room: &str, used: &str) -> bool {
        if self.leaves.contains(&used) || self.macros.contains(&used) {
            return true;
        }
        let place = |name: &str| self.rooms.iter().position(|room| *room == name);
        match (place(room), place(used)) {
            (Some(here), Some(there)) => there <= here,
            // What the root exports comes from any room, so only the last one may use it.
            (Some(here), None) => here == self.rooms.len() - 1,
            (None, _) => false,
        }
    }
}

/// All source files of a package, by their paths within `src`.
fn sources(package: &str) -> Vec<(PathBuf, String)> {
    fn visit(root: &Path, folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).expect("the source can be read") {
            let path = entry.expect("the source can be read").path();
            if path.is_dir() {
                visit(root, &path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a source file is text");
                let within = path.strip_prefix(root).expect("the file is within `src`");
                found.push((within.to_owned(), text));
            }
        }
    }
    let root = Path::new(package).join("src");
    let mut found = Vec::new();
    visit(&root, &root, &mut found);
    found.sort();
    found
}

/// The folder of a file, or the file itself, without `.rs`, if it is beside the folders.
fn room_of(path: &Path) -> String {
    let first = path.iter().next().expect("a path has a part");
    let first = first.to_str().expect("a name is text");
    first.strip_suffix(".rs").unwrap_or(first).to_owned()
}

/// How many modules deep a file is: how often `super::` reaches the crate's root.
fn depth_of(path: &Path) -> usize {
    let parts = path.iter().count();
    let is_folder = path.file_stem().is_some_and(|stem| stem == "mod");
    let is_root = path == Path::new("lib.rs");
    parts - usize::from(is_folder || is_root)
}

/// The code of a file, without comments and unit tests, which stand at its end.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let comment = line.find("//").unwrap_or(line.len());
        &line[..comment]
    });
    let lines = lines.take_while(|line| line.trim() != "#[cfg(test)]");
    lines.collect::<Vec<_>>().join("\n")
}

/// What a file uses of the crate: the first name of every path that begins with `crate::`.
///
/// What a macro writes as `$crate::Name` is written where the macro is used, in another crate perhaps, and goes through
/// the root for that. It counts only if it names a room.
fn uses(text: &str, rooms: &[&str]) -> BTreeSet<String> {
    let code = code(text);
    let mut used = BTreeSet::new();
    for (at, found) in code.match_indices("crate::") {
        let rest = &code[at + found.len()..];
        if let Some(list) = rest.strip_prefix('{') {
            used.extend(first_names(list));
        } else {
            let is_of_macro = code[..at].ends_with('$');
            let name = name_at(rest);
            used.extend(name.filter(|name| !is_of_macro || rooms.contains(&name.as_str())));
        }
    }
    used
}

/// The first names of the paths in a braced list, up to its end.
fn first_names(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0_u32;
    let mut begins = true;
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            _ if begins && !letter.is_whitespace() => {
                names.extend(name_at(&list[at..]));
                begins = false;
            }
            _ => {}
        }
    }
    names
}

/// The name at the beginning of a text.
fn name_at(text: &str) -> Option<String> {
    let end = text
        .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

/// The longest chain of `super::` in a file.
fn longest_climb(text: &str) -> usize {
    const STEP: &str = "super::";
    let code = code(text);
    let mut longest = 0;
    for (at, _) in code.match_indices(STEP) {
        let mut rest = &code[at..];
        let mut steps = 0;
        while let Some(next) = rest.strip_prefix(STEP) {
            rest = next;
            steps += 1;
        }
        longest = longest.max(steps);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout = Layout {
        rooms: &["event", "decision", "hook", "pipeline", "registry", "agent"],
        leaves: &["trace"],
        collections: &["lib"],
        macros: &["__rank"],
    };

    #[test]
    fn the_scanner_sees_every_way_of_writing_a_path() {
        let text = "
            //! [`crate::agent`] in the docs is not a use of it.
            use crate::{decision::{Cancel, Scope}, event::Event, trace};
            /// Nor is [`Hook`](crate::Hook).
            fn f() -> crate::hook::OnPanic { crate::__rank!(0) } // crate::pipeline
            macro_rules! m { () => { $crate::Hook; $crate::registry::spread() } }
            #[cfg(test)]
            mod tests { use crate::pipeline; }
        ";
        let used: Vec<_> = uses(text, LAYOUT.rooms).into_iter().collect();
        assert_eq!(
            used,
            ["__rank", "decision", "event", "hook", "registry", "trace"]
        );
        assert_eq!(longest_climb("use super::super::x; use super::y;"), 2);
    }

    #[test]
    fn a_room_uses_the_rooms_before_it_and_the_leaves() {
        let may_use = |room, used| LAYOUT.may_use(room, used);
        assert!(may_use("hook", "event") && may_use("hook", "hook") && may_use("hook", "trace"));
        assert!(!may_use("hook", "pipeline") && !may_use("event", "decision"));
        assert!(!may_use("event", "HookAction") && may_use("agent", "HookAction"));
        assert!(!may_use("trace", "event"));
    }
}
