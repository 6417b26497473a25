//! A registry that changes while agents run.

use alloc::sync::Arc;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use super::by_name::ByName;
use super::{Handled, HandlerSource, Handles, HookRegistry, Placed, RegisterError, RunTime};
use crate::decision::{Dispatched, Outcome, Told, WitnessesOf};
use crate::event::{Access, Context, EventSet, Every, Later};
use crate::hook::{Describe, HandleAsync, Hook, Listens, Planner};

/// Handlers that you mount and unmount while agents run.
///
/// It is a handle: a clone refers to the same handlers. Put one clone into the pipeline, as `..mounted` or
/// `mounted @ PRIORITY`, and keep another to mount with. A dispatch keeps the handlers that it started with until its
/// end: a handler that you mount runs from the next dispatch on, and a handler that you unmount is dropped when the
/// last dispatch that uses it has ended. A handler may itself mount and unmount.
///
/// On an event that no handler wants, it costs a dispatch two loads and a branch. Otherwise the dispatch takes a lock
/// to count one more user of the set, and releases it.
///
/// Needs the feature `std`. PicoClaw's `MountHook` and `UnmountHook`.
///
/// ```
/// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
/// use hooks_core::{HookAction, Mounted, hook, hooks};
///
/// #[hook(priority = 5)]
/// fn no_shell(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///     if call.name == "shell" { HookAction::block("no shell here") } else { HookAction::Continue }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let plugins = Mounted::<AgentEvent>::default();
/// let hooks = hooks![..plugins.clone()];
/// let cx = AgentContext::new("s1");
/// let mut call = BeforeToolCall { name: "shell".into(), ..Default::default() };
/// assert!(hooks.intercept(&cx, &mut call).await.is_continue());
///
/// plugins.mount(no_shell).unwrap();
/// assert!(!hooks.intercept(&cx, &mut call).await.is_continue());
///
/// assert!(plugins.unmount("no_shell"));
/// assert!(hooks.intercept(&cx, &mut call).await.is_continue());
/// # }
/// ```
pub struct Mounted<V: RunTime> {
    shared: Arc<Shared<V>>,
}

struct Shared<V: RunTime> {
    /// The events that any handler of the set wants, readable without the lock.
    wanted: AtomicU64,
    set: RwLock<Arc<HookRegistry<V>>>,
    /// The names that plans have shown, each once. A plan's rows borrow them for as long as the handle lives, even if
    /// the handlers are unmounted meanwhile.
    names: ByName<()>,
}

impl<V: RunTime> Mounted<V> {
    /// Starts with the handlers of a registry.
    #[must_use]
    pub fn new(registry: HookRegistry<V>) -> Self {
        Mounted {
            shared: Arc::new(Shared {
                wanted: AtomicU64::new(registry.wanted.bits()),
                set: RwLock::new(Arc::new(registry)),
                names: ByName::default(),
            }),
        }
    }

    /// Adds a handler, under its own name and priority: see [`HookRegistry::register`].
    ///
    /// # Errors
    ///
    /// If the hooks contain one with `#[hook(around)]`, which cannot run behind a box. The handlers are then
    /// unchanged.
    pub fn mount<H, By>(&self, handler: H) -> Result<(), RegisterError>
    where
        V: Handles<H, By>,
    {
        let placed = Placed::new::<V, _, _>(handler)?;
        self.change(|registry| registry.add(placed));
        Ok(())
    }

    /// Adds a handler with this name and priority instead of its own: see [`HookRegistry::register_as`].
    ///
    /// # Errors
    ///
    /// If another handler has this name, or the hooks contain one with `#[hook(around)]`. The handlers are then
    /// unchanged.
    pub fn mount_as<H, By>(
        &self,
        name: &str,
        priority: i32,
        handler: H,
    ) -> Result<(), RegisterError>
    where
        V: Handles<H, By>,
    {
        let placed = Placed::new::<V, _, _>(handler)?.named(name).at(priority);
        self.change(|registry| registry.add_named(&placed))
    }

    /// Removes the handler with this name. Returns whether there was one.
    #[must_use = "it says whether there was a handler of this name"]
    pub fn unmount(&self, name: &str) -> bool {
        let old = self.change(|registry| registry.remove(name));
        old.is_some()
    }

    /// Replaces the handler with this name: see [`HookRegistry::replace`]. No dispatch sees both, or neither.
    ///
    /// # Errors
    ///
    /// If the hooks contain one with `#[hook(around)]`. The handlers are then unchanged.
    pub fn replace<H, By>(&self, name: &str, handler: H) -> Result<bool, RegisterError>
    where
        V: Handles<H, By>,
    {
        let placed = Placed::new::<V, _, _>(handler)?.named(name);
        let old = self.change(|registry| registry.put(placed));
        Ok(old.is_some())
    }

    /// Replaces all handlers and the policies with those of a registry, and returns the old ones. No dispatch sees
    /// some of both.
    ///
    /// ```
    /// use hooks_core::agent::{AgentEvent, BeforeToolCall};
    /// use hooks_core::{HookRegistry, Mounted, OnPanic, hook};
    ///
    /// #[hook]
    /// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
    ///
    /// #[hook]
    /// fn upper(call: &mut BeforeToolCall) { call.name.make_ascii_uppercase(); }
    ///
    /// let plugins = Mounted::<AgentEvent>::new(HookRegistry::new().with(lower));
    /// let old = plugins.swap(HookRegistry::new().on_panic(OnPanic::Block).with(upper));
    /// assert_eq!(old.names().collect::<Vec<_>>(), ["lower"]);
    /// assert_eq!(plugins.snapshot().names().collect::<Vec<_>>(), ["upper"]);
    /// ```
    pub fn swap(&self, registry: HookRegistry<V>) -> HookRegistry<V> {
        self.change(|current| core::mem::replace(current, registry))
    }

    /// The current handlers.
    #[must_use]
    pub fn snapshot(&self) -> Arc<HookRegistry<V>> {
        // A panic elsewhere, while the lock was held, has left a valid set.
        let set = self
            .shared
            .set
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&set)
    }

    /// Changes the set: in place if no dispatch uses it, otherwise in a copy.
    ///
    /// No code of a handler's author may run under the lock, not even the drop of a handler: it could mount another
    /// handler. So handlers that leave the set, or are rejected, are dropped outside.
    fn change<R>(&self, change: impl FnOnce(&mut HookRegistry<V>) -> R) -> R {
        let Shared { wanted, set, .. } = &*self.shared;
        let mut set = set.write().unwrap_or_else(PoisonError::into_inner);
        let result = change(Arc::make_mut(&mut set));
        // A reader that sees the new set's events also sees at least the new set.
        wanted.store(set.wanted.bits(), Ordering::Release);
        result
    }
}

impl<V: RunTime> Clone for Mounted<V> {
    fn clone(&self) -> Self {
        Mounted {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<V: RunTime> Default for Mounted<V> {
    fn default() -> Self {
        Mounted::new(HookRegistry::new())
    }
}

/// The names of the handlers, in the order in which they run.
impl<V: RunTime> fmt::Debug for Mounted<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.snapshot().fmt(f)
    }
}

impl<V: RunTime> HandlerSource for Mounted<V> {
    type Vocabulary = V;
    type Set<'a>
        = Arc<HookRegistry<V>>
    where
        V: 'a;

    #[inline(always)]
    fn wanted(&self) -> EventSet {
        EventSet::from_bits(self.shared.wanted.load(Ordering::Acquire))
    }

    fn current(&self) -> Arc<HookRegistry<V>> {
        self.snapshot()
    }

    fn describe<'d>(&'d self, handler: &mut dyn FnMut(&'d str, i32, EventSet)) {
        for placed in self.snapshot().handlers.iter() {
            let names = &self.shared.names;
            if let Some(shown) = names.get_or_add(&placed.shown, usize::MAX, || ()) {
                handler(&shown.name, placed.priority, placed.events);
            }
        }
    }
}

/// It is a hook of priority 0, which you can override with `hooks![mounted @ -10]`.
#[diagnostic::do_not_recommend]
impl<V: RunTime> Hook for Mounted<V> {
    type Vocabulary = V;
    type Rank = crate::__rank!(0);
    type Answers = Every<Later>;
    type Wraps = ();
    type Listens = Listens;

    #[inline]
    fn wanted(&self) -> EventSet {
        HandlerSource::wanted(self)
    }
}

impl<V: RunTime> Describe for Mounted<V> {
    fn describe<'d>(&'d self, plan: &mut Planner<'d, '_>) {
        plan.holder::<V>("Mounted", |each| HandlerSource::describe(self, each));
    }
}

#[diagnostic::do_not_recommend]
impl<V: RunTime, E: Handled> HandleAsync<E> for Mounted<V>
where
    E::Vocabulary: RunTime<Handler = V::Handler>,
{
    type Said = Outcome<E>;

    async fn handle<'a>(&'a self, cx: &'a Context<E>, mut event: Access<'a, E>) -> Outcome<E> {
        let set = self.snapshot();
        HandleAsync::<E>::handle(&*set, cx, E::lend(&mut event)).await
    }

    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>)
    where
        E: Dispatched,
    {
        let set = self.snapshot();
        super::ask::tell(&set.handlers, set.policy, cx, event, told);
    }

    fn listen(&self, witnesses: &mut WitnessesOf<E>) {
        let set = self.snapshot();
        if set.listens {
            super::ask::listen::<E>(&set.handlers, witnesses);
        }
    }

    async fn witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        mut event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> Outcome<E> {
        let set = self.snapshot();
        HandleAsync::<E>::witnessed(&*set, cx, E::lend(&mut event), witnesses).await
    }
}
