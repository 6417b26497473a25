//! Answers repeated calls from memory.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hooks_core::agent::{
    AgentContext, BeforeToolCall, Media, ToolCallEnd, ToolCallSkipped, ToolOutput,
};
use hooks_core::{HookAction, hook, priority};
use lru::LruCache;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::shared::{BuildError, GlobError, Globs};

/// Answers repeated calls of the listed tools from memory, so that the tools do not run again.
///
/// Two calls are the same if they have the same tool and arguments, in any order of keys, for the same tenant in the same
/// directory. The cache keeps only successful outputs, for five minutes by default. A hit does not extend that time. A
/// call of a tool that is not listed may change what the listed tools would return, so it clears the cache. Set
/// `forget_after` to clear it after fewer tools.
///
/// A call that the cache answers does not run, so it needs no approval. All sessions of a tenant share the answers:
/// list only tools whose output every session may see.
///
/// The priority is [`priority::LOW`], so the cache sees a call as earlier hooks have changed it.
///
/// It corresponds to PicoClaw's `respond` for "tool result caching".
///
/// ```
/// use hooks_builtin::ToolCache;
/// use hooks_core::agent::{
///     AfterToolCall, AgentContext, BeforeToolCall, ToolCallEnd, ToolOutcome, ToolOutput,
/// };
/// use hooks_core::{HookResult, hooks};
/// use serde_json::json;
///
/// let cache = ToolCache::new(["read"]).unwrap();
/// let hooks = hooks![cache.clone()];
/// let cx = AgentContext::new("s1");
///
/// let args = json!({ "path": "a.txt" });
/// let mut call = BeforeToolCall::new("1", "read", args.clone());
/// assert!(hooks.intercept_now(&cx, &mut call).is_continue());
///
/// let output = ToolOutput::new("text");
/// let after = AfterToolCall::of(call.clone(), output.clone(), std::time::Duration::ZERO);
/// hooks.observe_now(&cx, &ToolCallEnd::of(&after, ToolOutcome::Ran));
///
/// assert_eq!(hooks.intercept_now(&cx, &mut call), HookResult::Respond(output));
/// assert_eq!((cache.hits(), cache.misses()), (1, 1));
/// ```
#[derive(Clone, Debug)]
pub struct ToolCache(Arc<ToolCacheState>);

#[derive(Debug)]
struct ToolCacheState {
    tools: Globs,
    forget_after: Option<Globs>,
    time_to_live: Duration,
    max_bytes: u32,
    memory: Mutex<Memory>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// The answers, and the calls that have begun. One lock holds both: otherwise an output could be kept that another call makes
/// stale in the meantime.
#[derive(Debug)]
struct Memory {
    /// The answers, each with the time at which it came and its size.
    answers: LruCache<Key, (ToolOutput, Instant, u32)>,
    /// The sizes of all answers together.
    bytes: u64,
    /// How often the cache was cleared.
    generation: u64,
    /// The generation in which a call began; nothing if the cache answered it. An output counts as stale if the cache
    /// was cleared while the call ran, or if the call did not pass this hook.
    began: HashMap<PendingCall, Option<u64>>,
}

/// A call that has begun. Agents may reuse an id, so the id alone does not identify the call.
#[derive(Debug, PartialEq, Eq, Hash)]
struct PendingCall {
    session: String,
    agent: String,
    id: String,
    key: Key,
}

/// How many running calls are remembered. An agent may not report the end of every call.
const MOST_RUNNING: usize = 1024;

/// Two calls with equal keys are the same call.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    tenant: Option<String>,
    directory: String,
    tool: String,
    /// As JSON, with the keys of objects in order.
    args: String,
}

/// The settings of `[hooks.builtin.tool_cache]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolCacheConfig {
    /// The tools whose calls are cached, as globs. They should change nothing, and depend only on their arguments and on
    /// what other tools do.
    pub tools: Globs,
    /// How long the cache keeps an output. The default is "5m".
    #[serde(default = "five_minutes", with = "crate::shared::duration")]
    #[schemars(with = "String")]
    pub time_to_live: Duration,
    /// The most bytes that all outputs may take together. The default is 16 MiB. A larger output is not kept.
    #[serde(default = "sixteen_mebibytes")]
    pub max_bytes: u32,
    /// The tools whose calls clear the cache, as globs. The default is every tool that is not in `tools`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forget_after: Option<Globs>,
}

fn five_minutes() -> Duration {
    Duration::from_mins(5)
}

fn sixteen_mebibytes() -> u32 {
    16 << 20
}

impl ToolCacheConfig {
    /// Creates a configuration with the defaults for these tools.
    #[must_use]
    pub fn new(tools: Globs) -> Self {
        ToolCacheConfig {
            tools,
            time_to_live: five_minutes(),
            max_bytes: sixteen_mebibytes(),
            forget_after: None,
        }
    }
}

impl ToolCache {
    /// Caches the tools that match one of the globs.
    ///
    /// # Errors
    ///
    /// If a pattern is not a valid glob.
    pub fn new<P: AsRef<str>>(tools: impl IntoIterator<Item = P>) -> Result<Self, GlobError> {
        Ok(ToolCache::of(&ToolCacheConfig::new(Globs::new(tools)?)))
    }

    /// Creates the hook from its configuration.
    ///
    /// # Errors
    ///
    /// If it lists no tool, there is no room for an answer, or one would live for no time or for more than a thousand
    /// years.
    pub fn from_config(config: &ToolCacheConfig) -> Result<Self, BuildError> {
        let wrong = |key, message: &str| Err(BuildError::new("tool_cache", key, message));
        if config.tools.is_empty() {
            return wrong(
                "tools",
                "is empty: name the tools to answer, as `[\"read\"]`",
            );
        }
        let longest = Duration::from_hours(1000 * 365 * 24);
        if config.time_to_live.is_zero() || config.time_to_live > longest {
            return wrong(
                "time_to_live",
                "must be longer than zero, as `\"5m\"`, and at most a thousand years",
            );
        }
        if config.max_bytes <= LEAST_WEIGHT {
            return wrong(
                "max_bytes",
                "leaves no room for an answer: write `16777216`, or leave it out",
            );
        }
        Ok(ToolCache::of(config))
    }

    fn of(config: &ToolCacheConfig) -> Self {
        ToolCache(Arc::new(ToolCacheState {
            tools: config.tools.clone(),
            forget_after: config.forget_after.clone(),
            time_to_live: config.time_to_live,
            max_bytes: config.max_bytes,
            memory: Mutex::new(Memory {
                answers: LruCache::unbounded(),
                bytes: 0,
                generation: 0,
                began: HashMap::new(),
            }),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }))
    }

    /// Returns how many calls the cache has answered.
    #[must_use]
    pub fn hits(&self) -> u64 {
        self.0.hits.load(Ordering::Relaxed)
    }

    /// Returns how many calls of listed tools were not in the cache.
    #[must_use]
    pub fn misses(&self) -> u64 {
        self.0.misses.load(Ordering::Relaxed)
    }

    /// Clears the cache. The outputs of calls that still run are not kept either.
    pub fn clear(&self) {
        self.0.memory().clear();
    }
}

#[hook(priority = priority::LOW)]
impl ToolCache {
    fn answer(&self, cx: &AgentContext, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        let ToolCacheState {
            tools,
            time_to_live,
            hits,
            misses,
            ..
        } = &*self.0;
        if !tools.matches(&call.name) {
            return HookAction::Continue;
        }
        let key = Key::new(cx, &call.name, &call.args);
        let mut memory = self.0.memory();
        let output = memory.get(&key, *time_to_live);
        let count = if output.is_some() { hits } else { misses };
        count.fetch_add(1, Ordering::Relaxed);
        memory.begin(PendingCall::new(cx, &call.id, key), output.is_some());
        output.map_or(HookAction::Continue, HookAction::respond)
    }

    fn learn(&self, cx: &AgentContext, done: &ToolCallEnd<'_>) {
        let ToolCacheState {
            tools,
            forget_after,
            max_bytes,
            ..
        } = &*self.0;
        let is_listed = tools.matches(done.name);
        let forgets = match forget_after {
            Some(globs) => globs.matches(done.name),
            None => !is_listed,
        };
        if !forgets && !is_listed {
            return;
        }
        let mut memory = self.0.memory();
        if forgets {
            memory.clear();
        }
        if !is_listed {
            return;
        }
        // An agent also reports calls that were answered, by the cache or by another hook. These are not kept.
        let call = PendingCall::new(cx, done.id, Key::new(cx, done.name, done.args));
        let Some((call, began)) = memory.began.remove_entry(&call) else {
            return;
        };
        if began == Some(memory.generation) && !done.output.is_error {
            memory.put(call.key, done.output.clone(), *max_bytes);
        }
    }

    /// Forgets a call that did not run.
    fn forget(&self, cx: &AgentContext, skipped: &ToolCallSkipped<'_>) {
        if self.0.tools.matches(skipped.name) {
            let key = Key::new(cx, skipped.name, skipped.args);
            let call = PendingCall::new(cx, skipped.id, key);
            self.0.memory().began.remove(&call);
        }
    }
}

impl Memory {
    fn clear(&mut self) {
        self.generation += 1;
        self.answers.clear();
        self.bytes = 0;
    }

    fn get(&mut self, key: &Key, time_to_live: Duration) -> Option<ToolOutput> {
        let (output, came, _) = self.answers.get(key)?;
        if came.elapsed() < time_to_live {
            return Some(output.clone());
        }
        let (_, _, bytes) = self.answers.pop(key)?;
        self.bytes -= u64::from(bytes);
        None
    }

    /// Keeps an answer, and forgets those that were not asked for longest if all take too much.
    fn put(&mut self, key: Key, output: ToolOutput, max_bytes: u32) {
        let bytes = weight(&key, &output);
        if bytes > max_bytes {
            return;
        }
        self.bytes += u64::from(bytes);
        if let Some((_, _, bytes)) = self.answers.put(key, (output, Instant::now(), bytes)) {
            self.bytes -= u64::from(bytes);
        }
        while self.bytes > max_bytes.into()
            && let Some((_, (_, _, bytes))) = self.answers.pop_lru()
        {
            self.bytes -= u64::from(bytes);
        }
    }

    fn begin(&mut self, call: PendingCall, is_answered: bool) {
        if self.began.len() >= MOST_RUNNING {
            self.began.clear();
        }
        let generation = (!is_answered).then_some(self.generation);
        // If two calls are indistinguishable, the older generation decides whether the output is stale.
        self.began.entry(call).or_insert(generation);
    }
}

impl PendingCall {
    fn new(cx: &AgentContext, id: &str, key: Key) -> Self {
        PendingCall {
            session: cx.session_id.clone(),
            agent: cx.agent_id.clone(),
            id: id.to_owned(),
            key,
        }
    }
}

impl ToolCacheState {
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The approximate size of an answer without its strings, in bytes.
const LEAST_WEIGHT: u32 = 256;

fn media_bytes(media: &Media) -> usize {
    [&media.data, &media.url, &media.name]
        .into_iter()
        .flatten()
        .map(String::len)
        .sum()
}

/// Returns the approximate size of an answer, in bytes.
fn weight(key: &Key, output: &ToolOutput) -> u32 {
    let text = key.args.len()
        + key.tool.len()
        + key.directory.len()
        + output.content.len()
        + output.for_user.as_ref().map_or(0, String::len)
        + output
            .data
            .as_ref()
            .map_or(0, |data| data.to_string().len())
        + output.media.iter().map(media_bytes).sum::<usize>();
    u32::try_from(text).map_or(u32::MAX, |text| text.saturating_add(LEAST_WEIGHT))
}

impl Key {
    fn new(cx: &AgentContext, tool: &str, args: &Value) -> Self {
        let mut canonical = String::new();
        write_canonical(args, &mut canonical);
        Key {
            tenant: cx.tenant_id.clone(),
            directory: cx.cwd.clone(),
            tool: tool.into(),
            args: canonical,
        }
    }
}

/// Writes JSON with the keys of objects in order, whatever order serde_json was built to keep.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (key, value) in entries {
                // Writing to a string cannot fail.
                let _ = write!(out, "{key:?}:");
                write_canonical(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(values) => {
            out.push('[');
            for value in values {
                write_canonical(value, out);
                out.push(',');
            }
            out.push(']');
        }
        scalar => {
            let _ = write!(out, "{scalar}");
        }
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::agent::{ToolAnnotations, ToolOutcome};
    use hooks_core::{HookResult, hooks};
    use serde_json::json;

    use super::*;

    fn cache() -> ToolCache {
        ToolCache::new(["read", "list"]).unwrap()
    }

    fn asked(cache: &ToolCache, cx: &AgentContext, name: &str, args: Value) -> Option<ToolOutput> {
        let mut call = BeforeToolCall {
            id: String::new(),
            name: name.into(),
            args,
            ..BeforeToolCall::default()
        };
        match hooks![cache].intercept_now(cx, &mut call) {
            HookResult::Respond(output) => Some(output),
            _ => None,
        }
    }

    fn done(cache: &ToolCache, cx: &AgentContext, name: &str, args: &Value, output: &ToolOutput) {
        let done = ToolCallEnd {
            id: "",
            name,
            args,
            annotations: ToolAnnotations::default(),
            output,
            duration: Duration::ZERO,
            outcome: ToolOutcome::Ran,
        };
        hooks![cache].observe_now(cx, &done);
    }

    /// Runs a call of a tool that is not listed, so it may have changed what was read.
    fn wrote(cache: &ToolCache, cx: &AgentContext) {
        done(cache, cx, "write", &json!({}), &ToolOutput::new("written"));
    }

    /// Runs a call from its beginning to its end.
    fn ran(cache: &ToolCache, cx: &AgentContext, name: &str, args: &Value, output: &ToolOutput) {
        asked(cache, cx, name, args.clone());
        done(cache, cx, name, args, output);
    }

    #[test]
    fn only_what_succeeded_is_kept() {
        let (cache, cx) = (cache(), AgentContext::new("s1"));
        let args = json!({ "path": "a" });
        ran(
            &cache,
            &cx,
            "read",
            &args,
            &ToolOutput::error("no such file"),
        );
        assert_eq!(asked(&cache, &cx, "read", args.clone()), None);
        done(&cache, &cx, "read", &args, &ToolOutput::new("text"));
        assert_eq!(
            asked(&cache, &cx, "read", args.clone()),
            Some(ToolOutput::new("text"))
        );
        assert_eq!(asked(&cache, &cx, "list", args.clone()), None);
        assert_eq!(asked(&cache, &cx, "read", json!({ "path": "b" })), None);
        assert_eq!((cache.hits(), cache.misses()), (1, 4));
        cache.clear();
        assert_eq!(asked(&cache, &cx, "read", args), None);
    }

    #[test]
    fn what_was_read_before_a_change_is_not_kept_after_it() {
        let (cache, cx) = (cache(), AgentContext::new("s1"));
        let args = json!({ "path": "a" });
        let (old, new) = (ToolOutput::new("old"), ToolOutput::new("new"));
        // The call begins, another call changes what it reads, and then it ends.
        assert_eq!(asked(&cache, &cx, "read", args.clone()), None);
        wrote(&cache, &cx);
        done(&cache, &cx, "read", &args, &old);
        assert_eq!(asked(&cache, &cx, "read", args.clone()), None);
        done(&cache, &cx, "read", &args, &new);
        // The cache answers the call, and the call ends after a change.
        assert_eq!(asked(&cache, &cx, "read", args.clone()), Some(new.clone()));
        wrote(&cache, &cx);
        done(&cache, &cx, "read", &args, &new);
        assert_eq!(asked(&cache, &cx, "read", args), None);
    }

    #[test]
    fn what_cannot_be_told_to_be_fresh_is_not_kept() {
        let cx = AgentContext::new("s1");
        let args = json!({ "path": "a" });
        let old = ToolOutput::new("old");
        let is_known = |cache: &ToolCache| asked(cache, &cx, "read", args.clone()).is_some();

        // Another hook has answered the call.
        let cache = self::cache();
        done(&cache, &cx, "read", &args, &old);
        assert!(!is_known(&cache));

        // The cache is cleared while the call runs.
        let cache = self::cache();
        assert!(!is_known(&cache));
        cache.clear();
        done(&cache, &cx, "read", &args, &old);
        assert!(!is_known(&cache));

        // A second call begins with the same id, after its input was changed.
        let cache = self::cache();
        assert!(!is_known(&cache));
        wrote(&cache, &cx);
        assert!(!is_known(&cache));
        done(&cache, &cx, "read", &args, &old);
        assert!(!is_known(&cache));

        // The call began so long ago that the cache has forgotten it.
        let cache = self::cache();
        assert!(!is_known(&cache));
        wrote(&cache, &cx);
        for path in 0..MOST_RUNNING {
            asked(&cache, &cx, "read", json!(path));
        }
        done(&cache, &cx, "read", &args, &old);
        assert!(!is_known(&cache));
    }

    #[test]
    fn a_read_that_ends_with_a_write_is_not_kept() {
        let cx = AgentContext::new("s1");
        let args = json!({});
        for _ in 0..500 {
            let cache = cache();
            assert_eq!(asked(&cache, &cx, "read", args.clone()), None);
            std::thread::scope(|scope| {
                scope.spawn(|| wrote(&cache, &cx));
                scope.spawn(|| done(&cache, &cx, "read", &args, &ToolOutput::new("old")));
            });
            assert_eq!(asked(&cache, &cx, "read", args.clone()), None);
        }
    }

    #[test]
    fn arguments_are_the_same_in_whatever_order_but_not_as_other_values() {
        let key = |args: Value| Key::new(&AgentContext::new("s1"), "read", &args);
        let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(
            key(parse(r#"{"a": {"x": 1, "y": [1, 2]}, "b": null}"#)),
            key(parse(r#"{"b": null, "a": {"y": [1, 2], "x": 1}}"#))
        );
        let others = [
            json!({}),
            json!([]),
            json!(null),
            json!("null"),
            json!({ "a": 1 }),
            json!({ "a": "1" }),
            json!({ "a": [1] }),
            json!({ "a": [[1]] }),
            json!({ "a": 1, "b": 2 }),
            json!({ "a": "1,\"b\":2" }),
            json!({ "a\":1,\"b": 2 }),
        ];
        for (nth, one) in others.iter().enumerate() {
            for other in &others[..nth] {
                assert_ne!(key(one.clone()), key(other.clone()));
            }
        }
    }

    #[test]
    fn tenants_and_directories_share_nothing_and_sessions_do() {
        let cache = cache();
        let cx = AgentContext::new("s1")
            .with_tenant_id("acme")
            .with_cwd("/a");
        let args = json!({});
        ran(&cache, &cx, "list", &args, &ToolOutput::new("x"));
        let known = |cx: &AgentContext| asked(&cache, cx, "list", args.clone()).is_some();
        assert!(
            known(&cx)
                && known(&AgentContext {
                    session_id: "s2".into(),
                    ..cx.clone()
                })
        );
        assert!(!known(&cx.clone().with_tenant_id("other")));
        assert!(!known(&cx.clone().with_cwd("/b")));
    }

    #[test]
    fn what_may_have_changed_is_forgotten() {
        let cx = AgentContext::new("s1");
        let args = json!({});
        let after = |cache: &ToolCache, tool| {
            ran(cache, &cx, "list", &args, &ToolOutput::new("x"));
            ran(cache, &cx, tool, &args, &ToolOutput::new("y"));
            asked(cache, &cx, "list", args.clone()).is_some()
        };
        assert!(after(&cache(), "read") && !after(&cache(), "shell"));
        let config = ToolCacheConfig {
            forget_after: Some(Globs::new(["write"]).unwrap()),
            ..ToolCacheConfig::new(Globs::new(["list"]).unwrap())
        };
        let cache = ToolCache::from_config(&config).unwrap();
        assert!(after(&cache, "shell") && !after(&cache, "write"));
    }

    #[test]
    fn an_answer_does_not_live_longer_for_being_asked_for() {
        let config = ToolCacheConfig {
            time_to_live: Duration::from_millis(200),
            ..ToolCacheConfig::new(Globs::new(["read"]).unwrap())
        };
        let cache = ToolCache::from_config(&config).unwrap();
        let cx = AgentContext::new("s1");
        let args = json!({});
        ran(&cache, &cx, "read", &args, &ToolOutput::new("old"));
        let mut answered = 0;
        for _ in 0..100 {
            match asked(&cache, &cx, "read", args.clone()) {
                // As an agent does that reports every call.
                Some(output) => done(&cache, &cx, "read", &args, &output),
                None => break,
            }
            answered += 1;
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!((1..100).contains(&answered), "{answered}");
    }

    #[test]
    fn the_answers_are_bounded_in_bytes() {
        let config = ToolCacheConfig {
            max_bytes: 20_000,
            ..ToolCacheConfig::new(Globs::new(["read"]).unwrap())
        };
        let cache = ToolCache::from_config(&config).unwrap();
        let cx = AgentContext::new("s1");
        let output = ToolOutput::new("x".repeat(1000));
        for path in 0..200 {
            ran(&cache, &cx, "read", &json!({ "path": path }), &output);
        }
        assert!(cache.0.memory().bytes <= 20_000);
        let large = ToolOutput::new("x".repeat(30_000));
        ran(&cache, &cx, "read", &json!("large"), &large);
        assert_eq!(asked(&cache, &cx, "read", json!("large")), None);
    }

    #[test]
    fn settings_that_keep_nothing_are_errors() {
        let none = ToolCacheConfig::new(Globs::default());
        assert_eq!(ToolCache::from_config(&none).unwrap_err().key(), "tools");
        let no_time = ToolCacheConfig {
            time_to_live: Duration::ZERO,
            ..ToolCacheConfig::new(Globs::all())
        };
        let error = ToolCache::from_config(&no_time).unwrap_err();
        assert_eq!(error.key(), "time_to_live");
    }
}
