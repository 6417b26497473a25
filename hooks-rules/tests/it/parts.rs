//! The parts of conditions: what they are for an event, and which of them decide.

use serde_json::json;

use crate::common::{Fields, compiled};

/// The parts that decide, as people read them.
fn because(condition: &str) -> Vec<String> {
    let fields = Fields(json!({ "name": "ls", "args": { "command": "ls -l", "n": 3 } }));
    let cel = compiled(condition, &fields).unwrap();
    let parts = cel.parts(&fields);
    assert_eq!(parts[0].value.is_ok(), cel.is_true(&fields).is_ok());
    if let Ok(value) = parts[0].value {
        assert_eq!(cel.is_true(&fields), Ok(value), "{condition}");
    }
    let places: Vec<_> = parts.iter().map(|part| part.at.clone()).collect();
    assert_eq!(cel.places(), places);
    let decides = parts.iter().filter(|part| part.decides);
    decides.map(ToString::to_string).collect()
}

#[test]
fn a_false_condition_names_the_parts_that_are_false() {
    for (condition, expected) in [
        (
            "args.command.startsWith('rm')",
            &["`args.command.startsWith('rm')` → `'ls -l'` → false"][..],
        ),
        (
            "name == 'ls' && args.n > 5 && true",
            &["`args.n > 5` → `3` → false"],
        ),
        (
            "name == 'rm' || (args.n == 3 && !has(args.command))",
            &[
                "`name == 'rm'` → `'ls'` → false",
                "`has(args.command)` → `{\"command\":\"ls -l\",\"n\":3}` → true",
            ],
        ),
        ("!(name == 'ls')", &["`(name == 'ls')` → `'ls'` → true"]),
        (
            "name == 'x' && args.none == 1",
            &["`name == 'x'` → `'ls'` → false"],
        ),
        (
            "name == 'ls' && args.none",
            &["`args.none` → the key `none` does not exist"],
        ),
        (
            "name == args.command ? true : false",
            &["`name == args.command ? true : false` → `'ls'`, `'ls -l'` → false"],
        ),
    ] {
        assert_eq!(because(condition), expected, "{condition}");
    }
}

#[test]
fn a_true_condition_names_the_parts_that_are_true() {
    assert_eq!(
        because("name == 'rm' || args.n == 3"),
        ["`args.n == 3` → `3` → true"]
    );
    assert_eq!(because("[1, 2].exists(x, x == args.n - 1)").len(), 1);
}

#[test]
fn a_part_after_the_one_that_decides_is_not_reached() {
    let fields = Fields(json!({ "a": false, "b": true, "c": true }));
    let cel = compiled("a && (b || c)", &fields).unwrap();
    let parts = cel.parts(&fields);
    let reached: Vec<_> = parts
        .iter()
        .map(|part| (part.text, part.is_reached))
        .collect();
    let expected = [
        ("a && (b || c)", true),
        ("a", true),
        ("(b || c)", false),
        ("b", false),
        ("c", false),
    ];
    assert_eq!(reached, expected);
}

#[test]
fn a_long_value_is_cut() {
    let fields = Fields(json!({ "text": "x".repeat(10_000) }));
    let parts = compiled("text == ''", &fields).unwrap();
    let parts = parts.parts(&fields);
    assert_eq!(parts[0].read[0].chars().count(), 81);
}
