//! Sessions: who is logged in to a console. The store has the hashes of their cookies alone, so who reads it is not
//! logged in. A session ends with its token.

use jiff::SignedDuration;

use crate::engine::{OfRow as _, SqlValue, args, of_row};
use crate::error::Result;
use crate::store::Store;
use crate::token::hash;

/// How long a session lives after it was last used, and in all.
const IDLE: SignedDuration = SignedDuration::from_hours(12);
const LONGEST: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How many sessions of one token are open at once. A further one closes the one that was not used for the longest time.
const MOST: u64 = 16;

of_row! {
    /// A session that is open.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Session {
        /// The tenant.
        pub tenant: String,
        /// The [hash](crate::Caller::hash) of the token that has opened it; empty if there was none.
        pub token: String,
    }
}

impl Store {
    /// Opens a session, and removes those that are over. Returns whether it has closed another of the same token.
    ///
    /// ```
    /// use hooks_store::{Session, Store};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
    /// let store = Store::open("sqlite::memory:").await?;
    /// let session = Session { tenant: "acme".into(), token: String::new() };
    /// store.open_session("a number that cannot be guessed", &session).await?;
    /// assert_eq!(store.session("a number that cannot be guessed").await?, Some(session));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn open_session(&self, cookie: &str, session: &Session) -> Result<bool> {
        let sql = "DELETE FROM session WHERE used <= $1 OR begun <= $2";
        self.0.note(sql, self.over()).await?;
        let sql = "DELETE FROM session WHERE tenant_id = $1 AND token = $2 AND hash NOT IN (SELECT hash FROM session \
                   WHERE tenant_id = $1 AND token = $2 ORDER BY used DESC, hash LIMIT $3) RETURNING hash";
        let own = args![&session.tenant, &session.token, MOST - 1];
        let closed = self.0.note(sql, own).await?;
        let sql =
            "INSERT INTO session (tenant_id, hash, token, begun, used) VALUES ($1, $2, $3, $4, $4)";
        let own = args![&session.tenant, hash(cookie), &session.token, self.0.now()];
        self.0.note(sql, own).await?;
        Ok(!closed.is_empty())
    }

    /// Returns the session of a cookie, if it is open, and notes that it is used.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn session(&self, cookie: &str) -> Result<Option<Session>> {
        let sql = "UPDATE session SET used = $4 WHERE used > $1 AND begun > $2 AND hash = $3 RETURNING tenant_id AS tenant, token";
        let mut values = self.over();
        values.extend(args![hash(cookie), self.0.now()]);
        let rows = self.0.note(sql, values).await?;
        rows.first().map(Session::of_row).transpose()
    }

    /// Closes the session of a cookie.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn close_session(&self, cookie: &str) -> Result<()> {
        let sql = "DELETE FROM session WHERE hash = $1";
        self.0.note(sql, args![hash(cookie)]).await.map(drop)
    }

    /// What is over: what was last used, or begun, at these times.
    fn over(&self) -> Vec<SqlValue> {
        let now = self.0.now();
        args![now - IDLE, now - LONGEST]
    }
}
