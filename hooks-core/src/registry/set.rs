//! The hooks of a registry at one moment, in order.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use super::RegisterError;
use super::boxed::Boxed;
use crate::event::{EventSet, Vocabulary};
use crate::hook::{AnyProbe, CatchPanic, Hook, OnPanic, Planner, catch};
#[cfg(feature = "tokio")]
use crate::hook::{Timeout, Timeouts};

/// One hook of a registry.
pub(super) struct RegistryEntry<V: Vocabulary> {
    pub(super) priority: i32,
    pub(super) policy: Policy,
    pub(super) boxed: Boxed<V>,
}

/// How a registry isolates the failures of a hook.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Policy {
    pub(super) on_panic: OnPanic,
    #[cfg(feature = "tokio")]
    pub(super) timeouts: Timeouts,
}

impl<V: Vocabulary> Clone for RegistryEntry<V> {
    fn clone(&self) -> Self {
        RegistryEntry {
            boxed: self.boxed.clone(),
            ..*self
        }
    }
}

impl<V: Vocabulary> RegistryEntry<V> {
    /// The hook in the wrappers that isolate its failures. They are around the box and not in it: rustc makes them once
    /// for each event, and not for each event of each hook.
    pub(super) fn isolated(&self) -> CatchPanic<Limited<'_, V>> {
        #[cfg(feature = "tokio")]
        let limited = Timeout::each(&self.boxed, self.policy.timeouts);
        #[cfg(not(feature = "tokio"))]
        let limited = &self.boxed;
        CatchPanic::new(limited, self.policy.on_panic)
    }

    /// The error that another hook has this one's name.
    pub(super) fn refused(self) -> RegisterError {
        let name = self.boxed.name.into();
        RegisterError::NameTaken { name }
    }
}

#[cfg(feature = "tokio")]
type Limited<'e, V> = Timeout<&'e Boxed<V>>;
#[cfg(not(feature = "tokio"))]
type Limited<'e, V> = &'e Boxed<V>;

/// The hooks of a registry at one moment, in the order in which they run.
#[expect(missing_debug_implementations, reason = "only a dispatch has it")]
pub struct Set<V: Vocabulary> {
    pub(super) entries: Vec<RegistryEntry<V>>,
    pub(super) wanted: EventSet,
    pub(super) guards: EventSet,
    pub(super) probes: Vec<Arc<dyn AnyProbe<V>>>,
    concerned: RwLock<HashMap<Box<str>, Arc<Concerned>>>,
}

/// Which hooks of a set may want an event with a subject, such as a tool's name.
pub(super) struct Concerned {
    pub(super) subject: Box<str>,
    /// For each hook, the events that it may want.
    pub(super) hooks: Box<[EventSet]>,
}

/// For so many subjects, a set remembers which hooks they concern. An agent has fewer tools.
const SUBJECTS: usize = 1024;

impl<V: Vocabulary> Default for Set<V> {
    fn default() -> Self {
        Set {
            entries: Vec::new(),
            wanted: EventSet::NONE,
            guards: EventSet::NONE,
            probes: Vec::new(),
            concerned: RwLock::default(),
        }
    }
}

impl<V: Vocabulary> Clone for Set<V> {
    fn clone(&self) -> Self {
        Set {
            entries: self.entries.clone(),
            wanted: self.wanted,
            guards: self.guards,
            probes: self.probes.clone(),
            // What is remembered is of the set that is copied to be changed.
            concerned: RwLock::default(),
        }
    }
}

impl<V: Vocabulary> Set<V> {
    pub(super) const fn wanted(&self) -> EventSet {
        self.wanted
    }

    pub(super) const fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.boxed.name)
    }

    /// The rows of each hook, with its priority.
    pub(super) fn plans(&self) -> Vec<(i32, Planner)> {
        let plan = |entry: &RegistryEntry<V>| {
            let mut plan = Planner::default();
            plan.of_registry(entry.boxed.name.clone(), entry.priority, |plan| {
                entry.boxed.describe(plan);
            });
            (entry.priority, plan)
        };
        self.entries.iter().map(plan).collect()
    }

    /// Adds a hook, or hands it back if its name is taken.
    pub(super) fn insert(&mut self, entry: RegistryEntry<V>) -> Option<RegistryEntry<V>> {
        if self.names().any(|name| *name == *entry.boxed.name) {
            return Some(entry);
        }
        let place = |other: &RegistryEntry<V>| other.priority >= entry.priority;
        let place = self.entries.partition_point(place);
        self.entries.insert(place, entry);
        self.count();
        None
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<RegistryEntry<V>> {
        let place = self.names().position(|other| other == name)?;
        let old = self.entries.remove(place);
        self.count();
        Some(old)
    }

    /// Replaces the hook of the same name. At the same priority, it takes the place of the old one.
    pub(super) fn put(&mut self, entry: RegistryEntry<V>) -> Option<RegistryEntry<V>> {
        let place = self.names().position(|other| *other == *entry.boxed.name);
        let same = place.filter(|place| self.entries[*place].priority == entry.priority);
        if let Some(place) = same {
            let old = core::mem::replace(&mut self.entries[place], entry);
            self.count();
            return Some(old);
        }
        let old = self.remove(&entry.boxed.name.clone());
        // Its name is free now.
        let _ = self.insert(entry);
        old
    }

    pub(super) fn attach(&mut self, probe: Arc<dyn AnyProbe<V>>) {
        self.probes.push(probe);
        self.count();
    }

    pub(super) fn attach_all(&mut self, other: &Self) {
        self.probes.extend_from_slice(&other.probes);
        self.count();
    }

    /// The hooks that an event with this subject may concern.
    pub(super) fn concerned(&self, subject: &str) -> Arc<Concerned> {
        let known = self.concerned.read();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        if let Some(concerned) = known.get(subject) {
            return Arc::clone(concerned);
        }
        drop(known);
        let of = |entry: &RegistryEntry<V>| {
            // A hook that panics here panics again when it is asked, where its policy catches that.
            let concerns = |event| catch(|| entry.boxed.concerns(event, subject)).unwrap_or(true);
            let events = V::EVENTS.iter();
            let wanted = events.filter(|event| entry.boxed.wanted.has(event) && concerns(event));
            wanted.fold(EventSet::NONE, |all, event| all.union(EventSet::one(event)))
        };
        let concerned = Arc::new(Concerned {
            subject: subject.into(),
            hooks: self.entries.iter().map(of).collect(),
        });
        let mut known = self
            .concerned
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if known.len() < SUBJECTS {
            known.insert(subject.into(), Arc::clone(&concerned));
        }
        concerned
    }

    fn count(&mut self) {
        let union = |of: fn(&RegistryEntry<V>) -> EventSet| {
            let sets = self.entries.iter().map(of);
            sets.fold(EventSet::NONE, EventSet::union)
        };
        self.concerned = RwLock::default();
        self.guards = union(|entry| entry.boxed.known.guards);
        // A probe sees every event.
        self.wanted = if self.probes.is_empty() {
            union(|entry| entry.boxed.wanted)
        } else {
            EventSet::ALL
        };
    }
}
