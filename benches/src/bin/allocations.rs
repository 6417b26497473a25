//! How often a dispatch allocates: a line for each case and way, and one for all static ones together.
//!
//! It is a program of its own because a counting allocator slows what it counts. `report` runs it.

use allocation_counter::measure;
use benches::builtin::{AllOn, Call, Receiver};
use benches::driver::Runner;
use benches::{Way, cases, poll_now};
use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::Runtime;
use serde_json::json;

fn main() {
    let mut by_static = 0;
    for case in &mut cases() {
        for contestant in &mut case.contestants {
            let allocations = measure(|| contestant.run(1)).count_total;
            println!(
                "allocations {} {} {allocations}",
                case.name,
                contestant.way.name()
            );
            if !matches!(contestant.way, Way::Hand | Way::Dyn | Way::Boxed) {
                by_static += allocations;
            }
        }
    }
    println!("allocations static {by_static}");
    builtin();
    driver();
    if let Err(error) = runtime() {
        eprintln!("allocations: a runtime is not measured: {error}");
    }
}

/// A dispatch with a runtime that has nothing to say about it.
fn runtime() -> Result<(), Box<dyn std::error::Error>> {
    let tokio = tokio::runtime::Builder::new_current_thread().build()?;
    let entry = |nth: u32| {
        format!(
            "[[hooks.on]]\nevent = 'BeforeToolCall'\ntools = 'mcp__server{nth}__*'\nblock = 'no'\n"
        )
    };
    let globs: String = (0..100).map(entry).collect();
    for (name, text) in [
        ("empty", "[hooks.builtin]".to_owned()),
        ("100 globs", globs),
    ] {
        let runtime = tokio.block_on(Runtime::builder().text(text).build())?;
        let hooks = hooks![..runtime];
        let cx = AgentContext::new("session-1");
        let mut call = BeforeToolCall::new("call-1", "search", json!({ "query": "x" }));
        // At its first call, a tool's name is remembered with the definitions that want it.
        assert!(poll_now(hooks.intercept(&cx, &mut call)).is_continue());
        let allocations = measure(|| {
            assert!(poll_now(hooks.intercept(&cx, &mut call)).is_continue());
        });
        println!("allocations runtime {name} {}", allocations.count_total);
    }
    Ok(())
}

/// A tool call through the driver, beside the tool alone. It is polled by hand: no runtime allocates.
fn driver() {
    let [tool, alone, _, eight] = Runner::ALL.map(|runner| {
        let mut right = 0;
        let allocations = measure(|| right = runner.run(100)).count_total;
        assert_eq!(right, 100, "{}", runner.name());
        allocations
    });
    println!("allocations run_tool_call alone {}", alone - tool);
    println!("allocations run_tool_call eight hooks {}", eight - tool);
}

/// A call through all built-in hooks, which have seen some: the least of several, because a queue grows now and then. The
/// threads that write and post allocate as well, and are not counted: a call does not wait for them.
fn builtin() {
    for (name, on) in [
        ("builtin call", AllOn::new(Receiver::Answers)),
        ("builtin call without logs", AllOn::without_logs()),
    ] {
        match on {
            Ok(on) => {
                let (hooks, mut call) = (on.pipeline(), Call::default());
                let counts = (0..200).map(|_| measure(|| assert!(call.raise(&hooks))).count_total);
                println!("allocations {name} {}", counts.min().unwrap_or_default());
            }
            Err(error) => eprintln!("allocations: the built-in hooks are not measured: {error}"),
        }
    }
}
