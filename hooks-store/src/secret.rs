//! Secrets: values go in, encrypted, and only hooks get them. Nothing else ever returns one.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Weak};

use hooks_runtime::{Secrets, foreign_secrets, secret_texts};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

use crate::admin::{By, Write};
use crate::crypt::Keys;
use crate::engine::{ReadsAs as _, Recall, RowReader, args, of_row};
use crate::error::{Mistake, Result, StoreError};
use crate::news::Followed;
use crate::store::{Store, StoreParts, Tenant};

of_row! {
    /// What a store tells of a secret: everything but its value.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
    pub struct SecretInfo {
        /// The name, as in `secret:NAME`.
        pub name: String,
        /// How often a value was put in.
        pub version: u64,
        /// Who has put the newest one in.
        pub author: String,
        /// When.
        pub at: Timestamp,
    }
}

of_row! {
    /// A value as it is kept.
    struct Sealed {
        tenant_id: String,
        name: String,
        version: u64,
        value: Vec<u8>,
    }
}

impl Sealed {
    /// The value; nothing if its key is not there.
    fn open(&self, keys: &Keys) -> Result<Option<String>> {
        let place = place(&self.tenant_id, &self.name, self.version);
        let value = keys.open(&place, &self.value)?;
        Ok(value.and_then(|value| String::from_utf8(value).ok()))
    }
}

/// The place of a value, which its encryption is bound to.
pub(crate) fn place(tenant: &str, name: &str, version: u64) -> [String; 5] {
    ["secret", tenant, name, &version.to_string(), "value"].map(str::to_owned)
}

/// How the names of the secrets begin that the store has moved out of hooks: `hook.ID.VERSION.HEADER`.
pub(crate) const MOVED: &str = "hook.";

/// How the names of the global tenant's secrets begin in what is composed for a tenant, where all other names are the tenant's
/// own. A hook that a person saves cannot say such a name, so no tenant can send a global secret anywhere.
const GLOBAL: &str = "global:";

/// Returns the secrets that a hook names, each after its place.
pub(crate) fn named(hook: &Value) -> Vec<(String, String)> {
    let mut named = Vec::new();
    secret_texts(&mut hook.clone(), &mut |place, text| {
        let name = |name: &str| (place.to_owned(), name.trim().to_owned());
        match text.strip_prefix("secret:") {
            Some(whole) => named.push(name(whole)),
            None => named.extend(text.split("${secret:").skip(1).map(|rest| {
                let end = rest.find('}').unwrap_or(rest.len());
                name(&rest[..end])
            })),
        }
    });
    named
}

/// The words of which one is in the name of each header that has a credential.
const CREDENTIALS: [&str; 9] = [
    "apikey",
    "auth",
    "authorization",
    "cookie",
    "key",
    "passwd",
    "password",
    "secret",
    "token",
];

/// Finds the headers of a hook whose value is a credential: each reader of the hook would read it.
fn bare_credentials(hook: &Value) -> impl Iterator<Item = Mistake> {
    let headers = hook["http"]["headers"].as_object().into_iter().flatten();
    let bare = headers.filter(|(name, value)| {
        let name = name.to_lowercase();
        let mut words = name.split(['-', '_']);
        words.any(|word| CREDENTIALS.contains(&word))
            && value
                .as_str()
                .is_some_and(|text| !text.contains("secret:") && !text.contains('$'))
    });
    bare.map(|(name, _)| {
        let path = format!("/http/headers/{name}");
        let message = "each reader of the hook would read this credential";
        let help = "keep it among the secrets, and write `secret:NAME`";
        Mistake::new(path, message, help)
    })
}

/// Finds the places where a hook has a credential that is not a secret, or names a secret of the global tenant by the
/// name that only the store writes.
pub(crate) fn mistakes(hook: &Value) -> impl Iterator<Item = Mistake> {
    let bare = bare_credentials(hook);
    let named = named(hook).into_iter();
    let wrong = named.filter(|(_, name)| name.starts_with(GLOBAL));
    let wrong = wrong.map(|(place, name)| {
        let message = format!("`{name}` is not the name of a secret");
        let help = "name a secret of this tenant: `secret:NAME`";
        Mistake::new(place, message, help)
    });
    bare.chain(wrong)
}

/// Names the secrets of a global hook as a tenant has them.
pub(crate) fn name_as_global(hook: &mut Value) {
    secret_texts(hook, &mut |_, text| {
        *text = match text.strip_prefix("secret:") {
            Some(name) => format!("secret:{GLOBAL}{}", name.trim()),
            None => text.replace("${secret:", &format!("${{secret:{GLOBAL}")),
        };
    });
}

/// Returns the secrets in a hook of another system that are values, and not yet names, each with its path.
pub(crate) fn plain(hook: &Value) -> Vec<(String, String)> {
    let mut plain = Vec::new();
    foreign_secrets(&mut hook.clone(), &mut |path, text| {
        if !text.starts_with("secret:") {
            plain.push((path.to_owned(), text.clone()));
        }
    });
    plain
}

/// The name under which the store keeps the secret at a path of a version of a hook: for a header of a row, its name.
pub(crate) fn moved(id: &str, version: u64, path: &str) -> String {
    let of_row = path.strip_prefix("/goclaw/config/headers/");
    let place = of_row.unwrap_or(&path[1..]).replace('/', ".");
    format!("{MOVED}{id}.{version}.{place}")
}

/// The name of the secret at a path.
pub(crate) fn name_at<'a>(hook: &'a Value, path: &str) -> Option<&'a str> {
    hook.pointer(path)?.as_str()?.strip_prefix("secret:")
}

/// Puts the name of a secret in the place of its value.
pub(crate) fn put_name(hook: &mut Value, path: &str, secret: &str) {
    if let Some(value) = hook.pointer_mut(path) {
        *value = format!("secret:{secret}").into();
    }
}

/// Checks a name that a person gives.
fn check_name(name: &str) -> Result<()> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if name.is_empty() || name.len() > 128 || !name.chars().all(is_of_name) {
        let message = "a secret cannot have this name";
        let help = "write letters, digits, `.`, `-` and `_`, at most 128";
        return Err(StoreError::invalid("/name", message, help));
    }
    if name.starts_with(MOVED) {
        let message = format!("the names with `{MOVED}` are those of values in hooks");
        let help = "write the value into the hook, or choose another name";
        return Err(StoreError::invalid("/name", message, help));
    }
    Ok(())
}

impl Tenant {
    /// Puts a value in. Hooks get the newest one with their next request. Returns the number of its version.
    ///
    /// ```
    /// use hooks_runtime::Secrets as _;
    /// use hooks_store::{By, Store};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
    /// let acme = Store::open("sqlite::memory:").await?.tenant("acme");
    /// assert_eq!(acme.put_secret("gate", "s3cret", &By::new("ada")).await?, 1);
    /// assert_eq!(acme.secret_values().await?.secret("gate").as_deref(), Some("s3cret"));
    /// assert!(!format!("{:?}", acme.secrets().await?).contains("s3cret"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the name is none, the store has no key, or the database fails.
    pub async fn put_secret(&self, name: &str, value: &str, by: &By) -> Result<u64> {
        check_name(name)?;
        let mut write = self.write(by).await?;
        let version = self.put_secret_in(&mut write, name, value).await?;
        write.commit().await?;
        Ok(version)
    }

    pub(crate) async fn put_secret_in(
        &self,
        write: &mut Write<'_>,
        name: &str,
        value: &str,
    ) -> Result<u64> {
        let sql = "SELECT COALESCE(MAX(version), 0) AS version FROM secret WHERE tenant_id = $1 AND name = $2";
        let newest: Option<u64> = write.one(sql, args![&self.id, name]).await?;
        let version = newest.unwrap_or_default() + 1;
        let place = place(&self.id, name, version);
        let sealed = self.store.writer.keys.seal(&place, value.as_bytes())?;
        let row = args![name, version, sealed, &write.by.actor, write.at];
        write.put("secret", row).await?;
        // A hash of a value would tell who guesses it.
        write
            .log("secret.put", name, "", &version.to_string())
            .await?;
        Ok(version)
    }

    /// The newest value of a secret.
    pub(crate) async fn secret_in(
        &self,
        write: &mut Write<'_>,
        name: &str,
    ) -> Result<Option<String>> {
        let sql = "SELECT tenant_id, name, version, value FROM secret WHERE tenant_id = $1 AND name = $2 \
                   ORDER BY version DESC LIMIT 1";
        let sealed: Option<Sealed> = write.one(sql, args![&self.id, name]).await?;
        sealed.map_or(Ok(None), |sealed| sealed.open(&self.store.writer.keys))
    }

    /// Returns the secrets, without their values.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn secrets(&self) -> Result<Vec<SecretInfo>> {
        let sql = "SELECT name, version, author, at FROM secret s WHERE tenant_id = $1 AND version = \
                   (SELECT MAX(version) FROM secret WHERE tenant_id = s.tenant_id AND name = s.name) ORDER BY name";
        self.engine().all(sql, args![&self.id]).await
    }

    /// Returns the names of the published hooks that name a secret.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn hooks_with_secret(&self, name: &str) -> Result<Vec<String>> {
        self.hooks_in_with(&mut self.engine(), name).await
    }

    async fn hooks_in_with(&self, reads: &mut dyn RowReader, name: &str) -> Result<Vec<String>> {
        let in_force = self.newest(reads).await?;
        let hooks = in_force.iter().flat_map(|set| &set.hooks);
        let names_it = |hook: &&Value| named(hook).iter().any(|(_, named)| named == name);
        let names = hooks
            .filter(names_it)
            .filter_map(|hook| Some(hook["name"].as_str()?.to_owned()));
        Ok(names.collect())
    }

    /// Removes all values of a secret.
    ///
    /// # Errors
    ///
    /// If there is no such secret, a hook in force names it, or the database fails.
    pub async fn delete_secret(&self, name: &str, by: &By) -> Result<()> {
        let mut write = self.write(by).await?;
        if let Some(hook) = self.hooks_in_with(&mut write, name).await?.first() {
            let message = format!("the live hook {hook:?} names the secret");
            let help = "publish a set that does without it first";
            return Err(StoreError::invalid("/name", message, help));
        }
        let sql = "DELETE FROM secret WHERE tenant_id = $1 AND name = $2 RETURNING version";
        let gone: Vec<u64> = write.all(sql, args![&self.id, name]).await?;
        if gone.is_empty() {
            return Err(StoreError::NotFound(format!("secret {name:?}")));
        }
        for version in gone {
            write.rows.gone("secret", args![name, version]);
        }
        write.end("secret.delete", name, "", "").await
    }

    /// Returns the values for the hooks of this tenant, from memory. It follows what people put in.
    ///
    /// # Errors
    ///
    /// If a value cannot be decrypted, or the database fails.
    pub async fn secret_values(&self) -> Result<StoreSecrets> {
        // A change while the values are read is one to follow.
        let secrets = self.follow(|news| news.secrets);
        let values = self.decrypted(&mut Recall(self.engine())).await?;
        let (sender, values) = watch::channel(values);
        let store = Arc::downgrade(&self.store);
        tokio::spawn(follow(store, self.id.clone(), secrets, sender));
        Ok(StoreSecrets(values))
    }

    /// Returns the values as they are now, for a runtime that ends soon, such as one that checks a set.
    ///
    /// # Errors
    ///
    /// As [`secret_values`](Self::secret_values).
    pub async fn secret_values_now(&self) -> Result<StoreSecrets> {
        self.secrets_in(&mut self.engine()).await
    }

    pub(crate) async fn secrets_in(&self, reads: &mut dyn RowReader) -> Result<StoreSecrets> {
        let (_, values) = watch::channel(self.decrypted(reads).await?);
        Ok(StoreSecrets(values))
    }

    async fn decrypted(&self, reads: &mut dyn RowReader) -> Result<Values> {
        let sql = "SELECT tenant_id, name, version, value FROM secret \
                   WHERE tenant_id = $1 OR tenant_id = '' ORDER BY version";
        let mut values = Values::new();
        for sealed in reads.all::<Sealed>(sql, args![&self.id]).await? {
            let value = sealed.open(&self.store.writer.keys)?;
            let Sealed {
                tenant_id, name, ..
            } = sealed;
            let above = tenant_id.is_empty().then(|| format!("{GLOBAL}{name}"));
            let own = (tenant_id == self.id).then_some(name);
            for name in above.into_iter().chain(own) {
                match &value {
                    Some(value) => values.insert(name, value.clone()),
                    // An older value in its place would be a surprise.
                    None => values.remove(&name),
                };
            }
        }
        Ok(values)
    }
}

type Values = HashMap<String, String>;

/// Reads the values again after each change of a secret, until they are dropped.
async fn follow(
    store: Weak<StoreParts>,
    id: String,
    mut secrets: Followed,
    values: watch::Sender<Values>,
) {
    while secrets.next().await {
        let Some(store) = store.upgrade().filter(|_| !values.is_closed()) else {
            return;
        };
        let tenant = Store(store).tenant(&id);
        match tenant.decrypted(&mut tenant.engine()).await {
            Ok(new) => drop(values.send_replace(new)),
            Err(error) => {
                tracing::warn!(%error, "cannot read the secrets anew: the old values stay");
            }
        }
    }
}

/// The values of a tenant's secrets, for hooks. `Debug` shows none.
pub struct StoreSecrets(watch::Receiver<Values>);

impl Secrets for StoreSecrets {
    fn secret(&self, name: &str) -> Option<String> {
        self.0.borrow().get(name).cloned()
    }
}

impl fmt::Debug for StoreSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreSecrets").finish_non_exhaustive()
    }
}
