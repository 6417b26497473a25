//! An event's position in its vocabulary, as a type.

use super::Mode;

/// One hexadecimal digit.
#[derive(Debug)]
pub struct Nibble<const N: u32>;

/// An event's position in its vocabulary: two digits. A comparison passes both on at once, so it costs rustc two steps,
/// wherever in the vocabulary the event is.
pub trait Slot {
    /// How many slots come before it.
    const INDEX: u32;
    /// `A` if it is the slot `T`, and `B` if not.
    type Is<T: Slot, A: Mode, B: Mode>: Mode;
    /// The same of the slot with these two digits.
    type IsOf<D1: Hex, D0: Hex, A: Mode, B: Mode>: Mode;
}

impl<D1: Hex, D0: Hex> Slot for (D1, D0) {
    const INDEX: u32 = 16 * D1::VALUE + D0::VALUE;
    type Is<T: Slot, A: Mode, B: Mode> = T::IsOf<D1, D0, A, B>;
    type IsOf<E1: Hex, E0: Hex, A: Mode, B: Mode> = D1::Is<E1, D0::Is<E0, A, B>, B>;
}

/// A digit that can be compared with another. The left digit selects the question for the right one.
pub trait Hex {
    const VALUE: u32;
    /// `A` if it is the digit `D`, and `B` if not.
    type Is<D: Hex, A: Mode, B: Mode>: Mode;
    type Is0<A: Mode, B: Mode>: Mode;
    type Is1<A: Mode, B: Mode>: Mode;
    type Is2<A: Mode, B: Mode>: Mode;
    type Is3<A: Mode, B: Mode>: Mode;
    type Is4<A: Mode, B: Mode>: Mode;
    type Is5<A: Mode, B: Mode>: Mode;
    type Is6<A: Mode, B: Mode>: Mode;
    type Is7<A: Mode, B: Mode>: Mode;
    type Is8<A: Mode, B: Mode>: Mode;
    type Is9<A: Mode, B: Mode>: Mode;
    type IsA<A: Mode, B: Mode>: Mode;
    type IsB<A: Mode, B: Mode>: Mode;
    type IsC<A: Mode, B: Mode>: Mode;
    type IsD<A: Mode, B: Mode>: Mode;
    type IsE<A: Mode, B: Mode>: Mode;
    type IsF<A: Mode, B: Mode>: Mode;
}

macro_rules! hexes {
    ([$($lower:ident)*]) => {};
    ([$($lower:ident)*] $this:ident $value:literal $($higher:ident $rest:literal)*) => {
        impl Hex for Nibble<$value> {
            const VALUE: u32 = $value;
            type Is<D: Hex, A: Mode, B: Mode> = D::$this<A, B>;
            $(type $lower<A: Mode, B: Mode> = B;)*
            type $this<A: Mode, B: Mode> = A;
            $(type $higher<A: Mode, B: Mode> = B;)*
        }
        hexes!([$($lower)* $this] $($higher $rest)*);
    };
}
hexes!([] Is0 0 Is1 1 Is2 2 Is3 3 Is4 4 Is5 5 Is6 6 Is7 7 Is8 8 Is9 9 IsA 10 IsB 11 IsC 12 IsD 13 IsE 14 IsF 15);
