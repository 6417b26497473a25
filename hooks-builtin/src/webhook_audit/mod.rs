//! Posts an audit event for every tool call.
//!
//! The one idea: the agent puts a record of the call in a queue, and a thread of its own does all that can wait:
//! the request, the retries, the waiting in between. What the queue does not hold is counted, not waited for.

mod args;
mod config;
mod counts;
mod post;
mod record;
mod retry;
mod secret;
mod worker;

pub use self::config::WebhookAuditConfig;
pub use self::secret::{SecretError, WebhookSecret};

use std::fmt;
use std::sync::Arc;

use hooks_core::agent::ToolCallEnd;
use hooks_core::{hook, priority};

use self::post::Post;
use self::record::Record;
use self::worker::Worker;
use crate::shared::ssrf::{Guard, GuardError, HookUrl};
use crate::shared::{BuildError, Globs};

/// Posts a JSON event to a URL for every tool call that is over. ZeroClaw's `WebhookAuditHook`.
///
/// A call that was blocked, denied or interrupted did not run. It is no event here, and so not a failed call either.
///
/// ```json
/// { "event": "tool_call", "timestamp": "2026-03-22T10:00:00Z", "tool": "shell",
///   "success": true, "duration_ms": 42, "error": null, "args": { "command": "ls" } }
/// ```
///
/// - `args` is there only if [asked for](Self::with_args), and is what the tool ran with: it comes with the result of
///   the same call, so that calls of one tool that run at once never mix. Longer ones than
///   [so many bytes](Self::with_max_args_bytes) are a string: the beginning of their JSON, and `...[truncated]`.
/// - `error` is the output of a call that failed, of which the first 4 KiB, marked likewise.
/// - The URL has to pass a [guard](crate::ssrf) against request forgery, and so has every address of its host.
///
/// # Delivery
///
/// The agent never waits: events go through a bounded queue to a thread of the hook, which posts one after the
/// other, in the order in which the calls ended. What the receiver does not take with a 2xx is posted again after a
/// network error, a 429 or a 5xx, each time after a longer wait (or after what `Retry-After` says, a minute at
/// most). Any other answer ends it, a redirect among them, and so does a refusal of the guard. An event that
/// comes when the queue is full, is not taken, or is left over at the end is counted as [dropped](Self::dropped),
/// so that at last `accepted == delivered + dropped`. A log line says so, twice a minute at most.
///
/// A receiver may see an event twice, if its answer was lost: each has its own `webhook-id` header, the same
/// every time. With a [secret](WebhookAuditConfig::secret) requests are signed by the
/// [Standard Webhooks](https://www.standardwebhooks.com) scheme.
///
/// When the last clone is dropped, what is queued is delivered, for as long as
/// [`shutdown_timeout`](WebhookAuditConfig::shutdown_timeout) at most; the thread that drops it waits. In asynchronous code,
/// call [`shutdown`](Self::shutdown) before.
///
/// # Example
///
/// ```
/// use std::time::Duration;
/// use hooks_builtin::{WebhookAudit, WebhookAuditConfig};
/// use hooks_core::agent::{AgentContext, ToolCallEnd, ToolOutcome, ToolOutput};
/// use hooks_core::hooks;
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
///
/// let audit = WebhookAudit::from_config(&config)?.with_args();
/// let hooks = hooks![audit.clone()];
/// let ended = ToolCallEnd {
///     id: "1",
///     name: "shell",
///     args: &serde_json::json!({ "command": "ls" }),
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
#[derive(Clone)]
pub struct WebhookAudit {
    watched: Arc<Watched>,
    worker: Arc<Worker>,
}

/// Which calls are told, and how much of them.
#[derive(Clone, Debug)]
struct Watched {
    tool_patterns: Globs,
    include_args: bool,
    max_args_bytes: usize,
}

#[hook(priority = priority::LOW)]
impl WebhookAudit {
    fn ended(&self, done: &ToolCallEnd<'_>) {
        self.take(done);
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

    /// The hook of a configuration: it starts its thread.
    ///
    /// # Errors
    ///
    /// If the URL is refused by the [guard](crate::ssrf), a time is 0, or TLS or the thread cannot be set up.
    pub fn from_config(config: &WebhookAuditConfig) -> Result<Self, BuildError> {
        WebhookAudit::with_guard(config, Guard::new())
    }

    /// The same with a guard of the program's own: one that looks names up in another way, say. The
    /// configuration's `allow_loopback` is added to it.
    ///
    /// # Errors
    ///
    /// As [`from_config`](Self::from_config).
    pub fn with_guard(config: &WebhookAuditConfig, guard: Guard) -> Result<Self, BuildError> {
        if config.tool_patterns.is_empty() {
            let message = "is empty, and so nothing is posted: leave it out for all tools";
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
            let message =
                "is empty: write where events are posted, as `\"https://audit.example.com/hook\"`";
            return Err(BuildError::new(HOOK, "url", message));
        };
        let endpoint = guard
            .allow_loopback(config.allow_loopback.iter().cloned())
            .endpoint(url.as_str(), config.timeout)
            .map_err(|error| not_called(&error))?;
        let worker = Worker::start(config, Post::new(endpoint, config.secret.as_ref())).map_err(
            |error| {
                BuildError::new(HOOK, "url", "cannot be served: its thread does not start")
                    .with_source(error)
            },
        )?;
        Ok(WebhookAudit {
            watched: Arc::new(Watched {
                tool_patterns: config.tool_patterns.clone(),
                include_args: config.include_args,
                max_args_bytes: config.max_args_bytes,
            }),
            worker: Arc::new(worker),
        })
    }

    /// Tells only the calls of these tools. The settings of clones that there are already stay as they are.
    #[must_use]
    pub fn with_tool_patterns(mut self, tool_patterns: Globs) -> Self {
        Arc::make_mut(&mut self.watched).tool_patterns = tool_patterns;
        self
    }

    /// Tells the arguments as well.
    #[must_use]
    pub fn with_args(mut self) -> Self {
        Arc::make_mut(&mut self.watched).include_args = true;
        self
    }

    /// Cuts arguments to so many bytes of JSON; 0: only those that are longer than a quarter of
    /// [`queue_bytes`](WebhookAuditConfig::queue_bytes).
    #[must_use]
    pub fn with_max_args_bytes(mut self, max_args_bytes: usize) -> Self {
        Arc::make_mut(&mut self.watched).max_args_bytes = max_args_bytes;
        self
    }

    /// How many calls were to be told. Each of them is delivered or dropped in the end.
    #[must_use]
    pub fn accepted(&self) -> u64 {
        self.worker.counts().accepted()
    }

    /// How many events the receiver has taken.
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.worker.counts().delivered()
    }

    /// How many events were lost: the queue was full, the receiver did not take them, or time was up.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.worker.counts().dropped()
    }

    /// Waits until every call that is over by now is delivered or dropped, retries included.
    ///
    /// It works on any executor.
    pub async fn flush(&self) {
        self.worker.flush().await;
    }

    /// Takes no more calls, and waits until those that it took are delivered or dropped, for as long as
    /// [`shutdown_timeout`](WebhookAuditConfig::shutdown_timeout) at most. Then the thread is gone.
    ///
    /// It stops all clones, works on any executor, and may be called again.
    pub async fn shutdown(&self) {
        self.worker.shutdown().await;
    }

    fn take(&self, done: &ToolCallEnd<'_>) {
        let Watched {
            tool_patterns,
            include_args,
            max_args_bytes,
        } = &*self.watched;
        if !tool_patterns.matches(done.name) {
            return;
        }
        self.worker.accept(|most| {
            let limit = match *max_args_bytes {
                0 => most,
                limit => limit.min(most),
            };
            Record::of(done, include_args.then_some(limit))
        });
    }
}

impl fmt::Debug for WebhookAudit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookAudit")
            .field("watched", &self.watched)
            .field("worker", &self.worker)
            .finish()
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
