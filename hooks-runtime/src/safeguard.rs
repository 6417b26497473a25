//! Protects the agent from a hook that fails again and again.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::entry::BreakerConfig;

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
pub(crate) struct Breaker(Mutex<BreakerMemory>);

#[derive(Debug, Default)]
struct BreakerMemory {
    faults: VecDeque<Instant>,
    state: BreakerState,
    opened: Option<Instant>,
}

impl Breaker {
    /// Whether the hook may be asked now. During a trial, one caller at a time may.
    ///
    /// How long it stays open is what the limits say now, not what they said when it opened: who changes them is not bound
    /// to the old ones.
    pub(crate) fn lets(&self, config: &BreakerConfig) -> bool {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match inner.state {
            BreakerState::Closed => true,
            BreakerState::HalfOpen => false,
            BreakerState::Open => {
                let opened = inner.opened;
                let is_over = opened.is_none_or(|opened| opened.elapsed() >= config.retry_after);
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
                *inner = BreakerMemory::default();
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
        inner.opened = Some(now);
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

    /// Closes it, and forgets the failures.
    pub(crate) fn reset(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = BreakerMemory::default();
    }

    pub(crate) fn state(&self) -> BreakerState {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).state
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
            assert!(breaker.lets(&config) && !breaker.note(false, &config));
        }
        assert!(!breaker.note(true, &config));
        assert!(breaker.note(true, &config), "two within a minute");
        assert!(!breaker.lets(&config));
        tokio::time::advance(Duration::from_secs(31)).await;
        assert!(
            breaker.lets(&config) && !breaker.lets(&config),
            "one trial at a time"
        );
        assert!(breaker.note(true, &config), "the trial has failed");
        assert!(!breaker.lets(&config));
        tokio::time::advance(Duration::from_secs(31)).await;
        assert!(breaker.lets(&config));
        breaker.note(false, &config);
        assert!(breaker.lets(&config) && breaker.lets(&config));
    }

    #[tokio::test(start_paused = true)]
    async fn old_faults_are_forgotten() {
        let (breaker, config) = (Breaker::default(), config());
        breaker.note(true, &config);
        tokio::time::advance(Duration::from_secs(61)).await;
        assert!(!breaker.note(true, &config));
    }

    #[tokio::test(start_paused = true)]
    async fn it_stays_open_as_long_as_the_limits_in_force_say() {
        let (breaker, config) = (Breaker::default(), config());
        let absurd = BreakerConfig {
            retry_after: Duration::MAX,
            ..config.clone()
        };
        breaker.note(true, &absurd);
        assert!(breaker.note(true, &absurd));
        tokio::time::advance(Duration::from_secs(31)).await;
        assert!(!breaker.lets(&absurd) && breaker.lets(&config));
    }

    #[tokio::test(start_paused = true)]
    async fn a_trial_that_is_given_up_leaves_the_next_one_in() {
        let (breaker, config) = (Breaker::default(), config());
        breaker.note(true, &config);
        breaker.note(true, &config);
        tokio::time::advance(Duration::from_secs(31)).await;
        assert!(breaker.lets(&config));
        breaker.give_up();
        assert!(breaker.lets(&config));
    }
}
