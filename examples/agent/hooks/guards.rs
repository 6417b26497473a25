//! Hooks that say no: to one call, to the turn, to the whole run.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hooks_core::agent::{AgentStart, ApproveToolCall, BeforeStop, BeforeToolCall, ToolCallEnd};
use hooks_core::{HookAction, hook, priority};

use super::super::journal::{Did, decided, noted};
use super::commands;

/// A model that reaches for the user's keys has been talked into it: nothing it says is to be trusted.
#[hook(priority = priority::SECURITY + 200)]
pub(crate) fn tripwire(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    let args = call.args.to_string();
    let action = match [".ssh", "id_rsa", "id_ed25519", "/etc/shadow"]
        .into_iter()
        .find(|bait| args.contains(bait))
    {
        Some(bait) => HookAction::abort_run(format!("the call reaches for `{bait}`")),
        None => HookAction::Continue,
    };
    decided("tripwire", action, "")
}

/// Nothing is deleted recursively by force.
#[hook(priority = priority::SECURITY + 100, only("shell"))]
pub(crate) fn deny_rm(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    let line = call.args["command"].as_str().unwrap_or_default();
    let action = if commands(line).any(|words| deletes_by_force(&words)) {
        HookAction::block("recursive delete is not allowed")
    } else {
        HookAction::Continue
    };
    decided("deny_rm", action, "")
}

/// Whether the words are `rm -rf`, however it is spelt.
fn deletes_by_force(words: &[&str]) -> bool {
    let Some(rm) = words
        .iter()
        .position(|word| word.rsplit('/').next() == Some("rm"))
    else {
        return false;
    };
    let has = |long: &str, short: [char; 2]| {
        words[rm + 1..].iter().any(|word| {
            let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            *word == long || letters.is_some_and(|letters| letters.contains(short))
        })
    };
    has("--recursive", ['r', 'R']) && has("--force", ['f', 'f'])
}

/// So many shell commands a minute; a model that does not take no for an answer loses its turn.
pub(crate) struct RateLimit {
    per_minute: usize,
    state: Mutex<Recent>,
}

#[derive(Default)]
struct Recent {
    /// When commands were let through, in the last minute.
    passed: VecDeque<Instant>,
    /// How many were refused since one was let through.
    refused: usize,
}

impl RateLimit {
    pub(crate) fn per_minute(per_minute: usize) -> Self {
        RateLimit {
            per_minute,
            state: Mutex::default(),
        }
    }

    /// What the hook says to one more command, and how many are used up with it.
    fn take(&self, now: Instant) -> (HookAction<BeforeToolCall>, usize) {
        const MINUTE: Duration = Duration::from_mins(1);
        const PATIENCE: usize = 3;

        let mut recent = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while recent
            .passed
            .front()
            .is_some_and(|then| now.duration_since(*then) >= MINUTE)
        {
            recent.passed.pop_front();
        }
        if recent.passed.len() < self.per_minute {
            recent.passed.push_back(now);
            recent.refused = 0;
            return (HookAction::Continue, recent.passed.len());
        }
        recent.refused += 1;
        if recent.refused < PATIENCE {
            let limit = self.per_minute;
            let reason = format!("only {limit} shell commands a minute");
            (HookAction::block(reason), limit)
        } else {
            recent.refused = 0;
            let reason = format!("{PATIENCE} commands over the limit in a row");
            (HookAction::abort_turn(reason), self.per_minute)
        }
    }
}

#[hook(priority = priority::SECURITY, only("shell"))]
impl RateLimit {
    fn check(&self, _: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        let (action, used) = self.take(Instant::now());
        let detail = if action.is_continue() {
            format!("{used} of {}", self.per_minute)
        } else {
            String::new()
        };
        decided("RateLimit", action, detail)
    }
}

/// What leaves the machine wants a person's word, and no person is here to give it.
#[hook(only("shell"))]
pub(crate) fn approve<'a>(call: &ApproveToolCall<'a>) -> HookAction<ApproveToolCall<'a>> {
    let line = call.args["command"].as_str().unwrap_or_default();
    let leaves = commands(line).any(|words| {
        matches!(
            words[..],
            ["git", "push", ..] | ["curl" | "wget" | "ssh" | "scp", ..]
        )
    });
    let action = if leaves {
        HookAction::block(
            "what leaves this machine needs approval, and no person is here to give it",
        )
    } else {
        HookAction::Continue
    };
    decided("approve", action, "")
}

/// The agent may not stop, once a turn, with files that it changed and ran nothing after.
#[derive(Default)]
pub(crate) struct RunBeforeStop {
    changed: AtomicBool,
    said: AtomicBool,
}

#[hook]
impl RunBeforeStop {
    fn start(&self, _: &AgentStart<'_>) {
        self.changed.store(false, Ordering::Relaxed);
        self.said.store(false, Ordering::Relaxed);
    }

    #[hook(only("write", "edit", "shell"), when = |done: &ToolCallEnd<'_>| !done.output.is_error)]
    fn watch(&self, done: &ToolCallEnd<'_>) {
        let changed = done.name != "shell";
        if self.changed.swap(changed, Ordering::Relaxed) != changed {
            let detail = if changed {
                "something to run"
            } else {
                "the call ran"
            };
            noted::<ToolCallEnd<'_>>("RunBeforeStop", Did::Note, detail);
        }
    }

    fn check(&self, _: &BeforeStop) -> HookAction<BeforeStop> {
        let unproven = self.changed.load(Ordering::Relaxed);
        let action = if unproven && !self.said.swap(true, Ordering::Relaxed) {
            HookAction::block("files have changed since anything ran: run them first")
        } else {
            HookAction::Continue
        };
        decided("RunBeforeStop", action, "")
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::agent::{AgentContext, Approval, ToolAnnotations, ToolOutcome, ToolOutput};
    use hooks_core::{Scope, hooks};
    use serde_json::json;

    use super::*;

    fn shell(command: &str) -> BeforeToolCall {
        BeforeToolCall {
            name: "shell".into(),
            args: json!({ "command": command }),
            ..BeforeToolCall::default()
        }
    }

    #[test]
    fn no_spelling_of_a_forced_delete_passes() {
        for command in [
            "rm -rf /",
            "ls; rm -r -f .",
            "/bin/rm --recursive --force x",
            "sudo rm -Rf x",
        ] {
            assert!(!deny_rm::call(&shell(command)).is_continue(), "{command}");
        }
        for command in ["rm file", "rm -r empty", "ls -rf", "echo form -rf"] {
            assert!(deny_rm::call(&shell(command)).is_continue(), "{command}");
        }
    }

    #[test]
    fn reaching_for_keys_ends_the_run() {
        let result = hooks![tripwire]
            .intercept_now(&AgentContext::new("test"), &mut shell("cat ~/.ssh/id_rsa"));
        assert_eq!(
            result.as_cancel().map(|cancel| cancel.scope),
            Some(Scope::Run)
        );
    }

    #[test]
    fn the_limit_refuses_then_ends_the_turn_and_forgets_after_a_minute() {
        let limit = RateLimit::per_minute(2);
        let start = Instant::now();
        assert_eq!(limit.take(start), (HookAction::Continue, 1));
        assert_eq!(limit.take(start), (HookAction::Continue, 2));
        for _ in 0..2 {
            assert_eq!(
                limit.take(start),
                (HookAction::block("only 2 shell commands a minute"), 2)
            );
        }
        assert_eq!(
            limit.take(start),
            (
                HookAction::abort_turn("3 commands over the limit in a row"),
                2
            )
        );
        assert_eq!(
            limit.take(start + Duration::from_mins(1)),
            (HookAction::Continue, 1)
        );
    }

    #[test]
    fn only_shell_commands_are_limited() {
        let cx = AgentContext::new("test");
        let hooks = hooks![RateLimit::per_minute(0)];
        assert!(!hooks.intercept_now(&cx, &mut shell("ls")).is_continue());
        let mut list = BeforeToolCall {
            name: "list".into(),
            ..BeforeToolCall::default()
        };
        assert!(hooks.intercept_now(&cx, &mut list).is_continue());
    }

    #[test]
    fn what_leaves_the_machine_is_denied() {
        for (command, passes) in [
            ("git push", false),
            ("make && curl x.org", false),
            ("git log", true),
        ] {
            let args = json!({ "command": command });
            let call = ApproveToolCall {
                id: "",
                name: "shell",
                args: &args,
                annotations: ToolAnnotations::default(),
                approval: &Approval::Usual,
            };
            assert_eq!(approve::call(&call).is_continue(), passes, "{command}");
        }
    }

    #[test]
    fn the_agent_stops_when_what_it_changed_ran_or_was_asked_for_once() {
        let cx = AgentContext::new("test");
        let hooks = hooks![RunBeforeStop::default()];
        let done = |name, output: &ToolOutput| {
            hooks.observe_now(
                &cx,
                &ToolCallEnd {
                    id: "",
                    name,
                    args: &json!({}),
                    annotations: ToolAnnotations::default(),
                    output,
                    duration: Duration::ZERO,
                    outcome: ToolOutcome::Ran,
                },
            );
        };
        let stops = || {
            hooks
                .intercept_now(&cx, &mut BeforeStop::default())
                .is_continue()
        };
        let (good, bad) = (ToolOutput::new("done"), ToolOutput::error("no"));

        hooks.observe_now(&cx, &AgentStart { prompt: "" });
        done("write", &bad);
        assert!(stops());
        done("write", &good);
        assert!(!stops());
        assert!(stops());

        hooks.observe_now(&cx, &AgentStart { prompt: "" });
        done("edit", &good);
        done("shell", &good);
        assert!(stops());
    }
}
