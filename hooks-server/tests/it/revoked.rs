//! A token that is revoked ends what it has begun, also on a connection that stays.

use std::time::Duration;

use futures::StreamExt as _;
use hooks_store::By;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

use crate::common::{Stored, claude, request, stored};
use crate::goclaw::Socket;

impl Stored {
    /// Revokes the token with a name.
    async fn revoke(&self, tenant: &str, name: &str) {
        let tenant = self.store.tenant(tenant);
        let tokens = tenant.tokens().await.unwrap();
        let token = tokens.iter().find(|token| token.name == name).unwrap();
        let by = By::new("the test");
        tenant.revoke_token(&token.id, &by).await.unwrap();
    }
}

async fn soon<T>(end: impl Future<Output = T>) -> T {
    let in_time = tokio::time::timeout(Duration::from_mins(5), end).await;
    in_time.expect("it ends")
}

#[tokio::test]
async fn a_request_is_refused_at_once() {
    let stored = stored().await;
    let viewer = stored.client("acme", "viewer").await;
    assert_eq!(viewer.get("/hooks").await.status, 200);
    stored.revoke("acme", "viewer").await;
    assert_eq!(viewer.get("/hooks").await.status, 401);
}

#[tokio::test]
async fn a_token_that_ends_is_refused_though_it_is_remembered() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    let acme = stored.store.tenant("acme");
    let new = |name: &str, ends: &str| json!({ "name": name, "role": "viewer", "ends": ends });
    let past = owner
        .post("/tokens", &new("old", "2020-01-01T00:00:00Z"))
        .await;
    assert_eq!(past.status, 422);
    assert_eq!(past.json()["errors"][0]["path"], "/ends");
    let end = jiff::Timestamp::from_second(jiff::Timestamp::now().as_second() + 4).unwrap();
    let made = owner.post("/tokens", &new("short", &end.to_string())).await;
    let viewer = stored.with_token(made.json()["token"].as_str().unwrap());
    assert_eq!(viewer.get("/bundle").await.status, 200);
    let listed = owner.get("/tokens").await.json();
    assert_eq!(listed["items"][1]["ends"], end.to_string());
    // The store is away, and who was known goes on: until the end.
    stored
        .store
        .__execute("ALTER TABLE token RENAME TO away")
        .await;
    acme.set_budget(None, Some(1), &By::new("the test"))
        .await
        .unwrap();
    let refused = stored.eventually(async || {
        let status = viewer.get("/bundle").await.status;
        assert!(matches!(status, 200 | 401), "{status}");
        (status == 401).then_some(())
    });
    refused.await;
    assert!(jiff::Timestamp::now() >= end);
    assert_eq!(owner.get("/bundle").await.status, 200);
}

#[tokio::test]
async fn a_stream_ends_in_each_encoding() {
    let stored = stored().await;
    let viewer = stored.client("acme", "viewer").await;
    let mut streams = Vec::new();
    for accept in ["text/event-stream", "application/x-ndjson"] {
        let mut stream = stored.daemon.tcp().await;
        let headers = format!(
            "authorization: Bearer {}\r\naccept: {accept}\r\n",
            viewer.token
        );
        let asked = request("GET", "/api/v1/executions/stream", &headers, "");
        stream.write_all(&asked).await.unwrap();
        stream.read_u8().await.unwrap();
        streams.push(stream);
    }
    let address = format!("ws://{}/api/v1/executions/stream", stored.daemon.address);
    let mut asked = address.into_client_request().unwrap();
    let token = format!("Bearer {}", viewer.token).parse().unwrap();
    asked.headers_mut().insert("authorization", token);
    let tcp = stored.daemon.tcp().await;
    let (socket, _) = tokio_tungstenite::client_async(asked, tcp).await.unwrap();

    stored.revoke("acme", "viewer").await;
    for mut stream in streams {
        let mut rest = Vec::new();
        soon(stream.read_to_end(&mut rest)).await.unwrap();
    }
    soon(socket.count()).await;
}

#[tokio::test]
async fn who_waits_for_a_bundle_gets_none() {
    let stored = stored().await;
    let viewer = stored.client("acme", "viewer").await;
    let first = viewer.get("/bundle").await;
    let known = format!("if-none-match: {}\r\n", first.header("etag").unwrap());
    let waits = viewer.raw("GET", "/bundle?wait=60", &known, "");
    let revoked = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        stored.revoke("acme", "viewer").await;
    };
    let (said, ()) = soon(async { tokio::join!(waits, revoked) }).await;
    assert_eq!(said.status, 401, "{said:?}");
}

#[tokio::test]
async fn goclaws_socket_is_closed() {
    let stored = stored().await;
    let viewer = stored.client("acme", "viewer").await;
    let mut socket = Socket::open(&stored, &viewer.token).await;
    assert_eq!(socket.call("hooks.list", json!({})).await["ok"], true);
    stored.revoke("acme", "viewer").await;
    soon(socket.stream.count()).await;
}

#[tokio::test]
async fn who_connects_again_as_another_sees_no_events_of_the_first() {
    let stored = stored().await;
    let acme = stored.client("acme", "owner").await;
    let other = stored.client("other", "owner").await;
    for client in [&acme, &other] {
        let hook = json!({ "name": "no", "event": "BeforeToolCall", "block": "no" });
        assert_eq!(client.post("/hooks", &hook).await.status, 201);
        client.publish(&json!({})).await;
    }
    let mut socket = Socket::open(&stored, &acme.token).await;
    let said = socket
        .call("connect", json!({ "token": other.token }))
        .await;
    assert_eq!(said["payload"]["tenant_id"], "other", "{said}");
    acme.door("/hooks/claude", &claude("Bash", "acme")).await;
    other.door("/hooks/claude", &claude("Bash", "other")).await;
    let event = socket.next().await;
    assert!(!event.to_string().contains("acme"), "{event}");
    assert!(event.to_string().contains("other"), "{event}");

    // And with no token, nobody is there.
    let said = socket.call("connect", json!({ "token": "hks_no" })).await;
    assert_eq!(said["ok"], false, "{said}");
    let said = socket.call("hooks.list", json!({})).await;
    assert_eq!(said["error"]["code"], "UNAUTHORIZED", "{said}");
}
