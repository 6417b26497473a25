//! Writes what hooks have said in a system's own words, from the rows of its table.

use hooks_core::agent::AgentContext;
use serde_json::{Map, Value, json};

use super::{BridgeDecision, Call, Incoming, Reply};
use crate::system::Dialect;
use crate::system::shapes;
use crate::system::table::{self, DecisionForm, Put, System, SystemEvent, What};

impl BridgeDecision {
    /// Returns the reply to the agent.
    pub(super) fn reply(mut self, incoming: &Incoming) -> Reply {
        let system = incoming.system.system();
        let Some(calls) = &system.call else {
            return Reply::default();
        };
        let is_mcp = incoming.tool.starts_with("MCP:");
        let row = |what| {
            let mut rows = incoming.row.into_iter().flat_map(|row| row.tells(what));
            rows.find(|row| !row.only_mcp || is_mcp)
        };
        self.within_its_means(system, incoming.row, &row);

        let mut answer = Map::new();
        let mut reply = Reply::default();
        let denied = self.has(What::Deny) || self.has(What::Stop);
        for (what, value) in &self.parts {
            if denied && what.is_change() {
                continue;
            }
            let Some(row) = row(*what).or_else(|| row(What::Deny).filter(|_| *what == What::Stop))
            else {
                // What waits for a decision, and has no word for this one, is refused by the exit code.
                let waits = || incoming.row.is_some_and(|row| table::is_gate(row.ours));
                if matches!(what, What::Deny | What::Stop) && waits() {
                    return Reply::refused(text(value));
                }
                // Who cannot approve leaves the question to the agent, which asks its user.
                if *what != What::Allow {
                    self.lost.push(what.wanted().to_owned());
                }
                continue;
            };
            if row.exits {
                reply.exit_code = 2;
                reply.stderr = format!("{}\n", text(value));
            }
            // Such a system reads standard error, and takes an answer beside it for a mistake.
            if row.exits && row.places.is_empty() {
                return reply;
            }
            let response = &incoming.response;
            write(
                &mut answer,
                &mut reply.stdout,
                row,
                value,
                &incoming.named,
                response,
            );
        }
        if let Some(quiet) = row(What::Quiet).filter(|_| answer.is_empty()) {
            write(
                &mut answer,
                &mut reply.stdout,
                quiet,
                &Value::Null,
                &incoming.named,
                &Value::Null,
            );
        }
        self.tell(system, &mut answer, &mut reply);
        if !answer.is_empty() || calls.always {
            reply.stdout = format!("{}\n", Value::Object(answer));
        }
        reply
    }

    /// Denies a tool call if the agent cannot be told the hooks' decision about it.
    fn within_its_means(
        &mut self,
        system: &System,
        event: Option<&SystemEvent>,
        row: &impl Fn(What) -> Option<&'static DecisionForm>,
    ) {
        if event.is_none_or(|event| event.ours != "BeforeToolCall") {
            return;
        }
        let title = &system.title;
        for what in [What::Ask, What::Defer] {
            if row(what).is_none()
                && let Some(reason) = self.take(what)
            {
                let reason = text(&reason);
                self.deny(format!(
                    "the call needs approval, but a hook cannot make {title} ask for it: {reason}"
                ));
            }
        }
        // Where arguments are merged, hooks can set keys, but not remove them.
        let merges = system.call.as_ref().is_some_and(|call| call.merges);
        let can_change = |input: &Value| {
            row(What::Input).is_some() && (!merges || keeps_keys(&self.input_before, input))
        };
        if self
            .get(What::Input)
            .is_some_and(|input| !can_change(input))
            && let Some(input) = self.take(What::Input)
        {
            self.deny(format!(
                "a hook changed the arguments, which {title} does not support here: call it with {input}"
            ));
        }
    }

    /// Tells the user what else there is to know.
    fn tell(&self, system: &System, answer: &mut Map<String, Value>, reply: &mut Reply) {
        let mut told = self.messages.clone();
        if !self.lost.is_empty() {
            let lost = self.lost.join(", and ");
            let title = &system.title;
            told.push(format!(
                "a hook wanted {lost}, which {title} does not support here"
            ));
        }
        if told.is_empty() {
            return;
        }
        let told = told.join("\n");
        let message = system.call.as_ref().and_then(|call| call.message.as_ref());
        if let Some(key) = message.filter(|key| !key.is_empty()) {
            table::put(answer, key, told.into());
        } else {
            reply.stderr.push_str(&told);
            reply.stderr.push('\n');
        }
    }
}

impl Dialect {
    /// Returns the reply for an input that cannot be judged, or for hooks that cannot be loaded: a block, in the words
    /// of this system.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    ///
    /// let reply = Dialect::Claude.refuse("the input is not JSON");
    /// assert_eq!((reply.exit_code, &*reply.stdout, &*reply.stderr), (2, "", "the input is not JSON\n"));
    /// ```
    #[must_use]
    pub fn refuse(self, why: impl std::fmt::Display) -> Reply {
        let mut reply = Reply::refused(&why);
        let mut answer = Map::new();
        let refusal = self
            .system()
            .call
            .as_ref()
            .and_then(|call| call.refusal.as_ref());
        if let Some(refusal) = refusal {
            let why = why.to_string().into();
            write(
                &mut answer,
                &mut String::new(),
                refusal,
                &why,
                "",
                &Value::Null,
            );
        }
        if !answer.is_empty() {
            reply.stdout = format!("{}\n", Value::Object(answer));
        }
        reply
    }
}

impl Call<'_> {
    /// Returns the refusal of a call as a JSON object, for agents that ask over HTTP and read no exit code.
    ///
    /// If the input names its event, the refusal is where that event has it. Otherwise it ends the turn.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    /// use hooks_runtime::bridge::Call;
    ///
    /// let call = Call::new(Dialect::Claude, br#"{ "hook_event_name": "PreToolUse" }"#);
    /// let answer = call.refusal("the tool is missing");
    /// assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
    ///
    /// let answer = Call::new(Dialect::Claude, b"?").refusal("the input is not JSON");
    /// assert_eq!((&answer["continue"], &answer["stopReason"]), (&false.into(), &"the input is not JSON".into()));
    /// ```
    #[must_use]
    pub fn refusal(&self, why: &str) -> Value {
        let input: Value = serde_json::from_slice(self.input).unwrap_or_default();
        let calls = self.system.system().call.iter();
        let mut keys = calls.flat_map(|calls| &calls.event);
        let named = keys.find_map(|key| input[key].as_str()).or(self.event);
        let incoming = Incoming {
            system: self.system,
            event: None,
            cx: AgentContext::default(),
            row: named.and_then(|named| self.system.system().called(named)),
            named: named.unwrap_or_default().to_owned(),
            tool: String::new(),
            response: Value::Null,
            note: None,
            raw: None,
        };
        let mut can = [What::Deny, What::Stop].into_iter();
        let can = can.find(|what| {
            let mut rows = incoming.row.into_iter().flat_map(|row| row.tells(*what));
            rows.any(|row| !row.only_mcp)
        });
        let in_its_place = can.map(|what| {
            let mut said = BridgeDecision::default();
            said.put(what, why);
            said.reply(&incoming).stdout
        });
        let texts = in_its_place
            .into_iter()
            .chain([self.system.refuse(why).stdout]);
        let mut answers = texts.filter_map(|text| serde_json::from_str(&text).ok());
        answers
            .find(|answer: &Value| answer.as_object().is_some_and(|keys| !keys.is_empty()))
            .unwrap_or_else(|| {
                json!({ "continue": false, "stopReason": why, "decision": "block", "reason": why })
            })
    }
}

fn keeps_keys(before: &Value, after: &Value) -> bool {
    let keys = before.as_object().into_iter().flat_map(Map::keys);
    keys.into_iter().all(|key| after.get(key).is_some())
}

/// Writes one decision about an event of this name, and about a tool with this answer.
fn write(
    answer: &mut Map<String, Value>,
    plain: &mut String,
    row: &DecisionForm,
    value: &Value,
    named: &str,
    response: &Value,
) {
    for (path, put) in &row.places {
        let value = match put {
            Put::Is(word) => word.as_str().into(),
            Put::Bool(is) => (*is).into(),
            Put::Event => named.into(),
            Put::Reason | Put::Text => text(value).into(),
            Put::Value => value.clone(),
            Put::Shaped => shapes::shaped(response, value),
            Put::GeminiRequest => shapes::gemini_request(value),
            Put::GeminiAnswer => shapes::gemini_answer(value),
        };
        if path == "$stdout" {
            plain.push_str(&text(&value));
            plain.push('\n');
        } else {
            table::put(answer, path, value);
        }
    }
}

/// The text of a value: a reason, or what a model reads of an output.
fn text(value: &Value) -> String {
    let text = value.as_str().or(value["content"].as_str());
    text.map_or_else(|| value.to_string(), str::to_owned)
}
