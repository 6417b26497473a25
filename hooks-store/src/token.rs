//! Tokens: who may call an API on the store. A token is shown once, and only its hash is kept.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::admin::{By, Write};
use crate::crypt::random_text;
use crate::engine::{Column, Glance, ReadsAs as _, RowReader as _, SqlValue, args, of_row};
use crate::error::{Result, StoreError};
use crate::store::{Store, Tenant};
use crate::text::sha256;

/// How a token begins. Scanners for leaked secrets look for it: another beginning would hide the tokens that are out there.
const PREFIX: &str = "hks_";

/// Reads the tokens of a tenant.
const TOKEN: &str = "SELECT id, name, role, agent, author, at, used, used_from, ends FROM token WHERE tenant_id = $1";

/// How many tokens one statement says that they were used.
const USED: usize = 500;

/// What a caller may do, from the least to the most.
///
/// ```
/// use hooks_store::Role;
///
/// assert!(Role::Viewer < Role::Owner);
/// assert_eq!("author".parse::<Role>().unwrap(), Role::Author);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Reads.
    Viewer,
    /// Also tests hooks and resets breakers.
    Operator,
    /// Also edits drafts.
    Author,
    /// Also publishes and rolls back.
    Publisher,
    /// Also has secrets, budgets and tokens.
    Owner,
}

impl Role {
    /// The roles, from the one that may the least.
    pub const ALL: [Role; 5] = [
        Role::Viewer,
        Role::Operator,
        Role::Author,
        Role::Publisher,
        Role::Owner,
    ];

    /// Returns the word for it, as in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Viewer => "viewer",
            Role::Operator => "operator",
            Role::Author => "author",
            Role::Publisher => "publisher",
            Role::Owner => "owner",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let role = Role::ALL.into_iter().find(|role| role.as_str() == word);
        role.ok_or_else(|| {
            format!(
                "`{word}` is not a role: write `viewer`, `operator`, `author`, `publisher` or `owner`"
            )
        })
    }
}

/// A token as its owner has it. `Display` shows it, `Debug` does not.
pub struct PlainToken {
    id: String,
    text: String,
}

impl PlainToken {
    /// Returns the id by which it is listed, and taken back.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl fmt::Display for PlainToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for PlainToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlainToken")
    }
}

of_row! {
    /// What the store tells of a token.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
    pub struct Token {
        /// The id.
        pub id: String,
        /// What people call it.
        pub name: String,
        /// What its owner may do.
        pub role: Role,
        /// The only agent that it is for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub agent: Option<String>,
        /// Who has made it.
        pub author: String,
        /// When.
        pub at: Timestamp,
        /// When it was last used, to a minute.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub used: Option<Timestamp>,
        /// Through which door it was last used.
        pub used_from: String,
        /// From when on it is refused.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub ends: Option<Timestamp>,
    }
}

of_row! {
    /// Who calls with a token.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Caller {
        /// The tenant; empty for the global one.
        pub tenant: String,
        /// What the caller may do.
        pub role: Role,
        /// The only agent that the token is for.
        pub agent: Option<String>,
        /// The token's id.
        pub id: String,
        /// The token's name.
        pub name: String,
        /// The hash of the token, by which [`Store::caller_of`] finds it again.
        pub hash: String,
        /// From when on the token is refused.
        pub ends: Option<Timestamp>,
    }
}

pub(crate) fn hash(plain: &str) -> String {
    hex::encode(sha256(plain.as_bytes()))
}

/// Expects that a log can be read in which the names are: of a token, and of its tenant, which begins with a token.
fn expect_names(tenant: &str, name: &str) -> Result<()> {
    let is_part =
        |byte: u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.');
    let is_begun = tenant.starts_with(|first: char| first.is_ascii_alphanumeric());
    let is_tenant =
        is_begun && tenant.len() <= 64 && tenant != "global" && tenant.bytes().all(is_part);
    if !(tenant.is_empty() || is_tenant) {
        let message = format!("{tenant:?} is not a name of a tenant");
        let help = "write at most 64 of a-z, A-Z, 0-9, `-`, `_` and `.`, a letter or a digit first; `global` is taken";
        return Err(StoreError::invalid("/tenant", message, help));
    }
    if !(1..=100).contains(&name.chars().count()) || name.chars().any(char::is_control) {
        let message =
            "the name of a token has 1 to 100 characters, and none that controls a screen";
        return Err(StoreError::invalid("/name", message, ""));
    }
    Ok(())
}

impl Column for Role {
    fn of(value: &SqlValue) -> Result<Self, String> {
        String::of(value)?.parse()
    }
}

impl Store {
    /// Returns who calls with a token, if there is such a token, and it has not ended.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn caller(&self, plain: &str) -> Result<Option<Caller>> {
        if !plain.starts_with(PREFIX) {
            return Ok(None);
        }
        self.caller_of(hash(plain)).await
    }

    /// Returns who calls with the token that has a [hash](Caller::hash).
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn caller_of(&self, hash: String) -> Result<Option<Caller>> {
        let sql = "SELECT tenant_id AS tenant, role, agent, id, name, hash, ends FROM token \
                   WHERE hash = $1 AND (ends = 0 OR ends > $2)";
        let values = args![hash, self.0.now()];
        Glance(self.0.engine()).one(sql, values).await
    }

    /// Notes that tokens were used now, each by its [hash](Caller::hash) and from where. That changes nothing that anything else
    /// reads.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn tokens_used(&self, used: &[(Arc<str>, String)]) -> Result<()> {
        let mut by_place: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (hash, from) in used {
            by_place.entry(from).or_default().push(hash);
        }
        for (from, hashes) in by_place {
            for some in hashes.chunks(USED) {
                let places = (3..some.len() + 3).map(|place| format!("${place}"));
                let places = places.collect::<Vec<_>>().join(", ");
                let sql =
                    format!("UPDATE token SET used = $1, used_from = $2 WHERE hash IN ({places})");
                let mut values = args![self.0.now(), from];
                values.extend(some.iter().map(|hash| SqlValue::from(*hash)));
                self.0.note(&sql, values).await?;
            }
        }
        Ok(())
    }
}

impl Tenant {
    /// Makes a token that does not end.
    ///
    /// ```
    /// use hooks_store::{By, Role, Store};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
    /// let store = Store::open("sqlite::memory:").await?;
    /// let token = store.tenant("acme").token_new("ci", Role::Publisher, None, &By::new("ada")).await?;
    /// let caller = store.caller(&token.to_string()).await?.unwrap();
    /// assert_eq!((&*caller.tenant, caller.role), ("acme", Role::Publisher));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If another token has the name, the name does not have 1 to 100 characters or has control characters, the tenant's name is
    /// none (`[A-Za-z0-9][A-Za-z0-9-_.]*` of at most 64, and not `global`), or the database fails.
    pub async fn token_new(
        &self,
        name: &str,
        role: Role,
        agent: Option<&str>,
        by: &By,
    ) -> Result<PlainToken> {
        self.token_until(name, role, agent, None, by).await
    }

    /// Makes a token that ends.
    ///
    /// # Errors
    ///
    /// If it has ended already, another token has the name, or the database fails.
    pub async fn token_until(
        &self,
        name: &str,
        role: Role,
        agent: Option<&str>,
        ends: Option<Timestamp>,
        by: &By,
    ) -> Result<PlainToken> {
        expect_names(&self.id, name)?;
        let by = by.clone().comment(name);
        let mut write = self.write(&by).await?;
        if ends.is_some_and(|ends| ends <= write.at) {
            let message = "the token would have ended already";
            return Err(StoreError::invalid("/ends", message, "choose a later end"));
        }
        // A token that has ended leaves its name.
        let sql = "DELETE FROM token WHERE tenant_id = $1 AND name = $2 AND ends <> 0 AND ends <= $3 RETURNING id";
        let ended: Vec<String> = write.all(sql, args![&self.id, name, write.at]).await?;
        for id in ended {
            write.rows.gone("token", args![id]);
        }
        let sql = "SELECT id FROM token WHERE tenant_id = $1 AND name = $2";
        let old: Option<String> = write.one(sql, args![&self.id, name]).await?;
        if old.is_some() {
            let message = format!("there is a token with the name `{name}` already");
            let help = "choose another name, or revoke that one first";
            return Err(StoreError::invalid("/name", message, help));
        }
        let token = self.insert_token(&mut write, name, role, agent, ends);
        let token = token.await?;
        write.end("token.new", &token.id, "", role.as_str()).await?;
        Ok(token)
    }

    async fn insert_token(
        &self,
        write: &mut Write<'_>,
        name: &str,
        role: Role,
        agent: Option<&str>,
        ends: Option<Timestamp>,
    ) -> Result<PlainToken> {
        let token = PlainToken {
            id: self.store.new_id(),
            text: format!("{PREFIX}{}", random_text()),
        };
        let row = args![
            &token.id,
            name,
            role.as_str(),
            agent.unwrap_or_default(),
            hash(&token.text),
            &write.by.actor,
            write.at,
            ends.unwrap_or_default()
        ];
        write.put("token", row).await?;
        Ok(token)
    }

    /// Makes a token with the name, the rights and the end of another, which ends after a while: the holder of that one
    /// has so long to take the new one.
    ///
    /// ```
    /// use hooks_store::{By, Role, Store};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
    /// let store = Store::open("sqlite::memory:").await?;
    /// let (acme, by) = (store.tenant("acme"), By::new("ada"));
    /// let old = acme.token_new("ci", Role::Publisher, None, &by).await?;
    /// let new = acme.rotate_token(old.id(), jiff::SignedDuration::ZERO, &by).await?;
    /// assert!(store.caller(&old.to_string()).await?.is_none());
    /// assert_eq!(store.caller(&new.to_string()).await?.unwrap().name, "ci");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no such token, it has ended, or the database fails.
    pub async fn rotate_token(
        &self,
        id: &str,
        grace: SignedDuration,
        by: &By,
    ) -> Result<PlainToken> {
        let mut write = self.write(by).await?;
        let sql = format!("{TOKEN} AND id = $2 AND (ends = 0 OR ends > $3)");
        let old: Option<Token> = write.one(&sql, args![&self.id, id, write.at]).await?;
        let missing = || StoreError::NotFound(format!("token {id:?}"));
        let old = old.ok_or_else(missing)?;
        let new = self.insert_token(
            &mut write,
            &old.name,
            old.role,
            old.agent.as_deref(),
            old.ends,
        );
        let new = new.await?;
        let end = write.at.saturating_add(grace).unwrap_or(write.at);
        let end = old.ends.map_or(end, |ends| ends.min(end));
        let sql = "UPDATE token SET ends = $3 WHERE tenant_id = $1 AND id = $2 RETURNING hash";
        let hash: Option<String> = write.one(sql, args![&self.id, id, end]).await?;
        let (agent, hash) = (old.agent.unwrap_or_default(), hash.unwrap_or_default());
        let row = args![
            id,
            &old.name,
            old.role.as_str(),
            agent,
            hash,
            &old.author,
            old.at,
            end
        ];
        write.rows.note("token", row);
        write
            .end("token.rotate", &new.id, id, old.role.as_str())
            .await?;
        Ok(new)
    }

    /// Returns what is known of the tokens.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn tokens(&self) -> Result<Vec<Token>> {
        let sql = format!("{TOKEN} ORDER BY id");
        self.engine().all(&sql, args![&self.id]).await
    }

    /// Takes a token back: from now on, it is none, and its sessions are over.
    ///
    /// # Errors
    ///
    /// If there is no such token, or the database fails.
    pub async fn revoke_token(&self, id: &str, by: &By) -> Result<()> {
        let mut write = self.write(by).await?;
        let sql = "DELETE FROM token WHERE tenant_id = $1 AND id = $2 RETURNING role, hash";
        let revoked: Option<(String, String)> = write.one(sql, args![&self.id, id]).await?;
        let missing = || StoreError::NotFound(format!("token {id:?}"));
        let (role, hash) = revoked.ok_or_else(missing)?;
        let sql = "DELETE FROM session WHERE tenant_id = $1 AND token = $2";
        write.run(sql, args![&self.id, hash]).await?;
        write.rows.gone("token", args![id]);
        write.end("token.revoke", id, &role, "").await
    }
}
