//! What stored hooks cost a dispatch, beside the same hooks in a file and beside a runner that asks its database.
//!
//! `cargo nextest run --release -p hooks-store --run-ignored only by_hand::compared --no-capture` shows the figures.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::Runtime;
use regex::Regex;
use serde_json::json;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

use crate::common::{Place, ada};
use crate::postgres::Databases;

const ROUNDS: usize = 41;

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// How long one of many dispatches takes.
async fn dispatch(runtime: &Runtime, tool: &str, times: u32) -> Duration {
    let hooks = hooks![..runtime.clone()];
    let cx = AgentContext::new("s1").with_tenant_id("acme");
    let started = Instant::now();
    for _ in 0..times {
        let mut call = BeforeToolCall::new("1", tool, json!({ "command": "ls" }));
        assert!(hooks.intercept(&cx, &mut call).await.is_continue());
    }
    started.elapsed() / times
}

#[tokio::test]
#[ignore = "it measures: run it by hand"]
async fn a_stored_hook_costs_what_a_hook_of_a_file_costs() {
    let mut text = String::new();
    for n in 0..1000 {
        write!(text, "[[hooks.on]]\nname = 'h{n}'\nevent = 'BeforeToolCall'\ntools = ['t{n}']\nblock = 'no'\n").unwrap();
    }
    let place = Place::file();
    let store = place.open().await;
    let tenant = store.tenant("acme");
    let bundle = hooks_runtime::Bundle::of_toml(&text).unwrap();
    tenant.put_draft(&bundle, &ada()).await.unwrap();
    tenant.publish(&ada()).await.unwrap();
    let stored = Runtime::builder()
        .source(tenant.source())
        .build()
        .await
        .unwrap();
    stored.watch().unwrap();
    let filed = Runtime::builder().text(text).build().await.unwrap();
    let (mut of_store, mut of_file) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        of_store.push(dispatch(&stored, "other", 5000).await);
        of_file.push(dispatch(&filed, "other", 5000).await);
    }
    let (of_store, of_file) = (median(of_store), median(of_file));
    let ratio = of_store.as_secs_f64() / of_file.as_secs_f64();
    println!(
        "1,000 definitions, none matches: stored {of_store:?}, of a file {of_file:?}, ratio {ratio:.2}"
    );
}

/// A runner as GoClaw has it: each dispatch asks the database whether its list is still true, matchers are kept in a map by
/// their text, and each hook that runs is a row before the next one runs.
struct Asking {
    database: SqlitePool,
    matchers: HashMap<String, Regex>,
    kept: Option<(i64, Vec<(i64, String)>)>,
}

impl Asking {
    async fn open(address: &str, hooks: usize) -> Self {
        let options: SqliteConnectOptions = address.parse().unwrap();
        let database = SqlitePool::connect_with(options).await.unwrap();
        let tables = "CREATE TABLE asked_hooks (id INTEGER PRIMARY KEY, tenant_id TEXT, scope TEXT, event TEXT, matcher TEXT, \
                      priority INTEGER, enabled INTEGER, version INTEGER); \
                      CREATE INDEX asked_lookup ON asked_hooks (tenant_id, event) WHERE enabled = 1; \
                      CREATE TABLE asked_executions (id INTEGER PRIMARY KEY, hook_id INTEGER, session_id TEXT, event TEXT, \
                      input_hash TEXT, decision TEXT, duration_ms INTEGER, dedup_key TEXT UNIQUE, created_at TEXT)";
        sqlx::raw_sql(tables).execute(&database).await.unwrap();
        for n in 0..hooks {
            sqlx::query("INSERT INTO asked_hooks VALUES ($1, 'acme', 'tenant', 'pre_tool_use', $2, 0, 1, 1)")
                .bind(i64::try_from(n).unwrap())
                .bind(format!("^t{}$", n / 3))
                .execute(&database)
                .await
                .unwrap();
        }
        Asking {
            database,
            matchers: HashMap::new(),
            kept: None,
        }
    }

    async fn dispatch(&mut self, tool: &str, nth: usize) {
        let fits =
            "enabled = 1 AND event = 'pre_tool_use' AND (tenant_id = 'acme' OR scope = 'global')";
        let newest: (i64,) = sqlx::query_as(sqlx::AssertSqlSafe(format!(
            "SELECT COALESCE(MAX(version), 0) FROM asked_hooks WHERE {fits}"
        )))
        .fetch_one(&self.database)
        .await
        .unwrap();
        if self
            .kept
            .as_ref()
            .is_none_or(|(version, _)| *version != newest.0)
        {
            let rows = sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT id, matcher FROM asked_hooks WHERE {fits} ORDER BY priority DESC, id"
            )))
            .fetch_all(&self.database)
            .await
            .unwrap();
            self.kept = Some((newest.0, rows));
        }
        let (_, hooks) = self.kept.as_ref().unwrap();
        for (id, matcher) in hooks {
            let regex = self
                .matchers
                .entry(matcher.clone())
                .or_insert_with(|| Regex::new(matcher).unwrap());
            if !regex.is_match(tool) {
                continue;
            }
            sqlx::query(
                "INSERT INTO asked_executions (hook_id, session_id, event, input_hash, decision, duration_ms, dedup_key, \
                 created_at) VALUES ($1, 's1', 'pre_tool_use', 'none', 'allow', 0, $2, '2026-11-01') ON CONFLICT DO NOTHING",
            )
            .bind(id)
            .bind(format!("{id}:{nth}"))
            .execute(&self.database)
            .await
            .unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it measures: run it by hand"]
async fn a_runner_that_asks_its_database_is_slower() {
    let place = Place::file();
    let store = place.open().await;
    let tenant = store.tenant("acme");
    let mut text = String::new();
    for n in 0..99 {
        let tool = n / 3;
        write!(text, "[[hooks.on]]\nname = 'h{n}'\nevent = 'BeforeToolCall'\ntools = ['t{tool}']\ncontext = 'seen'\n").unwrap();
    }
    let bundle = hooks_runtime::Bundle::of_toml(&text).unwrap();
    tenant.put_draft(&bundle, &ada()).await.unwrap();
    tenant.publish(&ada()).await.unwrap();
    let recorder = store.recorder();
    let builder = Runtime::builder().source(tenant.source());
    let runtime = builder.recorder(recorder.clone()).build().await.unwrap();
    let mut asking = Asking::open(&place.address, 99).await;
    const EVENTS: usize = 500;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..11 {
        let started = Instant::now();
        for n in 0..EVENTS {
            asking
                .dispatch(&format!("t{}", n % 33), round * EVENTS + n)
                .await;
        }
        theirs.push(started.elapsed());
        let hooks = hooks![..runtime.clone()];
        let cx = AgentContext::new("s1").with_tenant_id("acme");
        let started = Instant::now();
        for n in 0..EVENTS {
            let mut call =
                BeforeToolCall::new("1", format!("t{}", n % 33), json!({ "command": "ls" }));
            assert!(hooks.intercept(&cx, &mut call).await.is_continue());
        }
        ours.push(started.elapsed());
        // Its own time is not the agent's, and is measured by the load test.
        recorder.flush().await.unwrap();
    }
    let rows = tenant.verify().await.unwrap().rows;
    assert_eq!(rows, 11 * EVENTS as u64 * 3, "each hook that ran is a row");
    let (ours, theirs) = (median(ours), median(theirs));
    let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
    println!(
        "{EVENTS} events, 3 of 99 hooks run on each: asking {theirs:?}, ours {ours:?}, ratio {ratio:.0}"
    );
}

/// From the publication to the first dispatch that the new revision decides.
async fn publish(name: &str, place: Place, publisher_is_another: bool) {
    let store = place.open().await;
    let other = if publisher_is_another {
        place.open().await
    } else {
        store.clone()
    };
    let runtime = Runtime::builder()
        .source(store.tenant("acme").source())
        .build()
        .await
        .unwrap();
    runtime.watch().unwrap();
    let mut times = Vec::new();
    for n in 0..21 {
        let tenant = other.tenant("acme");
        let tool = format!("t{n}");
        tenant
            .create(&crate::common::block(&tool, &tool), &ada())
            .await
            .unwrap();
        tenant.publish(&ada()).await.unwrap();
        let published = Instant::now();
        let cx = AgentContext::new("s1").with_tenant_id("acme");
        loop {
            let hooks = hooks![..runtime.clone()];
            let mut call = BeforeToolCall::new("1", &*tool, json!({}));
            if !hooks.intercept(&cx, &mut call).await.is_continue() {
                break;
            }
            tokio::time::sleep(Duration::from_micros(100)).await;
        }
        times.push(published.elapsed());
    }
    println!("publish to dispatch, {name}: {:?}", median(times));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it measures: run it by hand"]
async fn a_publication_is_in_force_at_once() {
    publish("in process", Place::file(), false).await;
    publish("another process, SQLite", Place::file(), true).await;
    let databases = Databases::find();
    let place = databases.create("publish").await;
    publish("another process, Postgres", place, true).await;
}
