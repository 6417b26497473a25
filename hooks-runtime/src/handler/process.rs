//! A process that stays, and is asked by JSON-RPC.

use std::sync::Arc;

use hooks_builtin::config::ServerEntry;

use super::{Handler, Making, Wrong};
use crate::Dialect;

/// Checks the settings, and makes the handler.
pub(crate) fn make(_: &ServerEntry, _: Dialect, _: &Making) -> Result<Arc<dyn Handler>, Wrong> {
    Err(Wrong::new("this handler is not there yet"))
}
