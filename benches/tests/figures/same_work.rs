//! All ways do the same work, without which their times could not be compared.

use benches::event::{BenchHooksNow, REASON, ToolCall};
use benches::{Way, boxed, cases, dynamic, hand, poll_now, statics};

#[test]
fn every_way_lets_a_call_pass_and_leaves_the_same_payload() {
    for mut case in cases() {
        let by_hand = case.contestants[0].once(case.tool);
        assert!(by_hand.goes_on, "{}", case.name);
        for contestant in &mut case.contestants {
            let outcome = contestant.once(case.tool);
            assert_eq!(outcome, by_hand, "{} {contestant:?}", case.name);
        }
    }
}

#[test]
fn as_many_hooks_run_as_the_name_of_the_case_says() {
    for mut case in cases() {
        let hooks = match case.name {
            "one_of_eight_handles" => 1,
            name => name.rsplit('_').next().unwrap().parse().unwrap(),
        };
        for contestant in &mut case.contestants {
            let outcome = contestant.once(case.tool);
            let notes = outcome.noted.iter().filter(|note| **note != 0).count();
            let ran = outcome.call.map_or(notes as u64, |call| call.passed);
            assert_eq!(ran, hooks, "{} {contestant:?}", case.name);
        }
    }
}

/// `browser` is the fourth of eight, and the one of eight; `tool_00` is the first of those that scale.
#[test]
fn every_way_is_stopped_by_the_same_hook_and_leaves_the_same_payload() {
    for mut case in cases() {
        let (tool, passed) = match case.name {
            "one_of_eight_handles" => ("browser", 0),
            name if name.starts_with("scaling") => ("tool_00", 0),
            _ => ("browser", 3),
        };
        let by_hand = case.contestants[0].once(tool);
        if let Some(call) = &by_hand.call {
            assert!(!by_hand.goes_on, "{}", case.name);
            assert_eq!(call.passed, passed, "{}", case.name);
        } else {
            // None can stop another, and one takes no note.
            assert_eq!(by_hand.noted, [42, 42, 42, 42, 0, 42, 42, 42]);
        }
        for contestant in &mut case.contestants {
            let outcome = contestant.once(tool);
            assert_eq!(outcome, by_hand, "{} {contestant:?}", case.name);
        }
    }
}

#[test]
fn a_case_has_the_four_ways() {
    for case in cases() {
        for way in [Way::Hand, Way::Static, Way::Dyn, Way::Boxed] {
            let ways = case.contestants.iter().map(|contestant| contestant.way);
            assert_eq!(
                ways.filter(|other| *other == way).count(),
                1,
                "{} {way:?}",
                case.name
            );
        }
    }
}

#[test]
fn every_way_gives_the_same_reason() {
    let call = || ToolCall::new("python");
    assert_eq!(hand::sync_8(&mut call()), Some(REASON));

    let by_static = statics::sync_8().intercept_now(&(), &mut call());
    assert_eq!(by_static.as_cancel().unwrap().reason, REASON);

    let by_dyn = poll_now(dynamic::sync_8().intercept(&(), &mut call()));
    assert_eq!(by_dyn, by_static, "also the name of the hook is the same");

    let by_boxed = poll_now(boxed::sync_8().run_before_tool_call(&mut call()));
    assert_eq!(by_boxed.as_deref(), Some(REASON));
}
