//! Posts an audit event for every tool call.
//!
//! The hook serializes each call into a line, and sends the line to a [sink](crate::shared::sink), which posts it.

mod config;
mod post;
mod record;
mod retry;

pub use self::config::WebhookAuditConfig;

use std::sync::Arc;

use hooks_core::agent::{AgentContext, AgentEvent, ToolCallEnd};
use hooks_core::{AnyAction, Event, EventInfo};
use jiff::Timestamp;

use self::post::Post;
use crate::shared::BuildError;
use crate::shared::changes::EventHistory;
use crate::shared::log::{Log, probe};
use crate::shared::sink::{QueueLimits, SinkQueue};
use crate::shared::ssrf::{Guard, GuardError, HookUrl};

/// Posts a JSON event to a URL for every tool call that has ended. ZeroClaw's `WebhookAuditHook`.
///
/// It is a probe: attach it with [`with_probe`](hooks_core::Hook::with_probe). A call that was blocked, denied or
/// interrupted did not run, so it posts no event for it.
///
/// ```json
/// { "event": "tool_call", "timestamp": "2026-03-22T10:00:00Z", "tool": "shell",
///   "success": true, "duration_ms": 42, "error": null, "args": { "command": "ls" } }
/// ```
///
/// - `args` is present only [on request](WebhookAuditConfig::include_args). It holds the arguments that the tool ran with. If their JSON
///   is longer than [the limit](WebhookAuditConfig::max_args_bytes), `args` is a string: the beginning of the JSON, followed by
///   `...[truncated]`.
/// - `error` is the output of a failed call. It is cut in the same way after 4 KiB.
/// - The URL, and every address of its host, must pass a [guard](crate::ssrf) against request forgery.
///
/// # Delivery
///
/// The agent never waits. Events go through a bounded queue to a thread of the hook. The thread posts them one by one, in
/// the order in which the calls ended. After a network error, a 429 or a 5xx, it posts the event again. Each wait is
/// longer than the one before, or as long as `Retry-After` says, up to a minute. After any other answer that is not a 2xx,
/// such as a redirect, and after a refusal of the guard, it drops the event. The hook counts an event as
/// [dropped](Self::dropped) if the queue was full, if the receiver did not take it, or if it was left at shutdown. In the
/// end, `accepted == delivered + dropped`. A log line reports dropped events, at most twice a minute.
///
/// If an answer gets lost, the receiver may see an event twice. Both times, the event has the same `webhook-id` header.
/// If you set a [secret](WebhookAuditConfig::secret), the hook signs requests with the
/// [Standard Webhooks](https://www.standardwebhooks.com) scheme.
///
/// When the last clone is dropped, the hook delivers what is queued, for at most
/// [`shutdown_timeout`](WebhookAuditConfig::shutdown_timeout). The dropping thread waits for that. In asynchronous code,
/// call [`shutdown`](Self::shutdown) first.
///
/// # Example
///
/// ```
/// use std::time::Duration;
/// use hooks_builtin::{WebhookAudit, WebhookAuditConfig};
/// use hooks_core::agent::{AgentContext, AgentHooksNow, ToolAnnotations, ToolCallEnd, ToolOutcome, ToolOutput};
/// use hooks_core::{Hook, hooks};
/// # use std::io::{Read, Write};
/// # let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
/// # let port = listener.local_addr()?.port();
/// # std::thread::spawn(move || {
/// #     let mut stream = listener.accept().unwrap().0;
/// #     let mut request = Vec::new();
/// #     while !request.ends_with(b"}") {
/// #         let mut buffer = [0; 1024];
/// #         let count = stream.read(&mut buffer).unwrap();
/// #         request.extend_from_slice(&buffer[..count]);
/// #     }
/// #     stream.write_all(b"HTTP/1.1 204 X\r\n\r\n").unwrap();
/// # });
///
/// // Most programs need no more than `WebhookAudit::new("https://audit.example.com/hook")?`.
/// let mut config = WebhookAuditConfig::new(format!("http://localhost:{port}/hook").parse()?);
/// config.allow_loopback = vec!["localhost".parse()?];
/// config.include_args = true;
///
/// let audit = WebhookAudit::from_config(&config)?;
/// let hooks = hooks![].with_probe(&audit);
/// let ended = ToolCallEnd {
///     id: "1",
///     name: "shell",
///     args: &serde_json::json!({ "command": "ls" }),
///     annotations: ToolAnnotations::default(),
///     output: &ToolOutput::new("3 files"),
///     duration: Duration::from_millis(42),
///     outcome: ToolOutcome::Ran,
/// };
/// hooks.observe_now(&AgentContext::new("session"), &ended);
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// audit.flush().await;
/// # });
/// assert_eq!((audit.accepted(), audit.delivered(), audit.dropped()), (1, 1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct WebhookAudit {
    config: Arc<WebhookAuditConfig>,
    events: Arc<SinkQueue>,
}

probe!(WebhookAudit);

impl Log for WebhookAudit {
    fn wants(&self, event: &EventInfo) -> bool {
        event.name == ToolCallEnd::NAME
    }

    fn write(
        &self,
        _: &EventHistory,
        _: &AgentContext,
        event: AgentEvent<'_>,
        _: Option<AnyAction<'_>>,
    ) {
        if let AgentEvent::ToolCallEnd(done) = event {
            self.take(done);
        }
    }
}

impl WebhookAudit {
    /// Posts the calls of all tools to a public HTTPS URL, with the defaults of [`WebhookAuditConfig`].
    ///
    /// # Errors
    ///
    /// If the URL is refused: see [`ssrf`](crate::ssrf). Or as [`from_config`](Self::from_config).
    pub fn new(url: &str) -> Result<Self, BuildError> {
        let url: HookUrl = url
            .parse()
            .map_err(|refused| not_called(&GuardError::Refused(refused)))?;
        WebhookAudit::from_config(&WebhookAuditConfig::new(url))
    }

    /// Creates the hook from its configuration, and starts its thread.
    ///
    /// # Errors
    ///
    /// If the URL is refused by the [guard](crate::ssrf), a time is 0, or TLS or the thread cannot be set up.
    pub fn from_config(config: &WebhookAuditConfig) -> Result<Self, BuildError> {
        WebhookAudit::with_guard(config, Guard::new())
    }

    /// Creates the hook with your own guard, for instance one that resolves names in another way. The configuration's
    /// `allow_loopback` is added to it.
    ///
    /// # Errors
    ///
    /// As [`from_config`](Self::from_config).
    pub fn with_guard(config: &WebhookAuditConfig, guard: Guard) -> Result<Self, BuildError> {
        if config.tool_patterns.is_empty() {
            let message = "is empty, so nothing would be posted: leave it out for all tools";
            return Err(BuildError::new(HOOK, "tool_patterns", message));
        }
        for (key, duration) in [
            ("timeout", config.timeout),
            ("retry_delay", config.retry_delay),
        ] {
            if duration.is_zero() {
                return Err(BuildError::new(HOOK, key, "must be more than 0"));
            }
        }
        let Some(url) = &config.url else {
            let message = "is empty: write the URL to which events are posted, as `\"https://audit.example.com/\"`";
            return Err(BuildError::new(HOOK, "url", message));
        };
        let endpoint = guard
            .allow_loopback(config.allow_loopback.iter().cloned())
            .endpoint(url.as_str(), config.timeout)
            .map_err(|error| not_called(&error))?;
        let limits = QueueLimits {
            lines: config.queue_events.get(),
            bytes: config.queue_bytes.get(),
            grace: config.shutdown_timeout,
            ..QueueLimits::default()
        };
        let events = SinkQueue::start(Post::new(endpoint, config), limits).map_err(|error| {
            BuildError::new(
                HOOK,
                "url",
                "cannot be used: the thread that posts to it does not start",
            )
            .with_source(error)
        })?;
        Ok(WebhookAudit {
            config: Arc::new(config.clone()),
            events: Arc::new(events),
        })
    }

    /// Returns how many calls the hook has accepted. Each of them is delivered or dropped in the end.
    #[must_use]
    pub fn accepted(&self) -> u64 {
        self.events.accepted()
    }

    /// Returns how many events the receiver has taken.
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.events.delivered()
    }

    /// Returns how many events were lost, because the queue was full, the receiver did not take them, or time was up.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.events.dropped()
    }

    /// Waits until every call that has ended so far is delivered or dropped, including retries.
    ///
    /// It works on any executor.
    pub async fn flush(&self) {
        self.events.settled().await;
    }

    /// Accepts no more calls, and waits until the accepted calls are delivered or dropped, for at most
    /// [`shutdown_timeout`](WebhookAuditConfig::shutdown_timeout). Then the thread ends.
    ///
    /// It stops all clones, works on any executor, and may be called again.
    pub async fn shutdown(&self) {
        self.events.ended().await;
    }

    fn take(&self, done: &ToolCallEnd<'_>) {
        let config = &*self.config;
        if !config.tool_patterns.matches(done.name) {
            return;
        }
        let most = config.queue_bytes.get() / 4;
        let limit = match config.max_args_bytes {
            0 => most,
            limit => limit.min(most),
        };
        let limit = config.include_args.then_some(limit);
        self.events
            .send(|out| record::write(out, done, limit, Timestamp::now()));
    }
}

const HOOK: &str = "webhook_audit";

fn not_called(error: &GuardError) -> BuildError {
    let message = match error {
        GuardError::Refused(refused) => format!("is refused: {refused}"),
        GuardError::Failed { .. } => format!("cannot be called: {error}"),
    };
    BuildError::new(HOOK, "url", message)
}
