//! The default keys: a file beside the database that only you may read.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;

use hooks_runtime::Secrets as _;
use hooks_store::{Keys, Store, StoreError};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection as _, SqliteConnection};

use crate::common::{Place, ada};

#[tokio::test]
async fn a_key_file_is_made_beside_the_database_and_is_private() {
    let place = Place::file();
    let store = Store::open(&place.address).await.unwrap();
    store
        .tenant("acme")
        .put_secret("gate", "s3cret", &ada())
        .await
        .unwrap();
    store.close().await;
    let database = place.folder.as_ref().unwrap().path().join("hooks.db");
    let key = database.with_extension("db.key");
    for file in [&database, &key] {
        assert_eq!(
            file.metadata().unwrap().permissions().mode() & 0o777,
            0o600,
            "{}",
            file.display()
        );
    }
    let store = Store::open(&place.address).await.unwrap();
    let values = store.tenant("acme").secret_values().await.unwrap();
    assert_eq!(values.secret("gate").as_deref(), Some("s3cret"));
    store.close().await;
    // Others may read it: it is no secret any more.
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(
        Store::open(&place.address).await,
        Err(StoreError::Key(_))
    ));
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    // It is gone, and what it has encrypted is there: a new one would not read that.
    let kept = std::fs::read(&key).unwrap();
    std::fs::remove_file(&key).unwrap();
    let lost = Store::open(&place.address).await.unwrap_err().to_string();
    assert!(
        lost.contains("hooks.db.key is missing") && !key.exists(),
        "{lost}"
    );
    std::fs::write(&key, kept).unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    Store::open(&place.address).await.unwrap().close().await;
    std::fs::write(&key, "too short").unwrap();
    assert!(matches!(
        Store::open(&place.address).await,
        Err(StoreError::Key(_))
    ));
}

#[tokio::test]
async fn a_store_that_is_only_read_is_opened_without_its_key_file_and_stays_as_it_is() {
    let place = Place::file();
    let folder = place.folder.as_ref().unwrap().path();
    let open = async || Store::builder(&place.address).read_only().open().await;
    let files = || std::fs::read_dir(folder).unwrap().count();
    let missing = open().await.unwrap_err().to_string();
    assert!(
        missing.contains("no store in") && missing.contains("hooks.db"),
        "{missing}"
    );
    assert_eq!(files(), 0);
    // A database of another program is left as it is.
    let file = folder.join("hooks.db");
    let options = SqliteConnectOptions::new()
        .filename(&file)
        .create_if_missing(true);
    let mut other = SqliteConnection::connect_with(&options).await.unwrap();
    let tables = "SELECT group_concat(name) FROM sqlite_master";
    sqlx::raw_sql("CREATE TABLE theirs (a)")
        .execute(&mut other)
        .await
        .unwrap();
    assert!(matches!(open().await, Err(StoreError::NotFound(_))));
    let tables: String = sqlx::query_scalar(tables)
        .fetch_one(&mut other)
        .await
        .unwrap();
    assert_eq!(tables, "theirs");
    other.close().await.unwrap();
    std::fs::remove_file(&file).unwrap();
    let store = Store::open(&place.address).await.unwrap();
    let mut long = crate::common::record("a");
    long.reason = Some("x".repeat(1000));
    store.tenant("acme").insert(vec![long; 3]).await.unwrap();
    store.close().await;
    let key = file.with_extension("db.key");
    std::fs::remove_file(&key).unwrap();
    let before = std::fs::read(&file).unwrap();
    let store = open().await.unwrap();
    let acme = store.tenant("acme");
    let verified = acme.verify().await.unwrap();
    assert_eq!(
        (verified.rows, verified.unread, verified.broken),
        (3, 3, None)
    );
    assert!(acme.publish(&ada()).await.is_err());
    store.close().await;
    assert_eq!((files(), std::fs::read(&file).unwrap()), (1, before));
}

#[tokio::test]
async fn without_a_key_nothing_is_encrypted_and_no_detail_is_kept() {
    let store = Store::builder("sqlite::memory:")
        .keys(Keys::none())
        .open()
        .await
        .unwrap();
    let acme = store.tenant("acme");
    assert!(matches!(
        acme.put_secret("gate", "x", &ada()).await,
        Err(StoreError::Key(_))
    ));
    let mut long = crate::common::record("a");
    long.reason = Some("x".repeat(1000));
    acme.insert(vec![long]).await.unwrap();
    let row = acme.execution(1).await.unwrap().unwrap();
    assert_eq!(
        (row.has_detail, row.record.reason.unwrap().len()),
        (false, 256)
    );
    assert_eq!(acme.verify().await.unwrap().rows, 1);
}
