//! Retention: how long executions are kept.

use std::time::Duration;

/// How long executions are kept. The default is for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// For how many days.
    pub days: Option<u32>,
    /// How many of each tenant.
    pub rows: Option<u64>,
}

impl Retention {
    /// How often old rows are removed.
    pub(crate) const EVERY: Duration = Duration::from_mins(10);
}
