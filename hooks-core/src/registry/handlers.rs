//! Handlers in order, and which of them want an event about a certain subject, such as a tool.
//!
//! A handler may want only [some subjects](Only). It is asked once for each, and the answers for all handlers are kept
//! as one row of bits. So a dispatch finds the row of its subject once, and passes over the handlers that do not want
//! it, without a call. A hook may rename the subject: then the dispatch finds the row of the new name.

#[cfg(feature = "std")]
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Deref;

use super::ask::Policy;
#[cfg(feature = "std")]
use super::by_name::{ByName, Named};
use super::{Handled, Handler, Placed, RunTime};

/// The subjects that a handler wants: what `only("glob")` is to a hook.
///
/// A handler's method `only` returns it. A registry asks it once for each subject and remembers the answer, so a
/// handler that does not want a subject costs a dispatch nothing. The answer for a subject must never change.
///
/// It is not asked about events without a subject: the handler handles them all.
///
/// ```
/// use hooks_core::agent::{AgentContext, AgentEvent, AgentHandler, BeforeToolCall};
/// use hooks_core::{HookAction, HookRegistry, Only, async_trait};
///
/// struct NoWrites;
///
/// impl Only for NoWrites {
///     fn wants(&self, tool: &str) -> bool { tool.starts_with("file_") }
/// }
///
/// #[async_trait]
/// impl AgentHandler for NoWrites {
///     fn only(&self) -> Option<&dyn Only> { Some(self) }
///
///     async fn before_tool_call(
///         &self,
///         _: &AgentContext,
///         _: &mut BeforeToolCall,
///     ) -> HookAction<BeforeToolCall> {
///         HookAction::block("files stay as they are")
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let registry = HookRegistry::<AgentEvent>::new().with(NoWrites);
/// let cx = AgentContext::new("s1");
/// let mut call = BeforeToolCall { name: "shell".into(), ..Default::default() };
/// assert!(registry.intercept(&cx, &mut call).await.is_continue());
/// call.name = "file_write".into();
/// assert!(!registry.intercept(&cx, &mut call).await.is_continue());
/// # }
/// ```
pub trait Only: Send + Sync {
    /// Whether the handler wants events about this subject.
    fn wants(&self, subject: &str) -> bool;
}

/// How many subjects a registry remembers. Beyond that, it asks the handlers each time: the subject may be the name of
/// a tool that a model has invented.
#[cfg(feature = "std")]
const MOST_SUBJECTS: usize = 512;
/// How long a subject may be that a registry remembers.
#[cfg(feature = "std")]
const LONGEST: usize = 128;

/// Handlers in the order in which they run.
#[doc(hidden)]
#[expect(missing_debug_implementations, reason = "a handler need not have it")]
pub struct Handlers<H: ?Sized> {
    placed: Vec<Placed<H>>,
    /// Whether any of them wants only some subjects.
    is_choosy: bool,
    /// Which handlers want a subject, a bit each.
    #[cfg(feature = "std")]
    rows: ByName<Box<[u64]>>,
}

impl<H: ?Sized> Handlers<H> {
    pub(super) const fn new() -> Self {
        Handlers {
            placed: Vec::new(),
            is_choosy: false,
            #[cfg(feature = "std")]
            rows: ByName::new(),
        }
    }

    /// Changes the handlers. What they have said about subjects is forgotten, as their places may be others.
    pub(super) fn change<R>(&mut self, change: impl FnOnce(&mut Vec<Placed<H>>) -> R) -> R {
        let result = change(&mut self.placed);
        self.is_choosy = self.placed.iter().any(|placed| placed.is_choosy);
        #[cfg(feature = "std")]
        {
            self.rows = ByName::new();
        }
        result
    }
}

impl<H: ?Sized> Clone for Handlers<H> {
    fn clone(&self) -> Self {
        Handlers {
            placed: self.placed.clone(),
            is_choosy: self.is_choosy,
            #[cfg(feature = "std")]
            rows: ByName::new(),
        }
    }
}

impl<H: ?Sized> Deref for Handlers<H> {
    type Target = [Placed<H>];

    fn deref(&self) -> &[Placed<H>] {
        &self.placed
    }
}

/// Which handlers want the subject that an event has now.
#[derive(Clone, Copy)]
pub(super) struct Wanting<'a> {
    #[cfg(feature = "std")]
    row: Option<&'a Named<Box<[u64]>>>,
    #[cfg(not(feature = "std"))]
    row: core::marker::PhantomData<&'a ()>,
}

impl<'a> Wanting<'a> {
    /// Before the first look at an event.
    pub(super) const UNKNOWN: Self = Wanting {
        #[cfg(feature = "std")]
        row: None,
        #[cfg(not(feature = "std"))]
        row: core::marker::PhantomData,
    };

    /// Looks at the event, whose subject may be another one than the last time.
    #[inline]
    pub(super) fn look<E: Handled>(
        self,
        handlers: &'a Handlers<Handler<E>>,
        policy: Policy,
        event: &E,
    ) -> Self {
        if !handlers.is_choosy {
            return self;
        }
        self.find(handlers, policy, event)
    }

    #[cfg(feature = "std")]
    fn find<E: Handled>(
        self,
        handlers: &'a Handlers<Handler<E>>,
        policy: Policy,
        event: &E,
    ) -> Self {
        let subject = match event.subject() {
            Some(subject) if subject.len() <= LONGEST => subject,
            _ => return Wanting::UNKNOWN,
        };
        if self.row.is_some_and(|row| row.name == subject) {
            return self;
        }
        let row = || {
            let mut row = alloc::vec![0; handlers.len().div_ceil(64)];
            for (nth, placed) in handlers.iter().enumerate() {
                row[nth / 64] |= u64::from(wants::<E>(placed, policy, subject)) << (nth % 64);
            }
            row.into()
        };
        Wanting {
            row: handlers.rows.get_or_add(subject, MOST_SUBJECTS, row),
        }
    }

    #[cfg(not(feature = "std"))]
    fn find<E: Handled>(self, _: &'a Handlers<Handler<E>>, _: Policy, _: &E) -> Self {
        self
    }

    /// Whether a handler wants the event, at which this has looked last.
    #[inline]
    pub(super) fn has<E: Handled>(
        self,
        handlers: &Handlers<Handler<E>>,
        policy: Policy,
        nth: usize,
        event: &E,
    ) -> bool {
        let placed = &handlers[nth];
        if !placed.events.contains::<E>() {
            return false;
        }
        #[cfg(feature = "std")]
        if let Some(row) = self.row {
            return row.value[nth / 64] & (1 << (nth % 64)) != 0;
        }
        !placed.is_choosy
            || event
                .subject()
                .is_none_or(|subject| wants::<E>(placed, policy, subject))
    }
}

/// Asks a handler. If it panics, it is asked about the event itself.
fn wants<E: Handled>(placed: &Placed<Handler<E>>, policy: Policy, subject: &str) -> bool {
    let asked = || E::Vocabulary::only(&placed.handler).is_none_or(|only| only.wants(subject));
    policy.catch(asked).unwrap_or(true)
}
