//! Makes the hooks of a file available to an agent that is not written in Rust, as one of its own command hooks.
//!
//! Such an agent runs a program for each event: the event is JSON on standard input, and the answer is JSON on standard
//! output and an exit code. [`run`] reads the input as one of our events, runs the hooks on it, and writes their decision
//! as the agent understands it. What each agent can be told is data: `docs/agents.md` has the table.
//!
//! If an agent cannot be told a decision about a tool call that has not run yet, the call is denied. For other events,
//! the decision is lost, and the answer says so.

mod answer;
mod permissions;
mod read;
mod stops;

pub use self::read::event_of;
pub use self::stops::Stops;
pub use crate::system::raw::WITHIN;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use hooks_builtin::{__AS_WRITTEN as AS_WRITTEN, ApprovalRequest, Approver, Verdict};
use hooks_core::agent::{AgentContext, Approval};
use ring::digest::{Context, SHA256};
use serde_json::Value;

use crate::filter::spent;
use crate::owned::OwnedEvent;
use crate::record::{self, RecordOutcome, RecordStep};
use crate::runtime::{Decided, Outcome, Runtime};
use crate::system::raw::Raw;
use crate::system::table::{REQUESTED, SystemEvent, What};
use crate::system::{Dialect, NEXT};

/// An event of an agent, converted to ours.
#[derive(Debug)]
struct Incoming {
    /// The system that raised it.
    system: Dialect,
    /// The event; none if no hook runs on it.
    event: Option<OwnedEvent>,
    cx: AgentContext,
    /// The agent's name for the event.
    named: String,
    /// The row of the event in the system's table.
    row: Option<&'static SystemEvent>,
    /// The tool that the event is about.
    tool: String,
    /// The tool's own answer.
    response: Value,
    /// What is worth knowing about the input.
    note: Option<String>,
    /// What the agent has said.
    raw: Option<Arc<Raw>>,
}

/// How many calls may be within each other. A hook may start an agent, whose hooks start another.
const DEEPEST: usize = 8;

/// How an agent calls the program.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The system, as the command line names it. If another system's files name the command as well, and the input
    /// shows that it calls, it gets the answer.
    pub system: Dialect,
    /// The event, for systems whose input does not name it.
    pub event: Option<&'a str>,
    /// The root of the project, if the agent names it outside of the input.
    pub project_dir: Option<&'a str>,
    /// The tenant, if your program knows it.
    pub tenant: Option<&'a str>,
    /// The agent, if your program knows it. This name counts instead of what the input says.
    pub agent: Option<&'a str>,
    /// What judges, such as the path of a file. Within a call that it judges, it does not judge the same event again.
    pub judge: &'a str,
    /// The calls within which this one is made: the variable [`WITHIN`] of the caller.
    pub within: &'a str,
    /// How often hooks have kept agents from stopping, for the limit `stops`.
    pub stops: Option<&'a Stops>,
    /// Whether a variable of the environment is set.
    pub is_set: &'a (dyn Fn(&str) -> bool + Sync),
    /// What the agent writes to standard input.
    pub input: &'a [u8],
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("system", &self.system)
            .field("event", &self.event)
            .finish_non_exhaustive()
    }
}

impl<'a> Call<'a> {
    /// Creates a call by a system with this input.
    #[must_use]
    pub fn new(system: Dialect, input: &'a [u8]) -> Self {
        Call {
            system,
            event: None,
            project_dir: None,
            tenant: None,
            agent: None,
            judge: "",
            within: "",
            stops: None,
            is_set: &|_| false,
            input,
        }
    }
}

impl Call<'_> {
    /// What tells this agent in its session from others, with more that tells what it is about.
    fn key(&self, cx: &AgentContext, more: &[&str]) -> String {
        let mut hash = Context::new(&SHA256);
        for part in [self.judge, &cx.session_id, &cx.agent_id]
            .iter()
            .chain(more)
        {
            hash.update(part.as_bytes());
            hash.update(&[0]);
        }
        hex::encode(&hash.finish().as_ref()[..8])
    }
}

/// The reply to the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The exit code of the program.
    pub exit_code: u8,
    /// The text for standard output.
    pub stdout: String,
    /// The text for standard error.
    pub stderr: String,
}

impl Reply {
    /// Creates the reply for an input that cannot be read, or for hooks that cannot be loaded. Every agent treats it as
    /// a block.
    ///
    /// ```
    /// let reply = hooks_runtime::bridge::Reply::refused("the input is not JSON");
    /// assert_eq!((reply.exit_code, &*reply.stderr), (2, "the input is not JSON\n"));
    /// ```
    #[must_use]
    pub fn refused(why: impl fmt::Display) -> Self {
        Reply {
            exit_code: 2,
            stdout: String::new(),
            stderr: format!("{why}\n"),
        }
    }
}

/// The decision of hooks about an event, in a form that is independent of the agent.
#[derive(Debug, Default)]
struct BridgeDecision {
    /// What was said, in the order in which it is written.
    parts: Vec<(What, Value)>,
    /// The original arguments.
    input_before: Value,
    /// What the agent cannot be told.
    lost: Vec<String>,
    /// Messages for the user.
    messages: Vec<String>,
}

/// Leaves the question whether a tool may run to the agent, which asks its own user.
///
/// Give it to [`RuntimeBuilder::approver`](crate::RuntimeBuilder::approver). [`run`] tells the agent the question of its
/// own call, also if several calls use one runtime at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeftToAgent;

tokio::task_local! {
    /// The question that has been left to the agent whose call this is.
    static QUESTION: RefCell<Option<String>>;
}

/// Returns and clears the question of this call.
fn question() -> Option<String> {
    QUESTION.try_with(RefCell::take).ok().flatten()
}

#[async_trait]
impl Approver for LeftToAgent {
    async fn ask(&self, request: &ApprovalRequest) -> Verdict {
        let reason = request
            .reason
            .clone()
            .or_else(|| request.effects.clone())
            .unwrap_or_else(|| format!("`{}` needs approval", request.tool));
        // Outside of a call, the question reaches no person, and the tool does not run.
        let _ = QUESTION.try_with(|question| question.replace(Some(reason)));
        Verdict::No("the agent asks instead".into())
    }
}

/// What came of an event of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Judged {
    /// The reply to the agent.
    pub reply: Reply,
    /// The agent's name for the event; empty if the input cannot be read.
    pub named: String,
    /// Our name for the event, if hooks can run on it.
    pub event: Option<&'static str>,
    /// What was decided. An event that cannot be read is blocked.
    pub decision: Decided,
    /// How much the conditions of the hooks have read to decide, in bytes: what the judging has cost.
    pub read: usize,
}

/// Runs the hooks of a runtime on one event of an agent: takes the agent's input, and returns the reply.
///
/// Build the runtime with [`LeftToAgent`] as its approver. It may judge many calls at once.
///
/// Hooks on `ApproveToolCall` also run when a tool call is about to run, because no agent has an event for everything
/// that needs an approval. Hooks that other systems' files hang on a request for permission wait for that request, if
/// the agent has one.
///
/// ```
/// use hooks_runtime::bridge::{self, Call, LeftToAgent};
/// use hooks_runtime::{Dialect, Runtime};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder()
///     .text("[[hooks.on]]\nname = 'no-sudo'\nevent = 'PreToolUse'\nif = 'args.command.contains(\"sudo\")'\nblock = 'no sudo'")
///     .approver(LeftToAgent)
///     .build()
///     .await?;
/// let input = br#"{ "session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Bash",
///                   "tool_input": { "command": "sudo ls" }, "tool_use_id": "1" }"#;
/// let judged = bridge::run(&runtime, Call::new(Dialect::Codex, input)).await;
/// let reply = judged.reply;
/// assert_eq!((reply.exit_code, &*reply.stderr), (2, "no sudo (hook: no-sudo)\n"));
/// # Ok(())
/// # }
/// ```
pub async fn run(runtime: &Runtime, call: Call<'_>) -> Judged {
    let mut incoming = match read::read(call) {
        Ok(incoming) => incoming,
        Err((system, error)) => {
            return Judged {
                reply: system.refuse(error),
                decision: Decided::Block,
                ..Judged::default()
            };
        }
    };
    match incoming.nested(&call) {
        Err(why) => {
            return Judged {
                reply: incoming.system.refuse(why),
                decision: Decided::Block,
                ..Judged::default()
            };
        }
        Ok(Some(note)) => {
            incoming.event = None;
            incoming.note = Some(note);
        }
        Ok(None) => {}
    }
    let raw = incoming.raw.clone();
    let deciding = spent::counted(record::heard(incoming.decide(runtime)));
    // A caller should not carry the hooks of several dispatches in its own future.
    let deciding = Box::pin(QUESTION.scope(RefCell::default(), deciding));
    let ((mut said, steps), read) = match raw {
        Some(raw) => raw.scope(deciding).await,
        None => deciding.await,
    };
    said.messages = told(steps, &said);
    said.messages.extend(incoming.note.take());
    if let Some(stops) = call.stops.filter(|_| !incoming.cx.session_id.is_empty()) {
        let policy = runtime
            .policy()
            .and_then(|policy| serde_json::to_value(policy).ok());
        let key = call.key(&incoming.cx, &["policy"]);
        said.messages
            .extend(stops.changed_policy(&key, policy.as_ref()));
    }
    let decision = said.decision();
    if let (Some(stops), Some(event)) = (call.stops, &incoming.event) {
        let key = call.key(&incoming.cx, &[]);
        match event.name() {
            "BeforeStop" if decision == Decided::Block => {
                stops.set_count(&key, stops.count(&key) + 1);
            }
            "BeforeStop" | "MessageReceived" => stops.set_count(&key, 0),
            _ => {}
        }
    }
    Judged {
        reply: said.reply(&incoming),
        event: incoming.event.as_ref().map(OwnedEvent::name),
        named: incoming.named,
        decision,
        read,
    }
}

/// What the user reads beside the decision: what hooks have to say, and which have failed.
fn told(steps: Vec<RecordStep>, said: &BridgeDecision) -> Vec<String> {
    let mut told = Vec::new();
    for step in steps {
        told.extend(step.messages);
        if step.outcome == RecordOutcome::Fault && !said.has(What::Deny) {
            let reason = step.reason.unwrap_or(step.why);
            told.push(format!("the hook `{}` failed: {reason}", step.hook));
        }
    }
    told
}

impl Dialect {
    /// Returns our events that the system raises when it calls. Hooks on other events never run there.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    ///
    /// assert!(Dialect::Goose.raises().contains("ApproveToolCall"));
    /// assert!(!Dialect::Goose.raises().contains("BeforeLlmCall"));
    /// ```
    #[must_use]
    pub fn raises(self) -> BTreeSet<&'static str> {
        let events = self.system().events().iter();
        let called = events.filter(|event| event.calls);
        let mut raised: BTreeSet<_> = called.map(|event| event.ours).collect();
        let next = NEXT.iter().filter(|(first, _)| raised.contains(first));
        let next: Vec<_> = next.map(|(_, next)| *next).collect();
        raised.extend(next);
        if !raised.is_empty() {
            raised.insert("Custom");
        }
        raised
    }
}

impl Incoming {
    /// Notes that the hooks of this call run within it. A call within itself, as of a file that has its own call among its
    /// hooks, is answered at once: why.
    ///
    /// # Errors
    ///
    /// If too many calls are within each other.
    fn nested(&mut self, call: &Call<'_>) -> Result<Option<String>, String> {
        let Some(raw) = self.raw.as_mut().and_then(Arc::get_mut) else {
            return Ok(None);
        };
        let id = raw.before["id"].as_str().unwrap_or_default();
        let own = call.key(&self.cx, &[&self.named, id]);
        let mut outer = call.within.split_whitespace();
        if outer.clone().any(|outer| outer == own) {
            return Ok(Some(format!(
                "no hook has run: this is the call within which `{}` is judged already",
                self.named
            )));
        }
        if outer.nth(DEEPEST - 1).is_some() {
            return Err(format!(
                "hooks call hooks, and more than {DEEPEST} calls are within each other"
            ));
        }
        raw.within.push_str(call.within);
        raw.within.push(' ');
        raw.within.push_str(&own);
        Ok(None)
    }

    /// Runs the hooks.
    async fn decide(&mut self, runtime: &Runtime) -> BridgeDecision {
        let (Some(event), Some(raw)) = (&mut self.event, &self.raw) else {
            return BridgeDecision::default();
        };
        let system = self.system.system();
        let as_written = system
            .call
            .as_ref()
            .and_then(|call| call.as_written.as_deref());
        let as_written = match (as_written, &system.permissions) {
            (Some(why), _) => why.into(),
            (None, Some(_)) => true.into(),
            (None, None) => false.into(),
        };
        self.cx.extra.insert(AS_WRITTEN.to_owned(), as_written);
        let outcome = runtime.fire(&self.cx, event).await;
        let after = event.to_json();
        let mut said = BridgeDecision::of(&outcome, &raw.before, &after);
        if let Some(approval) = question()
            && outcome.decision == Decided::Block
        {
            said.take(What::Deny);
            // Without a decision, the agent asks its user.
            if outcome.event != "ApproveToolCall" {
                said.put(What::Ask, approval);
            }
        }
        if outcome.decision == Decided::Continue {
            match outcome.event {
                "BeforeToolCall" => {
                    self.approve(runtime, &mut said).await;
                    self.permit(runtime, &after, &mut said);
                }
                other => self.follow(runtime, other, &after).await,
            }
        }
        said
    }

    /// Applies the agent's own rules to a command that hooks have changed, as it was written: the agent applies them to what
    /// it has become.
    fn permit(&self, runtime: &Runtime, after: &Value, said: &mut BridgeDecision) {
        let Some(raw) = &self.raw else { return };
        let commands = |event: &Value| event["args"]["command"].as_str().map(str::to_owned);
        let (Some(before), tool) = (commands(&raw.before), raw.before["name"].as_str()) else {
            return;
        };
        if commands(after).as_ref() == Some(&before) {
            return;
        }
        let rules = permissions::PermissionRules::read(runtime.settings(), self.system, &self.cx);
        let tool = tool.unwrap_or_default();
        match rules.and_then(|rules| rules.verdict(&self.cx, tool, &before)) {
            Some(permissions::PermissionVerdict::Deny(why)) => {
                said.take(What::Allow);
                said.deny(why);
            }
            Some(permissions::PermissionVerdict::Ask(why))
                if !said.has(What::Deny) && !said.has(What::Ask) =>
            {
                said.take(What::Allow);
                said.put(What::Ask, why);
            }
            Some(permissions::PermissionVerdict::Allow(why)) => {
                let decided = [What::Deny, What::Ask, What::Defer, What::Allow];
                if !decided.into_iter().any(|what| said.has(what)) {
                    said.put(What::Allow, why);
                }
            }
            _ => {}
        }
    }

    /// Runs the hooks that approve a tool call, after the other hooks let it continue.
    async fn approve(&self, runtime: &Runtime, said: &mut BridgeDecision) {
        let (approval, mut event) = match self.event.as_ref().and_then(OwnedEvent::approval) {
            None => return,
            Some(Ok(asked)) => asked,
            Some(Err(error)) => return said.deny(error.to_string()),
        };
        let mut cx = self.cx.clone();
        let mut events = self.system.system().events().iter();
        if events.any(|event| event.ours == "ApproveToolCall") {
            cx.extra.insert(REQUESTED.to_owned(), false.into());
        }
        let outcome = runtime.fire(&cx, &mut event).await;
        let left = question();
        let of_hook = outcome.hook.as_deref();
        match (outcome.decision, left, approval) {
            (Decided::Block, None, _) => said.deny(named(outcome.reason.as_deref(), of_hook)),
            (Decided::AbortTurn | Decided::AbortRun, ..) => {
                said.put(What::Stop, named(outcome.reason.as_deref(), of_hook));
            }
            (Decided::Respond, ..) => {
                let by = outcome
                    .output
                    .as_ref()
                    .and_then(|output| output["by"].as_str());
                said.put(What::Allow, by.unwrap_or("a hook approved it"));
            }
            (Decided::Block, Some(reason), _) | (_, _, Approval::Ask { reason }) => {
                said.put(What::Ask, reason);
            }
            (_, _, Approval::Defer { reason }) => said.put(What::Defer, reason),
            (_, _, Approval::Granted { by }) => said.put(What::Allow, by),
            _ => {}
        }
    }

    /// Raises the event that an agent in Rust raises next, and that this agent has no event for.
    async fn follow(&self, runtime: &Runtime, name: &str, after: &Value) {
        let Some((_, next)) = NEXT.iter().find(|(first, _)| *first == name) else {
            return;
        };
        let next = match *next {
            "ToolCallEnd" => read::ended(after),
            "AgentStart" => {
                OwnedEvent::from_json(next, serde_json::json!({ "prompt": after["content"] }))
            }
            _ => OwnedEvent::from_json(next, serde_json::json!({ "response": after["response"] })),
        };
        if let Ok(mut next) = next {
            let _ = runtime.fire(&self.cx, &mut next).await;
        }
    }
}

/// Returns a reason, with the hook that gave it.
fn named(reason: Option<&str>, hook: Option<&str>) -> String {
    let reason = reason
        .filter(|reason| !reason.is_empty())
        .unwrap_or("a hook blocked it");
    match hook {
        Some(hook) => format!("{reason} (hook: {hook})"),
        None => reason.to_owned(),
    }
}

impl BridgeDecision {
    fn of(outcome: &Outcome, before: &Value, after: &Value) -> Self {
        let mut said = BridgeDecision {
            input_before: before["args"].clone(),
            ..BridgeDecision::default()
        };
        let reason = || named(outcome.reason.as_deref(), outcome.hook.as_deref());
        let output = || outcome.output.clone().unwrap_or_default();
        match (outcome.decision, outcome.event) {
            (Decided::Continue, _) => {}
            (Decided::Block, _) => said.deny(reason()),
            (Decided::AbortTurn | Decided::AbortRun, _) => said.put(What::Stop, reason()),
            (Decided::Respond, "ApproveToolCall") => {
                let by = output();
                said.put(
                    What::Allow,
                    by["by"].as_str().unwrap_or("a hook approved it"),
                );
            }
            (Decided::Respond, "BeforeLlmCall") => said.put(What::Response, output()),
            (Decided::Respond, "AfterLlmCall" | "LlmFailed") => {
                said.lost.push("to ask the model again".into());
            }
            (Decided::Respond, _) => {
                let output = output();
                let content = output["content"].as_str().unwrap_or_default();
                said.deny(format!("a hook answered in the tool's place: {content}"));
            }
        }
        let changed = |key: &str| (before.get(key) != after.get(key)).then(|| after[key].clone());
        let is_call = before.get("args").is_some();
        if is_call && let Some(name) = changed("name") {
            said.deny(format!(
                "a hook replaced the tool by {name}, which this agent does not support"
            ));
        }
        if is_call
            && before.get("output").is_none()
            && let Some(args) = changed("args")
        {
            said.put(What::Input, args);
        }
        if let Some(output) = changed("output") {
            said.put(What::Output, output);
        }
        let text = ["content", "prompt", "instructions"]
            .into_iter()
            .find_map(changed);
        let text = match outcome.event {
            "AfterLlmCall" => changed("response").map(|response| response["content"].clone()),
            _ => text,
        };
        if let Some(text @ Value::String(_)) = text {
            said.put(What::Text, text);
        }
        if outcome.event == "BeforeLlmCall" && before != after {
            said.put(What::Request, after.clone());
        }
        let texts = after["context"].as_array().into_iter().flatten();
        let context: Vec<_> = texts.filter_map(Value::as_str).collect();
        if !context.is_empty() {
            said.put(What::Context, context.join("\n"));
        }
        said
    }

    fn put(&mut self, what: What, value: impl Into<Value>) {
        let at = self.parts.partition_point(|(other, _)| *other <= what);
        self.parts.insert(at, (what, value.into()));
    }

    /// Denies, unless something has denied already.
    fn deny(&mut self, reason: String) {
        if !self.has(What::Deny) {
            self.put(What::Deny, reason);
        }
    }

    /// The decision, in our words.
    fn decision(&self) -> Decided {
        if self.has(What::Stop) {
            Decided::AbortTurn
        } else if self.has(What::Deny) {
            Decided::Block
        } else if self.has(What::Response) {
            Decided::Respond
        } else {
            Decided::Continue
        }
    }

    fn has(&self, what: What) -> bool {
        self.get(what).is_some()
    }

    fn get(&self, what: What) -> Option<&Value> {
        let mut parts = self.parts.iter();
        parts
            .find(|(other, _)| *other == what)
            .map(|(_, value)| value)
    }

    fn take(&mut self, what: What) -> Option<Value> {
        let at = self.parts.iter().position(|(other, _)| *other == what)?;
        Some(self.parts.remove(at).1)
    }
}
