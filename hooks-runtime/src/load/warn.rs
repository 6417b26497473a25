//! Warns about definitions that never have their apparent effect. They are not mistakes, but probably not intended.

use std::borrow::Cow;
use std::sync::LazyLock;

use hooks_builtin::__tools::arguments_of;
use hooks_builtin::Redact;
use hooks_rules::action::Action;
use hooks_rules::cel::Cel;
use hooks_rules::input;
use hooks_rules::subjects::Subjects;

use super::{Draft, Loader};
use crate::bundle::secret_texts;
use crate::definition::{Body, Definition};
use crate::entry::{Mode, OnEntry};
use crate::events::{EVENTS, EventInfo};
use crate::filter::Filter;
use crate::handler::process::mode_of;
use crate::system::Dialect;

/// A hook that never runs, because another one always ends its events before it.
pub(super) struct Never {
    pub(super) hook: String,
    /// Where its definition is.
    origin: String,
    pub(super) why: String,
}

impl Never {
    pub(super) fn notice(&self) -> String {
        let Never { hook, origin, why } = self;
        format!("{origin}: the hook `{hook}` never runs, because {why}")
    }
}

/// Returns the hooks that never run. The definitions are in the order in which they run.
pub(super) fn never(drafts: &[Draft]) -> Vec<Never> {
    let mut walls: Vec<(&Definition, &EventInfo)> = Vec::new();
    let mut found = Vec::new();
    let definitions = drafts.iter().flat_map(|draft| &draft.definitions);
    for definition in definitions.filter(|definition| definition.mode != Mode::Off) {
        let behind = |event: &EventInfo| {
            let mut walls = walls.iter();
            walls.find(|(wall, on)| {
                std::ptr::eq(*on, event) && covers(&wall.filter, &definition.filter)
            })
        };
        let walls_of_all: Vec<_> = definition
            .events
            .iter()
            .map_while(|(event, _)| behind(event))
            .collect();
        if let Some((wall, _)) = walls_of_all.first()
            && walls_of_all.len() == definition.events.len()
        {
            found.push(Never {
                hook: definition.name.to_string(),
                origin: definition.origin.to_string(),
                why: format!(
                    "`{}` ({}) runs before it and always ends the event",
                    wall.name, wall.origin
                ),
            });
        }
        if always_ends(definition) {
            walls.extend(
                definition
                    .events
                    .iter()
                    .map(|(event, _)| (definition, *event)),
            );
        }
    }
    found
}

/// Returns the warnings about processes that are only notified of an event they could decide about.
pub(super) fn only_told(drafts: &[Draft]) -> impl Iterator<Item = String> {
    let definitions = drafts.iter().flat_map(|draft| &draft.definitions);
    definitions.filter_map(told)
}

/// Warns about a process that is only notified of an event, because its protocol has no request for it.
fn told(definition: &Definition) -> Option<String> {
    // PicoClaw's files list what a process is notified of, and `*` asks for all events.
    if definition.body.kind() != "process"
        || definition.dialect == Dialect::Picoclaw
        || definition.events.len() == EVENTS.len()
    {
        return None;
    }
    let events = definition.events.iter().map(|(event, _)| event);
    let told = events.filter(|event| event.is_intercepted && mode_of(event) == "observe");
    let told: Vec<_> = told.map(|event| event.name).collect();
    (!told.is_empty()).then(|| {
        format!(
            "{}: the process of the hook `{}` is only notified of `{}`, and cannot decide about it: the protocol asks about tool \
             calls, approvals and calls of a model; use `command` or `http` for other events",
            definition.origin,
            definition.name,
            told.join("`, `")
        )
    })
}

/// Whether a definition stops every event that its filter matches.
fn always_ends(definition: &Definition) -> bool {
    let ends = matches!(
        definition.body,
        Body::Rule(
            Action::Block(_) | Action::AbortTurn(_) | Action::AbortRun(_) | Action::Respond(_)
        )
    );
    ends && definition.mode == Mode::Enforce
        && definition.filter.condition.is_none()
        && definition.filter.rule.is_none()
}

/// Whether a filter without a condition matches everything that another one matches.
fn covers(wall: &Filter, other: &Filter) -> bool {
    let all_of = |wall: &[String], other: &[String]| {
        wall.is_empty() || (!other.is_empty() && other.iter().all(|one| wall.contains(one)))
    };
    let subjects = match (&wall.subjects, &other.subjects) {
        (Subjects::Any, _) => true,
        (wall, Subjects::Names(names)) => names.iter().all(|name| wall.has(name)),
        (Subjects::Globs(wall), Subjects::Globs(globs)) => {
            globs.iter().all(|glob| wall.contains(glob))
        }
        (Subjects::Regex(wall), Subjects::Regex(regex)) => wall.as_str() == regex.as_str(),
        _ => false,
    };
    subjects && all_of(&wall.tenants, &other.tenants) && all_of(&wall.agents, &other.agents)
}

/// What is probably not intended in a hook that has no mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The name of the hook.
    pub hook: String,
    /// What the hook does, as a sentence that begins with `it`.
    pub text: String,
    /// Whether the hook stops, or allows, everything that there is. Ask before you save it.
    pub is_grave: bool,
}

/// What looks like a credential.
static REDACT: LazyLock<Redact> = LazyLock::new(Redact::new);

impl Loader<'_> {
    /// Notes what is probably not intended in a hook that several people share. Who writes a file alone knows what they want.
    pub(super) fn warn(&mut self, entry: &OnEntry, definition: &Definition) {
        if self.is_shared() {
            let model = self.plan.services.evaluator.as_ref();
            let has_model = model.is_some_and(|model| model.is_ready());
            let texts = texts(entry, definition, has_model);
            self.warnings.extend(texts);
        }
    }
}

/// Returns what is probably not intended in a definition, and in the entry that it is made of.
fn texts(entry: &OnEntry, definition: &Definition, has_model: bool) -> Vec<Warning> {
    let Definition { filter, events, .. } = definition;
    let matches_all = filter.subjects.has("") && filter.subjects.has("a tool");
    let is_open = matches_all && filter.rule.is_none() && filter.condition.is_none();
    let is_open = is_open && filter.tenants.is_empty() && filter.agents.is_empty();
    let is_of_tool = events.iter().all(|(event, _)| event.has_subject);
    let what = if is_of_tool {
        "tool call"
    } else {
        "such event"
    };
    let mut texts = match &definition.body {
        Body::Rule(Action::Block(_) | Action::AbortTurn(_) | Action::AbortRun(_)) if is_open => {
            vec![format!("the hook blocks every {what}")]
        }
        Body::Rule(Action::Approve(_)) if is_open => {
            vec![format!("the hook approves every {what}")]
        }
        _ => Vec::new(),
    };
    let is_grave = !texts.is_empty() && definition.mode == Mode::Enforce;
    let names: &[String] = match &filter.subjects {
        Subjects::Names(names) => names,
        _ => &[],
    };
    let is_other = |rule: &&input::Rule| !names.iter().any(|tool| rule.may_concern(tool));
    if let Some(rule) = filter
        .rule
        .as_ref()
        .filter(|rule| !names.is_empty() && is_other(rule))
    {
        let (rule, tools) = (rule.text(), names.join("`, `"));
        texts.push(format!(
            "the hook never runs: `{rule}` is about another tool than `{tools}`"
        ));
    }
    if entry.prompt.is_some() && !has_model {
        let set = "`ANTHROPIC_API_KEY`, `OPENAI_API_KEY` or `HOOKS_EVALUATOR`";
        texts.push(format!(
            "the hook always fails, because no model is configured: set {set} for the daemon"
        ));
    }
    let arguments = {
        // A condition that asks for the tool by itself knows its arguments.
        let conditions = filter.condition.iter();
        conditions
            .filter(|condition| !condition.reads("name"))
            .flat_map(Cel::arguments)
    };
    texts.extend(arguments.filter_map(|argument| {
        let lacks = |tool: &String| {
            let mut known = arguments_of(tool, None).peekable();
            known.peek().is_some() && !known.any(|known| known == argument)
        };
        let is_lacking = (names.is_empty() && matches_all) || names.iter().any(lacks);
        let write = format!("write `has(args.{argument}) && …`");
        is_lacking
            .then(|| format!("the hook fails on calls without the argument `{argument}`: {write}"))
    }));
    let mut entry = serde_json::to_value(entry).unwrap_or_default();
    secret_texts(&mut entry, &mut |_, text| {
        if text.contains("secret:") || text.contains('$') {
            text.clear();
        }
    });
    for key in ["http", "command", "process"] {
        if let Cow::Owned(_) = REDACT.redact(&entry[key].to_string()) {
            let instead = "keep it among the secrets, and write `secret:NAME` into a header";
            texts.push(format!("the hook shows a credential in `{key}`: {instead}"));
        }
    }
    let warning = |(nth, text)| Warning {
        hook: definition.name.to_string(),
        text,
        is_grave: is_grave && nth == 0,
    };
    texts.into_iter().enumerate().map(warning).collect()
}
