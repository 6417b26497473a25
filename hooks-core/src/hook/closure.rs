//! Hooks made of closures, which capture state where you write the list.

use core::fmt;
use core::marker::PhantomData;

use super::{AnyEvent, Changes, Hook, Leaf, Looks, Planner, Row, Runs, Synchronous};
use crate::decision::{HookAction, Name};
use crate::event::{Context, Event, Intercepted, Observe, Observed, On};

/// A synchronous hook on an intercepted event, made of a closure: see [`intercept_fn`].
pub struct InterceptFn<E, F> {
    closure: F,
    name: &'static str,
    event: PhantomData<fn(E)>,
}

/// A synchronous hook on an observed event, made of a closure: see [`observe_fn`].
pub struct ObserveFn<E, F> {
    closure: F,
    name: &'static str,
    event: PhantomData<fn(E)>,
}

/// Turns a closure, with its captures, into a hook on the intercepted event `E`.
///
/// Its priority is 0; write `intercept_fn::<…>(…) @ 50` in the list to change it.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::{HookAction, hooks, intercept_fn};
///
/// let forbidden = String::from("shell");
/// let hooks = hooks![
///     intercept_fn::<BeforeToolCall, _>(|_cx, call| {
///         if call.name == forbidden { HookAction::block("forbidden") } else { HookAction::Continue }
///     })
///     .with_name("forbidden") @ 10,
/// ];
///
/// let mut call = BeforeToolCall { name: "shell".into(), ..Default::default() };
/// let result = hooks.intercept_now(&AgentContext::new("s1"), &mut call);
/// assert_eq!(result.as_cancel().unwrap().hook, "forbidden");
/// ```
#[doc(alias = "callback")]
pub const fn intercept_fn<E, F /* `|cx, event| HookAction::Continue`, not `async` */>(
    closure: F,
) -> InterceptFn<E, F>
where
    E: Intercepted,
    F: for<'x> Fn(&Context<E>, &mut E::At<'x>) -> HookAction<E::At<'static>> + Send + Sync,
{
    InterceptFn {
        closure,
        name: "intercept_fn",
        event: PhantomData,
    }
}

/// Turns a closure, with its captures, into a hook on the observed event `E`.
///
/// Its priority is 0; write `observe_fn::<…>(…) @ 50` in the list to change it.
///
/// ```
/// use std::sync::Mutex;
/// use hooks_core::agent::{AgentContext, LlmDelta};
/// use hooks_core::{hooks, observe_fn};
///
/// let seen = Mutex::new(String::new());
/// let hooks = hooks![observe_fn::<LlmDelta, _>(|_cx, delta| seen.lock().unwrap().push_str(delta.text))];
/// hooks.observe_now(&AgentContext::new("s1"), &LlmDelta { text: "Hi", ..Default::default() });
/// assert_eq!(*seen.lock().unwrap(), "Hi");
/// ```
#[doc(alias = "callback")]
pub const fn observe_fn<E, F>(closure: F) -> ObserveFn<E, F>
where
    E: Observed,
    F: for<'x> Fn(&Context<E>, &E::At<'x>) + Send + Sync,
{
    ObserveFn {
        closure,
        name: "observe_fn",
        event: PhantomData,
    }
}

/// The code that both kinds of closures share.
macro_rules! closures {
    ($($Closure:ident, $default:literal, $changes:literal;)*) => { $(
        impl<E, F> $Closure<E, F> {
            #[doc = concat!("Names the hook, for plans and for `cancel.hook`; by default it is `", $default, "`.")]
            #[must_use]
            pub const fn with_name(mut self, name: &'static str) -> Self {
                self.name = name;
                self
            }
        }

        #[diagnostic::do_not_recommend]
        impl<E: Event, F: Send + Sync> Hook for $Closure<E, F> {
            type Vocabulary = E::Vocabulary;
            type Rank = $crate::__rank!(0);
            type Answers = On<E>;
            type Exact = On<E>;
            type Wraps = ();

            #[inline(always)]
            fn name(&self) -> Name<'_> {
                Name::Static(self.name)
            }

            fn describe(&self, plan: &mut Planner) {
                plan.hook(self.name, 0, &[Row::new(Some(E::INFO), Runs::Sync).changes($changes)]);
            }
        }

        impl<E, F> fmt::Debug for $Closure<E, F> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name)
            }
        }

        impl<E, F: Clone> Clone for $Closure<E, F> {
            fn clone(&self) -> Self {
                $Closure { closure: self.closure.clone(), name: self.name, event: PhantomData }
            }
        }

        impl<E, F: Copy> Copy for $Closure<E, F> {}
    )* };
}
closures! {
    InterceptFn, "intercept_fn", true;
    ObserveFn, "observe_fn", false;
}

// `G` is `E` with any lifetime: `Answers` rules out anything else.
#[diagnostic::do_not_recommend]
impl<E, G, F> Leaf<G> for InterceptFn<E, F>
where
    E: Event,
    G: AnyEvent + Intercepted,
    F: Fn(&Context<G>, &mut G) -> HookAction<G::At<'static>> + Send + Sync,
{
    type Said = HookAction<G>;
    type Timing = Synchronous;
    type Facts = Changes;
    const MUTATES: bool = true;

    #[inline(always)]
    fn call_now<'a>(&'a self, cx: &'a Context<G>, event: &'a mut G) -> HookAction<G> {
        let _span = crate::trace::enter(self.name, G::NAME);
        HookAction::shortened((self.closure)(cx, event))
    }
}

#[diagnostic::do_not_recommend]
impl<E, G, F> Leaf<G> for ObserveFn<E, F>
where
    E: Event,
    G: AnyEvent + Event<Kind = Observe>,
    F: Fn(&Context<G>, &G) + Send + Sync,
{
    type Said = ();
    type Timing = Synchronous;
    type Facts = Looks;
    const MUTATES: bool = false;

    #[inline(always)]
    fn call_now<'a>(&'a self, cx: &'a Context<G>, event: &'a G) {
        let _span = crate::trace::enter(self.name, G::NAME);
        (self.closure)(cx, event);
    }
}
