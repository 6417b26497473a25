//! What a dispatch carries from hook to hook.
//!
//! Most dispatches carry nothing: `()`, which takes no register and no byte of a future. A dispatch with guards carries
//! whether the event has changed; a dispatch with a probe carries what the probe remembers. Each is a [`Watch`], and
//! two of them are a pair. All state that may be absent is a *type*, because a `bool` that lives across an await costs
//! eight bytes of every future, constant or not.
//!
//! # Why a watch is held in two ways
//!
//! The hooks of an intercepted event run one after the other, so each may have the watch for itself, by `&mut`: a probe
//! keeps its state without a lock, although the dispatch may go from thread to thread. The hooks of an observed event run at
//! once, so they share it. [`Carries`] chooses by the event's kind, once, so that nothing else asks.

use core::fmt::Display;
use core::time::Duration;

use super::super::{AnyEvent, BoxFuture};
#[cfg(feature = "std")]
use super::super::{AnyWatch, Face, SharedFace, Through};
use super::facts::{ChangesAndGuards, Facts, Looks};
use crate::decision::{AnyAction, Decides, HookResult, Name, ResultOf};
use crate::event::{Access, Context, Event, Intercept, Observe, Vocabulary};

/// What a hook did: a watch gets it when a hook has run.
#[derive(Debug, Clone, Copy)]
pub struct Did<'a> {
    /// The hook's name.
    pub hook: Name<'a>,
    /// Whether it may have changed the event.
    pub changed: bool,
    /// What it said.
    pub action: AnyAction<'a>,
    /// When it began.
    pub since: Since,
}

/// When a hook began. The clock is read only if a watch asks for it.
#[derive(Debug, Clone, Copy)]
pub struct Since {
    #[cfg(feature = "std")]
    start: Option<std::time::Instant>,
}

impl Since {
    /// No time is taken.
    pub const UNKNOWN: Self = Since {
        #[cfg(feature = "std")]
        start: None,
    };

    /// How long ago it was; zero if no time was taken.
    #[must_use]
    #[inline(always)]
    pub fn elapsed(self) -> Duration {
        #[cfg(feature = "std")]
        return self.start.map_or(Duration::ZERO, |start| start.elapsed());
        #[cfg(not(feature = "std"))]
        Duration::ZERO
    }
}

/// What a dispatch remembers while a hook runs: [`Since`], or nothing. It is `Copy`, because what has to be dropped
/// costs a flag in every future.
pub trait WatchToken: Copy + Send + 'static {
    /// The token of two watches.
    type Or<B: WatchToken>: WatchToken;
    fn start(is_timed: bool) -> Self;
    fn since(self) -> Since;
}

impl WatchToken for () {
    type Or<B: WatchToken> = B;

    #[inline(always)]
    fn start(_: bool) {}

    #[inline(always)]
    fn since(self) -> Since {
        Since::UNKNOWN
    }
}

impl WatchToken for Since {
    type Or<B: WatchToken> = Since;

    #[inline(always)]
    #[cfg(feature = "std")]
    fn start(is_timed: bool) -> Self {
        let start = is_timed.then(std::time::Instant::now);
        Since { start }
    }

    #[inline(always)]
    #[cfg(not(feature = "std"))]
    fn start(_: bool) -> Self {
        Since {}
    }

    #[inline(always)]
    fn since(self) -> Since {
        self
    }
}

/// An event of a vocabulary, whichever it is.
pub trait Shows<V: Vocabulary> {
    fn show(&self) -> V::View<'_>;
}

impl<E: Event> Shows<E::Vocabulary> for E {
    #[inline(always)]
    fn show(&self) -> <E::Vocabulary as Vocabulary>::View<'_> {
        self.view()
    }
}

/// What a dispatch carries from hook to hook, in a vocabulary.
pub trait Watch<V: Vocabulary>: Sized + 'static {
    /// How the dispatch of an intercepted event holds it.
    type Held<'a>: Send + Sync + 'a;
    /// How the dispatch of an observed event holds it: its hooks run at once, so they share it.
    type Shared<'a>: Copy + Send + Sync + 'a;
    /// What the dispatch remembers while a hook runs.
    type Token: WatchToken;

    fn lend<'l>(held: &'l mut Self::Held<'_>) -> Self::Held<'l>;
    fn share<'l>(held: &'l Self::Held<'_>) -> Self::Shared<'l>;
    fn reshare<'l>(shared: &'l Self::Shared<'_>) -> Self::Shared<'l>;

    /// Whether a hook runs in this round.
    #[inline(always)]
    fn admits(_: &Self::Held<'_>, _is_guard: bool) -> bool {
        true
    }

    /// Whether it asks how long hooks run.
    #[inline(always)]
    fn is_timed(_: Self::Shared<'_>) -> bool {
        false
    }

    /// The name under which others know a hook.
    #[inline(always)]
    fn known_as<'n>(_: Self::Shared<'n>, hook: Name<'n>) -> Name<'n> {
        hook
    }

    /// A hook begins.
    #[inline(always)]
    fn before(_: &mut Self::Held<'_>, _: Name<'_>) {}

    /// A hook may change the event from here on.
    #[inline(always)]
    fn changing(_: &mut Self::Held<'_>, _: &dyn Shows<V>) {}

    /// A hook has run.
    fn after(held: &mut Self::Held<'_>, did: Did<'_>, event: &dyn Shows<V>);

    /// The event is as it was before: a hook has failed.
    #[inline(always)]
    fn failed(_: &mut Self::Held<'_>, _hook: &str, _: &dyn Display, _: &dyn Shows<V>) {}

    /// A hook has run on an observed event.
    fn after_shared(shared: Self::Shared<'_>, did: Did<'_>, event: &dyn Shows<V>);

    /// What of a source runs before the next static hook, which has this priority; `None` after the last one.
    #[inline(always)]
    fn ahead<'l, E: AnyEvent<Vocabulary = V, Kind = Intercept>>(
        _: Self::Held<'l>,
        _: &'l V::Context,
        _: &'l mut E,
        _next: Option<i32>,
    ) -> Option<BoxFuture<'l, HookResult<E>>> {
        None
    }
}

/// Nothing.
impl<V: Vocabulary> Watch<V> for () {
    type Held<'a> = ();
    type Shared<'a> = ();
    type Token = ();

    #[inline(always)]
    fn lend((): &mut ()) {}
    #[inline(always)]
    fn share((): &()) {}
    #[inline(always)]
    fn reshare((): &()) {}
    #[inline(always)]
    fn after((): &mut (), _: Did<'_>, _: &dyn Shows<V>) {}
    #[inline(always)]
    fn after_shared((): (), _: Did<'_>, _: &dyn Shows<V>) {}
}

/// Two of them. The second knows hooks under the names that the first gives them.
impl<V: Vocabulary, A: Watch<V>, B: Watch<V>> Watch<V> for (A, B) {
    type Held<'a> = (A::Held<'a>, B::Held<'a>);
    type Shared<'a> = (A::Shared<'a>, B::Shared<'a>);
    type Token = <A::Token as WatchToken>::Or<B::Token>;

    #[inline(always)]
    fn lend<'l>(held: &'l mut Self::Held<'_>) -> Self::Held<'l> {
        (A::lend(&mut held.0), B::lend(&mut held.1))
    }

    #[inline(always)]
    fn share<'l>(held: &'l Self::Held<'_>) -> Self::Shared<'l> {
        (A::share(&held.0), B::share(&held.1))
    }

    #[inline(always)]
    fn reshare<'l>(shared: &'l Self::Shared<'_>) -> Self::Shared<'l> {
        (A::reshare(&shared.0), B::reshare(&shared.1))
    }

    #[inline(always)]
    fn admits(held: &Self::Held<'_>, is_guard: bool) -> bool {
        A::admits(&held.0, is_guard) && B::admits(&held.1, is_guard)
    }

    #[inline(always)]
    fn is_timed(shared: Self::Shared<'_>) -> bool {
        A::is_timed(shared.0) || B::is_timed(shared.1)
    }

    #[inline(always)]
    fn known_as<'n>(shared: Self::Shared<'n>, hook: Name<'n>) -> Name<'n> {
        B::known_as(shared.1, A::known_as(shared.0, hook))
    }

    #[inline(always)]
    fn before(held: &mut Self::Held<'_>, hook: Name<'_>) {
        A::before(&mut held.0, hook);
        B::before(&mut held.1, A::known_as(A::share(&held.0), hook));
    }

    #[inline(always)]
    fn changing(held: &mut Self::Held<'_>, event: &dyn Shows<V>) {
        A::changing(&mut held.0, event);
        B::changing(&mut held.1, event);
    }

    #[inline(always)]
    fn after(held: &mut Self::Held<'_>, did: Did<'_>, event: &dyn Shows<V>) {
        A::after(&mut held.0, did, event);
        let hook = A::known_as(A::share(&held.0), did.hook);
        B::after(&mut held.1, Did { hook, ..did }, event);
    }

    #[inline(always)]
    fn failed(held: &mut Self::Held<'_>, hook: &str, failure: &dyn Display, event: &dyn Shows<V>) {
        A::failed(&mut held.0, hook, failure, event);
        let hook = A::known_as(A::share(&held.0), Name::Given(hook));
        B::failed(&mut held.1, hook.text(), failure, event);
    }

    #[inline(always)]
    fn after_shared(shared: Self::Shared<'_>, did: Did<'_>, event: &dyn Shows<V>) {
        A::after_shared(shared.0, did, event);
        let hook = A::known_as(A::reshare(&shared.0), did.hook);
        B::after_shared(shared.1, Did { hook, ..did }, event);
    }
}

/// How a dispatch of `E` holds `W`.
pub(crate) type HeldOf<'a, E, W> =
    <<E as Event>::Kind as Carries>::Held<'a, <E as Event>::Vocabulary, W>;

/// How a dispatch of this kind of event carries a watch.
pub trait Carries: Decides {
    /// What is known about hooks behind a box.
    type Boxed: Facts;
    type Held<'a, V: Vocabulary, W: Watch<V>>: Send + Sync + 'a;

    /// A watch of any type, for hooks behind a box.
    #[cfg(feature = "std")]
    type Face<'a, V: Vocabulary + 'static, W: Watch<V>>: AnyWatch<V> + 'a;

    #[cfg(feature = "std")]
    fn face<V: Vocabulary + 'static, W: Watch<V>>(
        held: Self::Held<'_, V, W>,
    ) -> Self::Face<'_, V, W>;

    /// A watch behind a reference.
    #[cfg(feature = "std")]
    fn through<'a, V: Vocabulary + 'static>(
        watch: &'a mut (dyn AnyWatch<V> + 'a),
    ) -> Self::Held<'a, V, Through>;

    /// Nothing.
    fn nothing_held<'a, V: Vocabulary>() -> Self::Held<'a, V, ()>;

    fn lend_held<'l, V: Vocabulary, W: Watch<V>>(
        held: &'l mut Self::Held<'_, V, W>,
    ) -> Self::Held<'l, V, W>;

    /// A watch of the dispatch's own, and those that it is given.
    fn join<'l, V: Vocabulary, A: Watch<V>, B: Watch<V>>(
        own: &'l mut A::Held<'_>,
        given: &'l mut Self::Held<'_, V, B>,
    ) -> Self::Held<'l, V, (A, B)>;

    fn admits<V: Vocabulary, W: Watch<V>>(held: &Self::Held<'_, V, W>, is_guard: bool) -> bool;

    fn before<V: Vocabulary, W: Watch<V>>(
        held: &mut Self::Held<'_, V, W>,
        hook: Name<'_>,
    ) -> W::Token;

    /// The hooks of an observed event cannot change it.
    #[inline(always)]
    fn changing<V: Vocabulary, W: Watch<V>>(_: &mut Self::Held<'_, V, W>, _: &dyn Shows<V>) {}

    fn after<V: Vocabulary, W: Watch<V>>(
        held: &mut Self::Held<'_, V, W>,
        did: Did<'_>,
        event: &dyn Shows<V>,
    );

    fn failed<V: Vocabulary, W: Watch<V>>(
        held: &mut Self::Held<'_, V, W>,
        hook: &str,
        failure: &dyn Display,
        event: &dyn Shows<V>,
    );

    /// The hooks of a source run beside the static ones, unless they decide.
    #[inline(always)]
    fn ahead<'l, E: AnyEvent<Kind = Self>, W: Watch<E::Vocabulary>>(
        _: &'l mut HeldOf<'_, E, W>,
        _: &'l Context<E>,
        _: Access<'l, E>,
        _next: Option<i32>,
    ) -> Option<BoxFuture<'l, ResultOf<E>>> {
        None
    }
}

impl Carries for Observe {
    type Boxed = Looks;
    type Held<'a, V: Vocabulary, W: Watch<V>> = W::Shared<'a>;
    #[cfg(feature = "std")]
    type Face<'a, V: Vocabulary + 'static, W: Watch<V>> = SharedFace<'a, V, W>;

    #[cfg(feature = "std")]
    fn face<V: Vocabulary + 'static, W: Watch<V>>(shared: W::Shared<'_>) -> SharedFace<'_, V, W> {
        SharedFace(shared)
    }

    #[cfg(feature = "std")]
    fn through<'a, V: Vocabulary + 'static>(
        watch: &'a mut (dyn AnyWatch<V> + 'a),
    ) -> &'a (dyn AnyWatch<V> + 'a) {
        watch
    }

    #[inline(always)]
    fn nothing_held<'a, V: Vocabulary>() -> <() as Watch<V>>::Held<'a> {}

    #[inline(always)]
    fn lend_held<'l, V: Vocabulary, W: Watch<V>>(held: &'l mut W::Shared<'_>) -> W::Shared<'l> {
        W::reshare(held)
    }

    #[inline(always)]
    fn join<'l, V: Vocabulary, A: Watch<V>, B: Watch<V>>(
        own: &'l mut A::Held<'_>,
        given: &'l mut B::Shared<'_>,
    ) -> (A::Shared<'l>, B::Shared<'l>) {
        (A::share(own), B::reshare(given))
    }

    #[inline(always)]
    fn admits<V: Vocabulary, W: Watch<V>>(_: &W::Shared<'_>, _: bool) -> bool {
        true
    }

    #[inline(always)]
    fn before<V: Vocabulary, W: Watch<V>>(held: &mut W::Shared<'_>, _: Name<'_>) -> W::Token {
        W::Token::start(W::is_timed(*held))
    }

    #[inline(always)]
    fn after<V: Vocabulary, W: Watch<V>>(
        held: &mut W::Shared<'_>,
        did: Did<'_>,
        event: &dyn Shows<V>,
    ) {
        W::after_shared(*held, did, event);
    }

    fn failed<V: Vocabulary, W: Watch<V>>(
        _: &mut W::Shared<'_>,
        _: &str,
        _: &dyn Display,
        _: &dyn Shows<V>,
    ) {
    }
}

impl Carries for Intercept {
    type Boxed = ChangesAndGuards;
    type Held<'a, V: Vocabulary, W: Watch<V>> = W::Held<'a>;
    #[cfg(feature = "std")]
    type Face<'a, V: Vocabulary + 'static, W: Watch<V>> = Face<'a, V, W>;

    #[cfg(feature = "std")]
    fn face<V: Vocabulary + 'static, W: Watch<V>>(held: W::Held<'_>) -> Face<'_, V, W> {
        Face(held)
    }

    #[cfg(feature = "std")]
    fn through<'a, V: Vocabulary + 'static>(
        watch: &'a mut (dyn AnyWatch<V> + 'a),
    ) -> &'a mut (dyn AnyWatch<V> + 'a) {
        watch
    }

    #[inline(always)]
    fn nothing_held<'a, V: Vocabulary>() -> <() as Watch<V>>::Held<'a> {}

    #[inline(always)]
    fn lend_held<'l, V: Vocabulary, W: Watch<V>>(held: &'l mut W::Held<'_>) -> W::Held<'l> {
        W::lend(held)
    }

    #[inline(always)]
    fn join<'l, V: Vocabulary, A: Watch<V>, B: Watch<V>>(
        own: &'l mut A::Held<'_>,
        given: &'l mut B::Held<'_>,
    ) -> (A::Held<'l>, B::Held<'l>) {
        (A::lend(own), B::lend(given))
    }

    #[inline(always)]
    fn admits<V: Vocabulary, W: Watch<V>>(held: &W::Held<'_>, is_guard: bool) -> bool {
        W::admits(held, is_guard)
    }

    #[inline(always)]
    fn before<V: Vocabulary, W: Watch<V>>(held: &mut W::Held<'_>, hook: Name<'_>) -> W::Token {
        W::before(held, hook);
        W::Token::start(W::is_timed(W::share(held)))
    }

    #[inline(always)]
    fn changing<V: Vocabulary, W: Watch<V>>(held: &mut W::Held<'_>, event: &dyn Shows<V>) {
        W::changing(held, event);
    }

    #[inline(always)]
    fn after<V: Vocabulary, W: Watch<V>>(
        held: &mut W::Held<'_>,
        did: Did<'_>,
        event: &dyn Shows<V>,
    ) {
        W::after(held, did, event);
    }

    fn failed<V: Vocabulary, W: Watch<V>>(
        held: &mut W::Held<'_>,
        hook: &str,
        failure: &dyn Display,
        event: &dyn Shows<V>,
    ) {
        W::failed(held, hook, failure, event);
    }

    #[inline(always)]
    fn ahead<'l, E: AnyEvent<Kind = Self>, W: Watch<E::Vocabulary>>(
        held: &'l mut W::Held<'_>,
        cx: &'l Context<E>,
        event: &'l mut E,
        next: Option<i32>,
    ) -> Option<BoxFuture<'l, HookResult<E>>> {
        W::ahead(W::lend(held), cx, event, next)
    }
}
