//! When a definition runs: the tool, the tenant, the agent, and a condition.

pub(crate) mod input;
pub(crate) mod spent;
pub(crate) mod variables;

use std::fmt;

use hooks_builtin::Glob;
use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_rules::cel::Cel;
use hooks_rules::pattern;
use regex::Regex;

use self::variables::Variables;
use crate::events;
use crate::fault::Fault;
use crate::system::path_of;
use crate::system::table::{Subject, When};
use crate::system::tools::{Aliases, Renamed, ambiguous, class_of};

/// What a definition compares the subject of an event with.
#[derive(Clone, Debug, Default)]
pub(crate) enum Subjects {
    /// Nothing: the definition runs for all subjects.
    #[default]
    Any,
    /// One of these names, exactly.
    Names(Vec<String>),
    /// One of these patterns.
    Globs(Vec<Glob>),
    /// A regular expression that matches anywhere in the subject.
    Regex(Regex),
    /// A regular expression, unless the other one matches: `^(?!…)…`.
    Unless(Regex, Regex),
}

impl Subjects {
    /// Reads a regular expression that begins with `^(?!…)`; none if it does not.
    pub(crate) fn unless(text: &str) -> Option<Result<Self, String>> {
        let inner = text.strip_prefix("^(?!")?;
        let mut depth = 1;
        let end = inner.char_indices().find_map(|(at, letter)| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            (depth == 0).then_some(at)
        })?;
        let not = pattern::compiled(&format!("^(?:{})", &inner[..end]));
        let regex = pattern::compiled(&format!("^{}", &inner[end + 1..]));
        Some(not.and_then(|not| Ok(Subjects::Unless(not, regex?))))
    }

    /// Whether it says what a subject is not.
    fn excludes(&self) -> bool {
        match self {
            Subjects::Unless(..) => true,
            Subjects::Regex(regex) => regex.as_str().contains("[^"),
            Subjects::Any | Subjects::Names(_) | Subjects::Globs(_) => false,
        }
    }

    /// Whether a subject matches.
    pub(crate) fn has(&self, subject: &str) -> bool {
        match self {
            Subjects::Any => true,
            Subjects::Names(names) => names.iter().any(|name| name == subject),
            Subjects::Globs(globs) => globs.iter().any(|glob| glob.matches(subject)),
            Subjects::Regex(regex) => regex.is_match(subject),
            Subjects::Unless(not, regex) => !not.is_match(subject) && regex.is_match(subject),
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
            Subjects::Unless(not, regex) => write!(f, "/{regex}/ but not /{not}/"),
        }
    }
}

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
    pub(crate) whens: Vec<(&'static str, When)>,
    pub(crate) subjects: Subjects,
    /// What the matcher is compared with, if not with the tool's name.
    pub(crate) compared: Option<Subject>,
    /// The names by which the file may mean a tool.
    pub(crate) aliases: Aliases,
    pub(crate) tenants: Vec<String>,
    pub(crate) agents: Vec<String>,
    pub(crate) rule: Option<input::Rule>,
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
    ) -> Result<Result<(), Unmet>, Fault> {
        let is_other =
            |(name, when): &(&str, When)| *name == event.name() && !when.holds(cx, event);
        if self.whens.iter().any(is_other) {
            return Ok(Err(Unmet::When));
        }
        if !matches!(self.subjects, Subjects::Any) {
            let is_met = match &self.compared {
                None => events::subject(event).is_some_and(|tool| self.has(tool)),
                Some(Subject::Words(words)) => words.iter().any(|word| self.subjects.has(word)),
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
            .is_some_and(|rule| !rule.matches(cx, event))
        {
            return Ok(Err(Unmet::Rule));
        }
        // A condition reads one of two names, and the tool perhaps the other.
        if let Some(condition) = &self.condition
            && let Some((one, other)) = events::args(event).and_then(ambiguous)
            && condition.reads("args")
            && class_of(events::subject(event).unwrap_or_default()).is_some()
        {
            return Err(Fault::filter(format_args!(
                "`{one}` and `{other}` mean the same, and differ: nobody knows which of them counts"
            )));
        }
        match &self.condition {
            Some(condition) if !self.is_met(condition, cx, event)? => Ok(Err(Unmet::Condition)),
            _ => Ok(Ok(())),
        }
    }

    /// Whether it may let an event about this tool pass. This is the part of [`check`](Self::check) that needs only the
    /// tool's name.
    #[inline]
    pub(crate) fn may_concern(&self, tool: &str) -> bool {
        (!self.has_tools() || self.has(tool))
            && self.rule.as_ref().is_none_or(|rule| rule.may_concern(tool))
    }

    /// Whether it compares the tool's name with something.
    fn has_tools(&self) -> bool {
        !matches!(self.subjects, Subjects::Any) && self.compared.is_none()
    }

    /// Whether it matches a tool, by one of the tool's names.
    fn has(&self, tool: &str) -> bool {
        // What excludes one name is true of the others.
        if self.subjects.excludes() {
            let own = self.aliases.theirs(tool, None::<fn(&str) -> bool>);
            return self.subjects.has(own);
        }
        let mut theirs = self.aliases.of_tool(tool);
        self.subjects.has(tool) || theirs.any(|name| self.subjects.has(name))
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
        let agent = self.aliases.agent;
        if agent.is_none() && events::subject(event) == Some(tool) {
            return None;
        }
        Renamed::of(tool, events::args(event)?, agent)
    }

    fn is_met(
        &self,
        condition: &Cel,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
    ) -> Result<bool, Fault> {
        if !self.is_goclaw {
            let renamed = self.renamed(event);
            let args = Renamed::variables(renamed.as_ref());
            return Ok(condition.is_true(&Variables::with(cx, *event, args))?);
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
        Ok(condition.is_true(&Variables::with(cx, *event, &more))?)
    }
}

/// Returns what a matcher is compared with, if not with the tool's name.
fn of<'a>(compared: &Subject, cx: &'a AgentContext, event: &AgentEvent<'a>) -> Option<&'a str> {
    let or = |text: &'a str, default: &'static str| if text.is_empty() { default } else { text };
    match compared {
        Subject::None | Subject::Words(_) => None,
        Subject::Tool => events::subject(event),
        Subject::Command => events::args(event)?["command"].as_str(),
        Subject::Path => path_of(events::args(event)?),
        Subject::Empty => Some(""),
        Subject::Reason => Some(match event {
            AgentEvent::SessionStart(start) => or(&start.source, "startup"),
            AgentEvent::SessionEnd(end) => or(end.reason, "other"),
            AgentEvent::BeforeCompact(compact) => or(&compact.trigger, "auto"),
            AgentEvent::AfterCompact(compact) => or(compact.trigger, "auto"),
            _ => return None,
        }),
        Subject::Kind => Some(match event {
            AgentEvent::SubagentStart(start) => &start.agent,
            AgentEvent::SubagentStop(stop) => stop.agent,
            AgentEvent::BeforeStop(_) => &cx.agent_type,
            AgentEvent::Notification(notification) => notification.kind,
            _ => return None,
        }),
    }
}
