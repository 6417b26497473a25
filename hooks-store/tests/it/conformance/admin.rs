//! The admin log, tokens and samples.

use hooks_runtime::entry::TestEntry;
use hooks_store::{PlainToken, Role, Session, Store, StoreError};
use jiff::SignedDuration;
use serde_json::json;

use crate::common::{Clock, Place, ada, block, mistakes};

pub(crate) async fn every_write_is_in_the_log_and_the_log_is_a_chain(place: Place) {
    let store = place.open().await;
    let acme = store.tenant("acme");
    let hook = acme.create(&block("a", "deploy"), &ada()).await.unwrap();
    let second = acme
        .update(&hook.id, 1, &block("a", "ship"), &ada())
        .await
        .unwrap();
    acme.delete(&hook.id, 2, &ada()).await.unwrap();
    acme.put_settings(0, &json!({ "builtin": { "redact": true } }), &ada())
        .await
        .unwrap();
    acme.publish(&ada()).await.unwrap();
    acme.put_secret("s", "x", &ada()).await.unwrap();
    acme.delete_secret("s", &ada()).await.unwrap();
    acme.set_budget(None, Some(5), &ada()).await.unwrap();
    // A write that fails is in no log.
    assert!(acme.delete(&hook.id, 1, &ada()).await.is_err());
    let page = acme.admin_log(None, 5).await.unwrap();
    let older = acme.admin_log(page.next, 5).await.unwrap();
    let entries: Vec<_> = page.items.iter().chain(&older.items).collect();
    let actions: Vec<_> = entries.iter().map(|entry| &*entry.action).collect();
    let expected = [
        "budget.set",
        "secret.delete",
        "secret.put",
        "revision.publish",
        "hook.create",
        "hook.delete",
        "hook.update",
        "hook.create",
    ];
    assert_eq!((actions, older.next), (expected.to_vec(), None));
    let update = entries[6];
    assert_eq!(
        (&update.before, &update.after, &update.entity),
        (&hook.hash, &second.hash, &hook.id)
    );
    assert_eq!(
        (&*update.actor, &*update.from, &*update.comment),
        ("ada", "10.0.0.7", "why not")
    );
    let verified = acme.verify_admin_log().await.unwrap();
    assert_eq!((verified.rows, verified.broken), (8, None));
    assert!(
        store
            .tenant("other")
            .admin_log(None, 5)
            .await
            .unwrap()
            .items
            .is_empty()
    );
}

pub(crate) async fn a_store_that_must_exist_is_not_made(place: Place) {
    let open = async || place.builder().existing().open().await;
    assert!(matches!(open().await, Err(StoreError::NotFound(_))));
    if place.is_shared() {
        let store = place.open().await;
        store
            .tenant("acme")
            .create(&block("a", "deploy"), &ada())
            .await
            .unwrap();
        let again = open().await.unwrap();
        assert_eq!(again.tenant("acme").hooks().await.unwrap().len(), 1);
    }
}

pub(crate) async fn a_token_is_shown_once_and_can_be_taken_back(place: Place) {
    let store = place.open().await;
    let acme = store.tenant("acme");
    let plain = acme
        .token_new("ci", Role::Author, Some("writer"), &ada())
        .await
        .unwrap()
        .to_string();
    let caller = store.caller(&plain).await.unwrap().unwrap();
    let expected = ("acme", Role::Author, Some("writer"), "ci");
    assert_eq!(
        (
            &*caller.tenant,
            caller.role,
            caller.agent.as_deref(),
            &*caller.name
        ),
        expected
    );
    for wrong in [
        "",
        "ci",
        "hks_",
        &plain[..plain.len() - 1],
        &format!("{plain}x"),
        "hks_' OR 1=1 --",
    ] {
        assert!(store.caller(wrong).await.unwrap().is_none(), "{wrong}");
    }
    let tokens = acme.tokens().await.unwrap();
    assert!(!format!("{tokens:?}").contains(&plain) && tokens.len() == 1);
    assert!(matches!(
        store
            .tenant("other")
            .revoke_token(&tokens[0].id, &ada())
            .await,
        Err(StoreError::NotFound(_))
    ));
    acme.revoke_token(&tokens[0].id, &ada()).await.unwrap();
    assert!(store.caller(&plain).await.unwrap().is_none());
}

pub(crate) async fn a_token_has_a_name_of_its_own_and_says_when_it_was_used(place: Place) {
    let store = place.open().await;
    let acme = store.tenant("acme");
    let new = async || acme.token_new("ci", Role::Viewer, None, &ada()).await;
    let token = new().await.unwrap();
    let told = mistakes(new().await);
    assert_eq!(told[0].path, "/name");
    let other = store.tenant("other");
    other
        .token_new("ci", Role::Viewer, None, &ada())
        .await
        .unwrap();

    let read = async || acme.tokens().await.unwrap().remove(0);
    assert_eq!(read().await.used, None);
    let caller = store.caller(&token.to_string()).await.unwrap().unwrap();
    let change = store.change();
    let used = [(caller.hash.into(), "api".to_owned())];
    store.tokens_used(&used).await.unwrap();
    let used = read().await;
    assert!(used.used >= Some(used.at) && used.used_from == "api");
    assert_eq!(store.change(), change, "it counts as a change");
    assert!(other.tokens().await.unwrap()[0].used.is_none());

    acme.revoke_token(&used.id, &ada()).await.unwrap();
    new().await.unwrap();
}

pub(crate) async fn a_token_ends_and_a_new_one_takes_its_place(place: Place) {
    let clock = Clock::at("2026-11-01T00:00:00Z");
    let store = place.builder().clock(clock.read()).open().await.unwrap();
    let acme = store.tenant("acme");
    let end = "2026-11-03T00:00:00Z".parse().unwrap();
    let until = async |end| {
        acme.token_until("ci", Role::Author, Some("writer"), Some(end), &ada())
            .await
    };
    let past = "2026-10-01T00:00:00Z".parse().unwrap();
    assert_eq!(mistakes(until(past).await)[0].path, "/ends");
    let first = until(end).await.unwrap();
    let hour = SignedDuration::from_hours(1);
    let second = acme.rotate_token(first.id(), hour, &ada()).await.unwrap();
    let caller = async |token: &PlainToken| store.caller(&token.to_string()).await.unwrap();
    let new = caller(&second).await.unwrap();
    assert_eq!(
        (new.role, new.agent.as_deref(), new.ends),
        (Role::Author, Some("writer"), Some(end))
    );
    assert_eq!(caller(&first).await.unwrap().name, "ci");
    clock.set("2026-11-01T01:00:00Z");
    assert!(caller(&first).await.is_none() && caller(&second).await.is_some());
    let gone = acme.rotate_token(first.id(), hour, &ada()).await;
    assert!(matches!(gone, Err(StoreError::NotFound(_))));
    assert_eq!(mistakes(until(end).await)[0].path, "/name");
    assert_eq!(acme.tokens().await.unwrap().len(), 2);
    // One that has ended leaves its name, and its place in the list.
    clock.set("2026-11-03T00:00:00Z");
    assert!(caller(&second).await.is_none());
    let later = "2026-11-09T00:00:00Z".parse().unwrap();
    until(later).await.unwrap();
    assert_eq!(acme.tokens().await.unwrap().len(), 1);
    let verified = acme.verify_admin_log().await.unwrap();
    assert_eq!(verified.broken, None, "the log says what the tokens are");
}

fn of_link() -> Session {
    Session {
        tenant: "acme".into(),
        token: String::new(),
    }
}

pub(crate) async fn a_session_outlives_the_process_and_ends_in_time(place: Place) {
    let clock = Clock::at("2026-11-01T00:00:00Z");
    let open = async || place.builder().clock(clock.read()).open().await.unwrap();
    let mut store = open().await;
    for cookie in ["used", "idle", "closed"] {
        store.open_session(cookie, &of_link()).await.unwrap();
    }
    store.close_session("closed").await.unwrap();
    let is_open = async |store: &Store, cookie| store.session(cookie).await.unwrap().is_some();
    assert!(!is_open(&store, "closed").await && !is_open(&store, "").await);
    for day in 1..=8 {
        for hour in ["01", "09", "17"] {
            clock.set(&format!("2026-11-{day:02}T{hour}:00:00Z"));
            if place.is_shared() {
                store = open().await;
            }
            assert_eq!(is_open(&store, "used").await, day < 8, "{day} {hour}");
        }
        assert!(!is_open(&store, "idle").await);
    }
}

pub(crate) async fn a_session_ends_with_its_token(place: Place) {
    let store = place.open().await;
    let acme = store.tenant("acme");
    let by = ada();
    let token = acme.token_new("ci", Role::Viewer, None, &by);
    let token = token.await.unwrap().to_string();
    let caller = store.caller(&token).await.unwrap().unwrap();
    let session = Session {
        token: caller.hash,
        ..of_link()
    };
    store.open_session("link", &of_link()).await.unwrap();
    for number in 0..17 {
        let cookie = format!("cookie {number}");
        let closed = store.open_session(&cookie, &session).await.unwrap();
        assert_eq!(closed, number == 16, "{number}");
    }
    let is_open = async |cookie: &str| store.session(cookie).await.unwrap().is_some();
    assert!(!is_open("cookie 0").await && is_open("cookie 1").await);
    let id = acme.tokens().await.unwrap().remove(0).id;
    acme.revoke_token(&id, &ada()).await.unwrap();
    assert!(!is_open("cookie 1").await && is_open("link").await);
}

pub(crate) async fn a_sample_is_saved_and_removed(place: Place) {
    let store = place.open().await;
    let acme = store.tenant("acme");
    let sample = TestEntry {
        tool: None,
        args: None,
        expect: Some("block".into()),
        name: "a force push".into(),
        event: "BeforeToolCall".into(),
        cx: json!({ "agent_id": "writer" }),
        body: json!({ "name": "shell", "arguments": { "command": "git push --force", "channel": u64::MAX } }),
    };
    let saved = acme.save_sample(&sample, &ada()).await.unwrap();
    assert_eq!(acme.sample(&saved.id).await.unwrap().as_ref(), Some(&saved));
    assert_eq!(
        (acme.samples().await.unwrap().as_slice(), &saved.saved),
        ([saved.clone()].as_slice(), &sample)
    );
    let names = acme.sample_names().await.unwrap();
    assert_eq!(names, [(saved.id.clone(), "a force push".to_owned())]);
    let long = TestEntry {
        body: json!({ "args": "x".repeat(64 << 10) }),
        ..sample.clone()
    };
    assert_eq!(
        mistakes(acme.save_sample(&long, &ada()).await)[0].path,
        "/body"
    );
    let crowded = store.tenant("crowded");
    for _ in 0..500 {
        crowded.save_sample(&sample, &ada()).await.unwrap();
    }
    let told = mistakes(crowded.save_sample(&sample, &ada()).await);
    assert_eq!(told[0].message, "there are 500 samples already");
    assert!(
        store
            .tenant("other")
            .sample(&saved.id)
            .await
            .unwrap()
            .is_none()
    );
    acme.delete_sample(&saved.id, &ada()).await.unwrap();
    assert!(matches!(
        acme.delete_sample(&saved.id, &ada()).await,
        Err(StoreError::NotFound(_))
    ));
}
