//! Hooks without an executor: a synchronous pipeline in a loop. Run it with
//!
//! ```sh
//! cargo run --release --example no_executor
//! ```
//!
//! If no hook on an event is `async`, running the hooks is a plain function call. The compiler checks that: with one
//! `async` hook in the list, `intercept_now` does not compile.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use hooks_core::agent::{AgentContext, BeforeToolCall, LlmDelta, ToolOutput};
use hooks_core::{HookAction, HookResult, hook, hooks, observe_fn, priority};
use serde_json::json;

const TOKENS: u32 = 1_000_000;

#[hook(priority = priority::SECURITY, only("shell"))]
fn deny_sudo(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    match call.args["command"].as_str() {
        Some(command) if command.starts_with("sudo ") => HookAction::block("no sudo"),
        _ => HookAction::Continue,
    }
}

#[hook(priority = 20)]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

/// An `Option` of a hook is a hook: configuration turns this one on or off.
#[hook(priority = 10, only("date"))]
fn frozen_clock(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::respond(ToolOutput::new("1970-01-01"))
}

fn main() {
    let letters = AtomicUsize::new(0);
    let frozen = true;
    let hooks = hooks![
        deny_sudo,
        frozen.then_some(frozen_clock),
        lower @ priority::FIRST,
        observe_fn::<LlmDelta<'_>, _>(|_cx, delta| {
            letters.fetch_add(delta.text.len(), Ordering::Relaxed);
        })
        .with_name("letters"),
    ];
    println!("{}", hooks.plan());

    let cx = AgentContext::new("session 1");
    for (name, command) in [("Shell", "ls"), ("SHELL", "sudo ls"), ("date", "")] {
        let mut call = BeforeToolCall {
            name: name.into(),
            args: json!({ "command": command }),
            ..BeforeToolCall::default()
        };
        let outcome = match hooks.intercept_now(&cx, &mut call) {
            HookResult::Continue => format!("`{}` may run", call.name),
            HookResult::Respond(output) => format!("a hook answers: {}", output.content),
            HookResult::Cancel(cancel) => cancel.to_string(),
        };
        println!("{name} {command:?}: {outcome}");
    }

    let started = Instant::now();
    for _ in 0..TOKENS {
        let delta = LlmDelta {
            text: black_box("token"),
            ..LlmDelta::default()
        };
        hooks.observe_now(&cx, &delta);
    }
    let each = started.elapsed() / TOKENS;
    println!(
        "{TOKENS} tokens observed, {} letters, about {each:?} a token",
        letters.load(Ordering::Relaxed),
    );
}
