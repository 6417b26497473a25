//! The type that a hook names as its event, checked once.

/// The type itself, if the condition holds.
///
/// `#[hook]` writes `<Cart as If<{ <Cart as Event>::IS_EVENT }>>::Event` for an event `Cart`. If `Cart` is not an
/// event, rustc reports the condition. The whole type is then in error, and rustc does not report uses of a type that
/// is already in error: one mistake gives one message, however often the event is used.
#[doc(hidden)]
pub trait If<const CONDITION: bool> {
    type Event: ?Sized;
}

#[diagnostic::do_not_recommend]
impl<E: ?Sized> If<true> for E {
    type Event = E;
}

/// What a function type returns.
///
/// `#[hook]` writes `<fn(&'static ()) -> ToolCallEnd as Returned>::Type` in the alias of an event, because this is
/// the only place in an alias where rustc elides lifetimes. So rustc reports a `ToolCallEnd` without `<'_>` once: in
/// the head of the `impl`, where its message says what to write.
#[doc(hidden)]
pub trait Returned {
    type Type: ?Sized;
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> Returned for fn(&'static ()) -> T {
    type Type = T;
}
