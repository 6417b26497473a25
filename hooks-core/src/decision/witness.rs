//! Tells hooks that log an event what the hooks before them did to it.
//!
//! A dispatch passes nothing but the event from one hook to the next. If a hook of the list asks for a [`Witness`], the
//! dispatch runs other code, which shows the event to the witness before and after each hook that can change it.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;

use super::{Decision, HookResult};
use crate::event::{Event, Vocabulary};

/// Sees an event before and after each hook that can change it, for logs that say which hook changed what.
///
/// A hook with `every` that takes `Option<&W>` after the [`Decision`] asks for the witness `W`. A dispatch through a
/// list with such a hook has one witness of each type, which all hooks that ask for it share. A list without such a
/// hook is compiled as if there were no witnesses.
///
/// The hook receives `None` for an observed event, which nothing can change.
///
/// A witness sees each hook that takes the event by `&mut`, or returns something:
///
/// - a hook of the list under its own name, also in nested pipelines, in [`Then`](crate::Then), and in
///   [`CatchPanic`](crate::CatchPanic), `Timeout` and [`When`](crate::When);
/// - a handler of a [`HookRegistry`](crate::HookRegistry) under its own name, also in a registry within a registry. A
///   pipeline of several hooks is one handler;
/// - no hook in [`ReadOnly`](crate::ReadOnly) or [`Shadow`](crate::Shadow), whose changes are dropped.
///
/// If the hook that asks is itself a handler of a registry, its witness sees the whole dispatch of the list that
/// contains the registry, as `hooks![…, registry]` or `hooks![…, ..registry]`. If it is one of several hooks in a
/// pipeline that is a handler, its witness sees only the dispatch of that pipeline.
///
/// With a witness, a dispatch also costs what the witness does around each hook, and the future of an asynchronous
/// dispatch is boxed.
///
/// ```
/// use std::sync::Mutex;
/// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
/// use hooks_core::{Decision, Witness, hook, hooks, priority};
///
/// /// The hooks that have changed the name of the tool.
/// #[derive(Default)]
/// struct Renamed { name: String, by: Vec<String> }
///
/// impl Renamed {
///     fn name_of(event: AgentEvent<'_>) -> String {
///         match event {
///             AgentEvent::BeforeToolCall(call) => call.name.clone(),
///             _ => String::new(),
///         }
///     }
/// }
///
/// impl Witness<AgentEvent<'static>> for Renamed {
///     fn begin() -> Box<Self> { Box::default() }
///
///     fn before(&mut self, event: AgentEvent<'_>) { self.name = Self::name_of(event); }
///
///     fn after(&mut self, hook: &str, event: AgentEvent<'_>) {
///         if self.name != Self::name_of(event) {
///             self.by.push(hook.into());
///         }
///     }
/// }
///
/// #[hook(priority = 10)]
/// fn trim(call: &mut BeforeToolCall) { call.name = call.name.trim().into(); }
///
/// #[hook]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// #[derive(Default)]
/// struct Log { lines: Mutex<Vec<String>> }
///
/// #[hook(every, priority = priority::AUDIT)]
/// impl Log {
///     fn write(&self, event: AgentEvent<'_>, _: Decision<'_>, renamed: Option<&Renamed>) {
///         let by = renamed.map_or(String::new(), |renamed| renamed.by.join(", "));
///         self.lines.lock().unwrap().push(format!("{} renamed by [{by}]", event.name()));
///     }
/// }
///
/// let log = Log::default();
/// let hooks = hooks![trim, lower, &log];
/// for name in ["Shell", "shell"] {
///     let mut call = BeforeToolCall { name: name.into(), ..Default::default() };
///     let _ = hooks.intercept_now(&AgentContext::new("s1"), &mut call);
/// }
/// assert_eq!(
///     *log.lines.lock().unwrap(),
///     ["BeforeToolCall renamed by [lower]", "BeforeToolCall renamed by []"],
/// );
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no witness of the events of `{V}`",
    label = "not a witness",
    note = "after the decision a hook takes `Option<&W>`, where `W` implements `Witness<AgentEvent<'static>>`, \
            or that of another vocabulary"
)]
pub trait Witness<V: Vocabulary>: Any + Send + Sync {
    /// Returns the witness of one dispatch. An implementation may reuse one that has [ended](Self::end).
    fn begin() -> Box<Self>
    where
        Self: Sized;

    /// Receives the event before a hook that can change it.
    fn before(&mut self, event: V::View<'_>);

    /// Receives the event after the hook of this name.
    fn after(&mut self, hook: &str, event: V::View<'_>);

    /// Receives the witness back when the dispatch ends or is dropped. By default, it drops the witness.
    fn end(self: Box<Self>) {}
}

/// The witnesses of one dispatch, one of each type.
pub struct Witnesses<V: Vocabulary + 'static> {
    // Most lists have logs of one kind only. They need no allocation here.
    first: Option<Box<dyn Witness<V>>>,
    more: Vec<Box<dyn Witness<V>>>,
}

impl<V: Vocabulary + 'static> Witnesses<V> {
    pub(crate) const NONE: Self = Witnesses {
        first: None,
        more: Vec::new(),
    };

    pub(crate) const fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    fn all(&self) -> impl Iterator<Item = &dyn Witness<V>> {
        self.first
            .iter()
            .chain(&self.more)
            .map(|witness| &**witness)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Box<dyn Witness<V>>> {
        self.first.iter_mut().chain(&mut self.more)
    }

    /// Returns the witness of this type, if a hook has asked for it.
    fn get<W: 'static>(&self) -> Option<&W> {
        self.all().find_map(|witness| {
            let witness: &dyn Any = witness;
            witness.downcast_ref()
        })
    }

    /// Adds a witness of this type, unless there is one.
    pub fn ask_for<W: Witness<V>>(&mut self) {
        if self.first.is_none() {
            self.first = Some(W::begin());
        } else if self.get::<W>().is_none() {
            self.more.push(W::begin());
        }
    }

    /// Shows the event before a hook.
    pub(crate) fn before<E: Event<Vocabulary = V>>(&mut self, event: &E) {
        for witness in self.all_mut() {
            witness.before(event.view());
        }
    }

    /// Shows the event after a hook.
    pub(crate) fn after<E: Event<Vocabulary = V>>(&mut self, hook: &str, event: &E) {
        for witness in self.all_mut() {
            witness.after(hook, event.view());
        }
    }

    /// Returns a decision together with the witnesses.
    #[must_use]
    pub const fn told<'a>(&'a self, decision: Decision<'a>) -> Told<'a, V> {
        Told {
            decision,
            witnesses: Some(self),
        }
    }
}

impl<V: Vocabulary + 'static> Drop for Witnesses<V> {
    fn drop(&mut self) {
        for witness in self.first.take().into_iter().chain(self.more.drain(..)) {
            witness.end();
        }
    }
}

impl<V: Vocabulary + 'static> fmt::Debug for Witnesses<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.all().count();
        f.debug_struct("Witnesses").field("count", &count).finish()
    }
}

/// The witnesses of a dispatch of `E`.
pub type WitnessesOf<E> = Witnesses<<E as Event>::Vocabulary>;

/// A decision and the witnesses, for the hooks that log it.
#[derive(Debug)]
pub struct Told<'a, V: Vocabulary + 'static> {
    decision: Decision<'a>,
    witnesses: Option<&'a Witnesses<V>>,
}

impl<V: Vocabulary + 'static> Clone for Told<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Vocabulary + 'static> Copy for Told<'_, V> {}

impl<'a, V: Vocabulary + 'static> Told<'a, V> {
    /// Combines the decision of a hook with the witnesses, if there are any.
    pub(crate) fn new<E: Event<Vocabulary = V>>(
        result: &'a HookResult<E>,
        witnesses: Option<&'a Witnesses<V>>,
    ) -> Self {
        Told {
            decision: result.into(),
            witnesses,
        }
    }

    /// Returns the decision.
    #[must_use]
    pub const fn decision(self) -> Decision<'a> {
        self.decision
    }

    /// Returns the witness of this type. It has no bound `Witness`, because `ask_for` has checked it: so one mistake
    /// gives one message.
    #[must_use]
    pub fn witness<W: 'static>(self) -> Option<&'a W> {
        self.witnesses?.get()
    }
}

/// The conversion for a dispatch without witnesses.
impl<'a, V: Vocabulary + 'static> From<Decision<'a>> for Told<'a, V> {
    #[inline(always)]
    fn from(decision: Decision<'a>) -> Self {
        Told {
            decision,
            witnesses: None,
        }
    }
}
