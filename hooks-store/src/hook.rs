//! Hooks as people edit them: the draft of a tenant, and every version that there ever was.
//!
//! Nothing is overwritten. A save is a new version, and names the version that it follows; a delete is a version, too. The
//! other tables of a bundle, such as `builtin`, are one more hook here, with the id [`SETTINGS`].

use std::collections::{BTreeMap, BTreeSet};

use hooks_runtime::Bundle;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::admin::{By, Write};
use crate::bundle::{MOST_HOOKS, expect_room, name_of};
use crate::engine::{Reads, Row, args};
use crate::error::{MOST, Mistake, StoreError};
use crate::page::{Page, before, rows_for};
use crate::scope::HookScope;
use crate::secret::{self, MOVED};
use crate::store::Tenant;
use crate::text::sha256;

/// The id of the settings of a set: the tables of a bundle other than its hooks.
pub const SETTINGS: &str = "settings";

/// The longest hook that somebody writes, in bytes of JSON.
pub const LONGEST_HOOK: usize = 64 << 10;

/// The newest version of a hook.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    pub body: Value,
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

/// What a new draft has changed, by the names of the hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DraftReport {
    /// What is new.
    pub created: Vec<String>,
    /// What is another.
    pub updated: Vec<String>,
    /// What is gone.
    pub deleted: Vec<String>,
}

/// What a new version of a hook follows.
#[derive(Default)]
pub(crate) struct Before<'a> {
    id: &'a str,
    /// 0 for the first version.
    version: u64,
    hash: &'a str,
}

impl<'a> From<&'a Hook> for Before<'a> {
    fn from(hook: &'a Hook) -> Self {
        Before {
            id: &hook.id,
            version: hook.version,
            hash: &hook.hash,
        }
    }
}

/// Names that are taken.
#[derive(Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
    /// The number to try next, by what stands before it.
    next: BTreeMap<String, u64>,
}

impl Names {
    /// Takes a name. Returns whether it was free.
    pub(crate) fn take(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_owned())
    }

    /// Returns the first free name that is this text and a number.
    pub(crate) fn numbered(&mut self, text: &str, first: u64) -> String {
        let next = self.next.entry(text.to_owned()).or_insert(first);
        loop {
            let name = format!("{text}{next}");
            *next += 1;
            if !self.taken.contains(&name) {
                return name;
            }
        }
    }

    /// Gives a hook without a name that of its event, and a number.
    fn give(&mut self, body: &mut Value) {
        if body["name"].is_string() {
            return;
        }
        let event = match &body["event"] {
            Value::Array(events) => events.first().and_then(Value::as_str),
            event => event.as_str(),
        };
        let event = event.unwrap_or("hook");
        body["name"] = self.numbered(&format!("{event}-"), 1).into();
    }
}

/// The columns of a hook with its newest version.
const HOOK: &str = "SELECT h.id, h.name, h.version, v.hash, v.body, v.text, v.author, v.comment, v.at FROM hook h \
     JOIN hook_version v ON v.tenant_id = h.tenant_id AND v.hook_id = h.id AND v.version = h.version \
     WHERE h.tenant_id = $1";

impl Hook {
    fn of(tenant: &Tenant, row: &Row) -> Result<Self, StoreError> {
        let body: Value = row.json("body")?;
        Ok(Hook {
            id: row.text("id")?,
            name: row.text("name")?,
            version: row.number("version")?,
            hash: row.text("hash")?,
            scope: HookScope::of(tenant.is_global(), &body),
            mandatory: body["mandatory"] == true,
            body,
            text: row.text("text")?,
            author: row.text("author")?,
            comment: row.text("comment")?,
            at: row.time("at")?,
        })
    }
}

impl Tenant {
    /// Returns the hooks of the draft, in their order.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn hooks(&self) -> Result<Vec<Hook>, StoreError> {
        self.hooks_in(&mut self.engine()).await
    }

    pub(crate) async fn hooks_in(&self, reads: &mut dyn Reads) -> Result<Vec<Hook>, StoreError> {
        let sql = format!("{HOOK} AND h.deleted = 0 AND h.id <> $2 ORDER BY h.place, h.id");
        let rows = reads.read(&sql, args![&self.id, SETTINGS]).await?;
        rows.iter().map(|row| Hook::of(self, row)).collect()
    }

    /// Returns hooks that are deleted, the newest first. The last version of each says who has deleted it, and has the text of
    /// before, which [`restore`](Self::restore) brings back.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn deleted(&self, limit: u32) -> Result<Vec<Hook>, StoreError> {
        let sql = format!("{HOOK} AND h.deleted = 1 ORDER BY v.at DESC, h.id LIMIT $2");
        let values = args![&self.id, u64::from(limit)];
        let rows = self.engine().fetch(&sql, values).await?;
        rows.iter().map(|row| Hook::of(self, row)).collect()
    }

    /// Returns a hook of the draft.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn hook(&self, id: &str) -> Result<Option<Hook>, StoreError> {
        self.hook_in(&mut self.engine(), id).await
    }

    async fn hook_in(&self, reads: &mut dyn Reads, id: &str) -> Result<Option<Hook>, StoreError> {
        let sql = format!("{HOOK} AND h.deleted = 0 AND h.id = $2");
        let rows = reads.read(&sql, args![&self.id, id]).await?;
        rows.first().map(|row| Hook::of(self, row)).transpose()
    }

    /// Returns the ids and the versions of the hooks of the draft, by their names.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn ids(&self) -> Result<BTreeMap<String, (String, u64)>, StoreError> {
        self.ids_of(false).await
    }

    /// Returns the ids and the last versions of the hooks that were deleted from the draft, by their names.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn deleted_ids(&self) -> Result<BTreeMap<String, (String, u64)>, StoreError> {
        self.ids_of(true).await
    }

    async fn ids_of(&self, deleted: bool) -> Result<BTreeMap<String, (String, u64)>, StoreError> {
        let sql =
            "SELECT name, id, version FROM hook WHERE tenant_id = $1 AND deleted = $3 AND id <> $2";
        let args = args![&self.id, SETTINGS, deleted];
        let rows = self.engine().fetch(sql, args).await?;
        let ids = rows
            .iter()
            .map(|row| Ok((row.text("name")?, (row.text("id")?, row.number("version")?))));
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
    ) -> Result<Page<HookVersion>, StoreError> {
        let reads = &mut self.engine();
        self.versions_in(reads, id, cursor, limit).await
    }

    async fn versions_in(
        &self,
        reads: &mut dyn Reads,
        id: &str,
        cursor: Option<u64>,
        limit: u32,
    ) -> Result<Page<HookVersion>, StoreError> {
        let sql = "SELECT version, parent, hash, deleted, author, comment, at FROM hook_version \
                   WHERE tenant_id = $1 AND hook_id = $2 AND version < $3 ORDER BY version DESC LIMIT $4";
        let values = args![&self.id, id, before(cursor), rows_for(limit)];
        let rows = reads.read(sql, values).await?;
        let versions = rows.iter().map(|row| {
            Ok(HookVersion {
                version: row.number("version")?,
                parent: row.number("parent")?,
                hash: row.text("hash")?,
                is_deleted: row.int("deleted")? != 0,
                author: row.text("author")?,
                comment: row.text("comment")?,
                at: row.time("at")?,
            })
        });
        let versions = versions.collect::<Result<_, StoreError>>()?;
        Ok(Page::of(versions, limit, |one: &HookVersion| one.version))
    }

    /// Returns the hook as one of its versions has it; nothing if there is no such version, or it is the end of the hook.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn version(&self, id: &str, version: u64) -> Result<Option<Value>, StoreError> {
        self.version_in(&mut self.engine(), id, version).await
    }

    async fn version_in(
        &self,
        reads: &mut dyn Reads,
        id: &str,
        version: u64,
    ) -> Result<Option<Value>, StoreError> {
        let sql = "SELECT body FROM hook_version WHERE tenant_id = $1 AND hook_id = $2 AND version = $3 AND deleted = 0";
        let rows = reads.read(sql, args![&self.id, id, version]).await?;
        rows.first().map(|row| row.json("body")).transpose()
    }

    /// Adds a hook to the draft. Without a name, it gets that of its event, and a number.
    ///
    /// ```
    /// use hooks_store::{By, Store, StoreError};
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), StoreError> {
    /// let acme = Store::open("sqlite::memory:").await?.tenant("acme");
    /// let hook = json!({
    ///     "name": "writers-only", "scope": "agent", "agents": ["writer"],
    ///     "event": "BeforeToolCall", "tools": ["deploy"], "block": "a writer does not deploy",
    /// });
    /// let hook = acme.create(&hook, &By::new("ada")).await?;
    /// assert_eq!((hook.version, &*hook.body["scope"]["agents"][0].to_string()), (1, "\"writer\""));
    ///
    /// let wrong = json!({ "event": "BeforeToolCall", "blok": "no" });
    /// let Err(StoreError::Invalid(mistakes)) = acme.create(&wrong, &By::new("ada")).await else { panic!() };
    /// assert_eq!(mistakes[0].path, "/blok");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the hook has a mistake, its name is taken, or the database fails.
    pub async fn create(&self, body: &Value, by: &By) -> Result<Hook, StoreError> {
        let mut body = self.checked(body).await?;
        let mut write = self.write(by).await?;
        self.names(&mut write).await?.give(&mut body);
        let id = self.store.new_id();
        self.expect_free(&mut write, &id, &body).await?;
        let first = Before {
            id: &id,
            ..Before::default()
        };
        let hook = self.save(&mut write, first, body, false).await?;
        write.commit().await?;
        Ok(hook)
    }

    /// Finds all mistakes of a hook, as [`create`](Self::create) and [`update`](Self::update) do, and saves nothing. `id` is
    /// the hook that it is a version of; empty for a new one.
    ///
    /// ```
    /// use hooks_store::{Store, StoreError};
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), StoreError> {
    /// let acme = Store::open("sqlite::memory:").await?.tenant("acme");
    /// let hook = json!({ "event": "BeforeToolCall", "block": "no", "mandatory": true, "priority": "high" });
    /// let mistakes = acme.mistakes(&hook, "").await?;
    /// assert_eq!(mistakes.len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn mistakes(&self, hook: &Value, id: &str) -> Result<Vec<Mistake>, StoreError> {
        let mut mistakes = match self.checked(hook).await {
            Err(StoreError::Invalid(mistakes)) => mistakes,
            checked => checked.map(|_| Vec::new())?,
        };
        if let Some(name) = hook["name"].as_str()
            && self.is_taken(&mut self.engine(), name, id).await?
        {
            mistakes.push(taken(name));
        }
        Ok(mistakes)
    }

    /// Saves a new version of a hook that follows the version `expected`.
    ///
    /// # Errors
    ///
    /// If another version is the newest, the hook has a mistake, its name is taken, there is no such hook, or the database
    /// fails.
    pub async fn update(
        &self,
        id: &str,
        expected: u64,
        body: &Value,
        by: &By,
    ) -> Result<Hook, StoreError> {
        let body = self.checked(body).await?;
        let mut write = self.write(by).await?;
        let old = self.expect(&mut write, id, expected).await?;
        self.expect_free(&mut write, id, &body).await?;
        let hook = self.save(&mut write, (&old).into(), body, false).await?;
        write.commit().await?;
        Ok(hook)
    }

    /// Removes a hook, whose newest version is `expected`, from the draft.
    ///
    /// # Errors
    ///
    /// If another version is the newest, there is no such hook, or the database fails.
    pub async fn delete(&self, id: &str, expected: u64, by: &By) -> Result<(), StoreError> {
        let mut write = self.write(by).await?;
        let old = self.expect(&mut write, id, expected).await?;
        self.save(&mut write, (&old).into(), old.body.clone(), true)
            .await?;
        write.commit().await
    }

    /// Saves an old version of a hook as its newest one, after the version `expected`. A deleted hook comes back.
    ///
    /// # Errors
    ///
    /// If another version is the newest, the old one has a mistake by now, there is no such version, or the database fails.
    pub async fn restore(
        &self,
        id: &str,
        version: u64,
        expected: u64,
        by: &By,
    ) -> Result<Hook, StoreError> {
        let mut write = self.write(by).await?;
        let newest = self.versions_in(&mut write, id, None, 1).await?;
        let old = self.version_in(&mut write, id, version).await?;
        let Some((newest, old)) = newest.items.first().zip(old) else {
            let missing = format!("version {version} of a hook {id:?}");
            return Err(StoreError::NotFound(missing));
        };
        if newest.version != expected {
            return Err(StoreError::Conflict {
                current: newest.version,
            });
        }
        if newest.is_deleted {
            self.names(&mut write).await?;
        }
        if id != SETTINGS {
            self.check_hook(&mut write, &old).await?;
            self.expect_free(&mut write, id, &old).await?;
        }
        let before = Before {
            id,
            version: newest.version,
            hash: &newest.hash,
        };
        let hook = self.save(&mut write, before, old, false).await?;
        write.commit().await?;
        Ok(hook)
    }

    /// Returns the settings of the set: its tables other than the hooks, as the body. Version 0 says that nobody has saved
    /// any.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn settings(&self) -> Result<Hook, StoreError> {
        self.settings_in(&mut self.engine()).await
    }

    pub(crate) async fn settings_in(&self, reads: &mut dyn Reads) -> Result<Hook, StoreError> {
        let none = || Hook {
            id: SETTINGS.to_owned(),
            name: String::new(),
            version: 0,
            hash: String::new(),
            scope: HookScope::of(self.is_global(), &Value::Null),
            mandatory: false,
            body: json!({}),
            text: String::new(),
            author: String::new(),
            comment: String::new(),
            at: Timestamp::UNIX_EPOCH,
        };
        Ok(self.hook_in(reads, SETTINGS).await?.unwrap_or_else(none))
    }

    /// Saves the settings of the set, after the version `expected`.
    ///
    /// # Errors
    ///
    /// If another version is the newest, the settings have a mistake, or the database fails.
    pub async fn put_settings(
        &self,
        expected: u64,
        tables: &Value,
        by: &By,
    ) -> Result<Hook, StoreError> {
        let tables = self.checked_tables(tables)?;
        let set = Bundle::new(Vec::new(), tables.clone())?;
        self.check_set(&mut self.engine(), &set, false).await?;
        let mut write = self.write(by).await?;
        let old = self.settings_in(&mut write).await?;
        if old.version != expected {
            return Err(StoreError::Conflict {
                current: old.version,
            });
        }
        let hook = self.save(&mut write, (&old).into(), tables.into(), false);
        let hook = hook.await?;
        write.commit().await?;
        Ok(hook)
    }

    /// Returns the set as it is edited.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn draft(&self) -> Result<Bundle, StoreError> {
        self.draft_in(&mut self.engine()).await
    }

    pub(crate) async fn draft_in(&self, reads: &mut dyn Reads) -> Result<Bundle, StoreError> {
        let settings = self.settings_in(reads).await?;
        let hooks = self.hooks_in(reads).await?.into_iter().map(|hook| {
            let mut body = hook.body;
            body["version"] = hook.version.into();
            body
        });
        let tables = settings.body.as_object().cloned().unwrap_or_default();
        let mut draft = Bundle::new(hooks.collect(), tables)?;
        draft.tenant.clone_from(&self.id);
        Ok(draft)
    }

    /// Puts this set in the place of the draft: it creates, updates and deletes what differs, by the names of the hooks.
    ///
    /// # Errors
    ///
    /// If the set has mistakes, or the database fails.
    pub async fn put_draft(&self, bundle: &Bundle, by: &By) -> Result<DraftReport, StoreError> {
        self.replace_draft(None, bundle, by).await
    }

    /// Puts this set in the place of the draft whose [`sha256`](Bundle::sha256) is `expected`, so that two people who edit it
    /// do not lose each other's work. Otherwise it is [`put_draft`](Self::put_draft).
    ///
    /// ```
    /// use hooks_store::{By, Store, StoreError};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), StoreError> {
    /// let acme = Store::open("sqlite::memory:").await?.tenant("acme");
    /// let (read, by) = (acme.draft().await?, By::new("ada"));
    /// let mut mine = read.clone();
    /// mine.hooks.push(serde_json::json!({ "event": "BeforeToolCall", "block": "not today" }));
    /// acme.put_draft_after(&read.sha256(), &mine, &by).await?;
    /// let late = acme.put_draft_after(&read.sha256(), &read, &by).await;
    /// assert!(matches!(late, Err(StoreError::DraftChanged)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the draft is another one, the set has mistakes, or the database fails.
    pub async fn put_draft_after(
        &self,
        expected: &str,
        bundle: &Bundle,
        by: &By,
    ) -> Result<DraftReport, StoreError> {
        self.replace_draft(Some(expected), bundle, by).await
    }

    async fn replace_draft(
        &self,
        expected: Option<&str>,
        bundle: &Bundle,
        by: &By,
    ) -> Result<DraftReport, StoreError> {
        let set = self.lowered_set(bundle)?;
        self.check_set(&mut self.engine(), &set, false).await?;
        let mut write = self.write(by).await?;
        self.expect_draft(&mut write, expected).await?;
        let report = self.replace(&mut write, set).await?;
        write.commit().await?;
        Ok(report)
    }

    /// Checks that the draft is the one that somebody has read, if they say which.
    pub(crate) async fn expect_draft(
        &self,
        write: &mut Write<'_>,
        expected: Option<&str>,
    ) -> Result<(), StoreError> {
        match expected {
            Some(expected) if self.draft_in(write).await?.sha256() != expected => {
                Err(StoreError::DraftChanged)
            }
            _ => Ok(()),
        }
    }

    /// A set of the hooks and the tables of a bundle, in the canonical form, each hook with a name.
    pub(crate) fn lowered_set(&self, bundle: &Bundle) -> Result<Bundle, StoreError> {
        let mut mistakes = Vec::new();
        let (mut hooks, mut names) = (Vec::new(), Names::default());
        for (index, body) in bundle.hooks.iter().enumerate() {
            match self.lowered(body) {
                Ok(mut body) => {
                    names.give(&mut body);
                    let name = name_of(&body);
                    if !names.take(name) {
                        mistakes.push(taken(name).below(&format!("/hooks/{index}")));
                    }
                    hooks.push(body);
                }
                Err(error) => {
                    let error = error.at(|path| format!("/hooks/{index}{path}"));
                    let StoreError::Invalid(more) = error else {
                        return Err(error);
                    };
                    mistakes.extend(more);
                }
            }
        }
        let tables = self.checked_tables(&bundle.tables().clone().into())?;
        StoreError::all(mistakes)?;
        let mut set = Bundle::new(hooks, tables)?;
        set.tenant.clone_from(&self.id);
        Ok(set)
    }

    /// Moves the values of a version that are secrets among the secrets, under names of this version alone. So nothing that is
    /// in force changes, and an old version still has its own values.
    async fn move_secrets(
        &self,
        write: &mut Write<'_>,
        id: &str,
        version: u64,
        body: &mut Value,
    ) -> Result<(), StoreError> {
        for (path, value) in secret::plain(body) {
            let name = secret::moved(id, version, &path);
            self.put_secret_in(write, &name, &value).await?;
            secret::put_name(body, &path, &name);
        }
        Ok(())
    }

    /// Gives each value that is the same as in the hook before the name that it has there: the same set is no new version.
    async fn keep_secrets(
        &self,
        write: &mut Write<'_>,
        old: &Hook,
        body: &mut Value,
    ) -> Result<(), StoreError> {
        let own = format!("{MOVED}{}.", old.id);
        for (path, value) in secret::plain(body) {
            if let Some(name) = secret::name_at(&old.body, &path)
                && name.starts_with(&own)
                && self.secret_in(write, name).await? == Some(value)
            {
                secret::put_name(body, &path, name);
            }
        }
        Ok(())
    }

    /// Puts a set in the place of the draft.
    pub(crate) async fn replace(
        &self,
        write: &mut Write<'_>,
        set: Bundle,
    ) -> Result<DraftReport, StoreError> {
        let mut report = DraftReport::default();
        let mandatory = self.mandatory_above(write).await?;
        let old = self.hooks_in(write).await?.into_iter();
        let mut old: BTreeMap<String, Hook> = old.map(|hook| (hook.name.clone(), hook)).collect();
        let kept: BTreeSet<_> = set.hooks.iter().map(name_of).collect();
        // What goes first leaves its name to others.
        for (name, hook) in old.extract_if(.., |name, _| !kept.contains(name.as_str())) {
            self.save(write, (&hook).into(), hook.body.clone(), true)
                .await?;
            report.deleted.push(name);
        }
        let tables = Value::Object(set.tables().clone());
        for (place, mut body) in set.hooks.into_iter().enumerate() {
            let name = name_of(&body).to_owned();
            let before = old.remove(&name);
            if let Some(hook) = &before {
                self.keep_secrets(write, hook, &mut body).await?;
            }
            let id = match before {
                Some(hook) if hook.body == body => hook.id,
                _ if mandatory.contains(&name) => {
                    let mistake = is_mandatory(&name).below(&format!("/hooks/{place}"));
                    return Err(StoreError::Invalid(vec![mistake]));
                }
                Some(hook) => {
                    report.updated.push(name);
                    self.save(write, (&hook).into(), body, false).await?.id
                }
                None => {
                    report.created.push(name);
                    let id = self.store.new_id();
                    let first = Before {
                        id: &id,
                        ..Before::default()
                    };
                    self.save(write, first, body, false).await?.id
                }
            };
            let sql = "UPDATE hook SET place = $3 WHERE tenant_id = $1 AND id = $2";
            write
                .execute(sql, args![&self.id, id, place as u64])
                .await?;
        }
        let settings = self.settings_in(write).await?;
        if settings.body != tables {
            self.save(write, (&settings).into(), tables, false).await?;
            report.updated.push(SETTINGS.to_owned());
        }
        Ok(report)
    }

    /// Returns a hook whose newest version must be `expected`.
    async fn expect(
        &self,
        write: &mut Write<'_>,
        id: &str,
        expected: u64,
    ) -> Result<Hook, StoreError> {
        let hook = self
            .hook_in(write, id)
            .await?
            .filter(|hook| hook.id != SETTINGS);
        let hook = hook.ok_or_else(|| StoreError::NotFound(format!("hook {id:?}")))?;
        if hook.version != expected {
            return Err(StoreError::Conflict {
                current: hook.version,
            });
        }
        Ok(hook)
    }

    /// The names of the draft, which must have room for one hook more.
    async fn names(&self, write: &mut Write<'_>) -> Result<Names, StoreError> {
        let sql = "SELECT name FROM hook WHERE tenant_id = $1 AND deleted = 0 AND id <> $2";
        let rows = write.read(sql, args![&self.id, SETTINGS]).await?;
        expect_room(rows.len() + 1)?;
        let taken = rows.iter().map(|row| row.text("name"));
        Ok(Names {
            taken: taken.collect::<Result<_, _>>()?,
            next: BTreeMap::new(),
        })
    }

    /// Checks that a hook may have its name: that no other one has it, and none above is mandatory.
    async fn expect_free(
        &self,
        write: &mut Write<'_>,
        id: &str,
        body: &Value,
    ) -> Result<(), StoreError> {
        let name = name_of(body);
        if self.is_taken(write, name, id).await? {
            return Err(StoreError::Invalid(vec![taken(name)]));
        }
        if self.mandatory_above(write).await?.contains(name) {
            return Err(StoreError::Invalid(vec![is_mandatory(name)]));
        }
        Ok(())
    }

    /// Saves a version after another. A new hook stands behind all others.
    pub(crate) async fn save(
        &self,
        write: &mut Write<'_>,
        before: Before<'_>,
        mut body: Value,
        deleted: bool,
    ) -> Result<Hook, StoreError> {
        let name = name_of(&body).to_owned();
        let version = before.version + 1;
        // What moves among the secrets is in the text, too.
        let is_secret = !secret::plain(&body).is_empty();
        self.move_secrets(write, before.id, version, &mut body)
            .await?;
        let canonical = crate::text::canonical(&body);
        let hash = hex::encode(sha256(canonical.as_bytes()));
        let sql = "INSERT INTO hook_version \
                   (tenant_id, hook_id, version, parent, hash, body, deleted, author, comment, at, text) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
        let (by, at) = (write.by(), write.at);
        let (author, comment) = (by.actor.clone(), by.comment.clone());
        let text = match by.text.clone() {
            text if text.is_empty() || is_secret => self.text_in(write, &before).await?,
            text => text,
        };
        let values = args![
            &self.id,
            before.id,
            version,
            before.version,
            &hash,
            canonical,
            deleted,
            &author,
            &comment,
            at,
            &text
        ];
        write.execute(sql, values).await?;
        let sql = "INSERT INTO hook (tenant_id, id, name, version, place, deleted) VALUES ($1, $2, $3, $4, $5, $6) \
                   ON CONFLICT (tenant_id, id) DO UPDATE \
                   SET name = excluded.name, version = excluded.version, deleted = excluded.deleted";
        let place = MOST_HOOKS as u64 + write.number();
        let values = args![&self.id, before.id, &name, version, place, deleted];
        write.execute(sql, values).await?;
        let action = match (deleted, before.version) {
            (true, _) => "hook.delete",
            (false, 0) => "hook.create",
            (false, _) => "hook.update",
        };
        let after = if deleted { "" } else { hash.as_str() };
        write.log(action, before.id, before.hash, after).await?;
        Ok(Hook {
            id: before.id.to_owned(),
            name,
            version,
            hash,
            scope: HookScope::of(self.is_global(), &body),
            mandatory: body["mandatory"] == true,
            body,
            text,
            author,
            comment,
            at,
        })
    }

    async fn text_in(&self, reads: &mut dyn Reads, of: &Before<'_>) -> Result<String, StoreError> {
        let sql =
            "SELECT text FROM hook_version WHERE tenant_id = $1 AND hook_id = $2 AND version = $3";
        let rows = reads.read(sql, args![&self.id, of.id, of.version]).await?;
        let text = rows.first().map(|row| row.text("text"));
        text.unwrap_or_else(|| Ok(String::new()))
    }

    /// The names of the global hooks in force whose place none of this tenant's may take.
    async fn mandatory_above(&self, write: &mut Write<'_>) -> Result<BTreeSet<String>, StoreError> {
        if self.is_global() {
            return Ok(BTreeSet::new());
        }
        let above = self.other("").newest(write).await?;
        let hooks = above.iter().flat_map(|set| &set.hooks);
        let mandatory = hooks.filter(|hook| hook["mandatory"] == true);
        Ok(mandatory.map(|hook| name_of(hook).to_owned()).collect())
    }

    /// Whether another hook has this name.
    async fn is_taken(
        &self,
        reads: &mut dyn Reads,
        name: &str,
        id: &str,
    ) -> Result<bool, StoreError> {
        let sql =
            "SELECT id FROM hook WHERE tenant_id = $1 AND name = $2 AND id <> $3 AND deleted = 0";
        let rows = reads.read(sql, args![&self.id, name, id]).await?;
        Ok(!rows.is_empty())
    }

    /// Returns a hook in the form that the runtime reads, whose scope is a table.
    ///
    /// # Errors
    ///
    /// If the hook says a scope that it cannot have here.
    pub(crate) fn lowered(&self, body: &Value) -> Result<Value, StoreError> {
        let (body, mistakes) = self.lower(body);
        StoreError::all(mistakes)?;
        Ok(body)
    }

    /// Returns a hook that somebody has written in the form that the runtime reads.
    ///
    /// # Errors
    ///
    /// If it has mistakes: all of them.
    pub(crate) async fn checked(&self, body: &Value) -> Result<Value, StoreError> {
        let length = body.to_string().len();
        if length > LONGEST_HOOK {
            let [length, most] = [length, LONGEST_HOOK].map(|bytes| bytes.div_ceil(1 << 10));
            let message = format!("the hook has {length} kB, and a hook may have {most} kB");
            return Err(StoreError::invalid("", message, "make several of it"));
        }
        let (body, mut mistakes) = self.lower(body);
        let mut rest = body.clone();
        let mut is_whole = true;
        while rest.is_object() && mistakes.len() <= MOST {
            let more = match self.check_hook(&mut self.engine(), &rest).await {
                Err(StoreError::Invalid(more)) => more,
                checked => {
                    checked?;
                    break;
                }
            };
            // What is missing in a part of the hook is no mistake of the hook.
            let more = more.into_iter().filter(|found| {
                let below = format!("{}/", found.path);
                let mut known = mistakes.iter().map(|known| &known.path);
                !known.any(|known| *known == found.path || (!is_whole && known.starts_with(&below)))
            });
            let more: Vec<_> = more.collect();
            // The loader stops at values of a wrong type. Without them, it finds what else there is.
            let removed = more
                .iter()
                .filter_map(|found| remove(&mut rest, &found.path));
            let goes_on = removed.count() > 0;
            mistakes.extend(more);
            if !goes_on {
                break;
            }
            is_whole = false;
        }
        StoreError::all(mistakes)?;
        Ok(body)
    }

    /// A hook in the form that the runtime reads, and what is wrong with its scope.
    fn lower(&self, body: &Value) -> (Value, Vec<Mistake>) {
        let Value::Object(body) = body else {
            let help = "write `{\"event\": \"BeforeToolCall\", …}`";
            let mistake = Mistake::new("", "a hook is an object", help);
            return (Value::Null, vec![mistake]);
        };
        let mut body = body.clone();
        let mut mistakes = Vec::new();
        // The store says which version it is.
        body.remove("version");
        let tenant = body.remove("tenant");
        let agents = body.remove("agents");
        let said = body.get("scope").and_then(Value::as_str).map(str::to_owned);
        if said.is_some() {
            body.remove("scope");
        }
        let mut wrong = |path: &str, message: &str, help: &str| {
            mistakes.push(Mistake::new(path, message, help));
        };
        if tenant.is_some_and(|tenant| tenant != self.id) {
            let message = "the tenant of a hook is that of who saves it";
            wrong("/tenant", message, "leave `tenant` out");
        }
        let own = HookScope::of(self.is_global(), &Value::Null).as_str();
        let is_for_agents = said.as_deref() == Some("agent");
        if let Some(said) = said
            && !is_for_agents
            && said != own
        {
            let message = format!("`{said}` is no scope of a hook of this tenant");
            wrong("/scope", &message, &format!("write `{own}` or `agent`"));
        }
        let named = agents.as_ref().and_then(Value::as_array);
        let names_some = named.is_some_and(|named| !named.is_empty());
        if (is_for_agents && !names_some) || (!is_for_agents && agents.is_some()) {
            let message = "a hook with the scope `agent` names agents, and no other does";
            let help = "write `\"scope\": \"agent\", \"agents\": [\"…\"]`";
            wrong("/agents", message, help);
        }
        if let Some(agents) = agents {
            body.insert("scope".to_owned(), json!({ "agents": agents }));
        }
        let tenants = body.get("scope").and_then(|scope| scope.get("tenants"));
        let mut tenants = tenants.and_then(Value::as_array).into_iter().flatten();
        if !self.is_global() && tenants.any(|tenant| *tenant != self.id) {
            let message = "a tenant's hook is for this tenant alone";
            wrong("/scope/tenants", message, "leave `tenants` out");
        }
        if !self.is_global() && body.get("mandatory") == Some(&Value::Bool(true)) {
            let message = "only a hook of the global tenant can be mandatory";
            wrong("/mandatory", message, "leave `mandatory` out");
        }
        let body = Value::Object(body);
        mistakes.extend(secret::mistakes(&body));
        (body, mistakes)
    }

    fn checked_tables(&self, tables: &Value) -> Result<Map<String, Value>, StoreError> {
        let Value::Object(tables) = tables else {
            let help = "write `{\"builtin\": {…}}`";
            return Err(StoreError::invalid("", "the settings are an object", help));
        };
        if tables.contains_key("enabled") {
            let help = "delete the hooks, or give each `\"mode\": \"off\"`";
            let message = "a set of a store is not turned off as a whole";
            return Err(StoreError::invalid("/enabled", message, help));
        }
        let limits = tables.get("limits");
        if limits.is_some_and(|limits| limits.get("refuse").is_some()) {
            let message = "the deployment says which kinds of handlers do not run";
            let help = "leave `refuse` out";
            return Err(StoreError::invalid("/limits/refuse", message, help));
        }
        Ok(tables.clone())
    }
}

/// Removes the value at a pointer from its table: of a list, the whole.
fn remove(hook: &mut Value, pointer: &str) -> Option<Value> {
    let (table, key) = pointer.rsplit_once('/')?;
    match hook.pointer_mut(table) {
        Some(Value::Object(fields)) => fields.remove(key),
        _ => remove(hook, table),
    }
}

fn taken(name: &str) -> Mistake {
    let message = format!("the name `{name}` is taken already");
    Mistake::new("/name", message, "choose another name")
}

fn is_mandatory(name: &str) -> Mistake {
    let message = format!("the global hook `{name}` is mandatory: none takes its place");
    Mistake::new("/name", message, "choose another name")
}
