//! Globs, as `only("…")` and configurations have them.
//!
//! They are compared with another reading, which is as simple as can be. The first line of a text is the pattern, and the
//! others are names.

use std::collections::HashSet;

use hooks_builtin::Glob;

use crate::Features;

/// As long as a pattern and a name are looked at, in characters: each `{,}` doubles the choices.
const LONGEST: usize = 24;

/// Globs never panic, and both readings of one agree.
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

    let glob = match Glob::new(&pattern) {
        Ok(glob) => glob,
        Err(error) => {
            features.add_message("error", &error.to_string());
            return features;
        }
    };
    features.add_count("choices", glob.alternatives().len());
    for name in &names {
        let matched = glob.matches(name);
        assert_eq!(matched, is_match(&pattern, name), "{pattern:?} on {name:?}");
        features.add("matches", (matched, shape(&pattern)));
        let ignoring = glob.clone().ignoring_case();
        // `[!a]` is neither `a` nor `A`, then.
        let is_kept =
            !matched || ignoring.matches(name) || pattern.contains("[!") || pattern.contains("[^");
        assert!(is_kept, "{pattern:?} matches {name:?} only if case matters");
        if !pattern.contains('[') {
            let expected = is_match(&pattern.to_ascii_lowercase(), &name.to_ascii_lowercase());
            assert_eq!(
                ignoring.matches(name),
                expected,
                "{pattern:?} on {name:?}, in any case"
            );
        }
    }
    features
}

/// The first marks of a pattern, without its text.
fn shape(pattern: &str) -> String {
    pattern
        .chars()
        .filter(|c| "*?[]{}!^-,\\".contains(*c))
        .take(3)
        .collect()
}

/// The simple reading: every rest of the name that each part of the pattern may leave.
///
/// The pattern is well-formed.
fn is_match(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (rests, end) = after(&pattern, 0, false, &name, HashSet::from([0]));
    assert_eq!(end, pattern.len(), "the pattern is read to its end");
    rests.contains(&name.len())
}

/// Where in the name one may be behind the pattern from `at` on, up to its end or, within `{…}`, to a `,` or `}`; and
/// where that is.
fn after(
    pattern: &[char],
    mut at: usize,
    is_within: bool,
    name: &[char],
    mut places: HashSet<usize>,
) -> (HashSet<usize>, usize) {
    let one = |places: &HashSet<usize>, is: &dyn Fn(char) -> bool| {
        let fits = places
            .iter()
            .filter(|&&place| name.get(place).is_some_and(|c| is(*c)));
        fits.map(|place| place + 1).collect::<HashSet<_>>()
    };
    while at < pattern.len() {
        match pattern[at] {
            '*' => {
                let stars = pattern[at..].iter().take_while(|c| **c == '*').count();
                let is_folders = stars > 1
                    && (at == 0 || pattern[at - 1] == '/')
                    && pattern.get(at + stars) == Some(&'/');
                let none = places.clone();
                places = places
                    .iter()
                    .flat_map(|&place| place..=name.len())
                    .collect();
                at += stars - 1;
                if is_folders {
                    places = one(&places, &|c| c == '/');
                    places.extend(none);
                    at += 1;
                }
            }
            '?' => places = one(&places, &|_| true),
            '[' => {
                let close = close_of(pattern, at);
                let class = &pattern[at + 1..close];
                places = one(&places, &|c| is_in(class, c));
                at = close;
            }
            '{' => {
                let from = places.clone();
                places.clear();
                loop {
                    let (more, end) = after(pattern, at + 1, true, name, from.clone());
                    places.extend(more);
                    at = end;
                    if pattern[at] == '}' {
                        break;
                    }
                }
            }
            ',' | '}' if is_within => return (places, at),
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

/// The `]` of a `[`. One that comes first is a character.
fn close_of(pattern: &[char], open: usize) -> usize {
    let mut at = open + 1;
    at += usize::from(matches!(pattern[at], '!' | '^'));
    at += usize::from(pattern[at] == ']');
    while pattern[at] != ']' {
        at += if pattern[at] == '\\' { 2 } else { 1 };
    }
    at
}

/// Whether a character is of a class, `!a-z_` say.
fn is_in(class: &[char], c: char) -> bool {
    let (negated, mut class) = match class {
        ['!' | '^', class @ ..] => (true, class),
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
