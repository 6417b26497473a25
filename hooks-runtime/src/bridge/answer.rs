//! Writes what hooks have said in a system's own words, from the rows of its table.

use hooks_core::agent::{AgentContext, ToolOutput};
use serde_json::{Map, Value, json};

use super::read::text_key;
use super::{Call, Incoming, Reply, Said};
use crate::system::Dialect;
use crate::system::says::{Put, Says, What, put};
use crate::system::table::Calls;

impl Said {
    /// Returns the reply to the agent.
    pub(super) fn reply(mut self, incoming: &Incoming) -> Reply {
        let Some(calls) = incoming.system.system().calls else {
            return Reply::default();
        };
        let rows = incoming.row.and_then(|row| row.says).unwrap_or_default();
        let is_call = incoming.row.is_some_and(|row| row.ours == "BeforeToolCall");
        let is_mcp = incoming.tool.starts_with("MCP:");
        let row = |what| {
            let mut rows = rows.iter().filter(|row| row.what == what);
            rows.find(|row| !row.only_mcp || is_mcp)
        };
        self.within_its_means(incoming, is_call, &row);

        let mut answer = Map::new();
        let mut reply = Reply::default();
        let denied = self.has(What::Deny) || self.has(What::Stop);
        for (what, value) in &self.parts {
            if denied && what.is_change() {
                continue;
            }
            let Some(row) = row(*what).or_else(|| row(What::Deny).filter(|_| *what == What::Stop))
            else {
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
            write(&mut answer, &mut reply.stdout, row, value, incoming);
        }
        if let Some(quiet) = row(What::Quiet).filter(|_| answer.is_empty()) {
            write(
                &mut answer,
                &mut reply.stdout,
                quiet,
                &Value::Null,
                incoming,
            );
        }
        self.tell(calls, incoming.system, &mut answer, &mut reply);
        if !answer.is_empty() || calls.always_answers {
            reply.stdout = format!("{}\n", Value::Object(answer));
        }
        reply
    }

    /// Denies a tool call if the agent cannot be told the hooks' decision about it.
    fn within_its_means(
        &mut self,
        incoming: &Incoming,
        is_call: bool,
        row: &impl Fn(What) -> Option<&'static Says>,
    ) {
        if !is_call {
            return;
        }
        let title = incoming.system.title();
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
        let merges = incoming.system.system().merges_input;
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
    fn tell(
        &self,
        calls: Calls,
        system: Dialect,
        answer: &mut Map<String, Value>,
        reply: &mut Reply,
    ) {
        let mut told = self.messages.clone();
        if !self.lost.is_empty() {
            let lost = self.lost.join(", and ");
            let title = system.title();
            told.push(format!(
                "a hook wanted {lost}, which {title} does not support here"
            ));
        }
        if told.is_empty() {
            return;
        }
        let told = told.join("\n");
        if let Some(key) = calls.message {
            put(answer, key, told.into());
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
    /// let reply = Dialect::Claude.refuse("the input is no JSON");
    /// assert_eq!((reply.exit_code, &*reply.stdout, &*reply.stderr), (2, "", "the input is no JSON\n"));
    /// ```
    #[must_use]
    pub fn refuse(self, why: impl std::fmt::Display) -> Reply {
        let mut reply = Reply::refused(&why);
        let mut answer = Map::new();
        let calls = self.system().calls;
        for (path, place) in calls.map(|calls| calls.refusal).unwrap_or_default() {
            let value = match place {
                Put::Is(word) => (*word).into(),
                Put::Bool(is) => (*is).into(),
                _ => why.to_string().into(),
            };
            put(&mut answer, path, value);
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
    /// If the input names its event, the refusal stands where that event has it. Otherwise it ends the turn.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    /// use hooks_runtime::bridge::Call;
    ///
    /// let call = Call::new(Dialect::Claude, br#"{ "hook_event_name": "PreToolUse" }"#);
    /// let answer = call.refusal("the tool is missing");
    /// assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
    ///
    /// let answer = Call::new(Dialect::Claude, b"?").refusal("it is not JSON");
    /// assert_eq!((&answer["continue"], &answer["stopReason"]), (&false.into(), &"it is not JSON".into()));
    /// ```
    #[must_use]
    pub fn refusal(&self, why: &str) -> Value {
        let input: Value = serde_json::from_slice(self.input).unwrap_or_default();
        let calls = self.system.system().calls;
        let mut keys = calls.iter().flat_map(|calls| calls.named);
        let named = keys.find_map(|key| input[*key].as_str()).or(self.event);
        let incoming = Incoming {
            system: self.system,
            event: None,
            cx: AgentContext::default(),
            row: named.and_then(|named| self.system.system().called(named)),
            named: named.unwrap_or_default().to_owned(),
            tool: String::new(),
            response: Value::Null,
            note: None,
        };
        let rows = incoming.row.and_then(|row| row.says).unwrap_or_default();
        let mut can = [What::Deny, What::Stop].into_iter();
        let can = can.find(|what| rows.iter().any(|row| row.what == *what && !row.only_mcp));
        let in_its_place = can.map(|what| {
            let mut said = Said::default();
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

/// Writes one decision.
fn write(
    answer: &mut Map<String, Value>,
    plain: &mut String,
    row: &Says,
    value: &Value,
    incoming: &Incoming,
) {
    for (path, place) in row.places {
        let value = match place {
            Put::Is(word) => (*word).into(),
            Put::Bool(is) => (*is).into(),
            Put::Event => incoming.named.as_str().into(),
            Put::Text => text(value).into(),
            Put::Value => value.clone(),
            Put::Shaped => in_its_shape(&incoming.response, value),
            Put::Made(make) => make(value),
        };
        if path.is_empty() {
            plain.push_str(&text(&value));
            plain.push('\n');
        } else {
            put(answer, path, value);
        }
    }
}

/// The text of a value: a reason, or what a model reads of an output.
fn text(value: &Value) -> String {
    let text = value.as_str().or(value["content"].as_str());
    text.map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns a tool's new output in the shape of the tool's own answer, because agents check the shape.
fn in_its_shape(response: &Value, output: &Value) -> Value {
    let output: ToolOutput = serde_json::from_value(output.clone()).unwrap_or_default();
    if let Some(data) = output.data
        && data != *response
        && !response.is_string()
    {
        return data;
    }
    let content = output.content;
    let Value::Object(fields) = response else {
        return content.into();
    };
    let Some(key) = text_key(fields) else {
        return content.into();
    };
    let mut fields = fields.clone();
    fields.insert(key.to_owned(), content.into());
    // The text for the model contains both.
    if fields.get("stderr").is_some_and(Value::is_string) {
        fields.insert("stderr".into(), "".into());
    }
    Value::Object(fields)
}
