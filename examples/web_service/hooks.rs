//! The hooks of all tenants, and what a tenant may add.

use std::collections::HashMap;
use std::sync::Mutex;

use hooks_core::agent::prelude::*;

/// Holds for all tenants.
#[hook(guard, priority = priority::SECURITY, only("shell"))]
pub(crate) fn no_force_push(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    match call.args["command"].as_str() {
        Some(command) if !command.contains("--force") => HookAction::Continue,
        _ => HookAction::block("force pushes are not allowed"),
    }
}

/// At most so many tool calls in one session. One hook serves all sessions of all tenants, so it counts for each.
pub(crate) struct CallsPerSession {
    most: u32,
    made: Mutex<HashMap<(Option<String>, String), u32>>,
}

impl CallsPerSession {
    pub(crate) fn new(most: u32) -> Self {
        let made = Mutex::default();
        CallsPerSession { most, made }
    }
}

#[hook(priority = priority::HIGH)]
impl CallsPerSession {
    fn count(&self, cx: &AgentContext, _: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        let mut made = self.made.lock().unwrap();
        let session = (cx.tenant_id.clone(), cx.session_id.clone());
        let made = made.entry(session).or_default();
        if *made == self.most {
            return HookAction::block("the session has made all its calls");
        }
        *made += 1;
        HookAction::Continue
    }

    /// The service raises this event when a session ends, so that the map does not grow for ever.
    fn forget(&self, cx: &AgentContext, _: &SessionEnd<'_>) {
        let session = (cx.tenant_id.clone(), cx.session_id.clone());
        self.made.lock().unwrap().remove(&session);
    }
}

/// A tool that a tenant forbids: a hook whose settings come with a request.
pub(crate) struct Forbid {
    pub(crate) tool: String,
}

#[hook(guard)]
impl Forbid {
    fn check(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        if call.name == self.tool {
            return HookAction::block("this tenant forbids it");
        }
        HookAction::Continue
    }
}
