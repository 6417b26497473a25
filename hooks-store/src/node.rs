//! Nodes: the runtimes that run a tenant's hooks, which revision each has in force, which breakers are open there, and in
//! which order its hooks run.

use std::collections::HashMap;

use hooks_runtime::{BreakerState, Ordered, Status};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::admin::By;
use crate::engine::{Column, JsonColumn, ReadsAs as _, RowReader as _, SqlValue, args, of_row};
use crate::error::{Result, StoreError};
use crate::store::Tenant;
use crate::text::{expect_exact, expect_short, sha256};

/// What a node tells of itself.
///
/// ```
/// use hooks_core::agent::BeforeToolCall;
/// use hooks_core::{hook, hooks};
/// use hooks_runtime::Runtime;
/// use hooks_store::{NodeReport, Store};
///
/// #[hook]
/// fn look(_: &BeforeToolCall) {}
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let acme = Store::open("sqlite::memory:").await?.tenant("acme");
/// let runtime = Runtime::builder().source(acme.source()).build().await?;
/// let hooks = hooks![look, ..runtime.clone()];
///
/// let mut report = NodeReport::from(&runtime.status());
/// report.order = Some(runtime.order_in(hooks.plan()));
/// assert!(acme.report("coder 1", &report).await?.reset.is_empty());
/// assert_eq!(acme.node_order("coder 1").await?.unwrap()[0].hook, "look");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NodeReport {
    /// The revision that is in force there.
    pub revision: u64,
    /// Its hash.
    pub hash: String,
    /// Why a later revision was refused; empty if none was. The first KiB is kept.
    pub refused: String,
    /// The hooks that are not asked, or are tried again, because they failed too often.
    pub breakers: Vec<(String, BreakerState)>,
    /// All hooks there in their order, with those of the agent's own code: [`Runtime::order_in`](hooks_runtime::Runtime::order_in).
    /// At most 1 MiB as JSON. `None`, the default, keeps the order that was reported last.
    pub order: Option<Vec<Ordered>>,
}

/// The answer to the report of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// The hooks whose breakers it is to close: [`Runtime::reset_breaker`](hooks_runtime::Runtime::reset_breaker).
    pub reset: Vec<String>,
    /// Whether its order is known. A node that sends its order only when it changes sends it again if this is `false`.
    pub has_order: bool,
}

of_row! {
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
        /// Whether its order is known: [`Tenant::node_order`] returns it.
        pub has_order: bool,
    }
}

of_row! {
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
        /// Whether an operator wants it closed. The node learns that when it reports.
        pub reset: bool,
    }
}

impl From<&Status> for NodeReport {
    fn from(status: &Status) -> Self {
        let hooks = status.hooks.iter();
        let open = hooks.filter(|hook| hook.breaker != BreakerState::Closed);
        let mut sources = status.sources.iter();
        let bundle = sources.find_map(|source| source.bundle.as_ref());
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
            order: None,
        }
    }
}

/// When a node is gone that has not reported. One that runs reports every few seconds, so this is longer than a restart takes,
/// and a node with a new name after each restart does not stay for ever.
const GONE: SignedDuration = SignedDuration::from_mins(10);

/// The longest order of a node, in bytes of JSON: some thousands of hooks.
const LONGEST_ORDER: usize = 1 << 20;

/// The longest name of a node, in bytes.
const LONGEST_NAME: usize = 200;

/// How much of another text of a node is kept, in bytes: every page of people reads it.
const LONGEST_TEXT: usize = 1 << 10;

/// The part of a text that is kept.
fn begin(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_TEXT)]
}

/// An order as it is kept.
fn order_text(order: &[Ordered]) -> Result<String> {
    for (index, hook) in order.iter().enumerate() {
        let version = hook.version.unwrap_or_default();
        expect_exact(&format!("/order/{index}/version"), version)?;
    }
    let text = json!(order).to_string();
    expect_short("/order", "order", &text, LONGEST_ORDER)?;
    Ok(text)
}

impl Column for BreakerState {
    fn of(value: &SqlValue) -> Result<Self, String> {
        let known = serde_json::from_value(String::of(value)?.into());
        known.map_err(|error| format!("is none: {error}"))
    }
}

impl Tenant {
    /// Writes down what a node tells of itself; its order only if it is another one. Nodes that have not reported for ten
    /// minutes are removed, with their breakers and orders.
    ///
    /// # Errors
    ///
    /// If the name does not have 1 to 200 bytes, the revision or a version is more than 2^53 - 1, the order is longer than
    /// 1 MiB, or the database fails.
    pub async fn report(&self, node: &str, report: &NodeReport) -> Result<Told> {
        if !(1..=LONGEST_NAME).contains(&node.len()) {
            let message = format!("a name has 1 to {LONGEST_NAME} bytes");
            return Err(StoreError::invalid("/name", message, ""));
        }
        expect_exact("/revision", report.revision)?;
        let order = report.order.as_deref().map(order_text).transpose()?;
        let now = self.store.now();
        let mut transaction = self.engine().begin().await?;
        let sql = "INSERT INTO node (tenant_id, name, revision, hash, refused, seen) VALUES ($1, $2, $3, $4, $5, $6) \
                   ON CONFLICT (tenant_id, name) DO UPDATE SET revision = excluded.revision, hash = excluded.hash, \
                   refused = excluded.refused, seen = excluded.seen";
        let values = args![
            &self.id,
            node,
            report.revision,
            begin(&report.hash),
            begin(&report.refused),
            now
        ];
        transaction.run(sql, values).await?;
        let sql = "DELETE FROM node WHERE tenant_id = $1 AND seen < $2";
        transaction.run(sql, args![&self.id, now - GONE]).await?;
        for of_node in ["breaker", "node_order"] {
            let sql = format!(
                "DELETE FROM {of_node} WHERE tenant_id = $1 AND node NOT IN (SELECT name FROM node WHERE tenant_id = $1)"
            );
            transaction.run(&sql, args![&self.id]).await?;
        }
        if let Some(order) = order {
            let sql = "INSERT INTO node_order (tenant_id, node, hash, body) VALUES ($1, $2, $3, $4) \
                       ON CONFLICT (tenant_id, node) DO UPDATE SET hash = excluded.hash, body = excluded.body \
                       WHERE node_order.hash <> excluded.hash";
            let values = args![&self.id, node, hex::encode(sha256(order.as_bytes())), order];
            transaction.run(sql, values).await?;
        }
        let sql = "SELECT hash FROM node_order WHERE tenant_id = $1 AND node = $2";
        let known: Option<String> = transaction.one(sql, args![&self.id, node]).await?;
        let has_order = known.is_some();
        let sql = "DELETE FROM breaker WHERE tenant_id = $1 AND node = $2 RETURNING hook, state, since, reset";
        let old: Vec<(String, BreakerState, Timestamp, bool)> =
            transaction.all(sql, args![&self.id, node]).await?;
        let (mut reset, mut known) = (Vec::new(), HashMap::new());
        for (hook, state, since, is_reset) in old {
            reset.extend(is_reset.then(|| hook.clone()));
            known.insert(hook, (state, since));
        }
        let open = report.breakers.iter();
        for (hook, state) in open.filter(|(_, state)| *state != BreakerState::Closed) {
            let before = known.get(hook).filter(|(before, _)| before == state);
            let since = before.map_or(now, |(_, since)| *since);
            let state = json!(state);
            let values = args![
                &self.id,
                node,
                hook,
                state.as_str().unwrap_or_default(),
                since
            ];
            let sql = "INSERT INTO breaker (tenant_id, node, hook, state, since, reset) \
                       VALUES ($1, $2, $3, $4, $5, 0) ON CONFLICT (tenant_id, node, hook) DO NOTHING";
            transaction.run(sql, values).await?;
        }
        transaction.commit().await?;
        Ok(Told { reset, has_order })
    }

    /// Returns the nodes that have reported, without those that are gone.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn nodes(&self) -> Result<Vec<Node>> {
        let sql = "SELECT name, revision, hash, refused, seen AS seen_at, (SELECT COUNT(*) FROM node_order o \
                   WHERE o.tenant_id = n.tenant_id AND o.node = n.name) AS has_order \
                   FROM node n WHERE tenant_id = $1 ORDER BY name";
        self.engine().all(sql, args![&self.id]).await
    }

    /// Returns the hooks of a node in their order, if it is here and has reported it.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn node_order(&self, node: &str) -> Result<Option<Vec<Ordered>>> {
        let sql = "SELECT body FROM node_order WHERE tenant_id = $1 AND node = $2";
        let order = self.engine().one(sql, args![&self.id, node]).await?;
        Ok(order.map(|JsonColumn(order)| order))
    }

    /// Returns the breakers that are not closed.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn breakers(&self) -> Result<Vec<Breaker>> {
        let sql = "SELECT node, hook, state, since, reset FROM breaker WHERE tenant_id = $1 ORDER BY hook, node";
        self.engine().all(sql, args![&self.id]).await
    }

    /// Asks each node to close the breakers of a hook when it reports next. Returns how many there are.
    ///
    /// # Errors
    ///
    /// If no node has an open breaker of this hook, or the database fails.
    pub async fn reset_breaker(&self, hook: &str, by: &By) -> Result<u64> {
        let mut write = self.write(by).await?;
        let sql = "UPDATE breaker SET reset = 1 WHERE tenant_id = $1 AND hook = $2 RETURNING hook";
        let count = write.run(sql, args![&self.id, hook]).await?.len() as u64;
        if count == 0 {
            let missing = format!("open breaker of the hook {hook:?}");
            return Err(StoreError::NotFound(missing));
        }
        write.end("breaker.reset", hook, "", "").await?;
        Ok(count)
    }
}
