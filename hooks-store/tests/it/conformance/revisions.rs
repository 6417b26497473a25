//! Revisions: what is published, and what is in force.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use hooks_core::agent::AgentContext;
use hooks_runtime::entry::{Mode, TestEntry};
use hooks_runtime::{
    BreakerState, Bundle, HttpEvaluator, OwnedEvent, Runtime, RuntimeBuilder, Source as _,
};
use hooks_store::{ImportFormat, Role, Store, StoreError};
use serde_json::{Map, Value, json};

use crate::common::{Place, ada, block, mistakes, names};

pub(crate) async fn a_publication_makes_a_revision_and_an_unchanged_set_none(place: Place) {
    let acme = place.open().await.tenant("acme");
    assert_eq!(
        (
            acme.bundle().await.unwrap().revision,
            acme.bundle().await.unwrap().hooks.len()
        ),
        (0, 0)
    );
    acme.create(&block("a", "deploy"), &ada()).await.unwrap();
    let first = acme.publish(&ada()).await.unwrap();
    let same = acme.publish(&ada()).await.unwrap();
    assert_eq!((first.revision, first.is_new), (1, true));
    assert_eq!(
        (same.revision, &same.sha256, same.is_new),
        (1, &first.sha256, false)
    );
    acme.put_settings(0, &json!({ "builtin": { "redact": true } }), &ada())
        .await
        .unwrap();
    let second = acme.publish(&ada()).await.unwrap();
    let bundle = acme.bundle().await.unwrap();
    assert_eq!(
        (
            second.revision,
            bundle.revision,
            &*bundle.author,
            &*bundle.comment
        ),
        (2, 2, "ada", "why not")
    );
    assert_eq!(bundle.hooks[0]["version"], 1);
    let page = acme.revisions(None, 1).await.unwrap();
    assert_eq!(
        (
            page.items[0].number,
            page.items[0].parent.as_ref(),
            page.next
        ),
        (2, Some(&first.sha256), Some(2))
    );
    let page = acme.revisions(page.next, 1).await.unwrap();
    assert_eq!(
        (
            page.items[0].number,
            page.items[0].parent.as_ref(),
            page.next
        ),
        (1, None, None)
    );
    assert_eq!(
        (&page.items[0].sha256, page.items[0].hooks),
        (&first.sha256, 1)
    );
    let whole = acme.revision(1).await.unwrap().unwrap();
    assert_eq!(whole.sha256(), first.sha256);
    let newest = acme.newest_set().await.unwrap().unwrap();
    assert_eq!(newest.revision, 2);
}

pub(crate) async fn a_set_with_a_mistake_is_not_published(place: Place) {
    // Each hook is right alone, and together they are not: another deployment has checked them.
    let lenient = place
        .builder()
        .capabilities(hooks_store::Capabilities::all())
        .open()
        .await
        .unwrap();
    let acme = lenient.tenant("acme");
    acme.create(&block("a", "deploy"), &ada()).await.unwrap();
    let first = acme.publish(&ada()).await.unwrap();
    let command = json!({ "name": "b", "event": "BeforeToolCall", "command": "true" });
    acme.create(&command, &ada()).await.unwrap();
    if !place.is_shared() {
        return;
    }
    let strict = hooks_store::Capabilities::all().without_handlers(["command"]);
    let strict = place.builder().capabilities(strict).open().await.unwrap();
    let told = mistakes(strict.tenant("acme").publish(&ada()).await);
    assert_eq!(told[0].path, "/hooks/1/command");
    assert_eq!(acme.bundle().await.unwrap().revision, first.revision);
}

pub(crate) async fn a_rollback_is_a_new_revision_and_the_draft_follows(place: Place) {
    let acme = place.open().await.tenant("acme");
    let hook = acme.create(&block("a", "deploy"), &ada()).await.unwrap();
    acme.publish(&ada()).await.unwrap();
    acme.update(&hook.id, 1, &block("a", "ship"), &ada())
        .await
        .unwrap();
    acme.create(&block("b", "deploy"), &ada()).await.unwrap();
    acme.publish(&ada()).await.unwrap();
    let back = acme.rollback(1, &ada()).await.unwrap();
    assert_eq!((back.revision, back.is_new), (3, true));
    let (bundle, draft) = (acme.bundle().await.unwrap(), acme.draft().await.unwrap());
    assert_eq!(
        (names(&bundle.hooks), &bundle.hooks[0]["tools"][0]),
        (vec!["a"], &json!("deploy"))
    );
    assert_eq!(draft.hooks, bundle.hooks);
}

pub(crate) async fn a_rollback_keeps_what_was_not_published(place: Place) {
    let acme = place.open().await.tenant("acme");
    let make =
        async |name: &str, tool: &str| acme.create(&block(name, tool), &ada()).await.unwrap();
    let (changed, deleted, published) = (
        make("changed", "old").await,
        make("deleted", "old").await,
        make("published", "old").await,
    );
    make("gone", "old").await;
    acme.publish(&ada()).await.unwrap();
    // The second revision: one hook is another, one is new, and one is not there.
    let other = block("published", "new");
    acme.update(&published.id, 1, &other, &ada()).await.unwrap();
    make("wrong", "new").await;
    let gone = acme.hooks().await.unwrap().remove(3);
    assert_eq!(gone.name, "gone");
    acme.delete(&gone.id, 1, &ada()).await.unwrap();
    acme.publish(&ada()).await.unwrap();
    // And this is not published.
    let own = block("changed", "mine");
    acme.update(&changed.id, 1, &own, &ada()).await.unwrap();
    acme.delete(&deleted.id, 1, &ada()).await.unwrap();
    let new = make("new", "mine").await;
    let tables = json!({ "limits": { "chain": "7s" } });
    acme.put_settings(0, &tables, &ada()).await.unwrap();

    let back = acme.rollback_keeping_draft(1, &ada()).await.unwrap();
    assert_eq!((back.revision, back.is_new), (3, true));
    let tools = |hooks: &[Value]| {
        let tools = hooks.iter().map(|hook| {
            let tool = hook["tools"][0].as_str().unwrap();
            (hook["name"].as_str().unwrap().to_owned(), tool.to_owned())
        });
        tools.collect::<Vec<_>>()
    };
    let pairs = |pairs: &[(&str, &str)]| {
        let pairs = pairs
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
        pairs.collect::<Vec<_>>()
    };
    let live = acme.bundle().await.unwrap();
    let old = [
        ("changed", "old"),
        ("deleted", "old"),
        ("published", "old"),
        ("gone", "old"),
    ];
    assert_eq!(tools(&live.hooks), pairs(&old));
    assert!(live.tables().is_empty());
    let draft = acme.draft().await.unwrap();
    let kept = [
        ("changed", "mine"),
        ("published", "old"),
        ("gone", "old"),
        ("new", "mine"),
    ];
    assert_eq!(tools(&draft.hooks), pairs(&kept));
    assert_eq!(draft.tables()["limits"]["chain"], "7s");
    // What is kept is what it was, and a published version says which one it is.
    let hooks = acme.hooks().await.unwrap();
    assert_eq!((&hooks[0].id, hooks[0].version), (&changed.id, 2));
    assert_eq!((&hooks[3].id, hooks[3].version), (&new.id, 1));
    assert_eq!(
        (&live.hooks[0]["version"], &live.hooks[2]["version"]),
        (&json!(1), &json!(3))
    );
    acme.publish(&ada()).await.unwrap();
    assert_eq!(tools(&acme.bundle().await.unwrap().hooks), pairs(&kept));
}

pub(crate) async fn another_mode_is_published_without_the_rest_of_the_draft(place: Place) {
    let acme = place.open().await.tenant("acme");
    let mut made = Vec::new();
    for name in ["a", "b", "gone"] {
        made.push(acme.create(&block(name, "deploy"), &ada()).await.unwrap());
    }
    let [a, b, gone] = &*made else { panic!() };
    acme.publish(&ada()).await.unwrap();
    acme.update(&a.id, 1, &block("a", "ship"), &ada())
        .await
        .unwrap();
    acme.delete(&gone.id, 1, &ada()).await.unwrap();
    acme.create(&block("new", "deploy"), &ada()).await.unwrap();
    for name in ["a", "b", "gone"] {
        let turned = acme.publish_mode(name, Mode::Off, &ada()).await.unwrap();
        assert!(turned.is_new);
    }
    let live = acme.bundle().await.unwrap().hooks;
    assert_eq!(names(&live), ["a", "b", "gone"]);
    for hook in &live {
        assert_eq!(
            (&hook["mode"], &hook["tools"]),
            (&json!("off"), &json!(["deploy"]))
        );
    }
    // What is live has a version of its own, and the work of others is the newest.
    let number = live[0]["version"].as_u64().unwrap();
    let kept = acme.version(&a.id, number).await.unwrap().unwrap();
    assert_eq!(
        (&kept["mode"], &kept["tools"][0]),
        (&json!("off"), &json!("deploy"))
    );
    let draft = acme.hook(&a.id).await.unwrap().unwrap();
    assert_eq!(
        (draft.version, &draft.body["mode"], &draft.body["tools"][0]),
        (4, &json!("off"), &json!("ship"))
    );
    assert_eq!(acme.hook(&b.id).await.unwrap().unwrap().version, 2);
    assert_eq!(acme.deleted_ids().await.unwrap()["gone"].0, gone.id);
    let names: Vec<_> = acme.ids().await.unwrap().into_keys().collect();
    assert_eq!(names, ["a", "b", "new"]);
    let log = acme.admin_log(None, 1).await.unwrap().items;
    assert_eq!((&*log[0].action, &*log[0].entity), ("revision.mode", "4"));
    let again = acme.publish_mode("a", Mode::Off, &ada()).await.unwrap();
    assert!(!again.is_new);
    let missing = acme.publish_mode("new", Mode::Off, &ada()).await;
    assert!(matches!(missing, Err(StoreError::NotFound(_))));
}

pub(crate) async fn a_tenants_hook_takes_the_place_of_a_global_one_unless_that_is_mandatory(
    place: Place,
) {
    let store = place.open().await;
    let (acme, global) = (store.tenant("acme"), store.tenant(""));
    let mut must = block("must", "deploy");
    acme.create(&must, &ada()).await.unwrap();
    acme.create(&block("may", "ship"), &ada()).await.unwrap();
    acme.create(&block("own", "ship"), &ada()).await.unwrap();
    acme.publish(&ada()).await.unwrap();
    must["mandatory"] = json!(true);
    must["tools"] = json!(["*"]);
    global.create(&must, &ada()).await.unwrap();
    global
        .create(&block("may", "deploy"), &ada())
        .await
        .unwrap();
    global
        .create(&block("above", "deploy"), &ada())
        .await
        .unwrap();
    let published = global.publish(&ada()).await.unwrap();
    let bundle = acme.bundle().await.unwrap();
    assert_eq!(bundle.revision, published.revision);
    let hooks: Vec<_> = bundle
        .hooks
        .iter()
        .map(|hook| {
            (
                hook["name"].as_str().unwrap(),
                hook["tools"][0].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        hooks,
        [
            ("must", "*"),
            ("above", "deploy"),
            ("may", "ship"),
            ("own", "ship")
        ]
    );
    let notices = acme.notices().await.unwrap();
    assert!(
        notices.len() == 1 && notices[0].contains("mandatory"),
        "{notices:?}"
    );
    // Who saves a hook of that name is told.
    let other = store.tenant("other");
    let told = mistakes(other.create(&block("must", "deploy"), &ada()).await);
    assert!(
        told[0].path == "/name" && told[0].message.contains("mandatory"),
        "{told:?}"
    );
    let set = [block("a", "ship"), block("must", "deploy")].to_vec();
    let set = Bundle::new(set, Map::new()).unwrap();
    let told = mistakes(other.put_draft(&set, &ada()).await);
    assert!(
        told[0].path == "/hooks/1/name" && told[0].message.contains("mandatory"),
        "{told:?}"
    );
}

pub(crate) async fn global_settings_are_not_switched_off_below(place: Place) {
    let store = place.open().await;
    let (acme, global) = (store.tenant("acme"), store.tenant(""));
    let settings = json!({ "builtin": { "redact": true } });
    global.put_settings(0, &settings, &ada()).await.unwrap();
    global.publish(&ada()).await.unwrap();
    let settings =
        json!({ "builtin": { "redact": false, "block_tools": { "tools": ["deploy"] } } });
    acme.put_settings(0, &settings, &ada()).await.unwrap();
    acme.publish(&ada()).await.unwrap();
    let toml = acme.bundle().await.unwrap().to_toml().unwrap();
    assert!(
        toml.contains("redact = true") && toml.contains("block_tools"),
        "{toml}"
    );
    assert!(acme.notices().await.unwrap()[0].contains("builtin.redact"));
    let told = mistakes(
        acme.put_settings(1, &json!({ "enabled": false }), &ada())
            .await,
    );
    assert_eq!(told[0].path, "/enabled");
}

pub(crate) async fn a_tenants_limits_do_not_touch_mandatory_hooks(place: Place) {
    let store = place.open().await;
    let (acme, global) = (store.tenant("acme"), store.tenant(""));
    let mut audit = json!({
        "name": "audit", "event": "BeforeToolCall", "command": "sleep 60", "timeout": "20ms", "on_failure": "skip",
    });
    let hook = global.create(&audit, &ada()).await.unwrap();
    global.publish(&ada()).await.unwrap();
    let limits = json!({ "breaker": { "faults": 1, "retry_after": "999999h" }, "depth": 0 });
    let settings = json!({ "limits": limits });
    acme.put_settings(0, &settings, &ada()).await.unwrap();
    acme.publish(&ada()).await.unwrap();
    let runtime = Runtime::builder().source(acme.source());
    let runtime = runtime.build().await.unwrap();
    let fire = async || {
        let deploy = json!({ "name": "deploy" });
        let mut call = OwnedEvent::from_json("BeforeToolCall", deploy).unwrap();
        runtime.fire(&AgentContext::new("s1"), &mut call).await;
        runtime.status().hooks[0].breaker
    };
    // Nobody must have the hook, so the tenant may say how often it may fail.
    assert_eq!(acme.bundle().await.unwrap().tables()["limits"], limits);
    assert_eq!(fire().await, BreakerState::Open);
    audit["mandatory"] = json!(true);
    global
        .update(&hook.id, hook.version, &audit, &ada())
        .await
        .unwrap();
    global.publish(&ada()).await.unwrap();
    assert!(!acme.bundle().await.unwrap().tables().contains_key("limits"));
    let told = &acme.notices().await.unwrap()[0];
    assert!(
        told.contains("`limits`") && told.contains("mandatory"),
        "{told}"
    );
    runtime.reload().await.unwrap();
    assert!(runtime.reset_breaker("audit"));
    assert_eq!(fire().await, BreakerState::Closed);
}

pub(crate) async fn a_tenant_cannot_veto_a_global_publication(place: Place) {
    if !place.is_shared() {
        return;
    }
    // A deployment that has a model has published a hook that asks one; this one has none.
    let with_model = |builder: RuntimeBuilder| {
        let model = HttpEvaluator::openai("small").no_key().build();
        builder.evaluator(model.unwrap())
    };
    let other = place.builder().runtime(with_model).open().await.unwrap();
    let prompt = json!({
        "name": "ask",
        "event": "BeforeToolCall",
        "tools": ["deploy"],
        "prompt": { "template": "is it safe?", "model": "small" },
    });
    other.tenant("acme").create(&prompt, &ada()).await.unwrap();
    other.tenant("acme").publish(&ada()).await.unwrap();
    let global = place.open().await.tenant("");
    global
        .create(&block("gate", "deploy"), &ada())
        .await
        .unwrap();
    // What the tenant has in force does not load here, with the global hook or without it.
    assert!(global.publish(&ada()).await.unwrap().is_new);
    // A mistake of the global set itself still counts.
    global.create(&prompt, &ada()).await.unwrap_err();
    other.tenant("").create(&prompt, &ada()).await.unwrap();
    let told = mistakes(global.publish(&ada()).await);
    assert!(!told[0].message.contains("`acme`"), "{told:?}");
}

pub(crate) async fn two_publishers_at_once_never_mix(place: Place) {
    let store = place.open().await;
    let publishers = (0..8).map(|n| {
        let store = store.clone();
        tokio::spawn(async move {
            let tenant = store.tenant("acme");
            for round in 0..3 {
                // Both hooks of a pair are saved in one write, so a revision has both or none.
                let mut draft = tenant.draft().await.unwrap();
                let pair = [
                    block(&format!("{n}-{round}-x"), "deploy"),
                    block(&format!("{n}-{round}-y"), "deploy"),
                ];
                draft.hooks.extend(pair);
                tenant.put_draft(&draft, &ada()).await.unwrap();
                tenant.publish(&ada()).await.unwrap();
            }
        })
    });
    for publisher in publishers.collect::<Vec<_>>() {
        publisher.await.unwrap();
    }
    let acme = store.tenant("acme");
    let revisions = acme.revisions(None, 100).await.unwrap().items;
    let numbers: Vec<_> = revisions.iter().map(|revision| revision.number).collect();
    assert!(
        numbers.is_sorted_by(|later, earlier| later > earlier),
        "{numbers:?}"
    );
    for pair in revisions.windows(2) {
        assert_eq!(pair[0].parent.as_ref(), Some(&pair[1].sha256));
    }
    for revision in &revisions {
        let set = acme.revision(revision.number).await.unwrap().unwrap();
        let names = names(&set.hooks);
        for name in &names {
            let (pair, half) = name.split_at(name.len() - 1);
            let other = format!("{pair}{}", if half == "x" { "y" } else { "x" });
            assert!(
                names.contains(&&*other),
                "revision {} has half of {name}",
                revision.number
            );
        }
    }
}

pub(crate) async fn a_publication_ends_while_others_write(place: Place) {
    // Whenever a set is checked, somebody writes, as long as nobody keeps them out.
    let (ask, asked) = mpsc::channel();
    let end = ask.clone();
    let (tell, told) = mpsc::channel();
    let checks = Arc::new(AtomicU32::new(0));
    let (count, told) = (Arc::clone(&checks), Mutex::new(told));
    let busy = move |builder: RuntimeBuilder| {
        if count.fetch_add(1, Ordering::SeqCst) > 0 {
            ask.send(true).unwrap();
            let _ = told.lock().unwrap().recv_timeout(Duration::from_secs(1));
        }
        builder
    };
    let store = place.builder().runtime(busy).open().await.unwrap();
    let (acme, other) = (store.tenant("acme"), store.tenant("other"));
    acme.create(&block("a", "deploy"), &ada()).await.unwrap();
    let runtime = tokio::runtime::Handle::current();
    let writer = tokio::task::spawn_blocking(move || {
        // A test that fails ends this, too: the end of its runtime waits for the thread.
        while asked.recv_timeout(Duration::from_mins(6)) == Ok(true) {
            let sample = TestEntry::default();
            let saved = runtime.block_on(other.save_sample(&sample, &ada()));
            if tell.send(saved.map(drop)).is_err() {
                return;
            }
        }
    });
    let by = ada();
    let published = tokio::time::timeout(Duration::from_mins(5), acme.publish(&by));
    assert_eq!(published.await.expect("it ends").unwrap().revision, 1);
    assert!(checks.load(Ordering::SeqCst) > 3, "others came first");
    let text = json!([{ "name": "b", "event": "pre_tool_use", "handler_type": "http" }]);
    let text = text.to_string();
    let imported = acme.import(&text, ImportFormat::Goclaw, &by);
    let imported = tokio::time::timeout(Duration::from_mins(5), imported);
    assert_eq!(imported.await.expect("it ends").unwrap().created, ["b"]);
    let back = tokio::time::timeout(Duration::from_mins(5), acme.rollback(1, &by));
    assert!(!back.await.expect("it ends").unwrap().is_new);
    end.send(false).unwrap();
    writer.await.unwrap();
}

pub(crate) async fn another_process_learns_of_a_publication(place: Place) {
    if !place.is_shared() {
        return;
    }
    let (here, there) = (place.open().await, place.open().await);
    let source = there.tenant("acme").source();
    let runtime = Runtime::builder()
        .source(there.tenant("acme").source())
        .build()
        .await
        .unwrap();
    assert!(runtime.status().hooks.is_empty());
    runtime.watch().unwrap();
    let seen = source.fetch(None).await.unwrap().unwrap().sha256();
    assert!(source.fetch(Some(&seen)).await.unwrap().is_none());
    here.tenant("acme")
        .create(&block("a", "deploy"), &ada())
        .await
        .unwrap();
    here.tenant("acme").publish(&ada()).await.unwrap();
    tokio::time::timeout(Duration::from_mins(5), async {
        source.changed().await;
        // The runtime learns of it beside this source, and loads it in its own time.
        while runtime.status().hooks.is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await
    .expect("the runtime follows");
}

/// Waits until a store has learned of the newest write of another one.
async fn caught_up(store: &Store, before: u64) {
    let learned = async {
        while store.change() == before {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let learned = tokio::time::timeout(Duration::from_mins(5), learned);
    learned.await.expect("it learns of the write");
}

pub(crate) async fn a_change_wakes_whom_it_concerns(place: Place) {
    let here = place.open().await;
    let there = if place.is_shared() {
        place.open().await
    } else {
        here.clone()
    };
    let of = |tenant: &str| (there.tenant(tenant).news(), there.tenant("zen").news());
    let (acme, all, by) = (here.tenant("acme"), here.tenant(""), ada());

    let source = there.tenant("acme").source();
    let woken = async || {
        let soon = Duration::from_millis(1);
        tokio::time::timeout(soon, source.changed()).await.is_ok()
    };

    let (before, zen) = of("acme");
    let change = there.change();
    acme.create(&block("a", "deploy"), &by).await.unwrap();
    caught_up(&there, change).await;
    let (saved, same) = of("acme");
    assert_eq!(
        (saved.in_force, saved.tokens),
        (before.in_force, before.tokens)
    );
    assert!(saved.draft > before.draft && !woken().await);

    let change = there.change();
    acme.publish(&by).await.unwrap();
    caught_up(&there, change).await;
    let (published, _) = of("acme");
    assert!(published.in_force > saved.in_force && published.draft == saved.draft);
    assert!(woken().await && !woken().await);

    let change = there.change();
    let token = acme.token_new("ci", Role::Viewer, None, &by).await;
    token.unwrap();
    caught_up(&there, change).await;
    let (token, still) = of("acme");
    assert!(token.tokens > published.tokens && token.secrets == before.secrets);
    assert_eq!(
        (same, still),
        (zen, zen),
        "it does not concern the other tenant"
    );

    let change = there.change();
    all.put_secret("key", "s3cret", &by).await.unwrap();
    caught_up(&there, change).await;
    let (secret, other) = of("acme");
    assert!(secret.secrets > token.secrets && other.secrets > zen.secrets);
    assert_eq!((secret.tokens, other.tokens), (token.tokens, zen.tokens));
}
