//! What compiled rules cost, in allocations.

use allocation_counter::measure;
use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use serde_json::{Value, json};

/// The allocator counts by thread. At the first call, the tables of tools are read.
fn allocations(tool: &str, args: Value) -> (bool, u64) {
    let hooks = hooks![include!("figures.toml")];
    let cx = AgentContext::new("s");
    let mut call = BeforeToolCall::new("1", tool, args);
    let mut goes_on = true;
    let mut ask = || goes_on = hooks.intercept_now(&cx, &mut call).is_continue();
    ask();
    let count = measure(ask).count_total;
    (goes_on, count)
}

#[test]
fn a_rule_that_blocks_or_does_not_match_allocates_nothing() {
    let push = |command: &str| json!({ "command": command, "timeout": 5, "path": "a" });
    assert_eq!(allocations("shell", push("git push --force")), (false, 0));
    assert_eq!(allocations("shell", push("git status")), (true, 0));
    assert_eq!(allocations("search", push("git push --force")), (true, 0));
}

/// The control: what allocates is seen to.
#[test]
fn a_reason_with_an_argument_in_it_is_made() {
    let (goes_on, count) = allocations("deploy", json!({ "to": "production" }));
    assert!(!goes_on && (1..=4).contains(&count), "{count}");
}
