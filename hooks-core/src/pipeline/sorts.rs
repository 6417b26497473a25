//! What a list of several hooks must know about each: its type, and so its priority.

use super::order::Listed;
use crate::event::{Agreed, AnyVocabulary};
use crate::hook::Number;

/// The types of all hooks so far in a list are known.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Known;

/// A list that can sort the hook `H`, whose vocabulary is `V`.
///
/// For an `impl AgentHooks`, neither the vocabulary nor the priority is known. The list then stops using the types of
/// that hook and of those after it, so that one mistake gives one message.
#[diagnostic::on_unimplemented(
    message = "the priority of `{H}` is not known here, so a list cannot sort it",
    label = "the type of these hooks is hidden",
    note = "hooks behind a type parameter or an `impl AgentHooks` are put one after the other, outside of a \
            list with several hooks: write `hooks![first].then(second)`"
)]
#[doc(hidden)]
pub trait Sorts<V, H>: Sized {
    /// [`Known`], if the hook's types are known.
    type Next;
    /// The hook's rank.
    type Rank<R: Number>: Number;
    /// The vocabulary itself.
    type Vocabulary;

    /// Takes a hook that shares a list with others.
    #[expect(clippy::type_complexity, reason = "a list's order is a type")]
    fn sorts<R: Number, P>(
        self,
        listed: Listed<H, R, P>,
        agreed: Agreed<V>,
    ) -> (
        Self::Next,
        Listed<H, Self::Rank<R>, P>,
        Agreed<Self::Vocabulary>,
    );
}

/// Implements [`Sorts`] for one vocabulary. An impl for all vocabularies would also apply to a hidden type, and the
/// list would use that type further.
#[doc(hidden)]
#[macro_export]
macro_rules! __sorts {
    ($Vocabulary:ty) => {
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<H> $crate::Sorts<$Vocabulary, H> for $crate::Known {
            type Next = Self;
            type Rank<R: $crate::__private::Number> = R;
            type Vocabulary = $Vocabulary;

            #[inline(always)]
            fn sorts<R: $crate::__private::Number, P>(
                self,
                listed: $crate::__private::Listed<H, R, P>,
                agreed: $crate::__private::Agreed<$Vocabulary>,
            ) -> (
                Self,
                $crate::__private::Listed<H, R, P>,
                $crate::__private::Agreed<$Vocabulary>,
            ) {
                (self, listed, agreed)
            }
        }
    };
}

__sorts!(AnyVocabulary);
