//! Values that are kept under names, and never removed.

use alloc::boxed::Box;
use alloc::string::String;
use core::hash::BuildHasher as _;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::hash::RandomState;
use std::sync::{LazyLock, OnceLock};

/// A map that only grows, and is read without a lock. What it holds can be borrowed for as long as the map lives.
///
/// The names are in a tree whose branches follow the bits of a name's hash, so it stays flat enough to search and to
/// drop.
pub(super) struct ByName<T> {
    root: Branch<T>,
    len: AtomicUsize,
}

type Branch<T> = OnceLock<Box<Named<T>>>;

/// A name and its value.
pub(super) struct Named<T> {
    pub(super) name: String,
    pub(super) value: T,
    below: [Branch<T>; 2],
}

/// One for all maps, so that an empty map is a constant.
static HASH: LazyLock<RandomState> = LazyLock::new(RandomState::new);

impl<T> ByName<T> {
    pub(super) const fn new() -> Self {
        ByName {
            root: OnceLock::new(),
            len: AtomicUsize::new(0),
        }
    }

    /// Returns the value of a name, and makes it if there is none and the map has fewer than `most` names.
    ///
    /// Threads that add names at the same time may exceed `most` by one each, and may make the same value twice.
    pub(super) fn get_or_add(
        &self,
        name: &str,
        most: usize,
        make: impl Fn() -> T,
    ) -> Option<&Named<T>> {
        let mut bits = HASH.hash_one(name);
        let mut branch = &self.root;
        loop {
            let named = match branch.get() {
                Some(named) => named,
                None if self.len.load(Ordering::Relaxed) >= most => return None,
                None => {
                    // Made outside of the cell, because `make` may panic, or ask for the same name.
                    let added = Box::new(Named {
                        name: name.into(),
                        value: make(),
                        below: [OnceLock::new(), OnceLock::new()],
                    });
                    match branch.set(added) {
                        Ok(()) => self.len.fetch_add(1, Ordering::Relaxed),
                        Err(_) => 0,
                    };
                    continue;
                }
            };
            if named.name == name {
                return Some(named);
            }
            branch = &named.below[usize::from(bits & 1 == 1)];
            bits = bits.rotate_right(1);
        }
    }
}

impl<T> Default for ByName<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn a_value_is_made_once_and_stays() {
        let made = AtomicUsize::new(0);
        let map = ByName::new();
        let get = |name: &str| {
            let named = map.get_or_add(name, usize::MAX, || made.fetch_add(1, Ordering::Relaxed));
            named.map(|named| named.value)
        };
        let names: Vec<_> = (0..1000).map(|nth| format!("name {nth}")).collect();
        for (nth, name) in names.iter().enumerate() {
            assert_eq!(get(name), Some(nth));
        }
        for (nth, name) in names.iter().enumerate() {
            assert_eq!(get(name), Some(nth));
        }
    }

    #[test]
    fn a_full_map_takes_no_more() {
        let map = ByName::new();
        for nth in 0..10 {
            let is_kept = map.get_or_add(&format!("{nth}"), 4, || ()).is_some();
            assert_eq!(is_kept, nth < 4, "{nth}");
        }
        assert!(map.get_or_add("3", 4, || ()).is_some());
    }
}
