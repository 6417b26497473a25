//! The names of arguments.

use hooks_rules::tools::{ambiguous, meanings};
use serde_json::json;

#[test]
fn two_arguments_of_one_meaning_that_differ_are_found() {
    assert!(meanings().len() <= 64, "a bit for each");
    for meaning in meanings() {
        for (nth, one) in meaning.iter().enumerate() {
            for other in &meaning[nth + 1..] {
                let differ = json!({ *one: "a", *other: "b", "unrelated": 1 });
                assert!(ambiguous(&differ).is_some(), "{one}, {other}");
                assert_eq!(
                    ambiguous(&json!({ *one: "a", *other: "a" })),
                    None,
                    "{one}, {other}"
                );
            }
            assert_eq!(
                ambiguous(&json!({ *one: "a", "unrelated": "b" })),
                None,
                "{one}"
            );
        }
    }
}
