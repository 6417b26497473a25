//! Revisions: a set that was published, whole and checked. A runtime only ever sees these.
//!
//! A publication reads and checks the set without a lock. Then it locks, and if anybody has written meanwhile, it begins
//! again: what is published is what was checked. If others write all the time, it locks first.

use std::collections::BTreeMap;

use async_trait::async_trait;
use hooks_runtime::entry::Mode;
use hooks_runtime::{Bundle, Source, SourceError};
use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::admin::{By, Write};
use crate::bundle::{by_name, name_of};
use crate::capability::Capabilities;
use crate::engine::{JsonColumn, OfRow, ReadsAs as _, Recall, RowReader, SqlRow, args};
use crate::error::{Mistake, Result, StoreError};
use crate::news::Followed;
use crate::page::Page;
use crate::store::{Store, Tenant};
use crate::text::{framed, sha256};

/// A publication. [`Tenant::revision`] returns the set that was published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Revision {
    /// The number. All tenants of a store share one sequence, so it only grows.
    pub number: u64,
    /// The hash of the bundle.
    pub sha256: String,
    /// The hash of the tenant's revision before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Who has published it.
    pub author: String,
    /// Why.
    pub comment: String,
    /// When.
    pub at: Timestamp,
    /// How many hooks it has.
    pub hooks: usize,
}

/// The head of a bundle. Its hooks are counted.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    parent: Option<String>,
    author: String,
    comment: String,
    created: Option<Timestamp>,
    hooks: Vec<IgnoredAny>,
}

impl OfRow for Revision {
    fn of_row(row: &SqlRow) -> Result<Self> {
        let JsonColumn(head): JsonColumn<Head> = row.get("body")?;
        Ok(Revision {
            number: row.get("number")?,
            sha256: row.get("hash")?,
            parent: head.parent,
            author: head.author,
            comment: head.comment,
            at: head.created.unwrap_or_default(),
            hooks: head.hooks.len(),
        })
    }
}

/// What a key of the store signs of a revision. Its hash is that of its body.
pub(crate) fn seal(tenant: &str, number: u64, hash: &str) -> Vec<u8> {
    let number = number.to_be_bytes();
    framed(&[b"revision", tenant.as_bytes(), &number, hash.as_bytes()])
}

/// What a publication has made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Published {
    /// The revision in force.
    pub revision: u64,
    /// The hash of its bundle.
    pub sha256: String,
    /// Whether it is a new one. An unchanged set makes none.
    pub is_new: bool,
}

impl Published {
    fn of(set: &Bundle, is_new: bool) -> Self {
        Published {
            revision: set.revision,
            sha256: set.sha256(),
            is_new,
        }
    }
}

impl Tenant {
    /// Publishes the draft: checks it together with the global hooks, and makes a revision of it.
    ///
    /// A publication of the global tenant also checks the set of every other tenant with it. If [`By::after`] names the draft
    /// that was read, nothing is in force that the publisher has not seen:
    ///
    /// ```
    /// use hooks_store::{By, Store, StoreError};
    /// use serde_json::{Map, json};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), StoreError> {
    /// let acme = Store::open("sqlite::memory:").await?.tenant("acme");
    /// let (seen, by) = (acme.draft().await?.sha256(), By::new("ada"));
    /// acme.create(&json!({ "event": "BeforeToolCall", "block": "not today" }), &by).await?;
    /// let unseen = acme.publish(&by.after(seen)).await;
    /// assert!(matches!(unseen, Err(StoreError::DraftChanged)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the draft is another one, or the set has mistakes: all of them. Then nothing changes. Or if the database fails.
    pub async fn publish(&self, by: &By) -> Result<Published> {
        let mut tries = 0;
        loop {
            let mut look = self.look(by, &mut tries).await?;
            let draft = self.draft_read(&mut look, by).await?;
            self.check_with_others(&mut look, &draft).await?;
            if let Some(write) = look.write().await? {
                return self.make_revision(write, draft, "revision.publish").await;
            }
        }
    }

    /// Publishes the content of an old revision as a new one. The draft is that content, too.
    ///
    /// # Errors
    ///
    /// If there is no such revision, its set has mistakes by now, or the database fails.
    pub async fn rollback(&self, number: u64, by: &By) -> Result<Published> {
        self.go_back(number, false, by).await
    }

    /// Publishes the content of an old revision as a new one. What the draft had changed since the last publication stays
    /// changed, and what it had as it was published goes back, so that to publish it later brings back nothing else.
    ///
    /// ```
    /// use hooks_store::{By, Store};
    /// use serde_json::{Map, json};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
    /// let (acme, by) = (Store::open("sqlite::memory:").await?.tenant("acme"), By::new("ada"));
    /// let hook = |name: &str| json!({ "name": name, "event": "BeforeToolCall", "block": "no" });
    /// for name in ["first", "wrong", "unpublished"] {
    ///     acme.create(&hook(name), &by).await?;
    ///     if name != "unpublished" {
    ///         acme.publish(&by).await?;
    ///     }
    /// }
    /// acme.rollback_keeping_draft(1, &by).await?;
    /// let names: Vec<_> = acme.hooks().await?.into_iter().map(|hook| hook.name).collect();
    /// assert_eq!(names, ["first", "unpublished"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`rollback`](Self::rollback).
    pub async fn rollback_keeping_draft(&self, number: u64, by: &By) -> Result<Published> {
        self.go_back(number, true, by).await
    }

    async fn go_back(&self, number: u64, keeps: bool, by: &By) -> Result<Published> {
        let old = self.revision(number).await?;
        let old = old.ok_or_else(|| StoreError::NotFound(format!("revision {number}")))?;
        let set = self.lowered_set(&old)?;
        let mut tries = 0;
        loop {
            let mut look = self.look(by, &mut tries).await?;
            self.check_with_others(&mut look, &old).await?;
            let Some(mut write) = look.write().await? else {
                continue;
            };
            let draft = if keeps {
                self.rebased(&mut write, &set).await?
            } else {
                set.clone()
            };
            self.replace(&mut write, draft).await?;
            // What the draft has, too, is published in the version that it has there.
            let draft = self.hooks_in(&mut write).await?;
            let draft: BTreeMap<_, _> = draft.iter().map(|hook| (&*hook.name, hook)).collect();
            let hooks = set.hooks.iter().zip(&old.hooks).map(|(hook, old)| {
                let same = draft.get(name_of(hook)).filter(|draft| draft.body == *hook);
                same.map_or_else(|| old.clone(), |draft| draft.numbered())
            });
            let live = self.set(hooks.collect(), set.tables().clone())?;
            return self.make_revision(write, live, "revision.rollback").await;
        }
    }

    /// A set with what the draft changes of the newest revision.
    async fn rebased(&self, write: &mut Write<'_>, set: &Bundle) -> Result<Bundle> {
        let newest = self.newest(write).await?;
        let newest = self.lowered_set(newest.as_ref().unwrap_or(set))?;
        let draft = self.lowered_set(&self.draft_in(write).await?)?;
        let [own, before, mut hooks] = [&draft, &newest, set].map(|set| by_name(&set.hooks));
        for name in own.keys().chain(before.keys()) {
            match own.get(name) {
                own if own == before.get(name) => {}
                Some(own) => drop(hooks.insert(name.clone(), own.clone())),
                None => drop(hooks.shift_remove(name)),
            }
        }
        let tables = if draft.tables() == newest.tables() {
            set.tables()
        } else {
            draft.tables()
        };
        self.set(hooks.into_values().collect(), tables.clone())
    }

    /// Publishes what is published already, with another mode of one of its hooks. What else differs in the draft stays there,
    /// and the hook of the draft gets the mode, too.
    ///
    /// ```
    /// use hooks_runtime::entry::Mode;
    /// use hooks_store::{By, Store, StoreError};
    /// use serde_json::{Map, json};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), StoreError> {
    /// let (acme, by) = (Store::open("sqlite::memory:").await?.tenant("acme"), By::new("ada"));
    /// acme.create(&json!({ "name": "gate", "event": "BeforeToolCall", "block": "no" }), &by).await?;
    /// acme.publish(&by).await?;
    /// acme.create(&json!({ "name": "half-done", "event": "BeforeToolCall", "block": "no" }), &by).await?;
    /// acme.publish_mode("gate", Mode::Off, &by).await?;
    /// let live = acme.bundle().await?.hooks;
    /// assert_eq!((live.len(), &live[0]["mode"]), (1, &json!("off")));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If no hook of this name is published, the set has mistakes by now, or the database fails.
    pub async fn publish_mode(&self, name: &str, mode: Mode, by: &By) -> Result<Published> {
        let missing = || StoreError::NotFound(format!("published hook {name:?}"));
        let mut tries = 0;
        loop {
            let mut look = self.look(by, &mut tries).await?;
            let mut set = self.newest(&mut look).await?.ok_or_else(missing)?;
            let place = set.hooks.iter().position(|hook| name_of(hook) == name);
            let place = place.ok_or_else(missing)?;
            let (mut live, _) = self.lower(&set.hooks[place]);
            let is_new = live["mode"] != json!(mode);
            set.hooks[place]["mode"] = json!(mode);
            self.check_with_others(&mut look, &set).await?;
            let Some(mut write) = look.write().await? else {
                continue;
            };
            let mut drafted = self.hooks_in(&mut write).await?.into_iter();
            if let Some(old) = drafted.find(|hook| is_new && hook.name == name) {
                // What is published is a version of its own, and that of the draft, if it differs, is the newest again.
                let mut draft = old.body.clone();
                let differs = draft != live;
                live["mode"] = json!(mode);
                let saved = self.save(&mut write, old, Some(live)).await?;
                set.hooks[place]["version"] = saved.version.into();
                if differs {
                    draft["mode"] = json!(mode);
                    self.save(&mut write, saved, Some(draft)).await?;
                }
            }
            return self.make_revision(write, set, "revision.mode").await;
        }
    }

    /// Checks a set as it would be in force, for every tenant that it is for.
    async fn check_with_others(&self, reads: &mut dyn RowReader, draft: &Bundle) -> Result<()> {
        self.check_set(reads, draft, false).await?;
        if !self.is_global() {
            let (composed, _) = self.composed(reads, Some(draft)).await?;
            return self.load(reads, &composed, false).await.map(drop);
        }
        let mut mistakes = Vec::new();
        for tenant in Store::tenants_in(reads).await? {
            let other = self.other(&tenant);
            let own = other.newest(reads).await?;
            let Some(own) = own.filter(|_| !other.is_global()) else {
                continue;
            };
            let (composed, _) = other.compose(draft, &own)?;
            let found = StoreError::mistakes(other.load(reads, &composed, false).await)?;
            if found.is_empty() {
                continue;
            }
            // What is wrong without the draft, too, is nothing that the draft has done.
            let (before, _) = other.composed(reads, Some(&own)).await?;
            let before = StoreError::mistakes(other.load(reads, &before, false).await)?;
            let is_old = |found: &Mistake| before.iter().any(|old| old.message == found.message);
            mistakes.extend(
                found
                    .into_iter()
                    .filter(|found| !is_old(found))
                    .map(|found| {
                        let message =
                            format!("with the hooks of the tenant `{tenant}`: {}", found.message);
                        Mistake { message, ..found }
                    }),
            );
        }
        StoreError::all(mistakes)
    }

    async fn make_revision(
        &self,
        mut write: Write<'_>,
        bundle: Bundle,
        action: &str,
    ) -> Result<Published> {
        let before = self.newest(&mut write).await?;
        if let Some(before) = &before
            && before.hooks == bundle.hooks
            && before.tables() == bundle.tables()
        {
            return Ok(Published::of(before, false));
        }
        self.number(write, before, bundle, action).await
    }

    /// Publishes what the newest revision of each tenant has as a new one, with a number that no agent has seen.
    pub(crate) async fn renumber(&self, by: &By) -> Result<Option<Published>> {
        let mut write = self.write(by).await?;
        let Some(newest) = self.newest(&mut write).await? else {
            return Ok(None);
        };
        let set = newest.clone();
        let published = self.number(write, Some(newest), set, "revision.restored");
        published.await.map(Some)
    }

    /// Makes a revision.
    async fn number(
        &self,
        mut write: Write<'_>,
        before: Option<Bundle>,
        mut bundle: Bundle,
        action: &str,
    ) -> Result<Published> {
        let sql = "UPDATE counter SET value = value + 1 WHERE name = 'revision' RETURNING value";
        bundle.revision = write.one(sql, args![]).await?.unwrap_or_default();
        bundle.parent = before.map(|before| before.sha256());
        bundle.created = Some(write.at);
        bundle.author.clone_from(&write.by.actor);
        bundle.comment.clone_from(&write.by.comment);
        let published = Published::of(&bundle, true);
        let (number, hash) = (published.revision, &published.sha256);
        let body = bundle.to_json();
        write.keeps += body.len() as u64;
        write.rows.note("revision", args![number, hash, &body]);
        let mac = self.store.writer.keys.sign(&seal(&self.id, number, hash));
        let sql =
            "INSERT INTO revision (tenant_id, number, hash, body, mac) VALUES ($1, $2, $3, $4, $5)";
        let values = args![&self.id, number, hash, body, mac];
        write.run(sql, values).await?;
        let before = bundle.parent.as_deref().unwrap_or_default();
        write.end(action, &number.to_string(), before, hash).await?;
        Ok(published)
    }

    /// Returns the set of this tenant's newest revision.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn newest_set(&self) -> Result<Option<Bundle>> {
        self.newest(&mut self.engine()).await
    }

    pub(crate) async fn newest(&self, reads: &mut dyn RowReader) -> Result<Option<Bundle>> {
        self.set_of(
            reads,
            "number <= $2 ORDER BY number DESC LIMIT 1",
            i64::MAX.unsigned_abs(),
        )
        .await
    }

    /// The set of a revision, which must be as it was published.
    async fn set_of(
        &self,
        reads: &mut dyn RowReader,
        condition: &str,
        number: u64,
    ) -> Result<Option<Bundle>> {
        let sql = format!(
            "SELECT number, hash, mac, body FROM revision WHERE tenant_id = $1 AND {condition}"
        );
        let found = reads.one(&sql, args![&self.id, number]).await?;
        let Some((number, hash, mac, body)): Option<(u64, String, String, String)> = found else {
            return Ok(None);
        };
        let is_signed = || {
            let seal = seal(&self.id, number, &hash);
            self.store.writer.keys.signed(&seal, &mac) == Ok(true)
        };
        if hex::encode(sha256(body.as_bytes())) != hash || !is_signed() {
            return Err(StoreError::Inconsistent(format!(
                "revision {number} of the tenant {:?} is not as it was published: `hooks verify` says more",
                self.id
            )));
        }
        let read = Bundle::read(&body).map_err(|error| {
            StoreError::Inconsistent(format!("revision {number} cannot be read: {error}"))
        })?;
        Ok(Some(read))
    }

    /// Returns a page of this tenant's revisions, newest first, before the one with the number `cursor`.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn revisions(&self, cursor: Option<u64>, limit: u32) -> Result<Page<Revision>> {
        let sql = "SELECT number, hash, body FROM revision WHERE tenant_id = $1 AND number < $2 \
                   ORDER BY number DESC LIMIT $3";
        self.page(sql, args![&self.id], cursor, limit, |one: &Revision| {
            one.number
        })
        .await
    }

    /// Returns the set of a revision of this tenant.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn revision(&self, number: u64) -> Result<Option<Bundle>> {
        self.set_of(&mut self.engine(), "number = $2", number).await
    }

    /// Returns what is in force for this tenant: the global hooks and its own. Its number is the higher of both revisions, and
    /// 0 if nothing is published.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn bundle(&self) -> Result<Bundle> {
        Ok(self.in_force().await?.0)
    }

    /// Returns which published hooks and settings are left out for this tenant, because of the global ones. What this
    /// deployment does not allow is in the [status](hooks_runtime::Status::not_allowed) of a runtime.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn notices(&self) -> Result<Vec<String>> {
        Ok(self.in_force().await?.1)
    }

    /// Returns what would be in force for this tenant if this set were published: with the global hooks, and with what this
    /// deployment does not run refused.
    ///
    /// ```
    /// use hooks_store::{By, Store};
    /// use serde_json::{Map, json};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
    /// let store = Store::open("sqlite::memory:").await?;
    /// let (all, by) = (store.tenant(""), By::new("ada"));
    /// all.create(&json!({ "name": "no-deploy", "event": "BeforeToolCall", "tools": ["deploy"], "block": "no" }), &by).await?;
    /// all.publish(&by).await?;
    /// let acme = store.tenant("acme");
    /// let draft = acme.draft().await?;
    /// assert!(draft.hooks.is_empty());
    /// assert_eq!(acme.preview(&draft).await?.hooks[0]["name"], "no-deploy");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the set has a form that a store does not keep, or the database fails. [`check`](Self::check) finds all mistakes.
    pub async fn preview(&self, set: &Bundle) -> Result<Bundle> {
        let set = self.lowered_set(set)?;
        Ok(self.composed(&mut self.engine(), Some(&set)).await?.0)
    }

    async fn in_force(&self) -> Result<(Bundle, Vec<String>)> {
        let mut reads = Recall(self.engine());
        let own = self.newest(&mut reads).await?;
        self.composed(&mut reads, own.as_ref()).await
    }

    /// What is in force for this tenant with such a set.
    async fn composed(
        &self,
        reads: &mut dyn RowReader,
        own: Option<&Bundle>,
    ) -> Result<(Bundle, Vec<String>)> {
        let above = self.other("").newest(reads).await?;
        let none = self.set(Vec::new(), Map::new())?;
        let (above, own) = (above.as_ref().unwrap_or(&none), own.unwrap_or(&none));
        if self.is_global() {
            self.compose(own, &none)
        } else {
            self.compose(above, own)
        }
    }

    /// Returns a source for a runtime of this tenant, which follows what is published.
    ///
    /// ```
    /// use hooks_runtime::Runtime;
    /// use hooks_store::Store;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let store = Store::open("sqlite::memory:").await?;
    /// let runtime = Runtime::builder()
    ///     .source(store.tenant("acme").source())
    ///     .recorder(store.recorder())
    ///     .build()
    ///     .await?;
    /// runtime.watch()?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn source(&self) -> StoreSource {
        StoreSource {
            tenant: self.clone(),
            followed: tokio::sync::Mutex::new(self.follow(|news| news.in_force)),
        }
    }
}

/// The source of a tenant's bundles.
#[derive(Debug)]
pub struct StoreSource {
    tenant: Tenant,
    followed: tokio::sync::Mutex<Followed>,
}

#[async_trait]
impl Source for StoreSource {
    fn name(&self) -> String {
        match self.tenant.id.as_str() {
            "" => "the store".to_owned(),
            tenant => format!("the store, tenant {tenant}"),
        }
    }

    async fn fetch(&self, seen: Option<&str>) -> Result<Option<Bundle>, SourceError> {
        let unreachable = |error: StoreError| SourceError::Unreachable(error.to_string());
        let bundle = self.tenant.bundle().await.map_err(unreachable)?;
        let is_new = seen != Some(&*bundle.sha256());
        Ok(is_new.then_some(bundle))
    }

    /// The database itself may have been restored.
    fn goes_back(&self) -> bool {
        true
    }

    async fn changed(&self) {
        if !self.followed.lock().await.next().await {
            // The store is gone, and nothing will change any more.
            std::future::pending::<()>().await;
        }
    }
}

impl Store {
    /// Logs each hook in force that this deployment does not allow, and writes it to the admin log once.
    pub(crate) async fn tell_what_is_not_allowed(&self) -> Result<()> {
        if self.0.capabilities == Capabilities::default() {
            return Ok(());
        }
        for tenant in self.tenants().await? {
            let tenant = self.tenant(&tenant);
            let Some(set) = tenant.newest_set().await? else {
                continue;
            };
            let level = tenant.level(&set)?;
            let loaded = tenant.load(&mut tenant.engine(), &level, false).await;
            let status = loaded.inspect_err(|error| {
                tracing::warn!(tenant = tenant.id, %error, "the hooks in force cannot be loaded here");
            });
            for one in status.map(|status| status.not_allowed).unwrap_or_default() {
                let (tenant_id, hook, why) = (&tenant.id, &one.hook, &one.why);
                tracing::warn!(
                    tenant = tenant_id,
                    hook,
                    why,
                    "a hook in force is not allowed here"
                );
                tenant.log_refused(hook, &set.sha256(), why).await?;
            }
        }
        Ok(())
    }
}
