//! The audit: what somebody else writes into the tables is found.

use std::fmt::Write as _;

use hooks_runtime::Budget as _;
use hooks_runtime::entry::TestEntry;
use hooks_store::{Anchored, Audited, Heads, Keys, Role, Store, StoreError};
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};

use crate::common::{Place, ada, block, record};

/// The tables that are tampered with.
const TABLES: [&str; 14] = [
    "admin_log",
    "budget",
    "budget_limit",
    "budget_log",
    "chain",
    "counter",
    "execution",
    "hook",
    "hook_version",
    "revision",
    "sample",
    "secret",
    "session",
    "token",
];

/// Runs a statement past the store.
async fn run(place: &Place, sql: &str) {
    let query = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
    let ran = if place.address.starts_with("sqlite") {
        let mut database = SqliteConnection::connect(&place.address).await.unwrap();
        query.execute(&mut database).await.map(drop)
    } else {
        let mut database = PgConnection::connect(&place.address).await.unwrap();
        query.execute(&mut database).await.map(drop)
    };
    ran.unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// Keeps all tables as they are.
async fn keep(place: &Place) {
    for table in TABLES {
        run(place, &format!("DROP TABLE IF EXISTS kept_{table}")).await;
        run(
            place,
            &format!("CREATE TABLE kept_{table} AS SELECT * FROM {table}"),
        )
        .await;
    }
}

/// Puts all tables back as they were kept.
async fn put_back(place: &Place) {
    for table in TABLES {
        run(place, &format!("DELETE FROM {table}")).await;
        run(
            place,
            &format!("INSERT INTO {table} SELECT * FROM kept_{table}"),
        )
        .await;
    }
}

async fn audit(store: &Store) -> Vec<Audited> {
    store.audit(&Anchored::default()).await.unwrap()
}

/// What the audit has found, each with its tenant and its log.
fn found(audited: &[Audited]) -> Vec<String> {
    let found = audited.iter().filter_map(|one| {
        let Audited {
            tenant,
            log,
            verified,
        } = one;
        let what = verified.broken.as_ref().map(|broken| broken.what.clone());
        let unread = (verified.unread > 0).then(|| "unread".to_owned());
        let what = what.or(unread).or(verified.unsure.clone())?;
        Some(format!("{tenant} {log}: {what}"))
    });
    found.collect()
}

/// A store with something in each table.
async fn filled(store: &Store) {
    let acme = store.tenant("acme");
    let hook = acme.create(&block("a", "deploy"), &ada()).await.unwrap();
    acme.publish(&ada()).await.unwrap();
    acme.update(&hook.id, 1, &block("a", "ship"), &ada())
        .await
        .unwrap();
    acme.publish(&ada()).await.unwrap();
    for secret in ["one", "two"] {
        acme.put_secret(secret, "s3cret", &ada()).await.unwrap();
    }
    for name in ["ci", "old"] {
        acme.token_new(name, Role::Viewer, None, &ada())
            .await
            .unwrap();
    }
    let old = acme.tokens().await.unwrap().remove(1);
    acme.revoke_token(&old.id, &ada()).await.unwrap();
    acme.set_budget(None, Some(100), &ada()).await.unwrap();
    let reserved = store.budget().reserve("acme", 10, 50).await.unwrap();
    store.budget().settle(reserved, 7).await.unwrap();
    let sample = TestEntry {
        name: "a push".into(),
        event: "BeforeToolCall".into(),
        ..TestEntry::default()
    };
    acme.save_sample(&sample, &ada()).await.unwrap();
    let mut long = record("a");
    long.reason = Some("x".repeat(1000));
    let records = (0..30).map(|n| {
        if n % 3 == 0 {
            long.clone()
        } else {
            record("a")
        }
    });
    acme.insert(records.collect()).await.unwrap();
}

/// Changes past the store, each with a part of what the audit says of it.
const CASES: &[(&str, &[&str])] = &[
    (
        "execution: the column `tool`",
        &["UPDATE execution SET tool = 'x' WHERE seq = 9"],
    ),
    (
        "execution: the row is missing",
        &["DELETE FROM execution WHERE seq = 9"],
    ),
    (
        "execution: the hash",
        &["UPDATE execution SET body = '{}' WHERE seq = 9"],
    ),
    (
        "execution: the end of its chain is missing",
        &["DELETE FROM chain WHERE log = 'execution'"],
    ),
    (
        "execution: the hash",
        &[
            "DELETE FROM chain WHERE log = 'execution'",
            "UPDATE execution SET body = '{}'",
        ],
    ),
    (
        "execution: the end of the chain is missing",
        &[
            "DELETE FROM chain WHERE log = 'execution'",
            "DELETE FROM execution",
        ],
    ),
    ("execution: the row is behind the end", &[BACK]),
    (
        "execution: the hash",
        &[BACK, "UPDATE execution SET body = '{}' WHERE seq > 20"],
    ),
    (
        "execution: the end of the chain is not what was signed",
        &["DELETE FROM execution WHERE seq > 20", BACK],
    ),
    (
        "execution: the end of the chain is not signed",
        &[
            "DELETE FROM execution WHERE seq > 20",
            BACK,
            "UPDATE chain SET mac = '' WHERE log = 'execution'",
        ],
    ),
    (
        "execution: the chain should end with row 30",
        &["DELETE FROM execution WHERE seq > 20"],
    ),
    (
        "execution: the end of the chain is not what was signed",
        &[REMOVED, "DELETE FROM execution WHERE seq <= 10"],
    ),
    (
        "execution: the row is there, and the chain begins",
        &[REMOVED],
    ),
    (
        "execution: the row is missing",
        &["DELETE FROM execution WHERE seq <= 10"],
    ),
    (
        "admin: `revision/2` was changed",
        &["UPDATE revision SET body = replace(body, 'ship', 'none') WHERE number = 2"],
    ),
    (
        "admin: `revision/2` was changed",
        &[
            "UPDATE revision SET body = replace(body, 'ship', 'none'), hash = 'new' WHERE number = 2",
        ],
    ),
    (
        "admin: the seal of `revision/1` is not signed",
        &["UPDATE revision SET mac = '' WHERE number = 1"],
    ),
    (
        "admin: `revision/1` is gone",
        &["DELETE FROM revision WHERE number = 1"],
    ),
    (
        "was changed",
        &["UPDATE hook_version SET body = replace(body, 'ship', 'none')"],
    ),
    ("is gone", &["DELETE FROM hook_version WHERE version = 1"]),
    ("was changed", &["UPDATE hook SET version = 1"]),
    (
        " admin: `token/evil` was not written by the store",
        &[
            "INSERT INTO token (tenant_id, id, name, role, agent, hash, author, at) VALUES ('', 'evil', 'x', 'owner', '', 'h', '', 0)",
        ],
    ),
    ("was changed", &["UPDATE token SET role = 'owner'"]),
    ("is gone", &["DELETE FROM token"]),
    (
        "admin: `secret/one/1` is gone",
        &["DELETE FROM secret WHERE name = 'one'"],
    ),
    (
        "admin: `secret/two/1` was changed",
        &["UPDATE secret SET author = 'eve' WHERE name = 'two'"],
    ),
    (
        "admin: `secret/one/2` was not written by the store",
        &[
            "INSERT INTO secret SELECT tenant_id, name, 2, value, author, at FROM secret WHERE name = 'one'",
        ],
    ),
    (
        "admin: `budget_limit/` was changed",
        &["UPDATE budget_limit SET tokens = 1000000"],
    ),
    ("was changed", &["UPDATE sample SET name = 'x'"]),
    ("was changed", &["UPDATE budget SET taken = 0"]),
    ("is gone", &["DELETE FROM budget"]),
    (
        "budget: the end of the chain is not what was signed",
        &[
            "UPDATE budget SET taken = 10",
            "DELETE FROM budget_log WHERE seq = 2",
            "UPDATE chain SET seq = 1, hash = (SELECT hash FROM budget_log WHERE seq = 1) WHERE log = 'budget'",
        ],
    ),
    (
        "was not written by the store",
        &["INSERT INTO budget VALUES ('acme', '1999-12', 0)"],
    ),
    (
        "admin: the end of the chain is not what was signed",
        &[
            "DELETE FROM admin_log WHERE seq > 5",
            "UPDATE chain SET seq = 5, hash = (SELECT hash FROM admin_log WHERE seq = 5) WHERE log = 'admin'",
        ],
    ),
    (
        "admin: the hash",
        &["UPDATE admin_log SET body = replace(body, 'ada', 'eve') WHERE seq = 3"],
    ),
    (
        "was not written by the store",
        &[
            "DELETE FROM admin_log",
            "DELETE FROM budget_log",
            "DELETE FROM execution",
            "DELETE FROM chain",
            "DELETE FROM budget",
        ],
    ),
];

/// The end is set back.
const BACK: &str = "UPDATE chain SET seq = 20, hash = (SELECT hash FROM execution WHERE seq = 20) WHERE log = 'execution'";

/// The chain says that retention has removed the first rows.
const REMOVED: &str = "UPDATE chain SET removed_seq = 10, removed_hash = (SELECT hash FROM execution WHERE seq = 10) WHERE log = 'execution'";

pub(crate) async fn what_was_written_past_the_store_is_found(place: Place) {
    if !place.is_shared() {
        return;
    }
    let store = place.open().await;
    filled(&store).await;
    let audited = audit(&store).await;
    assert_eq!(found(&audited), [""; 0]);
    assert!(
        audited
            .iter()
            .all(|one| one.verified.is_signed && one.verified.unsigned == 0)
    );
    keep(&place).await;
    let zeros = if place.address.starts_with("sqlite") {
        "zeroblob(length(detail))"
    } else {
        "decode(repeat('00', length(detail)), 'hex')"
    };
    let zeros = format!("UPDATE execution SET detail = {zeros} WHERE seq = 4");
    let zeros = [&*zeros];
    let of_zeros: (&str, &[&str]) = ("execution: unread", &zeros);
    for (expected, statements) in CASES.iter().chain([&of_zeros]) {
        for sql in *statements {
            run(&place, sql).await;
        }
        let found = found(&audit(&store).await);
        assert!(
            found.iter().any(|one| one.contains(expected)),
            "{statements:?}: {found:?} and not {expected}"
        );
        put_back(&place).await;
    }
    assert_eq!(found(&audit(&store).await), [""; 0]);
}

pub(crate) async fn a_chain_that_was_changed_takes_nothing_more(place: Place) {
    if !place.is_shared() {
        return;
    }
    let store = place.open().await;
    filled(&store).await;
    keep(&place).await;
    let acme = store.tenant("acme");
    for sql in [
        "UPDATE chain SET seq = 20 WHERE log = 'execution'",
        "DELETE FROM chain WHERE log = 'execution'",
        "UPDATE chain SET mac = ''",
    ] {
        run(&place, sql).await;
        let refused = acme
            .insert(vec![record("b")])
            .await
            .unwrap_err()
            .to_string();
        assert!(refused.contains("hooks verify"), "{sql}: {refused}");
        put_back(&place).await;
    }
    // What is published is what is loaded, or nothing is.
    for sql in [
        "UPDATE revision SET body = replace(body, 'ship', 'none')",
        "UPDATE revision SET mac = ''",
        "UPDATE revision SET mac = (SELECT mac FROM revision WHERE number = 1)",
    ] {
        run(&place, sql).await;
        let refused = acme.bundle().await.unwrap_err().to_string();
        assert!(
            refused.contains("revision 2 of the tenant"),
            "{sql}: {refused}"
        );
        put_back(&place).await;
    }
    acme.bundle().await.unwrap();
    acme.insert(vec![record("b")]).await.unwrap();
    // Who makes the store take the tables as they are leaves that in the log.
    run(&place, "UPDATE token SET role = 'owner'").await;
    run(&place, "INSERT INTO counter VALUES ('unaudited', 1)").await;
    let store = place.open().await;
    let found = found(&audit(&store).await);
    assert!(found[0].contains("the log says anew"), "{found:?}");
}

pub(crate) async fn a_head_that_was_kept_is_in_the_past_of_the_store(place: Place) {
    if !place.is_shared() {
        return;
    }
    let store = place.open().await;
    filled(&store).await;
    let (mut heads, mut file) = (
        Heads::default(),
        String::from("2026-11-29 a line of a log\n"),
    );
    let acme = store.tenant("acme");
    let mut say = async |file: &mut String| {
        let line = heads.next(&store).await.unwrap().unwrap();
        writeln!(file, "2026-11-29T00:00:00Z  INFO hooks::heads: {line}").unwrap();
        line
    };
    assert!(say(&mut file).await.contains("\"admin\""));
    keep(&place).await;
    acme.insert(vec![record("b")]).await.unwrap();
    let line = say(&mut file).await;
    assert!(
        line.contains("\"execution\":[31,") && !line.contains("admin"),
        "{line}"
    );
    acme.insert(vec![record("c")]).await.unwrap();
    let expect = async |file: &str| {
        let anchored = store.anchored(file.as_bytes()).unwrap();
        found(&store.audit(&anchored).await.unwrap())
    };
    assert_eq!(expect(&file).await, [""; 0]);
    // All tables are as they were before: only what was kept elsewhere tells.
    put_back(&place).await;
    assert_eq!(found(&audit(&store).await), [""; 0]);
    let gone = expect(&file).await;
    assert!(gone[0].contains("is not there any more"), "{gone:?}");
    acme.insert(vec![record("d"), record("e")]).await.unwrap();
    let other = expect(&file).await;
    assert!(
        other[0].contains("the hash is not the one that was kept"),
        "{other:?}"
    );
    // Somebody has written into what was kept.
    for (from, to) in [
        ("[31,", "[32,"),
        ("\"mac\":\"", "\"mac\":\"0"),
        ("\"mac\"", "\"sum\""),
    ] {
        let forged = line.replace(from, to);
        let anchored = store.anchored(forged.as_bytes());
        let is_trusted = anchored.is_ok_and(|anchored| anchored.unread() == 0);
        assert!(!is_trusted, "{forged}");
    }
    assert!(matches!(
        store.anchored("no heads".as_bytes()),
        Err(StoreError::NotFound(_))
    ));
}

pub(crate) async fn a_store_without_a_key_is_proved_by_its_heads(place: Place) {
    if !place.is_shared() {
        return;
    }
    let builder = || Store::builder(&place.address).keys(Keys::none());
    let store = builder().open().await.unwrap();
    let acme = store.tenant("acme");
    acme.insert(vec![record("a"); 30]).await.unwrap();
    let line = Heads::default().next(&store).await.unwrap().unwrap();
    keep(&place).await;
    run(&place, "DELETE FROM execution WHERE seq > 20").await;
    run(&place, "UPDATE chain SET seq = 20, hash = (SELECT hash FROM execution WHERE seq = 20) WHERE log = 'execution'").await;
    let audited = audit(&store).await;
    assert_eq!(found(&audited), [""; 0]);
    assert!(audited.iter().all(|one| !one.verified.is_signed));
    let anchored = store.anchored(line.as_bytes()).unwrap();
    let gone = found(&store.audit(&anchored).await.unwrap());
    assert!(gone[0].contains("is not there any more"), "{gone:?}");
    // As retention would have removed them all: nothing tells that it was not.
    run(
        &place,
        "UPDATE chain SET seq = 31, removed_seq = 31, removed_hash = hash WHERE log = 'execution'",
    )
    .await;
    run(&place, "DELETE FROM execution").await;
    let gone = found(&store.audit(&anchored).await.unwrap());
    assert!(gone[0].contains("retention has removed row 30"), "{gone:?}");
    put_back(&place).await;
    store.close().await;
    // From now on there is a key.
    let store = place.open().await;
    let acme = store.tenant("acme");
    acme.insert(vec![record("b")]).await.unwrap();
    acme.create(&json!({ "event": "BeforeToolCall", "block": "no" }), &ada())
        .await
        .unwrap();
    let audited = audit(&store).await;
    assert_eq!(found(&audited), [""; 0]);
    let unsigned: Vec<_> = audited.iter().map(|one| one.verified.unsigned).collect();
    assert!(audited.iter().all(|one| one.verified.is_signed) && unsigned == [0, 0, 30]);
    store.close().await;
    let refused = builder().open().await.unwrap_err();
    assert!(matches!(refused, StoreError::Key(_)), "{refused}");
}
