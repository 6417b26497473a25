//! Moving everything that is encrypted or signed to another key.

use crate::admin::{By, Write};
use crate::chain::Chain;
use crate::engine::{ReadsAs as _, RowReader as _, args};
use crate::error::Result;
use crate::recorder::row;
use crate::revision::seal;
use crate::secret::place;
use crate::store::{Store, Tenant};

/// How many values are encrypted anew in one transaction.
const BATCH: u64 = 500;

impl Store {
    /// Encrypts everything with the first key that another one has encrypted, and signs with it what another one has signed.
    /// Returns how many values were encrypted.
    ///
    /// # Errors
    ///
    /// If a key is missing, or the database fails.
    pub async fn reencrypt(&self, by: &By) -> Result<u64> {
        let mut count = 0;
        for tenant in self.tenants().await? {
            loop {
                let moved = self.tenant(&tenant).reencrypt(by).await?;
                if moved == 0 {
                    break;
                }
                count += moved;
            }
        }
        let tenant = self.tenant("");
        let mut write = tenant.begin(by, None).await?;
        self.sign_anew(&mut write, false).await?;
        write.commit().await?;
        Ok(count)
    }

    /// Signs the ends of all chains and all revisions with the first key: those that are signed, or if nothing is, all.
    pub(crate) async fn sign_anew(&self, write: &mut Write<'_>, is_first: bool) -> Result<()> {
        let keys = &self.0.writer.keys;
        let sql = "SELECT tenant_id, log FROM chain ORDER BY tenant_id, log";
        let ends: Vec<(String, String)> = write.all(sql, args![]).await?;
        for (tenant, log) in &ends {
            let chain = Chain { keys, tenant, log };
            let mut ends = chain.locked(write).await?;
            if is_first {
                ends.unsigned = ends.seq;
            }
            if is_first || chain.signed(&ends) == Ok(true) {
                chain.set(write, ends).await?;
            }
        }
        let sql = "SELECT tenant_id, number, hash, mac FROM revision";
        let revisions: Vec<(String, u64, String, String)> = write.all(sql, args![]).await?;
        for (tenant, number, hash, mac) in revisions {
            let seal = seal(&tenant, number, &hash);
            if is_first || keys.signed(&seal, &mac) == Ok(true) {
                let sql = "UPDATE revision SET mac = $3 WHERE tenant_id = $1 AND number = $2";
                let values = args![tenant, number, keys.sign(&seal)];
                write.run(sql, values).await?;
            }
        }
        Ok(())
    }
}

impl Tenant {
    /// Encrypts some values anew. Returns how many.
    async fn reencrypt(&self, by: &By) -> Result<u64> {
        let keys = &self.store.writer.keys;
        let first = keys.first()?.id.clone();
        let anew =
            |place: &[String], value: &[u8]| keys.seal(place, &keys.must_open(place, value)?);
        let mut write = self.write(by).await?;
        let sql = "SELECT name, version, value, author, at FROM secret \
                   WHERE tenant_id = $1 AND substr(value, 1, 8) <> $2 LIMIT $3";
        let secrets = write
            .run(sql, args![&self.id, first.clone(), BATCH])
            .await?;
        for secret in &secrets {
            let (name, version): (String, u64) = (secret.get("name")?, secret.get("version")?);
            let value: Vec<u8> = secret.get("value")?;
            let sealed = anew(&place(&self.id, &name, version), &value)?;
            let mut row = secret.values().to_vec();
            row[2] = sealed.clone().into();
            write.rows.note("secret", &row);
            let sql =
                "UPDATE secret SET value = $4 WHERE tenant_id = $1 AND name = $2 AND version = $3";
            let values = args![&self.id, name, version, sealed];
            write.run(sql, values).await?;
        }
        let sql = "SELECT seq, detail, detail_hash FROM execution \
                   WHERE tenant_id = $1 AND detail_hash <> $2 AND substr(detail, 1, 8) <> $3 LIMIT $4";
        let values = args![&self.id, Vec::new(), first, BATCH];
        let details: Vec<(u64, Vec<u8>, Vec<u8>)> = write.all(sql, values).await?;
        let moved = (secrets.len() + details.len()) as u64;
        for (seq, detail, hash) in details {
            let sealed = anew(&row::place(&self.id, &hash), &detail)?;
            let sql = "UPDATE execution SET detail = $3 WHERE tenant_id = $1 AND seq = $2";
            write.run(sql, args![&self.id, seq, sealed]).await?;
        }
        if moved > 0 {
            write.end("reencrypt", &moved.to_string(), "", "").await?;
        }
        Ok(moved)
    }
}
