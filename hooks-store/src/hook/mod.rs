//! Hooks as people edit them: the draft of a tenant, and every version that there ever was.
//!
//! Nothing is overwritten. A save is a new version, and names the version that it follows; a delete is a version, too. The
//! other tables of a bundle, such as `builtin`, are one more hook here, with the id [`SETTINGS`].

mod check;
mod draft;
mod name;
mod save;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value as Body, json};

pub use self::draft::DraftReport;
pub(crate) use self::name::TakenNames;
use crate::engine::{JsonColumn, OfRow, ReadsAs as _, RowReader, SqlRow, args, of_row};
use crate::error::{Result, StoreError};
use crate::page::Page;
use crate::scope::HookScope;
use crate::store::Tenant;

/// The id of the settings of a set: the tables of a bundle other than its hooks.
pub const SETTINGS: &str = "settings";

/// The longest hook that a person writes, in bytes of JSON.
pub const LONGEST_HOOK: usize = 64 << 10;

/// The newest version of a hook.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Hook {
    /// The id, which stays the same.
    pub id: String,
    /// The name, which is unique within the tenant.
    pub name: String,
    /// The number of the version, from 1. A write names it.
    pub version: u64,
    /// The SHA-256 of the canonical body, in hexadecimal digits.
    pub hash: String,
    /// For whom it runs.
    pub scope: HookScope,
    /// Whether a tenant's hook of the same name cannot take its place.
    pub mandatory: bool,
    /// The hook, with the keys of `[[hooks.on]]`.
    pub body: Body,
    /// The newest text in TOML that was saved with it, for its comments. What else it says, a later version may have changed.
    #[serde(skip)]
    pub text: String,
    /// Who has saved this version.
    pub author: String,
    /// Why.
    pub comment: String,
    /// When.
    pub at: Timestamp,
}

of_row! {
    /// A version of a hook. [`Tenant::version`] returns the hook as it was.
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct HookVersion {
        /// Its number, from 1.
        pub version: u64,
        /// The version before; 0 for the first.
        pub parent: u64,
        /// The SHA-256 of the canonical body, in hexadecimal digits.
        pub hash: String,
        /// Whether this version is the end of the hook.
        pub is_deleted: bool,
        /// Who has saved it.
        pub author: String,
        /// Why.
        pub comment: String,
        /// When.
        pub at: Timestamp,
    }
}

/// The columns of a hook with its newest version.
const HOOK: &str = "SELECT h.id, h.name, h.version, v.hash, v.body, v.text, v.author, v.comment, v.at, h.tenant_id \
     FROM hook h JOIN hook_version v ON v.tenant_id = h.tenant_id AND v.hook_id = h.id AND v.version = h.version \
     WHERE h.tenant_id = $1";

impl OfRow for Hook {
    fn of_row(row: &SqlRow) -> Result<Self> {
        let (tenant, JsonColumn(body)): (String, JsonColumn<Body>) =
            (row.get("tenant_id")?, row.get("body")?);
        Ok(Hook {
            id: row.get("id")?,
            name: row.get("name")?,
            version: row.get("version")?,
            hash: row.get("hash")?,
            scope: HookScope::of(tenant.is_empty(), &body),
            mandatory: body["mandatory"] == true,
            body,
            text: row.get("text")?,
            author: row.get("author")?,
            comment: row.get("comment")?,
            at: row.get("at")?,
        })
    }
}

impl Hook {
    /// A hook without a version.
    fn none(tenant: &Tenant, id: String) -> Self {
        Hook {
            id,
            scope: HookScope::of(tenant.is_global(), &Body::Null),
            body: json!({}),
            ..Hook::default()
        }
    }

    /// As it is in a set: with its version.
    pub(crate) fn numbered(&self) -> Body {
        let mut body = self.body.clone();
        body["version"] = self.version.into();
        body
    }

    /// Checks that this is the version that the writer has read.
    fn read_as(self, expected: u64) -> Result<Self> {
        if self.version == expected {
            return Ok(self);
        }
        let current = self.version;
        Err(StoreError::Conflict { current })
    }
}

impl Tenant {
    /// Returns the hooks of the draft, in their order.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn hooks(&self) -> Result<Vec<Hook>> {
        self.hooks_in(&mut self.engine()).await
    }

    pub(crate) async fn hooks_in(&self, reads: &mut dyn RowReader) -> Result<Vec<Hook>> {
        let sql = format!("{HOOK} AND h.deleted = 0 AND h.id <> $2 ORDER BY h.place, h.id");
        reads.all(&sql, args![&self.id, SETTINGS]).await
    }

    /// Returns hooks that are deleted, the newest first. The last version of each says who has deleted it, and has the text of
    /// before, which [`restore`](Self::restore) brings back.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn deleted(&self, limit: u32) -> Result<Vec<Hook>> {
        let sql = format!("{HOOK} AND h.deleted = 1 ORDER BY v.at DESC, h.id LIMIT $2");
        self.engine()
            .all(&sql, args![&self.id, u64::from(limit)])
            .await
    }

    /// Returns a hook of the draft.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn hook(&self, id: &str) -> Result<Option<Hook>> {
        self.hook_in(&mut self.engine(), id).await
    }

    async fn hook_in(&self, reads: &mut dyn RowReader, id: &str) -> Result<Option<Hook>> {
        let sql = format!("{HOOK} AND h.deleted = 0 AND h.id = $2");
        reads.one(&sql, args![&self.id, id]).await
    }

    /// Returns the ids and the versions of the hooks of the draft, by their names.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn ids(&self) -> Result<BTreeMap<String, (String, u64)>> {
        self.ids_of(false).await
    }

    /// Returns the ids and the last versions of the hooks that were deleted from the draft, by their names.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn deleted_ids(&self) -> Result<BTreeMap<String, (String, u64)>> {
        self.ids_of(true).await
    }

    async fn ids_of(&self, deleted: bool) -> Result<BTreeMap<String, (String, u64)>> {
        let sql =
            "SELECT name, id, version FROM hook WHERE tenant_id = $1 AND deleted = $3 AND id <> $2";
        let args = args![&self.id, SETTINGS, deleted];
        let hooks = self.engine().run(sql, args).await?;
        let ids = hooks
            .iter()
            .map(|row| Ok((row.get("name")?, (row.get("id")?, row.get("version")?))));
        ids.collect()
    }

    /// Returns a page of the versions of a hook, newest first, before the one with the number `cursor`; also of a deleted one.
    /// Nothing is on the page if there never was one.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn versions(
        &self,
        id: &str,
        cursor: Option<u64>,
        limit: u32,
    ) -> Result<Page<HookVersion>> {
        let sql = "SELECT version, parent, hash, deleted AS is_deleted, author, comment, at FROM hook_version \
                   WHERE tenant_id = $1 AND hook_id = $2 AND version < $3 ORDER BY version DESC LIMIT $4";
        self.page(
            sql,
            args![&self.id, id],
            cursor,
            limit,
            |one: &HookVersion| one.version,
        )
        .await
    }

    /// Returns the hook as one of its versions has it; nothing if there is no such version, or it is the end of the hook.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn version(&self, id: &str, version: u64) -> Result<Option<Body>> {
        let sql = "SELECT body FROM hook_version WHERE tenant_id = $1 AND hook_id = $2 AND version = $3 AND deleted = 0";
        let body = self.engine().one(sql, args![&self.id, id, version]).await?;
        Ok(body.map(|JsonColumn(body)| body))
    }

    /// Returns the settings of the set: its tables other than the hooks, as the body. Version 0 says that none were
    /// saved yet.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn settings(&self) -> Result<Hook> {
        self.settings_in(&mut self.engine()).await
    }

    async fn settings_in(&self, reads: &mut dyn RowReader) -> Result<Hook> {
        let saved = self.hook_in(reads, SETTINGS).await?;
        Ok(saved.unwrap_or_else(|| Hook::none(self, SETTINGS.to_owned())))
    }
}
