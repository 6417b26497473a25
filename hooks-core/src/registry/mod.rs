//! Hooks that exist only at run time: a list of boxed handlers, and their places in a pipeline.
//!
//! | file | holds |
//! | --- | --- |
//! | `handler` | one handler, and what can become one |
//! | `handlers` | handlers in order, and which of them want an event |
//! | `by_name` | what handlers have said about a subject, kept under its name |
//! | `ask` | runs handlers, each isolated from the panics and timeouts of the others |
//! | this one | [`HookRegistry`], handlers in order; the dyn-based runner of the benchmarks |
//! | `mounted` | [`Mounted`], a registry that changes while agents run |
//! | `source` | [`HandlerSource`], what `..source` in a list takes |
//! | `spread` | `..source` itself: handlers between static hooks |

mod ask;
#[cfg(feature = "std")]
mod by_name;
mod handler;
mod handlers;
#[cfg(feature = "std")]
mod mounted;
mod source;
mod spread;

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use core::any::Any;
use core::error::Error;
use core::fmt;
use core::future::Future;
#[cfg(feature = "tokio")]
use core::time::Duration;

pub(crate) use self::ask::HandlersOf;
use self::ask::Policy;
pub use self::handler::{
    AsHandler, BoxFuture, ByHandler, ByHooks, GoOn, Handled, Handler, Handles, RunTime, decided,
    fall_back, intercept_boxed, listen, listens, observe_boxed,
};
use self::handlers::Handlers;
pub use self::handlers::Only;
#[cfg(feature = "std")]
pub use self::mounted::Mounted;
pub use self::source::HandlerSource;
pub use self::spread::spread;
use crate::decision::{HookResult, Outcome, Told, WitnessesOf};
use crate::event::{
    Access, Context, EventSet, Every, Intercepted, Later, Observed, SharesVocabulary,
};
use crate::hook::{
    Describe, HandleAsync, Hook, Intercepts, Listens, Observes, OnPanic, Plan, Planner,
};

/// Hooks that exist only at run time: plugins, scripts, hooks that a configuration names.
///
/// A registry holds boxed handlers, `dyn AgentHandler` or the handler trait of another vocabulary. It sorts them by
/// their `priority()`; handlers of equal priority run in the order in which you add them. The registry is itself a
/// hook: `registry @ -10` puts all its handlers at one place in a static pipeline, and `..registry` gives each
/// handler a place of its own (see [`hooks![…]`](crate::hooks)).
///
/// Handlers are the least trusted hooks, so the registry isolates their failures. When a handler panics, the registry
/// restores the event as it was before that handler, and runs the next one; [`on_panic`](Self::on_panic) changes
/// this. With the feature `tokio`, `timeouts` limits how long each handler may run. To be able to restore an event,
/// the registry copies it before the first handler, and again after each handler that handles it, unless panics
/// propagate and there is no timeout. A handler must make its changes within the future that its method returns, as
/// `#[async_trait]` does.
///
/// A handler returns the events that it wants from `events()`, by default all events. It costs nothing on other
/// events, and no allocation on an event whose method it does not override. If it wants only some tools, its method
/// `only` says so (see [`Only`]), and it costs nothing on the others.
///
/// In a field or a signature, write the vocabulary for `'static`: `HookRegistry<AgentEvent<'static>>`. A registry
/// with one pipeline in it is also the type-erased form of that pipeline, where you would look for
/// `Box<dyn AgentHooks>`.
///
/// It corresponds to ZeroClaw's and ClawSeed's `HookRunner`, mini-claw-code's `HookRegistry` and PicoClaw's
/// `HookManager`.
///
/// ```
/// use hooks_core::agent::{AgentContext, AgentEvent, AgentHandler, BeforeToolCall};
/// use hooks_core::{HookAction, HookRegistry, async_trait, hook, hooks};
///
/// struct Plugin { forbidden: String }
///
/// #[async_trait]
/// impl AgentHandler for Plugin {
///     fn name(&self) -> &str { "plugin" }
///
///     async fn before_tool_call(
///         &self,
///         _cx: &AgentContext,
///         call: &mut BeforeToolCall,
///     ) -> HookAction<BeforeToolCall> {
///         if call.name == self.forbidden { HookAction::block("forbidden") } else { HookAction::Continue }
///     }
/// }
///
/// #[hook(priority = 10)]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let plugins = HookRegistry::<AgentEvent>::new().with(Plugin { forbidden: "shell".into() });
/// let hooks = hooks![lower, ..plugins];
///
/// let mut call = BeforeToolCall { name: "Shell".into(), ..Default::default() };
/// let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
/// assert_eq!(result.as_cancel().unwrap().hook, "plugin");
/// # }
/// ```
#[doc(alias("dyn", "erase"))]
pub struct HookRegistry<V: RunTime> {
    handlers: Handlers<V::Handler>,
    /// Their names, in a set because there may be thousands of handlers.
    names: BTreeSet<Arc<str>>,
    /// The events that any handler wants.
    wanted: EventSet,
    /// Whether any handler is a log that asks for witnesses.
    listens: bool,
    policy: Policy,
}

/// A handler in its place.
#[doc(hidden)]
#[expect(missing_debug_implementations, reason = "a handler need not have it")]
pub struct Placed<H: ?Sized> {
    /// Its name, which is unique in this registry.
    name: Arc<str>,
    /// The name without its number, for plans and `cancel.hook`.
    shown: Arc<str>,
    priority: i32,
    events: EventSet,
    /// Whether it is a log that asks for witnesses.
    listens: bool,
    /// Whether it wants only some subjects.
    is_choosy: bool,
    handler: Arc<H>,
}

impl<H: ?Sized> Clone for Placed<H> {
    fn clone(&self) -> Self {
        Placed {
            name: self.name.clone(),
            shown: self.shown.clone(),
            priority: self.priority,
            events: self.events,
            listens: self.listens,
            is_choosy: self.is_choosy,
            handler: self.handler.clone(),
        }
    }
}

impl<H: ?Sized> Placed<H> {
    /// A handler with its name and priority, before it has its place. Reading those runs code of the handler's
    /// author, which a [`Mounted`] must not do while it holds its lock.
    fn new<V, T, By>(handler: T) -> Result<Self, RegisterError>
    where
        V: Handles<T, By, Handler = H>,
    {
        let handler = V::handler(handler);
        let name: Arc<str> = V::name(&handler).into();
        if !V::wrapped(&handler).is_empty() {
            let name = (*name).into();
            return Err(RegisterError::Around { name });
        }
        Ok(Placed {
            shown: Arc::clone(&name),
            name,
            priority: V::priority(&handler),
            events: V::events(&handler),
            listens: V::listens(&handler),
            is_choosy: V::only(&handler).is_some(),
            handler,
        })
    }

    /// Overrides the priority.
    fn at(self, priority: i32) -> Self {
        Placed { priority, ..self }
    }

    /// Overrides the name.
    fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self.shown = Arc::clone(&self.name);
        self
    }
}

/// Why a registry did not take a handler.
///
/// ```
/// use hooks_core::agent::{AgentEvent, BeforeToolCall};
/// use hooks_core::{HookRegistry, RegisterError, hook};
///
/// #[hook]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// let mut registry = HookRegistry::<AgentEvent>::new();
/// registry.register_as("first", 10, lower)?;
/// let error = registry.register_as("first", 5, lower).unwrap_err();
/// assert_eq!(error, RegisterError::NameTaken { name: "first".into() });
/// # Ok::<(), RegisterError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegisterError {
    /// Another handler has this name.
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
                "the registry has a handler `{name}` already: give this one another name, or write \
                 `replace` to put it in the other's place"
            ),
            RegisterError::Around { name } => write!(
                f,
                "`{name}` has a hook with `#[hook(around)]`, which would not run in a registry: name that hook \
                 in the `hooks![…]` of the agent"
            ),
        }
    }
}

impl Error for RegisterError {}

/// How long each handler of a registry may run; `None`, the default, means no limit.
///
/// A handler that runs longer is dropped. An event that can be blocked is blocked, so a guard that hangs fails
/// closed. Other events continue in the state that they had before the handler.
///
/// PicoClaw's `hooks.defaults`: `observer_timeout_ms`, `interceptor_timeout_ms`, `approval_timeout_ms`.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::agent::AgentEvent;
/// use hooks_core::{HookRegistry, Timeouts};
///
/// let registry = HookRegistry::<AgentEvent>::new().timeouts(Timeouts {
///     observe: Some(Duration::from_millis(500)),
///     intercept: Some(Duration::from_secs(5)),
///     approve: Some(Duration::from_secs(60)),
/// });
/// ```
///
/// A handler that hangs:
///
/// ```
/// use std::time::Duration;
/// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
/// use hooks_core::{HookRegistry, Timeouts, hook};
///
/// #[hook]
/// async fn hangs(_: &BeforeToolCall) { std::future::pending().await }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// let timeouts = Timeouts { intercept: Some(Duration::from_secs(5)), ..Timeouts::default() };
/// let registry = HookRegistry::<AgentEvent>::new().timeouts(timeouts).with(hangs);
/// let result = registry.intercept(&AgentContext::new("s1"), &mut BeforeToolCall::default()).await;
/// assert_eq!(result.as_cancel().unwrap().reason, "it took longer than its timeout of 5s");
/// # }
/// ```
#[cfg(feature = "tokio")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timeouts {
    /// On observed events.
    pub observe: Option<Duration>,
    /// On intercepted events, except those that ask for an approval.
    pub intercept: Option<Duration>,
    /// On events that ask for an approval (`#[intercept(approval)]`, such as `ApproveToolCall`), which may have to
    /// wait for a person.
    pub approve: Option<Duration>,
}

impl<V: RunTime> HookRegistry<V> {
    /// An empty registry.
    #[must_use]
    pub const fn new() -> Self {
        HookRegistry {
            handlers: Handlers::new(),
            names: BTreeSet::new(),
            wanted: EventSet::NONE,
            listens: false,
            policy: Policy::DEFAULT,
        }
    }

    /// Sets what happens when a handler panics; by default [`OnPanic::Skip`].
    ///
    /// Needs the feature `std`; without it, nothing is caught.
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
    /// let result = registry.on_panic(OnPanic::Block).intercept(&cx, &mut call).await;
    /// assert_eq!(result.as_cancel().unwrap().hook, "careless");
    /// # }
    /// ```
    #[must_use]
    pub const fn on_panic(mut self, policy: OnPanic) -> Self {
        self.policy.on_panic = policy;
        self
    }

    /// Limits how long each handler may run: see [`Timeouts`].
    ///
    /// Needs the feature `tokio`, and a tokio runtime around the dispatch.
    #[cfg(feature = "tokio")]
    #[must_use]
    pub const fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.policy.timeouts = timeouts;
        self
    }

    /// Adds a handler, after those of the same or a higher priority.
    ///
    /// A handler is any value whose type implements the vocabulary's handler trait, directly or in a `Box` or an
    /// `Arc`, and any `impl AgentHooks + 'static`: a hook, a pipeline. Names are unique in a registry: if the name is
    /// taken, the handler gets a number, such as `plugin#2`. Plans and `cancel.hook` leave out the number.
    ///
    /// # Errors
    ///
    /// If the hooks contain one with `#[hook(around)]`, which cannot run behind a box. The registry is then
    /// unchanged.
    pub fn register<H, By>(&mut self, handler: H) -> Result<(), RegisterError>
    where
        V: Handles<H, By>,
    {
        self.add(Placed::new::<V, _, _>(handler)?);
        Ok(())
    }

    /// Adds a handler with this priority instead of its own: like `handler @ PRIORITY` in
    /// [`hooks![…]`](crate::hooks), but with a priority that is known only at run time.
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
    /// let mut registry = HookRegistry::<AgentEvent>::new();
    /// registry.register(lower)?;
    /// registry.register_at(10, trim)?;
    /// assert_eq!(format!("{registry:?}"), "[trim, lower]");
    /// # Ok::<(), RegisterError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`register`](Self::register).
    pub fn register_at<H, By>(&mut self, priority: i32, handler: H) -> Result<(), RegisterError>
    where
        V: Handles<H, By>,
    {
        self.add(Placed::new::<V, _, _>(handler)?.at(priority));
        Ok(())
    }

    /// Adds a handler with this name and priority instead of its own, as a configuration file does.
    ///
    /// ```
    /// use hooks_core::agent::{AgentEvent, BeforeToolCall};
    /// use hooks_core::{HookRegistry, RegisterError, hook};
    ///
    /// #[hook]
    /// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
    ///
    /// let mut registry = HookRegistry::<AgentEvent>::new();
    /// registry.register_as("first", 10, lower)?;
    /// registry.register_as("second", 5, lower)?;
    /// assert_eq!(registry.names().collect::<Vec<_>>(), ["first", "second"]);
    /// # Ok::<(), RegisterError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If another handler has this name, or the hooks contain one with `#[hook(around)]`. The registry is then
    /// unchanged.
    pub fn register_as<H, By>(
        &mut self,
        name: &str,
        priority: i32,
        handler: H,
    ) -> Result<(), RegisterError>
    where
        V: Handles<H, By>,
    {
        self.add_named(&Placed::new::<V, _, _>(handler)?.named(name).at(priority))
    }

    /// Like [`register`](Self::register), to build a registry in one expression.
    ///
    /// # Panics
    ///
    /// If [`register`](Self::register) would return an error.
    #[must_use]
    pub fn with<H, By>(mut self, handler: H) -> Self
    where
        V: Handles<H, By>,
    {
        if let Err(error) = self.register(handler) {
            panic!("{error}");
        }
        self
    }

    /// Removes the handler with this name. Returns whether there was one.
    ///
    /// ```
    /// use hooks_core::agent::{AgentEvent, BeforeToolCall};
    /// use hooks_core::{HookRegistry, hook, hooks};
    ///
    /// #[hook]
    /// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
    ///
    /// let mut registry = HookRegistry::<AgentEvent>::new().with(lower);
    /// assert!(registry.unregister("lower"));
    /// assert!(!registry.unregister("lower"));
    /// ```
    pub fn unregister(&mut self, name: &str) -> bool {
        self.remove(name).is_some()
    }

    /// Replaces the handler with this name, and keeps the name. The priority is the new handler's own. If there is no
    /// handler with this name, the handler is added. Returns whether there was one.
    ///
    /// # Errors
    ///
    /// If the hooks contain one with `#[hook(around)]`. The registry is then unchanged.
    ///
    /// ```
    /// use hooks_core::agent::{AgentEvent, BeforeToolCall};
    /// use hooks_core::{HookRegistry, RegisterError, hook};
    ///
    /// #[hook]
    /// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
    ///
    /// #[hook]
    /// fn upper(call: &mut BeforeToolCall) { call.name.make_ascii_uppercase(); }
    ///
    /// let mut registry = HookRegistry::<AgentEvent>::new().with(lower);
    /// assert!(registry.replace("lower", upper)?);
    /// assert_eq!(registry.names().collect::<Vec<_>>(), ["lower"]);
    /// # Ok::<(), RegisterError>(())
    /// ```
    pub fn replace<H, By>(&mut self, name: &str, handler: H) -> Result<bool, RegisterError>
    where
        V: Handles<H, By>,
    {
        Ok(self
            .put(Placed::new::<V, _, _>(handler)?.named(name))
            .is_some())
    }

    /// The names of the handlers, in the order in which they run.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.handlers.iter().map(|placed| &*placed.name)
    }

    /// Adds a handler, with a number if its name is taken.
    fn add(&mut self, mut placed: Placed<V::Handler>) {
        if self.names.contains(&placed.name) {
            placed.name = self.numbered(&placed.shown).into();
        }
        self.place(placed);
    }

    /// Adds a handler, if its name is free. Otherwise the caller drops it.
    fn add_named(&mut self, placed: &Placed<V::Handler>) -> Result<(), RegisterError> {
        if self.names.contains(&placed.name) {
            let name = (*placed.name).into();
            return Err(RegisterError::NameTaken { name });
        }
        self.place(placed.clone());
        Ok(())
    }

    /// Replaces the handler with the same name, and returns the old one.
    fn put(&mut self, placed: Placed<V::Handler>) -> Option<Placed<V::Handler>> {
        // At the same priority, it takes the position of the old one, before others of that priority.
        if let Some(place) = self.position(&placed.name)
            && self.handlers[place].priority == placed.priority
        {
            let old = self
                .handlers
                .change(|handlers| core::mem::replace(&mut handlers[place], placed));
            self.count_wanted();
            return Some(old);
        }
        let old = self.remove(&placed.name);
        self.place(placed);
        old
    }

    /// Removes a handler, and returns it.
    fn remove(&mut self, name: &str) -> Option<Placed<V::Handler>> {
        let place = self.position(name)?;
        let old = self.handlers.change(|handlers| handlers.remove(place));
        self.names.remove(name);
        self.count_wanted();
        Some(old)
    }

    fn count_wanted(&mut self) {
        let wanted = self.handlers.iter().map(|placed| placed.events);
        self.wanted = wanted.fold(EventSet::NONE, EventSet::union);
        self.listens = self.handlers.iter().any(|placed| placed.listens);
    }

    /// The name with a free number: the first one, unless numbers in between have become free.
    fn numbered(&self, name: &str) -> String {
        let numbered = |number: usize| format!("{name}#{number}");
        let is_free = |number: usize| !self.names.contains(numbered(number).as_str());
        // Thousands of handlers may share a name, hence the binary search.
        let mut free = 2;
        while !is_free(free) {
            free *= 2;
        }
        let mut taken = free / 2;
        while free - taken > 1 {
            let middle = taken.midpoint(free);
            if is_free(middle) {
                free = middle;
            } else {
                taken = middle;
            }
        }
        numbered(free)
    }

    fn place(&mut self, placed: Placed<V::Handler>) {
        let place = self
            .handlers
            .partition_point(|other| other.priority >= placed.priority);
        self.wanted = self.wanted.union(placed.events);
        self.listens |= placed.listens;
        self.names.insert(Arc::clone(&placed.name));
        self.handlers
            .change(|handlers| handlers.insert(place, placed));
    }

    fn position(&self, name: &str) -> Option<usize> {
        let is_there = self.names.contains(name);
        let mut handlers = self.handlers.iter();
        is_there.then(|| handlers.position(|placed| &*placed.name == name))?
    }

    /// The number of handlers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.handlers.len()
    }

    /// Whether there are no handlers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.handlers.is_empty()
    }

    /// Who runs when: an iterator over rows, which prints as a table; see [`Plan`].
    #[must_use]
    pub fn plan(&self) -> Plan<'_> {
        Plan::of(self)
    }

    /// Runs the handlers on an intercepted event in order, like [`Pipeline::intercept`](crate::Pipeline::intercept).
    ///
    /// # Panics
    ///
    /// If a handler panics, and the registry has [`OnPanic::Propagate`].
    pub fn intercept<'a, E: Intercepted>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> impl Future<Output = HookResult<E>> + Send
    where
        V: SharesVocabulary<E::Vocabulary>,
        Self: Intercepts<E>,
    {
        <Self as Intercepts<E>>::intercept(self, cx, event)
    }

    /// Runs all handlers on an observed event concurrently, like [`Pipeline::observe`](crate::Pipeline::observe).
    ///
    /// # Panics
    ///
    /// If a handler panics, and the registry has [`OnPanic::Propagate`].
    pub fn observe<'a, E: Observed>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
    ) -> impl Future<Output = ()> + Send
    where
        V: SharesVocabulary<E::Vocabulary>,
        Self: Observes<E>,
    {
        <Self as Observes<E>>::observe(self, cx, event)
    }
}

impl<V: RunTime> Default for HookRegistry<V> {
    fn default() -> Self {
        Self::new()
    }
}

/// The clone shares the handlers.
impl<V: RunTime> Clone for HookRegistry<V> {
    fn clone(&self) -> Self {
        HookRegistry {
            handlers: self.handlers.clone(),
            names: self.names.clone(),
            wanted: self.wanted,
            listens: self.listens,
            policy: self.policy,
        }
    }
}

/// The names of the handlers, in the order in which they run.
impl<V: RunTime> fmt::Debug for HookRegistry<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.handlers.iter().map(|placed| &placed.shown);
        f.debug_list()
            .entries(names.map(|name| fmt::from_fn(move |f| f.write_str(name))))
            .finish()
    }
}

/// A registry is a hook of priority 0, which you can override with `hooks![registry @ -10]`.
#[diagnostic::do_not_recommend]
impl<V: RunTime> Hook for HookRegistry<V> {
    type Vocabulary = V;
    type Rank = crate::__rank!(0);
    type Answers = Every<Later>;
    type Wraps = ();
    type Listens = Listens;

    #[inline]
    fn wanted(&self) -> EventSet {
        self.wanted
    }

    fn registry(&self) -> Option<[&dyn Any; 2]> {
        // Not the registry itself: its vocabulary may have a lifetime.
        Some([&self.handlers, &self.policy])
    }
}

impl<V: RunTime> Describe for HookRegistry<V> {
    fn describe<'d>(&'d self, plan: &mut Planner<'d, '_>) {
        plan.holder::<V>("HookRegistry", |each| HandlerSource::describe(self, each));
    }
}

#[diagnostic::do_not_recommend]
impl<V: RunTime, E: Handled> HandleAsync<E> for HookRegistry<V>
where
    E::Vocabulary: RunTime<Handler = V::Handler>,
{
    type Said = Outcome<E>;

    fn handle<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Self::Said> + Send {
        E::Kind::ask_all::<E>(&self.handlers, self.policy, cx, event, None)
    }

    fn decide<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        <Self as HandleAsync<E>>::handle(self, cx, event)
    }

    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>) {
        ask::tell(&self.handlers, self.policy, cx, event, told);
    }

    fn listen(&self, witnesses: &mut WitnessesOf<E>) {
        if self.listens {
            ask::listen::<E>(&self.handlers, witnesses);
        }
    }

    fn witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        E::Kind::ask_all::<E>(&self.handlers, self.policy, cx, event, Some(witnesses))
    }
}
