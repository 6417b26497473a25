//! Import: hooks of other systems, and of our own files, become hooks of the draft.

mod foreign;

use hooks_runtime::Bundle;
use serde::{Deserialize, Serialize};

use crate::admin::By;
use crate::bundle::by_name;
use crate::error::Result;
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
    /// If the draft is another one than [`By::after`] names, the text or a hook in it has a mistake, or the database fails. Then
    /// nothing changes.
    pub async fn import(&self, text: &str, format: ImportFormat, by: &By) -> Result<ImportReport> {
        let (new, mut notes) = foreign::read(text, format)?;
        let new = self.lowered_set(&new)?;
        let merged = |draft: Bundle| {
            let mut tables = draft.tables().clone();
            tables.extend(new.tables().clone());
            let hooks = by_name(draft.hooks.iter().chain(&new.hooks));
            self.lowered_set(&self.set(hooks.into_values().collect(), tables)?)
        };
        let (report, told) = self.change_draft(by, merged).await?;
        for hook in &new.hooks {
            notes.extend(secret::plain(hook).into_iter().map(|(path, _)| {
                let key = path.rsplit('/').next().unwrap_or_default();
                let hook = &hook["name"];
                format!("the value of `{key}` in {hook} is a secret now")
            }));
        }
        notes.extend(told);
        Ok(ImportReport {
            created: report.created,
            updated: report.updated,
            notes,
        })
    }
}
