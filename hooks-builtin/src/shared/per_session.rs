//! State of a hook, separately for each session.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hooks_core::agent::AgentContext;
use lru::LruCache;

/// Keeps the state of your hook separately for each session: a count of failures, or a budget.
///
/// One hook serves all sessions of an agent, so a number in the hook counts for all of them together. `PerSession` holds
/// one state for each session of each tenant, and creates it on first use. It is bounded: it drops the least recently used
/// state beyond [`MOST_SESSIONS`](Self::MOST_SESSIONS) sessions, and a state that was not used for [`IDLE`](Self::IDLE).
/// You can set both.
///
/// A state is locked while it is used. The states of other sessions are not.
///
/// ```
/// use hooks_builtin::PerSession;
/// use hooks_core::agent::{AgentContext, BeforeToolCall, ToolCallEnd};
/// use hooks_core::{HookAction, hook, hooks};
///
/// /// Three failures in a row end the turn.
/// #[derive(Default)]
/// struct Strikes { failures: PerSession<u32> }
///
/// #[hook]
/// impl Strikes {
///     fn check(&self, cx: &AgentContext, _: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///         if self.failures.get(cx) >= 3 {
///             return HookAction::abort_turn("three failures in a row");
///         }
///         HookAction::Continue
///     }
///
///     fn count(&self, cx: &AgentContext, done: &ToolCallEnd<'_>) {
///         self.failures.with(cx, |failures| {
///             *failures = if done.output.is_error { *failures + 1 } else { 0 };
///         });
///     }
/// }
///
/// let strikes = Strikes::default();
/// strikes.failures.with(&AgentContext::new("s1"), |failures| *failures = 3);
/// let hooks = hooks![strikes];
/// for (session, goes_on) in [("s1", false), ("s2", true)] {
///     let result = hooks.intercept_now(&AgentContext::new(session), &mut BeforeToolCall::default());
///     assert_eq!(result.is_continue(), goes_on);
/// }
/// ```
pub struct PerSession<T> {
    sessions: Mutex<LruCache<u64, Session<T>>>,
    idle: Duration,
    hashes: RandomState,
}

struct Session<T> {
    state: Arc<Mutex<T>>,
    used: Instant,
}

impl<T> PerSession<T> {
    /// The default for the maximum number of sessions with a state.
    pub const MOST_SESSIONS: NonZeroUsize = NonZeroUsize::new(10_000).unwrap();
    /// The default time for which an unused state is kept: a day.
    pub const IDLE: Duration = Duration::from_hours(24);

    /// Creates a value without states.
    #[must_use]
    pub fn new() -> Self {
        PerSession {
            // The cache grows with use.
            sessions: Mutex::new(LruCache::unbounded()),
            idle: Self::IDLE,
            hashes: RandomState::new(),
        }
        .with_most_sessions(Self::MOST_SESSIONS)
    }

    /// Keeps the states of at most that many sessions.
    #[must_use]
    pub fn with_most_sessions(self, most: NonZeroUsize) -> Self {
        self.lock().resize(most);
        self
    }

    /// Drops a state that was not used for that long.
    #[must_use]
    pub fn with_idle(mut self, idle: Duration) -> Self {
        self.idle = idle;
        self
    }

    /// Calls a function with the state of the context's session. A new state is the default value.
    ///
    /// The state is locked during the call. So the function must not do anything slow, and must not access the state of
    /// the same session again.
    pub fn with<R>(&self, cx: &AgentContext, use_it: impl FnOnce(&mut T) -> R) -> R
    where
        T: Default,
    {
        self.with_at(cx, Instant::now(), use_it)
    }

    /// Returns a copy of the state of the context's session.
    pub fn get(&self, cx: &AgentContext) -> T
    where
        T: Clone + Default,
    {
        self.with(cx, |state| state.clone())
    }

    /// Drops the state of the context's session, for example when the session ends.
    pub fn forget(&self, cx: &AgentContext) {
        self.lock().pop(&self.key(cx));
    }

    /// Returns how many sessions have a state.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether no session has a state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn with_at<R>(&self, cx: &AgentContext, now: Instant, use_it: impl FnOnce(&mut T) -> R) -> R
    where
        T: Default,
    {
        let mut sessions = self.lock();
        let is_idle =
            |session: &Session<T>| now.saturating_duration_since(session.used) >= self.idle;
        let mut gone = Vec::new();
        // The states are in the order in which they were last used.
        while sessions
            .peek_lru()
            .is_some_and(|(_, session)| is_idle(session))
        {
            gone.extend(sessions.pop_lru());
        }
        let key = self.key(cx);
        let state = if let Some(session) = sessions.get_mut(&key) {
            session.used = now;
            session.state.clone()
        } else {
            let state = Arc::<Mutex<T>>::default();
            let session = Session {
                state: state.clone(),
                used: now,
            };
            gone.extend(sessions.push(key, session));
            state
        };
        drop(sessions);
        // Without the lock, because dropping a state runs code of its type.
        drop(gone);
        use_it(&mut state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns a key for a session of a tenant: an unpredictable hash. So a look-up copies no names, and names take no
    /// memory.
    fn key(&self, cx: &AgentContext) -> u64 {
        self.hashes.hash_one((&cx.tenant_id, &cx.session_id))
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<u64, Session<T>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Default for PerSession<T> {
    fn default() -> Self {
        PerSession::new()
    }
}

/// Shows how many sessions have a state, but not the states.
impl<T> fmt::Debug for PerSession<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerSession")
            .field("sessions", &self.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cx(session: &str) -> AgentContext {
        AgentContext::new(session)
    }

    #[test]
    fn each_session_of_each_tenant_has_a_state_of_its_own() {
        let states = PerSession::<Vec<&str>>::new();
        states.with(&cx("s1"), |state| state.push("of s1"));
        states.with(&cx("s1").with_tenant_id("acme"), |state| {
            state.push("of acme");
        });
        assert_eq!(states.get(&cx("s1")), ["of s1"]);
        assert_eq!(states.get(&cx("s1").with_tenant_id("acme")), ["of acme"]);
        assert!(states.get(&cx("s2")).is_empty());
        assert_eq!(states.len(), 3);
        states.forget(&cx("s1"));
        assert!(states.get(&cx("s1")).is_empty());
        assert!(PerSession::<u8>::new().is_empty());
    }

    #[test]
    fn the_state_that_was_not_used_for_longest_goes() {
        let states =
            PerSession::<u32>::new().with_most_sessions(const { NonZeroUsize::new(2).unwrap() });
        for session in ["s1", "s2", "s1", "s3"] {
            states.with(&cx(session), |state| *state += 1);
        }
        assert_eq!(states.len(), 2);
        assert_eq!(states.get(&cx("s1")), 2);
        assert_eq!(states.get(&cx("s2")), 0);
    }

    #[test]
    fn a_state_that_is_not_used_is_forgotten_in_time() {
        let states = PerSession::<u32>::new().with_idle(Duration::from_secs(10));
        let start = Instant::now();
        let count = |session: &str, second: u64| {
            states.with_at(&cx(session), start + Duration::from_secs(second), |state| {
                *state += 1;
                *state
            })
        };
        assert_eq!((count("s1", 0), count("s2", 5), count("s1", 9)), (1, 1, 2));
        assert_eq!((count("s1", 15), states.len()), (3, 1));
        assert_eq!((count("s1", 25), count("s2", 25)), (1, 1));
        // A clock that goes backwards drops nothing.
        assert_eq!(count("s1", 0), 2);
    }

    #[test]
    fn one_session_does_not_wait_for_another() {
        let states = PerSession::<u32>::new();
        states.with(&cx("s1"), |one| {
            states.with(&cx("s2"), |two| {
                *one += 1;
                *two += 2;
            });
        });
        assert_eq!((states.get(&cx("s1")), states.get(&cx("s2"))), (1, 2));
    }

    #[test]
    fn a_state_that_a_panic_has_left_is_used_on() {
        let states = PerSession::<u32>::new();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            states.with(&cx("s1"), |state| {
                *state = 7;
                panic!("in the middle");
            });
        }));
        assert!(panicked.is_err());
        assert_eq!(states.get(&cx("s1")), 7);
    }
}
