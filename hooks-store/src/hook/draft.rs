//! The draft of a tenant as one set, which is read and replaced as a whole.

use std::collections::{BTreeMap, BTreeSet};

use hooks_runtime::Bundle;
use serde::Serialize;
use serde_json::{Map, Value};

use super::name::{TakenNames, is_mandatory, taken};
use super::{Hook, SETTINGS};
use crate::admin::{By, Write};
use crate::bundle::name_of;
use crate::engine::{RowReader, args};
use crate::error::{Mistake, Result, StoreError};
use crate::secret::{self, MOVED};
use crate::store::Tenant;

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

impl Tenant {
    /// Returns the set as it is edited.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn draft(&self) -> Result<Bundle> {
        self.draft_in(&mut self.engine()).await
    }

    pub(crate) async fn draft_in(&self, reads: &mut dyn RowReader) -> Result<Bundle> {
        let settings = self.settings_in(reads).await?;
        let hooks = self.hooks_in(reads).await?;
        let tables = settings.body.as_object().cloned().unwrap_or_default();
        self.set(hooks.iter().map(Hook::numbered).collect(), tables)
    }

    /// The draft, if it is the one that the writer has read, or they have read none.
    pub(crate) async fn draft_read(&self, reads: &mut dyn RowReader, by: &By) -> Result<Bundle> {
        let draft = self.draft_in(reads).await?;
        match &by.draft {
            Some(read) if draft.sha256() != *read => Err(StoreError::DraftChanged),
            _ => Ok(draft),
        }
    }

    /// Puts this set in the place of the draft: it creates, updates and deletes what differs, by the names of the hooks.
    ///
    /// If [`By::after`] names the draft that was read, two people who edit it do not lose each other's work:
    ///
    /// ```
    /// use hooks_store::{By, Store, StoreError};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), StoreError> {
    /// let acme = Store::open("sqlite::memory:").await?.tenant("acme");
    /// let read = acme.draft().await?;
    /// let by = By::new("ada").after(read.sha256());
    /// let mut mine = read.clone();
    /// mine.hooks.push(serde_json::json!({ "event": "BeforeToolCall", "block": "not today" }));
    /// acme.put_draft(&mine, &by).await?;
    /// let late = acme.put_draft(&read, &by).await;
    /// assert!(matches!(late, Err(StoreError::DraftChanged)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the draft is another one, the set has mistakes, or the database fails.
    pub async fn put_draft(&self, bundle: &Bundle, by: &By) -> Result<DraftReport> {
        let (report, _) = self.change_draft(by, |_| self.lowered_set(bundle)).await?;
        Ok(report)
    }

    /// Puts what is made of the draft, in the canonical form, in its place. Returns what it has changed, and what else there is
    /// to tell of the set.
    pub(crate) async fn change_draft(
        &self,
        by: &By,
        make: impl Fn(Bundle) -> Result<Bundle>,
    ) -> Result<(DraftReport, Vec<String>)> {
        let mut tries = 0;
        loop {
            let mut look = self.look(by, &mut tries).await?;
            let set = make(self.draft_read(&mut look, by).await?)?;
            let told = self.check_set(&mut look, &set, false).await?;
            if let Some(mut write) = look.write().await? {
                let report = self.replace(&mut write, set).await?;
                write.commit().await?;
                return Ok((report, told));
            }
        }
    }

    /// A set of the hooks and the tables of a bundle, in the canonical form, each hook with a name.
    pub(crate) fn lowered_set(&self, bundle: &Bundle) -> Result<Bundle> {
        let mut mistakes = wrong_tables(bundle.tables());
        let (mut hooks, mut names) = (Vec::new(), TakenNames::default());
        for (index, body) in bundle.hooks.iter().enumerate() {
            let (mut body, mut wrong) = self.lower(body);
            names.give(&mut body);
            let name = name_of(&body);
            if !names.take(name) {
                wrong.push(taken(name));
            }
            let below = wrong
                .into_iter()
                .map(|mistake| mistake.below(&format!("/hooks/{index}")));
            mistakes.extend(below);
            hooks.push(body);
        }
        StoreError::all(mistakes)?;
        self.set(hooks, bundle.tables().clone())
    }

    /// Puts a set in the place of the draft.
    pub(crate) async fn replace(&self, write: &mut Write<'_>, set: Bundle) -> Result<DraftReport> {
        let mut report = DraftReport::default();
        let mandatory = self.mandatory_above(write).await?;
        let old = self.hooks_in(write).await?.into_iter();
        let mut old: BTreeMap<String, Hook> = old.map(|hook| (hook.name.clone(), hook)).collect();
        let kept: BTreeSet<_> = set.hooks.iter().map(name_of).collect();
        // What goes first leaves its name to others.
        for (name, hook) in old.extract_if(.., |name, _| !kept.contains(name.as_str())) {
            self.save(write, hook, None).await?;
            report.deleted.push(name);
        }
        let tables = Value::Object(set.tables().clone());
        for (place, mut body) in set.hooks.into_iter().enumerate() {
            let name = name_of(&body).to_owned();
            let new = || Hook::none(self, self.store.new_id());
            let hook = old.remove(&name).unwrap_or_else(new);
            // A value that is the same as before has the name that it had: the same set does not make a new version.
            let own = format!("{MOVED}{}.", hook.id);
            for (path, value) in secret::plain(&body) {
                if let Some(name) = secret::name_at(&hook.body, &path)
                    && name.starts_with(&own)
                    && self.secret_in(write, name).await? == Some(value)
                {
                    secret::put_name(&mut body, &path, name);
                }
            }
            let id = hook.id.clone();
            if hook.body != body {
                if mandatory.contains(&name) {
                    let mistake = is_mandatory(&name).below(&format!("/hooks/{place}"));
                    return Err(StoreError::Invalid(vec![mistake]));
                }
                match hook.version {
                    0 => report.created.push(name),
                    _ => report.updated.push(name),
                }
                self.save(write, hook, Some(body)).await?;
            }
            let sql = "UPDATE hook SET place = $3 WHERE tenant_id = $1 AND id = $2";
            write.run(sql, args![&self.id, id, place as u64]).await?;
        }
        let settings = self.settings_in(write).await?;
        if settings.body != tables {
            self.save(write, settings, Some(tables)).await?;
            report.updated.push(SETTINGS.to_owned());
        }
        Ok(report)
    }
}

/// What a store does not keep of the tables of a set.
fn wrong_tables(tables: &Map<String, Value>) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    if tables.contains_key("enabled") {
        let help = "delete the hooks, or give each `\"mode\": \"off\"`";
        let message = "a set of a store is not turned off as a whole";
        mistakes.push(Mistake::new("/enabled", message, help));
    }
    let limits = tables.get("limits");
    if limits.is_some_and(|limits| limits.get("refuse").is_some()) {
        let message = "the deployment says which kinds of handlers do not run";
        mistakes.push(Mistake::new(
            "/limits/refuse",
            message,
            "leave `refuse` out",
        ));
    }
    mistakes
}
