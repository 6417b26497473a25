//! Hooks of the draft, and their versions.

use hooks_runtime::Bundle;
use hooks_store::{By, HookScope, StoreError};
use serde_json::json;

use crate::common::{Place, ada, block, mistakes, names};

pub(crate) async fn a_hook_has_versions_and_nothing_is_edited(place: Place) {
    let acme = place.open().await.tenant("acme");
    let hook = acme.create(&block("a", "deploy"), &ada()).await.unwrap();
    let changed = acme
        .update(&hook.id, 1, &block("a", "ship"), &ada())
        .await
        .unwrap();
    assert_eq!(
        (hook.version, changed.version, &hook.id),
        (1, 2, &changed.id)
    );
    let first = acme.versions(&hook.id, None, 1).await.unwrap();
    assert_eq!((first.items[0].version, first.next), (2, Some(2)));
    let rest = acme.versions(&hook.id, first.next, 1).await.unwrap();
    assert_eq!((rest.items[0].version, rest.next), (1, None));
    for (version, tool) in [(2, "ship"), (1, "deploy")] {
        let body = acme.version(&hook.id, version).await.unwrap().unwrap();
        assert_eq!(body["tools"][0], tool);
    }
    assert!(acme.version(&hook.id, 3).await.unwrap().is_none());
    let versions = first.items;
    assert_eq!(
        (
            versions[0].parent,
            &*versions[0].author,
            &*versions[0].comment
        ),
        (1, "ada", "why not")
    );
    let ids = acme.ids().await.unwrap();
    assert_eq!(
        Vec::from_iter(ids),
        [("a".to_owned(), (hook.id.clone(), 2))]
    );
    let back = acme.restore(&hook.id, 1, 2, &ada()).await.unwrap();
    assert_eq!(
        (back.version, back.hash, back.body),
        (3, hook.hash, block("a", "deploy"))
    );
    assert_eq!(acme.hook(&hook.id).await.unwrap().unwrap().version, 3);
}

pub(crate) async fn the_text_of_a_hook_stays_unless_a_secret_is_in_it(place: Place) {
    let acme = place.open().await.tenant("acme");
    let text = "# why\nname = 'a'\n";
    let by = ada().text(text);
    let hook = acme.create(&block("a", "deploy"), &by).await.unwrap();
    assert_eq!(hook.text, text);
    let other = block("a", "ship");
    let changed = acme.update(&hook.id, 1, &other, &ada()).await;
    assert_eq!(changed.unwrap().text, text);
    acme.put_draft(&acme.draft().await.unwrap(), &ada())
        .await
        .unwrap();
    assert_eq!(acme.hook(&hook.id).await.unwrap().unwrap().text, text);
    let row = json!({ "name": "b", "claude": { "hooks": { "PreToolUse": [{ "hooks": [
        { "type": "http", "url": "https://example.com/", "headers": { "Authorization": "Bearer s3cret" } }] }] } } });
    let moved = acme.create(&row, &ada().text("# Bearer s3cret")).await;
    assert_eq!(moved.unwrap().text, "");
}

pub(crate) async fn a_write_names_the_version_that_it_follows(place: Place) {
    let acme = place.open().await.tenant("acme");
    let hook = acme.create(&block("a", "deploy"), &ada()).await.unwrap();
    acme.update(&hook.id, 1, &block("a", "ship"), &ada())
        .await
        .unwrap();
    let late = [
        acme.update(&hook.id, 1, &block("a", "sail"), &ada())
            .await
            .map(drop),
        acme.delete(&hook.id, 1, &ada()).await,
        acme.restore(&hook.id, 1, 1, &ada()).await.map(drop),
        acme.put_settings(7, &json!({}), &ada()).await.map(drop),
    ];
    let current = late.map(|late| match late {
        Err(StoreError::Conflict { current }) => current,
        other => panic!("{other:?}"),
    });
    assert_eq!(current, [2, 2, 2, 0]);
    assert_eq!(
        acme.hook(&hook.id).await.unwrap().unwrap().body["tools"][0],
        "ship"
    );
}

pub(crate) async fn a_deleted_hook_leaves_its_name_and_can_come_back(place: Place) {
    let acme = place.open().await.tenant("acme");
    let hook = acme.create(&block("a", "deploy"), &ada()).await.unwrap();
    assert_eq!(
        mistakes(acme.create(&block("a", "ship"), &ada()).await)[0].path,
        "/name"
    );
    acme.delete(&hook.id, 1, &ada()).await.unwrap();
    assert!(acme.hook(&hook.id).await.unwrap().is_none());
    assert!(matches!(
        acme.delete(&hook.id, 2, &ada()).await,
        Err(StoreError::NotFound(_))
    ));
    let new = acme.create(&block("a", "ship"), &ada()).await.unwrap();
    // Its name is taken now.
    assert_eq!(
        mistakes(acme.restore(&hook.id, 1, 2, &ada()).await)[0].path,
        "/name"
    );
    acme.delete(&new.id, 1, &ada()).await.unwrap();
    assert_eq!(
        acme.restore(&hook.id, 1, 2, &ada()).await.unwrap().version,
        3
    );
    assert!(acme.version(&hook.id, 2).await.unwrap().is_none());
    let versions = acme.versions(&hook.id, None, 9).await.unwrap().items;
    assert_eq!(
        versions
            .iter()
            .map(|version| version.is_deleted)
            .collect::<Vec<_>>(),
        [false, true, false]
    );
}

pub(crate) async fn deleted_hooks_are_listed_the_newest_first(place: Place) {
    let store = place.open().await;
    let acme = store.tenant("acme");
    for name in ["a", "b", "c"] {
        let hook = acme.create(&block(name, "deploy"), &ada()).await.unwrap();
        if name != "b" {
            acme.delete(&hook.id, 1, &By::new("bo")).await.unwrap();
        }
    }
    let deleted = acme.deleted(9).await.unwrap();
    let shown = deleted
        .iter()
        .map(|hook| (&*hook.name, hook.version, &*hook.author));
    assert_eq!(shown.collect::<Vec<_>>(), [("c", 2, "bo"), ("a", 2, "bo")]);
    assert_eq!(acme.deleted(1).await.unwrap().len(), 1);
    assert!(store.tenant("other").deleted(9).await.unwrap().is_empty());
    acme.restore(&deleted[0].id, 1, 2, &ada()).await.unwrap();
    assert_eq!(acme.deleted(9).await.unwrap()[0].name, "a");
}

pub(crate) async fn every_mistake_is_told_with_its_path(place: Place) {
    let acme = place.open().await.tenant("acme");
    let wrong = json!({ "event": "BeforeToolCal", "block": "no" });
    let told = mistakes(acme.create(&wrong, &ada()).await);
    assert_eq!(
        (&*told[0].path, told[0].help.is_some()),
        ("/event", true),
        "{told:?}"
    );
    let wrong = json!({ "name": "h", "event": "BeforeToolCall", "http": { "url": "not a url" } });
    let told = mistakes(acme.create(&wrong, &ada()).await);
    assert_eq!(told[0].path, "/http/url", "{told:?}");
    assert_eq!(mistakes(acme.create(&json!([]), &ada()).await)[0].path, "");
    // What the store finds and what the loader finds are told together, and a check saves nothing.
    let wrong = json!({ "name": "h", "event": "BeforeToolCal", "block": "no", "scope": "galaxy", "mandatory": true,
        "priority": "high", "if": "1 +" });
    let told = mistakes(acme.create(&wrong, &ada()).await);
    let paths: Vec<_> = told.iter().map(|mistake| &*mistake.path).collect();
    assert_eq!(
        paths,
        ["/scope", "/mandatory", "/priority", "/event", "/if"],
        "{told:?}"
    );
    assert_eq!(acme.mistakes(&wrong, "").await.unwrap(), told);
    assert!(acme.alone(&wrong).await.is_err());
    let settings = json!({ "builtin": { "redactt": true } });
    let told = mistakes(acme.put_settings(0, &settings, &ada()).await);
    assert!(told[0].path.starts_with("/builtin"), "{told:?}");
    assert!(acme.hooks().await.unwrap().is_empty());
    let hook = acme.create(&block("h", "ship"), &ada()).await.unwrap();
    let told = acme.mistakes(&block("h", "deploy"), "").await.unwrap();
    assert_eq!((told.len(), &*told[0].path), (1, "/name"), "{told:?}");
    assert!(
        acme.mistakes(&hook.body, &hook.id)
            .await
            .unwrap()
            .is_empty()
    );
    let alone = acme.alone(&block("g", "deploy")).await.unwrap();
    assert_eq!(names(&alone.hooks), ["g"]);
}

pub(crate) async fn a_scope_is_said_as_a_word_or_as_a_table(place: Place) {
    let store = place.open().await;
    let (acme, global) = (store.tenant("acme"), store.tenant(""));
    let with = |scope: serde_json::Value, agents: Option<&str>| {
        let mut body = block("a", "deploy");
        body["scope"] = scope;
        if let Some(agent) = agents {
            body["agents"] = json!([agent]);
        }
        body
    };
    let hook = acme
        .create(&with(json!("agent"), Some("writer")), &ada())
        .await
        .unwrap();
    assert_eq!(
        (hook.scope, &hook.body["scope"]),
        (HookScope::Agent, &json!({ "agents": ["writer"] }))
    );
    let same = acme
        .update(
            &hook.id,
            1,
            &with(json!({ "agents": ["writer"] }), None),
            &ada(),
        )
        .await
        .unwrap();
    assert_eq!(same.hash, hook.hash);
    let mut every = global
        .create(&with(json!("global"), None), &ada())
        .await
        .unwrap();
    assert_eq!(every.scope, HookScope::Global);
    every.body["mandatory"] = json!(true);
    assert!(
        global
            .update(&every.id, 1, &every.body, &ada())
            .await
            .unwrap()
            .mandatory
    );
    let wrong = [
        (&acme, with(json!("global"), None), "/scope"),
        (&acme, with(json!("agent"), None), "/agents"),
        (&acme, with(json!("tenant"), Some("writer")), "/agents"),
        (&acme, with(json!("planet"), None), "/scope"),
        (
            &acme,
            with(json!({ "tenants": ["other"] }), None),
            "/scope/tenants",
        ),
        (&acme, every.body.clone(), "/mandatory"),
        (&global, with(json!("tenant"), None), "/scope"),
    ];
    for (tenant, mut body, path) in wrong {
        body["name"] = json!("other");
        assert_eq!(
            mistakes(tenant.create(&body, &ada()).await)[0].path,
            path,
            "{body}"
        );
    }
    let mut foreign = block("b", "deploy");
    foreign["tenant"] = json!("other");
    assert_eq!(
        mistakes(acme.create(&foreign, &ada()).await)[0].path,
        "/tenant"
    );
}

pub(crate) async fn what_is_of_another_tenant_is_not_found(place: Place) {
    let store = place.open().await;
    let (acme, other) = (store.tenant("acme"), store.tenant("other"));
    let hook = acme.create(&block("a", "deploy"), &ada()).await.unwrap();
    let published = acme.publish(&ada()).await.unwrap();
    assert!(other.hook(&hook.id).await.unwrap().is_none());
    assert!(
        other
            .versions(&hook.id, None, 9)
            .await
            .unwrap()
            .items
            .is_empty()
    );
    assert!(other.revision(published.revision).await.unwrap().is_none());
    let writes = [
        other
            .update(&hook.id, 1, &block("a", "ship"), &ada())
            .await
            .map(drop),
        other.delete(&hook.id, 1, &ada()).await,
        other.restore(&hook.id, 1, 1, &ada()).await.map(drop),
        other.rollback(published.revision, &ada()).await.map(drop),
    ];
    for write in writes {
        assert!(matches!(write, Err(StoreError::NotFound(_))), "{write:?}");
    }
    assert_eq!(
        other
            .create(&block("a", "deploy"), &ada())
            .await
            .unwrap()
            .version,
        1
    );
    assert_eq!(store.tenants().await.unwrap(), ["acme", "other"]);
}

pub(crate) async fn a_new_draft_creates_updates_and_deletes(place: Place) {
    let acme = place.open().await.tenant("acme");
    for name in ["a", "b", "c"] {
        acme.create(&block(name, "deploy"), &ada()).await.unwrap();
    }
    let bundle = Bundle::of_toml(
        "[hooks.builtin]\nredact = true\n\
         [[hooks.on]]\nname = 'd'\nevent = 'BeforeToolCall'\nblock = 'no'\n\
         [[hooks.on]]\nname = 'c'\nevent = 'BeforeToolCall'\ntools = ['ship']\nblock = 'no'\n\
         [[hooks.on]]\nname = 'a'\nevent = 'BeforeToolCall'\ntools = ['deploy']\nblock = 'not today'\n\
         [[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no name'",
    );
    let bundle = bundle.unwrap();
    let report = acme.put_draft(&bundle, &ada()).await.unwrap();
    assert_eq!(report.created, ["d", "BeforeToolCall-1"]);
    assert_eq!(report.updated, ["c", "settings"]);
    assert_eq!(report.deleted, ["b"]);
    let draft = acme.draft().await.unwrap();
    assert_eq!(names(&draft.hooks), ["d", "c", "a", "BeforeToolCall-1"]);
    let versions: Vec<_> = draft
        .hooks
        .iter()
        .map(|hook| hook["version"].clone())
        .collect();
    assert_eq!(versions, [1, 2, 1, 1]);
    assert!(draft.to_toml().unwrap().contains("redact = true"));
    // Whoever has read an older draft does not put another in its place.
    let older = "0".repeat(64);
    for other in [older, String::new()] {
        let late = acme.put_draft(&draft, &ada().after(other)).await;
        assert!(matches!(late, Err(StoreError::DraftChanged)));
    }
    let read = ada().after(draft.sha256());
    acme.put_draft(&draft, &read).await.unwrap();
    // The draft is what it is already.
    assert_eq!(
        acme.put_draft(&draft, &ada()).await.unwrap(),
        hooks_store::DraftReport::default()
    );
}

pub(crate) async fn any_text_can_be_a_name_and_a_comment(place: Place) {
    let acme = place.open().await.tenant("a'; DROP TABLE hook; --");
    let texts = [
        "'; DROP TABLE hook; --",
        "<script>alert(1)</script>",
        "a\u{0}b\u{1b}[31m",
        "한국어 🎉",
        "$1 ? :x",
    ];
    for text in texts {
        let by = hooks_store::By::new(text).from(text).comment(text);
        let hook = acme.create(&block(text, "deploy"), &by).await.unwrap();
        let read = acme.hook(&hook.id).await.unwrap().unwrap();
        assert_eq!(read.body["name"], text);
        // A text outside of JSON has the sign for what cannot be shown where a NUL was.
        assert_eq!(read.comment, text.replace('\0', "\u{FFFD}"));
    }
    acme.publish(&ada()).await.unwrap();
    let bundle = acme.bundle().await.unwrap();
    assert_eq!(names(&bundle.hooks), texts);
}
