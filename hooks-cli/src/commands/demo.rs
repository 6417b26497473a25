//! `hooks demo` shows in one minute what hooks do: a recorded session of an agent goes through a policy. Nothing runs.

use std::process::ExitCode;

use hooks_core::agent::AgentContext;
use hooks_runtime::{Decided, Outcome, OwnedEvent, Runtime};
use serde_json::{Value, json};

use super::fire::{NEEDS, Refuses, decide};
use crate::paint::{self, BAD, BOLD, DIM, GOOD, Visible, WARN, painted, say};
use crate::{Done, Failure, file};

const POLICY: &str = include_str!("demo/policy.toml");
const SESSION: &str = include_str!("demo/session.jsonl");

pub(crate) fn run(json: bool) -> Done {
    let runtime = Runtime::builder().text(POLICY).approver(Refuses).build();
    let runtime = file::block_on(runtime)?.map_err(Failure::found)?;
    let mut cx = AgentContext::new("demo");
    if let Ok(folder) = std::env::current_dir() {
        cx.cwd = folder.to_string_lossy().into_owned();
    }
    let mut all = Vec::new();
    for line in SESSION.lines() {
        let before: Value = serde_json::from_str(line).map_err(Failure::found)?;
        let name = before["event"].as_str().unwrap_or_default();
        let event = OwnedEvent::from_json(name, before.clone());
        let mut event = event.map_err(Failure::found)?;
        let whole = event.to_json();
        let outcome = file::block_on(decide(&runtime, &cx, &mut event))?;
        let word = word(&outcome);
        if json {
            all.push(json!({ "event": before, "what": word, "hook": outcome.hook,
                             "reason": outcome.reason, "change": outcome.change }));
            continue;
        }
        let style = match word {
            "blocked" => BAD,
            "continues" => GOOD,
            _ => WARN,
        };
        let subject = event.subject().unwrap_or("you");
        let text = ["/content", "/output/content", "/args"];
        let text = text
            .iter()
            .find_map(|path| before.pointer(path))
            .unwrap_or(&Value::Null);
        let text = text
            .as_str()
            .map_or_else(|| text.to_string(), str::to_owned);
        say!(
            "{} {} {}",
            painted(style, format_args!("{word:>9}")),
            painted(BOLD, Visible(subject)),
            Visible(&text)
        );
        if let Some(reason) = &outcome.reason {
            let hook = outcome.hook.as_deref().unwrap_or("a rule");
            say!(
                "          {}",
                painted(DIM, format_args!("{}: {}", Visible(hook), Visible(reason)))
            );
        }
        // The reason of a question says it already.
        if word != "asked" {
            paint::difference(&whole, &outcome.change);
        }
    }
    if json {
        paint::json(&Value::Array(all));
    } else {
        say!("\nNothing has run. The policy:\n");
        say!("{}", painted(DIM, POLICY.trim_end()));
        say!(
            "\nFor your own agent: {}",
            painted(BOLD, "hooks init --agent claude --write")
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// What the hooks did, in a word.
fn word(outcome: &Outcome) -> &'static str {
    let asks = |reason: &String| reason.contains(NEEDS);
    let is_changed = outcome
        .change
        .as_array()
        .is_some_and(|change| !change.is_empty());
    match outcome.decision {
        Decided::Continue if !is_changed => "continues",
        Decided::Continue if outcome.event == "BeforeToolCall" => "rewritten",
        Decided::Continue => "redacted",
        _ if outcome.reason.as_ref().is_some_and(asks) => "asked",
        _ => "blocked",
    }
}
