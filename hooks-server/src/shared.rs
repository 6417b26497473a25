//! What all requests see.

use std::sync::Arc;

use hooks_runtime::Runtime;

use crate::api::Api;
use crate::metrics::Metrics;
use crate::program::Program;
use crate::shutdown::Shutdown;

/// The parts of the daemon.
pub(crate) struct Shared {
    /// The hooks of its file.
    pub(crate) hooks: Option<Runtime>,
    pub(crate) program: Option<Arc<dyn Program>>,
    /// The hooks of its store.
    pub(crate) api: Option<Arc<Api>>,
    pub(crate) metrics: Metrics,
    pub(crate) shutdown: Shutdown,
}
