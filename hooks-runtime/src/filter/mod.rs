//! When a definition runs: the tool, the tenant, the agent, and a condition.

pub(crate) mod cel;

use std::fmt;

use hooks_builtin::Glob;
use hooks_core::agent::{AgentContext, AgentEvent};
use regex::Regex;

use self::cel::{Cel, Variables};
use crate::events;
use crate::fault::Fault;

/// What a definition compares an event's subject with.
#[derive(Clone, Debug, Default)]
pub(crate) enum Subjects {
    /// Nothing: it runs for all.
    #[default]
    Any,
    /// One of these, character by character.
    Names(Vec<String>),
    /// One of these patterns.
    Globs(Vec<Glob>),
    /// A regular expression that matches somewhere in it.
    Regex(Regex),
}

impl Subjects {
    /// Whether a subject is one of them.
    pub(crate) fn has(&self, subject: &str) -> bool {
        match self {
            Subjects::Any => true,
            Subjects::Names(names) => names.iter().any(|name| name == subject),
            Subjects::Globs(globs) => globs.iter().any(|glob| glob.matches(subject)),
            Subjects::Regex(regex) => regex.is_match(subject),
        }
    }
}

impl fmt::Display for Subjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subjects::Any => f.write_str("*"),
            Subjects::Names(names) => f.write_str(&names.join(", ")),
            Subjects::Globs(globs) => {
                let globs: Vec<_> = globs.iter().map(Glob::as_str).collect();
                f.write_str(&globs.join(", "))
            }
            Subjects::Regex(regex) => write!(f, "/{regex}/"),
        }
    }
}

/// Why a definition does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unmet {
    /// It is for other events.
    Event,
    /// It is for other tools.
    Subject,
    /// It is for other tenants.
    Tenant,
    /// It is for other agents.
    Agent,
    /// Its condition is false.
    Condition,
    /// Its rule for the tool's input does not match.
    Rule,
}

/// A rule for the input of a tool, as `Bash(git *)`: see the dialects.
pub(crate) trait InputRule: Send + Sync + fmt::Debug {
    /// Whether the call is one that the rule names.
    fn matches(&self, cx: &AgentContext, event: &AgentEvent<'_>) -> bool;
    /// The rule as it is written.
    fn text(&self) -> &str;
}

/// When a definition runs. All parts must hold.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    pub(crate) subjects: Subjects,
    /// Names of tools in the file's own words, and in this agent's.
    pub(crate) aliases: Vec<(String, String)>,
    pub(crate) tenants: Vec<String>,
    pub(crate) agents: Vec<String>,
    pub(crate) rule: Option<Box<dyn InputRule>>,
    pub(crate) condition: Option<Cel>,
    /// Whether the condition sees GoClaw's names: `tool_name`, `tool_input`, `depth`.
    pub(crate) is_goclaw: bool,
}

/// The conditions, for people; nothing if there is none.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if !matches!(self.subjects, Subjects::Any) {
            parts.push(format!("tools {}", self.subjects));
        }
        if !self.tenants.is_empty() {
            parts.push(format!("tenants {}", self.tenants.join(", ")));
        }
        if !self.agents.is_empty() {
            parts.push(format!("agents {}", self.agents.join(", ")));
        }
        if let Some(rule) = &self.rule {
            parts.push(format!("if {}", rule.text()));
        }
        if let Some(condition) = &self.condition {
            parts.push(format!("if {}", condition.text()));
        }
        f.write_str(&parts.join("; "))
    }
}

impl Filter {
    /// Whether it lets an event through; else what says no.
    pub(crate) fn check(
        &self,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
    ) -> Result<Result<(), Unmet>, Fault> {
        if !matches!(self.subjects, Subjects::Any) {
            let has = |subject: &str| {
                self.subjects.has(subject)
                    || self
                        .aliases
                        .iter()
                        .any(|(theirs, ours)| ours == subject && self.subjects.has(theirs))
            };
            if !events::subject(event).is_some_and(has) {
                return Ok(Err(Unmet::Subject));
            }
        }
        if !self.tenants.is_empty()
            && !cx
                .tenant_id
                .as_ref()
                .is_some_and(|tenant| self.tenants.contains(tenant))
        {
            return Ok(Err(Unmet::Tenant));
        }
        if !self.agents.is_empty()
            && !self
                .agents
                .iter()
                .any(|agent| *agent == cx.agent_id || *agent == cx.agent_type)
        {
            return Ok(Err(Unmet::Agent));
        }
        if self
            .rule
            .as_ref()
            .is_some_and(|rule| !rule.matches(cx, event))
        {
            return Ok(Err(Unmet::Rule));
        }
        match &self.condition {
            Some(condition) if !self.is_met(condition, cx, event)? => Ok(Err(Unmet::Condition)),
            _ => Ok(Ok(())),
        }
    }

    fn is_met(
        &self,
        condition: &Cel,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
    ) -> Result<bool, Fault> {
        if !self.is_goclaw {
            return condition.is_true(&Variables::new(cx, *event));
        }
        let payload = serde_json::to_value(event).unwrap_or_default();
        let more = [
            (
                "tool_name",
                payload.get("name").cloned().unwrap_or_else(|| "".into()),
            ),
            (
                "tool_input",
                payload
                    .get("args")
                    .cloned()
                    .unwrap_or_else(|| serde_json::json!({})),
            ),
            ("depth", cx.depth.into()),
        ];
        condition.is_true(&Variables::with(cx, *event, &more))
    }
}
