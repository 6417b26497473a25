//! A hook that answers in the tool's place.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use hooks_core::agent::{BeforeToolCall, ToolCallEnd, ToolOutput};
use hooks_core::{HookAction, hook};
use serde_json::Value;

use super::super::journal::{Did, decided, noted};

/// What was read or listed is answered from memory, until another tool may have changed it.
#[derive(Default)]
pub(crate) struct Cache {
    outputs: Mutex<HashMap<String, ToolOutput>>,
}

impl Cache {
    fn key(name: &str, args: &Value) -> String {
        format!("{name} {args}")
    }
}

// At the default priority it runs after the hooks that rewrite calls: what they make the same call, it
// answers the same.
#[hook]
impl Cache {
    #[hook(only("read", "list"))]
    fn answer(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        let outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        match outputs.get(&Cache::key(&call.name, &call.args)) {
            Some(output) => decided("Cache", HookAction::respond(output.clone()), "known"),
            None => decided("Cache", HookAction::Continue, "not known yet"),
        }
    }

    fn learn(&self, done: &ToolCallEnd<'_>) {
        let mut outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        let detail = match done.name {
            "read" | "list" if done.output.is_error => return,
            "read" | "list" => {
                let key = Cache::key(done.name, done.args);
                if outputs.insert(key, done.output.clone()).is_some() {
                    return;
                }
                "learned"
            }
            _ if outputs.is_empty() => return,
            _ => {
                outputs.clear();
                "forgot all"
            }
        };
        noted::<ToolCallEnd<'_>>("Cache", Did::Note, detail);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hooks_core::agent::{AgentContext, ToolAnnotations, ToolOutcome};
    use hooks_core::{HookResult, hooks};
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_is_known_until_something_may_have_changed() {
        let cx = AgentContext::new("test");
        let hooks = hooks![Cache::default()];
        let ask = |path: &str| {
            let mut call = BeforeToolCall {
                name: "read".into(),
                args: json!({ "path": path }),
                ..BeforeToolCall::default()
            };
            hooks.intercept_now(&cx, &mut call)
        };
        let done = |name, path: &str, output: ToolOutput| {
            hooks.observe_now(
                &cx,
                &ToolCallEnd {
                    id: "",
                    name,
                    args: &json!({ "path": path }),
                    annotations: ToolAnnotations::default(),
                    output: &output,
                    duration: Duration::ZERO,
                    outcome: ToolOutcome::Ran,
                },
            );
        };

        assert_eq!(ask("a"), HookResult::Continue);
        done("read", "a", ToolOutput::new("text"));
        done("read", "b", ToolOutput::error("no such file"));
        assert_eq!(ask("a"), HookResult::Respond(ToolOutput::new("text")));
        assert_eq!(ask("b"), HookResult::Continue);
        done("write", "a", ToolOutput::new("written"));
        assert_eq!(ask("a"), HookResult::Continue);
    }
}
