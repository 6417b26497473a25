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
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::admin::{By, Write};
use crate::bundle::name_of;
use crate::capability::Capabilities;
use crate::engine::{Reads, Row, args};
use crate::error::{Mistake, StoreError};
use crate::page::{Page, before, rows_for};
use crate::store::{Store, Tenant};

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

impl Revision {
    fn of(row: &Row) -> Result<Self, StoreError> {
        let head: Head = row.json("body")?;
        Ok(Revision {
            number: row.number("number")?,
            sha256: row.text("hash")?,
            parent: head.parent,
            author: head.author,
            comment: head.comment,
            at: head.created.unwrap_or_default(),
            hooks: head.hooks.len(),
        })
    }
}

fn by_name(hooks: &[Value]) -> BTreeMap<&str, &Value> {
    hooks.iter().map(|hook| (name_of(hook), hook)).collect()
}

/// Whether a hook of the draft is this one but for its version.
fn is_same(draft: &Value, hook: &Value) -> bool {
    let mut draft = draft.clone();
    draft.as_object_mut().map(|keys| keys.remove("version"));
    draft == *hook
}

/// The set of a revision.
fn bundle_of(row: &Row) -> Result<Bundle, StoreError> {
    let bundle = Bundle::read(&row.text("body")?);
    bundle.map_err(|error| row.wrong("body", &format!("cannot be read: {error}")))
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

impl Tenant {
    /// Publishes the draft: checks it together with the global hooks, and makes a revision of it.
    ///
    /// A publication of the global tenant also checks the set of every other tenant with it.
    ///
    /// # Errors
    ///
    /// If the set has mistakes: all of them. Then nothing changes. Or if the database fails.
    pub async fn publish(&self, by: &By) -> Result<Published, StoreError> {
        self.publish_draft(None, by).await
    }

    /// Publishes the draft whose [`sha256`](Bundle::sha256) is `expected`, so that nothing is in force that the publisher has
    /// not seen. Otherwise it is [`publish`](Self::publish).
    ///
    /// ```
    /// use hooks_store::{By, Store, StoreError};
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), StoreError> {
    /// let acme = Store::open("sqlite::memory:").await?.tenant("acme");
    /// let (seen, by) = (acme.draft().await?.sha256(), By::new("ada"));
    /// acme.create(&json!({ "event": "BeforeToolCall", "block": "not today" }), &by).await?;
    /// let unseen = acme.publish_after(&seen, &by).await;
    /// assert!(matches!(unseen, Err(StoreError::DraftChanged)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the draft is another one, the set has mistakes, or the database fails.
    pub async fn publish_after(&self, expected: &str, by: &By) -> Result<Published, StoreError> {
        self.publish_draft(Some(expected), by).await
    }

    async fn publish_draft(
        &self,
        expected: Option<&str>,
        by: &By,
    ) -> Result<Published, StoreError> {
        let mut tries = 0;
        loop {
            let mut look = self.look(by, &mut tries).await?;
            let draft = self.draft_in(&mut look).await?;
            if expected.is_some_and(|expected| draft.sha256() != expected) {
                return Err(StoreError::DraftChanged);
            }
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
    pub async fn rollback(&self, number: u64, by: &By) -> Result<Published, StoreError> {
        self.go_back(number, false, by).await
    }

    /// Publishes the content of an old revision as a new one. What the draft had changed since the last publication stays
    /// changed, and what it had as it was published goes back, so that to publish it later brings back nothing else.
    ///
    /// ```
    /// use hooks_store::{By, Store};
    /// use serde_json::json;
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
    pub async fn rollback_keeping_draft(
        &self,
        number: u64,
        by: &By,
    ) -> Result<Published, StoreError> {
        self.go_back(number, true, by).await
    }

    async fn go_back(&self, number: u64, keeps: bool, by: &By) -> Result<Published, StoreError> {
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
            let mut draft = set.clone();
            if keeps {
                draft = self.rebased(&mut write, &set).await?;
            }
            self.replace(&mut write, draft).await?;
            let mut live = self.draft_in(&mut write).await?;
            if keeps {
                // What the draft has changed is published in the version that it had.
                let draft = by_name(&live.hooks);
                let hooks = set.hooks.iter().zip(&old.hooks).map(|(hook, old)| {
                    let draft = draft.get(name_of(hook)).copied();
                    draft.filter(|draft| is_same(draft, hook)).unwrap_or(old)
                });
                live = Bundle::new(hooks.cloned().collect(), set.tables().clone())?;
                live.tenant.clone_from(&self.id);
            }
            return self.make_revision(write, live, "revision.rollback").await;
        }
    }

    /// A set with what the draft changes of the newest revision.
    async fn rebased(&self, write: &mut Write<'_>, set: &Bundle) -> Result<Bundle, StoreError> {
        let newest = self.newest(write).await?;
        let newest = newest.map_or_else(|| Ok(set.clone()), |newest| self.lowered_set(&newest))?;
        let draft = self.draft_in(write).await?;
        let draft = self.lowered_set(&draft)?;
        let (own, before) = (by_name(&draft.hooks), by_name(&newest.hooks));
        let is_changed = |name: &str| own.get(name) != before.get(name);
        let old = set.hooks.iter().filter_map(|hook| match name_of(hook) {
            name if is_changed(name) => own.get(name).copied(),
            _ => Some(hook),
        });
        let known = by_name(&set.hooks);
        let is_new = |name: &str| !known.contains_key(name) && is_changed(name);
        let new = draft.hooks.iter().filter(|hook| is_new(name_of(hook)));
        let tables = if draft.tables() == newest.tables() {
            set.tables()
        } else {
            draft.tables()
        };
        let mut rebased = Bundle::new(old.chain(new).cloned().collect(), tables.clone())?;
        rebased.tenant.clone_from(&self.id);
        Ok(rebased)
    }

    /// Publishes what is published already, with another mode of one of its hooks. What else differs in the draft stays there,
    /// and the hook of the draft gets the mode, too.
    ///
    /// ```
    /// use hooks_runtime::entry::Mode;
    /// use hooks_store::{By, Store, StoreError};
    /// use serde_json::json;
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
    pub async fn publish_mode(
        &self,
        name: &str,
        mode: Mode,
        by: &By,
    ) -> Result<Published, StoreError> {
        let missing = || StoreError::NotFound(format!("published hook {name:?}"));
        let mut tries = 0;
        loop {
            let mut look = self.look(by, &mut tries).await?;
            let mut set = self.newest(&mut look).await?.ok_or_else(missing)?;
            let place = set.hooks.iter().position(|hook| name_of(hook) == name);
            let place = place.ok_or_else(missing)?;
            let mut before = set.hooks[place].clone();
            set.hooks[place]["mode"] = json!(mode);
            self.check_with_others(&mut look, &set).await?;
            let Some(mut write) = look.write().await? else {
                continue;
            };
            let drafted = self.hooks_in(&mut write).await?;
            if let Some(mut old) = drafted.into_iter().find(|hook| hook.name == name)
                && before["mode"] != json!(mode)
            {
                // What is published is a version of its own, and that of the draft, if it differs, is the newest again.
                before.as_object_mut().map(|body| body.remove("version"));
                let differs = old.body != before;
                before["mode"] = json!(mode);
                let saved = self.save(&mut write, (&old).into(), before, false).await?;
                set.hooks[place]["version"] = saved.version.into();
                if differs {
                    old.body["mode"] = json!(mode);
                    self.save(&mut write, (&saved).into(), old.body, false)
                        .await?;
                }
            }
            return self.make_revision(write, set, "revision.mode").await;
        }
    }

    /// Checks a set as it would be in force, for every tenant that it is for.
    async fn check_with_others(
        &self,
        reads: &mut dyn Reads,
        draft: &Bundle,
    ) -> Result<(), StoreError> {
        self.check_set(reads, draft, false).await?;
        if !self.is_global() {
            let global = self.other("").newest(reads).await?;
            let (composed, _) = self.compose(global.as_ref(), Some(draft))?;
            return self.load(reads, &composed, false).await.map(drop);
        }
        let mut mistakes = Vec::new();
        for tenant in Store::tenants_in(reads).await? {
            let other = self.other(&tenant);
            if other.is_global() {
                continue;
            }
            let Some(own) = other.newest(reads).await? else {
                continue;
            };
            let (composed, _) = other.compose(Some(draft), Some(&own))?;
            match other.load(reads, &composed, false).await {
                Err(StoreError::Invalid(more)) => {
                    // What is wrong without the draft, too, is nothing that the draft has done.
                    let (before, _) = other.in_force(reads).await?;
                    let before = match other.load(reads, &before, false).await {
                        Err(StoreError::Invalid(before)) => before,
                        loaded => loaded.map(|_| Vec::new())?,
                    };
                    let is_new = |mistake: &Mistake| {
                        !before.iter().any(|old| old.message == mistake.message)
                    };
                    mistakes.extend(more.into_iter().filter(is_new).map(|mut mistake| {
                        mistake.message = format!(
                            "with the hooks of the tenant `{tenant}`: {}",
                            mistake.message
                        );
                        mistake
                    }));
                }
                done => drop(done?),
            }
        }
        StoreError::all(mistakes)
    }

    async fn make_revision(
        &self,
        mut write: Write<'_>,
        mut bundle: Bundle,
        action: &str,
    ) -> Result<Published, StoreError> {
        let before = self.newest(&mut write).await?;
        if let Some(before) = &before
            && before.hooks == bundle.hooks
            && before.tables() == bundle.tables()
        {
            return Ok(Published {
                revision: before.revision,
                sha256: before.sha256(),
                is_new: false,
            });
        }
        let sql = "UPDATE counter SET value = value + 1 WHERE name = 'revision' RETURNING value";
        let rows = write.read(sql, args![]).await?;
        bundle.revision = rows.first().map_or(Ok(0), |row| row.number("value"))?;
        bundle.parent = before.map(|before| before.sha256());
        bundle.created = Some(write.at);
        bundle.author.clone_from(&write.by().actor);
        bundle.comment.clone_from(&write.by().comment);
        let published = Published {
            revision: bundle.revision,
            sha256: bundle.sha256(),
            is_new: true,
        };
        let sql = "INSERT INTO revision (tenant_id, number, hash, body) VALUES ($1, $2, $3, $4)";
        let values = args![
            &self.id,
            bundle.revision,
            &published.sha256,
            bundle.to_json()
        ];
        write.execute(sql, values).await?;
        let before = bundle.parent.as_deref().unwrap_or_default();
        write
            .log(
                action,
                &bundle.revision.to_string(),
                before,
                &published.sha256,
            )
            .await?;
        write.commit().await?;
        Ok(published)
    }

    /// Returns the set of this tenant's newest revision.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn newest_set(&self) -> Result<Option<Bundle>, StoreError> {
        self.newest(&mut self.engine()).await
    }

    pub(crate) async fn newest(&self, reads: &mut dyn Reads) -> Result<Option<Bundle>, StoreError> {
        let sql = "SELECT body FROM revision WHERE tenant_id = $1 ORDER BY number DESC LIMIT 1";
        let rows = reads.read(sql, args![&self.id]).await?;
        rows.first().map(bundle_of).transpose()
    }

    /// Returns a page of this tenant's revisions, newest first, before the one with the number `cursor`.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn revisions(
        &self,
        cursor: Option<u64>,
        limit: u32,
    ) -> Result<Page<Revision>, StoreError> {
        let sql = "SELECT number, hash, body FROM revision WHERE tenant_id = $1 AND number < $2 \
                   ORDER BY number DESC LIMIT $3";
        let before = before(cursor);
        let rows = self
            .engine()
            .fetch(sql, args![&self.id, before, rows_for(limit)])
            .await?;
        let revisions = rows.iter().map(Revision::of);
        let revisions = revisions.collect::<Result<_, _>>()?;
        Ok(Page::of(revisions, limit, |one: &Revision| one.number))
    }

    /// Returns the set of a revision of this tenant.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn revision(&self, number: u64) -> Result<Option<Bundle>, StoreError> {
        let sql = "SELECT body FROM revision WHERE tenant_id = $1 AND number = $2";
        let rows = self.engine().fetch(sql, args![&self.id, number]).await?;
        rows.first().map(bundle_of).transpose()
    }

    /// Returns what is in force for this tenant: the global hooks and its own. Its number is the higher of both revisions, and
    /// 0 if nothing is published.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn bundle(&self) -> Result<Bundle, StoreError> {
        Ok(self.in_force(&mut self.engine()).await?.0)
    }

    /// Returns which published hooks and settings are left out for this tenant, because of the global ones. What this
    /// deployment does not allow is in the [status](hooks_runtime::Status::not_allowed) of a runtime.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn notices(&self) -> Result<Vec<String>, StoreError> {
        Ok(self.in_force(&mut self.engine()).await?.1)
    }

    /// Returns what would be in force for this tenant if this set were published: with the global hooks, and with what this
    /// deployment does not run refused.
    ///
    /// ```
    /// use hooks_store::{By, Store};
    /// use serde_json::json;
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
    pub async fn preview(&self, set: &Bundle) -> Result<Bundle, StoreError> {
        let set = self.lowered_set(set)?;
        if self.is_global() {
            return Ok(self.compose(Some(&set), None)?.0);
        }
        let global = self.other("").newest(&mut self.engine()).await?;
        Ok(self.compose(global.as_ref(), Some(&set))?.0)
    }

    async fn in_force(&self, reads: &mut dyn Reads) -> Result<(Bundle, Vec<String>), StoreError> {
        let global = self.other("").newest(reads).await?;
        let own = if self.is_global() {
            None
        } else {
            self.newest(reads).await?
        };
        self.compose(global.as_ref(), own.as_ref())
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
            changes: tokio::sync::Mutex::new(self.store.changes.subscribe()),
        }
    }
}

/// The source of a tenant's bundles.
#[derive(Debug)]
pub struct StoreSource {
    tenant: Tenant,
    changes: tokio::sync::Mutex<watch::Receiver<u64>>,
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
        Ok((seen != Some(&*bundle.sha256())).then_some(bundle))
    }

    async fn changed(&self) {
        if self.changes.lock().await.changed().await.is_err() {
            // The store is gone, and nothing will change any more.
            std::future::pending::<()>().await;
        }
    }
}

impl Store {
    /// Logs each hook in force that this deployment does not allow, and writes it to the admin log once.
    pub(crate) async fn tell_what_is_not_allowed(&self) -> Result<(), StoreError> {
        if self.0.capabilities == Capabilities::default() {
            return Ok(());
        }
        for tenant in self.tenants().await? {
            let tenant = self.tenant(&tenant);
            let Some(bundle) = tenant.newest(&mut tenant.engine()).await? else {
                continue;
            };
            let level = tenant.compose(None, Some(&bundle))?.0;
            let not_allowed = match tenant.load(&mut tenant.engine(), &level, false).await {
                Ok(status) => status.not_allowed,
                Err(error) => {
                    tracing::warn!(tenant = tenant.id, %error, "the hooks in force cannot be loaded here");
                    continue;
                }
            };
            for one in not_allowed {
                tracing::warn!(
                    tenant = tenant.id,
                    hook = one.hook,
                    why = one.why,
                    "a hook in force is not allowed here"
                );
                tenant
                    .log_once("hook.refused", &one.hook, &bundle.sha256(), &one.why)
                    .await?;
            }
        }
        Ok(())
    }
}
