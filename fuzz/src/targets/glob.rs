//! Globs: those of `only("…")`, which the macro reads and the core matches, and those of configurations.
//!
//! Both are compared with a third reading, which is as simple as can be. The first line of a text is the pattern, and the
//! others are names.

use std::collections::HashSet;

use hooks_builtin::{Glob, Globs};
use hooks_core::__private::{Token, matches};

use crate::Features;

/// The parser of the macro, whose crate exports macros only.
#[path = "../../../hooks-macros/src/glob.rs"]
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the macro writes code, which is not fuzzed")
)]
mod of_macro;

use of_macro::Part;

/// As long as a pattern and a name are looked at, in characters: each `{,}` doubles the choices.
const LONGEST: usize = 24;

/// Globs never panic, and all readings of one agree.
///
/// # Panics
///
/// If they do not.
pub fn glob(data: &[u8]) -> Features {
    let mut features = Features::default();
    let text = String::from_utf8_lossy(data);
    let mut lines = text
        .split('\n')
        .map(|line| line.chars().take(LONGEST).collect::<String>());
    let pattern = lines.next().unwrap_or_default();
    let names: Vec<String> = lines
        .take(8)
        .chain([pattern.clone(), String::new()])
        .collect();

    let of_macro = of_macro::Glob::parse(&pattern);
    let of_config = Glob::new(&pattern);
    let choices = of_macro.as_ref().map_or(0, Vec::len);
    features.add_count("choices", choices);
    for (who, error) in [
        ("macro", of_macro.as_ref().err().cloned()),
        ("config", of_config.as_ref().err().map(ToString::to_string)),
    ] {
        features.add_message(who, error.as_deref().unwrap_or_default());
    }
    for name in &names {
        // What the macro takes has one meaning.
        let expected = of_macro.as_ref().ok().map(|_| is_match(&pattern, name));
        if let (Ok(globs), Some(expected)) = (&of_macro, expected) {
            let matched = globs.iter().any(|glob| is_matched(&glob.0, name));
            assert_eq!(matched, expected, "only({pattern:?}) on {name:?}");
            features.add("macro matches", (matched, shape(&pattern)));
        }
        if let Ok(glob) = &of_config {
            let matched = glob.matches(name);
            features.add("config matches", (matched, shape(&pattern)));
            // Of a name, `?` and `[…]` take one character that is ASCII.
            let is_in_both = name.is_ascii() || !pattern.contains(['?', '[']);
            if let Some(expected) = expected.filter(|_| is_in_both) {
                assert_eq!(matched, expected, "Glob {pattern:?} on {name:?}");
            }
            let ignoring = Globs::from_iter([glob.clone()]).ignoring_case();
            // `[!a]` is neither `a` nor `A`, then.
            let is_kept = !matched
                || ignoring.matches(name)
                || pattern.contains("[!")
                || pattern.contains("[^");
            assert!(is_kept, "{pattern:?} matches {name:?} only if case matters");
            if expected.is_some() && !pattern.contains('[') && pattern.is_ascii() && name.is_ascii()
            {
                let expected = is_match(&pattern.to_ascii_lowercase(), &name.to_ascii_lowercase());
                assert_eq!(
                    ignoring.matches(name),
                    expected,
                    "{pattern:?} on {name:?}, in any case"
                );
            }
        }
    }
    features
}

/// What the core says of the parts.
fn is_matched(parts: &[Part], name: &str) -> bool {
    let tokens: Vec<Token<'_>> = parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => Token::Text(text),
            Part::AnyChar => Token::AnyChar,
            Part::AnyText => Token::AnyText,
            Part::Class {
                negated: true,
                ranges,
            } => Token::NoneOf(ranges),
            Part::Class {
                negated: false,
                ranges,
            } => Token::OneOf(ranges),
        })
        .collect();
    matches(&tokens, name)
}

/// The first marks of a pattern, without its text.
fn shape(pattern: &str) -> String {
    pattern
        .chars()
        .filter(|c| "*?[]{}!-,\\".contains(*c))
        .take(3)
        .collect()
}

/// The simple reading: every rest of the name that each part of the pattern may leave.
///
/// The pattern is well-formed.
fn is_match(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (rests, end) = after(&pattern, 0, &name, HashSet::from([0]));
    assert_eq!(end, pattern.len(), "the pattern is read to its end");
    rests.contains(&name.len())
}

/// Where in the name one may be behind the pattern from `at` on, up to its end or to a `,` or `}`; and where that is.
fn after(
    pattern: &[char],
    mut at: usize,
    name: &[char],
    mut places: HashSet<usize>,
) -> (HashSet<usize>, usize) {
    let one = |places: &HashSet<usize>, is: &dyn Fn(char) -> bool| {
        let fits = places
            .iter()
            .filter(|&&place| name.get(place).is_some_and(|c| is(*c)));
        fits.map(|place| place + 1).collect::<HashSet<_>>()
    };
    let mut depth = 0;
    while at < pattern.len() {
        match pattern[at] {
            '*' => {
                places = places
                    .iter()
                    .flat_map(|&place| place..=name.len())
                    .collect();
            }
            '?' => places = one(&places, &|_| true),
            '[' => {
                let close = close_of(pattern, at);
                let class = &pattern[at + 1..close];
                places = one(&places, &|c| is_in(class, c));
                at = close;
            }
            '{' => {
                depth += 1;
                let from = places.clone();
                places.clear();
                loop {
                    let (more, end) = after(pattern, at + 1, name, from.clone());
                    places.extend(more);
                    at = end;
                    if pattern[at] == '}' {
                        break;
                    }
                }
                depth -= 1;
            }
            ',' | '}' if depth == 0 && is_within(pattern, at) => return (places, at),
            '\\' => {
                at += 1;
                places = one(&places, &|c| c == pattern[at]);
            }
            text => places = one(&places, &|c| c == text),
        }
        at += 1;
    }
    (places, at)
}

/// Whether a place of the pattern is within `{…}`.
fn is_within(pattern: &[char], place: usize) -> bool {
    let (mut is_open, mut at) = (false, 0);
    while at < place {
        match pattern[at] {
            '\\' => at += 1,
            '[' => at = close_of(pattern, at),
            '{' => is_open = true,
            '}' => is_open = false,
            _ => {}
        }
        at += 1;
    }
    is_open
}

/// The `]` of a `[`.
fn close_of(pattern: &[char], open: usize) -> usize {
    let mut at = open + 1;
    while pattern[at] != ']' {
        at += if pattern[at] == '\\' { 2 } else { 1 };
    }
    at
}

/// Whether a character is of a class, `!a-z_` say.
fn is_in(class: &[char], c: char) -> bool {
    let (negated, mut class) = match class {
        ['!', class @ ..] => (true, class),
        class => (false, class),
    };
    let mut found = false;
    while !class.is_empty() {
        let (first, rest) = literal(class);
        match rest {
            ['-', rest @ ..] if !rest.is_empty() => {
                let (last, rest) = literal(rest);
                found |= (first..=last).contains(&c);
                class = rest;
            }
            rest => {
                found |= c == first;
                class = rest;
            }
        }
    }
    found != negated
}

/// The character that a class begins with, and the rest.
fn literal(class: &[char]) -> (char, &[char]) {
    match class {
        ['\\', c, rest @ ..] | [c, rest @ ..] => (*c, rest),
        [] => unreachable!("the class is not empty"),
    }
}
