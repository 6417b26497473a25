//! The load that a store bears. Run it by itself, in release:
//! `cargo nextest run --release -p hooks-store --run-ignored only --no-capture by_hand::load`.

use std::time::{Duration, Instant};

use hooks_runtime::Recorder as _;

use crate::common::{Place, record};
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
#[ignore = "it measures: run it by hand"]
async fn load() {
    write("SQLite", Place::file()).await;
    let databases = Databases::find();
    write("Postgres", databases.create("load").await).await;
}
