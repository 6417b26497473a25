//! Whether a wrapper awaits anything besides the hooks in it, as a type.

use core::fmt::{self, Display};

use crate::hook::{Asynchronous, Timing};

/// What a [`Wrapper`](super::Wrapper) says of itself: [`Yes`] or [`No`].
pub trait Waits {
    /// The timing of hooks with the wrapper around them.
    type Around<T: Timing>: Timing;
}

/// The wrapper awaits something of its own, such as a permit or a timer.
#[derive(Debug)]
pub enum Yes {}
/// The wrapper awaits nothing but the hooks in it.
#[derive(Debug)]
pub enum No {}

impl Waits for Yes {
    type Around<T: Timing> = Asynchronous;
}

impl Waits for No {
    type Around<T: Timing> = T;
}

/// A wrapper that says [`No`] has waited.
#[derive(Debug)]
pub(super) struct Awaited(pub(super) &'static str);

impl Display for Awaited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the wrapper `{}` had to wait, although its `type Waits = No` says that it never does: write `type Waits = Yes`",
            self.0
        )
    }
}
