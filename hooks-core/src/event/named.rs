//! The type that a hook names as its event, checked once.

/// The type that the function type on the left returns, if the condition holds.
///
/// `#[hook]` writes `<fn(&'static ()) -> Cart as If<{ <Cart as Event>::IS_EVENT }>>::Event` for an event `Cart`. If
/// `Cart` is no event, the condition is what rustc reports. The whole type is then in error, and rustc says nothing
/// of what is in error already: one mistake gives one message, however often the event is used.
///
/// The event is what a function returns because rustc elides lifetimes there, and nowhere else in the types of an
/// item. So `ToolCallEnd`, without `<'_>`, is reported once as well: in the head of the `impl`, where rustc says what to
/// write.
#[doc(hidden)]
pub trait If<const CONDITION: bool> {
    type Event: ?Sized;
}

#[diagnostic::do_not_recommend]
impl<E: ?Sized> If<true> for fn(&'static ()) -> E {
    type Event = E;
}
