//! Rules: decisions in the file itself.

use hooks_core::agent::{AgentContext, AgentEvent};
use serde_json::{Map, Value};

use crate::answer::{Answer, Change, Verdict, kind_of};
use crate::cut::cut;
use crate::fault::Fault;
use crate::filter::cel::{Template, Variables};
use crate::system::tools::Renamed;

/// The action of a rule.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    Block(Template),
    AbortTurn(Template),
    AbortRun(Template),
    Ask(Template),
    Defer(Template),
    Approve(Template),
    Context(Template),
    Respond(Pattern),
    Modify(Pattern),
}

/// A value with expressions in its strings.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    /// A string. A single expression yields a value of its own type.
    Text(Template),
    List(Vec<Pattern>),
    Table(Vec<(String, Pattern)>),
    Other(Value),
}

impl Pattern {
    /// Compiles a value.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in a sentence.
    pub(crate) fn compile(value: &Value, known: &[&str]) -> Result<Self, String> {
        Ok(match value {
            Value::String(text) => Pattern::Text(Template::compile(text, known)?),
            Value::Array(values) => {
                let values = values.iter().map(|value| Pattern::compile(value, known));
                Pattern::List(values.collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let fields = fields.iter();
                let fields =
                    fields.map(|(key, value)| Ok((key.clone(), Pattern::compile(value, known)?)));
                Pattern::Table(fields.collect::<Result<_, String>>()?)
            }
            other => Pattern::Other(other.clone()),
        })
    }

    fn fill(&self, variables: &Variables<'_>) -> Result<Value, Fault> {
        Ok(match self {
            Pattern::Text(template) => match template.as_expression() {
                Some(expression) => expression.evaluate(variables)?,
                None => Value::String(template.fill(variables)?),
            },
            Pattern::List(values) => {
                let values = values.iter().map(|value| value.fill(variables));
                Value::Array(values.collect::<Result<_, _>>()?)
            }
            Pattern::Table(fields) => {
                let fields = fields
                    .iter()
                    .map(|(key, value)| Ok((key.clone(), value.fill(variables)?)));
                Value::Object(fields.collect::<Result<Map<_, _>, Fault>>()?)
            }
            Pattern::Other(value) => value.clone(),
        })
    }
}

impl Rule {
    /// Returns the answer of the rule to an event, whose arguments may have other names in the file.
    pub(crate) fn decide(
        &self,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
        renamed: Option<&Renamed>,
    ) -> Result<Answer, Fault> {
        let variables = || Variables::with(cx, *event, Renamed::variables(renamed));
        let text = |template: &Template| {
            let text = match template.as_plain() {
                Some(plain) => plain.to_owned(),
                None => template.fill(&variables())?,
            };
            Ok::<_, Fault>(cut(text))
        };
        let value = |pattern: &Pattern| pattern.fill(&variables());
        Ok(match self {
            Rule::Block(reason) => Answer::of(Verdict::Block {
                reason: text(reason)?,
            }),
            Rule::AbortTurn(reason) => Answer::of(Verdict::AbortTurn {
                reason: text(reason)?,
            }),
            Rule::AbortRun(reason) => Answer::of(Verdict::AbortRun {
                reason: text(reason)?,
            }),
            Rule::Ask(reason) => Answer::of(Verdict::Ask {
                reason: text(reason)?,
            }),
            Rule::Defer(reason) => Answer::of(Verdict::Defer {
                reason: text(reason)?,
            }),
            Rule::Approve(by) => Answer::of(Verdict::Approve {
                by: Some(text(by)?),
            }),
            Rule::Context(context) => Answer {
                context: vec![text(context)?],
                ..Answer::default()
            },
            Rule::Respond(pattern) => Answer::of(Verdict::Respond(value(pattern)?)),
            Rule::Modify(pattern) => Answer {
                change: Some(match value(pattern)? {
                    Value::Object(keys) => Change::Merge(keys),
                    other => {
                        return Err(Fault::nonsense(format!(
                            "`modify` gives {}, but must give a table of the keys to set",
                            kind_of(&other)
                        )));
                    }
                }),
                ..Answer::default()
            },
        })
    }

    /// Returns the key of the rule in the file.
    pub(crate) fn key(&self) -> &'static str {
        match self {
            Rule::Block(_) => "block",
            Rule::AbortTurn(_) => "abort_turn",
            Rule::AbortRun(_) => "abort_run",
            Rule::Ask(_) => "ask",
            Rule::Defer(_) => "defer",
            Rule::Approve(_) => "approve",
            Rule::Context(_) => "context",
            Rule::Respond(_) => "respond",
            Rule::Modify(_) => "modify",
        }
    }
}
