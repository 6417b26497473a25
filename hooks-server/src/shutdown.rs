//! The end of the daemon, in two steps: soft, when it accepts nothing new and finishes, and hard, when it drops what is
//! left.

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
}

impl Default for Shutdown {
    fn default() -> Self {
        Shutdown::new()
    }
}

impl Shutdown {
    /// A shutdown that nobody has asked for yet.
    #[must_use]
    pub fn new() -> Self {
        let hard = CancellationToken::new();
        let soft = hard.child_token();
        Shutdown { hard, soft }
    }

    /// A shutdown by signals: SIGINT or SIGTERM once is soft; twice, or 30 seconds later, is hard.
    ///
    /// # Errors
    ///
    /// If the system does not report signals.
    ///
    /// # Panics
    ///
    /// If it is called outside of a tokio runtime.
    #[cfg(unix)]
    pub fn on_signals() -> std::io::Result<Self> {
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
            asked.soft();
            let _ = tokio::time::timeout(GRACE, next()).await;
            tracing::warn!("dropping what has not finished");
            asked.hard();
        });
        Ok(shutdown)
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
