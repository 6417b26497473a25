//! Moving everything that is encrypted to another key.

use crate::admin::By;
use crate::engine::{Reads, args};
use crate::error::StoreError;
use crate::recorder::row;
use crate::secret;
use crate::store::Store;

/// How many values are encrypted anew in one transaction.
const BATCH: u64 = 500;

impl Store {
    /// Encrypts everything with the first key that another one has encrypted. Returns how many values those were.
    ///
    /// # Errors
    ///
    /// If a key is missing, or the database fails.
    pub async fn reencrypt(&self, by: &By) -> Result<u64, StoreError> {
        let keys = &self.0.keys;
        let first = keys.first()?.id.clone();
        let mut count = 0;
        loop {
            let tenant = self.tenant("");
            let mut write = tenant.write(by).await?;
            let sql = "SELECT tenant_id, name, version, value FROM secret WHERE substr(value, 1, 8) <> $1 LIMIT $2";
            let secrets = write.read(sql, args![first.clone(), BATCH]).await?;
            for row in &secrets {
                let (tenant, name) = (row.text("tenant_id")?, row.text("name")?);
                let version = row.number("version")?;
                let number = version.to_string();
                let place = secret::place(&tenant, &name, &number);
                let sealed = keys.seal(&place, &keys.must_open(&place, &row.bytes("value")?)?)?;
                let sql = "UPDATE secret SET value = $4 WHERE tenant_id = $1 AND name = $2 AND version = $3";
                write
                    .execute(sql, args![&tenant, &name, version, sealed])
                    .await?;
            }
            let sql = "SELECT tenant_id, seq, detail, detail_hash FROM execution \
                   WHERE detail_hash <> $1 AND substr(detail, 1, 8) <> $2 LIMIT $3";
            let details = write
                .read(sql, args![Vec::new(), first.clone(), BATCH])
                .await?;
            for row in &details {
                let (tenant, seq) = (row.text("tenant_id")?, row.number("seq")?);
                let hash = hex::encode(&row.bytes("detail_hash")?);
                let place = row::place(&tenant, &hash);
                let sealed = keys.seal(&place, &keys.must_open(&place, &row.bytes("detail")?)?)?;
                let sql = "UPDATE execution SET detail = $3 WHERE tenant_id = $1 AND seq = $2";
                write.execute(sql, args![&tenant, seq, sealed]).await?;
            }
            let moved = (secrets.len() + details.len()) as u64;
            if moved == 0 {
                return Ok(count);
            }
            count += moved;
            write.log("reencrypt", &moved.to_string(), "", "").await?;
            write.commit().await?;
        }
    }
}
