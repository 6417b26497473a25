//! How long a daemon keeps what happens, how much a tenant may keep, and how the store is reached.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use hooks_store::{MOST_HOOKS, Quota, Retention, StoreBuilder};

/// What a store keeps.
#[derive(Debug, clap::Args)]
pub(crate) struct RetentionArgs {
    /// Remove executions after so many days; 0 for never.
    #[arg(long, value_name = "DAYS", default_value_t = 90)]
    keep_days: u32,
    /// Keep at most so many executions of each tenant, the newest; 0 for all.
    #[arg(long, value_name = "ROWS", default_value_t = 10_000_000)]
    keep_rows: u64,
    /// Refuse a draft with more hooks; at most 10,000.
    #[arg(long, value_name = "HOOKS", default_value_t = MOST_HOOKS)]
    most_hooks: usize,
    /// Refuse what a tenant saves and publishes when all versions of its hooks and its revisions have so many bytes.
    #[arg(long, value_name = "BYTES", default_value_t = Quota::default().bytes)]
    most_bytes: u64,
    /// How many connections to Postgres there are at most, besides two for those who wait at each event.
    #[arg(long, value_name = "COUNT", default_value_t = StoreBuilder::CONNECTIONS)]
    connections: NonZeroU32,
    /// Keep a copy of what agents are judged by in this folder of its own, and start from the copy while the database is away.
    #[arg(long, value_name = "FOLDER", requires = "store")]
    cache: Option<PathBuf>,
    /// For how many minutes a token is known while the database is away, though it may have been revoked meanwhile.
    #[arg(long, value_name = "MINUTES", default_value_t = StoreBuilder::REMEMBER.as_secs() / 60)]
    known_for: u64,
}

impl RetentionArgs {
    pub(super) fn complete(&self, store: StoreBuilder) -> StoreBuilder {
        let retention = Retention {
            days: Some(self.keep_days).filter(|days| *days > 0),
            rows: Some(self.keep_rows).filter(|rows| *rows > 0),
        };
        let quota = Quota {
            hooks: self.most_hooks,
            bytes: self.most_bytes,
        };
        let store = store
            .retention(retention)
            .quota(quota)
            .connections(self.connections)
            .remember(Duration::from_secs(self.known_for.saturating_mul(60)));
        match &self.cache {
            Some(folder) => store.cache(folder),
            None => store,
        }
    }
}
