//! Samples: saved events, to try hooks on. Each is a test, as in a file of hooks.

use hooks_runtime::entry::TestEntry;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

use crate::admin::By;
use crate::engine::{Column, JsonColumn, ReadsAs as _, SqlValue, args, of_row};
use crate::error::{Result, StoreError};
use crate::store::Tenant;
use crate::text::{expect_short, sha256};

/// How many samples a tenant has at most.
const MOST: u64 = 500;

/// The longest sample, in bytes of JSON.
const LONGEST: usize = 64 << 10;

of_row! {
    /// A saved event.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
    pub struct Sample {
        /// The id.
        pub id: String,
        /// What was saved.
        #[serde(flatten)]
        pub saved: TestEntry,
        /// Who has saved it.
        pub author: String,
        /// When.
        pub at: Timestamp,
    }
}

impl Column for TestEntry {
    fn of(value: &SqlValue) -> Result<Self, String> {
        JsonColumn::of(value).map(|JsonColumn(sample)| sample)
    }
}

impl Tenant {
    /// Saves an event. A tenant has at most 500, each with at most 64 KiB of JSON.
    ///
    /// # Errors
    ///
    /// If it is longer, there are as many already, or the database fails.
    pub async fn save_sample(&self, sample: &TestEntry, by: &By) -> Result<Sample> {
        let body = json!(sample).to_string();
        expect_short("/body", "sample", &body, LONGEST)?;
        let mut write = self.write(by).await?;
        let sql = "SELECT COUNT(*) AS count FROM sample WHERE tenant_id = $1";
        let count: Option<u64> = write.one(sql, args![&self.id]).await?;
        if count >= Some(MOST) {
            let message = format!("there are {MOST} samples already");
            return Err(StoreError::invalid("", message, "remove one first"));
        }
        let (id, at) = (self.store.new_id(), write.at);
        let hash = hex::encode(sha256(body.as_bytes()));
        let row = args![&id, &sample.name, body, &by.actor, at];
        write.put("sample", row).await?;
        write.end("sample.save", &id, "", &hash).await?;
        Ok(Sample {
            id,
            saved: sample.clone(),
            author: by.actor.clone(),
            at,
        })
    }

    /// Returns the saved events, by their names.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn samples(&self) -> Result<Vec<Sample>> {
        let sql = "SELECT id, body AS saved, author, at FROM sample WHERE tenant_id = $1 ORDER BY name, id";
        self.engine().all(sql, args![&self.id]).await
    }

    /// Returns the ids and the names of the saved events, by their names.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn sample_names(&self) -> Result<Vec<(String, String)>> {
        let sql = "SELECT id, name FROM sample WHERE tenant_id = $1 ORDER BY name, id";
        self.engine().all(sql, args![&self.id]).await
    }

    /// Returns a saved event.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn sample(&self, id: &str) -> Result<Option<Sample>> {
        let sql =
            "SELECT id, body AS saved, author, at FROM sample WHERE tenant_id = $1 AND id = $2";
        self.engine().one(sql, args![&self.id, id]).await
    }

    /// Removes a saved event.
    ///
    /// # Errors
    ///
    /// If there is none, or the database fails.
    pub async fn delete_sample(&self, id: &str, by: &By) -> Result<()> {
        let mut write = self.write(by).await?;
        let sql = "DELETE FROM sample WHERE tenant_id = $1 AND id = $2 RETURNING body";
        let body: Option<String> = write.one(sql, args![&self.id, id]).await?;
        let body = body.ok_or_else(|| StoreError::NotFound(format!("sample {id:?}")))?;
        let hash = hex::encode(sha256(body.as_bytes()));
        write.rows.gone("sample", args![id]);
        write.end("sample.delete", id, &hash, "").await
    }
}
