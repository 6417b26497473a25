//! A hook written in the file itself: `[[hooks.on]]`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{OneOrMany, is_default};
use crate::check::{HANDLERS, Written};
use crate::template::Data;

/// A hook in the file itself: `[[hooks.on]]`.
///
/// The hook runs on one or more events, if its filter matches. It has exactly one handler: `block`, `abort_turn`,
/// `abort_run`, `ask`, `defer`, `approve`, `context`, `respond`, `modify`, `command`, `http`, `prompt` or `process`.
// The settings of the last four are types of those who run them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "OnEntry")]
pub struct OnEntry<C = Value, H = Value, P = Value, S = Value> {
    /// The name of the hook, which must be unique. In a file, the default is the event and a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The event, or a list of events. `*` is every event. Other systems' names work too, such as `PreToolUse`.
    pub event: OneOrMany<String>,
    /// The tools for which the hook runs, as globs. The default is all tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<OneOrMany<String>>,
    /// The tools for which the hook runs, as a regular expression, instead of `tools`. It matches anywhere in the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// A condition: a CEL expression over the event's fields and the agent's context `cx`, or a rule for the input of a
    /// tool, such as `Bash(git push *)`. By default, there is no condition.
    #[serde(rename = "if", default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The tenants and agents for which the hook runs. The default is all of them.
    #[serde(default, skip_serializing_if = "Scopes::is_empty")]
    pub scope: Scopes,
    /// The order among all hooks: higher numbers run first. The default is 0.
    #[serde(default)]
    pub priority: i32,

    /// Blocks the event, with this reason. `{…}` in the text is a CEL expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<String>,
    /// Ends the turn, with this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abort_turn: Option<String>,
    /// Ends the run, with this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abort_run: Option<String>,
    /// Requires that a person approves the tool call, for this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// Leaves the tool call to a person who decides later, for this reason: it does not run now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defer: Option<String>,
    /// Approves the tool call, so that no person is asked. The text says who approves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approve: Option<String>,
    /// Adds this text for the model to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Answers instead of the agent: a text, a table, or a CEL expression as a text `{…}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub respond: Option<Value>,
    /// Sets these keys of the tool's arguments, of its output, or of the event: a table, or a CEL expression that
    /// returns one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modify: Option<Value>,
    /// Runs a command for each event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<C>,
    /// Posts each event to a URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<H>,
    /// Asks a model for a decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<P>,
    /// Asks a process that keeps running about each event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<S>,

    /// How long the hook may take. The default is "5s".
    #[serde(
        default,
        with = "super::some_duration",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<String>")]
    pub timeout: Option<Duration>,
    /// What happens when the hook takes too long. The default is `block` if the event can be blocked, and `skip` if
    /// not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_timeout: Option<OnFault>,
    /// What happens when the hook fails. The default is `block` if the event can be blocked, and `skip` if not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<OnFault>,
    /// Whether the hook only allows or cancels. What a later hook changes, a guard judges again, so that what it judged is
    /// what takes effect. The default is `true` for `block`, `abort_turn` and `abort_run` on events that can be blocked,
    /// and otherwise `false`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<bool>,
    /// Whether the hook runs, and whether its answer takes effect. The default is `enforce`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: Mode,
    /// Whether the agent continues without waiting for the hook. Only hooks on observed events can run in the
    /// background, and by default they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<bool>,
    /// The format of the events that the handler receives, and of its answers. The default is `hooks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// Whether a level below may not replace or switch off this hook. Stores obey it; in a file alone, it has no effect.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mandatory: bool,
    /// The version of the hook, which a store sets. Records show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// Why the hook does not run: a store that does not allow it has set this. Where the hook could block, it blocks, and
    /// says this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Whether its handler changes nothing outside of itself, so that a dry run may run it, if it is asked to. Rules are harmless anyway.
    #[serde(default, skip_serializing_if = "is_default")]
    pub harmless: bool,
    /// Whether the agent waits until the hook's record is written where it stays. If that fails, the hook has failed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub must_audit: bool,
}

impl<C, H, P, S> OnEntry<C, H, P, S> {
    /// The keys of all handlers, in the order of the documentation.
    pub const HANDLERS: [&'static str; 13] = HANDLERS;

    /// Returns what the entry says, for [`check`](crate::check::check).
    pub fn written(&self) -> Written<'_> {
        let text = |text: &Option<String>| text.clone().map(|text| Some(Data::Text(text)));
        let value = |value: &Option<Value>| value.as_ref().map(|value| Some(Data::from(value)));
        let outside = |is_set: bool| is_set.then_some(None);
        let values = [
            text(&self.block),
            text(&self.abort_turn),
            text(&self.abort_run),
            text(&self.ask),
            text(&self.defer),
            text(&self.approve),
            text(&self.context),
            value(&self.respond),
            value(&self.modify),
            outside(self.command.is_some()),
            outside(self.http.is_some()),
            outside(self.prompt.is_some()),
            outside(self.process.is_some()),
        ];
        let handlers = HANDLERS.into_iter().zip(values);
        Written {
            is_every: self.event.0.iter().any(|name| name == "*"),
            tools: self.tools.as_ref().map(|tools| &*tools.0),
            matcher: self.matcher.as_deref(),
            condition: self.condition.as_deref(),
            scope: [&self.scope.tenants, &self.scope.agents],
            handlers: handlers
                .filter_map(|(key, value)| Some((key, value?)))
                .collect(),
            timeout: self.timeout,
            guard: self.guard,
            background: self.background,
        }
    }
}

/// The tenants and agents for which a hook runs. An empty list matches all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Scopes {
    /// The tenants, by their ids.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tenants: Vec<String>,
    /// The agents, by their ids or their types.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
}

impl Scopes {
    /// Whether the hook runs for all tenants and agents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Scopes::default()
    }
}

/// What happens when a hook takes too long, or fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFault {
    /// The event is blocked.
    #[serde(alias = "deny")]
    Block,
    /// The event continues as if the hook did not exist.
    #[serde(alias = "allow", alias = "continue")]
    Skip,
}

/// Whether a hook runs, and whether its answer takes effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It runs, and its answer takes effect.
    #[default]
    Enforce,
    /// It runs, and its answer is recorded but has no effect.
    Shadow,
    /// It does not run.
    Off,
}
