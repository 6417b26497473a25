//! When a definition runs: the tool, the tenant, the agent, and a condition.

pub(crate) mod spent;
pub(crate) mod variables;

use std::fmt;

use hooks_builtin::__caller as caller;
use hooks_builtin::Profile;
use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_rules::cel::{Cel, Part};
use hooks_rules::input::{Call, Rule};
use hooks_rules::subjects::Subjects;
use hooks_rules::tools::{Aliases, path_of};

use self::variables::EventVariables;
use crate::events;
use crate::fault::HandlerFault;
use crate::system::table::{EventCondition, EventSubject};
use crate::system::tools::{self, Renamed};

/// Why a definition does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unmet {
    /// The definition is for other events.
    Event,
    /// The definition is for other tools.
    Subject,
    /// The definition is for other tenants.
    Tenant,
    /// The definition is for other agents.
    Agent,
    /// Its condition is false.
    Condition,
    /// Its rule for the tool's input does not match.
    Rule,
    /// The definition is for other events of this kind.
    When,
}

/// The conditions under which a definition runs. All of them must hold.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    /// Restricts the events of a kind, by the kind's name, if the definition is not for all of them.
    pub(crate) whens: Vec<(&'static str, EventCondition)>,
    pub(crate) subjects: Subjects,
    /// What the matcher is compared with, if not with the tool's name.
    pub(crate) compared: Option<EventSubject>,
    /// The names by which the file may mean a tool.
    pub(crate) aliases: Aliases,
    /// The agent whose names of arguments hooks read.
    pub(crate) agent: Option<Profile>,
    pub(crate) tenants: Vec<String>,
    pub(crate) agents: Vec<String>,
    pub(crate) rule: Option<Rule>,
    pub(crate) condition: Option<Cel>,
    /// Whether the condition may use GoClaw's names: `tool_name`, `tool_input`, `depth`.
    pub(crate) is_goclaw: bool,
}

/// Shows the conditions, for people; nothing if there are none.
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
    /// Whether the filter lets an event pass; otherwise, the reason.
    pub(crate) fn check(
        &self,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
    ) -> Result<Result<(), Unmet>, HandlerFault> {
        let is_other =
            |(name, when): &(&str, EventCondition)| *name == event.name() && !when.holds(cx, event);
        if self.whens.iter().any(is_other) {
            return Ok(Err(Unmet::When));
        }
        if !matches!(self.subjects, Subjects::Any) {
            let is_met = match &self.compared {
                None => events::subject(event)
                    .is_some_and(|tool| self.subjects.mean(tool, &self.aliases)),
                Some(EventSubject::Words(words)) => {
                    words.iter().any(|word| self.subjects.has(word))
                }
                Some(compared) => {
                    of(compared, cx, event).is_some_and(|text| self.subjects.has(text))
                }
            };
            if !is_met {
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
            .is_some_and(|rule| !matches(rule, cx, event))
        {
            return Ok(Err(Unmet::Rule));
        }
        let is_true = |condition: &Cel| {
            self.with_variables(cx, event, |variables| condition.is_true(variables))
        };
        match &self.condition {
            Some(condition) if !is_true(condition)? => Ok(Err(Unmet::Condition)),
            _ => Ok(Ok(())),
        }
    }

    /// Whether it may let an event about this tool pass. This is the part of [`check`](Self::check) that needs only the
    /// tool's name.
    #[inline]
    pub(crate) fn may_concern(&self, tool: &str) -> bool {
        (!self.has_tools() || self.subjects.mean(tool, &self.aliases))
            && self.rule.as_ref().is_none_or(|rule| rule.may_concern(tool))
    }

    /// Whether it compares the tool's name with something.
    fn has_tools(&self) -> bool {
        !matches!(self.subjects, Subjects::Any) && self.compared.is_none()
    }

    /// Returns the tool's name in the terms of the file.
    pub(crate) fn tool<'a>(&'a self, event: &AgentEvent<'a>) -> Option<&'a str> {
        let ours = events::subject(event)?;
        let asks_for = self
            .has_tools()
            .then_some(|name: &str| self.subjects.has(name));
        Some(self.aliases.theirs(ours, asks_for))
    }

    /// Returns the tool's arguments with the names that go with the tool's name in the file, if they have others.
    pub(crate) fn renamed(&self, event: &AgentEvent<'_>) -> Option<Renamed> {
        let tool = self.tool(event)?;
        let agent = self.agent;
        if agent.is_none() && events::subject(event) == Some(tool) {
            return None;
        }
        tools::renamed(tool, events::args(event)?, agent)
    }

    /// Returns the parts of the condition, with what they are for an event.
    pub(crate) fn parts(&self, cx: &AgentContext, event: &AgentEvent<'_>) -> Vec<Part<'_>> {
        let Some(condition) = &self.condition else {
            return Vec::new();
        };
        self.with_variables(cx, event, |variables| condition.parts(variables))
    }

    /// Says which parts of the condition decide about an event.
    pub(crate) fn because(&self, cx: &AgentContext, event: &AgentEvent<'_>) -> String {
        let parts = self.parts(cx, event).into_iter();
        let parts = parts.filter(|part| part.decides);
        let parts: Vec<_> = parts.map(|part| part.to_string()).collect();
        parts.join("; ")
    }

    /// Why the rule for the input of a tool matches an event, if it cannot tell what the command runs.
    pub(crate) fn unsure(&self, cx: &AgentContext, event: &AgentEvent<'_>) -> Option<String> {
        self.rule.as_ref()?.unsure(&call_of(cx, event)?)
    }

    /// Calls a function with what the condition reads.
    fn with_variables<T>(
        &self,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
        then: impl FnOnce(&EventVariables<'_>) -> T,
    ) -> T {
        if !self.is_goclaw {
            let renamed = self.renamed(event);
            let args = Renamed::variables(renamed.as_ref());
            return then(&EventVariables::with(cx, *event, args));
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
        then(&EventVariables::with(cx, *event, &more))
    }
}

/// Whether a rule for the input of a tool matches an event.
pub(crate) fn matches(rule: &Rule, cx: &AgentContext, event: &AgentEvent<'_>) -> bool {
    call_of(cx, event).is_some_and(|call| rule.matches(&call))
}

/// What a rule for the input of a tool reads. The folders are those of the process that asks.
fn call_of<'a>(cx: &'a AgentContext, event: &AgentEvent<'a>) -> Option<Call<'a>> {
    Some(Call {
        tool: events::subject(event)?,
        args: events::args(event)?,
        cwd: cx.cwd.as_str(),
        project: cx.project_dir.as_str(),
        here: || caller::current_dir().ok(),
        home: caller::home_dir,
    })
}

/// Returns what a matcher is compared with, if not with the tool's name.
fn of<'a>(
    compared: &EventSubject,
    cx: &'a AgentContext,
    event: &AgentEvent<'a>,
) -> Option<&'a str> {
    let or = |text: &'a str, default: &'static str| if text.is_empty() { default } else { text };
    match compared {
        EventSubject::None | EventSubject::Words(_) => None,
        EventSubject::Tool => events::subject(event),
        EventSubject::Command => events::args(event)?["command"].as_str(),
        EventSubject::Path => path_of(events::args(event)?),
        EventSubject::Empty => Some(""),
        EventSubject::Reason => Some(match event {
            AgentEvent::SessionStart(start) => or(&start.source, "startup"),
            AgentEvent::SessionEnd(end) => or(end.reason, "other"),
            AgentEvent::BeforeCompact(compact) => or(&compact.trigger, "auto"),
            AgentEvent::AfterCompact(compact) => or(compact.trigger, "auto"),
            _ => return None,
        }),
        EventSubject::Kind => Some(match event {
            AgentEvent::SubagentStart(start) => &start.agent,
            AgentEvent::SubagentStop(stop) => stop.agent,
            AgentEvent::BeforeStop(_) => &cx.agent_type,
            AgentEvent::Notification(notification) => notification.kind,
            _ => return None,
        }),
    }
}
