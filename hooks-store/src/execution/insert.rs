//! Writing records of remote agents.

use hooks_runtime::Record;

use crate::error::Result;
use crate::recorder::row::expect_exact;
use crate::store::Tenant;

impl Tenant {
    /// Writes records of a remote agent, and returns when they are durable. Their tenant is this one, whatever they say, and a
    /// time in the future becomes the time of now: retention would wait for it.
    ///
    /// # Errors
    ///
    /// If a revision, a version or a duration is more than 2^53 - 1, or the database fails. Then none is written.
    pub async fn insert(&self, mut records: Vec<Record>) -> Result<u64> {
        let now = self.store.now();
        for (index, record) in records.iter_mut().enumerate() {
            expect_exact(record).map_err(|error| error.at(|path| format!("/{index}{path}")))?;
            record.tenant_id = Some(self.id.clone());
            record.at = record.at.min(now);
        }
        let count = records.len() as u64;
        self.store.writer.write(records, &mut None).await?;
        Ok(count)
    }
}
