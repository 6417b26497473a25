//! Writing records of remote agents.

use hooks_runtime::Record;

use crate::error::{Result, StoreError};
use crate::recorder::row::{Batch, expect_exact};
use crate::store::Tenant;

impl Tenant {
    /// Writes records of a remote agent, and returns when they are durable. Their tenant is this one, whatever they say, and a
    /// time in the future becomes the time of now: retention would wait for it.
    ///
    /// # Errors
    ///
    /// If a revision, a version or a duration is more than 2^53 - 1, or the database fails. Then none is written.
    pub async fn insert(&self, records: Vec<Record>) -> Result<u64> {
        self.insert_as(records, None).await
    }

    /// [Inserts](Self::insert) records once, however often they come under the same name within a day: who did not get the answer
    /// sends them again.
    ///
    /// ```
    /// use hooks_runtime::Record;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
    /// let acme = hooks_store::Store::open("sqlite::memory:").await?.tenant("acme");
    /// for _ in 0..2 {
    ///     acme.insert_once("batch 7", vec![Record::new("no-deploy", "BeforeToolCall")]).await?;
    /// }
    /// assert!(acme.execution(1).await?.is_some() && acme.execution(2).await?.is_none());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert), or if the name does not have 1 to 200 bytes.
    pub async fn insert_once(&self, name: &str, records: Vec<Record>) -> Result<u64> {
        if !(1..=200).contains(&name.len()) {
            return Err(StoreError::invalid(
                "",
                "the name of a batch has 1 to 200 bytes",
                "",
            ));
        }
        self.insert_as(records, Some(name)).await
    }

    async fn insert_as(&self, mut records: Vec<Record>, name: Option<&str>) -> Result<u64> {
        let now = self.store.now();
        for (index, record) in records.iter_mut().enumerate() {
            expect_exact(record).map_err(|error| error.at(|path| format!("/{index}{path}")))?;
            record.tenant_id = Some(self.id.clone());
            record.at = record.at.min(now);
        }
        let count = records.len() as u64;
        let batch = name.map(|key| Batch {
            tenant: &self.id,
            key,
            at: now,
        });
        let writer = &self.store.writer;
        writer.write(records, batch.as_ref(), &mut None).await?;
        Ok(count)
    }
}
