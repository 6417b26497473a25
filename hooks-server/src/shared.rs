//! The state that all requests share: hooks, store, counts.

use std::sync::Arc;

use hooks_runtime::Runtime;
use hooks_runtime::bridge::Stops;

use crate::api::Api;
use crate::lanes::Lanes;
use crate::metrics::Metrics;
use crate::peer::{Client, Proxies, Shares};
use crate::program::Program;
use crate::shutdown::Shutdown;

/// The parts of the daemon.
pub(crate) struct DaemonState {
    /// The hooks of its file.
    pub(crate) hooks: Option<Runtime>,
    pub(crate) program: Option<Arc<dyn Program>>,
    /// The hooks of its store.
    pub(crate) api: Option<Arc<Api>>,
    /// How often its hooks have kept agents from stopping.
    pub(crate) stops: Stops,
    pub(crate) lanes: Lanes,
    pub(crate) metrics: Arc<Metrics>,
    /// The proxies before the daemon, and what each address asks through them.
    pub(crate) proxies: Proxies,
    pub(crate) asking: Shares<Client>,
    pub(crate) shutdown: Shutdown,
}
