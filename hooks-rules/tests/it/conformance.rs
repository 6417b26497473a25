//! The cases of CEL's specification, as far as the language is supported.
//!
//! `conformance.txt` has them: an expression and its value, or `!` if it has none. A line `let` sets the variables of the
//! lines after it.

use serde_json::{Value as Json, json};

use crate::common::{Fields, evaluated};

#[test]
fn expressions_have_the_values_that_the_specification_says() {
    let mut fields = Fields(json!({}));
    let mut wrong = Vec::new();
    for (nth, line) in include_str!("conformance.txt").lines().enumerate() {
        if let Some(variables) = line.strip_prefix("let ") {
            fields = Fields(serde_json::from_str::<Json>(variables).unwrap());
            continue;
        }
        let Some((expression, expected)) = line.rsplit_once("  =>  ") else {
            continue;
        };
        let is_right = if expected == "!" {
            evaluated(expression, &fields).is_err()
        } else if expected == "NAN" {
            evaluated(&format!("({expression}) != ({expression})"), &fields) == Ok(true.into())
        } else {
            let same = format!(
                "[dyn({expression}) == {expected}, type({expression}) == type({expected})]"
            );
            evaluated(&same, &fields) == Ok(json!([true, true]))
        };
        if !is_right {
            let value = evaluated(expression, &fields);
            wrong.push(format!(
                "{}: {expression} => {value:?}, not {expected}",
                nth + 1
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// `answers.txt` has random expressions, with the values that the crate `cel` 0.15 gave them before this evaluator took its
/// place.
#[test]
fn expressions_have_the_values_that_they_had() {
    let mut lines = include_str!("answers.txt").lines();
    let variables = lines.next().unwrap().strip_prefix("let ").unwrap();
    let fields = Fields(serde_json::from_str(variables).unwrap());
    for line in lines {
        let (expression, expected) = line.rsplit_once("  =>  ").unwrap();
        let value = evaluated(expression, &fields);
        match expected {
            "!" => assert!(value.is_err(), "{expression}: {value:?}"),
            _ => assert_eq!(
                value,
                Ok(serde_json::from_str(expected).unwrap()),
                "{expression}"
            ),
        }
    }
}
