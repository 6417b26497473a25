//! What the tests share: places for stores, a clock, records.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hooks_runtime::{Record, RecordOutcome, RecordStep};
use hooks_store::{By, Keys, Mistake, Store, StoreBuilder, StoreError};
use jiff::Timestamp;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Where a store is. Opening it twice is what two processes do.
pub(crate) struct Place {
    pub(crate) address: String,
    pub(crate) folder: Option<TempDir>,
    keys: Keys,
}

impl Place {
    pub(crate) fn at(address: String) -> Self {
        Place {
            address,
            folder: None,
            keys: Keys::generate(),
        }
    }

    pub(crate) fn file() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let address = format!("sqlite:{}", folder.path().join("hooks.db").display());
        Place {
            folder: Some(folder),
            ..Place::at(address)
        }
    }

    pub(crate) fn memory() -> Self {
        Place::at("sqlite::memory:".into())
    }

    /// A store in memory is a new one for each who opens it.
    pub(crate) fn is_shared(&self) -> bool {
        self.address != "sqlite::memory:"
    }

    pub(crate) fn builder(&self) -> StoreBuilder {
        self.builder_at(&self.address)
    }

    /// A builder with the keys of this store.
    pub(crate) fn builder_at(&self, address: &str) -> StoreBuilder {
        Store::builder(address).keys(self.keys.clone())
    }

    pub(crate) async fn open(&self) -> Store {
        self.builder().open().await.unwrap()
    }
}

/// A clock that a test sets.
#[derive(Clone)]
pub(crate) struct Clock(Arc<AtomicI64>);

impl Clock {
    pub(crate) fn at(time: &str) -> Self {
        let clock = Clock(Arc::default());
        clock.set(time);
        clock
    }

    pub(crate) fn set(&self, time: &str) {
        let time: Timestamp = time.parse().unwrap();
        self.0.store(time.as_microsecond(), Ordering::SeqCst);
    }

    pub(crate) fn read(&self) -> impl Fn() -> Timestamp + Send + Sync + use<> {
        let clock = Arc::clone(&self.0);
        move || Timestamp::from_microsecond(clock.load(Ordering::SeqCst)).unwrap()
    }
}

pub(crate) fn ada() -> By {
    By::new("ada").from("10.0.0.7").comment("why not")
}

/// A hook that blocks a tool.
pub(crate) fn block(name: &str, tool: &str) -> Value {
    json!({ "name": name, "event": "BeforeToolCall", "tools": [tool], "block": "not today" })
}

pub(crate) fn record(hook: &str) -> Record {
    let mut record = Record::new(hook, "BeforeToolCall");
    record.subject = Some("shell".into());
    record.session_id = "s1".into();
    record.agent_id = "writer".into();
    record.tenant_id = Some("acme".into());
    record.outcome = RecordOutcome::Block;
    record.reason = Some("not today".into());
    let mut step = RecordStep::new(hook, RecordOutcome::Block);
    step.handler = "rule".into();
    record.steps = vec![step];
    record
}

pub(crate) fn mistakes<T: std::fmt::Debug>(result: Result<T, StoreError>) -> Vec<Mistake> {
    match result {
        Err(StoreError::Invalid(mistakes)) => mistakes,
        other => panic!("no mistakes: {other:?}"),
    }
}

pub(crate) fn names(hooks: &[Value]) -> Vec<&str> {
    hooks
        .iter()
        .map(|hook| hook["name"].as_str().unwrap())
        .collect()
}
