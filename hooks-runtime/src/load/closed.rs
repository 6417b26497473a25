//! Replaces a hook that cannot be used, or may not run, by a definition that fails closed.
//!
//! The hook may have been a guard. A guard that is not there is worse than none, because people rely on it.

use std::sync::Arc;

use hooks_config::ConfigError;

use super::Loader;
use crate::definition::{Body, Definition, DefinitionPlace};
use crate::entry::{ImportEntry, Mode, OnFault};
use crate::events::EventInfo;
use crate::fault::HandlerFault;
use crate::filter::Filter;
use crate::handler::{Handler, PendingAnswer};
use crate::system::Dialect;
use crate::system::HandlerQuestion;

/// What an entry was meant for, as far as it can be understood.
pub(super) struct Meant<'a> {
    pub(super) entry: &'a ImportEntry,
    pub(super) dialect: Dialect,
    pub(super) info: &'static EventInfo,
    /// The event's name in the file.
    pub(super) named: &'a str,
    pub(super) filter: Filter,
}

/// A handler that cannot run.
pub(super) struct Unusable(String);

impl Unusable {
    pub(super) fn because(why: impl Into<String>) -> Arc<dyn Handler> {
        Arc::new(Unusable(why.into()))
    }
}

impl Handler for Unusable {
    fn kind(&self) -> &'static str {
        "unusable"
    }

    fn target(&self) -> String {
        self.0.clone()
    }

    fn is_inert(&self) -> bool {
        true
    }

    fn ask(&self, _: &HandlerQuestion<'_>) -> PendingAnswer {
        let fault = HandlerFault::not_started(&self.0);
        Box::pin(std::future::ready(Err(fault)))
    }
}

/// Whether a hook that cannot run blocks this event. A block of `BeforeStop` would keep the agent working without end.
fn blocks(info: &EventInfo) -> bool {
    info.is_blockable && info.name != "BeforeStop"
}

/// A definition that cannot run, and blocks its event.
pub(super) fn unusable(
    name: String,
    dialect: Dialect,
    event: (&'static EventInfo, String),
    filter: Filter,
    why: &str,
) -> Definition {
    let body = Body::Handler(Unusable::because(why));
    Definition {
        events: vec![event],
        filter,
        on_failure: Some(OnFault::Block),
        ..Definition::new(name, DefinitionPlace::default(), dialect, body)
    }
}

/// Makes a definition one that cannot run. It blocks those of its events that it could block; without any, it is off.
pub(super) fn close(definition: &mut Definition, why: &str) {
    if definition.events.iter().any(|(info, _)| blocks(info)) {
        definition.events.retain(|(info, _)| blocks(info));
    } else {
        definition.mode = Mode::Off;
    }
    definition.body = Body::Handler(Unusable::because(why));
    (definition.on_timeout, definition.on_failure) = (None, Some(OnFault::Block));
    definition.is_background = false;
    definition.state = Arc::default();
}

impl Loader<'_> {
    /// Leaves out a wrong entry. If its event can be blocked, a definition in its place blocks it.
    pub(super) fn closed(
        &mut self,
        wrong: ConfigError,
        meant: Meant<'_>,
        definitions: &mut Vec<Definition>,
    ) {
        if !blocks(meant.info) || meant.entry.mode == Mode::Off || self.is_refused(meant.entry) {
            return self.left_out(wrong, meant.entry);
        }
        let origin = DefinitionPlace::of(wrong.file(), wrong.line());
        let name = self.free_name(&format!("{} (unusable)", meant.named), &origin.to_string());
        let named = meant.named;
        let notice =
            format!("this entry cannot be used, so it blocks what it is for, `{named}`: {wrong}");
        self.note_left_out(notice);
        let why = format!(
            "the entry of the hook in {origin} cannot be used: {}",
            wrong.message()
        );
        let event = (meant.info, meant.named.to_owned());
        definitions.push(Definition {
            origin,
            mode: meant.entry.mode,
            ..unusable(name, meant.dialect, event, meant.filter, &why)
        });
    }
}
