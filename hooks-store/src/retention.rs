//! Retention and quotas: how long rows are kept, and how much of what is kept for ever.

use std::time::Duration;

/// How long rows are kept. The default is for ever.
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

/// The most hooks that a draft of a tenant has.
pub const MOST_HOOKS: usize = 10_000;

/// How much a tenant may keep. What is more is refused, and the refusal names the limit.
///
/// ```
/// use hooks_store::{MOST_HOOKS, Quota};
///
/// assert_eq!(Quota::default(), Quota { hooks: MOST_HOOKS, bytes: 4 << 30 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// How many hooks a draft has at most: [`MOST_HOOKS`], or fewer.
    pub hooks: usize,
    /// How many bytes all versions of hooks and all revisions take at most, which are never removed.
    pub bytes: u64,
}

impl Default for Quota {
    fn default() -> Self {
        Quota {
            hooks: MOST_HOOKS,
            bytes: 4 << 30,
        }
    }
}
