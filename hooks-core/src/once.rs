//! Bounds that rustc reports once: one mistake, one message.
//!
//! If a bound of a function does not hold, rustc says so at the argument, and again wherever the program uses what the
//! function returns: at `.await`, or where wrapped hooks go into a driver. rustc says nothing of a type that it does not
//! know. So a function here returns a type that rustc knows only if the bound holds.
//!
//! The bound has a parameter, `K`, and two impls: one for [`Holds`], and one for [`Fails`] that never applies. If the bound
//! holds, the first is the only one left, and `K::Of<T>` is `T`. If not, `K` stays unknown.

/// Whether a bound holds, as a type: [`Holds`]. Of several bounds, it is a tuple.
pub trait Verdict {
    /// `T`, if the bound holds.
    type Of<T>;
    /// The value, as this type.
    fn of<T>(value: T) -> Self::Of<T>;
}

/// The bound holds.
#[derive(Debug)]
pub enum Holds {}
/// Never. `Fails: AsRef<T>` holds for no type, which rustc finds out only when it looks.
#[derive(Debug)]
pub enum Fails {}

macro_rules! verdicts {
    ($($verdict:ty)*) => { $(
        impl Verdict for $verdict {
            type Of<T> = T;

            #[inline(always)]
            fn of<T>(value: T) -> T {
                value
            }
        }
    )* };
}
verdicts!(Holds Fails);

/// What a function returns whose bounds have these verdicts.
pub type Once<K, T> = <K as Verdict>::Of<T>;

impl<A: Verdict, B: Verdict> Verdict for (A, B) {
    type Of<T> = A::Of<B::Of<T>>;

    #[inline(always)]
    fn of<T>(value: T) -> Self::Of<T> {
        A::of(B::of(value))
    }
}

impl<A: Verdict, B: Verdict, C: Verdict> Verdict for (A, B, C) {
    type Of<T> = A::Of<B::Of<C::Of<T>>>;

    #[inline(always)]
    fn of<T>(value: T) -> Self::Of<T> {
        A::of(B::of(C::of(value)))
    }
}
