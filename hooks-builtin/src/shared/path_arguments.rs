//! Which arguments of tools hold paths, told by their names.
//!
//! Agents spell the same argument in many ways: `file_path`, `filePath`, `AbsolutePath`, `relative_workspace_path`. So names
//! are compared word by word, and a rule is the word that a name ends with.

/// The words that the name of an argument ends with if it holds a path, or a list of paths.
const OF_PATHS: &str = "path paths file files filename filenames filepath filepaths directory directories dir dirs folder \
     folders source destination src dst dest";

/// Those that may hold something else as well: they are looked at, and not rewritten.
#[cfg(feature = "security-policy")]
const PERHAPS: &str = "cwd workdir root target from to uri include includes";

/// The rules for arguments that hold paths.
pub(crate) fn certain() -> Vec<String> {
    OF_PATHS.split_whitespace().map(String::from).collect()
}

/// The rules for arguments that may hold paths.
#[cfg(feature = "security-policy")]
pub(crate) fn possible() -> Vec<String> {
    [
        certain(),
        PERHAPS.split_whitespace().map(String::from).collect(),
    ]
    .concat()
}

/// The characters of a name without what agents spell in their own ways: in lower case, without `_` and `-`.
fn normal(name: &str) -> impl Iterator<Item = char> {
    let is_kept = |c: &char| !matches!(c, '_' | '-');
    name.chars().filter(is_kept).flat_map(char::to_lowercase)
}

/// A name as [`normal`] reads it.
#[cfg(feature = "security-policy")]
pub(crate) fn normalised(name: &str) -> String {
    normal(name).collect()
}

/// Whether one of the rules meets a name: as a whole, or as its last word. Nothing is allocated: every argument of every
/// call is compared.
pub(crate) fn matches(rules: &[String], name: &str) -> bool {
    let last = last_word(name);
    let is_met = |rule: &String| normal(rule).eq(normal(name)) || normal(rule).eq(normal(last));
    rules.iter().any(is_met)
}

/// `Path` of `AbsolutePath`, `path` of `file_path`; the whole of `PATH`.
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
            assert!(matches(&certain(), name), "{name}");
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
            assert!(!matches(&certain(), name), "{name}");
        }
    }

    #[test]
    fn a_rule_of_several_words_is_compared_as_a_whole() {
        let rules = ["save_as".to_owned()];
        assert!(matches(&rules, "saveAs") && matches(&rules, "SAVE-AS") && !matches(&rules, "as"));
    }
}
