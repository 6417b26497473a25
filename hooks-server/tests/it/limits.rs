//! What a client cannot do to the daemon.

use std::num::NonZeroU32;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use crate::common::{claude, daemon, most_files, read, request, stored, stored_with};
use crate::goclaw::Socket;

#[tokio::test]
async fn a_body_that_is_too_long_is_refused_and_not_kept() {
    let daemon = daemon().await;
    let mut stream = daemon.tcp().await;
    let length = 100 << 20;
    let head = format!(
        "POST /hooks/claude HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let part = vec![b' '; 1 << 20];
    for _ in 0..100 {
        stream.write_all(&part).await.unwrap();
    }
    let said = read(stream).await;
    assert_eq!(said.status, 200, "an agent goes on after another status");
    let said = said.json();
    assert_eq!(said["continue"], false);
    assert!(
        said["stopReason"].as_str().unwrap().contains("longer than"),
        "{said}"
    );
}

#[tokio::test]
async fn a_head_that_is_too_long_is_refused() {
    let daemon = daemon().await;
    let header = format!("x: {}\r\n", "x".repeat(200_000));
    let request = request("POST", "/hooks/claude", &header, &claude("Bash", "ls"));
    let mut stream = daemon.tcp().await;
    // It may close before it has read everything.
    let _ = stream.write_all(&request).await;
    let said = read(stream).await;
    assert!(matches!(said.status, 0 | 431), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_sends_slowly_is_refused_in_time() {
    let daemon = daemon().await;
    let mut stream = daemon.tcp().await;
    let head = "POST /hooks/claude HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 100\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    let said = read(stream).await;
    assert!(
        said.json()["stopReason"]
            .as_str()
            .unwrap()
            .contains("did not come"),
        "{said:?}"
    );
}

#[tokio::test]
async fn others_are_answered_while_hooks_are_compiled() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    let read = owner.get("/draft").await;
    let follows = format!("if-match: {}\r\n", read.header("etag").unwrap());
    let row = |number: u8| {
        json!({ "event": "pre_tool_use", "handler_type": "http", "scope": "tenant", "name": number.to_string(),
            "matcher": "\\w{4}", "config": { "url": "https://a.example" } })
    };
    let rows: Value = (0..250).map(row).collect();
    let sender = owner.clone();
    let import = tokio::spawn(async move {
        let path = "/import?format=goclaw";
        sender.send("POST", path, &follows, &rows).await
    });
    // The daemon and its clients have one thread here.
    let mut answered = 0;
    while !import.is_finished() {
        assert_eq!(stored.daemon.get("/healthz").await.status, 200);
        answered += 1;
    }
    let said = import.await.unwrap();
    assert_eq!(said.status, 200, "{said:?}");
    assert!(answered > 99, "only {answered} were answered meanwhile");
}

#[tokio::test]
async fn a_set_has_less_room_than_an_event() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    let read = owner.get("/draft").await;
    let follows = format!("if-match: {}\r\n", read.header("etag").unwrap());
    let toml = format!("# {}", "x".repeat(512 << 10));
    let json = json!({ "comment": toml }).to_string();
    for (method, path, body) in [
        ("POST", "/import?format=toml", &toml),
        ("PUT", "/draft", &json),
    ] {
        let said = owner.raw(method, path, &follows, body).await;
        assert_eq!(said.status, 413, "{path}: {said:?}");
    }
    let event = json!({ "event": "BeforeToolCall", "name": "long", "args": { "x": toml } });
    let said = owner.post("/simulate", &json!({ "event": event })).await;
    assert_eq!(said.status, 200);
}

#[tokio::test]
async fn a_token_that_asks_too_often_waits() {
    let stored = stored_with(hooks_store::Capabilities::all(), |server| {
        server.rate(NonZeroU32::MIN)
    })
    .await;
    let viewer = stored.client("acme", "viewer").await;
    let other = stored.client("acme", "viewer").await;
    let said = stored
        .eventually(async || {
            let said = viewer.get("/hooks").await;
            (said.status != 200).then_some(said)
        })
        .await;
    assert_eq!((said.status, said.header("retry-after")), (429, Some("1")));
    assert_eq!(said.json()["status"], 429);
    // Agents are not told to wait, and neither are others.
    for _ in 0..3 {
        assert_eq!(viewer.get("/bundle").await.status, 200);
        let said = viewer.door("/hooks/claude", &claude("Bash", "ls")).await;
        assert_eq!((said.status, &*said.body), (200, ""));
    }
    let mut socket = Socket::open(&stored, &other.token).await;
    let said = stored
        .eventually(async || {
            let said = socket.call("hooks.list", json!({})).await;
            (said["ok"] == false).then_some(said)
        })
        .await;
    let why = said["error"]["message"].as_str().unwrap();
    assert!(why.contains("too many requests"), "{said}");
}

#[tokio::test]
async fn many_idle_connections_leave_the_doors_open() {
    let daemon = daemon().await;
    // Both ends are in this process, and so are other tests.
    let most = usize::try_from(most_files() / 2 - 500).unwrap();
    let count = most.min(10_000);
    println!("{count} idle connections, of 10000 that should be");
    assert!(count >= 1000, "this process may open too few files");
    let mut idle = Vec::new();
    for _ in 0..count {
        idle.push(daemon.tcp().await);
    }
    let event = claude("Bash", "git push --force");
    let said = daemon.post("/hooks/claude", &event).await;
    assert!(said.body.contains("no force"), "{count} idle: {said:?}");
}

#[tokio::test]
async fn a_form_that_does_not_come_is_refused_in_time() {
    let stored = stored().await;
    let visitor = stored.visit("acme", "owner").await;
    // All at once: while the clock is paused, the store would seem to be away.
    let paths = ["/login", "/theme", "/simulator", "/hook/new", "/publish"];
    let asked = paths.map(async |path| {
        let mut stream = stored.daemon.tcp().await;
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncookie: {}\r\n\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: 100\r\n\r\na",
            visitor.cookie
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let said = read(stream).await;
        assert_eq!(said.status, 408, "{path}: {said:?}");
        assert!(said.body.contains("did not come within"), "{said:?}");
    });
    futures::future::join_all(asked).await;
    let theme = "x".repeat(1 << 20);
    let long = visitor.send("/theme", &[("theme", &theme)]).await;
    assert_eq!(long.status, 413, "{long:?}");
}
