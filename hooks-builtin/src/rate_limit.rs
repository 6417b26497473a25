//! Limits how often tools may be called.

use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::{HookAction, hook, priority};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::shared::{BuildError, Globs};

/// Blocks tool calls that exceed a rate.
///
/// The limit is a token bucket, from the crate `governor`. A limit of 60 per minute allows 60 calls at once, and then
/// one per second. Unused calls accumulate, up to 60. The long-term rate is at most 60 per minute, but the first minute
/// starts with a full bucket and may have up to 119 calls. (ClawSeed has a sliding window instead.) You can limit both
/// the minute and the hour.
///
/// The priority is [`priority::SECURITY`].
///
/// It corresponds to ClawSeed's `RateLimitHook`.
///
/// ```
/// use hooks_builtin::{Per, RateLimit, RateLimitConfig};
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::hooks;
///
/// let config = RateLimitConfig { max_per_minute: 2.try_into().ok(), per: Per::Tool, ..Default::default() };
/// let hooks = hooks![RateLimit::from_config(&config).unwrap()];
/// let call = |name: &str| {
///     let mut call = BeforeToolCall { name: name.into(), ..Default::default() };
///     hooks.intercept_now(&AgentContext::new("s1"), &mut call).is_continue()
/// };
/// assert!(call("shell") && call("shell"));
/// assert!(!call("shell"));
/// assert!(call("read"));
/// ```
#[doc(alias = "guardrail")]
#[derive(Clone, Debug)]
pub struct RateLimit(Arc<RateLimitState<DefaultClock>>);

/// The settings of `[hooks.builtin.rate_limit]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RateLimitConfig {
    /// The most calls per minute. By default, there is no limit. Set at least one of the two limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_per_minute: Option<NonZeroU32>,
    /// The most calls per hour. By default, there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_per_hour: Option<NonZeroU32>,
    /// What is counted together: `all` calls (the default, which protects what all sessions share), those of each
    /// `tool`, or of each `session`, so that no session waits because of what another does.
    pub per: Per,
    /// The tools whose calls count, as globs. Case does not matter. The default is all tools.
    pub tools: Globs,
}

impl Default for RateLimitConfig {
    fn default() -> Self {
        RateLimitConfig {
            max_per_minute: None,
            max_per_hour: None,
            per: Per::All,
            tools: Globs::all(),
        }
    }
}

/// Which calls a [`RateLimit`] counts together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Per {
    /// All calls.
    #[default]
    All,
    /// The calls of one tool.
    Tool,
    /// The calls of one session of a tenant.
    Session,
}

impl RateLimit {
    /// Limits the calls per minute.
    #[must_use]
    pub fn per_minute(calls: NonZeroU32) -> Self {
        RateLimit::new(RateLimitConfig {
            max_per_minute: Some(calls),
            ..RateLimitConfig::default()
        })
    }

    /// Creates the hook from its configuration.
    ///
    /// # Errors
    ///
    /// If the configuration sets no limit, or names no tool.
    pub fn from_config(config: &RateLimitConfig) -> Result<Self, BuildError> {
        if config.max_per_minute.or(config.max_per_hour).is_none() {
            return Err(BuildError::new(
                "rate_limit",
                "max_per_minute",
                "is missing, and so is `max_per_hour`: write how many calls are allowed, as `60`",
            ));
        }
        if config.tools.is_empty() {
            return Err(BuildError::new(
                "rate_limit",
                "tools",
                "is empty, so nothing is limited: leave it out for all tools",
            ));
        }
        Ok(RateLimit::new(config.clone()))
    }

    fn new(config: RateLimitConfig) -> Self {
        RateLimit(Arc::new(RateLimitState::new(
            config,
            &DefaultClock::default(),
        )))
    }
}

#[hook(priority = priority::SECURITY)]
impl RateLimit {
    fn check(&self, cx: &AgentContext, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        match self.0.check(cx, &call.name) {
            Ok(()) => HookAction::Continue,
            Err(reason) => HookAction::block(reason),
        }
    }
}

/// The keys are hashes of what is counted together, so that names which a model invents take little memory.
type Limiter<C> =
    RateLimiter<u64, HashMapStateStore<u64>, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// The number of calls after which the counts of unused tools and sessions are removed.
const UNTIL_TIDIED: u32 = 4096;

/// The limits, for any clock.
#[derive(Debug)]
struct RateLimitState<C: Clock> {
    config: RateLimitConfig,
    limiters: Vec<(Limiter<C>, NonZeroU32, &'static str)>,
    clock: C,
    hashes: RandomState,
    seen: AtomicU32,
}

impl<C: Clock + Clone> RateLimitState<C> {
    fn new(config: RateLimitConfig, clock: &C) -> Self {
        let limits = [
            (
                config.max_per_minute,
                "a minute",
                Quota::per_minute as fn(NonZeroU32) -> Quota,
            ),
            (config.max_per_hour, "an hour", Quota::per_hour),
        ];
        let limiters = limits
            .into_iter()
            .filter_map(|(most, unit, quota)| {
                let most = most?;
                let store = HashMapStateStore::default();
                let limiter = RateLimiter::new(quota(most), store, clock.clone());
                Some((limiter, most, unit))
            })
            .collect();
        let config = RateLimitConfig {
            tools: config.tools.ignoring_case(),
            ..config
        };
        RateLimitState {
            config,
            limiters,
            clock: clock.clone(),
            hashes: RandomState::new(),
            seen: AtomicU32::new(0),
        }
    }

    /// Counts a call, or returns the reason why it must not run.
    fn check(&self, cx: &AgentContext, tool: &str) -> Result<(), String> {
        if !self.config.tools.matches(tool) {
            return Ok(());
        }
        let key = match self.config.per {
            Per::All => 0,
            Per::Tool => self.hashes.hash_one(tool),
            Per::Session => self.hashes.hash_one((&cx.tenant_id, &cx.session_id)),
        };
        if self.seen.fetch_add(1, Ordering::Relaxed) % UNTIL_TIDIED == UNTIL_TIDIED - 1 {
            for (limiter, ..) in &self.limiters {
                limiter.retain_recent();
            }
        }
        for (limiter, most, unit) in &self.limiters {
            if let Err(until) = limiter.check_key(&key) {
                let wait = until.wait_time_from(self.clock.now());
                return Err(self.reason(*most, unit, wait, tool));
            }
        }
        Ok(())
    }

    fn reason(&self, most: NonZeroU32, unit: &str, wait: Duration, tool: &str) -> String {
        let calls = if most.get() == 1 { "call" } else { "calls" };
        let of = match self.config.per {
            Per::All => String::new(),
            Per::Tool => format!(" of `{tool}`"),
            Per::Session => " in a session".into(),
        };
        // Rounded up, so that a caller who waits that long passes this limit.
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        format!("limit of {most} {calls}{of} {unit} reached: try again in {seconds} s")
    }
}

#[cfg(test)]
mod tests {
    use governor::clock::FakeRelativeClock;

    use super::*;

    fn limits(config: RateLimitConfig) -> (RateLimitState<FakeRelativeClock>, FakeRelativeClock) {
        let clock = FakeRelativeClock::default();
        (RateLimitState::new(config, &clock), clock)
    }

    fn per_minute(calls: u32) -> RateLimitConfig {
        RateLimitConfig {
            max_per_minute: NonZeroU32::new(calls),
            ..RateLimitConfig::default()
        }
    }

    fn allowed(limits: &RateLimitState<FakeRelativeClock>, session: &str, tool: &str) -> bool {
        limits.check(&AgentContext::new(session), tool).is_ok()
    }

    #[test]
    fn what_is_saved_up_is_let_through_at_once_and_the_rest_as_time_goes_by() {
        let (limits, clock) = limits(per_minute(6));
        let mut burst = 0;
        while allowed(&limits, "s", "t") {
            burst += 1;
        }
        assert_eq!(burst, 6);
        clock.advance(Duration::from_secs(9));
        assert!(!allowed(&limits, "s", "t"));
        clock.advance(Duration::from_secs(1));
        assert!(allowed(&limits, "s", "t") && !allowed(&limits, "s", "t"));
        clock.advance(Duration::from_hours(1));
        assert_eq!((0..20).filter(|_| allowed(&limits, "s", "t")).count(), 6);
    }

    #[test]
    fn over_a_long_time_there_are_no_more_than_the_limit_a_minute() {
        let (limits, clock) = limits(per_minute(6));
        let mut passed = 0;
        for _ in 0..3600 {
            passed += u32::from(allowed(&limits, "s", "t"));
            clock.advance(Duration::from_secs(1));
        }
        assert!(passed <= 6 * 60 + 6, "{passed}");
    }

    #[test]
    fn tools_and_sessions_are_counted_by_themselves_where_that_is_asked_for() {
        for (per, [same_tool, same_session]) in [
            (Per::All, [false, false]),
            (Per::Tool, [false, true]),
            (Per::Session, [true, false]),
        ] {
            let (limits, _) = limits(RateLimitConfig {
                per,
                ..per_minute(1)
            });
            assert!(allowed(&limits, "s1", "shell"));
            assert_eq!(allowed(&limits, "s2", "shell"), same_tool, "{per:?}");
            assert_eq!(allowed(&limits, "s1", "read"), same_session, "{per:?}");
            let elsewhere = AgentContext::new("s1").with_tenant_id("another");
            let same_tenant = limits.check(&elsewhere, "shell").is_ok();
            assert_eq!(same_tenant, per == Per::Session);
        }
    }

    #[test]
    fn only_the_tools_that_match_are_counted() {
        let (limits, _) = limits(RateLimitConfig {
            tools: Globs::new(["shell"]).unwrap(),
            ..per_minute(1)
        });
        assert!((0..5).all(|_| allowed(&limits, "s", "read")));
        assert!(allowed(&limits, "s", "shell") && !allowed(&limits, "s", "Shell"));
    }

    #[test]
    fn the_hour_limits_as_well_and_the_reason_says_when_to_try_again() {
        let (limits, clock) = limits(RateLimitConfig {
            max_per_hour: NonZeroU32::new(2),
            per: Per::Tool,
            ..per_minute(100)
        });
        assert!(allowed(&limits, "s", "shell") && allowed(&limits, "s", "shell"));
        clock.advance(Duration::from_millis(500));
        let reason = limits.check(&AgentContext::new("s"), "shell").unwrap_err();
        assert_eq!(
            reason,
            "limit of 2 calls of `shell` an hour reached: try again in 1800 s"
        );
    }

    #[test]
    fn keys_that_are_long_gone_are_forgotten() {
        let (limits, clock) = limits(RateLimitConfig {
            per: Per::Session,
            ..per_minute(1)
        });
        for session in 0..UNTIL_TIDIED - 1 {
            assert!(allowed(&limits, &session.to_string(), "t"));
        }
        clock.advance(Duration::from_mins(2));
        assert!(allowed(&limits, "last", "t"));
        assert!(limits.limiters[0].0.len() <= 1);
    }

    #[test]
    fn without_a_limit_there_is_an_error() {
        let error = RateLimit::from_config(&RateLimitConfig::default()).unwrap_err();
        assert_eq!(error.key(), "max_per_minute");
        assert!(serde_json::from_str::<RateLimitConfig>(r#"{"max_per_minute": 0}"#).is_err());
    }
}
