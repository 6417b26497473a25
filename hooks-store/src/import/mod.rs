//! Import: hooks of other systems, and of our own files, become hooks of the draft.

mod foreign;

use std::collections::BTreeMap;

use hooks_runtime::Bundle;
use serde::{Deserialize, Serialize};

use self::foreign::Brought;
use crate::admin::By;
use crate::error::StoreError;
use crate::secret;
use crate::store::Tenant;

/// What a text is that is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportFormat {
    /// GoClaw's rows: one, a list, `{"hooks": […]}`, or an agent with `quality_gates`.
    Goclaw,
    /// The settings of Claude Code.
    Claude,
    /// A `hooks.toml`.
    Toml,
    /// A bundle.
    Bundle,
}

/// What an import has done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// The names of new hooks.
    pub created: Vec<String>,
    /// The names of hooks that are others now.
    pub updated: Vec<String>,
    /// What differs from the system that the hooks come from.
    pub notes: Vec<String>,
}

impl Tenant {
    /// Adds the hooks of a text to the draft. One with the name of a hook that is there takes its place.
    ///
    /// ```
    /// use hooks_store::{By, ImportFormat, Store};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
    /// let acme = Store::open("sqlite::memory:").await?.tenant("acme");
    /// let row = r#"{ "event": "pre_tool_use", "handler_type": "http", "scope": "tenant", "name": "gate", "matcher": "^exec$",
    ///     "config": { "url": "https://gate.example.com/", "headers": { "Authorization": "Bearer s3cret" } } }"#;
    /// let report = acme.import(row, ImportFormat::Goclaw, &By::new("ada")).await?;
    /// assert_eq!(report.created, ["gate"]);
    /// let row = &acme.hooks().await?[0].body["goclaw"];
    /// let value = row["config"]["headers"]["Authorization"].as_str().unwrap();
    /// assert!(value.starts_with("secret:hook.") && value.ends_with(".1.Authorization"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the text or a hook in it has a mistake, or the database fails. Then nothing changes.
    pub async fn import(
        &self,
        text: &str,
        format: ImportFormat,
        by: &By,
    ) -> Result<ImportReport, StoreError> {
        self.bring(None, text, format, by).await
    }

    /// Adds the hooks of a text to the draft whose [`sha256`](hooks_runtime::Bundle::sha256) is `expected`. Otherwise it is
    /// [`import`](Self::import).
    ///
    /// # Errors
    ///
    /// If the draft is another one, the text or a hook in it has a mistake, or the database fails. Then nothing changes.
    pub async fn import_after(
        &self,
        expected: &str,
        text: &str,
        format: ImportFormat,
        by: &By,
    ) -> Result<ImportReport, StoreError> {
        self.bring(Some(expected), text, format, by).await
    }

    async fn bring(
        &self,
        expected: Option<&str>,
        text: &str,
        format: ImportFormat,
        by: &By,
    ) -> Result<ImportReport, StoreError> {
        let brought = Brought::of(text, format)?;
        let set = Bundle::new(brought.hooks, brought.tables)?;
        let new = self.lowered_set(&set)?;
        let (mut notes, mut tries) = (brought.notes, 0);
        loop {
            let mut look = self.look(by, &mut tries).await?;
            let old = self.hooks_in(&mut look).await?.into_iter();
            let mut hooks: Vec<_> = old.map(|hook| hook.body).collect();
            let named = hooks.iter().enumerate();
            let places: BTreeMap<_, _> = named
                .map(|(place, hook)| (hook["name"].to_string(), place))
                .collect();
            for body in &new.hooks {
                match places.get(&body["name"].to_string()) {
                    Some(place) => hooks[*place] = body.clone(),
                    None => hooks.push(body.clone()),
                }
            }
            let mut settings = self.settings_in(&mut look).await?.body;
            for (key, table) in new.tables() {
                settings[key] = table.clone();
            }
            let settings = settings.as_object().cloned().unwrap_or_default();
            let set = Bundle::new(hooks, settings)?;
            let left_out = self.check_set(&mut look, &set, false).await?;
            let Some(mut write) = look.write().await? else {
                continue;
            };
            self.expect_draft(&mut write, expected).await?;
            let report = self.replace(&mut write, set).await?;
            write.commit().await?;
            for hook in &new.hooks {
                notes.extend(secret::plain(hook).into_iter().map(|(path, _)| {
                    let key = path.rsplit('/').next().unwrap_or_default();
                    let hook = &hook["name"];
                    format!("the value of `{key}` in {hook} is a secret now")
                }));
            }
            notes.extend(left_out);
            return Ok(ImportReport {
                created: report.created,
                updated: report.updated,
                notes,
            });
        }
    }
}
