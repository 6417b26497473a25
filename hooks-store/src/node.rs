//! Nodes: the runtimes that run a tenant's hooks, which revision each has in force, and which breakers are open there.

use hooks_runtime::{BreakerState, Status};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::admin::By;
use crate::engine::args;
use crate::error::StoreError;
use crate::store::Tenant;
use crate::text::expect_exact;

/// What a node tells of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NodeReport {
    /// The revision that is in force there.
    pub revision: u64,
    /// Its hash.
    pub hash: String,
    /// Why a later revision was refused; empty if none was.
    pub refused: String,
    /// The hooks that are not asked, or are tried again, because they failed too often.
    pub breakers: Vec<(String, BreakerState)>,
}

/// A runtime that has reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// The revision that is in force there.
    pub revision: u64,
    /// Its hash.
    pub hash: String,
    /// Why a later revision was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// When it reported last.
    pub seen_at: Timestamp,
}

/// A breaker that is not closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Breaker {
    /// The node.
    pub node: String,
    /// The hook.
    pub hook: String,
    /// Whether the hook is not asked, or is tried again.
    pub state: BreakerState,
    /// Since when the node reports this state.
    pub since: Timestamp,
    /// Whether somebody wants it closed. The node learns that when it reports.
    pub reset: bool,
}

impl From<&Status> for NodeReport {
    fn from(status: &Status) -> Self {
        let hooks = status.hooks.iter();
        let open = hooks.filter(|hook| hook.breaker != BreakerState::Closed);
        let mut bundles = status
            .sources
            .iter()
            .filter_map(|source| source.bundle.as_ref());
        let bundle = bundles.next();
        let refused = bundle.and_then(|bundle| bundle.refused.clone());
        let refused = refused.or_else(|| status.refused.as_ref().map(ToString::to_string));
        // A runtime counts how often it has loaded; what people publish has the numbers of its bundles.
        let (revision, hash) = bundle.map_or_else(
            || (status.revision.number, &status.revision.hash),
            |bundle| (bundle.revision, &bundle.sha256),
        );
        NodeReport {
            revision,
            hash: hash.clone(),
            refused: refused.unwrap_or_default(),
            breakers: open.map(|hook| (hook.name.clone(), hook.breaker)).collect(),
        }
    }
}

/// When a node is gone that has not reported. One that runs reports every few seconds, so this is longer than a restart takes,
/// and a node with a new name after each restart does not stay for ever.
const GONE: SignedDuration = SignedDuration::from_mins(10);

fn word(state: BreakerState) -> &'static str {
    match state {
        BreakerState::Closed => "closed",
        BreakerState::Open => "open",
        BreakerState::HalfOpen => "half_open",
    }
}

impl Tenant {
    /// Writes down what a node tells of itself. Returns the hooks whose breakers it should close. Nodes that have not reported
    /// for ten minutes are removed, with their breakers.
    ///
    /// # Errors
    ///
    /// If the revision is more than 2^53 - 1, or the database fails.
    pub async fn report(&self, node: &str, report: &NodeReport) -> Result<Vec<String>, StoreError> {
        expect_exact("/revision", report.revision)?;
        let now = self.store.now();
        let mut transaction = self.store.engine.begin().await?;
        let sql = "INSERT INTO node (tenant_id, name, revision, hash, refused, seen) VALUES ($1, $2, $3, $4, $5, $6) \
                   ON CONFLICT (tenant_id, name) DO UPDATE SET revision = excluded.revision, hash = excluded.hash, \
                   refused = excluded.refused, seen = excluded.seen";
        let values = args![
            &self.id,
            node,
            report.revision,
            &report.hash,
            &report.refused,
            now
        ];
        transaction.execute(sql, values).await?;
        let sql = "DELETE FROM node WHERE tenant_id = $1 AND seen < $2";
        transaction
            .execute(sql, args![&self.id, now - GONE])
            .await?;
        let sql = "DELETE FROM breaker WHERE tenant_id = $1 AND node NOT IN (SELECT name FROM node WHERE tenant_id = $1)";
        transaction.execute(sql, args![&self.id]).await?;
        let sql = "DELETE FROM breaker WHERE tenant_id = $1 AND node = $2 RETURNING hook, state, since, reset";
        let old = transaction.fetch(sql, args![&self.id, node]).await?;
        let mut reset = Vec::new();
        for row in &old {
            if row.int("reset")? != 0 {
                reset.push(row.text("hook")?);
            }
        }
        for (hook, state) in &report.breakers {
            let state = word(*state);
            let mut since = now;
            for row in &old {
                if row.text("hook")? == *hook && row.text("state")? == state {
                    since = row.time("since")?;
                }
            }
            let sql = "INSERT INTO breaker (tenant_id, node, hook, state, since, reset) \
                       VALUES ($1, $2, $3, $4, $5, 0) ON CONFLICT (tenant_id, node, hook) DO NOTHING";
            transaction
                .execute(sql, args![&self.id, node, hook, state, since])
                .await?;
        }
        transaction.commit().await?;
        Ok(reset)
    }

    /// Returns the nodes that have reported, without those that are gone.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn nodes(&self) -> Result<Vec<Node>, StoreError> {
        let sql = "SELECT name, revision, hash, refused, seen FROM node WHERE tenant_id = $1 ORDER BY name";
        let rows = self.engine().fetch(sql, args![&self.id]).await?;
        let nodes = rows.iter().map(|row| {
            Ok(Node {
                name: row.text("name")?,
                revision: row.number("revision")?,
                hash: row.text("hash")?,
                refused: Some(row.text("refused")?).filter(|refused| !refused.is_empty()),
                seen_at: row.time("seen")?,
            })
        });
        nodes.collect()
    }

    /// Returns the breakers that are not closed.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn breakers(&self) -> Result<Vec<Breaker>, StoreError> {
        let sql = "SELECT node, hook, state, since, reset FROM breaker WHERE tenant_id = $1 ORDER BY hook, node";
        let rows = self.engine().fetch(sql, args![&self.id]).await?;
        let breakers = rows.iter().map(|row| {
            Ok(Breaker {
                node: row.text("node")?,
                hook: row.text("hook")?,
                state: match row.text("state")?.as_str() {
                    "half_open" => BreakerState::HalfOpen,
                    _ => BreakerState::Open,
                },
                since: row.time("since")?,
                reset: row.int("reset")? != 0,
            })
        });
        breakers.collect()
    }

    /// Asks each node to close the breakers of a hook when it reports next. Returns how many there are.
    ///
    /// # Errors
    ///
    /// If no node has an open breaker of this hook, or the database fails.
    pub async fn reset_breaker(&self, hook: &str, by: &By) -> Result<u64, StoreError> {
        let mut write = self.write(by).await?;
        let sql = "UPDATE breaker SET reset = 1 WHERE tenant_id = $1 AND hook = $2";
        let count = write.execute(sql, args![&self.id, hook]).await?;
        if count == 0 {
            return Err(StoreError::NotFound(format!(
                "open breaker of the hook {hook:?}"
            )));
        }
        write.log("breaker.reset", hook, "", "").await?;
        write.commit().await?;
        Ok(count)
    }
}
