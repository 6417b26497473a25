//! What programs need besides what you allow: the table `presets.txt`.

use std::path::{Path, PathBuf};

use crate::rules::Access;

const TABLE: &str = include_str!("presets.txt");

/// The name of the preset that always applies.
pub(crate) const SYSTEM: &str = "system";

/// One thing that a preset gives or takes.
pub(crate) enum Need {
    Path(Access, PathBuf),
    /// A variable, or with a star at its end, the beginning of some.
    Variable(&'static str),
}

/// The names of all presets.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let heads = TABLE
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
    heads.filter(|name| *name != SYSTEM)
}

/// All needs, each with the preset that it belongs to. Paths from variables that are not set are left out.
pub(crate) fn needs() -> impl Iterator<Item = (&'static str, Need)> {
    let mut preset = "";
    let lines = TABLE.lines().filter_map(move |line| {
        if let Some(needs) = line.strip_prefix("  ") {
            return Some((preset, needs.split_once(' ')?));
        }
        preset = line;
        None
    });
    lines.flat_map(|(preset, (kind, words))| {
        let needs = words.split_ascii_whitespace().filter_map(move |word| {
            Some(match kind {
                "read" => Need::Path(Access::Read, expanded(word)?),
                "hide" => Need::Path(Access::Hide, expanded(word)?),
                _ => Need::Variable(word),
            })
        });
        needs.map(move |need| (preset, need))
    })
}

/// The path of a word that may begin with `~` or `$VARIABLE`.
fn expanded(word: &str) -> Option<PathBuf> {
    let (variable, rest) = match word.strip_prefix('$') {
        Some(word) => word.split_once('/').unwrap_or((word, "")),
        None => match word.strip_prefix("~/") {
            Some(rest) => ("HOME", rest),
            None => return Some(word.into()),
        },
    };
    let base = PathBuf::from(std::env::var_os(variable)?);
    (base.is_absolute() && base != Path::new("/")).then(|| base.join(rest))
}
