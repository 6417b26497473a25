//! The type that a hook names as its event, checked once.

/// The type itself, if the condition holds.
///
/// `#[hook]` writes `<Cart as If<{ <Cart as Event>::IS_EVENT }>>::Event` for an event `Cart`. If `Cart` is no
/// event, the condition is what rustc reports. The whole type is then in error, and rustc says nothing of what
/// is in error already: one mistake gives one message, however often the event is used.
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
/// `#[hook]` writes `<fn(&'static ()) -> ToolCallEnd as Returned>::Type` in the alias of an event, because rustc elides
/// lifetimes there, and nowhere else in an alias. So `ToolCallEnd`, without `<'_>`, is reported once: in the head of the
/// `impl`, where rustc says what to write.
#[doc(hidden)]
pub trait Returned {
    type Type: ?Sized;
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> Returned for fn(&'static ()) -> T {
    type Type = T;
}
