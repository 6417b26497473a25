//! One definition, checked and compiled: its filter, its handler and its policy.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use hooks_core::EventSet;
use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_rules::action::Action;

use crate::answer::{HandlerAnswer, Verdict};
use crate::entry::{Mode, OnFault};
use crate::events::{EventInfo, set_of};
use crate::fault::HandlerFault;
use crate::fault::caught;
use crate::filter::{Filter, Unmet};
use crate::handler::Handler;
use crate::record::RecordStep;
use crate::safeguard::Breaker;
use crate::system::Dialect;

/// How long a handler may take, unless its definition says so.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(5);

/// The place of a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DefinitionPlace(String);

impl DefinitionPlace {
    pub(crate) fn of(file: Option<&Path>, line: Option<usize>) -> Self {
        DefinitionPlace(match (file.map(Path::display), line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            (Some(file), None) => file.to_string(),
            (None, Some(line)) => format!("line {line}"),
            (None, None) => String::new(),
        })
    }

    /// Returns the file and the line, for people.
    pub(crate) fn shown(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DefinitionPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The handler.
#[derive(Clone)]
pub(crate) enum Body {
    Rule(Action),
    Handler(Arc<dyn Handler>),
}

impl Body {
    /// Returns the kind of handler, as records name it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Body::Rule(_) => "rule",
            Body::Handler(handler) => handler.kind(),
        }
    }

    /// Returns what the handler runs, for people.
    pub(crate) fn target(&self) -> String {
        match self {
            Body::Rule(rule) => rule.key().to_owned(),
            Body::Handler(handler) => handler.target(),
        }
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.kind(), self.target())
    }
}

/// The state of a definition. It survives revisions that do not change the definition.
#[derive(Debug, Default)]
pub(crate) struct DefinitionState {
    pub(crate) breaker: Breaker,
    pub(crate) last: Mutex<Option<RecordStep>>,
    /// How often it failed and the event went on all the same, and why the last time.
    pub(crate) failed_open: Mutex<(u64, String)>,
    /// An older step, whose memory the next one takes.
    pub(crate) spare: Mutex<Option<RecordStep>>,
}

/// What only an entry of our own says about its hook.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks {
    /// The version, which a store has set.
    pub(crate) version: Option<u64>,
    /// Whether its handler may run in a dry run.
    pub(crate) is_harmless: bool,
    /// Whether the agent waits for its record.
    pub(crate) must_audit: bool,
}

/// One definition.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own"
)]
pub(crate) struct Definition {
    pub(crate) name: Arc<str>,
    pub(crate) origin: DefinitionPlace,
    /// The dialect of the file, for `status`.
    pub(crate) dialect: Dialect,
    /// The events, each with its name in the dialect.
    pub(crate) events: Vec<(&'static EventInfo, String)>,
    pub(crate) filter: Filter,
    pub(crate) body: Body,
    pub(crate) mode: Mode,
    pub(crate) timeout: Duration,
    pub(crate) on_timeout: Option<OnFault>,
    pub(crate) on_failure: Option<OnFault>,
    /// Whether the agent continues without waiting for it.
    pub(crate) is_background: bool,
    /// Whether the model reads the late answer of a definition that runs in the background.
    pub(crate) answers_late: bool,
    /// Whether the model also reads its late refusal.
    pub(crate) wakes: bool,
    /// Whether it only allows or cancels, so that it judges the final form of an event as well.
    pub(crate) is_guard: bool,
    /// Whether it makes all definitions that run with it run one after the other.
    pub(crate) is_in_turn: bool,
    /// Its priority among those of its file, if its system has one.
    pub(crate) priority: Option<i32>,
    /// Of the definitions with an equal value, only one runs.
    pub(crate) twin: Option<Arc<str>>,
    pub(crate) marks: Marks,
    pub(crate) state: Arc<DefinitionState>,
}

impl Definition {
    /// A definition without events and filters, which enforces what its handler says and waits for it. The reader of an
    /// entry changes what is otherwise.
    pub(crate) fn new(name: String, origin: DefinitionPlace, dialect: Dialect, body: Body) -> Self {
        Definition {
            name: name.into(),
            origin,
            dialect,
            events: Vec::new(),
            filter: Filter::default(),
            body,
            mode: Mode::Enforce,
            timeout: TIMEOUT,
            on_timeout: None,
            on_failure: None,
            is_background: false,
            answers_late: false,
            wakes: false,
            is_guard: false,
            is_in_turn: false,
            priority: None,
            twin: None,
            marks: Marks::default(),
            state: Arc::default(),
        }
    }

    /// Returns the set of the events on which it runs.
    pub(crate) fn event_set(&self) -> EventSet {
        if self.mode == Mode::Off {
            return EventSet::NONE;
        }
        let events = self.events.iter().map(|(event, _)| set_of(event));
        events.fold(EventSet::NONE, EventSet::union)
    }

    /// Returns the definition's name for an event.
    pub(crate) fn named(&self, info: &'static EventInfo) -> Option<&str> {
        let mut events = self.events.iter();
        let (_, named) = events.find(|(event, _)| std::ptr::eq(*event, info))?;
        Some(named)
    }

    /// Whether it may run on an event about this tool, whatever else the filter says. The caller catches a panic.
    #[inline]
    pub(crate) fn may_concern(&self, tool: &str) -> bool {
        self.mode != Mode::Off && self.is_about_tools() && self.filter.may_concern(tool)
    }

    fn is_about_tools(&self) -> bool {
        self.events.iter().any(|(event, _)| event.has_subject)
    }

    /// Whether it may run on an event. The caller catches a panic.
    #[inline]
    pub(crate) fn may_run(
        &self,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
        info: &'static EventInfo,
    ) -> bool {
        self.named(info).is_some() && !matches!(self.filter.check(cx, event), Ok(Err(_)))
    }

    /// Whether it runs on an event.
    pub(crate) fn check(
        &self,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
        info: &'static EventInfo,
    ) -> Result<Result<(), Unmet>, HandlerFault> {
        if self.mode == Mode::Off || self.named(info).is_none() {
            return Ok(Err(Unmet::Event));
        }
        caught(|| self.filter.check(cx, event))
    }

    /// Returns what a guard says: it allows or cancels. Whatever refuses counts, even if it says more.
    ///
    /// # Errors
    ///
    /// If a guard that does not refuse says more than a guard may.
    pub(crate) fn judged(&self, mut answer: HandlerAnswer) -> Result<HandlerAnswer, HandlerFault> {
        if !self.is_guard {
            return Ok(answer);
        }
        match answer.verdict {
            // What a guard does not cancel, it allows. That does not take the place of an approval.
            Verdict::Approve { .. } => answer.verdict = Verdict::Continue,
            // A question does not allow, and a guard does not ask.
            Verdict::Ask { reason } | Verdict::Defer { reason } => {
                answer.verdict = Verdict::Block { reason };
            }
            _ => {}
        }
        let more = answer.change.is_some() || !answer.context.is_empty();
        let cancels = matches!(
            answer.verdict,
            Verdict::Block { .. } | Verdict::AbortTurn { .. } | Verdict::AbortRun { .. }
        );
        if cancels && more {
            (answer.change, answer.context) = (None, Vec::new());
            let warning = "a guard only allows or cancels: what else it said has no effect";
            answer.warnings.push(warning.to_owned());
        }
        if cancels || answer.is_nothing() {
            return Ok(answer);
        }
        Err(HandlerFault::nonsense(
            "a guard may only allow or cancel: another hook has to change or answer",
        ))
    }

    /// Whether a fault of this kind blocks the event.
    pub(crate) fn blocks_on(&self, fault: &HandlerFault, info: &EventInfo) -> bool {
        let policy = match fault.kind {
            crate::fault::FaultKind::TimedOut => self.on_timeout.or(self.on_failure),
            _ => self.on_failure,
        };
        info.is_blockable && policy.unwrap_or(OnFault::Block) == OnFault::Block
    }
}
