//! Priority order, found by the type checker.
//!
//! The one idea: a priority is a *type*, a list of eight hexadecimal digits, most significant first.
//! `#[hook(priority = EXPR)]` writes it with [`rank!`]: `Nibble<{ nibble(EXPR, 7) }>` is legal on
//! stable Rust wherever `EXPR` is concrete, and it always is where the attribute stands. To compare
//! two such lists is a type function, [`Number::Above`], and [`order`] is one comparator of the
//! sorting network that `hooks![…]` writes out: it takes two hooks and returns them in order, as
//! differently typed values. Nothing of this is left at run time.
//!
//! Every type function here is *total*: a generic associated type without a where-clause. The same
//! comparisons written as where-clauses on projections make rustc re-prove them exponentially often.

use core::marker::PhantomData;

/// A type-level boolean.
pub trait Bool {
    type First<A, B>;
    type Second<A, B>;
    /// Trades the places of two values if `Self` is [`True`].
    fn swap<A, B>(first: A, second: B) -> (Self::First<A, B>, Self::Second<A, B>);
}

#[derive(Debug)]
pub enum True {}
#[derive(Debug)]
pub enum False {}

impl Bool for True {
    type First<A, B> = B;
    type Second<A, B> = A;
    #[inline(always)]
    fn swap<A, B>(first: A, second: B) -> (B, A) {
        (second, first)
    }
}

impl Bool for False {
    type First<A, B> = A;
    type Second<A, B> = B;
    #[inline(always)]
    fn swap<A, B>(first: A, second: B) -> (A, B) {
        (first, second)
    }
}

/// One hexadecimal digit.
#[derive(Debug)]
pub struct Nibble<const N: u32>;

/// How two digits compare. Types cannot be matched on, so the digit on the left of `Above` picks,
/// by its own value, which question it asks the one on the right: `Over5` asks "is 5 over you?".
pub trait Digit {
    const VALUE: u32;
    /// `Self > Other`; `Tie` where they are equal.
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

/// Implements [`Digit`] for each digit in turn: no lower one is over it, every higher one is.
macro_rules! digits {
    ([$($lower:ident)*]) => {};
    ([$($lower:ident)*] $this:ident $value:literal $($higher:ident $rest:literal)*) => {
        impl Digit for Nibble<$value> {
            const VALUE: u32 = $value;
            type Above<Other: Digit, Tie: Bool> = Other::$this<Tie>;
            $(type $lower<Tie: Bool> = False;)*
            type $this<Tie: Bool> = Tie;
            $(type $higher<Tie: Bool> = True;)*
        }
        digits!([$($lower)* $this] $($higher $rest)*);
    };
}
digits!([] Over0 0 Over1 1 Over2 2 Over3 3 Over4 4 Over5 5 Over6 6 Over7 7
    Over8 8 Over9 9 OverA 10 OverB 11 OverC 12 OverD 13 OverE 14 OverF 15);

/// A number as a list of digits, most significant first: `(Nibble<8>, (Nibble<0>, ()))`.
pub trait Number {
    type Head: Digit;
    type Tail: Number;
    const DIGITS: u32;
    const VALUE: u32;
    /// `Self > Other`; `Tie` where they are equal.
    type Above<Other: Number, Tie: Bool>: Bool;
}

impl Number for () {
    type Head = Nibble<0>;
    type Tail = ();
    const DIGITS: u32 = 0;
    const VALUE: u32 = 0;
    type Above<Other: Number, Tie: Bool> = Tie;
}

impl<H: Digit, T: Number> Number for (H, T) {
    type Head = H;
    type Tail = T;
    const DIGITS: u32 = 1 + T::DIGITS;
    const VALUE: u32 = (H::VALUE << (4 * T::DIGITS)) | T::VALUE;
    type Above<Other: Number, Tie: Bool> = H::Above<Other::Head, T::Above<Other::Tail, Tie>>;
}

/// The sign bit is flipped, so that the digits of negative numbers compare below those of positive ones.
const SIGN: u32 = 0x8000_0000;

/// The hexadecimal digit of `priority` at `place`, 0 being the least significant.
#[must_use]
pub const fn nibble(priority: i32, place: u32) -> u32 {
    ((priority.cast_unsigned() ^ SIGN) >> (4 * place)) & 0xF
}

/// The priority that a rank was written from.
#[must_use]
pub(crate) const fn priority_of<R: Number>() -> i32 {
    (R::VALUE ^ SIGN).cast_signed()
}

/// Writes a const `i32` expression as a [`Number`].
#[doc(hidden)]
#[macro_export]
macro_rules! __rank {
    ($n:expr) => { $crate::__rank!(@ $n; 7 6 5 4 3 2 1 0) };
    (@ $n:expr; $place:literal $($rest:literal)*) => {
        ($crate::__private::Nibble<{ $crate::__private::nibble($n, $place) }>, $crate::__rank!(@ $n; $($rest)*))
    };
    (@ $n:expr;) => { () };
}

/// A hook in a list: its rank, and its position, which settles equal ranks.
#[derive(Debug)]
pub struct Listed<H, R, P> {
    hook: H,
    order: PhantomData<(R, P)>,
}

impl<H, R, P> Listed<H, R, P> {
    #[inline(always)]
    pub(crate) const fn new(hook: H) -> Self {
        Listed {
            hook,
            order: PhantomData,
        }
    }

    /// The hook, once its place is found.
    #[inline(always)]
    pub fn into_hook(self) -> H {
        self.hook
    }
}

/// The vocabulary that the hooks of a list have agreed on so far.
#[derive(Debug)]
pub struct Agreed<V>(PhantomData<V>);

impl<V> Agreed<V> {
    pub(crate) const NEW: Self = Agreed(PhantomData);
}

impl Agreed<crate::event::AnyVocabulary> {
    /// What an empty list has agreed on.
    pub const NOTHING_YET: Self = Agreed::NEW;
}

/// Whether the hook of rank `B`, at position `Q`, runs before that of rank `A`, at position `P`.
type Swap<A, P, B, Q> = <B as Number>::Above<A, <P as Number>::Above<Q, False>>;

/// One comparator of the sorting network: the two hooks, the one that runs first in front.
#[inline(always)]
#[expect(clippy::type_complexity, reason = "a list's order is a type")]
pub fn order<A, RA: Number, PA: Number, B, RB: Number, PB: Number>(
    first: Listed<A, RA, PA>,
    second: Listed<B, RB, PB>,
) -> (
    <Swap<RA, PA, RB, PB> as Bool>::First<Listed<A, RA, PA>, Listed<B, RB, PB>>,
    <Swap<RA, PA, RB, PB> as Bool>::Second<Listed<A, RA, PA>, Listed<B, RB, PB>>,
) {
    <Swap<RA, PA, RB, PB> as Bool>::swap(first, second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_gives_its_priority_back() {
        assert_eq!(priority_of::<__rank!(0)>(), 0);
        assert_eq!(priority_of::<__rank!(-1)>(), -1);
        assert_eq!(priority_of::<__rank!(50 * 2 + 1)>(), 101);
        assert_eq!(priority_of::<__rank!(i32::MIN)>(), i32::MIN);
        assert_eq!(priority_of::<__rank!(i32::MAX)>(), i32::MAX);
    }

    /// Sorts two values by their ranks, equal ones by position, as the network does.
    macro_rules! runs_first {
        ($a:expr, $b:expr) => {{
            let a: Listed<_, __rank!($a), (Nibble<0>, ())> = Listed {
                hook: "a",
                order: PhantomData,
            };
            let b: Listed<_, __rank!($b), (Nibble<1>, ())> = Listed {
                hook: "b",
                order: PhantomData,
            };
            order(a, b).0.into_hook()
        }};
    }

    #[test]
    fn the_higher_rank_runs_first_and_equal_ones_keep_their_positions() {
        assert_eq!(runs_first!(1, 2), "b");
        assert_eq!(runs_first!(2, 1), "a");
        assert_eq!(runs_first!(7, 7), "a");
        assert_eq!(runs_first!(-1, 0), "b");
        assert_eq!(runs_first!(-2, -1), "b");
        assert_eq!(runs_first!(i32::MIN, i32::MAX), "b");
        assert_eq!(runs_first!(0x100, 0xFF), "a");
        assert_eq!(runs_first!(0x1F, 0x20), "b");
    }
}
