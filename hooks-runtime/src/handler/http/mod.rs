//! A POST to an endpoint for each event.

use std::sync::Arc;

use hooks_builtin::config::HttpEntry;

use super::{Handler, Making, Wrong};
use crate::Dialect;

/// Checks the settings, and makes the handler.
pub(crate) fn make(_: &HttpEntry, _: Dialect, _: &Making) -> Result<Arc<dyn Handler>, Wrong> {
    Err(Wrong::new("this handler is not there yet"))
}
