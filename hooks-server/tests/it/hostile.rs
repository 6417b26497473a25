//! What hostile texts do in every field of every write: they are taken or refused, and never break the daemon.

use std::num::NonZeroU32;

use serde_json::{Value, json};

use crate::api::{hook, writes};
use crate::common::stored_with;

/// What stands in a sample where a hostile text is put.
const PLACE: &str = "\"HERE\"";

/// Hostile values, as they stand in JSON.
fn hostile() -> Vec<String> {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(5000), close.repeat(5000));
    let texts = [
        r#""""#,
        r#""\u0000""#,
        r#""\u0001\u001b[31m\u007f\u0085\r\n""#,
        "\"\u{202e}gnp.exe\u{2066}\u{feff}\"",
        r#""<script>alert(1)</script>""#,
        r#""'; DROP TABLE hook; --""#,
        r#""../../../etc/passwd""#,
        r#""\ud800""#,
        r#""\udc00\ud800""#,
        "\"\u{fffe}\u{10ffff}\"",
        "1e400",
        "-1e400",
        "18446744073709551616",
        "0.1e-400",
        "null",
    ];
    let mut all: Vec<_> = texts.map(str::to_owned).into();
    all.push(format!("\"{}\"", "x".repeat(64 << 10)));
    all.push(format!("\"{}\"", "(".repeat(64 << 10)));
    all.extend([deep("[", "]"), deep("{\"a\":", "}")]);
    all
}

/// A body of each write, by its path, in which all fields have a value.
fn sample(path: &str, draft: &Value) -> Value {
    let event = json!({ "event": "BeforeToolCall", "id": "1", "name": "shell", "args": { "command": "ls" } });
    match path {
        "/hooks" | "/hooks/{id}" => hook("a"),
        "/draft" => draft.clone(),
        "/budgets" => json!({ "month": "2026-11", "limit": 5 }),
        "/nodes" => {
            json!({ "name": "n", "revision": 1, "hash": "h", "refused": "r",
            "breakers": [{ "hook": "a", "state": "open" }], "order": [{ "order": 1, "hook": "a", "priority": 1, "events": ["e"],
            "handler": "compiled", "filter": "f", "mode": "enforce", "guard": true, "judges_again_after": "b", "never": "n",
            "version": 1, "source": "s" }] })
        }
        "/replay" => json!({ "draft": true, "since": "2026-11-01T00:00:00Z", "limit": 5 }),
        "/revisions" => json!({ "comment": "c", "despite_samples": true }),
        "/revisions/1/rollback" => json!({ "comment": "c", "keep_draft": true }),
        "/revisions/mode" => json!({ "hook": "a", "mode": "off", "comment": "c" }),
        "/samples" => {
            json!({ "name": "s", "event": "BeforeToolCall", "cx": { "session_id": "s" }, "body": event, "expect": "block" })
        }
        "/secrets/x" => json!({ "value": "v" }),
        "/simulate" => {
            json!({ "event": event, "cx": { "session_id": "s", "cwd": "/" }, "draft": true, "run": ["a"], "node": "n", "hook": hook("a") })
        }
        "/convert" => json!({ "toml": "a = 1", "hook": hook("a"), "id": "a" }),
        "/tokens" => {
            json!({ "name": "t", "role": "viewer", "agent": "a", "ends": "2999-01-01T00:00:00Z" })
        }
        path => panic!("a sample of the body of {path} is missing"),
    }
}

/// The body with the hostile place in each of its values.
fn each(body: &Value) -> Vec<Value> {
    let mut all = vec![json!("HERE")];
    match body {
        Value::Object(fields) => {
            for (key, value) in fields {
                for inner in each(value) {
                    let mut body = body.clone();
                    body[key] = inner;
                    all.push(body);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                for inner in each(item) {
                    let mut body = body.clone();
                    body[index] = inner;
                    all.push(body);
                }
            }
        }
        _ => {}
    }
    all
}

/// The fields that the document has for a body.
fn fields(document: &Value, operation: &Value) -> Vec<String> {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let Some(named) = schema["$ref"].as_str() else {
        return Vec::new();
    };
    let schema = document.pointer(named.trim_start_matches('#')).unwrap();
    let fields = schema["properties"].as_object().unwrap();
    fields.keys().cloned().collect()
}

#[tokio::test]
async fn no_text_in_any_field_breaks_the_daemon() {
    let stored = stored_with(hooks_store::Capabilities::all(), |server| {
        server.rate(NonZeroU32::MAX)
    })
    .await;
    let owner = stored.client("acme", "owner").await;
    let made = owner.post("/hooks", &hook("old")).await.json();
    owner.publish(&json!({})).await;
    let draft = owner.get("/draft").await.json();
    let document: Value = serde_json::from_str(&hooks_server::openapi()).unwrap();
    let mut tried = 0;
    for (method, path, operation) in writes() {
        let content = &operation["requestBody"]["content"];
        let bodies = if content["application/json"].is_object() {
            let sample = sample(&path, &draft);
            for field in fields(&document, &operation) {
                assert!(!sample[&field].is_null(), "{path} has no {field}");
            }
            each(&sample).iter().map(Value::to_string).collect()
        } else if content.is_object() {
            let record = hooks_runtime::Record::new("a", "BeforeToolCall");
            let record = serde_json::to_value(record).unwrap();
            let mut bodies: Vec<_> = each(&record).iter().map(Value::to_string).collect();
            bodies.push("[[hooks.on]]\nname = \"HERE\"\nif = \"HERE\"".into());
            bodies
        } else {
            vec![String::new()]
        };
        let path = path.replace("{id}", made["id"].as_str().unwrap());
        for body in bodies {
            for text in hostile() {
                let body = body.replace(PLACE, &text);
                let said = owner
                    .raw(&method, &path, "if-match: \"1\"\r\n", &body)
                    .await;
                let shown: String = body.chars().take(200).collect();
                assert!(
                    (200..500).contains(&said.status),
                    "{method} {path} {shown}: {said:?}"
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 1000, "{tried}");
    for path in [
        "/hooks",
        "/draft",
        "/bundle",
        "/samples",
        "/tokens",
        "/nodes",
        "/order?node=n",
        "/executions",
        "/admin-log",
    ] {
        let said = owner.get(path).await;
        assert_eq!(said.status, 200, "{path}: {said:?}");
        let _ = said.json();
    }
}

#[tokio::test]
async fn no_text_in_a_path_or_a_query_breaks_the_daemon() {
    let stored = stored_with(hooks_store::Capabilities::all(), |server| {
        server.rate(NonZeroU32::MAX)
    })
    .await;
    let owner = stored.client("acme", "owner").await;
    for text in [
        "%00",
        "%ff",
        "%E2%80%AE",
        "%3Cscript%3E",
        "..%2f..%2f",
        "1e400",
        "-1",
        "99999999999999999999",
        "%",
        "%zz",
    ] {
        let long = "x".repeat(8 << 10);
        for text in [text, &long] {
            for (method, path) in [
                ("GET", format!("/hooks/{text}")),
                ("DELETE", format!("/hooks/{text}")),
                ("GET", format!("/hooks/{text}/versions")),
                ("GET", format!("/revisions/{text}")),
                ("GET", format!("/executions/{text}")),
                ("GET", format!("/sessions/{text}")),
                (
                    "GET",
                    format!(
                        "/executions?hook={text}&tool={text}&session={text}&event={text}&agent={text}"
                    ),
                ),
                (
                    "GET",
                    format!("/executions?decision={text}&since={text}&cursor={text}&limit={text}"),
                ),
                ("GET", format!("/executions?since={text}")),
                ("GET", format!("/bundle?wait={text}")),
                ("DELETE", format!("/secrets/{text}")),
                (
                    "GET",
                    format!("/order?node={text}&event={text}&draft={text}"),
                ),
                ("GET", format!("/order?node={text}")),
                ("POST", format!("/breakers/{text}/reset")),
                ("DELETE", format!("/samples/{text}")),
                ("DELETE", format!("/tokens/{text}")),
            ] {
                let said = owner.raw(method, &path, "if-match: \"1\"\r\n", "").await;
                assert!(
                    (200..500).contains(&said.status),
                    "{method} {path}: {said:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn no_text_in_an_address_breaks_a_page() {
    let stored = stored_with(hooks_store::Capabilities::all(), |server| {
        server.rate(NonZeroU32::MAX)
    })
    .await;
    let visitor = stored.visit("acme", "owner").await;
    for text in [
        "%0d%0a",
        "%00",
        "%ff",
        "%C3%A9",
        "-1",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "99999999999999999999",
    ] {
        for path in [
            "/?from=HERE&event=HERE&of=HERE&q=HERE",
            "/hook/HERE",
            "/hook/HERE/delete",
            "/hook/HERE/versions?from=HERE&to=HERE",
            "/simulator?event=HERE",
            "/simulator?sample=HERE",
            "/simulator?execution=HERE",
            "/revisions/HERE",
            "/executions?minutes=HERE&hook=HERE",
            "/executions?before=HERE",
            "/executions/HERE",
            "/sessions/HERE",
            "/settings?before=HERE",
            "/login?code=HERE&next=HERE",
        ] {
            let path = path.replace("HERE", text);
            let said = visitor.get(&path).await;
            assert!((200..500).contains(&said.status), "{path}: {said:?}");
        }
    }
}
