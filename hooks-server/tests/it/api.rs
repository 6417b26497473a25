//! The API on a store: what it answers, who may ask, and that no tenant reaches another.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::{hook as compiled, hooks};
use hooks_runtime::{Bundle, Decided, OwnedEvent, Runtime, Source, SourceError};
use hooks_store::{By, Capabilities, NodeReport, Role, Store};
use serde_json::{Value, json};

use crate::common::{Answered, Stored, stored, stored_with};
use crate::goclaw::Socket;

pub(crate) fn hook(name: &str) -> Value {
    json!({ "name": name, "event": "BeforeToolCall", "tools": ["shell"],
            "if": "args.command.contains('--force')", "block": "no force" })
}

fn event(command: &str) -> Value {
    json!({ "event": "BeforeToolCall", "id": "1", "name": "shell", "args": { "command": command } })
}

/// Every write of the API's own document: its method, its path and what the document says of it.
pub(crate) fn writes() -> Vec<(String, String, Value)> {
    let document: Value = serde_json::from_str(&hooks_server::openapi()).unwrap();
    let mut writes = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let path = path.strip_prefix("/api/v1").unwrap();
        let path = path.replace("/import", "/import?format=toml");
        let path = path.replace("{n}", "1").replace("{name}", "x");
        let path = path.replace("{hook}", "x");
        for method in ["post", "put", "delete"] {
            if let Some(operation) = item.get(method) {
                writes.push((method.to_uppercase(), path.clone(), operation.clone()));
            }
        }
    }
    writes
}

#[tokio::test]
async fn a_hook_is_saved_published_and_rolled_back() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    let made = owner.post("/hooks", &hook("a")).await;
    assert_eq!(made.status, 201, "{made:?}");
    let id = made.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(made.json()["version"], 1);

    let path = format!("/hooks/{id}");
    assert_eq!(owner.send("PUT", &path, "", &hook("a")).await.status, 428);
    assert_eq!(
        owner
            .send("PUT", &path, "if-match: \"9\"\r\n", &hook("a"))
            .await
            .status,
        412
    );
    for tag in ["\"\"1\"\"", "1", "\"1", "\""] {
        let header = format!("if-match: {tag}\r\n");
        let said = owner.send("PUT", &path, &header, &hook("b")).await;
        assert_eq!(said.status, 412, "{tag}: {said:?}");
    }
    let changed = owner
        .send("PUT", &path, "if-match: \"1\"\r\n", &hook("b"))
        .await;
    assert_eq!(
        (changed.status, &changed.json()["version"]),
        (200, &json!(2))
    );
    assert_eq!(
        owner.get(&format!("{path}/versions")).await.json()["items"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let first = owner.get(&format!("{path}/versions/1")).await;
    assert_eq!(first.json()["name"], "a");
    assert_eq!(owner.get(&format!("{path}/versions/3")).await.status, 404);

    assert_eq!(
        owner.get("/bundle").await.json()["hooks"],
        json!([]),
        "a draft is not in force"
    );
    let first = owner.publish(&json!({ "comment": "one" })).await;
    assert_eq!(first.status, 201, "{first:?}");
    let number = first.json()["revision"].as_u64().unwrap();
    let unseen = json!({});
    for (tag, status) in [("", 428), ("if-match: \"1\"\r\n", 412)] {
        let said = owner.send("POST", "/revisions", tag, &unseen).await;
        assert_eq!(said.status, status, "{said:?}");
    }
    let (draft, difference) = (owner.get("/draft").await, owner.get("/draft/changes").await);
    assert_eq!(draft.header("etag"), difference.header("etag"));
    assert_eq!(
        owner.publish(&json!({})).await.status,
        200,
        "nothing differs"
    );
    assert_eq!(owner.get("/bundle").await.json()["hooks"][0]["name"], "b");

    assert_eq!(
        owner
            .send("DELETE", &path, "if-match: \"2\"\r\n", &Value::Null)
            .await
            .status,
        204
    );
    assert_eq!(owner.get(&path).await.status, 404);
    assert_eq!(owner.publish(&json!({})).await.status, 201);
    assert_eq!(owner.get("/bundle").await.json()["hooks"], json!([]));
    let back = owner
        .post(
            &format!("/revisions/{number}/rollback"),
            &json!({ "comment": "back" }),
        )
        .await;
    assert_eq!(back.status, 201, "{back:?}");
    assert_eq!(owner.get("/bundle").await.json()["hooks"][0]["name"], "b");
    assert_eq!(
        owner.get(&format!("/revisions/{number}")).await.json()["hooks"][0]["name"],
        "b"
    );
    let log = owner.get("/admin-log").await.json();
    assert!(log["items"].as_array().unwrap().len() >= 6, "{log}");
}

#[tokio::test]
async fn every_mistake_has_its_place() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    let said = owner
        .post(
            "/hooks",
            &json!({ "name": "a", "event": "Lunch", "blok": "x" }),
        )
        .await;
    assert_eq!(said.status, 422);
    let said = said.json();
    assert_eq!(said["status"], 422);
    let errors = said["errors"].as_array().unwrap();
    assert!(
        !errors.is_empty() && errors.iter().all(|error| error["path"].is_string()),
        "{said}"
    );
    for (path, body) in [
        ("/hooks", "{"),
        ("/revisions", "[]"),
        ("/simulate", "{\"event\": 3}"),
        ("/tokens", "{\"role\": \"king\"}"),
    ] {
        let said = owner.raw("POST", path, "if-match: \"1\"\r\n", body).await;
        assert!(matches!(said.status, 400 | 422), "{path}: {said:?}");
        assert!(said.json()["detail"].is_string(), "{path}: {said:?}");
    }
    for path in [
        "/executions?limit=x",
        "/executions/x",
        "/revisions?cursor=-1",
        "/nowhere",
    ] {
        let said = owner.get(path).await;
        assert!(matches!(said.status, 400 | 404), "{path}: {said:?}");
        assert!(said.json()["title"].is_string(), "{path}: {said:?}");
    }
}

#[tokio::test]
async fn each_role_does_what_it_may() {
    let stored = stored().await;
    let writes = [
        ("viewer", "GET", "/hooks", Value::Null),
        (
            "operator",
            "POST",
            "/simulate",
            json!({ "event": event("ls") }),
        ),
        ("author", "POST", "/hooks", hook("x")),
        ("publisher", "POST", "/revisions", json!({})),
        ("owner", "GET", "/tokens", Value::Null),
    ];
    let roles = writes.iter().map(|(role, ..)| *role).collect::<Vec<_>>();
    for (at, role) in roles.iter().enumerate() {
        let client = stored.client("acme", role).await;
        for (least, (_, method, path, body)) in writes.iter().enumerate() {
            let said = client.send(method, path, "if-match: \"1\"\r\n", body).await;
            assert_eq!(
                said.status == 403,
                at < least,
                "{role}: {method} {path}: {said:?}"
            );
        }
    }
    let nobody = Stored::with_token(&stored, "wrong");
    assert_eq!(nobody.get("/hooks").await.status, 401);
    assert_eq!(stored.daemon.get("/api/v1/hooks").await.status, 401);
}

#[tokio::test]
async fn who_may_not_write_is_told_so_before_anything_is_read() {
    let stored = stored().await;
    let viewer = stored.client("acme", "viewer").await;
    let mut tried = 0;
    for (method, path, operation) in writes() {
        if operation.get("requestBody").is_some() {
            let header = "if-match: \"1\"\r\n";
            let said = viewer.raw(&method, &path, header, "{").await;
            assert_eq!(said.status, 403, "{method} {path}: {said:?}");
            tried += 1;
        }
    }
    assert!(tried > 10, "{tried}");
}

#[tokio::test]
async fn no_tenant_reaches_another() {
    let stored = stored().await;
    let (acme, other) = (
        stored.client("acme", "owner").await,
        stored.client("other", "owner").await,
    );
    let made = acme.post("/hooks", &hook("a")).await.json();
    let id = made["id"].as_str().unwrap();
    acme.publish(&json!({})).await;
    for path in [
        format!("/hooks/{id}"),
        format!("/hooks/{id}/versions"),
        "/revisions/1".into(),
    ] {
        assert_eq!(acme.get(&path).await.status, 200, "{path}");
        assert_eq!(other.get(&path).await.status, 404, "{path}");
    }
    let put = other
        .send(
            "PUT",
            &format!("/hooks/{id}"),
            "if-match: \"1\"\r\n",
            &hook("b"),
        )
        .await;
    assert_eq!(put.status, 404, "{put:?}");
    assert_eq!(other.get("/hooks").await.json()["items"], json!([]));
    assert_eq!(other.get("/bundle").await.json()["hooks"], json!([]));

    // The API's own document says what can be written: each way to name another tenant is refused.
    let mut tried = 0;
    for (method, path, operation) in writes() {
        let write = async |query: &str, header: &str, body: &Value| {
            let mark = if path.contains('?') { "&" } else { "?" };
            let header = format!("if-match: \"1\"\r\n{header}");
            let path = format!("{path}{mark}{query}").replace("{id}", id);
            other.send(&method, &path, &header, body).await
        };
        for query in ["tenant=acme", "tenant_id=acme", "tenantId=acme"] {
            let said = write(query, "", &json!({})).await;
            assert_eq!(said.status, 403, "{method} {path}?{query}: {said:?}");
        }
        let said = write("", "x-tenant-id: acme\r\n", &json!({})).await;
        assert_eq!(said.status, 403, "{method} {path}: {said:?}");
        if operation.get("requestBody").is_none() {
            continue;
        }
        for body in [
            json!({ "tenant": "acme" }),
            json!({ "tenant_id": "acme" }),
            json!({ "scope": { "tenants": ["acme"] } }),
            json!({ "hooks": [{ "tenant": "acme" }] }),
            json!({ "cx": { "tenant_id": "acme" } }),
        ] {
            let said = write("", "", &body).await;
            assert_eq!(said.status, 403, "{method} {path} {body}: {said:?}");
            tried += 1;
        }
    }
    assert!(tried > 40, "{tried}");
    let mine = stored.client("acme", "viewer").await;
    assert_eq!(
        mine.get("/hooks?tenant=acme").await.status,
        200,
        "one's own name is fine"
    );
}

#[tokio::test]
async fn a_draft_is_simulated_with_the_hooks_above_it() {
    let stored = stored().await;
    let all = stored.client("", "owner").await;
    let mut guard = hook("guard");
    guard["mandatory"] = true.into();
    assert_eq!(all.post("/hooks", &guard).await.status, 201);
    assert_eq!(all.publish(&json!({})).await.status, 201);
    let owner = stored.client("acme", "owner").await;
    assert_eq!(owner.post("/hooks", &hook("own")).await.status, 201);
    let draft = owner.get("/draft").await.json();
    let mut nobodys = draft.clone();
    nobodys["tenant"] = "".into();
    for draft in [json!(true), draft, nobodys] {
        let asked = json!({ "event": event("git push --force"), "draft": draft });
        let said = owner.post("/simulate", &asked).await;
        assert_eq!(said.status, 200, "{said:?}");
        let said = said.json();
        let steps = said["steps"].as_array().unwrap().iter();
        let names: Vec<_> = steps.map(|step| step["hook"].as_str().unwrap()).collect();
        assert_eq!(
            (names, &said["hook"]),
            (vec!["guard", "own"], &json!("guard"))
        );
    }
}

#[tokio::test]
async fn the_order_tells_what_this_deployment_does_not_run() {
    let no_commands = Capabilities::all().without_handlers(["command"]);
    let stored = stored_with(no_commands, |server| server).await;
    // Another deployment on the same database runs commands.
    let url = format!("sqlite:{}", stored.folder.path().join("hooks.db").display());
    let other = Store::builder(&url).capabilities(Capabilities::all());
    let (acme, by) = (other.open().await.unwrap().tenant("acme"), By::new("ada"));
    let runs = json!({ "name": "runs", "event": "BeforeToolCall", "command": "true" });
    acme.create(&runs, &by).await.unwrap();
    acme.publish(&by).await.unwrap();
    let viewer = stored.client("acme", "viewer").await;
    let notices = viewer.get("/order").await.json()["notices"].to_string();
    assert!(
        notices.contains("the hook `runs` does not run: "),
        "{notices}"
    );
}

#[tokio::test]
async fn a_draft_that_another_has_changed_is_not_replaced() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    let toml = "[[hooks.on]]\nname = 'b'\nevent = 'BeforeToolCall'\nblock = 'no'\n";
    let read = owner.get("/draft").await;
    let mut draft = read.json();
    draft["hooks"] = json!([hook("a")]);
    let draft = draft.to_string();
    let writes = [
        ("PUT", "/draft", &*draft),
        ("POST", "/import?format=toml", toml),
    ];
    for (method, path, body) in writes {
        let said = owner.raw(method, path, "", body).await;
        assert_eq!(said.status, 428, "{path}: {said:?}");
    }
    let follows = |read: &Answered| format!("if-match: {}\r\n", read.header("etag").unwrap());
    let first = follows(&read);
    let said = owner.raw("PUT", "/draft", &first, &draft).await;
    assert_eq!(said.status, 200, "{said:?}");
    for (method, path, body) in writes {
        let said = owner.raw(method, path, &first, body).await;
        assert_eq!(said.status, 412, "{path}: {said:?}");
    }
    let second = follows(&owner.get("/draft").await);
    let said = owner
        .raw("POST", "/import?format=toml", &second, toml)
        .await;
    assert_eq!(said.status, 200, "{said:?}");
    let hooks = owner.get("/hooks").await.json();
    assert_eq!(hooks["items"].as_array().unwrap().len(), 2, "{hooks}");
}

#[tokio::test]
async fn a_simulation_shows_each_step_and_runs_nothing() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    let ran = stored.folder.path().join("ran");
    let effect = json!({ "name": "effect", "event": "BeforeToolCall", "priority": 500,
        "command": format!("touch {}", ran.display()), "harmless": true });
    for body in [hook("force"), effect.clone()] {
        let said = owner.post("/hooks", &body).await;
        assert_eq!(said.status, 201, "{said:?}");
    }
    let asked = json!({ "event": event("git push --force"), "draft": true });
    let said = owner.post("/simulate", &asked).await;
    assert_eq!(said.status, 200, "{said:?}");
    let said = said.json();
    assert_eq!(
        (&said["decision"], &said["hook"], &said["reason"]),
        (&json!("block"), &json!("force"), &json!("no force"))
    );
    let step = |name: &str| {
        let steps = said["steps"].as_array().unwrap().iter();
        steps
            .clone()
            .find(|step| step["hook"] == name)
            .unwrap_or_else(|| panic!("{said}"))
            .clone()
    };
    assert_eq!(
        (&step("force")["would_run"], &step("force")["outcome"]),
        (&json!(true), &json!("block"))
    );
    assert_eq!(step("effect")["outcome"], "skipped");
    let given = json!({ "format": "hooks-bundle/1", "hooks": [effect] });
    let asked = json!({ "event": event("ls"), "draft": given });
    let outcome = &owner.post("/simulate", &asked).await.json()["steps"][0]["outcome"];
    assert_eq!(
        *outcome, "skipped",
        "a draft says of itself that it is harmless"
    );
    assert!(!ran.exists());
    let said = owner
        .post("/simulate", &json!({ "event": event("ls"), "draft": true }))
        .await
        .json();
    assert_eq!(
        (&said["decision"], &said["steps"][1]["would_run"]),
        (&json!("undecided"), &json!(false)),
        "the hook with an effect was not asked"
    );
    assert_eq!(
        owner
            .post("/simulate", &json!({ "event": event("--force") }))
            .await
            .json()["decision"],
        "continue"
    );
}

#[tokio::test]
async fn a_simulation_is_of_the_hooks_as_they_are_and_of_no_simulation_before() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    let simulated = async |draft: bool| {
        let asked = json!({ "event": event("git push --force"), "draft": draft });
        owner.post("/simulate", &asked).await.json()
    };
    assert_eq!(simulated(true).await["decision"], "continue");
    owner.post("/hooks", &hook("force")).await;
    for _ in 0..2 {
        assert_eq!(simulated(true).await["decision"], "block");
        assert_eq!(simulated(false).await["decision"], "continue");
    }
    owner.publish(&json!({})).await;
    let said = simulated(false).await;
    assert_eq!(
        (&said["decision"], said["steps"].as_array().unwrap().len()),
        (&json!("block"), 1)
    );
    // Whatever a handler does that runs, the next simulation knows nothing of it, such as that it has failed.
    let fails = json!({ "name": "fails", "event": "BeforeToolCall", "priority": 500, "command": "exit 1",
        "harmless": true });
    owner.post("/hooks", &fails).await;
    owner.publish(&json!({})).await;
    let first = simulated(false).await;
    assert_eq!(first["steps"][0]["outcome"], "fault", "{first}");
    for _ in 0..8 {
        let again = simulated(false).await;
        assert_eq!(again["steps"][0]["why"], first["steps"][0]["why"]);
    }
}

#[tokio::test]
async fn a_draft_is_asked_about_what_has_happened_and_runs_nothing() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    let ran = stored.folder.path().join("ran");
    let (gate, other) = (
        json!({ "name": "gate", "event": "BeforeToolCall", "command": format!("echo >> {}", ran.display()) }),
        stored.client("other", "owner").await,
    );
    owner.post("/hooks", &gate).await;
    owner.publish(&json!({})).await;
    for command in ["ls", "git push --force", "git push --force origin"] {
        let said = owner
            .door("/hooks/claude", &crate::common::claude("Bash", command))
            .await;
        assert_eq!(said.body, "", "nothing decides yet");
    }
    let effects = std::fs::read_to_string(&ran).unwrap();
    let force = json!({ "name": "force", "event": "BeforeToolCall", "tools": ["Bash"],
        "if": "args.command.contains('--force')", "block": "no force" });
    owner.post("/hooks", &force).await;
    let asked = json!({ "draft": true });
    // Each call is two events: the call, and its approval.
    let found = stored
        .eventually(async || {
            let said = owner.post("/replay", &asked).await;
            assert_eq!(said.status, 200, "{said:?}");
            (said.json()["asked"] == 6).then(|| said.json())
        })
        .await;
    assert_eq!((&found["changed"], &found["late"]), (&json!(2), &json!(0)));
    let group = &found["groups"][0];
    assert_eq!(
        (
            &group["hook"],
            &group["before"],
            &group["now"],
            &group["count"]
        ),
        (
            &json!("force"),
            &json!("continue"),
            &json!("block"),
            &json!(2)
        ),
        "{found}"
    );
    assert!(
        group["examples"][0]["text"]
            .as_str()
            .unwrap()
            .contains("--force"),
        "{found}"
    );
    assert_eq!(std::fs::read_to_string(&ran).unwrap(), effects);

    // A new handler, which nobody has asked, is left out.
    let new = json!({ "name": "new", "event": "BeforeToolCall", "command": "exit 2" });
    let mut draft = owner.get("/draft").await.json();
    draft["hooks"] = json!([new]);
    let said = owner
        .post("/replay", &json!({ "draft": draft, "limit": 2 }))
        .await;
    assert_eq!(said.status, 200, "{said:?}");
    let said = said.json();
    assert_eq!(
        (&said["asked"], &said["changed"], &said["left_out"]),
        (
            &json!(2),
            &json!(0),
            &json!([{ "hook": "new", "count": 1 }])
        ),
        "{said}"
    );
    let later = json!({ "draft": true, "since": "2999-01-01T00:00:00Z" });
    assert_eq!(owner.post("/replay", &later).await.json()["asked"], 0);
    assert_eq!(other.post("/replay", &asked).await.json()["asked"], 0);
    let viewer = stored.client("acme", "viewer").await;
    assert_eq!(viewer.post("/replay", &asked).await.status, 403);
    let log = owner.get("/admin-log").await.json();
    assert_eq!(log["items"][1]["action"], "execution.past", "{log}");
}

#[tokio::test]
async fn events_through_a_door_are_judged_by_the_tokens_tenant_and_recorded() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    let other = stored.client("other", "viewer").await;
    let body = json!({ "name": "force", "event": "BeforeToolCall", "block": "no force" });
    owner.post("/hooks", &body).await;
    owner.publish(&json!({})).await;
    let claude = crate::common::claude("Bash", "ls");
    let ask =
        async |client: &crate::common::Client| client.door("/hooks/claude", &claude).await.body;
    assert!(ask(&owner).await.contains("no force"));
    assert_eq!(ask(&other).await, "");
    let refused = stored.daemon.post("/hooks/claude", &claude).await;
    assert_eq!(refused.status, 200);
    assert!(
        refused.body.contains("deny"),
        "without a token it is refused: {refused:?}"
    );

    let found = stored
        .eventually(async || {
            let found = owner.get("/executions?hook=force").await.json();
            (!found["items"].as_array().unwrap().is_empty()).then_some(found)
        })
        .await;
    let item = &found["items"][0];
    assert_eq!(
        (&item["record"]["outcome"], &item["record"]["tenant_id"]),
        (&json!("block"), &json!("acme"))
    );
    let seq = item["seq"].as_u64().unwrap();
    assert_eq!(
        owner.get(&format!("/executions/{seq}")).await.json()["record"]["hook"],
        "force"
    );
    assert_eq!(owner.get("/sessions/s1").await.status, 200);
    // Each tenant counts its own.
    let same = other.get(&format!("/executions/{seq}")).await.body;
    assert!(!same.contains("acme") && !same.contains("force"), "{same}");
    assert_eq!(
        other.get("/executions?hook=force").await.json()["items"],
        json!([])
    );
    // A later publish is in force at once, also for a runtime that is loaded.
    let id = owner.get("/hooks").await.json()["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    owner
        .send(
            "DELETE",
            &format!("/hooks/{id}"),
            "if-match: \"1\"\r\n",
            &Value::Null,
        )
        .await;
    owner.publish(&json!({})).await;
    stored
        .eventually(async || ask(&owner).await.is_empty().then_some(()))
        .await;
    stored
        .eventually(async || {
            let nodes = owner.get("/nodes").await.json();
            (nodes["items"].as_array().unwrap().len() == 1).then_some(())
        })
        .await;
}

#[tokio::test]
async fn a_bundle_is_fetched_once_and_awaited() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    owner.post("/hooks", &hook("a")).await;
    let first = owner.get("/bundle").await;
    let tag = first.header("etag").unwrap();
    let known = format!("if-none-match: {tag}\r\n");
    assert_eq!(
        owner
            .send("GET", "/bundle", &known, &Value::Null)
            .await
            .status,
        304
    );
    let waiting = owner.clone();
    let news = tokio::spawn(async move {
        waiting
            .send("GET", "/bundle?wait=30", &known, &Value::Null)
            .await
    });
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    owner.publish(&json!({})).await;
    let news = news.await.unwrap();
    assert_eq!(
        (news.status, &news.json()["hooks"][0]["name"]),
        (200, &json!("a"))
    );
}

#[tokio::test]
async fn remote_records_are_written_and_streamed() {
    let stored = stored().await;
    let operator = stored.client("acme", "operator").await;
    let record = |hook: &str| {
        let mut record =
            serde_json::to_value(hooks_runtime::Record::new(hook, "BeforeToolCall")).unwrap();
        record["session_id"] = "s9".into();
        record.to_string()
    };
    let lines = format!("{}\n{}\n", record("one"), record("two"));
    let said = operator.raw("POST", "/executions", "", &lines).await;
    assert_eq!((said.status, &said.json()["written"]), (201, &json!(2)));
    for (accept, expected) in [
        ("application/x-ndjson", "{\"seq\":2"),
        ("text/event-stream", "id: 2\ndata: {\"seq\":2"),
    ] {
        let header = format!("accept: {accept}\r\n");
        let text = operator
            .stream("/executions/stream?since=1", &header, expected)
            .await;
        assert!(
            text.contains("\"two\"") && !text.contains("\"one\""),
            "{text}"
        );
    }
    let resumed = operator
        .stream("/executions/stream", "last-event-id: 0\r\n", "id: 2")
        .await;
    assert!(resumed.contains("\"one\""), "{resumed}");
    let forged = record("x").replace('{', "{\"tenant_id\": \"other\", ");
    assert_eq!(
        operator
            .raw("POST", "/executions", "", &forged)
            .await
            .status,
        403
    );
}

#[tokio::test]
async fn the_token_of_an_agent_reads_what_that_agent_did() {
    let stored = stored().await;
    let operator = stored.client("acme", "operator").await;
    let line = |agent: &str| {
        let record = hooks_runtime::Record::new(format!("hook-{agent}"), "BeforeToolCall");
        let mut record = serde_json::to_value(record).unwrap();
        record["session_id"] = "s9".into();
        record["agent_id"] = agent.into();
        record.to_string()
    };
    let lines = format!("{}\n{}\n", line("a"), line("b"));
    let said = operator.raw("POST", "/executions", "", &lines).await;
    assert_eq!(said.status, 201, "{said:?}");
    let tenant = stored.store.tenant("acme");
    let by = By::new("the test");
    let token = tenant.token_new("b", Role::Operator, Some("b"), &by);
    let of_b = stored.with_token(&token.await.unwrap().to_string());

    for path in ["/executions", "/executions?agent=b", "/sessions/s9"] {
        let said = of_b.get(path).await;
        assert!(said.body.contains("hook-b"), "{path}: {said:?}");
        assert!(!said.body.contains("hook-a"), "{path}: {said:?}");
    }
    assert_eq!(of_b.get("/executions?agent=a").await.status, 403);
    assert_eq!(of_b.get("/executions/1").await.status, 404);
    assert_eq!(of_b.get("/executions/2").await.status, 200);
    assert_eq!(of_b.post("/replay", &json!({})).await.status, 403);
    let text = of_b.stream("/executions/stream?since=0", "", "hook-b");
    assert!(!text.await.contains("hook-a"));
    let mut socket = Socket::open(&stored, &of_b.token).await;
    let history = socket.call("hooks.history", json!({})).await;
    let rows = history["payload"]["executions"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["hookName"]), (1, &json!("hook-b")));
    let said = operator.raw("POST", "/executions", "", &lines).await;
    assert_eq!(said.status, 201, "{said:?}");
    let event = socket.next().await;
    assert_eq!(event["payload"]["record"]["hook"], "hook-b", "{event}");
}

#[tokio::test]
async fn a_secret_never_comes_out() {
    const CANARY: &str = "canary-7f3a9b";
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    let said = owner
        .send("PUT", "/secrets/gate", "", &json!({ "value": CANARY }))
        .await;
    assert_eq!(said.status, 200, "{said:?}");
    let uses = json!({ "name": "a", "event": "BeforeToolCall",
        "http": { "url": "https://gate.example.com/", "headers": { "Authorization": "Bearer ${secret:gate}" } } });
    owner.post("/hooks", &uses).await;
    owner.publish(&json!({})).await;
    owner
        .door("/hooks/claude", &crate::common::claude("Bash", "ls"))
        .await;
    for path in [
        "/secrets",
        "/hooks",
        "/draft",
        "/bundle",
        "/revisions",
        "/admin-log",
        "/executions",
        "/nodes",
        "/breakers",
    ] {
        let said = owner.get(path).await;
        assert_eq!(said.status, 200, "{path}: {said:?}");
        assert!(!said.body.contains(CANARY), "{path}: {said:?}");
    }
    let wrong = owner
        .send("PUT", "/secrets/gate", "", &json!({ "value": [CANARY] }))
        .await;
    assert!(!wrong.body.contains(CANARY), "{wrong:?}");
}

#[tokio::test]
async fn hostile_texts_come_back_as_they_were_or_are_refused() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    for text in [
        "'; DROP TABLE hook; --",
        "<script>alert(1)</script>",
        "\u{1}\u{7f}\u{202e}",
        "a\0b",
        "\u{1f9ff}",
    ] {
        let body = json!({ "name": text, "event": "BeforeToolCall", "block": text });
        let made = owner.post("/hooks", &body).await;
        if made.status == 201 {
            let id = made.json()["id"].as_str().unwrap().to_owned();
            assert_eq!(
                owner.get(&format!("/hooks/{id}")).await.json()["body"]["block"],
                text
            );
        } else {
            assert_eq!(made.status, 422, "{text:?}: {made:?}");
        }
        let sample = json!({ "name": text, "event": "BeforeToolCall", "body": { "x": text } });
        let saved = owner.post("/samples", &sample).await;
        assert!(matches!(saved.status, 201 | 422), "{text:?}: {saved:?}");
        let token = owner
            .post("/tokens", &json!({ "name": text, "role": "viewer" }))
            .await;
        assert!(matches!(token.status, 201 | 422), "{text:?}: {token:?}");
    }
    assert_eq!(owner.get("/hooks").await.status, 200);
}

#[tokio::test]
async fn the_document_is_the_committed_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/openapi.json");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, hooks_server::openapi()).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == hooks_server::openapi(),
        "run the test with UPDATE_EXPECT=1, and review docs/openapi.json"
    );
    let stored = stored().await;
    assert_eq!(
        stored.daemon.get("/api/v1/openapi.json").await.body,
        committed
    );
}

/// A server of a later version, whose bundles have a handler that this program does not know.
struct Later(Arc<AtomicBool>);

#[async_trait]
impl Source for Later {
    fn name(&self) -> String {
        "a later server".into()
    }

    async fn fetch(&self, _: Option<&str>) -> Result<Option<Bundle>, SourceError> {
        let mut hooks = vec![hook("a")];
        if self.0.load(Ordering::Relaxed) {
            hooks.push(
                json!({ "name": "b", "event": "BeforeToolCall", "wasm": { "module": "b.wasm" } }),
            );
        }
        let bundle = json!({ "format": "hooks-bundle/1", "hooks": hooks });
        Ok(Some(Bundle::read(&bundle.to_string())?))
    }
}

#[tokio::test]
async fn an_old_program_shows_why_it_stays_behind() {
    let stored = stored().await;
    let operator = stored.client("acme", "operator").await;
    let is_later = Arc::new(AtomicBool::new(false));
    let source = Later(Arc::clone(&is_later));
    let old = Runtime::builder().source(source).build().await.unwrap();
    is_later.store(true, Ordering::Relaxed);
    old.reload().await.unwrap_err();
    let report = NodeReport::from(&old.status());
    let report = json!({ "name": "edge-1", "revision": report.revision, "hash": report.hash,
        "refused": report.refused });
    assert_eq!(operator.post("/nodes", &report).await.status, 200);
    let node = &operator.get("/nodes").await.json()["items"][0];
    let refused = node["refused"].as_str().unwrap();
    assert!(refused.contains("wasm"), "{node}");
    // What it had stays in force there.
    let call = json!({ "name": "shell", "args": { "command": "--force" } });
    let mut call = OwnedEvent::from_json("BeforeToolCall", call).unwrap();
    let outcome = old.fire(&AgentContext::new("s1"), &mut call).await;
    assert_eq!(outcome.decision, Decided::Block);
}

#[compiled]
fn look(_: &BeforeToolCall) {}

#[tokio::test]
async fn a_node_that_refuses_a_bundle_says_so() {
    let stored = stored().await;
    let operator = stored.client("acme", "operator").await;
    let report = json!({ "name": "edge-1", "revision": 3, "hash": "abc",
        "refused": "revision 4: this program has no handler `wasm`",
        "breakers": [{ "hook": "gate", "state": "open" }] });
    let said = operator.post("/nodes", &report).await;
    let told = json!({ "reset": [], "has_order": false });
    assert_eq!((said.status, said.json()), (200, told));
    let node = &operator.get("/nodes").await.json()["items"][0];
    assert_eq!(
        (&node["name"], &node["revision"]),
        (&json!("edge-1"), &json!(3))
    );
    assert_eq!(node["refused"], report["refused"]);
    let breaker = &operator.get("/breakers").await.json()["items"][0];
    assert_eq!(
        (&breaker["hook"], &breaker["state"]),
        (&json!("gate"), &json!("open"))
    );
    let said = operator.post("/breakers/gate/reset", &Value::Null).await;
    assert_eq!((said.status, said.json()), (200, json!({ "nodes": 1 })));
    assert_eq!(
        operator.post("/nodes", &report).await.json(),
        json!({ "reset": ["gate"], "has_order": false })
    );
}

#[tokio::test]
async fn a_node_says_its_order_once_and_everybody_can_read_it() {
    let stored = stored().await;
    let operator = stored.client("acme", "operator").await;
    let runtime = Runtime::builder().source(stored.store.tenant("acme").source());
    let runtime = runtime.build().await.unwrap();
    let order = runtime.order_in(hooks![look, ..runtime.clone()].plan());
    let report = json!({ "name": "coder 1", "revision": 0, "order": order });
    let told = json!({ "reset": [], "has_order": true });
    assert_eq!(operator.post("/nodes", &report).await.json(), told);
    let later = json!({ "name": "coder 1", "revision": 0 });
    assert_eq!(operator.post("/nodes", &later).await.json(), told);
    let node = operator.get("/nodes").await.json()["items"][0].clone();
    assert_eq!(
        (&node["has_order"], node.get("order")),
        (&json!(true), None)
    );
    let viewer = stored.client("acme", "viewer").await;
    let read = async |query: &str| viewer.get(&format!("/order?{query}")).await;
    let said = read("node=coder+1").await.json();
    assert_eq!(said["items"], json!(order));
    assert_eq!(said["items"][0]["handler"], "compiled");
    let others = read("node=coder+1&event=BeforeStop").await.json();
    assert_eq!(others["items"], json!([]));
    let unknown = read("node=coder+2").await;
    assert_eq!(unknown.status, 404);
    assert!(unknown.body.contains("`POST /nodes`"), "{unknown:?}");
    assert_eq!(read("node=coder+1&draft=true").await.status, 400);
    let other = stored.client("other", "viewer").await;
    assert_eq!(other.get("/order?node=coder+1").await.status, 404);
}
