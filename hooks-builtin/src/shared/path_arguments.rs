//! Recognises by their names which arguments of tools hold paths.
//!
//! Agents spell the same argument in many ways: `file_path`, `filePath`, `AbsolutePath`, `relative_workspace_path`. So names
//! are compared word by word, and a rule is the word that a name ends with.

use smol_str::SmolStr;

/// The last words of the names of arguments that hold a path, or a list of paths.
const OF_PATHS: &str = "path paths file files filename filenames filepath filepaths directory directories dir dirs folder \
     folders source destination src dst dest";

/// The last words of names that may also hold something else. These arguments are checked, but not rewritten.
#[cfg(feature = "security-policy")]
const PERHAPS: &str = "cwd workdir root target from to location include includes";

/// Returns the rules for arguments that hold paths, as a configuration writes them.
pub(crate) fn certain() -> Vec<String> {
    OF_PATHS.split_whitespace().map(String::from).collect()
}

/// Returns the rules for arguments that may hold paths.
#[cfg(feature = "security-policy")]
pub(crate) fn possible() -> Vec<String> {
    let words = OF_PATHS
        .split_whitespace()
        .chain(PERHAPS.split_whitespace());
    words.map(String::from).collect()
}

/// Normalises a name that agents spell differently: lower case, without `_` and `-`. A name of usual length needs no
/// allocation, because every argument of every call is compared.
pub(crate) fn normal(name: &str) -> SmolStr {
    let kept = name.chars().filter(|c| !matches!(c, '_' | '-'));
    if name.is_ascii() {
        kept.map(|c| c.to_ascii_lowercase()).collect()
    } else {
        kept.flat_map(char::to_lowercase).collect()
    }
}

/// Rules, prepared for comparison.
#[derive(Debug)]
pub(crate) struct PathArguments(Vec<SmolStr>);

impl PathArguments {
    pub(crate) fn new<R: AsRef<str>>(rules: impl IntoIterator<Item = R>) -> Self {
        let mut rules: Vec<_> = rules
            .into_iter()
            .map(|rule| normal(rule.as_ref()))
            .collect();
        rules.sort_unstable();
        PathArguments(rules)
    }

    /// Whether one of the rules matches a name: as a whole, or as its last word.
    pub(crate) fn meet(&self, name: &str) -> bool {
        let has = |part: &str| self.0.binary_search(&normal(part)).is_ok();
        let last = last_word(name);
        has(last) || (last.len() < name.len() && has(name))
    }
}

/// Returns `Path` for `AbsolutePath`, `path` for `file_path`, and the whole of `PATH`.
fn last_word(name: &str) -> &str {
    let mut start = 0;
    let mut was_lower = false;
    for (at, character) in name.char_indices() {
        if matches!(character, '_' | '-' | '.' | ' ') {
            start = at + 1;
        } else if character.is_uppercase() && was_lower {
            start = at;
        }
        was_lower = character.is_lowercase() || character.is_ascii_digit();
    }
    &name[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_known_in_every_spelling() {
        for name in [
            "path",
            "Path",
            "PATH",
            "file_path",
            "filePath",
            "AbsolutePath",
            "absolute-path",
            "TargetFile",
            "dir_path",
            "DirectoryPath",
            "relative_workspace_path",
            "target_directories",
            "source_path",
            "notebookPath",
            "files",
            "SearchDirectory",
            "old_path",
        ] {
            assert!(PathArguments::new(certain()).meet(name), "{name}");
        }
        for name in [
            "profile",
            "content",
            "pathology",
            "command",
            "file_text",
            "path_hint_shown",
            "to",
            "",
        ] {
            assert!(!PathArguments::new(certain()).meet(name), "{name}");
        }
    }

    #[test]
    fn a_rule_of_several_words_is_compared_as_a_whole() {
        let rules = PathArguments::new(["save_as"]);
        assert!(rules.meet("saveAs") && rules.meet("SAVE-AS") && !rules.meet("as"));
        assert!(PathArguments::new(["ÜBER-PFAD"]).meet("überPfad"));
    }
}
