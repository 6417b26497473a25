//! The two kinds of events, and how a dispatch holds an event of each.

use super::Event;

/// How a dispatch holds the event: `&E` or `&mut E`.
#[doc(hidden)]
pub type Access<'a, E> = <<E as Event>::Kind as Kind>::Access<'a, E>;

/// Whether hooks [`Observe`] or [`Intercept`] an event.
pub trait Kind: Sized {
    /// How a dispatch holds the event: `&E` or `&mut E`.
    #[doc(hidden)]
    type Access<'a, E: Event + 'a>: Send;
    /// Reads the event. (The bound `E: 'a` makes `'a` early bound here and in the impls: see E0195.)
    #[doc(hidden)]
    fn look<'a, E: Event<Kind = Self> + 'a>(access: Self::Access<'a, E>) -> &'a E;
    /// Reads the event, and goes on holding it.
    #[doc(hidden)]
    fn peek<'l, E: Event<Kind = Self>>(access: &'l Self::Access<'_, E>) -> &'l E;
    /// Lends the event.
    #[doc(hidden)]
    fn lend<'l, E: Event<Kind = Self>>(access: &'l mut Self::Access<'_, E>) -> Self::Access<'l, E>;
    /// Whether a dispatch can change the event.
    #[doc(hidden)]
    const CHANGES: bool;
    /// A dispatch of this event.
    #[doc(hidden)]
    fn access<E: Event<Kind = Self>>(event: &mut E) -> Self::Access<'_, E>;
    /// Restores the event.
    #[doc(hidden)]
    fn put_back<E: Event<Kind = Self>>(access: Self::Access<'_, E>, before: E);
}

/// Hooks look at the event; asynchronous hooks run concurrently.
#[doc(alias = "after")]
#[derive(Debug)]
pub enum Observe {}

/// Hooks run in order; they may change the event, answer it, or stop it.
#[doc(alias("before", "interceptor"))]
#[derive(Debug)]
pub enum Intercept {}

/// The kind of events about which hooks decide. `#[hook]` reads the constant where a hook returns an action.
#[diagnostic::on_unimplemented(
    message = "a hook on an observed event returns nothing",
    label = "hooks only look at this event",
    note = "this event tells what has happened, so nothing is left to decide: write no return type; to block or to change, take the \
            intercepted event that comes before, as `BeforeToolCall` comes before `ToolCallEnd`"
)]
#[doc(hidden)]
pub trait Decisive: Kind {
    const DECIDES: bool = true;
}

#[diagnostic::do_not_recommend]
impl Decisive for Intercept {}

impl Kind for Observe {
    type Access<'a, E: Event + 'a> = &'a E;

    #[inline(always)]
    fn look<'a, E: Event<Kind = Self> + 'a>(event: &'a E) -> &'a E {
        event
    }

    #[inline(always)]
    fn peek<'l, E: Event<Kind = Self>>(event: &'l &E) -> &'l E {
        event
    }

    #[inline(always)]
    fn lend<'l, E: Event<Kind = Self>>(event: &'l mut &E) -> &'l E {
        event
    }

    const CHANGES: bool = false;

    #[inline(always)]
    fn access<E: Event<Kind = Self>>(event: &mut E) -> &E {
        event
    }

    fn put_back<E: Event<Kind = Self>>(_: &E, _: E) {}
}

impl Kind for Intercept {
    type Access<'a, E: Event + 'a> = &'a mut E;

    #[inline(always)]
    fn look<'a, E: Event<Kind = Self> + 'a>(event: &'a mut E) -> &'a E {
        event
    }

    #[inline(always)]
    fn peek<'l, E: Event<Kind = Self>>(event: &'l &mut E) -> &'l E {
        event
    }

    #[inline(always)]
    #[expect(clippy::mut_mut, reason = "an intercepted event is held by `&mut`")]
    fn lend<'l, E: Event<Kind = Self>>(event: &'l mut &mut E) -> &'l mut E {
        event
    }

    const CHANGES: bool = true;

    #[inline(always)]
    fn access<E: Event<Kind = Self>>(event: &mut E) -> &mut E {
        event
    }

    fn put_back<E: Event<Kind = Self>>(event: &mut E, before: E) {
        *event = before;
    }
}
