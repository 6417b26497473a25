//! Hooks that only exist at run time: a list of boxed handlers, and the dyn-based runner that the
//! static pipeline is measured against.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::future::{Future, poll_fn};
use core::marker::PhantomData;
use core::pin::Pin;
use core::task::{Context as Task, Poll};

use crate::action::HookAction;
use crate::answers::{Every, Later};
use crate::event::{Event, Handles, Intercepted, Kind, Observed, SharesVocabulary, Vocabulary};
use crate::hook::{Access, Context, HandleAsync, Hook, Intercepts, Observes, Outcome};
use crate::plan::{Describe, Plan, Planner};
use crate::result::{Decision, HookResult};

/// A boxed future, as `#[async_trait]` makes it.
#[doc(hidden)]
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The handler trait object of the vocabulary of `E`.
#[doc(hidden)]
pub type Handler<E> = <<E as Event>::Vocabulary as Vocabulary>::Handler;

/// What a handler's methods return that are not overridden. It has no size, so boxing it allocates
/// nothing: an event costs only the handlers that want it.
#[doc(hidden)]
#[derive(Debug)]
pub struct GoOn<T>(PhantomData<fn() -> T>);

impl<T> GoOn<T> {
    /// As `#[async_trait]` would box it.
    #[must_use]
    pub fn boxed<'a>() -> BoxFuture<'a, T>
    where
        T: Default + 'a,
    {
        Box::pin(GoOn(PhantomData))
    }
}

impl<T: Default> Future for GoOn<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, _: &mut Task<'_>) -> Poll<T> {
        Poll::Ready(T::default())
    }
}

/// Tells static hooks of an event, as a handler does. It stands here, and not in each method of a
/// vocabulary's handler, so that rustc proves the future `Send` once.
#[doc(hidden)]
pub fn observe_boxed<'a, H: Observes<E>, E: Observed>(
    hooks: &'a H,
    cx: &'a Context<E>,
    event: &'a E,
) -> BoxFuture<'a, ()> {
    Box::pin(hooks.observe(cx, event))
}

/// Asks static hooks about an event, as a handler does.
#[doc(hidden)]
pub fn intercept_boxed<'a, H: Intercepts<E>, E: Intercepted>(
    hooks: &'a H,
    cx: &'a Context<E>,
    event: &'a mut E,
) -> BoxFuture<'a, HookAction<E>> {
    Box::pin(async move { hooks.intercept(cx, event).await.into() })
}

/// Awaits all futures, concurrently.
pub(crate) async fn join_all<F: Future<Output = ()> + Unpin>(futures: impl Iterator<Item = F>) {
    let mut new = Some(futures);
    let mut running = Vec::new();
    poll_fn(|task| {
        let mut is_pending = |future: &mut F| Pin::new(future).poll(task).is_pending();
        match new.take() {
            // Only what has to wait is kept: a handler that is done at once costs no allocation.
            Some(futures) => {
                let pending = |mut future| is_pending(&mut future).then_some(future);
                running.extend(futures.filter_map(pending));
            }
            None => running.retain_mut(is_pending),
        }
        if running.is_empty() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}

/// Hooks that only exist at run time: plugins, scripts, what a configuration names.
///
/// It holds `Box<dyn AgentHandler>`s (or the handler trait of another vocabulary), sorts them by their
/// `priority()`, equal ones in the order in which they came, and is itself a hook: a static pipeline
/// keeps what must not change, and one place in it, `registry @ -10`, is open to plugins.
///
/// An event that a handler does not override costs it no allocation. A handler that panics unwinds through
/// the dispatch, as a hook does by default.
///
/// In a field or a signature the vocabulary is written for `'static`: `HookRegistry<AgentEvent<'static>>`.
///
/// ZeroClaw's and ClawSeed's `HookRunner`, mini-claw-code's `HookRegistry`, PicoClaw's `HookManager`.
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
/// let hooks = hooks![plugins @ -10, lower];
///
/// let mut call = BeforeToolCall { name: "Shell".into(), ..Default::default() };
/// let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
/// assert_eq!(result.as_cancel().unwrap().hook, "plugin");
/// # }
/// ```
pub struct HookRegistry<V: Vocabulary> {
    handlers: Vec<Placed<V::Handler>>,
}

/// A handler in its place.
#[doc(hidden)]
#[expect(missing_debug_implementations, reason = "a handler need not have it")]
pub struct Placed<H: ?Sized> {
    priority: i32,
    pub(crate) handler: Box<H>,
}

/// Tells handlers what one before them has decided.
pub(crate) fn tell<E: Event>(
    handlers: &[Placed<Handler<E>>],
    cx: &Context<E>,
    event: &E,
    decision: Decision<'_>,
) {
    for placed in handlers {
        E::Vocabulary::handler_decided(&placed.handler, cx, event.view(), decision);
    }
}

/// Tells static hooks what a handler before them has decided, as their vocabulary's handler does.
#[doc(hidden)]
pub fn decided<'a, H: Intercepts<E>, E: Intercepted>(
    hooks: &'a H,
    cx: &'a Context<E>,
    event: &'a E,
    decision: Decision<'a>,
) {
    hooks.decided(cx, event, decision);
}

impl<V: Vocabulary> HookRegistry<V> {
    /// An empty registry.
    #[must_use]
    pub const fn new() -> Self {
        HookRegistry {
            handlers: Vec::new(),
        }
    }

    /// Adds a handler, after those of the same or a higher priority.
    ///
    /// A handler is any value whose type implements the vocabulary's handler trait; a `Box` or an `Arc`
    /// of one will do, and so will a whole pipeline.
    pub fn register<H>(&mut self, handler: H)
    where
        V: Handles<H>,
    {
        let handler = V::boxed(handler);
        self.place(V::handler_priority(&handler), handler);
    }

    /// Adds a handler with the priority of its place, over its own: what `handler @ PRIORITY` is in
    /// [`hooks![…]`](crate::hooks), for a priority that is known at run time.
    ///
    /// ```
    /// use hooks_core::agent::{AgentEvent, BeforeToolCall};
    /// use hooks_core::{HookRegistry, hook, hooks};
    ///
    /// #[hook(priority = 5)]
    /// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
    ///
    /// #[hook(priority = 1)]
    /// fn trim(call: &mut BeforeToolCall) { call.name = call.name.trim().into(); }
    ///
    /// let mut registry = HookRegistry::<AgentEvent>::new();
    /// registry.register(hooks![lower]);
    /// registry.register_at(10, hooks![trim]);
    /// assert_eq!(format!("{registry:?}"), "[trim, lower]");
    /// ```
    pub fn register_at<H>(&mut self, priority: i32, handler: H)
    where
        V: Handles<H>,
    {
        self.place(priority, V::boxed(handler));
    }

    fn place(&mut self, priority: i32, handler: Box<V::Handler>) {
        let place = self
            .handlers
            .partition_point(|other| other.priority >= priority);
        self.handlers.insert(place, Placed { priority, handler });
    }

    /// As [`register`](Self::register), for building a registry in one expression.
    #[must_use]
    pub fn with<H>(mut self, handler: H) -> Self
    where
        V: Handles<H>,
    {
        self.register(handler);
        self
    }

    /// How many handlers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.handlers.len()
    }

    /// Whether there is no handler.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.handlers.is_empty()
    }

    /// Who runs when: a table to print, and an iterator over its rows; see [`Plan`].
    #[must_use]
    pub fn plan(&self) -> Plan<'_> {
        Plan::of(self)
    }

    /// Asks the handlers in order about an intercepted event, as
    /// [`Pipeline::intercept`](crate::Pipeline::intercept) does.
    ///
    /// # Panics
    ///
    /// Where a handler panics.
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

    /// Tells all handlers of an observed event, concurrently, as
    /// [`Pipeline::observe`](crate::Pipeline::observe) does.
    ///
    /// # Panics
    ///
    /// Where a handler panics.
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

impl<V: Vocabulary> Default for HookRegistry<V> {
    fn default() -> Self {
        Self::new()
    }
}

/// The names of the handlers, in the order in which they run.
impl<V: Vocabulary> fmt::Debug for HookRegistry<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(
                self.handlers
                    .iter()
                    .map(|placed| fmt::from_fn(|f| f.write_str(V::handler_name(&placed.handler)))),
            )
            .finish()
    }
}

/// A registry is a hook of priority 0, which `hooks![registry @ -10]` changes.
#[diagnostic::do_not_recommend]
impl<V: Vocabulary> Hook for HookRegistry<V> {
    type Vocabulary = V;
    type Rank = crate::__rank!(0);
    type Answers = Every<Later>;
}

impl<V: Vocabulary> Describe for HookRegistry<V> {
    fn describe<'d>(&'d self, plan: &mut Planner<'d, '_>) {
        plan.hook("HookRegistry", 0, &[(None, true)]);
        plan.nested(|plan| {
            for Placed { priority, handler } in &self.handlers {
                plan.hook(V::handler_name(handler), *priority, &[(None, true)]);
            }
        });
    }
}

#[diagnostic::do_not_recommend]
impl<V: Vocabulary, E: Event> HandleAsync<E> for HookRegistry<V>
where
    E::Vocabulary: Vocabulary<Handler = V::Handler>,
{
    type Said = Outcome<E>;

    fn handle<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Self::Said> + Send {
        E::Kind::ask_all::<E>(&self.handlers, cx, event)
    }

    fn decide<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        <Self as HandleAsync<E>>::handle(self, cx, event)
    }

    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, decision: Decision<'a>) {
        tell(&self.handlers, cx, event, decision);
    }
}
