//! The end of the daemon, in three steps: it is announced, while everything goes on; soft, when it accepts nothing new and
//! finishes; and hard, when it drops what is left.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::limits::GRACE;

/// Ends a daemon. A clone ends the same one.
///
/// ```
/// use hooks_server::Shutdown;
///
/// let shutdown = Shutdown::new();
/// shutdown.soft();
/// assert!(shutdown.is_soft() && !shutdown.is_hard());
/// shutdown.hard();
/// assert!(shutdown.is_hard());
/// ```
#[derive(Clone, Debug)]
pub struct Shutdown {
    hard: CancellationToken,
    soft: CancellationToken,
    announced: CancellationToken,
}

impl Default for Shutdown {
    fn default() -> Self {
        Shutdown::new()
    }
}

impl Shutdown {
    /// A shutdown that is not announced yet.
    #[must_use]
    pub fn new() -> Self {
        let hard = CancellationToken::new();
        let soft = hard.child_token();
        let announced = soft.child_token();
        Shutdown {
            hard,
            soft,
            announced,
        }
    }

    /// A shutdown by signals. SIGINT or SIGTERM once announces it, and it is soft after the time `drain`, in which proxies and
    /// load balancers learn of it. A second signal, or 30 seconds more, is hard.
    ///
    /// # Errors
    ///
    /// If the system does not report signals.
    ///
    /// # Panics
    ///
    /// If it is called outside of a tokio runtime.
    #[cfg(unix)]
    pub fn on_signals(drain: Duration) -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let shutdown = Shutdown::new();
        let asked = shutdown.clone();
        tokio::spawn(async move {
            let mut next = async || {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
            };
            next().await;
            tracing::info!("finishing what has begun");
            asked.announce();
            let last = async {
                tokio::time::sleep(drain).await;
                asked.soft();
                tokio::time::sleep(GRACE).await;
            };
            tokio::select! {
                () = last => {}
                () = next() => {}
            }
            tracing::warn!("dropping what has not finished");
            asked.hard();
        });
        Ok(shutdown)
    }

    /// Goes on, but `/readyz` says that the end comes, and each answer closes its connection.
    ///
    /// ```
    /// let shutdown = hooks_server::Shutdown::new();
    /// shutdown.announce();
    /// assert!(shutdown.is_announced() && !shutdown.is_soft());
    /// ```
    pub fn announce(&self) {
        self.announced.cancel();
    }

    /// Whether the end was announced.
    #[must_use]
    pub fn is_announced(&self) -> bool {
        self.announced.is_cancelled()
    }

    /// Accepts nothing new, and finishes what has begun.
    pub fn soft(&self) {
        self.soft.cancel();
    }

    /// Drops what has not finished.
    pub fn hard(&self) {
        self.hard.cancel();
    }

    /// Whether it has begun.
    #[must_use]
    pub fn is_soft(&self) -> bool {
        self.soft.is_cancelled()
    }

    /// Whether what has not finished is dropped.
    #[must_use]
    pub fn is_hard(&self) -> bool {
        self.hard.is_cancelled()
    }

    /// Waits until it begins.
    pub(crate) async fn softly(&self) {
        self.soft.cancelled().await;
    }

    /// Waits until what has not finished is dropped.
    pub(crate) async fn hardly(&self) {
        self.hard.cancelled().await;
    }
}
