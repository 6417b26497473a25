//! Definitions that can never have an effect: no mistakes, but hardly what anybody wants.

use hooks_builtin::config::Mode;

use super::Draft;
use crate::definition::{Body, Definition};
use crate::events::EventInfo;
use crate::filter::{Filter, Subjects};
use crate::handler::rule::Rule;

/// What to tell about definitions that stand in the order in which they run.
pub(super) fn warnings(drafts: &[Draft]) -> Vec<String> {
    let mut walls: Vec<(&Definition, &EventInfo)> = Vec::new();
    let mut warnings = Vec::new();
    for definition in drafts.iter().flat_map(|draft| &draft.definitions) {
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
            warnings.push(format!(
                "{}: the hook `{}` never runs, because `{}` ({}) stands before it and always ends the event",
                definition.origin, definition.name, wall.name, wall.origin
            ));
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
    warnings
}

/// Whether no event gets past a definition whose filter lets it in.
fn always_ends(definition: &Definition) -> bool {
    let ends = matches!(
        definition.body,
        Body::Rule(Rule::Block(_) | Rule::AbortTurn(_) | Rule::AbortRun(_) | Rule::Respond(_))
    );
    ends && definition.mode == Mode::Enforce
        && definition.filter.condition.is_none()
        && definition.filter.rule.is_none()
}

/// Whether a filter without a condition lets in whatever another one lets in.
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
