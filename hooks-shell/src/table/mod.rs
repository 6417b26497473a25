//! What is known of programs and variables before a script is read: the tables, and the languages of arguments.
//!
//! | file | |
//! | --- | --- |
//! | `programs`, `programs.txt` | what a program does with its arguments |
//! | `variables`, `variables.txt` | which variables a script may set, and which are unset before it runs |
//! | `languages` | scripts of sed, jq and awk |
//! | `addresses` | addresses, and paths that lead out of the folder |

pub(crate) mod addresses;
pub(crate) mod languages;
mod programs;
pub(crate) mod variables;

pub use self::programs::is_predictable;
pub(crate) use self::programs::{Opt, OptionPattern, Print, ProgramArguments, Role, find};

/// Returns the lines of a table without comments. Continuation lines are joined.
pub(crate) fn unfolded(text: &str) -> String {
    let is_entry = |line: &&str| !line.starts_with('#');
    let lines: Vec<&str> = text.lines().filter(is_entry).collect();
    lines.join("\n").replace("\n    ", " ")
}

/// Whether a text is in a list: `a,b*,*c,*d*`; or not in it, if the list begins with `!`.
pub(crate) fn is_one_of(list: &str, text: &str) -> bool {
    let matches = |choice: &str| match (choice.strip_suffix('*'), choice.strip_prefix('*')) {
        (Some(begin), Some(_)) => text.contains(&begin[1..]),
        (Some(begin), None) => text.starts_with(begin),
        (None, Some(end)) => text.ends_with(end),
        (None, None) => text == choice,
    };
    match list.strip_prefix('!') {
        Some(list) => !list.split(',').any(matches),
        None => list.split(',').any(matches),
    }
}
