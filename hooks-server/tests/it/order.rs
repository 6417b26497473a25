//! What is live beside the draft: the order, what is turned off at once, and long lists.

use hooks_store::{By, NodeReport};
use serde_json::{Value, json};

use crate::common::{Stored, stored};

fn hook(name: &str) -> Value {
    json!({ "name": name, "event": "BeforeToolCall", "block": "no" })
}

/// Makes hooks, and returns their ids.
async fn make(stored: &Stored, names: &[&str]) -> Vec<String> {
    let (acme, by) = (stored.store.tenant("acme"), By::new("ada"));
    let mut ids = Vec::new();
    for name in names {
        ids.push(acme.create(&hook(name), &by).await.unwrap().id);
    }
    ids
}

/// The text of a row of the order, without its elements.
fn row(page: &str, name: &str) -> String {
    let row = page
        .split("<tr")
        .find(|row| row.contains(&format!("data-hook=\"{name}\"")));
    let row = row.unwrap_or_else(|| panic!("no {name}: {page}"));
    let row = row.split("</tr>").next().unwrap();
    let text: String = row
        .split('<')
        .map(|part| part.split_once('>').map_or("", |(_, text)| text))
        .collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a list of hooks, or of changes, has one.
fn shows(page: &str, name: &str) -> bool {
    ["<b>", "\">"]
        .iter()
        .any(|before| page.contains(&format!("{before}<bdi>{name}</bdi>")))
}

#[tokio::test]
async fn what_is_live_stands_beside_the_draft() {
    let stored = stored().await;
    let (acme, by) = (stored.store.tenant("acme"), By::new("ada"));
    let ids = make(&stored, &["same", "moved", "off", "gone"]).await;
    acme.publish(&by).await.unwrap();
    make(&stored, &["later"]).await;
    acme.delete(&ids[3], 1, &by).await.unwrap();
    let visitor = stored.visit("acme", "publisher").await;
    let next = format!("/?q=#hook-{}", ids[1]);
    let fields = [("version", "1"), ("priority", "20"), ("next", &next)];
    let set = visitor
        .send(&format!("/hook/{}/priority", ids[1]), &fields)
        .await;
    assert_eq!(
        set.header("location").unwrap(),
        format!("/?q=&done=saved&undo=2.{0}#hook-{0}", ids[1])
    );
    let fields = [("version", "1"), ("mode", "off"), ("next", "/")];
    visitor
        .send(&format!("/hook/{}/mode", ids[2]), &fields)
        .await;
    assert_eq!(
        acme.hook(&ids[1]).await.unwrap().unwrap().comment,
        "priority 0 → 20"
    );

    let live = visitor.page("/").await;
    assert!(!row(&live, "same").contains("draft"), "{live}");
    for (name, said) in [
        ("moved", "0 → 20 in the draft"),
        ("moved", "version 1, version 2 in the draft"),
        ("off", "enforce → off (draft)"),
        ("later", "– later new"),
        ("gone", "deleted (draft)"),
    ] {
        assert!(
            row(&live, name).contains(said),
            "{name} {said}: {}",
            row(&live, name)
        );
    }
    assert!(live.contains(r#"name="priority" value="20""#), "{live}");
    for said in [
        "Deleted (1)",
        "BeforeToolCall (5)",
        "1 new",
        "2 changed",
        "1 deleted",
    ] {
        assert!(live.contains(said), "{said}: {live}");
    }
    let draft = visitor.page("/?of=draft").await;
    assert!(
        row(&draft, "moved").starts_with("1 moved changed version 1, version 2"),
        "{draft}"
    );
    assert!(
        !draft.contains("built-in") && row(&draft, "gone").starts_with("– gone"),
        "{draft}"
    );
    let found = visitor.page("/?q=off").await;
    assert!(row(&found, "off").starts_with("3 off"), "{found}");
    let first = visitor.page("/?sort=draft").await;
    assert!(first.find("data-hook=\"gone\"") < first.find("data-hook=\"same\""));
}

#[tokio::test]
async fn a_hook_moves_by_one_among_equals() {
    let stored = stored().await;
    let acme = stored.store.tenant("acme");
    let ids = make(&stored, &["a", "b", "c", "d"]).await;
    let other = json!({ "name": "other", "event": "AfterToolCall", "context": "no" });
    acme.create(&other, &By::new("ada")).await.unwrap();
    let author = stored.visit("acme", "author").await;
    let shift = async |id: &str, to: &str| {
        let path = format!("/hook/{id}/move?event=BeforeToolCall&from=0");
        let moved = author.send(&path, &[("to", to)]).await;
        assert_eq!(moved.status, 303, "{moved:?}");
        let page = author.page("/?of=draft").await;
        let mut names = ["a", "b", "c", "d"];
        names.sort_by_key(|name| page.find(&format!("data-hook=\"{name}\"")));
        (names.concat(), moved.header("location").unwrap().to_owned())
    };
    let (order, next) = shift(&ids[3], "up").await;
    assert_eq!(order, "abdc");
    assert_eq!(
        next,
        format!(
            "/?event=BeforeToolCall&of=draft&from=0&done=up#hook-{}",
            ids[3]
        )
    );
    assert!(
        author
            .page("/?of=draft")
            .await
            .contains("data-place=\"3 of 4\"")
    );
    assert_eq!(shift(&ids[3], "up").await.0, "adbc");
    let versions: Vec<_> = acme
        .hooks()
        .await
        .unwrap()
        .iter()
        .map(|hook| hook.version)
        .collect();
    assert!(versions.iter().all(|version| *version <= 3), "{versions:?}");
    assert_eq!(shift(&ids[0], "down").await.0, "dabc");
    assert_eq!(shift(&ids[0], "c").await.0, "dbca");
    assert_eq!(shift(&ids[2], "d").await.0, "cdba");
    assert_eq!(shift(&ids[2], "up").await.0, "cdba");
    assert_eq!(acme.hooks().await.unwrap()[4].version, 1, "the other event");
    let operator = stored.visit("acme", "operator").await;
    let path = format!("/hook/{}/move", ids[0]);
    assert_eq!(operator.send(&path, &[("to", "up")]).await.status, 403);
}

#[tokio::test]
async fn a_publisher_turns_a_hook_off_at_once_and_publishes_nothing_else() {
    let stored = stored().await;
    let (acme, by) = (stored.store.tenant("acme"), By::new("ada"));
    make(&stored, &["<gate>"]).await;
    acme.publish(&by).await.unwrap();
    make(&stored, &["half-done"]).await;
    let publisher = stored.visit("acme", "publisher").await;
    let address = "/turn?hook=%3Cgate%3E&mode=off";
    assert!(publisher.page("/").await.contains(address));
    let asked = publisher.page(address).await;
    assert!(
        asked.contains("Nothing else of the draft") && asked.contains("Turn off in the draft"),
        "{asked}"
    );
    let fields = [
        ("hook", "<gate>"),
        ("mode", "off"),
        ("comment", "blocks all"),
    ];
    let turned = publisher.send("/turn", &fields).await;
    assert_eq!(
        turned.header("location"),
        Some("/?done=published"),
        "{turned:?}"
    );
    let live = acme.bundle().await.unwrap();
    assert_eq!(
        (live.hooks.len(), &live.hooks[0]["mode"], &*live.comment),
        (1, &json!("off"), "blocks all")
    );
    let log = acme.admin_log(None, 1).await.unwrap().items;
    assert_eq!(
        (&*log[0].action, &*log[0].comment),
        ("revision.mode", "blocks all")
    );
    let author = stored.visit("acme", "author").await;
    assert_eq!(author.send("/turn", &fields).await.status, 403);
    assert!(!author.page("/").await.contains("/turn"));
    let client = stored.client("acme", "publisher").await;
    let on = json!({ "hook": "<gate>", "mode": "enforce" });
    assert_eq!(client.post("/revisions/mode", &on).await.status, 201);
    assert_eq!(client.post("/revisions/mode", &on).await.status, 200);
    let missing = json!({ "hook": "half-done", "mode": "off" });
    assert_eq!(client.post("/revisions/mode", &missing).await.status, 404);
    assert!(
        publisher
            .page("/turn?hook=half-done&mode=off")
            .await
            .contains("It is not live")
    );
}

#[tokio::test]
async fn many_changes_are_counted_folded_and_shown_in_parts() {
    let stored = stored().await;
    let names: Vec<_> = (0..203).map(|number| format!("hook-{number:03}")).collect();
    make(
        &stored,
        &names.iter().map(|name| &**name).collect::<Vec<_>>(),
    )
    .await;
    let visitor = stored.visit("acme", "publisher").await;
    let page = visitor.page("/publish").await;
    for said in [
        "203 new",
        "<summary>203 are new</summary>",
        "1 to 200 of 203",
        "Publish 203 changes",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    assert!(
        shows(&page, "hook-199") && !shows(&page, "hook-200") && !page.contains("Previous 200")
    );
    let next = page
        .split("href=\"")
        .find(|href| href.contains("\" rel=\"next\""))
        .unwrap();
    let next = next.split('"').next().unwrap().replace("&#38;", "&");
    let page = visitor.page(&next).await;
    assert!(shows(&page, "hook-202") && !shows(&page, "hook-199") && page.contains("Previous 200"));
    let found = visitor.page("/publish?q=20").await;
    assert!(
        shows(&found, "hook-020") && shows(&found, "hook-202") && !shows(&found, "hook-021"),
        "{found}"
    );
    let order = visitor.page("/?from=200").await;
    assert!(
        shows(&order, "hook-202") && !shows(&order, "hook-199") && order.contains("Previous 200")
    );
    visitor.publish("all").await;
    let page = visitor.page("/revisions/1?from=200").await;
    assert!(page.contains("203 are new") && shows(&page, "hook-202") && !shows(&page, "hook-199"));
}

#[tokio::test]
async fn the_same_text_again_is_no_change() {
    let stored = stored().await;
    let (acme, by) = (stored.store.tenant("acme"), By::new("ada"));
    let ids = make(&stored, &["a"]).await;
    acme.publish(&by).await.unwrap();
    let mut other = hook("a");
    other["block"] = "never".into();
    acme.update(&ids[0], 1, &other, &by).await.unwrap();
    let visitor = stored.visit("acme", "publisher").await;
    assert!(!visitor.page("/publish").await.contains("version ="));
    acme.restore(&ids[0], 1, 2, &by).await.unwrap();
    assert!(
        visitor
            .page("/publish")
            .await
            .contains("Nothing to publish")
    );
}

#[tokio::test]
async fn names_turn_nothing_and_what_is_paused_is_marked() {
    let stored = stored().await;
    let (acme, by) = (stored.store.tenant("acme"), By::new("ada"));
    let name = "a\u{202e}b";
    let ids = make(&stored, &[name, "guarded"]).await;
    let mut guard = hook("guard");
    guard["guard"] = true.into();
    guard["priority"] = 9.into();
    acme.create(&guard, &by).await.unwrap();
    let change =
        json!({ "name": "change", "event": "BeforeToolCall", "modify": { "command": "ls" } });
    acme.create(&change, &by).await.unwrap();
    let visitor = stored.visit("acme", "publisher").await;
    let page = visitor.page("/publish").await;
    assert!(page.contains(r"<bdi>a\u{202e}b</bdi>"), "{page}");
    acme.publish(&by).await.unwrap();
    let report = NodeReport {
        breakers: vec![("guarded".to_owned(), hooks_runtime::BreakerState::Open)],
        ..NodeReport::default()
    };
    acme.report("edge", &report).await.unwrap();
    let page = visitor.page("/").await;
    assert!(page.contains(r"<bdi>a\u{202e}b</bdi>"), "{page}");
    assert!(row(&page, "guarded").contains("paused on edge"), "{page}");
    // The hook's own page says it, too, and what is live beside the draft.
    let at = format!("/hook/{}", ids[1]);
    let page = visitor.page(&at).await;
    assert!(
        page.contains("paused on edge") && page.contains("It is live."),
        "{page}"
    );
    let off = [("version", "1"), ("mode", "off"), ("next", &*at)];
    visitor.send(&format!("{at}/mode"), &off).await;
    let page = visitor.page(&at).await;
    let head = page.split("<h1>").nth(1).unwrap().split("</h1>").next();
    let (live, draft) = head.unwrap().split_once('→').unwrap();
    assert!(
        live.contains(">enforce<") && draft.contains(">off</span> (draft)"),
        "{page}"
    );
    assert!(page.contains("Version 1 is live."), "{page}");
    let page = visitor.page("/").await;
    assert!(
        row(&page, "guard").contains("guard · checks again after change"),
        "{page}"
    );
    for part in [
        "goes through 4 hooks",
        "guard checks again after change",
        "class=\"again\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}
