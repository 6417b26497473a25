//! A static dispatch that goes on allocates nothing, nor does a tool call through all the built-in hooks.
//!
//! The allocator counts by thread, so other tests do not disturb it.

use allocation_counter::measure;
use benches::builtin::{AllOn, Call, Receiver};
use benches::{Contestant, Way, cases};

/// How often one dispatch allocates, by case and way.
fn allocations(of: impl Fn(&Contestant) -> bool) -> Vec<(&'static str, Way, u64)> {
    let mut counts = Vec::new();
    for case in &mut cases() {
        for contestant in case
            .contestants
            .iter_mut()
            .filter(|contestant| of(contestant))
        {
            let count = measure(|| contestant.run(1)).count_total;
            counts.push((case.name, contestant.way, count));
        }
    }
    counts
}

#[test]
fn a_static_dispatch_allocates_nothing() {
    let counts =
        allocations(|contestant| !matches!(contestant.way, Way::Hand | Way::Dyn | Way::Boxed));
    for (case, way, count) in &counts {
        assert_eq!(*count, 0, "{case} {way:?}");
    }
    for case in ["sync_8", "async_ready_8", "async_pending_8", "observe_8"] {
        assert!(
            counts.iter().any(|(name, ..)| *name == case),
            "{case} was counted"
        );
    }
}

/// The control: what allocates is seen to.
///
/// The registry boxes what runs of its own, and once the hooks whose place it is. A boxed handler boxes its future,
/// the wrappers of the registry make one of it in turn, and a panic must find the event as it was before.
#[test]
fn a_dyn_dispatch_allocates_for_each_handler_that_wants_the_event() {
    for (case, _, count) in allocations(|contestant| contestant.way == Way::Dyn) {
        let handlers = match case {
            "one_of_eight_handles" => 1,
            name => name.rsplit('_').next().unwrap().parse().unwrap(),
        };
        assert_eq!(count, 2 + 3 * handlers, "{case}");
    }
}

/// With the logs and without. At first, memory is made that later calls reuse, and a queue grows now and then: so the least
/// of several calls counts.
#[test]
fn a_call_through_all_built_in_hooks_allocates_nothing() {
    for on in [AllOn::new(Receiver::Answers), AllOn::without_logs()] {
        let (hooks, mut call) = (on.unwrap().pipeline(), Call::default());
        let counts = (0..200).map(|_| measure(|| assert!(call.raise(&hooks))).count_total);
        assert_eq!(counts.min(), Some(0));
    }
}
