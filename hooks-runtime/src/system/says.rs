//! Where a decision stands in a system's answer, as data: a row for each decision of each event.
//!
//! What an event has no row for cannot be told to the system there. The table of `docs/agents.md` is made from these
//! rows.

use serde_json::{Map, Value, json};

/// What hooks have said about an event, in the order in which it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// The turn ends.
    Stop,
    /// The event is blocked.
    Deny,
    /// The user decides.
    Ask,
    /// Somebody decides later.
    Defer,
    /// The event is approved, and nobody is asked.
    Allow,
    /// The tool gets other arguments.
    Input,
    /// The model reads another output of the tool.
    Output,
    /// A message has another text.
    Text,
    /// The model gets another request.
    Request,
    /// A hook answers in the model's place.
    Response,
    /// The model reads more.
    Context,
    /// Nothing.
    Quiet,
}

impl What {
    /// What a hook wanted, for people.
    pub(crate) fn wanted(self) -> &'static str {
        match self {
            What::Stop => "to end the turn",
            What::Deny => "to block it",
            What::Ask => "to ask the user",
            What::Defer => "to leave the decision to somebody",
            What::Allow => "to approve it",
            What::Input => "to change the arguments",
            What::Output => "to change the output",
            What::Text => "to change the text",
            What::Request => "to change the request",
            What::Response => "to answer in the model's place",
            What::Context => "to add context",
            What::Quiet => "nothing",
        }
    }

    /// Whether it changes what happens, so that a denial leaves nothing of it.
    pub(crate) fn is_change(self) -> bool {
        matches!(
            self,
            What::Input | What::Output | What::Text | What::Request | What::Response
        )
    }
}

/// What stands at a place in an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Put {
    /// This word.
    Is(&'static str),
    Bool(bool),
    /// The name of the event.
    Event,
    /// The reason, or the text of an output.
    Text,
    /// The value itself.
    Value,
    /// The output, in the shape of the tool's own answer.
    Shaped,
    /// What a function makes of the value.
    Made(fn(&Value) -> Value),
}

/// A key in an answer, with dots between the keys of objects in it, and what stands there.
pub(crate) type Place = (&'static str, Put);

/// How a system is told one decision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Says {
    pub(crate) what: What,
    pub(crate) places: &'static [Place],
    /// Whether the exit code is 2, and the reason is on standard error.
    pub(crate) exits: bool,
    /// Whether it is possible only for tools of MCP servers.
    pub(crate) only_mcp: bool,
}

/// A decision that is told by these places.
pub(crate) const fn says(what: What, places: &'static [Place]) -> Says {
    Says {
        what,
        places,
        exits: false,
        only_mcp: false,
    }
}

impl Says {
    /// It is also, or only, told by the exit code 2 and standard error.
    pub(crate) const fn exits(self) -> Self {
        Says {
            exits: true,
            ..self
        }
    }

    pub(crate) const fn only_mcp(self) -> Self {
        Says {
            only_mcp: true,
            ..self
        }
    }
}

/// Sets a value in an answer, unless something stands there: what is written first counts.
pub(crate) fn put(answer: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            answer.entry(path).or_insert(value);
        }
        Some((key, rest)) => {
            let inner = answer.entry(key).or_insert_with(|| json!({}));
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_first_counts() {
        let mut answer = Map::new();
        put(&mut answer, "a.b", json!(1));
        put(&mut answer, "a.b", json!(2));
        put(&mut answer, "a.c", json!(3));
        put(&mut answer, "a", json!(4));
        assert_eq!(Value::Object(answer), json!({ "a": { "b": 1, "c": 3 } }));
    }
}
