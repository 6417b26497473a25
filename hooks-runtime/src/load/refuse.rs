//! What does not run: kinds of handlers that `[hooks.limits]` refuses, and hooks that a store has refused.
//!
//! What is loaded is judged, not what is written. So it does not matter in which table or in whose format a hook is.
//! What does not run, and could block, is replaced by a definition that fails closed.

use hooks_builtin::config::{HooksConfig, Reach};

use super::closed::{close, unusable};
use super::{Draft, Loader};
use crate::definition::{Body, Definition, DefinitionPlace};
use crate::entry::{FileConfig, LimitsConfig, Mode};
use crate::events::EventInfo;
use crate::filter::Filter;
use crate::system::Dialect;
use crate::system::table::UnitOrder;

/// A hook that does not run, because its kind is [refused](crate::entry::LimitsConfig::refuse), or a store has refused it.
/// Where it could block, it blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotAllowed {
    /// The name of the hook, or of the table that asks for it.
    pub hook: String,
    /// The kind of handler that is refused; empty if the hook itself is.
    pub kind: String,
    /// Why, in a sentence.
    pub why: String,
}

impl NotAllowed {
    fn of_kind(hook: &str, kind: &str) -> Self {
        NotAllowed {
            hook: hook.to_owned(),
            kind: kind.to_owned(),
            why: format!("hooks of the kind `{kind}` do not run here"),
        }
    }
}

/// Returns the kind of handler that a built-in hook is like; none if it stays inside of the agent.
fn kind_of(hook_type: &str) -> Option<&'static str> {
    match Reach::of(hook_type)? {
        Reach::Programs => Some("command"),
        Reach::Network => Some("http"),
        Reach::Files => Some(LimitsConfig::FILE),
        _ => None,
    }
}

/// The key of a handler in `[[hooks.on]]`.
fn key_of(body: &Body) -> &'static str {
    match body {
        Body::Rule(rule) => rule.key(),
        Body::Handler(handler) => handler.kind(),
    }
}

impl Loader<'_> {
    /// Checks that a file refuses nothing that is not there: it would run.
    pub(super) fn check_refused(&mut self, config: &FileConfig) {
        let kinds = LimitsConfig::kinds();
        for kind in &config.entries.limits.refuse {
            if !kinds.contains(&kind.as_str()) {
                let path = ["hooks".into(), "limits".into(), "refuse".into()];
                let help = format!("the kinds are `{}`", kinds.join("`, `"));
                let message = format!("`{kind}` is not a kind of handler");
                let wrong = config.mistake(&path, message, Some(&help));
                self.mistakes.push(wrong);
            }
        }
    }

    /// Refuses the definitions from a draft on whose kinds do not run.
    pub(super) fn refuse_kinds(&mut self, from: usize) {
        let mut drafts = self.drafts.split_off(from);
        for definition in drafts.iter_mut().flat_map(|draft| &mut draft.definitions) {
            let kind = key_of(&definition.body);
            if self.refused.contains(kind) {
                let refused = NotAllowed::of_kind(&definition.name, kind);
                self.refuse(definition, refused);
            }
        }
        self.drafts.append(&mut drafts);
    }

    /// Refuses a definition, for a reason that a store has written down.
    pub(super) fn refuse_for(&mut self, definition: &mut Definition, why: &str) {
        let refused = NotAllowed {
            hook: definition.name.to_string(),
            kind: String::new(),
            why: why.to_owned(),
        };
        self.refuse(definition, refused);
    }

    fn refuse(&mut self, definition: &mut Definition, refused: NotAllowed) {
        if definition.mode == Mode::Off {
            return;
        }
        if let Body::Handler(handler) = &definition.body {
            // A process that an earlier revision has started ends with its handler.
            let kept = &mut self.kept.bodies;
            kept.retain(|_, (kept, _)| !std::sync::Arc::ptr_eq(kept, handler));
        }
        close(definition, &refused.why);
        self.note_refused(&definition.origin, refused);
    }

    fn note_refused(&mut self, origin: &DefinitionPlace, refused: NotAllowed) {
        let NotAllowed { hook, why, .. } = &refused;
        self.notices
            .push(format!("{origin}: `{hook}` does not run: {why}"));
        self.not_allowed.push(refused);
    }

    /// Whether an import of a file does not run.
    pub(super) fn refuses_import(&mut self, origin: &DefinitionPlace, mode: Mode) -> bool {
        let is_refused = self.refused.contains(LimitsConfig::FILE);
        if is_refused && mode != Mode::Off {
            // What is in the file is not known, so it may have been a guard.
            self.refuse_table("import", LimitsConfig::FILE, origin, true);
        }
        is_refused
    }

    /// Switches off the built-in hooks whose kinds do not run.
    pub(super) fn refuse_builtin(&mut self, config: &mut HooksConfig, origin: &DefinitionPlace) {
        let kind = |hook_type: &str| kind_of(hook_type).filter(|kind| self.refused.contains(*kind));
        let off = config.switch_off(|hook_type| kind(hook_type).is_some());
        let off: Vec<_> = off
            .into_iter()
            .filter_map(|(hook, _)| Some((kind(&hook)?, hook)))
            .collect();
        for (kind, hook) in off {
            // The others are logs, which only look.
            self.refuse_table(&hook, kind, origin, hook == "shell_hook");
        }
    }

    /// Notes that something of a table does not run. If it could block calls of tools, a definition in its place does.
    fn refuse_table(
        &mut self,
        hook: &str,
        kind: &str,
        origin: &DefinitionPlace,
        could_block: bool,
    ) {
        let refused = NotAllowed::of_kind(hook, kind);
        if let (true, Some(info)) = (could_block, EventInfo::named("BeforeToolCall")) {
            let name = self.free_name(&format!("{hook} (refused)"), origin.shown());
            let event = (info, info.name.to_owned());
            let dialect = Dialect::Hooks;
            self.drafts.push(Draft {
                name: name.clone(),
                priority: 0,
                order: UnitOrder::AtOnce,
                is_foreign: false,
                definitions: vec![Definition {
                    origin: origin.clone(),
                    ..unusable(name, dialect, event, Filter::default(), &refused.why)
                }],
            });
        }
        self.note_refused(origin, refused);
    }
}
