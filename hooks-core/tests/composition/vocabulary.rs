//! The vocabulary for agents in small: an event that hooks may block and answer, one that they may only change, and one
//! that they observe.

#![allow(missing_docs, reason = "the events of a test")]

use hooks_core::{HookEvent, Patch};
use serde_json::Value;

pub(crate) use hooks_core::Hook as _;
pub(crate) use hooks_core::agent::{AgentContext, ToolOutput};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BeforeToolCall {
    pub id: String,
    pub name: String,
    pub args: Value,
    pub context: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct AfterToolCall {
    pub id: String,
    pub name: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeartbeatTick;

#[derive(Clone, Debug, Default)]
pub struct ToolCallPatch {
    pub name: Option<String>,
    pub args: Option<Value>,
}

impl From<Value> for ToolCallPatch {
    fn from(args: Value) -> Self {
        ToolCallPatch {
            name: None,
            args: Some(args),
        }
    }
}

impl Patch<BeforeToolCall> for ToolCallPatch {
    fn apply(self, call: &mut BeforeToolCall) {
        call.name = self.name.unwrap_or(std::mem::take(&mut call.name));
        call.args = self.args.unwrap_or(call.args.take());
    }
}

#[derive(Debug, HookEvent)]
#[events(context = AgentContext)]
pub enum AgentEvent<'a> {
    #[intercept(respond = ToolOutput, patch = ToolCallPatch, around = ToolOutput, subject = name)]
    BeforeToolCall(&'a BeforeToolCall),
    #[intercept(no_block, subject = name)]
    AfterToolCall(&'a AfterToolCall),
    #[observe]
    HeartbeatTick(&'a HeartbeatTick),
}

pub(crate) type AgentRegistry = hooks_core::HookRegistry<AgentEvent<'static>>;
