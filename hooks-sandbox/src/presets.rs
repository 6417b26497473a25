//! What programs need besides what you allow: the table `presets.txt`.

use std::path::{Path, PathBuf};

use crate::SandboxError;
use crate::rules::PathAccess;

const TABLE: &str = include_str!("presets.txt");

/// The name of the preset that always applies.
const SYSTEM: &str = "system";

/// One thing that a preset gives or takes.
pub(crate) enum Need {
    Path(PathAccess, PathBuf),
    /// The beginning of paths that it tries to change, and does without.
    Quiet(PathBuf),
    /// A variable, or with a star at its end, the beginning of some.
    Variable(&'static str),
}

/// Checks that presets are there. `None` are all.
pub(crate) fn check(chosen: Option<&[String]>) -> Result<(), SandboxError> {
    let heads = TABLE
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
    let known: Vec<_> = heads.filter(|name| *name != SYSTEM).collect();
    let mut chosen = chosen.into_iter().flatten();
    match chosen.find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(SandboxError::rule(format!(
            "`{name}` is not a preset: there are {}",
            known.join(", ")
        ))),
        None => Ok(()),
    }
}

/// The needs of some presets, each with the preset that it belongs to. Paths from variables that are not set are left out.
pub(crate) fn needs(chosen: Option<&[String]>) -> impl Iterator<Item = (&'static str, Need)> {
    let mut preset = "";
    let lines = TABLE.lines().filter_map(move |line| {
        if let Some(needs) = line.strip_prefix("  ") {
            return Some((preset, needs.split_once(' ')?));
        }
        preset = line;
        None
    });
    let is_chosen = move |preset: &str| {
        preset == SYSTEM || chosen.is_none_or(|chosen| chosen.iter().any(|name| name == preset))
    };
    let lines = lines.filter(move |(preset, _)| is_chosen(preset));
    lines.flat_map(|(preset, (kind, words))| {
        let needs = words.split_ascii_whitespace().filter_map(move |word| {
            Some(match kind {
                "read" => Need::Path(PathAccess::Read, expanded(word)?),
                "hide" => Need::Path(PathAccess::Hide, expanded(word)?),
                "quiet" => Need::Quiet(expanded(word)?),
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
