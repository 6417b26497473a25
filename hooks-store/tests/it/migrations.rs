//! Migrations: rows in the shape of an earlier version, read by today's code, and tables that this version does not know.

use hooks_store::{ExecutionFilter, Store, StoreError};
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};

use crate::common::Place;

/// For each migration, rows in the shape that it had: the next migration gets its case by a line.
const OLD: &[(&str, &str, &[&str])] = &[
    (
        include_str!("../../migrations/0001_start.sql"),
        "start",
        &[
            "INSERT INTO hook VALUES ('acme', 'id', 'a', 1, 0, 0)",
            r#"INSERT INTO hook_version VALUES ('acme', 'id', 1, 0, 'hash', '{"name":"a","event":"BeforeToolCall","block":"no"}', 0, 'ada', '', 5)"#,
            r#"INSERT INTO revision VALUES ('acme', 1, 'da3c27a0c26b739098b35db4f5c099f1a75a4078760344316a1e945b1be5e7bd', '{"format":"hooks-bundle/1","tenant":"acme","revision":1,"hooks":[{"name":"a","event":"BeforeToolCall","block":"no","version":1}]}')"#,
            "UPDATE counter SET value = 1",
            "INSERT INTO chain VALUES ('acme', 'admin', 0, x'', 0, x'')",
            "INSERT INTO sample VALUES ('acme', 'id', 'a push', '{\"name\":\"a push\",\"event\":\"BeforeToolCall\"}', 'ada', 5)",
            "INSERT INTO token VALUES ('acme', 'id', 'ci', 'author', '', 'hash', 'ada', 5)",
            "INSERT INTO budget VALUES ('acme', '2026-11', 7)",
            "INSERT INTO node VALUES ('acme', 'node 1', 1, 'hash', '', 5)",
            r#"INSERT INTO execution VALUES ('acme', 1, 1767323045000000, 7, 'a', '3', 'BeforeToolCall', 'ls', 's1', '', 'block',
               '{"at":"2026-01-02T03:04:05Z","duration_us":12,"event":"BeforeToolCall","handler":"rule","hook":"a","hook_version":3,"outcome":"block","revision":7,"session_id":"s1","subject":"ls","why":"w"}', x'', x'', x'00')"#,
            r#"INSERT INTO execution VALUES ('acme', 2, 1767323045000000, 7, '', '', 'BeforeToolCall', 'ls', 's1', '', 'block',
               '{"at":"2026-01-02T03:04:05Z","duration_us":12,"event":"BeforeToolCall","handler":"event","hook":"","outcome":"block","revision":7,"session_id":"s1","subject":"ls","why":"decided by `a`"}', x'', x'', x'00')"#,
        ],
    ),
    (
        include_str!("../../migrations/0002_activity.sql"),
        "activity",
        &["INSERT INTO activity VALUES ('acme', '', 60000000, 'block', 3, 2)"],
    ),
    (
        include_str!("../../migrations/0003_node_order.sql"),
        "node order",
        &["INSERT INTO node_order VALUES ('acme', 'node 1', 'hash', '[]')"],
    ),
    (
        include_str!("../../migrations/0004_event.sql"),
        "event",
        &["INSERT INTO execution_names VALUES ('acme', 'hash', '[]')"],
    ),
    (
        include_str!("../../migrations/0005_session.sql"),
        "session",
        &["UPDATE token SET used = 60000000, used_from = 'api'"],
    ),
    (
        include_str!("../../migrations/0006_hook_text.sql"),
        "hook text",
        &["UPDATE hook_version SET text = '# why'"],
    ),
    (
        include_str!("../../migrations/0007_change.sql"),
        "change",
        &["INSERT INTO change VALUES ('acme', 1, 2)"],
    ),
    (
        include_str!("../../migrations/0008_audit.sql"),
        "audit",
        &["UPDATE revision SET mac = ''"],
    ),
    (
        include_str!("../../migrations/0009_batch.sql"),
        "batch",
        &["INSERT INTO batch VALUES ('acme', 'batch 7', 5)"],
    ),
    (
        include_str!("../../migrations/0010_operations.sql"),
        "operations",
        &["UPDATE token SET ends = 9000000000000000"],
    ),
];

async fn connect(place: &Place) -> SqliteConnection {
    SqliteConnection::connect(&format!("{}?mode=rwc", place.address))
        .await
        .unwrap()
}

/// The table in which the migrations that were made are written down.
const MADE: &str = "CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, \
     installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum BLOB NOT NULL, \
     execution_time BIGINT NOT NULL)";

#[tokio::test]
async fn rows_of_every_earlier_version_can_be_read() {
    for last in 1..=OLD.len() {
        let place = Place::file();
        let mut database = connect(&place).await;
        sqlx::raw_sql(MADE).execute(&mut database).await.unwrap();
        for (number, (migration, name, rows)) in (1_i64..).zip(&OLD[..last]) {
            sqlx::raw_sql(*migration)
                .execute(&mut database)
                .await
                .unwrap();
            sqlx::query(
                "INSERT INTO _sqlx_migrations VALUES ($1, $2, CURRENT_TIMESTAMP, 1, $3, 0)",
            )
            .bind(number)
            .bind(*name)
            .bind(
                sqlx::migrate::Migration::new(
                    number,
                    (*name).into(),
                    sqlx::migrate::MigrationType::Simple,
                    sqlx::SqlSafeStr::into_sql_str(*migration),
                    false,
                )
                .checksum
                .to_vec(),
            )
            .execute(&mut database)
            .await
            .unwrap();
            for row in *rows {
                sqlx::raw_sql(*row).execute(&mut database).await.unwrap();
            }
        }
        database.close().await.unwrap();
        // Who only reads changes nothing.
        let read = place.builder().read_only().open().await;
        let refused = read
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default();
        assert_eq!(
            refused.contains("are missing"),
            last < OLD.len(),
            "{refused}"
        );
        let acme = place.open().await.tenant("acme");
        assert_eq!(acme.verify_admin_log().await.unwrap().broken, None);
        let hook = &acme.hooks().await.unwrap()[0];
        assert_eq!((&*hook.author, hook.text.is_empty()), ("ada", last < 6));
        assert_eq!(
            (
                acme.bundle().await.unwrap().revision,
                acme.versions("id", None, 9).await.unwrap().items.len()
            ),
            (1, 1)
        );
        assert_eq!(acme.samples().await.unwrap()[0].saved.name, "a push");
        let token = acme.tokens().await.unwrap().remove(0);
        assert_eq!(token.ends.is_some(), last >= 10);
        assert_eq!((&*token.name, token.used.is_some()), ("ci", last >= 5));
        assert_eq!(acme.budgets().await.unwrap()[0].taken, 7);
        assert_eq!(acme.nodes().await.unwrap()[0].name, "node 1");
        let activity = acme.activity(jiff::Timestamp::UNIX_EPOCH).await.unwrap();
        assert_eq!(activity.len(), usize::from(last >= 2));
        let filter = ExecutionFilter {
            hook: Some("a".into()),
            ..ExecutionFilter::default()
        };
        let of_hook = acme.executions(&filter, None, 9).await.unwrap().items;
        assert_eq!((of_hook.len(), of_hook[0].seq), (1, 1));
        assert_eq!(of_hook[0].record.steps[0].hook_version, Some(3));
        let event = acme.execution(2).await.unwrap().unwrap().record;
        assert_eq!((event.is_event(), &*event.hook), (true, "a"));
        let order = acme.node_order("node 1").await.unwrap();
        assert_eq!(order.is_some(), last >= 3);
        acme.create(&crate::common::block("b", "deploy"), &crate::common::ada())
            .await
            .unwrap();
        assert_eq!(
            acme.publish(&crate::common::ada()).await.unwrap().revision,
            2
        );
    }
}

#[tokio::test]
async fn tables_of_a_later_version_are_refused() {
    let place = Place::file();
    place.open().await.close().await;
    let mut database = connect(&place).await;
    let later = "INSERT INTO _sqlx_migrations SELECT 9999, 'later', installed_on, 1, checksum, 0 FROM _sqlx_migrations LIMIT 1";
    sqlx::raw_sql(later).execute(&mut database).await.unwrap();
    database.close().await.unwrap();
    let error = place.builder().open().await.unwrap_err();
    assert!(
        matches!(error, StoreError::Schema(_)) && error.to_string().contains("9999"),
        "{error}"
    );
}

#[tokio::test]
async fn two_processes_may_open_a_new_database_at_once() {
    let place = Place::file();
    let opening = (0..4).map(|_| {
        let builder = place.builder();
        tokio::spawn(builder.open())
    });
    for opened in opening.collect::<Vec<_>>() {
        opened.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn an_address_that_is_none_is_told_without_its_password() {
    for address in [
        "mysql://u:s3cret@host/db",
        "s3cret",
        "postgres://u:s3cret@127.0.0.1:1/db",
    ] {
        let error = Store::open(address).await.unwrap_err();
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }
}

#[tokio::test]
async fn a_damaged_row_is_named() {
    let place = Place::file();
    let store = place.open().await;
    let acme = store.tenant("acme");
    let hook = acme
        .create(&crate::common::block("a", "deploy"), &crate::common::ada())
        .await
        .unwrap();
    let mut database = connect(&place).await;
    let damage = AssertSqlSafe("UPDATE hook_version SET body = '{'".to_owned());
    sqlx::query(damage).execute(&mut database).await.unwrap();
    let error = acme.hooks().await.unwrap_err().to_string();
    assert!(
        error.contains("`body`") && error.contains(&hook.id),
        "{error}"
    );
}
