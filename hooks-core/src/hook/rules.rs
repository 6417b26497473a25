//! A hook with several rows: rules of a file that have one priority and run in its order.
//!
//! `hooks![include!("hooks.toml")]` writes a [`RuleSet`] for each priority, and what its rules say as [`Judges`], an
//! impl for each event. One type for all of them costs rustc a fraction of one for each rule. What a rule says is carried out
//! and told here, under the rule's own name, so that plans, decisions and probes know each rule.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use core::marker::PhantomData;

use super::rank::{Number, priority_of};
use super::run::{AnyEvent, Ask, Did, Facts, Run, Synchronous, Watch, WatchToken as _};
use super::{Hook, Planner, Row};
use crate::decision::{Cancel, Decides, HookAction, HookResult, Name, Scope};
use crate::event::{Answers, Context, Event, Intercept, Intercepted};

/// One rule, as plans show it.
#[derive(Debug, Clone, Copy)]
pub struct RuleRow {
    /// Its name.
    pub name: &'static str,
    /// Its file and line.
    pub source: &'static str,
    /// The events on which it runs.
    pub rows: &'static [Row],
}

/// Rules of one priority, in order.
pub trait RuleSet: Send + Sync + 'static {
    /// The vocabulary of their events.
    type Vocabulary;
    /// Their priority.
    type Rank: Number;
    /// Their events.
    type Answers: Answers;
    /// The rules, in order.
    const ROWS: &'static [RuleRow];
}

/// What rules of one priority say about the event `E`.
pub trait Judges<E: AnyEvent + Intercepted>: RuleSet {
    /// Whether there are guards among them, and rules that can change the event.
    type Facts: Facts;

    /// What the first rule says that says something, of those from this one on; only guards, if they judge again.
    fn says(cx: &Context<E>, event: &E, from: usize, again: bool) -> Option<Says<E>>;
}

/// What a rule says: the place of the rule, and this.
pub enum Says<E: Event> {
    /// The event is cancelled.
    Cancels(usize, Scope, Cow<'static, str>),
    /// The rule has failed, and the event goes on.
    Fails(usize, String),
    /// The rule does something.
    Does(usize, Does<E>),
}

impl<E: Event> fmt::Debug for Says<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Says::Cancels(rule, scope, reason) => {
                write!(f, "{rule} cancels the {scope:?}: {reason}")
            }
            Says::Fails(rule, why) => write!(f, "{rule} fails: {why}"),
            Says::Does(rule, does) => write!(f, "{rule} does something: {does:?}"),
        }
    }
}

/// Carries out what a rule does. If it fails, the event is as before.
type Acts<E> = Box<dyn FnOnce(&mut E) -> Result<HookAction<E>, String> + Send>;

/// What a rule does with an event.
pub struct Does<E: Event> {
    /// Whether it may change the event.
    pub changes: bool,
    /// Whether the event is blocked if it fails.
    pub blocks: bool,
    /// Does it.
    pub act: Acts<E>,
}

impl<E: Event> fmt::Debug for Does<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Does")
            .field("changes", &self.changes)
            .field("blocks", &self.blocks)
            .finish_non_exhaustive()
    }
}

/// The hook of rules of one priority.
pub struct Rules<R>(PhantomData<R>);

impl<R> Rules<R> {
    /// The hook.
    pub const NEW: Self = Rules(PhantomData);
}

impl<R> Clone for Rules<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Rules<R> {}

/// The names of the rules.
impl<R: RuleSet> fmt::Debug for Rules<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = R::ROWS.iter().map(|row| row.name);
        f.debug_list().entries(names).finish()
    }
}

#[diagnostic::do_not_recommend]
impl<R: RuleSet> Hook for Rules<R> {
    type Vocabulary = R::Vocabulary;
    type Rank = R::Rank;
    type Answers = R::Answers;
    type Exact = R::Answers;
    type Wraps = ();

    fn describe(&self, plan: &mut Planner) {
        for row in R::ROWS {
            plan.rule(row, priority_of::<R::Rank>());
        }
    }
}

#[diagnostic::do_not_recommend]
impl<E, R> Run<E, Intercept> for Rules<R>
where
    E: AnyEvent + Intercepted + Event<Kind = Intercept>,
    R: Judges<E>,
{
    type Timing = Synchronous;
    type Facts = R::Facts;

    #[inline]
    async fn run<'a, W: Watch<E::Vocabulary>>(&'a self, ask: Ask<'a, E, W>) -> HookResult<E> {
        self.run_now::<W>(ask)
    }

    #[inline(always)]
    fn run_now<'a, W: Watch<E::Vocabulary>>(&'a self, mut ask: Ask<'a, E, W>) -> HookResult<E> {
        let again = !ask.admits(false);
        if again && !R::Facts::GUARDS {
            return HookResult::Continue;
        }
        let mut from = 0;
        while let Some(says) = R::says(ask.cx, ask.event, from, again) {
            let (Says::Cancels(rule, ..) | Says::Fails(rule, _) | Says::Does(rule, _)) = says;
            let result = concluded::<E, W>(&mut ask, R::ROWS[rule].name, says);
            if !result.is_continue() {
                return result;
            }
            from = rule + 1;
        }
        HookResult::Continue
    }
}

/// Carries out what a rule says, and tells it under its name.
#[inline(always)]
fn concluded<E, W>(ask: &mut Ask<'_, E, W>, name: &'static str, says: Says<E>) -> HookResult<E>
where
    E: AnyEvent + Intercepted + Event<Kind = Intercept>,
    W: Watch<E::Vocabulary>,
{
    let token = ask.before(Name::Static(name));
    let cancelled = |scope, reason| {
        HookResult::Cancel(Cancel {
            hook: name.into(),
            reason,
            scope,
        })
    };
    let (changed, result) = match says {
        Says::Cancels(_, scope, reason) => (false, cancelled(scope, reason)),
        Says::Fails(_, why) => {
            ask.failed(name, &why);
            return HookResult::Continue;
        }
        Says::Does(_, does) => {
            if does.changes {
                ask.changing();
            }
            match (does.act)(ask.event) {
                Ok(action) => {
                    let event = E::lend(&mut ask.event);
                    let result = Intercept::settle::<E>(event, action, Name::Static(name));
                    (does.changes, result)
                }
                Err(why) if does.blocks => (false, cancelled(Scope::Event, why.into())),
                Err(why) => {
                    ask.failed(name, &why);
                    return HookResult::Continue;
                }
            }
        }
    };
    ask.after(Did {
        hook: Name::Static(name),
        changed,
        action: <E::Kind as Decides>::any::<E>(&result),
        since: token.since(),
    });
    result
}
