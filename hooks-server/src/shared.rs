//! What all requests see.

use std::sync::{Arc, OnceLock};

use hooks_runtime::Runtime;

use crate::metrics::Metrics;
use crate::program::Program;
use crate::shutdown::Shutdown;

/// The parts of the daemon.
pub(crate) struct Shared {
    pub(crate) hooks: Option<Runtime>,
    pub(crate) program: Option<Arc<dyn Program>>,
    pub(crate) metrics: Metrics,
    /// Set when the daemon runs.
    pub(crate) shutdown: OnceLock<Shutdown>,
}
