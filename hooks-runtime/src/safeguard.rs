//! Protects the agent from its hooks: a breaker for each hook, and a time budget for all hooks of an event.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hooks_core::agent::{AgentContext, AgentEvent};
use lru::LruCache;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::entry::BreakerConfig;
use crate::events;

/// Whether a hook is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BreakerState {
    /// The hook is asked.
    #[default]
    Closed,
    /// The hook has failed too often, and is not asked for a while.
    Open,
    /// The hook is being tried again.
    HalfOpen,
}

/// Stops asking a hook that fails again and again. It counts failures, never decisions.
#[derive(Debug, Default)]
pub(crate) struct Breaker(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    faults: VecDeque<Instant>,
    state: BreakerState,
    until: Option<Instant>,
}

impl Breaker {
    /// Whether the hook may be asked now. During a trial, one caller at a time may.
    pub(crate) fn lets(&self) -> bool {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match inner.state {
            BreakerState::Closed => true,
            BreakerState::HalfOpen => false,
            BreakerState::Open => {
                let is_over = inner.until.is_none_or(|until| Instant::now() >= until);
                if is_over {
                    inner.state = BreakerState::HalfOpen;
                }
                is_over
            }
        }
    }

    /// Records a result. Returns whether it has opened the breaker.
    pub(crate) fn note(&self, failed: bool, config: &BreakerConfig) -> bool {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !failed {
            if inner.state != BreakerState::Closed {
                *inner = Inner::default();
            }
            return false;
        }
        let now = Instant::now();
        inner.faults.push_back(now);
        while inner
            .faults
            .front()
            .is_some_and(|first| now - *first > config.within)
        {
            inner.faults.pop_front();
        }
        let is_too_often = inner.faults.len() >= config.faults.get() as usize;
        if inner.state == BreakerState::Closed && !is_too_often {
            return false;
        }
        inner.state = BreakerState::Open;
        inner.until = Some(now + config.retry_after);
        inner.faults.clear();
        true
    }

    /// A trial was dropped: the next caller may try.
    pub(crate) fn give_up(&self) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.state == BreakerState::HalfOpen {
            inner.state = BreakerState::Open;
        }
    }

    pub(crate) fn state(&self) -> BreakerState {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).state
    }
}

/// The time that the hooks of one event have taken together.
///
/// The hooks of a dispatch run one by one, each without knowing about the others. They run in the order of their
/// places. So a place that is not after the last one begins a new dispatch of the same event.
#[derive(Debug)]
pub(crate) struct Chains(Mutex<LruCache<u64, Spent>>);

#[derive(Clone, Copy, Debug)]
struct Spent {
    place: usize,
    time: Duration,
}

impl Default for Chains {
    fn default() -> Self {
        Chains(Mutex::new(LruCache::new(
            const { NonZeroUsize::new(4096).unwrap() },
        )))
    }
}

impl Chains {
    /// Returns a key for a dispatch, as far as it can be identified from outside.
    pub(crate) fn key(cx: &AgentContext, event: &AgentEvent<'_>) -> u64 {
        let mut hasher = DefaultHasher::new();
        (
            &cx.session_id,
            &cx.run_id,
            &cx.agent_id,
            cx.turn,
            event.name(),
        )
            .hash(&mut hasher);
        events::call_id(event).hash(&mut hasher);
        hasher.finish()
    }

    /// Returns the remaining budget for the hook at this place.
    pub(crate) fn left(&self, key: u64, place: usize, budget: Duration) -> Duration {
        let mut chains = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match chains.get(&key) {
            Some(spent) if spent.place < place => budget.saturating_sub(spent.time),
            _ => budget,
        }
    }

    /// Records the time that a hook has taken.
    pub(crate) fn spend(&self, key: u64, place: usize, time: Duration) {
        let mut chains = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match chains.get(&key) {
            Some(spent) if spent.place < place => spent.time,
            _ => Duration::ZERO,
        };
        chains.put(
            key,
            Spent {
                place,
                time: before + time,
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> BreakerConfig {
        BreakerConfig {
            faults: 2.try_into().unwrap(),
            within: Duration::from_mins(1),
            retry_after: Duration::from_secs(30),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn it_opens_on_faults_alone_and_tries_one_after_a_while() {
        let (breaker, config) = (Breaker::default(), config());
        for _ in 0..10 {
            assert!(breaker.lets() && !breaker.note(false, &config));
        }
        assert!(!breaker.note(true, &config));
        assert!(breaker.note(true, &config), "two within a minute");
        assert!(!breaker.lets());
        tokio::time::advance(Duration::from_secs(31)).await;
        assert!(breaker.lets() && !breaker.lets(), "one trial at a time");
        assert!(breaker.note(true, &config), "the trial has failed");
        assert!(!breaker.lets());
        tokio::time::advance(Duration::from_secs(31)).await;
        assert!(breaker.lets());
        breaker.note(false, &config);
        assert!(breaker.lets() && breaker.lets());
    }

    #[tokio::test(start_paused = true)]
    async fn old_faults_are_forgotten() {
        let (breaker, config) = (Breaker::default(), config());
        breaker.note(true, &config);
        tokio::time::advance(Duration::from_secs(61)).await;
        assert!(!breaker.note(true, &config));
    }

    #[tokio::test(start_paused = true)]
    async fn a_trial_that_is_given_up_leaves_the_next_one_in() {
        let (breaker, config) = (Breaker::default(), config());
        breaker.note(true, &config);
        breaker.note(true, &config);
        tokio::time::advance(Duration::from_secs(31)).await;
        assert!(breaker.lets());
        breaker.give_up();
        assert!(breaker.lets());
    }

    #[test]
    fn a_budget_is_for_one_dispatch() {
        let (chains, budget) = (Chains::default(), Duration::from_secs(10));
        chains.spend(1, 0, Duration::from_secs(4));
        assert_eq!(chains.left(1, 1, budget), Duration::from_secs(6));
        chains.spend(1, 1, Duration::from_secs(9));
        assert_eq!(chains.left(1, 2, budget), Duration::ZERO);
        assert_eq!(chains.left(2, 2, budget), budget, "another event");
        assert_eq!(chains.left(1, 0, budget), budget, "the next dispatch");
    }
}
