//! A hook that panics in a driver.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hooks_core::agent::*;
use hooks_core::{Cancel, OnPanic, hook, hooks};

use super::fixtures::*;

#[hook]
fn before(call: &mut BeforeToolCall) {
    call.name.clear();
    panic!("out of luck");
}

#[hook]
fn after(call: &mut AfterToolCall) {
    call.output.content.clear();
    panic!("out of luck");
}

#[hook]
async fn ended(_: &ToolCallEnd<'_>) {
    yield_once().await;
    panic!("out of luck");
}

fn run(hooks: &impl AgentHooks) -> Result<ToolCallResult, Cancel> {
    now(run_tool_call(hooks, &cx(), call(), async |_| {
        ToolOutput::new("tool")
    }))
}

#[test]
fn a_panic_propagates_through_the_driver_and_raises_nothing_more() {
    let recorder = Recorder::default();
    let hooks = hooks![&recorder, before];
    assert!(catch_unwind(AssertUnwindSafe(|| run(&hooks))).is_err());
    assert_eq!(recorder.names(), ["BeforeToolCall"]);

    let recorder = Recorder::default();
    let hooks = hooks![&recorder, after];
    assert!(catch_unwind(AssertUnwindSafe(|| run(&hooks))).is_err());
    assert_eq!(recorder.names().last().unwrap(), "AfterToolCall");
}

#[test]
fn a_panic_that_is_skipped_leaves_the_call_as_it_was() {
    let recorder = Recorder::default();
    let hooks = hooks![
        &recorder,
        before.on_panic(OnPanic::Skip),
        after.on_panic(OnPanic::Skip),
        ended.on_panic(OnPanic::Skip),
    ];
    let done = run(&hooks).unwrap();
    assert_eq!(
        (done.name.as_str(), done.output.content.as_str()),
        ("shell", "tool")
    );
    assert_eq!(recorder.names().last().unwrap(), "ToolCallEnd");
}

#[test]
fn a_panic_that_blocks_skips_the_call() {
    let recorder = Recorder::default();
    let hooks = hooks![&recorder, before.on_panic(OnPanic::Block)];
    let done = run(&hooks).unwrap();
    assert_eq!(
        (done.outcome, done.name.as_str()),
        (ToolOutcome::Skipped, "shell")
    );
    assert!(
        done.output.content.contains("out of luck"),
        "{}",
        done.output.content
    );
    assert_eq!(recorder.names(), ["BeforeToolCall", "ToolCallSkipped"]);
}
