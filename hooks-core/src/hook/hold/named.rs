//! A hook under another name.

use alloc::borrow::Cow;

use super::{facts_held, sets_held};
use crate::decision::{Name, ResultOf};
use crate::event::{Context, Event, Every, Many, One, Vocabulary};
use crate::hook::{
    AnyEvent, Around, Ask, Carries, Did, Dispatch, HasWork, Hook, Next, Planner, Run, Shows, Step,
    Steps, StepsOf, Watch, WrapStep, Wraps, around_all,
};

/// A hook under another name: what [`Hook::named`] returns.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::{Hook, HookAction, hook, hooks};
///
/// struct Forbid(&'static str);
///
/// #[hook]
/// impl Forbid {
///     fn check(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///         if call.name == self.0 { HookAction::block("forbidden") } else { HookAction::Continue }
///     }
/// }
///
/// let hooks = hooks![Forbid("shell").named("no_shell"), Forbid("fetch").named("no_fetch")];
/// let mut call = BeforeToolCall { name: "fetch".into(), ..Default::default() };
/// let result = hooks.intercept_now(&AgentContext::new("s1"), &mut call);
/// assert_eq!(result.as_cancel().unwrap().hook, "no_fetch");
/// ```
#[derive(Debug, Clone)]
pub struct Named<H> {
    hook: H,
    name: Cow<'static, str>,
}

impl<H> Named<H> {
    /// Gives `hook` this name.
    pub const fn new(hook: H, name: Cow<'static, str>) -> Self {
        Named { hook, name }
    }

    /// The hook, under its own name.
    pub fn into_inner(self) -> H {
        self.hook
    }
}

#[diagnostic::do_not_recommend]
impl<H: Hook> Hook for Named<H> {
    type Vocabulary = H::Vocabulary;
    type Rank = H::Rank;
    type Answers = Every<Many>;
    type Wraps = Every<One>;
    type Exact = H::Exact;

    #[inline]
    fn name(&self) -> Name<'_> {
        Name::of(&self.name)
    }

    sets_held!(this => this.hook);

    fn describe(&self, plan: &mut Planner) {
        plan.named(self.name.clone(), &self.hook);
    }
}

/// What the hook says under its own name, it says under this one. Hooks inside it keep theirs.
#[diagnostic::do_not_recommend]
impl<E: AnyEvent + Event<Kind = K>, K: Carries, H: Dispatch<E>> Run<E, K> for Named<H> {
    facts_held!();

    fn wants(&self, cx: &Context<E>, event: &E) -> bool {
        <StepsOf<H, E> as Steps<H, E>>::wants(&self.hook, cx, event)
    }

    async fn run<'a, W: Watch<E::Vocabulary>>(&'a self, mut ask: Ask<'a, E, W>) -> ResultOf<E> {
        let (from, to) = (self.hook.name(), self.name());
        let mut renames = Renaming { from, to };
        let ask = ask.with::<Renames>(&mut renames);
        let result = <StepsOf<H, E> as Steps<H, E>>::whole(&self.hook, ask).await;
        K::renamed::<E>(result, |hook| (hook == from.text()).then(|| to.owned()))
    }
}

#[diagnostic::do_not_recommend]
impl<E: HasWork, H: Wraps<E>> Around<E> for Named<H> {
    const WRAPS: bool = <H::Step as WrapStep<H, E>>::WRAPS;

    async fn around<'a>(&'a self, cx: &'a Context<E>, event: &'a E, next: Next<'a, E>) -> E::Work {
        let (from, to) = (self.hook.name(), self.name());
        let renamed = |hook: Name<'_>, step: Step<'_>| {
            let is_renamed = hook.text() == from.text();
            next.tell(if is_renamed { to } else { hook }, step);
        };
        around_all(&self.hook, cx, event, next.telling(&renamed)).await
    }
}

/// The watch of a hook under another name.
enum Renames {}

#[derive(Clone, Copy)]
struct Renaming<'a> {
    from: Name<'a>,
    to: Name<'a>,
}

impl<V: Vocabulary> Watch<V> for Renames {
    type Held<'a> = Renaming<'a>;
    type Shared<'a> = Renaming<'a>;
    type Token = ();

    fn lend<'l>(names: &'l mut Renaming<'_>) -> Renaming<'l> {
        *names
    }

    fn share<'l>(names: &'l Renaming<'_>) -> Renaming<'l> {
        *names
    }

    fn reshare<'l>(names: &'l Renaming<'_>) -> Renaming<'l> {
        *names
    }

    fn known_as<'n>(names: Renaming<'n>, hook: Name<'n>) -> Name<'n> {
        if hook.text() == names.from.text() {
            names.to
        } else {
            hook
        }
    }

    fn after(_: &mut Renaming<'_>, _: Did<'_>, _: &dyn Shows<V>) {}

    fn after_shared(_: Renaming<'_>, _: Did<'_>, _: &dyn Shows<V>) {}
}

/// Whether two names are the same, for the lists that `hooks![…]` writes.
#[must_use]
pub const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut nth = 0;
    while nth < one.len() && nth < other.len() && one[nth] == other[nth] {
        nth += 1;
    }
    nth == one.len() && nth == other.len()
}
