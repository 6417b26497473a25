//! A set of events of a vocabulary, as a number with one bit per event.

use core::fmt;
use core::ops::BitOr;

use super::{Event, EventInfo, Slot, Vocabulary};

/// A set of events: those that a handler wants, or those that an agent raises.
///
/// A set is one machine word, so a membership test is a load and a branch. The events of a vocabulary after the
/// sixty-third share a bit: for those, the set may contain an event that you did not add, but it never lacks one that
/// you did.
///
/// ```
/// use hooks_core::EventSet;
/// use hooks_core::agent::{AgentEvent, BeforeToolCall, ToolCallEnd, ToolCallStart};
///
/// let set = EventSet::of::<BeforeToolCall>() | EventSet::of::<ToolCallEnd>();
/// assert!(set.contains::<BeforeToolCall>() && !set.contains::<ToolCallStart>());
/// assert_eq!(EventSet::named::<AgentEvent>("BeforeToolCall"), Some(EventSet::of::<BeforeToolCall>()));
/// assert_eq!(EventSet::named::<AgentEvent>("BeforeTool"), None);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct EventSet(u64);

/// The bit that the last events share.
const LAST: u32 = u64::BITS - 1;

impl EventSet {
    /// No event. The default.
    pub const NONE: Self = EventSet(0);
    /// Every event.
    pub const ALL: Self = EventSet(u64::MAX);

    /// The event `E` alone.
    #[must_use]
    #[inline(always)]
    pub const fn of<E: Event>() -> Self {
        EventSet(const { bit(E::Slot::INDEX) })
    }

    /// The event of the vocabulary `V` with this name; `None` if there is none.
    #[must_use]
    pub fn named<V: Vocabulary>(name: &str) -> Option<Self> {
        let index = V::EVENTS.iter().position(|event| event.name == name)?;
        Some(EventSet(bit(u32::try_from(index).unwrap_or(LAST))))
    }

    /// Whether the event `E` is in the set.
    #[must_use]
    #[inline(always)]
    pub const fn contains<E: Event>(self) -> bool {
        self.0 & EventSet::of::<E>().0 != 0
    }

    /// Whether the event of `V` with this name is in the set.
    #[must_use]
    pub fn contains_named<V: Vocabulary>(self, name: &str) -> bool {
        Self::named::<V>(name).is_some_and(|event| self.0 & event.0 != 0)
    }

    /// Whether the event of this row is in the set.
    #[must_use]
    pub const fn has(self, event: &EventInfo) -> bool {
        self.0 & bit(event.index) != 0
    }

    /// The event of this row alone.
    #[must_use]
    pub const fn one(event: &EventInfo) -> Self {
        EventSet(bit(event.index))
    }

    /// Whether no event is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The union of two sets: `|`, in a constant.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        EventSet(self.0 | other.0)
    }

    /// The set of events whose bits are set.
    pub(crate) const fn from_bits(bits: u64) -> Self {
        EventSet(bits)
    }

    #[cfg(feature = "std")]
    pub(crate) const fn bits(self) -> u64 {
        self.0
    }
}

/// The bit of the event in this slot. Events past the last bit share it.
pub(super) const fn bit(index: u32) -> u64 {
    1 << if index < LAST { index } else { LAST }
}

impl BitOr for EventSet {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.union(other)
    }
}

/// The positions of the events in their vocabulary, which the set does not know.
impl fmt::Debug for EventSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == EventSet::ALL {
            return f.write_str("EventSet::ALL");
        }
        f.debug_set()
            .entries((0..u64::BITS).filter(|place| self.0 >> place & 1 == 1))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_past_the_last_bit_share_it() {
        assert_eq!(bit(3), 8);
        assert_eq!(bit(63), 1 << 63);
        assert_eq!(bit(200), 1 << 63);
    }
}
