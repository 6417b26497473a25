//! Moving everything that is encrypted to another key.

use crate::admin::By;
use crate::engine::{Reads as _, ReadsAs as _, args};
use crate::error::Result;
use crate::recorder::row;
use crate::secret::Sealed;
use crate::store::Store;

/// How many values are encrypted anew in one transaction.
const BATCH: u64 = 500;

impl Store {
    /// Encrypts everything with the first key that another one has encrypted. Returns how many values those were.
    ///
    /// # Errors
    ///
    /// If a key is missing, or the database fails.
    pub async fn reencrypt(&self, by: &By) -> Result<u64> {
        let keys = &self.0.writer.keys;
        let first = keys.first()?.id.clone();
        let anew =
            |place: &[String], value: &[u8]| keys.seal(place, &keys.must_open(place, value)?);
        let mut count = 0;
        loop {
            let tenant = self.tenant("");
            let mut write = tenant.write(by).await?;
            let sql = "SELECT tenant_id, name, version, value FROM secret WHERE substr(value, 1, 8) <> $1 LIMIT $2";
            let secrets: Vec<Sealed> = write.all(sql, args![first.clone(), BATCH]).await?;
            for one in &secrets {
                let sealed = anew(&one.place(), &one.value)?;
                let sql = "UPDATE secret SET value = $4 WHERE tenant_id = $1 AND name = $2 AND version = $3";
                let values = args![&one.tenant_id, &one.name, one.version, sealed];
                write.run(sql, values).await?;
            }
            let sql = "SELECT tenant_id, seq, detail, detail_hash FROM execution \
                       WHERE detail_hash <> $1 AND substr(detail, 1, 8) <> $2 LIMIT $3";
            let details = write
                .all(sql, args![Vec::new(), first.clone(), BATCH])
                .await?;
            let details: Vec<(String, u64, Vec<u8>, Vec<u8>)> = details;
            let moved = (secrets.len() + details.len()) as u64;
            for (tenant, seq, detail, hash) in details {
                let sealed = anew(&row::place(&tenant, &hash), &detail)?;
                let sql = "UPDATE execution SET detail = $3 WHERE tenant_id = $1 AND seq = $2";
                write.run(sql, args![tenant, seq, sealed]).await?;
            }
            if moved == 0 {
                return Ok(count);
            }
            count += moved;
            write.end("reencrypt", &moved.to_string(), "", "").await?;
        }
    }
}
