//! Hooks that exist only at run time: a list of boxed hooks, and their places in a pipeline.
//!
//! | file | holds |
//! | --- | --- |
//! | `boxed` | the boxed form of any hooks: one method |
//! | `set` | the hooks of a registry at one moment, in order |
//! | `merge` | a dispatch to the hooks of a set, and to static hooks beside them |
//! | this one | [`HookRegistry`], a handle of hooks that change while agents run |
//! | `source` | [`HandlerSource`], what `..source` in a list takes |
//! | `spread` | `..source` itself: hooks of a source between static hooks |
//! | `spent` | the time that the hooks of a dispatch have spent |

mod boxed;
mod merge;
mod set;
mod source;
mod spent;
mod spread;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;
use core::future::Future;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use self::boxed::Boxed;
pub use self::boxed::{BoxFacts, BoxHook, Boxes, Called, ask_boxed, ask_boxed_copy, wants_boxed};
use self::merge::{Merges, merge};
use self::set::{Policy, RegistryEntry, Set};
pub use self::source::HandlerSource;
pub use self::spent::{spend_time, time_spent};
pub use self::spread::spread;
use crate::decision::{HookResult, Name, ResultOf, go_on};
use crate::event::{Context, Event, EventSet, Every, Many, Reads, Vocabulary};
#[cfg(feature = "tokio")]
use crate::hook::Timeouts;
use crate::hook::{
    ABSENT, AnyEvent, Ask, Asynchronous, ContextIn, Dispatch, Face, Hook, IsIntercepted,
    IsObserved, NAMELESS, Named, NoHooks, OnPanic, Plan, Planner, Probe, Run, Watch,
};
use crate::once::Verdict;

/// Hooks that exist only at run time: plugins, scripts, hooks that a configuration names.
///
/// A registry takes whatever is a hook: a function or a type with `#[hook]`, a pipeline, a `Box<dyn AgentHandler>`. It
/// sorts them by their priorities; hooks of equal priority run in the order in which you add them. The registry is
/// itself a hook: `registry @ -10` puts all its hooks at one place in a static pipeline, and `..registry` gives each
/// hook a place of its own (see [`hooks![…]`](crate::hooks)).
///
/// It is a handle: a clone is the same registry, and all methods take `&self`, so hooks come and go while agents run.
/// A dispatch keeps the hooks with which it began.
///
/// Hooks at run time are the least trusted ones, so the registry isolates their failures. It wraps each hook, when you
/// register it, in the same [`CatchPanic`](crate::CatchPanic) and `Timeout` that static hooks use: see
/// [`on_panic`](Self::on_panic) and `timeouts`.
///
/// In a field or a signature, write the vocabulary for `'static`: `HookRegistry<AgentEvent<'static>>`. A registry
/// with one pipeline in it is also the type-erased form of that pipeline, where you would look for
/// `Box<dyn AgentHooks>`.
///
/// It corresponds to ZeroClaw's and ClawSeed's `HookRunner`, mini-claw-code's `HookRegistry` and PicoClaw's
/// `HookManager`.
///
/// ```
/// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
/// use hooks_core::{HookAction, HookRegistry, hook, hooks};
///
/// struct Plugin { forbidden: String }
///
/// #[hook(name = "plugin")]
/// impl Plugin {
///     fn check(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///         if call.name == self.forbidden { HookAction::block("forbidden") } else { HookAction::Continue }
///     }
/// }
///
/// #[hook(priority = 10)]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let plugins = HookRegistry::<AgentEvent>::new();
/// let hooks = hooks![lower, ..plugins.clone()];
/// plugins.register(Plugin { forbidden: "shell".into() }).unwrap();
///
/// let mut call = BeforeToolCall { name: "Shell".into(), ..Default::default() };
/// let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
/// assert_eq!(result.as_cancel().unwrap().hook, "plugin");
///
/// assert!(plugins.unregister("plugin"));
/// assert!(hooks.intercept(&AgentContext::new("s1"), &mut call).await.is_continue());
/// # }
/// ```
#[doc(alias("dyn", "erase"))]
pub struct HookRegistry<V: Vocabulary /* write `HookRegistry::<AgentEvent>::new()` */> {
    shared: Arc<RegistryState<V::Static>>,
    /// Of the hooks that this handle registers.
    policy: Policy,
}

/// What all handles of a registry share.
struct RegistryState<V: Vocabulary> {
    /// The events that any hook wants. A dispatch reads it first, and most read nothing else.
    wanted: AtomicU64,
    set: RwLock<Arc<Set<V>>>,
}

/// Why a registry did not take a hook.
///
/// ```
/// use hooks_core::agent::{AgentEvent, BeforeToolCall};
/// use hooks_core::{Hook, HookRegistry, RegisterError, hook};
///
/// #[hook]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// let registry = HookRegistry::<AgentEvent>::new();
/// registry.register(lower)?;
/// let error = registry.register(lower).unwrap_err();
/// assert_eq!(error, RegisterError::NameTaken { name: "lower".into() });
/// registry.register(lower.named("second"))?;
/// # Ok::<(), RegisterError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegisterError {
    /// Another hook has this name.
    NameTaken {
        /// The name.
        name: String,
    },
    /// The hooks contain one with `#[hook(around)]`, which cannot run behind a box.
    Around {
        /// The name of the hooks.
        name: String,
    },
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegisterError::NameTaken { name } => write!(
                f,
                "the registry already has a hook `{name}`: give this one another name with `.named(…)`, or call \
                 `replace` to put it in the other's place"
            ),
            RegisterError::Around { name } => write!(
                f,
                "`{name}` has a hook with `#[hook(around)]`, which cannot run in a registry: name that hook \
                 in the `hooks![…]` of the agent"
            ),
        }
    }
}

impl Error for RegisterError {}

impl<V: Vocabulary> HookRegistry<V> {
    /// An empty registry.
    #[must_use]
    pub fn new() -> Self {
        HookRegistry {
            shared: Arc::new(RegistryState {
                wanted: AtomicU64::new(0),
                set: RwLock::default(),
            }),
            policy: Policy::default(),
        }
    }

    /// Sets what happens when a hook panics that you register from now on; by default [`OnPanic::Skip`].
    ///
    /// ```
    /// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
    /// use hooks_core::{HookAction, HookRegistry, OnPanic, hook, hooks};
    ///
    /// #[hook(priority = 2)]
    /// fn careless(call: &mut BeforeToolCall) {
    ///     call.name.clear();
    ///     panic!("out of luck");
    /// }
    ///
    /// #[hook(priority = 1)]
    /// fn no_shell(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    ///     if call.name == "shell" { HookAction::block("no shell here") } else { HookAction::Continue }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let registry = HookRegistry::<AgentEvent>::new().with(careless).with(no_shell);
    /// let mut call = BeforeToolCall { name: "shell".into(), ..Default::default() };
    /// let cx = AgentContext::new("s1");
    /// let result = registry.intercept(&cx, &mut call).await;
    /// assert_eq!(result.as_cancel().unwrap().hook, "no_shell");
    ///
    /// let registry = HookRegistry::<AgentEvent>::new().on_panic(OnPanic::Block).with(careless);
    /// let result = registry.intercept(&cx, &mut call).await;
    /// assert_eq!(result.as_cancel().unwrap().hook, "careless");
    /// # }
    /// ```
    #[must_use]
    pub const fn on_panic(mut self, policy: OnPanic) -> Self {
        self.policy.on_panic = policy;
        self
    }

    /// Limits how long each hook may run that you register from now on: see [`Timeouts`].
    ///
    /// Needs the feature `tokio`, and a tokio runtime around the dispatch.
    #[cfg(feature = "tokio")]
    #[must_use]
    pub const fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.policy.timeouts = timeouts;
        self
    }

    /// Adds a hook, after those of the same or a higher priority.
    ///
    /// # Errors
    ///
    /// If a hook of this name is there, or the hooks contain one with `#[hook(around)]`, which cannot run behind a
    /// box. The registry is then unchanged.
    pub fn register<H>(&self, hook: H) -> Result<(), RegisterError>
    where
        H: Hook + 'static,
        V::Static: Boxes<H>,
    {
        self.insert(self.entry(None, hook)?)
    }

    /// Adds a hook with this priority instead of its own: like `hook @ PRIORITY` in [`hooks![…]`](crate::hooks), but
    /// with a priority that is known only at run time.
    ///
    /// ```
    /// use hooks_core::agent::{AgentEvent, BeforeToolCall};
    /// use hooks_core::{HookRegistry, RegisterError, hook, hooks};
    ///
    /// #[hook(priority = 5)]
    /// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
    ///
    /// #[hook(priority = 1)]
    /// fn trim(call: &mut BeforeToolCall) { call.name = call.name.trim().into(); }
    ///
    /// let registry = HookRegistry::<AgentEvent>::new();
    /// registry.register(lower)?;
    /// registry.register_at(10, trim)?;
    /// assert_eq!(format!("{registry:?}"), "[trim, lower]");
    /// # Ok::<(), RegisterError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`register`](Self::register).
    pub fn register_at<H>(&self, priority: i32, hook: H) -> Result<(), RegisterError>
    where
        H: Hook + 'static,
        V::Static: Boxes<H>,
    {
        self.insert(self.entry(Some(priority), hook)?)
    }

    /// Like [`register`](Self::register), to build a registry in one expression.
    ///
    /// # Panics
    ///
    /// If [`register`](Self::register) would return an error.
    #[must_use]
    pub fn with<H>(self, hook: H) -> Self
    where
        H: Hook + 'static,
        V::Static: Boxes<H>,
    {
        if let Err(error) = self.register(hook) {
            panic!("{error}");
        }
        self
    }

    /// Removes the hook with this name. Returns whether there was one.
    ///
    /// ```
    /// use hooks_core::agent::{AgentEvent, BeforeToolCall};
    /// use hooks_core::{HookRegistry, hook, hooks};
    ///
    /// #[hook]
    /// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
    ///
    /// let registry = HookRegistry::<AgentEvent>::new().with(lower);
    /// assert!(registry.unregister("lower"));
    /// assert!(!registry.unregister("lower"));
    /// ```
    #[expect(clippy::must_use_candidate, reason = "the call removes the hook")]
    pub fn unregister(&self, name: &str) -> bool {
        self.change(|set| set.remove(name)).is_some()
    }

    /// Replaces the hook with this name, and keeps the name. The priority is the new hook's own; at the same priority
    /// it takes the other's place. If there is no hook with this name, the hook is added. Returns whether there was
    /// one.
    ///
    /// # Errors
    ///
    /// If the hooks contain one with `#[hook(around)]`. The registry is then unchanged.
    ///
    /// ```
    /// use hooks_core::agent::{AgentEvent, BeforeToolCall};
    /// use hooks_core::{HookRegistry, RegisterError, hook, hooks};
    ///
    /// #[hook]
    /// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
    ///
    /// #[hook]
    /// fn upper(call: &mut BeforeToolCall) { call.name.make_ascii_uppercase(); }
    ///
    /// let registry = HookRegistry::<AgentEvent>::new().with(lower);
    /// assert!(registry.replace("lower", upper)?);
    /// assert_eq!(registry.names(), ["lower"]);
    /// # Ok::<(), RegisterError>(())
    /// ```
    pub fn replace<H>(&self, name: &str, hook: H) -> Result<bool, RegisterError>
    where
        H: Hook + 'static,
        V::Static: Boxes<Named<H>>,
    {
        let entry = self.entry(None, hook.named(String::from(name)))?;
        Ok(self.change(|set| set.put(entry)).is_some())
    }

    /// Replaces all hooks by those of another registry, at once: no dispatch sees some of the old ones and some of the
    /// new. Returns a registry with the old hooks.
    ///
    /// ```
    /// use hooks_core::agent::{AgentEvent, BeforeToolCall};
    /// use hooks_core::{HookRegistry, hook};
    ///
    /// #[hook]
    /// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
    ///
    /// #[hook]
    /// fn trim(call: &mut BeforeToolCall) { call.name = call.name.trim().into(); }
    ///
    /// let plugins = HookRegistry::<AgentEvent>::new().with(lower);
    /// let before = plugins.swap(&HookRegistry::new().with(trim));
    /// assert_eq!((plugins.names(), before.names()), (vec!["trim".into()], vec!["lower".into()]));
    /// ```
    #[expect(
        clippy::must_use_candidate,
        clippy::return_self_not_must_use,
        reason = "the call replaces the hooks"
    )]
    pub fn swap(&self, hooks: &Self) -> Self {
        let new = hooks.current();
        let old = self.change(|set| core::mem::replace(set, (*new).clone()));
        let before = self.like();
        before.change(|set| *set = old);
        before
    }

    /// Attaches a probe, which sees the dispatches of this registry, or, where it is spread with `..registry`, of the
    /// whole list. If it panics, the agent goes on, and the probe sees no more of that dispatch.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    /// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
    /// use hooks_core::probe::{Probe, Ran};
    /// use hooks_core::{HookRegistry, hook, hooks};
    ///
    /// #[derive(Default)]
    /// struct Count(AtomicUsize);
    ///
    /// impl Probe<AgentEvent<'static>> for Count {
    ///     type State = ();
    ///     fn begin(&self, _cx: &AgentContext, _event: AgentEvent<'_>) {}
    ///     fn ran(&self, (): &mut (), _hook: Ran<'_>, _event: AgentEvent<'_>) {
    ///         self.0.fetch_add(1, Ordering::Relaxed);
    ///     }
    /// }
    ///
    /// #[hook]
    /// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let count = Arc::new(Count::default());
    /// let plugins = HookRegistry::<AgentEvent>::new();
    /// plugins.attach(Arc::clone(&count));
    /// let hooks = hooks![lower, ..plugins];
    /// let _ = hooks.intercept(&AgentContext::new("s1"), &mut BeforeToolCall::default()).await;
    /// assert_eq!(count.0.load(Ordering::Relaxed), 1);
    /// # }
    /// ```
    pub fn attach<P: Probe<V::Static>>(&self, probe: Arc<P>) {
        self.change(|set| set.attach(probe));
    }

    /// Attaches the probes of another registry to this one.
    #[doc(hidden)]
    pub fn attach_all(&self, other: &Self) {
        let other = other.current();
        self.change(|set| set.attach_all(&other));
    }

    /// The names of the hooks, in the order in which they run.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.current().names().map(String::from).collect()
    }

    /// The number of hooks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.current().len()
    }

    /// Whether there are no hooks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Who runs when: rows, which print as a table; see [`Plan`].
    #[must_use]
    pub fn plan(&self) -> Plan {
        Plan::of(self)
    }

    /// Runs the hooks on an intercepted event in order, like [`Pipeline::intercept`](crate::Pipeline::intercept).
    ///
    /// # Panics
    ///
    /// If a hook panics that was registered with [`OnPanic::Propagate`].
    pub fn intercept<'a, E: IsIntercepted<Self, K>, K: Verdict>(
        &'a self,
        cx: &'a ContextIn<Self, E>,
        event: &'a mut E,
    ) -> K::Of<impl Future<Output = HookResult<E>> + Send>
    where
        V: Reads<E::Vocabulary>,
    {
        K::of(E::ask(self, cx, event))
    }

    /// Runs all hooks on an observed event concurrently, like [`Pipeline::observe`](crate::Pipeline::observe).
    ///
    /// # Panics
    ///
    /// If a hook panics that was registered with [`OnPanic::Propagate`].
    pub fn observe<'a, E: IsObserved<Self, K>, K: Verdict>(
        &'a self,
        cx: &'a ContextIn<Self, E>,
        event: &'a E,
    ) -> K::Of<impl Future<Output = ()> + Send>
    where
        V: Reads<E::Vocabulary>,
    {
        K::of(E::ask(self, cx, event))
    }

    /// Runs the hooks on an event that is known only at run time.
    ///
    /// ```
    /// use hooks_core::agent::{AgentContext, AgentEvent, AgentEventMut, BeforeToolCall};
    /// use hooks_core::{HookAction, HookRegistry, hook};
    ///
    /// #[hook]
    /// fn closed(_: &BeforeToolCall) -> HookAction<BeforeToolCall> { HookAction::block("closed") }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let registry = HookRegistry::<AgentEvent>::new().with(closed);
    /// let mut call = BeforeToolCall::default();
    /// let event = AgentEventMut::BeforeToolCall(&mut call);
    /// assert!(!registry.dispatch(&AgentContext::new("s1"), event).await.is_continue());
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If a hook panics that was registered with [`OnPanic::Propagate`].
    pub async fn dispatch(
        &self,
        cx: &<V::Static as Vocabulary>::Context,
        event: <V::Static as Vocabulary>::Mut<'_>,
    ) -> <V::Static as Vocabulary>::Said
    where
        V::Static: Boxes<Self>,
    {
        let mut unwatched = Face::<V::Static, ()>(());
        match <V::Static as Boxes<Self>>::call(self, cx, event, &mut unwatched) {
            Called::Done(said) => said,
            Called::Waits(waits) => waits.await,
        }
    }

    /// A registry with the same policies and no hooks.
    fn like(&self) -> Self {
        HookRegistry {
            policy: self.policy,
            ..HookRegistry::new()
        }
    }

    /// A hook in its box, isolated from the failures of others. This runs code of the hook's author, which must not
    /// happen under the lock.
    fn entry<H>(
        &self,
        priority: Option<i32>,
        hook: H,
    ) -> Result<RegistryEntry<V::Static>, RegisterError>
    where
        H: Hook + 'static,
        V::Static: Boxes<H>,
    {
        let (name, own) = named(hook.name(), Plan::of(&hook));
        if !hook.wrapped().is_empty() {
            let name = name.into();
            return Err(RegisterError::Around { name });
        }
        Ok(RegistryEntry {
            priority: priority.unwrap_or(own),
            policy: self.policy,
            boxed: Boxed::new(name, hook),
        })
    }

    fn insert(&self, entry: RegistryEntry<V::Static>) -> Result<(), RegisterError> {
        let refused = self.change(|set| set.insert(entry));
        // Dropped here, and not under the lock: it runs code of the hook's author.
        refused.map_or(Ok(()), |entry| Err(entry.refused()))
    }

    /// Changes the hooks for the dispatches that begin from now on.
    fn change<R>(&self, change: impl FnOnce(&mut Set<V::Static>) -> R) -> R {
        let mut current = self
            .shared
            .set
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let result = change(Arc::make_mut(&mut current));
        let wanted = current.wanted().bits();
        self.shared.wanted.store(wanted, Ordering::Release);
        result
    }

    /// The hooks as they are now.
    fn current(&self) -> Arc<Set<V::Static>> {
        let current = self.shared.set.read();
        Arc::clone(&current.unwrap_or_else(PoisonError::into_inner))
    }
}

/// The name and the priority of hooks: those of the hook, if there is one; several have no priority.
fn named(name: Name<'_>, mut plan: Plan) -> (Cow<'static, str>, i32) {
    let name = name.owned();
    match plan.next() {
        Some(first) if plan.all(|row| row.order == first.order) => {
            // A list of one hook has the name of that hook, unless it was given another.
            let name = if name == NAMELESS { first.hook } else { name };
            (name, first.priority)
        }
        _ => (name, 0),
    }
}

impl<V: Vocabulary> Default for HookRegistry<V> {
    fn default() -> Self {
        Self::new()
    }
}

/// The clone is the same registry.
impl<V: Vocabulary> Clone for HookRegistry<V> {
    fn clone(&self) -> Self {
        HookRegistry {
            shared: Arc::clone(&self.shared),
            policy: self.policy,
        }
    }
}

/// The names of the hooks, in the order in which they run.
impl<V: Vocabulary> fmt::Debug for HookRegistry<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = self.current();
        f.debug_list()
            .entries(
                set.names()
                    .map(|name| fmt::from_fn(move |f| f.write_str(name))),
            )
            .finish()
    }
}

/// In a list beside others, a registry needs a place, `hooks![registry @ -10]`, or gives each hook its own, `..registry`.
#[diagnostic::do_not_recommend]
impl<V: Vocabulary> Hook for HookRegistry<V> {
    type Vocabulary = V;
    type Rank = crate::hook::Places;
    type Answers = Every<Many>;
    type Exact = Every<Many>;
    type Wraps = ();

    #[inline]
    fn is_live(&self) -> bool {
        true
    }

    fn wanted(&self) -> EventSet {
        EventSet::from_bits(self.shared.wanted.load(Ordering::Acquire))
    }

    fn describe(&self, plan: &mut Planner) {
        plan.holder("HookRegistry", self.current().plans());
    }
}

#[diagnostic::do_not_recommend]
impl<V, E, K> Run<E, K> for HookRegistry<V>
where
    V: Vocabulary<Static = E::Vocabulary>,
    E: AnyEvent + Event<Kind = K>,
    K: Merges,
    NoHooks: Dispatch<E>,
{
    type Timing = Asynchronous;
    type Facts = K::Boxed;

    fn wants(&self, _: &Context<E>, _: &E) -> bool {
        self.wanted().contains::<E>()
    }

    async fn run<'a, W: Watch<E::Vocabulary>>(&'a self, ask: Ask<'a, E, W>) -> ResultOf<E> {
        if !self.wanted().contains::<E>() {
            return go_on::<E>();
        }
        merge(&ABSENT, self.current(), ask).await
    }
}
