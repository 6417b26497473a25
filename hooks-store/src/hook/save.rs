//! Saving hooks: each save is a version after another.

use serde_json::Value;

use super::{HOOK, Hook, SETTINGS};
use crate::admin::{By, Write};
use crate::bundle::name_of;
use crate::engine::{ReadsAs as _, RowReader as _, args};
use crate::error::{Result, StoreError};
use crate::retention::MOST_HOOKS;
use crate::scope::HookScope;
use crate::secret;
use crate::store::Tenant;
use crate::text::{canonical, sha256};

impl Tenant {
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
    pub async fn create(&self, body: &Value, by: &By) -> Result<Hook> {
        let body = self.checked(body).await?;
        let new = Hook::none(self, self.store.new_id());
        self.put(self.write(by).await?, new, body).await
    }

    /// Saves a new version of a hook that follows the version `expected`.
    ///
    /// # Errors
    ///
    /// If another version is the newest, the hook has a mistake, its name is taken, there is no such hook, or the database
    /// fails.
    pub async fn update(&self, id: &str, expected: u64, body: &Value, by: &By) -> Result<Hook> {
        let body = self.checked(body).await?;
        let mut write = self.write(by).await?;
        let old = self.expect(&mut write, id, expected).await?;
        self.put(write, old, body).await
    }

    /// Removes a hook, whose newest version is `expected`, from the draft.
    ///
    /// # Errors
    ///
    /// If another version is the newest, there is no such hook, or the database fails.
    pub async fn delete(&self, id: &str, expected: u64, by: &By) -> Result<()> {
        let mut write = self.write(by).await?;
        let old = self.expect(&mut write, id, expected).await?;
        self.save(&mut write, old, None).await?;
        write.commit().await
    }

    /// Saves an old version of a hook as its newest one, after the version `expected`. A deleted hook comes back.
    ///
    /// # Errors
    ///
    /// If another version is the newest, the old one has a mistake by now, there is no such version, or the database fails.
    pub async fn restore(&self, id: &str, version: u64, expected: u64, by: &By) -> Result<Hook> {
        let old = self.version(id, version).await?;
        let mut write = self.write(by).await?;
        let sql = format!("{HOOK} AND h.id = $2");
        let newest: Option<Hook> = write.one(&sql, args![&self.id, id]).await?;
        let Some((newest, old)) = newest.zip(old) else {
            let missing = format!("version {version} of a hook {id:?}");
            return Err(StoreError::NotFound(missing));
        };
        let newest = newest.read_as(expected)?;
        if id != SETTINGS {
            self.check_hook(&mut write, &old).await?;
        }
        self.put(write, newest, old).await
    }

    /// Saves the settings of the set, after the version `expected`.
    ///
    /// # Errors
    ///
    /// If another version is the newest, the settings have a mistake, or the database fails.
    pub async fn put_settings(&self, expected: u64, tables: &Value, by: &By) -> Result<Hook> {
        let Value::Object(tables) = tables else {
            let help = "write `{\"builtin\": {…}}`";
            return Err(StoreError::invalid("", "the settings are an object", help));
        };
        let set = self.lowered_set(&self.set(Vec::new(), tables.clone())?)?;
        self.check_set(&mut self.engine(), &set, false).await?;
        let mut write = self.write(by).await?;
        let old = self.settings_in(&mut write).await?.read_as(expected)?;
        self.put(write, old, tables.clone().into()).await
    }

    /// Returns a hook whose newest version must be `expected`.
    async fn expect(&self, write: &mut Write<'_>, id: &str, expected: u64) -> Result<Hook> {
        let hook = self.hook_in(write, id).await?;
        let hook = hook.filter(|hook| hook.id != SETTINGS);
        let hook = hook.ok_or_else(|| StoreError::NotFound(format!("hook {id:?}")))?;
        hook.read_as(expected)
    }

    /// Saves a version after another, if the name of the hook is free, and commits.
    async fn put(&self, mut write: Write<'_>, old: Hook, mut body: Value) -> Result<Hook> {
        if old.id != SETTINGS {
            self.expect_free(&mut write, &old.id, &mut body).await?;
        }
        let hook = self.save(&mut write, old, Some(body)).await?;
        write.commit().await?;
        Ok(hook)
    }

    /// Saves a version after another; without a body, it is the end of the hook. A new hook comes after all others.
    pub(crate) async fn save(
        &self,
        write: &mut Write<'_>,
        old: Hook,
        body: Option<Value>,
    ) -> Result<Hook> {
        let deleted = body.is_none();
        let mut body = body.unwrap_or(old.body);
        let version = old.version + 1;
        // The values that are secrets get names of this version alone. So nothing that is in force changes, and an old version
        // still has its own values.
        let plain = secret::plain(&body);
        for (path, value) in &plain {
            let name = secret::moved(&old.id, version, path);
            self.put_secret_in(write, &name, value).await?;
            secret::put_name(&mut body, path, &name);
        }
        let canonical = canonical(&body);
        write.keeps += (canonical.len() + write.by.text.len()) as u64;
        let hook = Hook {
            id: old.id,
            name: name_of(&body).to_owned(),
            version,
            hash: hex::encode(sha256(canonical.as_bytes())),
            scope: HookScope::of(self.is_global(), &body),
            mandatory: body["mandatory"] == true,
            body,
            // What moves among the secrets is in the text, too.
            text: match write.by.text.as_str() {
                text if text.is_empty() || !plain.is_empty() => old.text,
                text => text.to_owned(),
            },
            author: write.by.actor.clone(),
            comment: write.by.comment.clone(),
            at: write.at,
        };
        let row = args![
            &hook.id,
            version,
            old.version,
            &hook.hash,
            canonical,
            deleted,
            &hook.author,
            &hook.comment,
            hook.at,
            &hook.text
        ];
        write.put("hook_version", row).await?;
        let row = args![&hook.id, &hook.name, version, deleted];
        write.rows.note("hook", &row);
        let sql = "INSERT INTO hook (tenant_id, id, name, version, place, deleted) VALUES ($1, $2, $3, $4, $5, $6) \
                   ON CONFLICT (tenant_id, id) DO UPDATE \
                   SET name = excluded.name, version = excluded.version, deleted = excluded.deleted";
        let place = MOST_HOOKS as u64 + write.change;
        let values = args![&self.id, &hook.id, &hook.name, version, place, deleted];
        write.run(sql, values).await?;
        let (action, after) = match (deleted, old.version) {
            (true, _) => ("hook.delete", ""),
            (false, 0) => ("hook.create", &*hook.hash),
            (false, _) => ("hook.update", &*hook.hash),
        };
        write.log(action, &hook.id, &old.hash, after).await?;
        Ok(hook)
    }
}
