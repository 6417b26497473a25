//! What whoever runs a store does with it: upgrades, backups, limits.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use hooks_runtime::{Runtime, Secrets as _, Source as _};
use hooks_store::{Keys, Quota, Role, Store, StoreError};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};

use crate::common::{Place, ada, block, mistakes, record};
use crate::postgres::Server;

async fn in_file(place: &Place, sql: &str) {
    let mut database = SqliteConnection::connect(&place.address).await.unwrap();
    let sql = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
    sql.execute(&mut database).await.unwrap();
    database.close().await.unwrap();
}

/// What comes in time.
async fn soon<T>(comes: impl Future<Output = T>) -> T {
    let time = Duration::from_mins(5);
    tokio::time::timeout(time, comes).await.unwrap()
}

/// A file beside the database.
fn beside(place: &Place, name: &str) -> PathBuf {
    place.folder.as_ref().unwrap().path().join(name)
}

fn at(file: &std::path::Path) -> String {
    format!("sqlite:{}", file.display())
}

#[tokio::test]
async fn only_who_says_so_changes_the_tables() {
    let place = Place::file();
    place.open().await.close().await;
    let pending = async || place.builder().pending().await.unwrap();
    assert!(pending().await.is_empty());
    // As a version before the last migration has left it.
    let back = "DELETE FROM _sqlx_migrations WHERE description = 'operations'; DROP TABLE kept_bytes; \
                ALTER TABLE token DROP COLUMN ends";
    in_file(&place, back).await;
    for _ in 0..2 {
        assert_eq!(pending().await, ["operations"]);
        let refused = place.builder().existing().open().await.unwrap_err();
        assert!(matches!(refused, StoreError::Schema(_)), "{refused}");
    }
    let store = place.builder().migrated().open().await.unwrap();
    assert!(store.tenant("acme").tokens().await.unwrap().is_empty());
    assert!(pending().await.is_empty());
    // And who only looks needs no right to write.
    let file = beside(&place, "hooks.db");
    let read = Store::builder(format!("{}?mode=ro", at(&file))).existing();
    read.open()
        .await
        .unwrap()
        .tenant("acme")
        .verify()
        .await
        .unwrap();
    let missing = Place::file();
    let made = missing.builder().migrated().open().await;
    assert!(matches!(made, Err(StoreError::NotFound(_))));
    assert!(!beside(&missing, "hooks.db").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_whole_while_others_write() {
    let place = Place::file();
    let store = place.open().await;
    let acme = store.tenant("acme");
    acme.create(&block("a", "deploy"), &ada()).await.unwrap();
    acme.publish(&ada()).await.unwrap();
    let writing = tokio::spawn({
        let acme = acme.clone();
        async move {
            for _ in 0..200 {
                acme.insert(vec![record("a"); 20]).await.unwrap();
            }
        }
    });
    let backup = beside(&place, "backup");
    let other = place.builder().existing().open().await.unwrap();
    other.backup(&backup).await.unwrap();
    writing.await.unwrap();
    assert!(other.backup(&backup).await.is_err(), "it is there already");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = backup.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    let new = at(&beside(&place, "new.db"));
    Store::builder(&new).restore(&backup).await.unwrap();
    let restored = place.builder_at(&new).open().await.unwrap();
    let restored = restored.tenant("acme");
    let verified = restored.verify().await.unwrap();
    assert!(verified.broken.is_none() && verified.rows <= 4000);
    assert_eq!(restored.bundle().await.unwrap().hooks.len(), 1);

    let again = Store::builder(&new).restore(&backup).await.unwrap_err();
    assert!(again.to_string().contains("is there already"), "{again}");
    // The log of a database that was removed would be played into the new one.
    let log = beside(&place, "other.db-wal");
    std::fs::write(&log, "").unwrap();
    let other = Store::builder(at(&beside(&place, "other.db")));
    assert!(other.restore(&backup).await.is_err());
    // A backup that is damaged makes nothing.
    let mut bytes = std::fs::read(&backup).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0xAA);
    let damaged = beside(&place, "damaged");
    std::fs::write(&damaged, bytes).unwrap();
    let third = beside(&place, "third.db");
    assert!(Store::builder(at(&third)).restore(&damaged).await.is_err());
    assert!(!third.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_database_is_taken_by_who_has_seen_a_newer_one() {
    let place = Place::file();
    let store = place.open().await;
    let acme = store.tenant("acme");
    acme.create(&block("a", "deploy"), &ada()).await.unwrap();
    acme.publish(&ada()).await.unwrap();
    let backup = "CREATE TABLE b AS SELECT * FROM hook; CREATE TABLE c AS SELECT * FROM counter; \
                  CREATE TABLE d AS SELECT * FROM revision";
    in_file(&place, backup).await;
    acme.create(&block("b", "ship"), &ada()).await.unwrap();
    acme.publish(&ada()).await.unwrap();
    let runtime = Runtime::builder().source(acme.source());
    let runtime = runtime.build().await.unwrap();
    runtime.watch().unwrap();
    let source = acme.source();
    let newer = source.fetch(None).await.unwrap().unwrap();
    let mut followed = acme.follow(|news| news.in_force);
    let before = acme.news();

    let restore = "DELETE FROM hook; INSERT INTO hook SELECT * FROM b; DELETE FROM revision; \
                   INSERT INTO revision SELECT * FROM d; \
                   UPDATE counter SET value = (SELECT c.value FROM c WHERE c.name = counter.name); \
                   DELETE FROM change WHERE number > (SELECT value FROM c WHERE name = 'change')";
    in_file(&place, restore).await;
    assert!(soon(followed.next()).await);
    assert!(
        acme.news().in_force > before.in_force,
        "it grows nevertheless"
    );
    soon(async {
        while runtime.status().hooks.len() != 1 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    // Another revision has the number that was seen.
    acme.create(&block("c", "ship"), &ada()).await.unwrap();
    assert_eq!(acme.publish(&ada()).await.unwrap().revision, newer.revision);
    let fetched = source.fetch(Some(&newer.sha256())).await.unwrap().unwrap();
    assert_eq!(fetched.hooks[1]["name"], "c");

    let old = acme.bundle().await.unwrap();
    assert_eq!(store.restored(&ada()).await.unwrap(), 1);
    let new = acme.bundle().await.unwrap();
    assert!(new.revision > 10_000 && new.hooks == old.hooks);
}

#[tokio::test]
async fn a_database_that_is_restored_to_what_was_looked_at_last_is_noticed() {
    let place = Place::file();
    let store = place.open().await;
    let acme = store.tenant("acme");
    acme.create(&block("a", "deploy"), &ada()).await.unwrap();
    acme.publish(&ada()).await.unwrap();
    in_file(&place, "CREATE TABLE c AS SELECT * FROM counter").await;
    // The next look is at these changes, and not yet at the one that is undone.
    tokio::time::sleep(Duration::from_millis(150)).await;
    acme.create(&block("b", "ship"), &ada()).await.unwrap();
    let mut followed = acme.follow(|news| news.draft);
    let restore = "DELETE FROM change WHERE number > (SELECT value FROM c WHERE name = 'change'); \
                   UPDATE counter SET value = (SELECT c.value FROM c WHERE c.name = counter.name)";
    in_file(&place, restore).await;
    assert!(soon(followed.next()).await);
}

#[tokio::test]
async fn a_start_without_the_database_judges_by_the_copy() {
    let folder = tempfile::tempdir().unwrap();
    let (there, away) = (folder.path().join("there"), folder.path().join("away"));
    std::fs::create_dir(&there).unwrap();
    let cache = folder.path().join("cache");
    let keys = Keys::generate();
    let builder = || {
        Store::builder(at(&there.join("hooks.db")))
            .keys(keys.clone())
            .cache(&cache)
    };
    let store = builder().open().await.unwrap();
    let acme = store.tenant("acme");
    acme.create(&block("a", "deploy"), &ada()).await.unwrap();
    acme.publish(&ada()).await.unwrap();
    acme.put_secret("gate", "s3cret", &ada()).await.unwrap();
    let token = acme.token_new("ci", Role::Viewer, None, &ada()).await;
    let token = token.unwrap().to_string();
    let in_force = acme.bundle().await.unwrap();
    let copy = Store::builder(at(&cache.join("last.db"))).read_only();
    let copy = copy.keys(keys.clone()).open().await.unwrap();
    soon(async {
        while copy.caller(&token).await.unwrap().is_none() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    store.close().await;

    std::fs::rename(&there, &away).unwrap();
    let short = builder().remember(Duration::ZERO).open().await.unwrap();
    let told = short.caller(&token).await.unwrap_err();
    assert!(matches!(told, StoreError::Unavailable(_)), "{told}");
    short.close().await;
    let store = builder().open().await.unwrap();
    let acme = store.tenant("acme");
    assert_eq!(acme.bundle().await.unwrap(), in_force);
    let values = acme.secret_values().await.unwrap();
    assert_eq!(values.secret("gate").as_deref(), Some("s3cret"));
    assert_eq!(store.caller(&token).await.unwrap().unwrap().name, "ci");
    // What is not in the copy is not said to be missing.
    let told = acme.hooks().await.unwrap_err();
    assert!(matches!(told, StoreError::Unavailable(_)), "{told}");
    assert!(acme.create(&block("b", "ship"), &ada()).await.is_err());
    assert!(store.trouble().unwrap().contains("not reached"));

    std::fs::rename(&away, &there).unwrap();
    soon(async {
        while store.trouble().is_some() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    acme.create(&block("b", "ship"), &ada()).await.unwrap();
    assert_eq!(acme.hooks().await.unwrap().len(), 2);
    store.close().await;

    std::fs::rename(&there, &away).unwrap();
    std::fs::remove_dir_all(&cache).unwrap();
    let told = builder().open().await.unwrap_err();
    assert!(matches!(told, StoreError::Unavailable(_)), "{told}");
}

#[tokio::test]
async fn a_quota_is_a_limit_with_a_name() {
    let place = Place::memory();
    let quota = Quota {
        hooks: 2,
        bytes: 4000,
    };
    let store = place.builder().quota(quota).open().await.unwrap();
    let acme = store.tenant("acme");
    let first = acme.create(&block("a", "x"), &ada()).await.unwrap();
    acme.create(&block("b", "x"), &ada()).await.unwrap();
    let told = mistakes(acme.create(&block("c", "x"), &ada()).await);
    assert!(told[0].message.contains("at most 2"), "{told:?}");
    let mut version = first.version;
    let told = loop {
        let saved = acme
            .update(&first.id, version, &block("a", "y"), &ada())
            .await;
        match saved {
            Ok(hook) => version = hook.version,
            refused => break mistakes(refused),
        }
        assert!(version < 100);
    };
    assert!(told[0].message.contains("the limit is 4000"), "{told:?}");
    let publication = mistakes(acme.publish(&ada()).await);
    assert!(publication[0].message.contains("the limit is 4000"));
    // Another tenant has its own.
    let other = store.tenant("other");
    other.create(&block("a", "x"), &ada()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs Postgres: the gate runs it"]
async fn a_role_without_rights_on_tables_is_enough_and_nobody_waits_for_ever() {
    let server = Server::start();
    let place = server.database("operated").await;
    place.open().await.close().await;
    let mut admin = PgConnection::connect(&place.address).await.unwrap();
    let role = "CREATE ROLE daemon LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC; \
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO daemon";
    sqlx::raw_sql(role).execute(&mut admin).await.unwrap();
    let address = place.address.replace("user=hooks", "user=daemon");
    let one = NonZeroU32::new(2).unwrap();
    let store = Store::builder(&address).connections(one).open().await;
    let acme = store.unwrap().tenant("acme");
    let verified = Store::builder(&address).existing().open().await.unwrap();
    verified.tenant("acme").verify().await.unwrap();
    let named = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'daemon' AND application_name = 'hooks'";
    let named: i64 = sqlx::query_scalar(named)
        .fetch_one(&mut admin)
        .await
        .unwrap();
    assert!(named > 0);

    let mut held = admin.begin().await.unwrap();
    let lock = "SELECT value FROM counter FOR UPDATE";
    sqlx::query(lock).execute(&mut *held).await.unwrap();
    let refused = acme.set_budget(None, Some(1), &ada()).await.unwrap_err();
    assert!(refused.to_string().contains("lock timeout"), "{refused}");
    drop(held);
    let patient = format!("{address}&options=-clock_timeout%3D0");
    Store::open(&patient).await.unwrap();
    assert!(verified.backup("x".as_ref()).await.is_err());
    drop(server);
}
