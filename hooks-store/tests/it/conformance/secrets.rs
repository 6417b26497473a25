//! Secrets, and the keys that encrypt them.

use std::time::Duration;

use hooks_runtime::{Bundle, Recorder as _, Secrets as _};
use hooks_store::{Anchored, ExecutionFilter, ImportFormat, Keys, Role, Store, StoreError};
use serde_json::json;

use crate::common::{Place, ada, mistakes, record};

pub(crate) async fn a_secret_goes_in_and_only_hooks_get_it(place: Place) {
    let store = place.open().await;
    let acme = store.tenant("acme");
    let values = acme.secret_values().await.unwrap();
    let now = acme.secret_values_now().await.unwrap();
    assert_eq!(values.secret("gate"), None);
    assert_eq!(acme.put_secret("gate", "one", &ada()).await.unwrap(), 1);
    assert_eq!(acme.put_secret("gate", "two", &ada()).await.unwrap(), 2);
    let wait = async |value: Option<&str>| {
        while values.secret("gate").as_deref() != value {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(5), wait(Some("two")))
        .await
        .unwrap();
    assert_eq!(now.secret("gate"), None);
    let listed = acme.secrets().await.unwrap();
    assert_eq!(
        (&*listed[0].name, listed[0].version, listed.len()),
        ("gate", 2, 1)
    );
    assert_eq!(
        store
            .tenant("other")
            .secret_values()
            .await
            .unwrap()
            .secret("gate"),
        None
    );
    assert_eq!(
        mistakes(acme.put_secret("a b", "x", &ada()).await)[0].path,
        "/name"
    );
    acme.delete_secret("gate", &ada()).await.unwrap();
    assert!(matches!(
        acme.delete_secret("gate", &ada()).await,
        Err(StoreError::NotFound(_))
    ));
    tokio::time::timeout(Duration::from_mins(5), wait(None))
        .await
        .unwrap();
}

pub(crate) async fn a_value_in_a_row_is_a_secret_of_its_version(place: Place) {
    let store = place.open().await;
    let acme = store.tenant("acme");
    let row = |name: &str, value: &str| {
        json!({ "name": name, "goclaw": {
            "event": "pre_tool_use", "handler_type": "http", "scope": "tenant",
            "config": { "url": "https://gate.example.com/", "headers": { "X-Key": value } },
        } })
    };
    // The values that a hook of a bundle sends.
    let sent = async |bundle: &Bundle, name: &str| {
        let hook = bundle.hooks.iter().find(|hook| hook["name"] == name);
        let value = &hook.unwrap()["goclaw"]["config"]["headers"]["X-Key"];
        let secret = value.as_str().unwrap().strip_prefix("secret:").unwrap();
        let values = acme.secret_values().await.unwrap();
        values.secret(secret)
    };
    let in_force = async |name: &str| sent(&acme.bundle().await.unwrap(), name).await.unwrap();
    let mine = acme.create(&row("a b", "one"), &ada()).await.unwrap();
    acme.create(&row("a_b", "other"), &ada()).await.unwrap();
    let first = acme.publish(&ada()).await.unwrap().revision;
    assert_eq!(
        (&*in_force("a b").await, &*in_force("a_b").await),
        ("one", "other")
    );
    // A draft changes nothing that is in force.
    acme.update(&mine.id, 1, &row("a b", "two"), &ada())
        .await
        .unwrap();
    assert_eq!(in_force("a b").await, "one");
    acme.publish(&ada()).await.unwrap();
    assert_eq!(in_force("a b").await, "two");
    acme.rollback(first, &ada()).await.unwrap();
    assert_eq!(in_force("a b").await, "one");
    // Nobody else writes into these.
    let name = format!("hook.{}.1.X-Key", mine.id);
    let told = mistakes(acme.put_secret(&name, "mine", &ada()).await);
    assert_eq!(told[0].path, "/name");
}

pub(crate) async fn secrets_of_every_foreign_form_are_moved_out(place: Place) {
    const CANARY: &str = "canary-5f1d8a";
    let store = place.open().await;
    let acme = store.tenant("acme");
    let row = |headers: &str| {
        json!({ "event": "pre_tool_use", "handler_type": "http", "scope": "tenant",
            "config": { "url": "https://gate.example.com/", headers: { "X-Key": CANARY } } })
    };
    let post = json!({ "type": "http", "url": "https://gate.example.com/", "headers": { "X-Key": CANARY } });
    let claude = json!({ "hooks": { "PreToolUse": [{ "hooks": [post] }] } });
    for (name, system, body) in [
        ("list", "goclaw", json!([row("headers"), row("headers")])),
        ("hooks", "goclaw", json!({ "hooks": [row("headers")] })),
        ("claude", "claude", claude.clone()),
    ] {
        let body = json!({ "name": name, system: body });
        let hook = acme.create(&body, &ada()).await.unwrap();
        assert!(!hook.body.to_string().contains(CANARY), "{}", hook.body);
        let values = acme.secret_values_now().await.unwrap();
        let mut sent = 0;
        hooks_runtime::foreign_secrets(&mut hook.body.clone(), &mut |_, text| {
            let name = text.strip_prefix("secret:").unwrap();
            assert_eq!(values.secret(name).as_deref(), Some(CANARY));
            sent += 1;
        });
        assert_eq!(sent, if name == "list" { 2 } else { 1 });
    }
    // What is no row at all is told without its values.
    for wrong in [
        json!([row("Headers")]),
        json!({ "event": "pre_tool_use", "handler_type": "http", "config": format!("{{\"headers\": {{\"X-Key\": \"{CANARY}\"}}}}") }),
    ] {
        let body = json!({ "name": "wrong", "goclaw": wrong });
        let told = format!("{:?}", acme.create(&body, &ada()).await);
        assert!(told.contains("Invalid") && !told.contains(CANARY), "{told}");
        let text = wrong.to_string();
        let report = acme.import(&text, ImportFormat::Goclaw, &ada()).await;
        assert_eq!(report.as_ref().unwrap().notes.len(), 2, "{report:?}");
        let told = format!("{report:?} {:?}", acme.hooks().await.unwrap());
        assert!(!told.contains(CANARY), "{told}");
    }
    // All of it runs, with its values.
    let text = claude.to_string();
    let report = acme.import(&text, ImportFormat::Claude, &ada()).await;
    assert!(!format!("{:?}", report.unwrap()).contains(CANARY));
    acme.publish(&ada()).await.unwrap();
    let bundle = acme.bundle().await.unwrap().to_json();
    assert!(!bundle.contains(CANARY), "{bundle}");
}

pub(crate) async fn a_secret_is_of_the_level_of_its_hook(place: Place) {
    let store = place.open().await;
    let (global, acme) = (store.tenant(""), store.tenant("acme"));
    let hook = |name: &str, value: &str| {
        json!({
            "name": name, "event": "BeforeToolCall", "tools": ["secret:get"],
            "http": { "url": "https://gate.example.com/", "secret": "secret:gate", "headers": { "X-Key": value } },
        })
    };
    let key = |level: &str| format!("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2L{level}");
    for (tenant, name) in [(&global, "above"), (&acme, "below")] {
        tenant.put_secret("gate", &key(name), &ada()).await.unwrap();
        let hook = hook(name, "Bearer ${secret:gate}");
        tenant.create(&hook, &ada()).await.unwrap();
        tenant.publish(&ada()).await.unwrap();
    }
    let bundle = acme.bundle().await.unwrap();
    let values = acme.secret_values().await.unwrap();
    for (hook, level) in bundle.hooks.iter().zip(["above", "below"]) {
        assert_eq!(
            (&hook["name"], &hook["tools"][0]),
            (&json!(level), &json!("secret:get"))
        );
        let whole = hook["http"]["secret"].as_str().unwrap();
        let part = hook["http"]["headers"]["X-Key"].as_str().unwrap();
        let part = part.strip_prefix("Bearer ${secret:").unwrap();
        for name in [
            whole.strip_prefix("secret:").unwrap(),
            part.strip_suffix('}').unwrap(),
        ] {
            assert_eq!(values.secret(name), Some(key(level)));
        }
    }
    // What is in force names it.
    for tenant in [&global, &acme] {
        let told = mistakes(tenant.delete_secret("gate", &ada()).await);
        assert_eq!(told[0].path, "/name");
    }
    // The global tenant runs its own hooks with its own secrets.
    let bundle = global.bundle().await.unwrap();
    let name = bundle.hooks[0]["http"]["secret"].as_str().unwrap();
    let values = global.secret_values().await.unwrap();
    let value = values.secret(name.strip_prefix("secret:").unwrap());
    assert_eq!(value, Some(key("above")));
    // A tenant cannot take a secret from above.
    for value in ["secret: global:gate", "Bearer ${secret:global:gate}"] {
        let told = mistakes(acme.create(&hook("thief", value), &ada()).await);
        assert_eq!(told[0].path, "/http/headers/X-Key");
    }
}

pub(crate) async fn a_new_key_takes_over(place: Place) {
    if !place.is_shared() {
        return;
    }
    let [old, new] = [
        "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    ];
    let open = async |keys: &str| {
        let keys = Keys::read(keys).unwrap();
        Store::builder(&place.address)
            .keys(keys)
            .open()
            .await
            .unwrap()
    };
    let store = open(old).await;
    let acme = store.tenant("acme");
    acme.put_secret("gate", "s3cret", &ada()).await.unwrap();
    let mut long = record("a");
    long.reason = Some("x".repeat(1000));
    acme.insert(vec![long; 3]).await.unwrap();
    store.close().await;
    let is_whole = async |store: &Store| {
        let audited = store.audit(&Anchored::default()).await.unwrap();
        let mut all = audited.iter().map(|one| &one.verified);
        all.all(|one| one.is_signed && one.broken.is_none() && one.unsure.is_none())
    };
    // Both keys decrypt; the new one encrypts.
    let both = open(&format!("{new},{old}")).await;
    assert_eq!(
        both.tenant("acme")
            .secret_values()
            .await
            .unwrap()
            .secret("gate")
            .as_deref(),
        Some("s3cret")
    );
    both.tenant("acme").insert(vec![record("b")]).await.unwrap();
    assert!(is_whole(&both).await);
    assert_eq!(both.reencrypt(&ada()).await.unwrap(), 4);
    assert_eq!(both.reencrypt(&ada()).await.unwrap(), 0);
    both.close().await;
    let store = open(new).await;
    assert!(is_whole(&store).await);
    let acme = store.tenant("acme");
    acme.bundle().await.unwrap();
    assert_eq!(
        acme.secret_values()
            .await
            .unwrap()
            .secret("gate")
            .as_deref(),
        Some("s3cret")
    );
    let verified = acme.verify().await.unwrap();
    assert_eq!(
        (verified.rows, verified.unread, verified.broken),
        (4, 0, None)
    );
    assert!(acme.detail(2, &ada()).await.unwrap().is_some());
    store.close().await;
    // With the old one alone, a store is not opened to work; who only looks reads nothing, and the chain still holds.
    let builder = || Store::builder(&place.address).keys(Keys::read(old).unwrap());
    let refused = builder().open().await.unwrap_err().to_string();
    assert!(refused.contains("another key"), "{refused}");
    let store = builder().existing().open().await.unwrap();
    let acme = store.tenant("acme");
    assert_eq!(acme.secret_values().await.unwrap().secret("gate"), None);
    let verified = acme.verify().await.unwrap();
    assert_eq!(
        (verified.rows, verified.unread, verified.broken),
        (4, 3, None)
    );
    assert!(verified.unsure.unwrap().contains("is not there"));
    assert!(matches!(
        acme.detail(2, &ada()).await,
        Err(StoreError::Key(_))
    ));
    // What it wrote for a new tenant would not be signed as the rest is, and no daemon would write after it.
    let makes = async |store: &Store| {
        let tenant = store.tenant("new");
        let made = tenant.token_new("ci", Role::Viewer, None, &ada()).await;
        made.map(drop)
    };
    for keys in [Keys::read(old).unwrap(), Keys::none()] {
        let builder = Store::builder(&place.address).keys(keys);
        let store = builder.existing().open().await.unwrap();
        assert!(matches!(makes(&store).await, Err(StoreError::Key(_))));
        let restored = store.restored(&ada()).await;
        assert!(matches!(restored, Err(StoreError::Key(_))));
    }
    let store = open(new).await;
    assert!(is_whole(&store).await);
    makes(&store).await.unwrap();
}

pub(crate) async fn a_secret_is_nowhere_to_be_seen(place: Place) {
    const CANARY: &str = "canary-5f1d8a";
    let store = place.open().await;
    let acme = store.tenant("acme");
    acme.put_secret("gate", CANARY, &ada()).await.unwrap();
    let hook = json!({
        "name": "gate",
        "event": "BeforeToolCall",
        "http": { "url": "https://gate.example.com/", "headers": { "Authorization": "Bearer ${secret:gate}" } },
    });
    let hook = acme.create(&hook, &ada()).await.unwrap();
    let row = json!({
        "event": "pre_tool_use", "handler_type": "http", "scope": "tenant",
        "config": { "url": "https://gate.example.com/", "headers": { "Authorization": CANARY } },
    });
    let row = acme
        .create(&json!({ "name": "row", "goclaw": row }), &ada())
        .await
        .unwrap();
    let published = acme.publish(&ada()).await.unwrap();
    let recorder = store.recorder();
    let mut long = record("gate");
    long.input = Some(json!({ "arguments": {} }));
    recorder.record(&long);
    recorder.flush().await.unwrap();
    let values = acme.secret_values().await.unwrap();
    let token = acme
        .token_new("ci", hooks_store::Role::Owner, None, &ada())
        .await
        .unwrap();
    let shown = [
        format!(
            "{store:?} {acme:?} {values:?} {recorder:?} {token:?} {:?}",
            acme.source()
        ),
        format!("{:?}", acme.secrets().await.unwrap()),
        format!("{:?}", acme.hooks().await.unwrap()),
        format!("{:?}", acme.hook(&row.id).await.unwrap()),
        format!("{:?}", acme.version(&row.id, 1).await.unwrap()),
        format!("{:?}", acme.version(&hook.id, 1).await.unwrap()),
        format!("{:?}", acme.settings().await.unwrap()),
        acme.draft().await.unwrap().to_json(),
        format!("{:?}", acme.revisions(None, 10).await.unwrap()),
        format!("{:?}", acme.revision(published.revision).await.unwrap()),
        acme.bundle().await.unwrap().to_json(),
        format!("{:?}", acme.notices().await.unwrap()),
        format!(
            "{:?}",
            acme.executions(&ExecutionFilter::default(), None, 10)
                .await
                .unwrap()
        ),
        format!("{:?}", acme.execution(1).await.unwrap()),
        format!("{:?}", acme.detail(1, &ada()).await.unwrap().unwrap()),
        format!("{:?}", acme.session("s1", 0, 10).await.unwrap()),
        format!("{:?}", acme.since(0, 10).await.unwrap()),
        acme.lines(0, 100).await.unwrap().join("\n"),
        format!("{:?}", acme.verify().await.unwrap()),
        format!(
            "{:?} {:?}",
            acme.nodes().await.unwrap(),
            acme.breakers().await.unwrap()
        ),
        format!(
            "{:?} {:?}",
            acme.budgets().await.unwrap(),
            acme.samples().await.unwrap()
        ),
        format!(
            "{:?} {:?}",
            acme.tokens().await.unwrap(),
            store.caller(&token.to_string()).await
        ),
        format!("{:?}", acme.admin_log(None, 100).await.unwrap()),
        format!("{:?}", acme.verify_admin_log().await.unwrap()),
        format!("{:?}", store.tenants().await.unwrap()),
        format!("{:?}", acme.put_secret("a b", CANARY, &ada()).await),
    ];
    for shown in shown {
        assert!(
            !shown.contains(CANARY) && !shown.contains(&token.to_string()),
            "{shown}"
        );
    }
    store.close().await;
    for file in place
        .folder
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder.path()).unwrap())
    {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let has = |text: &str| {
            bytes
                .windows(text.len())
                .any(|window| window == text.as_bytes())
        };
        assert!(!has(CANARY) && !has(&token.to_string()));
    }
}
