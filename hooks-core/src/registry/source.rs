//! The source of the hooks of a `..source`.

use alloc::boxed::Box;
use alloc::sync::Arc;

use super::{HookRegistry, Set};
use crate::event::{EventSet, Vocabulary};
use crate::hook::Hook;

/// What `hooks![…, ..source]` takes: a collection of hooks that may change.
///
/// A [`HookRegistry`] is a source, and so is a reference, a `Box`, an `Arc` or an `Option` of one. A type of yours that
/// keeps a registry up to date, such as a watcher of configuration files, hands it out.
///
/// ```
/// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
/// use hooks_core::{HandlerSource, HookRegistry, hook, hooks};
///
/// /// Plugins that are found in a folder.
/// #[derive(Clone)]
/// struct Plugins { found: HookRegistry<AgentEvent<'static>> }
///
/// impl HandlerSource for Plugins {
///     type Vocabulary = AgentEvent<'static>;
///     fn registry(&self) -> Option<&HookRegistry<AgentEvent<'static>>> { Some(&self.found) }
/// }
///
/// #[hook]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let plugins = Plugins { found: HookRegistry::new() };
/// let hooks = hooks![..plugins.clone()];
/// plugins.found.register(lower).unwrap();
///
/// let mut call = BeforeToolCall { name: "Shell".into(), ..Default::default() };
/// assert!(hooks.intercept(&AgentContext::new("s1"), &mut call).await.is_continue());
/// assert_eq!(call.name, "shell");
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "the value after `..` has no hooks to spread",
    label = "not a source of hooks",
    note = "`..source` takes a `HookRegistry`, a `Runtime`, or a type that implements `HandlerSource`; a hook \
            or a pipeline goes in the list without `..`, and hooks that are only found at run time go into a \
            `HookRegistry`"
)]
pub trait HandlerSource: Send + Sync {
    /// The vocabulary of the hooks.
    type Vocabulary: Vocabulary;

    /// The registry with the hooks; `None` for a source that is switched off. Every dispatch calls this.
    fn registry(&self) -> Option<&HookRegistry<Self::Vocabulary>>;
}

impl<V: Vocabulary> HandlerSource for HookRegistry<V> {
    type Vocabulary = V;

    #[inline(always)]
    fn registry(&self) -> Option<&Self> {
        Some(self)
    }
}

/// Implements `HandlerSource` for a pointer to a source.
macro_rules! pointers {
    ($([$($life:lifetime)?] $pointer:ty;)*) => { $(
        impl<$($life,)? S: HandlerSource + ?Sized> HandlerSource for $pointer {
            type Vocabulary = S::Vocabulary;

            #[inline(always)]
            fn registry(&self) -> Option<&HookRegistry<Self::Vocabulary>> {
                (**self).registry()
            }
        }
    )* };
}
pointers! {
    ['r] &'r S;
    [] Box<S>;
    [] Arc<S>;
}

/// A source that is switched off has no hooks.
impl<S: HandlerSource> HandlerSource for Option<S> {
    type Vocabulary = S::Vocabulary;

    #[inline(always)]
    fn registry(&self) -> Option<&HookRegistry<Self::Vocabulary>> {
        self.as_ref().and_then(HandlerSource::registry)
    }
}

/// The events that any hook of a source wants.
#[inline(always)]
pub(super) fn wanted<S: HandlerSource>(source: &S) -> EventSet {
    source.registry().map_or(EventSet::NONE, Hook::wanted)
}

/// The hooks of a source as they are now.
pub(super) fn current<S: HandlerSource>(
    source: &S,
) -> Arc<Set<<S::Vocabulary as Vocabulary>::Static>> {
    source
        .registry()
        .map_or_else(Arc::default, HookRegistry::current)
}
