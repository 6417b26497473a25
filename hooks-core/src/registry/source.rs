//! The source of the handlers of a `..source`.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::ops::Deref;

use super::{HookRegistry, RunTime};
use crate::event::EventSet;

/// What `hooks![…, ..source]` takes: a collection of handlers that may change.
///
/// [`HookRegistry`] and [`Mounted`](crate::Mounted) are sources, and so is a reference, a `Box`, an `Arc` or an `Option` of
/// one. Implement it for a type that keeps a registry up to date, such as a watcher of configuration files. Most
/// implementations delegate every method to a [`Mounted`](crate::Mounted) that they own.
///
/// ```
/// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
/// use hooks_core::{EventSet, HandlerSource, HookRegistry, Mounted, hook, hooks};
///
/// /// Plugins that are found in a folder.
/// #[derive(Clone)]
/// struct Plugins { found: Mounted<AgentEvent<'static>> }
///
/// impl HandlerSource for Plugins {
///     type Vocabulary = AgentEvent<'static>;
///     type Set<'a> = <Mounted<AgentEvent<'static>> as HandlerSource>::Set<'a>;
///
///     fn wanted(&self) -> EventSet { HandlerSource::wanted(&self.found) }
///     fn current(&self) -> Self::Set<'_> { self.found.current() }
///     fn describe<'d>(&'d self, handler: &mut dyn FnMut(&'d str, i32, EventSet)) {
///         HandlerSource::describe(&self.found, handler);
///     }
/// }
///
/// #[hook]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let plugins = Plugins { found: Mounted::default() };
/// let hooks = hooks![..plugins.clone()];
/// plugins.found.mount(lower).unwrap();
///
/// let mut call = BeforeToolCall { name: "Shell".into(), ..Default::default() };
/// assert!(hooks.intercept(&AgentContext::new("s1"), &mut call).await.is_continue());
/// assert_eq!(call.name, "shell");
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "what stands after `..` has no handlers to spread",
    label = "not a source of handlers",
    note = "`..source` takes a `HookRegistry`, a `Mounted`, or a type that implements `HandlerSource`; a hook \
            or a pipeline stands in the list without `..`, and hooks that are only found at run time go into a \
            `HookRegistry`"
)]
pub trait HandlerSource: Send + Sync {
    /// The vocabulary of the handlers.
    type Vocabulary: RunTime;
    /// The type that holds the current handlers.
    type Set<'a>: Deref<Target = HookRegistry<Self::Vocabulary>> + Send + Sync
    where
        Self: 'a;

    /// The events that any handler wants.
    ///
    /// Every dispatch calls this, so it should be no more than a load. It must include every event that a handler
    /// wants, and may include others.
    fn wanted(&self) -> EventSet;

    /// The current handlers. A dispatch calls this once, and keeps the handlers until its end.
    fn current(&self) -> Self::Set<'_>;

    /// Passes all handlers to a plan, in order, each with its name, its priority and the events that it wants.
    fn describe<'d>(&'d self, handler: &mut dyn FnMut(&'d str, i32, EventSet));
}

impl<V: RunTime> HandlerSource for HookRegistry<V> {
    type Vocabulary = V;
    type Set<'a>
        = &'a HookRegistry<V>
    where
        V: 'a;

    #[inline(always)]
    fn wanted(&self) -> EventSet {
        self.wanted
    }

    #[inline(always)]
    fn current(&self) -> &HookRegistry<V> {
        self
    }

    fn describe<'d>(&'d self, handler: &mut dyn FnMut(&'d str, i32, EventSet)) {
        for placed in self.handlers.iter() {
            handler(&placed.shown, placed.priority, placed.events);
        }
    }
}

/// Implements `HandlerSource` for a pointer to a source.
macro_rules! pointers {
    ($([$($life:lifetime)?] $pointer:ty;)*) => { $(
        impl<$($life,)? S: HandlerSource + ?Sized> HandlerSource for $pointer {
            type Vocabulary = S::Vocabulary;
            type Set<'a>
                = S::Set<'a>
            where
                Self: 'a;

            #[inline(always)]
            fn wanted(&self) -> EventSet {
                (**self).wanted()
            }

            #[inline(always)]
            fn current(&self) -> Self::Set<'_> {
                (**self).current()
            }

            fn describe<'d>(&'d self, handler: &mut dyn FnMut(&'d str, i32, EventSet)) {
                (**self).describe(handler);
            }
        }
    )* };
}
pointers! {
    ['r] &'r S;
    [] Box<S>;
    [] Arc<S>;
}

/// A source that is switched off has no handlers.
impl<S: HandlerSource> HandlerSource for Option<S> {
    type Vocabulary = S::Vocabulary;
    type Set<'a>
        = MaybeSet<S::Set<'a>, S::Vocabulary>
    where
        Self: 'a;

    #[inline(always)]
    fn wanted(&self) -> EventSet {
        self.as_ref().map_or(EventSet::NONE, HandlerSource::wanted)
    }

    fn current(&self) -> Self::Set<'_> {
        match self {
            Some(source) => MaybeSet::Some(source.current()),
            None => MaybeSet::None(HookRegistry::new()),
        }
    }

    fn describe<'d>(&'d self, handler: &mut dyn FnMut(&'d str, i32, EventSet)) {
        if let Some(source) = self {
            source.describe(handler);
        }
    }
}

/// The handlers of a source that may be switched off.
#[doc(hidden)]
#[derive(Debug)]
pub enum MaybeSet<S, V: RunTime> {
    Some(S),
    None(HookRegistry<V>),
}

impl<V: RunTime, S: Deref<Target = HookRegistry<V>>> Deref for MaybeSet<S, V> {
    type Target = HookRegistry<V>;

    fn deref(&self) -> &HookRegistry<V> {
        match self {
            MaybeSet::Some(set) => set,
            MaybeSet::None(empty) => empty,
        }
    }
}
