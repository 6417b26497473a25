//! How hooks are tested: each one as the function that it is, and all of them as the pipeline that an
//! agent runs. Run it, and its tests, with
//!
//! ```sh
//! cargo run --example testing
//! cargo test --example testing
//! ```

use hooks_builtin::PerSession;
use hooks_core::agent::{
    AgentContext, AgentHooks, BeforeToolCall, ToolCallEnd, ToolCallPatch, ToolCallResult,
    ToolOutput, run_tool_call,
};
use hooks_core::{Cancel, HookAction, hook, hooks, priority};
use serde_json::json;

/// Subagents do not write.
#[hook(priority = priority::SECURITY, only("write", "edit"))]
fn subagents_read(cx: &AgentContext, _: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    if cx.depth > 0 {
        return HookAction::block("a subagent only reads");
    }
    HookAction::Continue
}

/// `cat` in a shell is the tool `read`.
#[hook(only("shell"))]
fn prefer_read(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    let command = call.args["command"].as_str().unwrap_or_default();
    match command.strip_prefix("cat ") {
        Some(path) if !path.contains(char::is_whitespace) => HookAction::modify(ToolCallPatch {
            name: Some("read".into()),
            args: Some(json!({ "path": path })),
        }),
        _ => HookAction::Continue,
    }
}

/// Three failures in a row end the turn.
#[derive(Default)]
struct Strikes {
    /// The failures of each session. One hook serves all sessions of an agent: with one number for all, a session would
    /// end because of what others do.
    failures: PerSession<u32>,
}

#[hook(priority = priority::HIGH)]
impl Strikes {
    fn check(&self, cx: &AgentContext, _: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        match self.failures.get(cx) {
            3.. => HookAction::abort_turn("three failures in a row"),
            _ => HookAction::Continue,
        }
    }

    fn count(&self, cx: &AgentContext, done: &ToolCallEnd<'_>) {
        self.failures.with(cx, |failures| {
            *failures = if done.output.is_error {
                *failures + 1
            } else {
                0
            };
        });
    }
}

/// A function that makes the pipeline serves the program and its tests alike. To call what it returns,
/// import the traits that its bound unites: `Hook`, `Intercepts`, `Observes`.
fn pipeline() -> impl AgentHooks {
    hooks![Strikes::default(), prefer_read, subagents_read]
}

fn call(name: &str, args: serde_json::Value) -> BeforeToolCall {
    BeforeToolCall {
        name: name.into(),
        args,
        ..BeforeToolCall::default()
    }
}

/// A whole call, of a tool that fails or not.
async fn list(
    hooks: &impl AgentHooks,
    cx: &AgentContext,
    is_error: bool,
) -> Result<ToolCallResult, Cancel> {
    run_tool_call(hooks, cx, call("list", json!({})), async |_| ToolOutput {
        is_error,
        ..ToolOutput::default()
    })
    .await
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (cx, hooks) = (AgentContext::new("session 1"), pipeline());

    println!("A hook is a function, and what it says can be compared:");
    let cat = call("shell", json!({ "command": "cat notes.txt" }));
    println!("  prefer_read::call(&cat) = {:?}", prefer_read::call(&cat));

    println!("A pipeline changes the event in place:");
    let mut cat = cat;
    println!("  before: {} {}", cat.name, cat.args);
    println!("  result: {:?}", hooks.intercept(&cx, &mut cat).await);
    println!("  after:  {} {}", cat.name, cat.args);

    println!("A cancellation tells which hook decided, why, and how far it reaches:");
    let mut write = call("write", json!({}));
    let result = hooks.intercept(&cx.clone().with_depth(1), &mut write).await;
    println!("  in a subagent: {:?}", result.as_cancel());

    println!("A hook with state is led through its events, by the driver that the agent uses:");
    let said = |ran: Result<ToolCallResult, Cancel>| match ran {
        Ok(_) => "the tool ran".to_owned(),
        Err(cancel) => cancel.to_string(),
    };
    for failures in 0..=3 {
        let ran = list(&hooks, &cx, true).await;
        println!("  after {failures} failures: {}", said(ran));
    }
    let ran = list(&hooks, &AgentContext::new("session 2"), true).await;
    println!("  in another session: {}", said(ran));
    println!("Each of these is held by a test: cargo test --example testing");
}

#[cfg(test)]
mod tests {
    use hooks_core::testing::{assert_blocks, assert_passes};
    use hooks_core::{Hook, Scope};

    use super::*;

    /// A hook is tested like any function: `hook::call(…)`.
    #[test]
    fn one_file_is_read_and_several_are_left_to_the_shell() {
        for (command, file) in [
            ("cat a.txt", Some("a.txt")),
            ("cat a b", None),
            ("catalog x", None),
        ] {
            let action = prefer_read::call(&call("shell", json!({ "command": command })));
            let expected = file.map_or(HookAction::Continue, |file| {
                HookAction::modify(ToolCallPatch {
                    name: Some("read".into()),
                    args: Some(json!({ "path": file })),
                })
            });
            assert_eq!(action, expected, "{command}");
        }
    }

    /// The context is a value: a test makes the one that it needs.
    #[test]
    fn a_subagent_only_reads() {
        let write = call("write", json!({}));
        let main = AgentContext::new("test");
        let sub = AgentContext::new("test").with_depth(1);
        assert!(subagents_read::call(&main, &write).is_continue());
        assert_eq!(
            subagents_read::call(&sub, &write),
            HookAction::block("a subagent only reads")
        );
    }

    /// What options such as `only` add shows when a hook is asked as an agent asks it. An assertion that fails prints
    /// the plan, and what happened instead.
    #[test]
    fn only_tools_that_write_are_kept_from_subagents() {
        let sub = AgentContext::new("test").with_depth(1);
        for name in ["write", "edit"] {
            assert_blocks!(subagents_read, sub, call(name, json!({})), "subagents_read");
        }
        assert_passes!(subagents_read, sub, call("read", json!({})));
    }

    /// An assertion takes whole pipelines too, and gives the event as the hooks left it.
    #[test]
    fn what_a_subagent_reads_through_the_shell_is_rewritten() {
        let sub = AgentContext::new("test").with_depth(1);
        let cat = call("shell", json!({ "command": "cat a.txt" }));
        let call = assert_passes!(pipeline(), sub, cat);
        assert_eq!(
            (call.name.as_str(), &call.args["path"]),
            ("read", &json!("a.txt"))
        );
    }

    /// State is tested from outside: by what the hook says after what it has seen.
    #[tokio::test]
    async fn the_third_failure_in_a_row_ends_the_turn() {
        let (cx, hooks) = (AgentContext::new("test"), pipeline());
        for is_error in [true, true, false, true, true, true] {
            assert!(list(&hooks, &cx, is_error).await.is_ok());
        }
        let cancel = Cancel {
            hook: "Strikes".into(),
            reason: "three failures in a row".into(),
            scope: Scope::Turn,
        };
        assert_eq!(list(&hooks, &cx, false).await, Err(cancel));
        // Another session has nothing to do with it.
        let other = AgentContext::new("other");
        assert!(list(&hooks, &other, false).await.is_ok());
    }

    /// That hooks run in the order that was meant is a test of the plan.
    #[test]
    fn what_guards_runs_before_what_rewrites() {
        let hooks = pipeline();
        let order: Vec<_> = hooks
            .plan()
            .filter(|row| row.event == Some("BeforeToolCall"))
            .map(|row| row.hook)
            .collect();
        assert_eq!(order, ["subagents_read", "Strikes", "prefer_read"]);
    }
}
