//! Warns about definitions that never have their apparent effect. They are not mistakes, but probably not intended.

use super::Draft;
use crate::definition::{Body, Definition};
use crate::entry::Mode;
use crate::events::{EVENTS, EventInfo};
use crate::filter::{Filter, Subjects};
use crate::handler::process::mode_of;
use crate::handler::rule::Rule;
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
        Body::Rule(Rule::Block(_) | Rule::AbortTurn(_) | Rule::AbortRun(_) | Rule::Respond(_))
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
