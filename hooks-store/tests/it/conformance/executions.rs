//! Executions: what is written, read, verified and removed.

use std::time::Duration;

use hooks_runtime::{Record, RecordOutcome, RecordStep, Recorder as _};
use hooks_store::{ExecutionFilter, Retention, verify_lines};
use jiff::Timestamp;
use serde_json::json;

use crate::common::{Clock, Place, ada, mistakes, record};

pub(crate) async fn a_record_becomes_a_row(place: Place) {
    let store = place.open().await;
    let (mut rows, others) = (store.tenant("acme").rows(), store.tenant("other").rows());
    let recorder = store.recorder();
    let mut written = record("a");
    written.steps[0].hook_version = Some(3);
    written.unmet = vec!["b".into(), "c".into()];
    written.unasked = vec!["d".into(), "b".into()];
    written.duration = Duration::from_micros(12);
    recorder.record(&written);
    recorder.record(&Record::new("no tenant", "RunStart"));
    recorder.flush().await.unwrap();
    assert!(rows.has_changed().unwrap() && *rows.borrow_and_update() == 1);
    assert!(!others.has_changed().unwrap(), "it is not theirs");
    let acme = store.tenant("acme");
    let read = acme.execution(1).await.unwrap().unwrap();
    written.number = Some(1);
    // Names are in the order of the list that they are written against.
    written.unasked.reverse();
    assert_eq!(
        (read.seq, read.has_detail, &read.record),
        (1, false, &written)
    );
    assert_eq!(
        store
            .tenant("")
            .execution(1)
            .await
            .unwrap()
            .unwrap()
            .record
            .hook,
        "no tenant"
    );
    assert!(acme.execution(2).await.unwrap().is_none());
    assert!(store.tenant("other").execution(1).await.unwrap().is_none());
    // It is durable within a second, and nobody need ask for it.
    recorder.record(&record("b"));
    drop(recorder);
    tokio::time::timeout(Duration::from_mins(5), rows.changed())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(acme.execution(2).await.unwrap().unwrap().record.hook, "b");
}

pub(crate) async fn a_store_has_one_recorder_which_closing_flushes(place: Place) {
    let store = place.open().await;
    let (one, other) = (store.recorder(), store.recorder());
    one.record(&record("a"));
    other.flush().await.unwrap();
    let acme = store.tenant("acme");
    assert_eq!(acme.execution(1).await.unwrap().unwrap().record.hook, "a");
    for _ in 0..5000 {
        one.record(&record("b"));
    }
    let rows = acme.rows();
    store.close().await;
    assert_eq!(*rows.borrow(), 5000);
    // What remains when all handles are dropped is written as well.
    if place.is_shared() {
        let store = place.open().await;
        store.recorder().record(&record("c"));
        let mut rows = store.tenant("acme").rows();
        drop((store, one, other));
        rows.wait_for(|rows| *rows == 1).await.unwrap();
        let acme = place.open().await.tenant("acme");
        assert_eq!(acme.verify().await.unwrap().rows, 5002);
    }
}

pub(crate) async fn rows_are_found_page_by_page_and_by_what_they_are(place: Place) {
    let acme = place.open().await.tenant("acme");
    let start: Timestamp = "2026-11-01T00:00:00Z".parse().unwrap();
    let records = (0..10_u32).map(|n| {
        let mut record = record(if n % 2 == 0 { "even" } else { "odd" });
        record.at = start + jiff::SignedDuration::from_secs(n.into());
        record.session_id = format!("s{}", n / 5);
        record.agent_id = format!("agent {}", n % 3);
        record.subject = (n > 7).then(|| "deploy".into());
        if n == 4 {
            record.outcome = RecordOutcome::Fault;
            record.event = "AfterToolCall".into();
        }
        // A hook failed, and the event went on.
        if n == 6 {
            record.steps[0].outcome = RecordOutcome::Fault;
        }
        record
    });
    acme.insert(records.collect()).await.unwrap();
    let filter = |filter: ExecutionFilter| {
        let acme = acme.clone();
        async move {
            let (mut found, mut cursor) = (Vec::new(), None);
            loop {
                let page = acme.executions(&filter, cursor, 3).await.unwrap();
                assert!(page.items.len() <= 3);
                found.extend(page.items.iter().map(|execution| execution.seq));
                cursor = page.next;
                if cursor.is_none() {
                    return found;
                }
            }
        }
    };
    let all = ExecutionFilter::default;
    assert_eq!(filter(all()).await, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(
        filter(ExecutionFilter {
            hook: Some("odd".into()),
            ..all()
        })
        .await,
        [10, 8, 6, 4, 2]
    );
    let fault = ExecutionFilter {
        outcome: Some(RecordOutcome::Fault),
        ..all()
    };
    assert_eq!(filter(fault).await, [7, 5]);
    let event = ExecutionFilter {
        event: Some("AfterToolCall".into()),
        ..all()
    };
    assert_eq!(filter(event).await, [5]);
    assert_eq!(
        filter(ExecutionFilter {
            tool: Some("deploy".into()),
            ..all()
        })
        .await,
        [10, 9]
    );
    assert_eq!(
        filter(ExecutionFilter {
            agent: Some("agent 0".into()),
            ..all()
        })
        .await,
        [10, 7, 4, 1]
    );
    let both = ExecutionFilter {
        session: Some("s1".into()),
        hook: Some("even".into()),
        ..all()
    };
    assert_eq!(filter(both).await, [9, 7]);
    let since = Some(start + jiff::SignedDuration::from_secs(7));
    assert_eq!(filter(ExecutionFilter { since, ..all() }).await, [10, 9, 8]);
    assert_eq!(
        filter(ExecutionFilter {
            until: since,
            hook: Some("odd".into()),
            ..all()
        })
        .await,
        [6, 4, 2]
    );
    let seqs =
        |found: Vec<hooks_store::Execution>| found.iter().map(|one| one.seq).collect::<Vec<_>>();
    assert_eq!(
        seqs(acme.session("s0", 0, 10).await.unwrap()),
        [1, 2, 3, 4, 5]
    );
    assert_eq!(seqs(acme.session("s0", 2, 2).await.unwrap()), [3, 4]);
    assert_eq!(seqs(acme.since(7, 2).await.unwrap()), [8, 9]);
}

pub(crate) async fn a_long_text_is_cut_and_whole_in_the_detail(place: Place) {
    let store = place.open().await;
    let acme = store.tenant("acme");
    let mut long = record("a");
    long.reason = Some("가".repeat(1000));
    long.warnings = vec!["y".repeat(300)];
    long.input = Some(json!({ "arguments": { "command": "ls" } }));
    acme.insert(vec![long.clone()]).await.unwrap();
    let row = acme.execution(1).await.unwrap().unwrap();
    assert_eq!(row.record.input, None);
    assert_eq!(
        (
            row.has_detail,
            row.record.reason.as_deref().unwrap(),
            row.record.warnings[0].len()
        ),
        (true, &*"가".repeat(256), 256)
    );
    let change = store.change();
    let detail = acme.detail(1, &ada()).await.unwrap().unwrap();
    assert_eq!(serde_json::from_value::<Record>(detail).unwrap(), long);
    // Who reads changes nothing, so nobody reads anything again.
    assert_eq!(store.change(), change);
    let entries = acme.admin_log(None, 10).await.unwrap().items;
    assert_eq!(
        (&*entries[0].action, &*entries[0].entity, &*entries[0].actor),
        ("execution.detail", "1", "ada")
    );
    assert!(acme.detail(2, &ada()).await.unwrap().is_none());
}

pub(crate) async fn a_number_is_kept_as_it_is_or_refused(place: Place) {
    const MOST: u64 = (1 << 53) - 1;
    let store = place.open().await;
    let acme = store.tenant("acme");
    let event = json!({ "event": { "id": u64::MAX, "least": i64::MIN } });
    let mut most = record("a");
    (most.revision, most.steps[0].hook_version) = (MOST, Some(MOST));
    most.duration = Duration::from_micros(MOST);
    most.change = Some(json!([{ "op": "add", "path": "/id", "value": MOST + 2 }]));
    most.input = Some(event.clone());
    acme.insert(vec![most.clone()]).await.unwrap();
    let row = acme.execution(1).await.unwrap().unwrap().record;
    assert_eq!((row.revision, row.duration), (MOST, most.duration));
    assert_eq!(row.change.unwrap()[0]["value"], "9007199254740993");
    let detail = acme.detail(1, &ada()).await.unwrap().unwrap();
    assert_eq!(serde_json::from_value::<Record>(detail).unwrap(), most);
    let mut wrong = [record("b"), record("b"), record("b")];
    wrong[0].revision = MOST + 1;
    wrong[1].steps[0].hook_version = Some(u64::MAX);
    wrong[2].duration = Duration::MAX;
    let fields = ["revision", "steps/0/hook_version", "duration_us"];
    let recorder = store.recorder();
    for (field, wrong) in fields.into_iter().zip(wrong) {
        recorder.keep(&wrong).await.unwrap_err();
        let told = mistakes(acme.insert(vec![record("c"), wrong]).await);
        assert_eq!(told[0].path, format!("/1/{field}"));
    }
    assert_eq!(recorder.dropped(), 3);
    recorder.record(&record("d"));
    recorder.flush().await.unwrap();
    let verified = acme.verify().await.unwrap();
    assert_eq!((verified.rows, verified.broken), (2, None));
    let lines = acme.lines(0, 10).await.unwrap().join("\n");
    assert_eq!(verify_lines(lines.as_bytes()).unwrap().rows, 2);
    // A place beyond all rows is none.
    let all = ExecutionFilter::default();
    let all = acme.executions(&all, Some(u64::MAX), 10).await.unwrap();
    assert_eq!(all.items.len(), 2);
    let told = mistakes(acme.execution(u64::MAX).await);
    assert!(told[0].message.contains(&u64::MAX.to_string()), "{told:?}");
}

pub(crate) async fn events_of_the_past_are_read_whole(place: Place) {
    let acme = place.open().await.tenant("acme");
    let written = (0..100).map(|number| {
        let mut event = record("gate");
        event.reason = Some(format!("{number} {}", "y".repeat(300)));
        event.input = Some(json!({ "event": { "name": format!("tool-{number}") } }));
        event.unmet = vec![format!("hook {}", number / 50).into()];
        event.number = Some(number + 1);
        event
    });
    let written: Vec<_> = written.collect();
    for some in written.chunks(30) {
        acme.insert(some.to_vec()).await.unwrap();
    }
    let read = async |limit: u32| {
        let mut past = acme.past(None, limit, &ada()).await.unwrap();
        let mut read = Vec::new();
        loop {
            let some = past.next().await.unwrap();
            if some.is_empty() {
                return read;
            }
            read.extend(some);
        }
    };
    assert_eq!(read(70).await, written[30..]);
    assert_eq!(read(1000).await, written);
    let none = acme.past(Some(jiff::Timestamp::MAX), 10, &ada()).await;
    assert!(none.unwrap().next().await.unwrap().is_empty());
    let entries = acme.admin_log(None, 10).await.unwrap().items;
    let entries: Vec<_> = entries
        .iter()
        .map(|entry| (&*entry.action, &*entry.entity))
        .collect();
    assert_eq!(
        entries,
        [("execution.past", "1-100"), ("execution.past", "31-100")]
    );
}

pub(crate) async fn the_hooks_that_did_not_run_are_bits(place: Place) {
    let store = place.open().await;
    let acme = store.tenant("acme");
    let names = |range: std::ops::Range<u32>| range.map(|n| format!("hook number {n}").into());
    let events = (0..20_u32).map(|n| {
        let mut event = record("a");
        event.unmet = names(0..500).collect();
        event.unasked = names(500..1000 + n).collect();
        event
    });
    let events: Vec<_> = events.collect();
    acme.insert(events[..10].to_vec()).await.unwrap();
    acme.insert(events[10..].to_vec()).await.unwrap();
    let lines = acme.lines(0, 100).await.unwrap();
    let line: serde_json::Value = serde_json::from_str(&lines[19]).unwrap();
    assert_eq!(line["unasked"][518], "hook number 1018");
    assert!(line["record"].to_string().len() < 1000, "{line}");
    assert_eq!(verify_lines(lines.join("\n").as_bytes()).unwrap().rows, 20);
    // A store that is opened again knows the lists, too.
    let acme = if place.is_shared() {
        place.open().await.tenant("acme")
    } else {
        acme
    };
    for (event, read) in events.iter().zip(acme.since(0, 100).await.unwrap()) {
        assert_eq!(
            (&event.unmet, &event.unasked),
            (&read.record.unmet, &read.record.unasked)
        );
    }
    assert_eq!(acme.verify().await.unwrap().broken, None);
}

pub(crate) async fn the_events_of_a_hook_are_found(place: Place) {
    let retention = Retention {
        rows: Some(6),
        ..Retention::default()
    };
    let store = place.builder().retention(retention).open().await.unwrap();
    let acme = store.tenant("acme");
    let events = (0..10).map(|n| {
        let mut event = record("decides");
        // A guard may judge twice.
        event.steps.push(event.steps[0].clone());
        if n % 2 == 0 {
            event
                .steps
                .push(RecordStep::new("shadow", RecordOutcome::Block));
        }
        event
    });
    acme.insert(events.collect()).await.unwrap();
    let found = async |hook: &str, cursor| {
        let filter = ExecutionFilter {
            hook: Some(hook.into()),
            tool: Some("shell".into()),
            ..ExecutionFilter::default()
        };
        let page = acme.executions(&filter, cursor, 3).await.unwrap();
        page.items.iter().map(|one| one.seq).collect::<Vec<_>>()
    };
    assert_eq!(found("shadow", None).await, [9, 7, 5]);
    assert_eq!(found("shadow", Some(5)).await, [3, 1]);
    assert_eq!(found("decides", None).await, [10, 9, 8]);
    assert!(found("nothing", None).await.is_empty());
    assert_eq!(store.retain().await.unwrap(), 4);
    assert_eq!(found("shadow", Some(7)).await, [5]);
}

pub(crate) async fn payloads_are_redacted(place: Place) {
    let acme = place.open().await.tenant("acme");
    let mut leaky = record("a");
    leaky.reason = Some("the key is AKIAIOSFODNN7EXAMPLE".into());
    leaky.change = Some(json!([{ "op": "add", "path": "/x", "value": "AKIAIOSFODNN7EXAMPLE" }]));
    leaky.steps[0].messages = vec!["AKIAIOSFODNN7EXAMPLE ".repeat(30)];
    leaky.input = Some(json!({ "text": "AKIAIOSFODNN7EXAMPLE" }));
    acme.insert(vec![leaky]).await.unwrap();
    let row = acme.execution(1).await.unwrap().unwrap();
    let detail = acme.detail(1, &ada()).await.unwrap().unwrap();
    let shown = format!("{row:?} {detail}");
    assert!(
        shown.contains("[REDACTED:") && !shown.contains("AKIAIOSFODNN7EXAMPLE"),
        "{shown}"
    );
}

pub(crate) async fn a_chain_holds_and_can_be_verified_alone(place: Place) {
    let acme = place.open().await.tenant("acme");
    assert_eq!(acme.verify().await.unwrap().rows, 0);
    let mut long = record("a");
    long.reason = Some("x".repeat(1000));
    let records = (0..200).map(|n| {
        if n % 3 == 0 {
            long.clone()
        } else {
            record("b")
        }
    });
    acme.insert(records.collect()).await.unwrap();
    let verified = acme.verify().await.unwrap();
    assert_eq!(
        (
            verified.rows,
            verified.first,
            verified.last,
            verified.broken
        ),
        (200, 1, 200, None)
    );
    let mut lines = acme.lines(0, 150).await.unwrap();
    lines.extend(acme.lines(150, 150).await.unwrap());
    let check = |lines: &[String]| verify_lines(lines.join("\n").as_bytes()).unwrap();
    assert_eq!((check(&lines).rows, check(&lines).broken), (200, None));
    assert_eq!(check(&lines[100..]).rows, 100);
    let mut gap = lines.clone();
    gap.remove(49);
    assert_eq!(check(&gap).broken.unwrap().seq, 50);
    let mut changed = lines.clone();
    changed[9] = changed[9].replace("\"s1\"", "\"s2\"");
    assert_eq!(check(&changed).broken.unwrap().seq, 10);
    let mut moved = lines.clone();
    moved.swap(3, 4);
    assert_eq!(check(&moved).broken.unwrap().seq, 4);
    assert!(verify_lines("no line".as_bytes()).is_err());
}

pub(crate) async fn two_processes_share_a_chain(place: Place) {
    if !place.is_shared() {
        return;
    }
    let stores = [place.open().await, place.open().await];
    let writers = stores.clone().map(|store| {
        tokio::spawn(async move {
            let recorder = store.recorder();
            for n in 0..500 {
                recorder.record(&record(&format!("hook {}", n % 7)));
                if n % 50 == 0 {
                    recorder.flush().await.unwrap();
                }
            }
            recorder.flush().await.unwrap();
            assert_eq!(recorder.dropped(), 0);
        })
    });
    for writer in writers {
        writer.await.unwrap();
    }
    let verified = stores[0].tenant("acme").verify().await.unwrap();
    assert_eq!((verified.rows, verified.broken), (1000, None));
}

pub(crate) async fn retention_keeps_the_chain(place: Place) {
    let clock = Clock::at("2026-11-20T00:00:00Z");
    let retention = Retention {
        days: Some(7),
        rows: Some(15),
    };
    let store = place
        .builder()
        .clock(clock.read())
        .retention(retention)
        .open()
        .await
        .unwrap();
    let acme = store.tenant("acme");
    let start: Timestamp = "2026-11-01T00:00:00Z".parse().unwrap();
    let records = (0..20_u32).map(|n| {
        let mut record = record("a");
        record.at = start + jiff::SignedDuration::from_hours(24 * i64::from(n));
        record
    });
    acme.insert(records.collect()).await.unwrap();
    // The 13th is the oldest day that stays.
    assert_eq!(store.retain().await.unwrap(), 12);
    let verified = acme.verify().await.unwrap();
    assert_eq!(
        (verified.rows, verified.first, verified.broken),
        (8, 13, None)
    );
    acme.insert((0..30).map(|_| record("b")).collect())
        .await
        .unwrap();
    assert_eq!(store.retain().await.unwrap(), 23);
    let verified = acme.verify().await.unwrap();
    assert_eq!(
        (
            verified.rows,
            verified.first,
            verified.last,
            verified.broken
        ),
        (15, 36, 50, None)
    );
    let lines = acme.lines(0, 100).await.unwrap().join("\n");
    assert_eq!(verify_lines(lines.as_bytes()).unwrap().rows, 15);
    clock.set("2027-11-20T00:00:00Z");
    assert_eq!(store.retain().await.unwrap(), 15);
    assert_eq!(
        (
            acme.verify().await.unwrap().rows,
            acme.verify().await.unwrap().broken
        ),
        (0, None)
    );
    acme.insert(vec![record("c")]).await.unwrap();
    assert_eq!(acme.verify().await.unwrap().first, 51);
}

pub(crate) async fn a_chain_holds_while_retention_runs(place: Place) {
    let retention = Retention {
        rows: Some(40),
        ..Retention::default()
    };
    let store = place.builder().retention(retention).open().await.unwrap();
    let acme = store.tenant("acme");
    acme.insert(vec![record("a"); 3000]).await.unwrap();
    let writer = tokio::spawn({
        let (store, acme) = (store.clone(), acme.clone());
        async move {
            let mut removed = 0;
            for _ in 0..20 {
                removed += store.retain().await.unwrap();
                acme.insert(vec![record("b"); 100]).await.unwrap();
            }
            removed
        }
    });
    let mut walks = 0;
    while !writer.is_finished() || walks == 0 {
        assert_eq!(acme.verify().await.unwrap().broken, None);
        walks += 1;
    }
    assert_eq!(writer.await.unwrap(), 3000 - 40 + 19 * 100);
    assert_eq!(acme.verify().await.unwrap().rows, 140);
}

pub(crate) async fn a_clock_that_steps_back_changes_nothing(place: Place) {
    let clock = Clock::at("2026-11-20T00:00:00Z");
    let store = place.builder().clock(clock.read()).open().await.unwrap();
    let acme = store.tenant("acme");
    let mut first = record("a");
    first.at = "2026-11-20T00:00:00Z".parse().unwrap();
    let hook = acme
        .create(&crate::common::block("a", "deploy"), &ada())
        .await
        .unwrap();
    acme.insert(vec![first.clone()]).await.unwrap();
    clock.set("2026-11-19T00:00:00Z");
    first.at = "2026-11-19T00:00:00Z".parse().unwrap();
    acme.insert(vec![first]).await.unwrap();
    acme.create(&crate::common::block("b", "deploy"), &ada())
        .await
        .unwrap();
    acme.update(&hook.id, 1, &crate::common::block("a", "ship"), &ada())
        .await
        .unwrap();
    acme.publish(&ada()).await.unwrap();
    let page = acme
        .executions(&ExecutionFilter::default(), None, 10)
        .await
        .unwrap();
    assert_eq!(
        page.items.iter().map(|one| one.seq).collect::<Vec<_>>(),
        [2, 1]
    );
    assert_eq!(
        acme.versions(&hook.id, None, 9).await.unwrap().items[0].version,
        2
    );
    assert_eq!(
        (
            acme.verify().await.unwrap().rows,
            acme.verify_admin_log().await.unwrap().broken
        ),
        (2, None)
    );
}

pub(crate) async fn any_text_can_be_in_a_record(place: Place) {
    let store = place.open().await;
    let long = "가".repeat(10_000);
    let texts = [
        "'; DROP TABLE execution; --",
        "<script>alert(1)</script>",
        "a\u{0}b\u{1b}[31m",
        "$1 ? :x",
        &long,
    ];
    let recorder = store.recorder();
    for text in texts {
        let mut record = record(text);
        record.event = text.into();
        record.session_id = text.into();
        record.agent_id = text.into();
        record.tenant_id = Some(text.chars().take(100).collect());
        record.subject = Some(text.into());
        record.reason = Some(text.into());
        recorder.record(&record);
    }
    recorder.flush().await.unwrap();
    for text in texts {
        let tenant = store.tenant(&text.chars().take(100).collect::<String>());
        let found = tenant.session(text, 0, 10).await.unwrap();
        let cut: String = text.chars().take(256).collect();
        assert_eq!((found.len(), &found[0].record.hook), (1, &cut));
        let verified = tenant.verify().await.unwrap();
        assert_eq!((verified.rows, verified.broken), (1, None));
    }
}

pub(crate) async fn what_hooks_did_is_counted_when_it_is_written(place: Place) {
    let clock = Clock::at("2026-11-24T12:34:56Z");
    let store = place.builder().clock(clock.read()).open().await.unwrap();
    let acme = store.tenant("acme");
    let at = |time: &str| time.parse::<Timestamp>().unwrap();
    let mut records = Vec::new();
    for (time, hook, micros) in [
        ("2026-11-24T10:59:59Z", "a", 5),
        ("2026-11-24T12:00:01Z", "a", 5),
        ("2026-11-24T12:00:59Z", "a", 7),
        ("2026-11-24T12:00:59Z", "b", 5000),
    ] {
        let mut one = record(hook);
        (one.at, one.duration) = (at(time), Duration::from_micros(micros));
        one.steps[0].duration = one.duration;
        records.push(one);
    }
    acme.insert(records.clone()).await.unwrap();
    acme.insert(records).await.unwrap();
    let mut shadow = record("a");
    shadow.steps[0].shadow = true;
    (shadow.outcome, shadow.hook) = (RecordOutcome::Continue, String::new());
    let other = store.tenant("other");
    other.insert(vec![record("a"), shadow]).await.unwrap();
    let counts = |rows: Vec<hooks_store::Activity>| {
        let rows = rows.into_iter();
        let counts = rows.map(|row| (row.hook, row.at, row.less_than.as_micros(), row.count));
        counts.collect::<Vec<_>>()
    };
    let noon = at("2026-11-24T12:00:00Z");
    let minutes = acme.activity(at("2026-11-24T12:00:30Z")).await.unwrap();
    let all = [(String::new(), noon, 8, 4), (String::new(), noon, 8192, 2)];
    assert_eq!(counts(minutes), all);
    let hours = acme
        .activity_of(Some("a"), at("2026-11-24T00:00:00Z"))
        .await
        .unwrap();
    let of_a = [
        ("a".to_owned(), at("2026-11-24T10:00:00Z"), 8, 2),
        ("a".to_owned(), noon, 8, 4),
    ];
    assert_eq!(counts(hours), of_a);
    let each = acme.activity_of(None, noon).await.unwrap();
    assert_eq!(
        counts(each),
        [
            ("a".to_owned(), noon, 8, 4),
            ("b".to_owned(), noon, 8192, 2)
        ]
    );
    // The event went on, whatever a hook in shadow mode said.
    let events = other.activity(Timestamp::UNIX_EPOCH).await.unwrap();
    let outcomes: Vec<_> = events.iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, [RecordOutcome::Block, RecordOutcome::Continue]);
    let counted = other
        .activity_of(None, Timestamp::UNIX_EPOCH)
        .await
        .unwrap();
    let [did, would] = counted.as_slice() else {
        panic!("{counted:?}");
    };
    assert_eq!(did.outcome, would.outcome);
    assert!(!did.shadow && would.shadow && did.count == 1);
    let busiest = acme.activity_of_busiest(1, at("2026-11-24T00:00:00Z"));
    assert_eq!(counts(busiest.await.unwrap()), of_a);
    clock.set("2026-12-03T00:00:00Z");
    store.retain().await.unwrap();
    assert!(
        acme.activity(Timestamp::UNIX_EPOCH)
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        acme.activity_of(None, Timestamp::UNIX_EPOCH)
            .await
            .unwrap()
            .len(),
        3
    );
    clock.set("2028-12-03T00:00:00Z");
    store.retain().await.unwrap();
    assert!(
        acme.activity_of(None, Timestamp::UNIX_EPOCH)
            .await
            .unwrap()
            .is_empty()
    );
}
