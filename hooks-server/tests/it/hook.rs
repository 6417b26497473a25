//! One hook, as people edit it: converted, checked, tried and restored.

use hooks_store::Capabilities;
use serde_json::{Value, json};

use crate::common::{stored, stored_with};

/// A hook with a mistake in each of three lines.
const WRONG: &str = "name = \"no-force\"\nevent = \"BeforeToolCal\"\nblock = \"no\"\npriority = \"high\"\n\n[scope]\ntenants = [\"other\"]\n";

#[tokio::test]
async fn a_hook_is_converted_with_all_mistakes_and_their_lines() {
    let stored = stored().await;
    let author = stored.client("acme", "author").await;
    let convert = async |body: Value| author.post("/convert", &body).await.json();
    let hook = json!({ "block": "no\nforce", "event": "BeforeToolCall", "http_like": 1, "name": "a",
        "modify": { "deep": { "x": [1, 2.5, true] } } });
    let told = convert(json!({ "hook": hook })).await;
    let toml = told["toml"].as_str().unwrap();
    assert!(toml.starts_with("name = \"a\"\nevent = "), "{toml}");
    assert_eq!(told["hook"], hook);
    let errors = told["errors"].as_array().unwrap();
    assert!(
        errors.iter().any(|error| error["path"] == "/http_like"),
        "{told}"
    );
    assert!(
        errors.iter().all(|error| error["message"].is_string()),
        "{told}"
    );

    let told = convert(json!({ "toml": WRONG })).await;
    let lines: Vec<_> = told["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| (error["path"].clone(), error["line"].clone()))
        .collect();
    for (path, line) in [("/event", 2), ("/priority", 4), ("/scope/tenants", 7)] {
        assert!(lines.contains(&(json!(path), json!(line))), "{told}");
    }
    let file = "\n[[hooks.on]]\nname = 'a'\nevent = 'BeforeToolCall'\nblok = 'no'\n";
    let told = convert(json!({ "toml": file })).await;
    assert_eq!(
        (&told["errors"][0]["path"], &told["errors"][0]["line"]),
        (&json!("/blok"), &json!(5)),
        "{told}"
    );
    let told = convert(json!({ "toml": "name = 'a'\nevent = [" })).await;
    assert_eq!(
        (&told["hook"], &told["errors"][0]["line"]),
        (&Value::Null, &json!(2)),
        "{told}"
    );
    let told =
        convert(json!({ "hook": { "event": "BeforeToolCall", "modify": { "a": null } } })).await;
    assert!(
        told["errors"][0]["message"]
            .as_str()
            .unwrap()
            .contains("TOML cannot say it"),
        "{told}"
    );
    assert_eq!(author.post("/convert", &json!({})).await.status, 422);
    let other = author
        .post("/convert", &json!({ "hook": { "tenant": "other" } }))
        .await;
    assert_eq!(other.status, 403, "{other:?}");
    let viewer = stored.client("acme", "viewer").await;
    assert_eq!(
        viewer.post("/convert", &json!({ "toml": "" })).await.status,
        403
    );
    assert!(stored.has_no_hooks("acme").await);
}

#[tokio::test]
async fn the_api_says_what_this_deployment_runs() {
    let stored = stored_with(
        Capabilities::all().without_handlers(["command"]),
        |server| server,
    )
    .await;
    let viewer = stored.client("acme", "viewer").await;
    let told = viewer.get("/capabilities").await.json();
    let handlers = &told["handlers"];
    assert_eq!(
        (&handlers["command"], &handlers["http"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(told["scopes"]["global"], true);
}

#[tokio::test]
async fn a_hook_is_tried_alone_and_an_old_version_comes_back() {
    let stored = stored().await;
    let author = stored.client("acme", "author").await;
    let hook = |reason: &str| json!({ "name": "a", "event": "BeforeToolCall", "block": reason, "mode": "shadow" });
    let id = author.post("/hooks", &hook("first")).await.json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let event = json!({ "event": "BeforeToolCall", "name": "Bash" });
    let told = author
        .post(
            "/simulate",
            &json!({ "event": event, "hook": hook("typed") }),
        )
        .await
        .json();
    assert_eq!(
        (&told["decision"], &told["reason"]),
        (&json!("block"), &json!("typed")),
        "{told}"
    );
    assert_eq!(told["steps"].as_array().unwrap().len(), 1, "{told}");
    let wrong = json!({ "event": event, "hook": { "event": "BeforeToolCall" } });
    assert_eq!(author.post("/simulate", &wrong).await.status, 422);

    let path = format!("/hooks/{id}");
    let changed = author
        .send("PUT", &path, "if-match: \"1\"\r\n", &hook("second"))
        .await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let restore = async |version: &str| {
        let path = format!("{path}/versions/1/restore");
        author
            .send(
                "POST",
                &path,
                &format!("if-match: \"{version}\"\r\n"),
                &Value::Null,
            )
            .await
    };
    assert_eq!(restore("1").await.status, 412);
    let back = restore("2").await;
    assert_eq!(
        (back.header("etag"), &back.json()["body"]["block"]),
        (Some("\"3\""), &json!("first"))
    );
    let viewer = stored.client("acme", "viewer").await;
    let refused = viewer
        .send(
            "POST",
            &format!("{path}/versions/1/restore"),
            "if-match: \"3\"\r\n",
            &Value::Null,
        )
        .await;
    assert_eq!(refused.status, 403);
}
