//! Faults: a process that is killed, a disk that is full, a database that is away, bits that flip.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::{Budget as _, Recorder as _, Runtime};
use hooks_store::{Anchored, NodeReport, Retention, Role, Session, Store};
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};

use crate::common::{Place, ada, record};
use crate::postgres::{Databases, Server};

/// The variable that makes a test be the process that is killed.
const VICTIM: &str = "HOOKS_STORE_TEST_VICTIM";

/// Not a test of its own: the process that [`nothing_acknowledged_is_lost_when_a_process_is_killed`] kills.
#[tokio::test]
async fn victim() {
    let Ok(address) = std::env::var(VICTIM) else {
        return;
    };
    let store = Store::open(&address).await.unwrap();
    let recorder = store.recorder();
    let mut long = record("a");
    long.reason = Some("x".repeat(1000));
    for batch in 1.. {
        for _ in 0..100 {
            recorder.record(&long);
        }
        recorder.flush().await.unwrap();
        println!("durable {}", batch * 100);
    }
}

#[tokio::test]
async fn nothing_acknowledged_is_lost_when_a_process_is_killed() {
    let place = Place::file();
    for _ in 0..3 {
        let before = Store::open(&place.address)
            .await
            .unwrap()
            .tenant("acme")
            .verify()
            .await
            .unwrap()
            .rows;
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "faults::victim", "--nocapture"])
            .env(VICTIM, &place.address)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(victim.stdout.take().unwrap()).lines();
        let durable = lines
            .map_while(Result::ok)
            .filter_map(|line| line.split_once("durable ")?.1.trim().parse::<u64>().ok());
        let mut acknowledged = 0;
        for count in durable {
            acknowledged = acknowledged.max(count);
            if count == 500 {
                // SIGKILL, in the middle of the next batch.
                victim.kill().unwrap();
            }
        }
        victim.wait().unwrap();
        let store = Store::open(&place.address).await.unwrap();
        let verified = store.tenant("acme").verify().await.unwrap();
        assert_eq!((verified.broken, verified.unread), (None, 0));
        assert!(
            acknowledged >= 500 && verified.rows >= before + acknowledged,
            "{acknowledged} of {}",
            verified.rows
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_holds_up_the_queue_and_no_agent() {
    let place = Place::memory();
    let store = place.open().await;
    let pages = async |most: u32| {
        store
            .__execute(&format!("PRAGMA max_page_count = {most}"))
            .await;
    };
    let recorder = store.recorder();
    recorder.record(&record("a"));
    recorder.flush().await.unwrap();
    pages(1).await;
    let mut long = record("b");
    long.reason = Some("x".repeat(1000));
    for _ in 0..2000 {
        recorder.record(&long);
    }
    let error = recorder.flush().await.unwrap_err().to_string();
    assert!(error.contains("full"), "{error}");
    assert!(recorder.last_error().is_some());
    // What does not fit into the queue is counted.
    for _ in 0..40_000 {
        recorder.record(&record("c"));
    }
    assert!(recorder.dropped() > 0);
    pages(1_000_000).await;
    tokio::time::timeout(Duration::from_mins(5), async {
        while recorder.flush().await.is_err() {}
    })
    .await
    .unwrap();
    assert_eq!(recorder.last_error(), None);
    let verified = store.tenant("acme").verify().await.unwrap();
    assert_eq!(verified.broken, None);
    assert_eq!(verified.rows, 42_001 - recorder.dropped());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_whose_chain_is_broken_holds_up_no_other() {
    let store = Place::memory().open().await;
    let recorder = store.recorder();
    let of = |tenant: &str| {
        let mut record = record("a");
        record.tenant_id = Some(tenant.to_owned());
        record
    };
    for tenant in ["acme", "zen"] {
        recorder.keep(&of(tenant)).await.unwrap();
    }
    store
        .__execute("DELETE FROM chain WHERE tenant_id = 'acme' AND log = 'execution'")
        .await;
    for _ in 0..10 {
        recorder.record(&of("acme"));
        recorder.record(&of("zen"));
    }
    let why = recorder.keep(&of("acme")).await.unwrap_err().to_string();
    assert!(why.contains("is missing"), "{why}");
    recorder.keep(&of("zen")).await.unwrap();
    assert_eq!(store.tenant("zen").verify().await.unwrap().rows, 12);
    assert!(recorder.last_error().is_some() && recorder.dropped() == 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn long_records_do_not_fill_the_memory() {
    let store = Place::memory().open().await;
    let recorder = store.recorder();
    store.__execute("PRAGMA max_page_count = 1").await;
    let mut long = record("a");
    long.input = Some(json!({ "text": "x".repeat(4 << 20) }));
    for _ in 0..100 {
        recorder.record(&long);
    }
    // 32 MiB, also of those that the task tries to write.
    assert_eq!(recorder.dropped(), 93);
    assert!(recorder.flush().await.is_err());
    recorder.record(&long);
    assert_eq!(recorder.dropped(), 94);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_must_be_recorded_waits_and_fails_if_it_is_not() {
    let place = Place::file();
    let store = place.open().await;
    let acme = store.tenant("acme");
    for (tool, on_failure) in [("deploy", "block"), ("ship", "skip")] {
        let hook = json!({
            "name": tool, "event": "BeforeToolCall", "tools": [tool], "context": "careful", "must_audit": true,
            "on_failure": on_failure, "timeout": "3s",
        });
        acme.create(&hook, &ada()).await.unwrap();
    }
    acme.publish(&ada()).await.unwrap();
    let runtime = Runtime::builder()
        .source(acme.source())
        .recorder(store.recorder());
    let hooks = hooks![..runtime.build().await.unwrap()];
    let blocked = async |tool: &str| {
        let mut call = BeforeToolCall::new("1", tool, json!({}));
        let cx = AgentContext::new("s1").with_tenant_id("acme");
        let result = hooks.intercept(&cx, &mut call).await;
        result.as_cancel().map(|cancel| cancel.reason.to_string())
    };
    for (seq, tool) in [(1, "deploy"), (3, "ship")] {
        assert_eq!(blocked(tool).await, None);
        // The row is there when the call goes on.
        let row = acme.execution(seq).await.unwrap().unwrap();
        assert_eq!(row.record.hook, tool);
    }
    let mut other = SqliteConnection::connect(&place.address).await.unwrap();
    let lock = sqlx::raw_sql("BEGIN IMMEDIATE");
    lock.execute(&mut other).await.unwrap();
    let why = blocked("deploy").await.unwrap();
    assert!(why.contains("`deploy` failed"), "{why}");
    assert_eq!(blocked("ship").await, None);
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    tokio::time::timeout(Duration::from_mins(5), async {
        while blocked("deploy").await.is_some() {}
    })
    .await
    .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_another_process_locks_comes_back() {
    let place = Place::file();
    let store = place.open().await;
    let recorder = store.recorder();
    let mut other = SqliteConnection::connect(&place.address).await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE")
        .execute(&mut other)
        .await
        .unwrap();
    recorder.record(&record("a"));
    assert!(recorder.flush().await.is_err());
    // Readers read all the same.
    assert!(store.tenant("acme").hooks().await.unwrap().is_empty());
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    tokio::time::timeout(Duration::from_mins(5), async {
        while recorder.flush().await.is_err() {}
    })
    .await
    .unwrap();
    assert_eq!(
        (
            store.tenant("acme").verify().await.unwrap().rows,
            recorder.dropped()
        ),
        (1, 0)
    );
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs Postgres: the gate runs it"]
async fn a_server_that_was_away_comes_back() {
    if std::env::var("DATABASE_URL").is_ok() {
        eprintln!("SKIPPED: the server of `DATABASE_URL` is not ours to end");
        return;
    }
    let server = Server::start();
    let store = server.database("away").await.open().await;
    let acme = store.tenant("acme");
    let (recorder, mut changes) = (store.recorder(), acme.follow(|news| news.draft));
    recorder.record(&record("a"));
    recorder.flush().await.unwrap();
    server.end();
    for _ in 0..100 {
        recorder.record(&record("b"));
    }
    assert!(recorder.flush().await.is_err());
    assert!(acme.hooks().await.is_err());
    server.begin();
    tokio::time::timeout(Duration::from_mins(5), async {
        while recorder.flush().await.is_err() {}
        acme.create(&crate::common::block("a", "deploy"), &ada())
            .await
            .unwrap();
        assert!(changes.next().await);
    })
    .await
    .unwrap();
    let verified = acme.verify().await.unwrap();
    assert_eq!(
        (verified.rows, verified.broken, recorder.dropped()),
        (101, None, 0)
    );
}

#[tokio::test]
async fn every_flipped_bit_shows() {
    let place = Place::file();
    let store = place.open().await;
    let acme = store.tenant("acme");
    let mut long = record("a");
    long.unmet = vec!["b".into()];
    long.reason = Some("x".repeat(1000));
    acme.insert(vec![long; 5]).await.unwrap();
    acme.create(&crate::common::block("a", "deploy"), &ada())
        .await
        .unwrap();
    let mut database = SqliteConnection::connect(&place.address).await.unwrap();
    let mut run = async |sql: String| {
        sqlx::query(AssertSqlSafe(sql))
            .execute(&mut database)
            .await
            .unwrap();
    };
    let numbers = ["at", "revision"];
    let texts = [
        "hook", "event", "tool", "session", "agent", "outcome", "body",
    ];
    let bytes = ["detail", "detail_hash", "hash"];
    let changes = numbers.map(|column| (column, format!("{column} + 1")));
    let changes = changes.into_iter().chain(texts.map(|column| {
        (
            column,
            format!("replace({column}, substr({column}, 1, 1), 'Z')"),
        )
    }));
    // The last bit of the last byte.
    let flip = |column: &str| {
        format!(
            "CAST(substr({column}, 1, length({column}) - 1) || \
         CASE WHEN substr({column}, -1) = x'00' THEN x'01' ELSE x'00' END AS BLOB)"
        )
    };
    // The first byte of a detail is that of the id of its key.
    let key = "CAST(CASE WHEN substr(detail, 1, 1) = x'00' THEN x'01' ELSE x'00' END || substr(detail, 2) AS BLOB)";
    let changes = changes.chain([("detail", key.to_owned())]);
    for (column, changed) in changes.chain(bytes.map(|column| (column, flip(column)))) {
        run("CREATE TABLE kept AS SELECT * FROM execution".into()).await;
        run(format!(
            "UPDATE execution SET {column} = {changed} WHERE seq = 3"
        ))
        .await;
        let verified = acme.verify().await.unwrap();
        let broken = verified
            .broken
            .unwrap_or_else(|| panic!("{column}: not seen"));
        assert_eq!(broken.seq, 3, "{column}: {}", broken.what);
        run("DELETE FROM execution".into()).await;
        run("INSERT INTO execution SELECT * FROM kept".into()).await;
        run("DROP TABLE kept".into()).await;
        assert_eq!(acme.verify().await.unwrap().broken, None);
    }
    run("UPDATE execution SET hook_version = '2' WHERE seq = 3".into()).await;
    assert_eq!(acme.verify().await.unwrap().broken.unwrap().seq, 3);
    run("UPDATE execution SET hook_version = ''".into()).await;
    // The names of the hooks that did not run.
    run("UPDATE execution_names SET body = replace(body, 'b', 'c')".into()).await;
    assert_eq!(acme.verify().await.unwrap().broken.unwrap().seq, 1);
    run("UPDATE execution_names SET body = replace(body, 'c', 'b')".into()).await;
    assert_eq!(acme.verify().await.unwrap().broken, None);
    // The last row is gone, and so is the first.
    for (gone, first) in [(5, 5), (1, 1)] {
        run(format!("DELETE FROM execution WHERE seq = {gone}")).await;
        assert_eq!(acme.verify().await.unwrap().broken.unwrap().seq, first);
    }
    run("UPDATE admin_log SET body = replace(body, 'ada', 'eve')".into()).await;
    assert_eq!(
        acme.verify_admin_log().await.unwrap().broken.unwrap().seq,
        1
    );
    // A sealed value in another row's place cannot be read there.
    acme.put_secret("one", "s3cret", &ada()).await.unwrap();
    acme.put_secret("two", "other", &ada()).await.unwrap();
    run("UPDATE secret SET value = (SELECT value FROM secret WHERE name = 'one') WHERE name = 'two'".into()).await;
    let error = acme.secret_values().await.unwrap_err().to_string();
    assert!(
        error.contains("secret/acme/two") && !error.contains("s3cret"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn many_records_are_one_write() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let acme = store.tenant("acme");
    let full = "CREATE TRIGGER full BEFORE INSERT ON execution WHEN new.seq > 4500 \
                BEGIN SELECT RAISE(ABORT, 'full'); END";
    store.__execute(full).await;
    acme.insert(vec![record("a"); 5000]).await.unwrap_err();
    assert!(acme.execution(1).await.unwrap().is_none());
    store.__execute("DROP TRIGGER full").await;
    let mut late = vec![record("a"); 5000];
    late[0].at = "9999-01-01T00:00:00Z".parse().unwrap();
    assert_eq!(acme.insert(late).await.unwrap(), 5000);
    let first = acme.execution(1).await.unwrap().unwrap();
    assert!(first.record.at <= jiff::Timestamp::now());
}

#[tokio::test(flavor = "multi_thread")]
async fn retention_goes_on_after_a_tenant_that_fails() {
    let retention = Retention {
        rows: Some(1),
        ..Retention::default()
    };
    let store = Store::builder("sqlite::memory:").retention(retention);
    let store = store.open().await.unwrap();
    for tenant in ["acme", "other"] {
        let tenant = store.tenant(tenant);
        tenant.insert(vec![record("a"); 3]).await.unwrap();
    }
    let stuck = "CREATE TRIGGER stuck BEFORE DELETE ON execution WHEN old.tenant_id = 'acme' \
                 BEGIN SELECT RAISE(ABORT, 'stuck'); END";
    store.__execute(stuck).await;
    store.retain().await.unwrap_err();
    let first = async |tenant: &str| store.tenant(tenant).verify().await.unwrap().first;
    assert_eq!((first("acme").await, first("other").await), (1, 3));
}

/// The process that [`a_database_that_is_given_is_used`] starts runs this, too.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs Postgres: the gate runs it"]
async fn a_daemon_works_with_a_role_that_can_only_add() {
    let server = Server::start();
    let owner = server.database("roles").await;
    owner.open().await.close().await;
    let mut connection = sqlx::PgConnection::connect(&owner.address).await.unwrap();
    let roles = sqlx::raw_sql(include_str!("../../../docs/append-only.sql"));
    roles.execute(&mut connection).await.unwrap();
    let of = |role: &str| owner.address.replace("user=hooks", &format!("user={role}"));
    let daemon = owner.builder_at(&of("hooks_daemon")).open().await.unwrap();
    let acme = daemon.tenant("acme");
    let block = crate::common::block("a", "deploy");
    let hook = acme.create(&block, &ada()).await.unwrap();
    acme.publish(&ada()).await.unwrap();
    acme.delete(&hook.id, 1, &ada()).await.unwrap();
    acme.rollback(1, &ada()).await.unwrap();
    let mut long = record("a");
    (long.reason, long.unmet) = (Some("x".repeat(1000)), vec!["b".into()]);
    acme.insert(vec![long; 3]).await.unwrap();
    acme.detail(1, &ada()).await.unwrap();
    acme.put_secret("s", "x", &ada()).await.unwrap();
    acme.delete_secret("s", &ada()).await.unwrap();
    acme.set_budget(None, Some(9), &ada()).await.unwrap();
    acme.set_budget(None, None, &ada()).await.unwrap();
    let reserved = daemon.budget().reserve("acme", 5, 9).await.unwrap();
    daemon.budget().settle(reserved, 3).await.unwrap();
    let token = acme.token_new("ci", Role::Viewer, None, &ada()).await;
    let caller = daemon.caller(&token.unwrap().to_string()).await.unwrap();
    let hash = caller.unwrap().hash;
    let used = [(hash.as_str().into(), "api".to_owned())];
    daemon.tokens_used(&used).await.unwrap();
    let session = Session {
        tenant: "acme".into(),
        token: hash,
    };
    daemon.open_session("cookie", &session).await.unwrap();
    assert!(daemon.session("cookie").await.unwrap().is_some());
    let id = acme.tokens().await.unwrap().remove(0).id;
    acme.revoke_token(&id, &ada()).await.unwrap();
    acme.report("node", &NodeReport::default()).await.unwrap();
    daemon.retain().await.unwrap();
    let mut connection = sqlx::PgConnection::connect(&of("hooks_daemon"))
        .await
        .unwrap();
    for table in [
        "admin_log",
        "budget_log",
        "execution",
        "execution_hook",
        "execution_names",
        "hook_version",
        "revision",
    ] {
        for change in [
            "UPDATE {} SET tenant_id = ''",
            "DELETE FROM {}",
            "TRUNCATE {}",
        ] {
            let sql = AssertSqlSafe(change.replace("{}", table));
            let refused = sqlx::query(sql).execute(&mut connection).await;
            let refused = refused.unwrap_err().to_string();
            assert!(refused.contains("permission denied"), "{table}: {refused}");
        }
    }
    let auditor = owner.builder_at(&of("hooks_auditor")).read_only();
    let auditor = auditor.open().await.unwrap();
    let audited = auditor.audit(&Anchored::default()).await.unwrap();
    assert!(audited.iter().all(|one| one.verified.broken.is_none()));
    assert_eq!(audited[2].verified.rows, 3, "{audited:?}");
    assert!(auditor.tenant("acme").publish(&ada()).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs Postgres: the gate runs it"]
async fn databases_can_be_found() {
    let databases = Databases::find();
    let place = databases.create("found").await;
    assert!(place.is_shared());
    place.open().await.close().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs Postgres: the gate runs it"]
async fn a_database_that_is_given_is_used() {
    let server = Server::start();
    let given = server.database("given").await;
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "faults::databases_can_be_found"])
        .env("DATABASE_URL", &given.address)
        .output()
        .unwrap();
    assert!(
        child.status.success(),
        "{}",
        String::from_utf8_lossy(&child.stdout)
    );
    let mut connection = sqlx::PgConnection::connect(&given.address).await.unwrap();
    let sql = "SELECT count(*) FROM information_schema.tables WHERE table_name = 'hook_version' AND table_schema LIKE 'hooks_%'";
    let tables: i64 = sqlx::query_scalar(sql)
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(tables, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_removed_replaced_or_overwritten_shows_and_takes_nothing_more() {
    type Fault = fn(&std::path::Path);
    let faults: [(&str, Fault); 3] = [
        ("cannot be read", |file| std::fs::remove_file(file).unwrap()),
        ("another file", |file| {
            std::fs::remove_file(file).unwrap();
            std::fs::create_dir(file).unwrap();
        }),
        ("does not begin", |file| {
            let file = std::fs::OpenOptions::new().write(true).open(file).unwrap();
            std::os::unix::fs::FileExt::write_all_at(&file, &[0; 4096], 0).unwrap();
            // Closing it would give up the locks of this process.
            std::mem::forget(file);
        }),
    ];
    for (why, fault) in faults {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hooks.db");
        let store = Store::open(&format!("sqlite:{}", file.display()))
            .await
            .unwrap();
        let acme = store.tenant("acme");
        acme.create(&crate::common::block("a", "deploy"), &ada())
            .await
            .unwrap();
        assert_eq!(store.trouble(), None);
        fault(&file);
        let trouble = tokio::time::timeout(Duration::from_secs(20), async {
            loop {
                match store.trouble() {
                    Some(trouble) => break trouble,
                    None => tokio::time::sleep(Duration::from_millis(20)).await,
                }
            }
        });
        let trouble = trouble.await.unwrap();
        assert!(trouble.contains(why), "{trouble}");
        let refused = acme
            .create(&crate::common::block("b", "deploy"), &ada())
            .await;
        assert!(refused.unwrap_err().to_string().contains(why));
    }
}

#[tokio::test]
async fn who_writes_without_a_row_of_the_change_is_noticed() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let acme = store.tenant("acme");
    // As an older version writes, and as a restored database counts.
    for value in [1_000, 7] {
        let before = acme.news();
        let mut tokens = acme.follow(|news| news.tokens);
        let sql = format!("UPDATE counter SET value = {value} WHERE name = 'change'");
        store.__execute(&sql).await;
        let learned = tokio::time::timeout(Duration::from_mins(5), tokens.next());
        assert!(learned.await.expect("it is noticed"));
        let after = acme.news();
        assert!(after.tokens > before.tokens && after.in_force > before.in_force);
    }
}

#[tokio::test]
async fn a_store_that_takes_no_writes_says_so_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let address = format!("sqlite:{}", folder.path().join("hooks.db").display());
    let store = Store::open(&address).await.unwrap();
    assert_eq!(store.trouble(), None);
    store.close().await;
    let store = Store::open(&format!("{address}?mode=ro")).await.unwrap();
    let trouble = store.trouble().unwrap();
    assert!(trouble.contains("readonly"), "{trouble}");
    // It is still so when others have looked.
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(store.trouble(), Some(trouble));
}

#[tokio::test]
async fn a_database_that_is_not_there_is_named() {
    let error = Store::open("postgres://ada:s3cret@127.0.0.1:1/hooks")
        .await
        .unwrap_err();
    let expected = "the database does not answer: connection refused: postgres at 127.0.0.1:1";
    assert_eq!(error.to_string(), expected);
}
