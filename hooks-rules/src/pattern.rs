//! Regular expressions of files: how much memory one may take, and all of a load together.
//!
//! A short text may describe millions of states, such as `\pL{220}`. What one takes is estimated before it is compiled, from its
//! syntax: a class of Unicode counts by its ranges, and a repetition counts as often as it repeats. The thread that loads
//! hooks adds it all up.

use std::cell::Cell;

#[cfg(feature = "regex")]
pub use regex::Regex;
#[cfg(feature = "regex")]
use regex::RegexBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// The most memory that one may take, in bytes.
const ONE: usize = 256 << 10;

/// The most memory that those of a load may take together, in bytes.
const LOAD: usize = 32 << 20;

/// About how much memory a state takes, and a range of a class, in bytes.
const STATE: usize = 24;
const RANGE: usize = 72;

thread_local! {
    /// What is left for the load that this thread does; none if it does not load.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// A load on this thread, whose expressions are added up until it ends.
#[derive(Debug)]
pub struct Load(Option<usize>);

impl Load {
    /// Begins one.
    #[must_use]
    pub fn begin() -> Self {
        Load(LEFT.replace(Some(LOAD)))
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        LEFT.set(self.0);
    }
}

/// A regular expression that is only checked here, and compiled elsewhere.
#[cfg(not(feature = "regex"))]
pub type Regex = ();

/// Checks an expression, which is compiled elsewhere.
///
/// # Errors
///
/// As [`counted`].
#[cfg(not(feature = "regex"))]
pub fn compiled(text: &str) -> Result<Regex, String> {
    counted(text)
}

/// Compiles an expression.
///
/// # Errors
///
/// What is wrong with it, or that it takes too much memory, in one line.
#[cfg(feature = "regex")]
pub fn compiled(text: &str) -> Result<Regex, String> {
    counted(text)?;
    let mut builder = RegexBuilder::new(text);
    let built = builder.size_limit(2 * ONE).dfa_size_limit(2 * ONE).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => too_large(),
        error => last_line(&error.to_string()),
    })
}

/// Counts an expression, which may be compiled later.
///
/// # Errors
///
/// As [`compiled`].
pub fn counted(text: &str) -> Result<(), String> {
    let parsed = regex_syntax::parse(text);
    let size = size(&parsed.map_err(|error| last_line(&error.to_string()))?);
    if size > ONE {
        return Err(too_large());
    }
    match LEFT.get().map(|left| left.checked_sub(size)) {
        None => {}
        Some(Some(left)) => LEFT.set(Some(left)),
        Some(None) => {
            return Err(format!(
                "the regular expressions of these hooks take more than {} MiB together",
                LOAD >> 20
            ));
        }
    }
    Ok(())
}

fn too_large() -> String {
    format!(
        "the expression takes more than {} KiB of memory: repeat less, or write classes of ASCII, such as `[a-z]` for `\\pL`",
        ONE >> 10
    )
}

/// The lines above the last one show the whole expression.
fn last_line(said: &str) -> String {
    let last = said.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_owned()
}

/// About how much memory it takes, in bytes.
fn size(of: &Hir) -> usize {
    let all = |parts: &[Hir]| parts.iter().map(size).fold(0, usize::saturating_add);
    STATE.saturating_add(match of.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(text) => text.0.len() * STATE,
        HirKind::Class(Class::Unicode(class)) => class.ranges().len() * RANGE,
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() * STATE,
        HirKind::Repetition(repeated) => {
            let times = repeated.max.unwrap_or(repeated.min).max(1);
            size(&repeated.sub).saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
        }
        HirKind::Capture(group) => size(&group.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => all(parts),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_much_is_not_compiled_alone_or_together() {
        for text in [
            r"git push.*(-f|--force)",
            r"^\w+@\w+\.com$",
            "[0-9a-f]{40}",
            "(?i)drop table",
        ] {
            compiled(text).unwrap_or_else(|why| panic!("{text}: {why}"));
        }
        for text in [
            r"\pL{220}",
            r"((a{100}){100}){100}",
            r"(\w{3}){9}",
            "x{1000}{1000}",
        ] {
            let why = compiled(text).expect_err(text);
            assert!(why.contains("more than 256 KiB"), "{text}: {why}");
        }
        assert!(compiled("a(").unwrap_err().contains("unclosed group"));
        let load = Load::begin();
        let taken = (0..10_000).take_while(|n| compiled(&format!(r"z{n}\pL\pL")).is_ok());
        let taken = taken.count();
        assert!((100..1000).contains(&taken), "{taken}");
        assert!(compiled("a").unwrap().is_match("a"), "there is room for it");
        assert!(counted(r"\pL\pL").unwrap_err().contains("32 MiB together"));
        drop(load);
        assert!(counted(r"\pL\pL").is_ok());
    }

    #[test]
    fn the_estimate_is_about_what_a_compiled_one_takes() {
        for text in [
            r"\pL{5}",
            r"\w{3}",
            "[a-z]{500}",
            "(git|hg) push .* --force",
        ] {
            let size = size(&regex_syntax::parse(text).unwrap());
            let fits = |most: usize| RegexBuilder::new(text).size_limit(most).build().is_ok();
            assert!(fits(size * 2 + 4096) && !fits(size / 8), "{text}: {size}");
        }
    }
}
