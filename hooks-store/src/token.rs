//! Tokens: who may call an API that stands on the store. A token is shown once, and only its hash is kept.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::admin::By;
use crate::crypt::random_text;
use crate::engine::{Column, Glance, Reads as _, ReadsAs as _, Value, args, of_row};
use crate::error::{Result, StoreError};
use crate::store::{Store, Tenant};
use crate::text::sha256;

/// How a token begins. Scanners for leaked secrets look for it: another beginning would hide the tokens that are out there.
const PREFIX: &str = "hks_";

/// What somebody may do, from the least to the most.
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
                "`{word}` is no role: write `viewer`, `operator`, `author`, `publisher` or `owner`"
            )
        })
    }
}

/// A token as its owner has it. `Display` shows it, `Debug` does not.
pub struct PlainToken(String);

impl fmt::Display for PlainToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
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
    }
}

pub(crate) fn hash(plain: &str) -> String {
    hex::encode(sha256(plain.as_bytes()))
}

/// Expects that a log can be read in which the names are: of a token, and of its tenant, which begins with a token.
fn expect_names(tenant: &str, name: &str) -> Result<()> {
    let is_part = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.');
    let is_begun = tenant.starts_with(|first: char| first.is_ascii_alphanumeric());
    let is_tenant =
        is_begun && tenant.len() <= 64 && tenant != "global" && tenant.bytes().all(is_part);
    if !(tenant.is_empty() || is_tenant) {
        let message = format!("{tenant:?} is not a name of a tenant");
        let help = "write at most 64 of a-z, 0-9, `-`, `_` and `.`, a letter or a digit first; `global` is taken";
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
    fn of(value: &Value) -> Result<Self, String> {
        String::of(value)?.parse()
    }
}

impl Store {
    /// Returns who calls with a token, if there is such a token.
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
        let sql =
            "SELECT tenant_id AS tenant, role, agent, id, name, hash FROM token WHERE hash = $1";
        Glance(self.0.engine()).one(sql, args![hash]).await
    }

    /// Notes that a token was used now. It is no change, so nobody reads anything again because of it.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn token_used(&self, hash: &str, from: &str) -> Result<()> {
        let sql = "UPDATE token SET used = $2, used_from = $3 WHERE hash = $1";
        let values = args![hash, self.0.now(), from];
        self.0.note(sql, values).await.map(drop)
    }
}

impl Tenant {
    /// Makes a token.
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
    /// none (`[a-z0-9][a-z0-9-_.]*` of at most 64, and not `global`), or the database fails.
    pub async fn token_new(
        &self,
        name: &str,
        role: Role,
        agent: Option<&str>,
        by: &By,
    ) -> Result<PlainToken> {
        expect_names(&self.id, name)?;
        let token = PlainToken(format!("{PREFIX}{}", random_text()));
        let by = by.clone().comment(name);
        let mut write = self.write(&by).await?;
        let sql = "SELECT id FROM token WHERE tenant_id = $1 AND name = $2";
        let old: Option<String> = write.one(sql, args![&self.id, name]).await?;
        if old.is_some() {
            let message = format!("there is a token with the name `{name}` already");
            let help = "choose another name, or revoke that one first";
            return Err(StoreError::invalid("/name", message, help));
        }
        let id = self.store.new_id();
        let (agent, role, hash) = (agent.unwrap_or_default(), role.as_str(), hash(&token.0));
        let row = args![&id, name, role, agent, hash, &by.actor, write.at];
        write.put("token", row).await?;
        write.end("token.new", &id, "", role).await?;
        Ok(token)
    }

    /// Returns what is known of the tokens.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn tokens(&self) -> Result<Vec<Token>> {
        let sql = "SELECT id, name, role, agent, author, at, used, used_from FROM token WHERE tenant_id = $1 ORDER BY id";
        self.engine().all(sql, args![&self.id]).await
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
