//! What hooks from a file cost: a line a figure. `report` runs it.
//!
//! `cargo run --release -p benches --bin runtime -- reload http` measures only these parts.

mod handlers;
mod whole;

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use benches::poll_now;
use benches::turns::{median, rounds};
use hooks_core::agent::{AgentContext, AgentHooks, BeforeToolCall};
use hooks_core::{HookAction, HookResult, hook, hooks};
use hooks_runtime::Runtime;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let parts: Vec<_> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with("--"))
        .collect();
    let rounds = rounds(5, 41);
    let is_wanted = |part: &str| parts.is_empty() || parts.iter().any(|one| one == part);
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    tokio.block_on(async {
        if is_wanted("empty") {
            empty(rounds).await?;
        }
        if is_wanted("filters") {
            none_matches(rounds).await?;
        }
        if is_wanted("rules") {
            one_blocks(rounds).await?;
        }
        if is_wanted("reload") {
            reload(rounds.min(11)).await?;
        }
        if is_wanted("command") {
            handlers::command(rounds).await?;
        }
        if is_wanted("process") {
            handlers::process(rounds).await?;
        }
        if is_wanted("http") {
            handlers::http(rounds).await?;
        }
        Ok::<_, Box<dyn Error>>(())
    })?;
    if is_wanted("whole") {
        whole::run(rounds)?;
    }
    Ok(())
}

/// How long one dispatch takes, in nanoseconds.
fn dispatch(hooks: &impl AgentHooks, call: &mut BeforeToolCall, goes_on: bool, times: u32) -> f64 {
    let cx = AgentContext::new("session-1").with_agent_id("coder");
    let start = Instant::now();
    for _ in 0..times {
        let result = poll_now(hooks.intercept(black_box(&cx), black_box(&mut *call)));
        assert_eq!(result.is_continue(), goes_on);
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(times)
}

fn call() -> BeforeToolCall {
    BeforeToolCall::new(
        "call-1",
        "search",
        json!({ "query": "where is the parser", "limit": 10 }),
    )
}

/// The static hooks of a pipeline.
#[hook]
fn no_shell(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    if call.name == "shell" {
        return HookAction::block("no shell here");
    }
    HookAction::Continue
}

/// A runtime without definitions, over the static hooks alone.
async fn empty(rounds: usize) -> Result<(), Box<dyn Error>> {
    const ASKS: u32 = 100_000;
    let runtime = Runtime::builder().build().await?;
    let (with, without) = (hooks![no_shell, ..runtime], hooks![no_shell]);
    let (mut times_with, mut times_without) = (Vec::new(), Vec::new());
    let mut call = call();
    for _ in 0..rounds {
        times_with.push(dispatch(&with, &mut call, true, ASKS));
        times_without.push(dispatch(&without, &mut call, true, ASKS));
    }
    let over = median(times_with) - median(times_without);
    println!("runtime empty ns {}", over.max(0.0));
    Ok(())
}

/// A hundred definitions, none of which is for this tool.
async fn none_matches(rounds: usize) -> Result<(), Box<dyn Error>> {
    let filters: [(&str, &dyn Fn(usize) -> String); 2] = [
        ("globs", &|nth| {
            format!("tools = ['mcp__server{nth}__*', 'tool_{nth}']")
        }),
        ("CEL", &|nth| {
            format!("if = 'args.query == \"number {nth}\"'")
        }),
    ];
    for (name, filter) in filters {
        let entry = |nth| {
            format!(
                "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\n{}\n",
                filter(nth)
            )
        };
        let text: String = (0..100).map(entry).collect();
        let runtime = Runtime::builder().text(text).build().await?;
        let hooks = hooks![no_shell, ..runtime];
        let mut call = call();
        let times = (0..rounds)
            .map(|_| dispatch(&hooks, &mut call, true, 1_000))
            .collect();
        println!("runtime 100 {name} ns {}", median(times));
    }
    Ok(())
}

/// One rule that blocks.
async fn one_blocks(rounds: usize) -> Result<(), Box<dyn Error>> {
    for (name, filter) in [
        ("glob", "tools = 'sear*'"),
        ("CEL", "if = 'args.limit > 5'"),
    ] {
        let text = format!(
            "[[hooks.on]]\nname = 'no'\nevent = 'BeforeToolCall'\nblock = 'not this'\n{filter}"
        );
        let runtime = Runtime::builder().text(text).build().await?;
        let hooks = hooks![no_shell, ..runtime];
        let mut call = call();
        let times = (0..rounds)
            .map(|_| dispatch(&hooks, &mut call, false, 10_000))
            .collect();
        println!("runtime block {name} ns {}", median(times));
    }
    Ok(())
}

/// A thousand definitions, loaded again; and when a dispatch sees them.
async fn reload(rounds: usize) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("hooks.toml");
    let write = |revision: usize| {
        let entry = |nth: usize| {
            let filter = if nth.is_multiple_of(10) {
                "if = 'args.query == \"x\"'"
            } else {
                "tools = ['tool_*']"
            };
            format!(
                "[[hooks.on]]\nname = 'hook {nth}'\nevent = 'BeforeToolCall'\npriority = {nth}\nblock = 'no'\n{filter}\n"
            )
        };
        let entries: String = (0..999).map(entry).collect();
        let last = "[[hooks.on]]\nname = \'last\'\nevent = \'BeforeToolCall\'\nrespond =";
        let text = format!("{entries}{last} \'{revision}\'\n");
        std::fs::write(&path, text)
    };
    write(0)?;
    let runtime = Runtime::load(&path).await?;
    let hooks = hooks![..runtime.clone()];
    let cx = AgentContext::new("session-1");
    let (mut reloads, mut seen) = (Vec::new(), Vec::new());
    for revision in 1..=rounds {
        write(revision)?;
        let start = Instant::now();
        runtime.reload().await?;
        reloads.push(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        let mut call = call();
        let result = hooks.intercept(&cx, &mut call).await;
        let HookResult::Respond(output) = result else {
            return Err("the revision was not asked".into());
        };
        assert_eq!(output.content, revision.to_string());
        seen.push(start.elapsed().as_secs_f64() * 1e3);
    }
    println!("runtime reload 1000 ms {}", median(reloads));
    println!("runtime swap seen ms {}", median(seen));
    Ok(())
}
