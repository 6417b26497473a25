//! A priority as a type, which the type checker can compare.
//!
//! A priority is a *type*, eight hexadecimal digits, most significant first: [`Digits`]. `#[hook(priority = EXPR)]`
//! writes it with [`rank!`]: `Nibble<{ nibble(EXPR, 7) }>` is legal on stable Rust if `EXPR` is concrete, which it
//! always is in the attribute. If `EXPR` is a small number that the macro can read, the macro writes [`Few`] of the
//! digits, and the rest follow from the sign. The type function [`Number::Above`] compares two such types, and
//! [`order`](crate::pipeline::order) is one comparator of the sorting network that `hooks![…]` writes: it takes two
//! hooks and returns them in order, as values of different types. None of this exists at run time.
//!
//! Every type function here is *total*: a generic associated type without a where-clause. Where-clauses on
//! projections would make rustc prove the same comparisons exponentially often. Each function also passes all digits
//! on at once: taking a list of digits apart, head from tail, costs rustc more than comparing them, and a list of a
//! hundred hooks makes a thousand comparisons.

use crate::event::Nibble;

mod merge;

use self::merge::Takes;
pub(crate) use self::merge::{Down, Lists, Sorted, Spot, Swap};

/// A type-level boolean.
pub trait Bool: Takes {
    type Not: Bool;
    type Pair<A, B>;
    /// Swaps two values if `Self` is [`True`].
    fn swap<A, B>(first: A, second: B) -> Self::Pair<A, B>;
}

#[derive(Debug)]
pub enum True {}
#[derive(Debug)]
pub enum False {}

impl Bool for True {
    type Not = False;
    type Pair<A, B> = (B, A);
    #[inline(always)]
    fn swap<A, B>(first: A, second: B) -> (B, A) {
        (second, first)
    }
}

impl Bool for False {
    type Not = True;
    type Pair<A, B> = (A, B);
    #[inline(always)]
    fn swap<A, B>(first: A, second: B) -> (A, B) {
        (first, second)
    }
}

/// How two digits compare. Types cannot be matched on, so the left digit of `Above` uses its own value to select the
/// question for the right digit: `Over5` asks "is 5 greater than you?".
pub trait Digit {
    const VALUE: u32;
    /// The digits that follow, if this is the first digit of a number near 0.
    type Fill: Digit;
    /// `Self > Other`; `Tie` if they are equal.
    type Above<Other: Digit, Tie: Bool>: Bool;
    type Over0<Tie: Bool>: Bool;
    type Over1<Tie: Bool>: Bool;
    type Over2<Tie: Bool>: Bool;
    type Over3<Tie: Bool>: Bool;
    type Over4<Tie: Bool>: Bool;
    type Over5<Tie: Bool>: Bool;
    type Over6<Tie: Bool>: Bool;
    type Over7<Tie: Bool>: Bool;
    type Over8<Tie: Bool>: Bool;
    type Over9<Tie: Bool>: Bool;
    type OverA<Tie: Bool>: Bool;
    type OverB<Tie: Bool>: Bool;
    type OverC<Tie: Bool>: Bool;
    type OverD<Tie: Bool>: Bool;
    type OverE<Tie: Bool>: Bool;
    type OverF<Tie: Bool>: Bool;
}

/// Implements [`Digit`] for each digit in turn: no lower digit is greater than it, and every higher one is.
macro_rules! digits {
    ([$($lower:ident)*]) => {};
    ([$($lower:ident)*] $this:ident $value:literal $fill:literal $($higher:ident $rest:literal $filled:literal)*) => {
        impl Digit for Nibble<$value> {
            const VALUE: u32 = $value;
            type Fill = Nibble<$fill>;
            type Above<Other: Digit, Tie: Bool> = Other::$this<Tie>;
            $(type $lower<Tie: Bool> = False;)*
            type $this<Tie: Bool> = Tie;
            $(type $higher<Tie: Bool> = True;)*
        }
        digits!([$($lower)* $this] $($higher $rest $filled)*);
    };
}
// The sign bit is flipped: negative numbers near 0 begin with `7FFF`, others with `8000`.
digits!([] Over0 0 15 Over1 1 15 Over2 2 15 Over3 3 15 Over4 4 15 Over5 5 15 Over6 6 15 Over7 7 15
    Over8 8 0 Over9 9 0 OverA 10 0 OverB 11 0 OverC 12 0 OverD 13 0 OverE 14 0 OverF 15 0);

/// A number of eight digits, most significant first.
#[derive(Debug)]
pub struct Digits<D7, D6, D5, D4, D3, D2, D1, D0>(
    #[expect(clippy::type_complexity, reason = "eight digits are eight types")]
    core::marker::PhantomData<(D7, D6, D5, D4, D3, D2, D1, D0)>,
);

/// A number near 0: its first digit and its last three. The digits between follow from the first.
#[derive(Debug)]
pub struct Few<S, D2, D1, D0>(core::marker::PhantomData<(S, D2, D1, D0)>);

/// A comparable number: [`Digits`] or [`Few`] of them. As with digits, the left side of `Above` selects the question
/// for the right side.
pub trait Number {
    /// The number itself.
    const VALUE: u32;
    /// Whether it is the place of one hook, or of several.
    type Shape;
    /// The rank of hooks of which one has this rank: `Places`.
    type OfSeveral: Number;
    /// `Self > Other`; `Tie` if they are equal.
    type Above<Other: Number, Tie: Bool>: Bool;
    /// `Few<S, C, B, A> > Self`.
    type OverFew<S: Digit, C: Digit, B: Digit, A: Digit, Tie: Bool>: Bool;
    /// `Digits<H, G, F, E, D, C, B, A> > Self`.
    type OverDigits<
        H: Digit, G: Digit, F: Digit, E: Digit, D: Digit, C: Digit, B: Digit, A: Digit, Tie: Bool,
    >: Bool;
}

impl<S: Digit, D2: Digit, D1: Digit, D0: Digit> Number for Few<S, D2, D1, D0> {
    type Shape = Single;
    type OfSeveral = Places;
    const VALUE: u32 = (S::VALUE << 28)
        | (<S::Fill as Digit>::VALUE * 0x0111_1000)
        | (D2::VALUE << 8)
        | (D1::VALUE << 4)
        | D0::VALUE;
    type Above<Other: Number, Tie: Bool> = Other::OverFew<S, D2, D1, D0, Tie>;
    type OverFew<T: Digit, C: Digit, B: Digit, A: Digit, Tie: Bool> =
        T::Above<S, C::Above<D2, B::Above<D1, A::Above<D0, Tie>>>>;
    type OverDigits<
        H: Digit,
        G: Digit,
        F: Digit,
        E: Digit,
        D: Digit,
        C: Digit,
        B: Digit,
        A: Digit,
        Tie: Bool,
    > = H::Above<
        S,
        G::Above<
            S::Fill,
            F::Above<
                S::Fill,
                E::Above<S::Fill, D::Above<S::Fill, C::Above<D2, B::Above<D1, A::Above<D0, Tie>>>>>,
            >,
        >,
    >;
}

impl<D7: Digit, D6: Digit, D5: Digit, D4: Digit, D3: Digit, D2: Digit, D1: Digit, D0: Digit> Number
    for Digits<D7, D6, D5, D4, D3, D2, D1, D0>
{
    type Shape = Single;
    type OfSeveral = Places;
    const VALUE: u32 = (D7::VALUE << 28)
        | (D6::VALUE << 24)
        | (D5::VALUE << 20)
        | (D4::VALUE << 16)
        | (D3::VALUE << 12)
        | (D2::VALUE << 8)
        | (D1::VALUE << 4)
        | D0::VALUE;
    type Above<Other: Number, Tie: Bool> = Other::OverDigits<D7, D6, D5, D4, D3, D2, D1, D0, Tie>;
    type OverFew<S: Digit, C: Digit, B: Digit, A: Digit, Tie: Bool> = S::Above<
        D7,
        <S::Fill as Digit>::Above<
            D6,
            <S::Fill as Digit>::Above<
                D5,
                <S::Fill as Digit>::Above<
                    D4,
                    <S::Fill as Digit>::Above<D3, C::Above<D2, B::Above<D1, A::Above<D0, Tie>>>>,
                >,
            >,
        >,
    >;
    type OverDigits<
        H: Digit,
        G: Digit,
        F: Digit,
        E: Digit,
        D: Digit,
        C: Digit,
        B: Digit,
        A: Digit,
        Tie: Bool,
    > = H::Above<
        D7,
        G::Above<
            D6,
            F::Above<D5, E::Above<D4, D::Above<D3, C::Above<D2, B::Above<D1, A::Above<D0, Tie>>>>>>,
        >,
    >;
}

/// A hook has one place in a list.
#[derive(Debug)]
pub enum Single {}
/// Hooks have several places in a list.
#[derive(Debug)]
pub enum Several {}

/// The rank of several hooks, each of which has one of its own. As a number it is 0.
#[derive(Debug)]
pub enum Places {}

type Zero = crate::__rank!(0);

impl Number for Places {
    const VALUE: u32 = SIGN;
    type Shape = Several;
    type OfSeveral = Places;
    type Above<Other: Number, Tie: Bool> = <Zero as Number>::Above<Other, Tie>;
    type OverFew<S: Digit, C: Digit, B: Digit, A: Digit, Tie: Bool> =
        <Zero as Number>::OverFew<S, C, B, A, Tie>;
    type OverDigits<
        H: Digit,
        G: Digit,
        F: Digit,
        E: Digit,
        D: Digit,
        C: Digit,
        B: Digit,
        A: Digit,
        Tie: Bool,
    > = <Zero as Number>::OverDigits<H, G, F, E, D, C, B, A, Tie>;
}

/// A position in a list: two digits.
pub trait Place {
    /// `Self > Other`; false if they are equal.
    type After<Other: Place>: Bool;
    /// `(B, A) > Self`.
    type Under<B: Digit, A: Digit>: Bool;
}

impl<D1: Digit, D0: Digit> Place for (D1, D0) {
    type After<Other: Place> = Other::Under<D1, D0>;
    type Under<B: Digit, A: Digit> = B::Above<D1, A::Above<D0, False>>;
}

/// The sign bit is flipped, so that the digits of negative numbers compare below those of positive numbers.
const SIGN: u32 = 0x8000_0000;

/// The hexadecimal digit of `priority` at `place`; 0 is the least significant.
#[must_use]
pub const fn nibble(priority: i32, place: u32) -> u32 {
    ((priority.cast_unsigned() ^ SIGN) >> (4 * place)) & 0xF
}

/// The priority that a rank encodes.
#[must_use]
pub(crate) const fn priority_of<R: Number>() -> i32 {
    (R::VALUE ^ SIGN).cast_signed()
}

/// Turns a const `i32` expression into a [`Number`].
#[doc(hidden)]
#[macro_export]
macro_rules! __rank {
    (0) => { $crate::__rank!(@few 8 0 0 0) };
    ($n:expr) => { $crate::__rank!(@digits $n; 7 6 5 4 3 2 1 0) };
    (@few $($digit:literal)*) => { $crate::__private::Few<$($crate::__private::Nibble<$digit>),*> };
    (@digits $n:expr; $($place:literal)*) => {
        $crate::__private::Digits<$($crate::__private::Nibble<{ $crate::__private::nibble($n, $place) }>),*>
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_gives_its_priority_back() {
        assert_eq!(priority_of::<__rank!(0)>(), 0);
        assert_eq!(priority_of::<__rank!(-1)>(), -1);
        assert_eq!(priority_of::<__rank!(@few 8 15 15 15)>(), 0xFFF);
        assert_eq!(priority_of::<__rank!(@few 7 15 15 14)>(), -2);
        assert_eq!(priority_of::<__rank!(50 * 2 + 1)>(), 101);
        assert_eq!(priority_of::<__rank!(i32::MIN)>(), i32::MIN);
        assert_eq!(priority_of::<__rank!(i32::MAX)>(), i32::MAX);
    }
}
