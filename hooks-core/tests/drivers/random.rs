//! Random hooks in a turn: whatever they say, the contract holds.

use std::cell::Cell;
use std::collections::BTreeMap;

use hooks_core::agent::*;
use hooks_core::{Scope, hooks};
use proptest::prelude::*;
use regex::Regex;
use serde_json::json;

use super::fixtures::*;
use super::turn::{assert_is_whole, conversation};

/// Each event that a turn raises, as a letter, so that its order can be told as a regular expression.
pub(crate) const LETTERS: [(&str, char); 18] = [
    ("AgentStart", 's'),
    ("BeforeModelResolve", 'r'),
    ("BeforePromptBuild", 'p'),
    ("BeforeLlmCall", 'b'),
    ("LlmInput", 'i'),
    ("LlmFailed", 'f'),
    ("LlmOutput", 'o'),
    ("AfterLlmCall", 'a'),
    ("InvalidToolCall", 'v'),
    ("BeforeToolCall", 't'),
    ("ApproveToolCall", 'g'),
    ("ToolCallStart", 'c'),
    ("AfterToolCall", 'm'),
    ("ToolCallEnd", 'e'),
    ("ToolCallSkipped", 'x'),
    ("BeforeStop", 'z'),
    ("AgentError", 'q'),
    ("AgentEnd", 'w'),
];

/// The order of a turn. It may end early, but always with `AgentEnd`.
fn order() -> Regex {
    let model = "ba?(?:if|ioa)*";
    let call = "(?:v?t(?:g?x|gcme|me)|v(?:x|me)|x)";
    Regex::new(&format!("^s(?:rp?)?(?:{model}(?:{call})*z?)*q?w$")).unwrap()
}

fn events() -> impl Strategy<Value = &'static str> {
    let names: Vec<_> = LETTERS.iter().map(|(name, _)| *name).collect();
    prop::sample::select(names)
}

pub(crate) fn says() -> impl Strategy<Value = Option<(&'static str, Say, usize)>> {
    let say = prop_oneof![
        4 => Just(Say::Modify),
        4 => Just(Say::Answer),
        2 => Just(Say::Ask),
        1 => Just(Say::Grant),
        2 => Just(Say::Context),
        3 => Just(Say::Block),
        1 => Just(Say::AbortTurn),
        1 => Just(Say::AbortRun),
    ];
    prop::option::of((events(), say, 1..4_usize))
}

/// What the model does when it is asked: it fails, or calls these tools, or has nothing more to do.
pub(crate) fn answers() -> impl Strategy<Value = Vec<Option<Vec<&'static str>>>> {
    let tool = prop_oneof![3 => Just("shell"), 1 => Just("fly")];
    let answer = prop_oneof![
        1 => Just(None),
        3 => prop::collection::vec(tool, 0..4).prop_map(Some),
    ];
    prop::collection::vec(answer, 0..5)
}

pub(crate) fn answered(
    at: usize,
    answer: Option<&Option<Vec<&str>>>,
) -> Result<LlmResponse, &'static str> {
    match answer {
        None => Ok(LlmResponse::new("Done.")),
        Some(None) => Err("busy"),
        Some(Some(tools)) => Ok(LlmResponse {
            content: "So.".into(),
            tool_calls: (0..)
                .zip(tools)
                .map(|(number, tool)| ToolCall::new(format!("{at}.{number}"), *tool, json!({})))
                .collect(),
            ..LlmResponse::default()
        }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_turn_keeps_the_contract_whatever_its_hooks_say(
        says in prop::collection::vec(says(), 5),
        script in answers(),
    ) {
        let says: Vec<_> = says
            .into_iter()
            .map(|one| one.map(|(on, say, times)| Says::new(on, say).times(times)))
            .collect();
        let [a, b, c, d, e] = &says[..] else { unreachable!("there are five") };
        let recorder = Recorder::default();
        let hooks = hooks![&recorder, a, b, c, d, e, waits];
        let mut conversation = conversation();
        let asked = Cell::new(0);
        let done = now(run_turn(
            &hooks,
            &cx(),
            &mut conversation,
            "Go.",
            async |request: &BeforeLlmCall, _: Deltas<'_>| {
                assert_is_whole(&request.messages);
                let answer = answered(asked.get(), script.get(asked.get()));
                asked.set(asked.get() + 1);
                yield_once().await;
                answer
            },
            async |_: &BeforeToolCall| ToolOutput::new("tool"),
        ));

        // The order of the events.
        let names = recorder.names();
        let letter = |name: &String| {
            let known = LETTERS.iter().find(|(known, _)| known == name);
            known.expect("it is one of a turn's").1
        };
        let letters: String = names.iter().map(letter).collect();
        prop_assert!(order().is_match(&letters), "{letters}: {names:?}");

        // How each call ended: once, and with it all calls of the same answer.
        let mut ends = BTreeMap::new();
        let mut begun = Vec::new();
        for name in ["InvalidToolCall", "BeforeToolCall", "ToolCallEnd", "ToolCallSkipped"] {
            for event in recorder.all(name) {
                let id = event["id"].as_str().unwrap().to_owned();
                match name {
                    "ToolCallEnd" | "ToolCallSkipped" => *ends.entry(id).or_insert(0) += 1,
                    _ => begun.push(id),
                }
            }
        }
        prop_assert!(ends.values().all(|count| *count == 1), "{ends:?}");
        for id in begun {
            let at: usize = id.split_once('.').unwrap().0.parse().unwrap();
            let calls = script[at].as_ref().map_or(0, Vec::len);
            for number in 0..calls {
                let id = format!("{at}.{number}");
                prop_assert!(ends.contains_key(&id), "{id} has no end: {names:?}");
            }
        }

        // What came of it.
        let has_aborted = says.iter().flatten().any(Says::has_aborted);
        match &done {
            Err(RunError::Cancelled(cancel)) => {
                prop_assert_eq!(cancel.scope > Scope::Event, has_aborted);
            }
            Ok(_) | Err(RunError::Failed(_)) => prop_assert!(!has_aborted, "{done:?}"),
        }
        let failed = matches!(done, Err(RunError::Failed(_)));
        prop_assert_eq!(recorder.count("AgentError"), usize::from(failed));
        assert_is_whole(&conversation.request.messages);
    }
}
