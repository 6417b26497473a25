//! The load that a store bears. For the figures, run it by itself, in release:
//! `cargo nextest run --release -p hooks-store --run-ignored only --no-capture load`.

use std::time::{Duration, Instant};

use hooks_runtime::{Bundle, Recorder as _};
use hooks_store::MOST_HOOKS;
use serde_json::{Map, json};

use crate::common::{Place, ada, mistakes, record};
use crate::postgres::Databases;

/// How many rows are written.
const ROWS: usize = 300_000;

async fn write(name: &str, place: Place) {
    let store = place.open().await;
    let recorder = store.recorder();
    let mut records = vec![record("a"); 16];
    for (n, record) in records.iter_mut().enumerate() {
        record.hook = format!("hook {n}");
        record.session_id = format!("session {n}");
    }
    let mut times = Vec::with_capacity(ROWS);
    let start = Instant::now();
    for n in 0..ROWS {
        let started = Instant::now();
        recorder.record(&records[n % 16]);
        times.push(started.elapsed());
        if n % 1000 == 999 {
            // As fast as the store takes them, so that none is dropped.
            while start.elapsed() < Duration::from_micros(n as u64 * 10) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        if n % 16_000 == 15_999 {
            recorder.flush().await.unwrap();
        }
    }
    recorder.flush().await.unwrap();
    let took = start.elapsed();
    times.sort();
    let rate = ROWS as u128 * 1_000_000 / took.as_micros();
    let p99 = times[ROWS * 99 / 100];
    println!(
        "{name}: {rate} rows/s, enqueue p50 {:?} p99 {p99:?}, dropped {}",
        times[ROWS / 2],
        recorder.dropped()
    );
    let started = Instant::now();
    let verified = store.tenant("acme").verify().await.unwrap();
    println!(
        "{name}: verified {} rows in {:?}",
        verified.rows,
        started.elapsed()
    );
    assert_eq!((verified.rows, verified.broken), (ROWS as u64, None));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures"]
async fn load() {
    write("SQLite", Place::file()).await;
    if let Some(databases) = Databases::find() {
        write("Postgres", databases.create("load").await).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_takes_the_most_hooks_and_none_more() {
    let acme = Place::memory().open().await.tenant("acme");
    let unnamed = json!({ "event": "BeforeToolCall", "tools": ["deploy"], "block": "not today" });
    let mut set = Bundle::new(vec![unnamed.clone(); MOST_HOOKS], Map::new()).unwrap();
    let report = acme.put_draft(&set, &ada()).await.unwrap();
    assert_eq!(report.created.len(), MOST_HOOKS);
    let told = mistakes(acme.create(&unnamed, &ada()).await);
    assert!(told[0].message.contains("10001 hooks"), "{told:?}");
    set.hooks.push(unnamed.clone());
    let told = mistakes(acme.put_draft(&set, &ada()).await);
    assert!(
        told[0].path == "/hooks" && told[0].message.contains("at most 10000"),
        "{told:?}"
    );
    // A deleted hook comes back if there is room, and a new one stands behind all others.
    let hooks = acme.hooks().await.unwrap();
    assert_eq!(hooks[9_999].name, "BeforeToolCall-10000");
    acme.delete(&hooks[5].id, 1, &ada()).await.unwrap();
    let new = acme.create(&unnamed, &ada()).await.unwrap();
    assert_eq!(new.name, "BeforeToolCall-6");
    assert_eq!(acme.hooks().await.unwrap()[9_999].id, new.id);
    let told = mistakes(acme.restore(&hooks[5].id, 1, 2, &ada()).await);
    assert!(told[0].message.contains("10001 hooks"), "{told:?}");
}
