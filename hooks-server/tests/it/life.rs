//! How the daemon begins and ends.

use std::net::Ipv4Addr;
use std::time::Duration;

use hooks_server::{Server, ServerError};
use regex::Regex;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpStream, UnixStream};

use crate::common::{Client, Stored, claude, daemon, exchange, read, request, stored, stored_with};

#[tokio::test]
async fn what_has_begun_is_finished_and_nothing_new_is_accepted() {
    let daemon = daemon().await;
    assert_eq!(daemon.get("/readyz").await.status, 200);
    let idle = daemon.tcp().await;
    let mut slow = daemon.tcp().await;
    let asked = request("POST", "/hooks/claude", "", &claude("Slow", "x"));
    slow.write_all(&asked).await.unwrap();
    daemon.begun().await;
    daemon.shutdown.soft();
    let said = read(slow).await;
    assert!(said.body.contains("deny"), "{said:?}");
    daemon.ended.await.unwrap();
    assert!(TcpStream::connect(daemon.address).await.is_err());
    assert!(UnixStream::connect(&daemon.socket).await.is_err());
    assert!(!daemon.socket.exists());
    drop(idle);
}

#[tokio::test]
async fn what_does_not_finish_is_dropped_in_the_end() {
    let daemon = daemon().await;
    let mut waiting = daemon.unix().await;
    let asked = request("POST", "/run", "hooks-version: 1\r\n", "wait");
    waiting.write_all(&asked).await.unwrap();
    daemon.waits.notified().await;
    daemon.shutdown.soft();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!daemon.ended.is_finished());
    daemon.shutdown.hard();
    daemon.ended.await.unwrap();
    assert_eq!(
        read(waiting).await.status,
        0,
        "it is told by the end of the connection"
    );
}

#[tokio::test]
async fn the_hooks_of_all_tenants_end_together() {
    let stored = stored().await;
    for tenant in ["a", "b", "c", "d", "e"] {
        let owner = stored.client(tenant, "owner").await;
        let hook = json!({ "name": "slow", "event": "ToolCallEnd", "command": "sleep 60" });
        assert_eq!(owner.post("/hooks", &hook).await.status, 201);
        assert_eq!(owner.publish(&json!({})).await.status, 201);
        let event = json!({ "session_id": "s1", "cwd": "/", "hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_input": { "command": "ls" }, "tool_response": "done", "tool_use_id": "1" });
        let said = owner.door("/hooks/claude", &event.to_string()).await;
        assert_eq!(said.status, 200, "{said:?}");
    }
    // From here on, time passes whenever nobody has anything to do.
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    stored.daemon.shutdown.hard();
    stored.daemon.ended.await.unwrap();
    let took = began.elapsed();
    assert!(took > Duration::from_secs(5), "no hook ran: {took:?}");
    assert!(
        took < Duration::from_secs(35),
        "one after the other: {took:?}"
    );
}

#[tokio::test]
async fn where_other_machines_reach_it_a_token_reads_its_state() {
    let everywhere = "0.0.0.0:0".parse().unwrap();
    let mut open = stored_with(hooks_store::Capabilities::all(), |server| {
        server.listen(everywhere)
    })
    .await;
    open.daemon.address.set_ip(Ipv4Addr::LOCALHOST.into());
    let viewer = open.client("acme", "viewer").await;
    assert_eq!(open.daemon.get("/healthz").await.status, 200);
    for path in ["/metrics", "/readyz"] {
        let said = open.daemon.get(path).await;
        assert_eq!(said.status, 401, "{path}: {said:?}");
        let said = viewer.at("GET", path, "", "").await;
        assert_eq!(said.status, 200, "{path}: {said:?}");
    }
    let here = stored().await;
    assert_eq!(here.daemon.get("/metrics").await.status, 200);
    // The name of a page may point to this machine.
    let asked = b"GET /metrics HTTP/1.1\r\nhost: a.example\r\nconnection: close\r\n\r\n";
    let said = exchange(here.daemon.tcp().await, asked).await;
    assert_eq!(said.status, 403, "{said:?}");
}

#[tokio::test]
async fn nobody_listens_where_others_could_ask() {
    let open = Server::builder()
        .listen("0.0.0.0:0".parse().unwrap())
        .bind()
        .await;
    assert!(matches!(open, Err(ServerError::Open(_))), "{open:?}");
    let none = Server::builder().bind().await;
    assert!(matches!(none, Err(ServerError::NoDoor)), "{none:?}");
}

/// A daemon one of whose hooks has failed, and that has refused a stranger.
async fn watched() -> (Stored, Client) {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    let fails = json!({ "name": "fails", "event": "BeforeToolCall", "if": "args.nope.contains('x')",
        "context": "no", "on_failure": "skip" });
    assert_eq!(owner.post("/hooks", &fails).await.status, 201);
    owner.publish(&json!({})).await;
    owner.door("/hooks/claude", &claude("Bash", "ls")).await;
    assert_eq!(
        stored.with_token("hks_wrong").get("/hooks").await.status,
        401
    );
    (stored, owner)
}

#[tokio::test]
async fn trouble_and_refusals_show_to_whoever_watches() {
    let (stored, owner) = watched().await;
    assert_eq!(stored.daemon.get("/readyz").await.status, 200);
    let said = stored.daemon.get("/metrics").await.body;
    for line in [
        "hooks_failed_open{tenant=\"acme\",hook=\"fails\"} 1",
        "hooks_breaker_open{tenant=\"acme\",hook=\"fails\"} 0",
        "hooks_tenants{state=\"loaded\"} 1",
        "hooks_refused_total{reason=\"token\"} 1",
        "hooks_responses_total{status=\"4xx\"} 1",
        "hooks_store_up 1",
        "hooks_records_queue_bytes ",
        "hooks_store_write_seconds ",
        "hooks_build_info{version=",
    ] {
        assert!(said.contains(line), "{line} is not in {said}");
    }
    std::fs::remove_file(stored.folder.path().join("hooks.db")).unwrap();
    let why = stored
        .eventually(async || {
            let said = stored.daemon.get("/readyz").await;
            (said.status == 503).then_some(said.body)
        })
        .await;
    assert_eq!(why, "the store is in trouble\n");
    let said = stored.daemon.get("/readyz?only=drain").await;
    assert_eq!(said.status, 200);
    assert!(
        stored
            .daemon
            .get("/metrics")
            .await
            .body
            .contains("hooks_store_up 0")
    );
    // What is known still decides.
    let said = owner.door("/hooks/claude", &claude("Bash", "ls")).await;
    assert_eq!(said.status, 200);
}

#[tokio::test]
async fn the_dashboard_and_the_alerts_name_metrics_that_are_there() {
    let (stored, _) = watched().await;
    let text = stored.daemon.get("/metrics").await.body;
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let there: Vec<(&str, &str)> = types.filter_map(|line| line.split_once(' ')).collect();
    assert!(there.len() > 10, "{text}");
    let dashboard = include_str!("../../../packaging/monitoring/grafana.json");
    let alerts = include_str!("../../../packaging/monitoring/alerts.yaml");
    let _: Value = serde_json::from_str(dashboard).unwrap();
    let names = Regex::new(r"\bhooks_[a-z_]+").unwrap();
    let is_there = |name: &str| {
        there.iter().any(|(known, kind)| match *kind {
            "counter" => name.strip_suffix("_total") == Some(known),
            "histogram" => name.strip_suffix("_bucket") == Some(known),
            _ => name == *known,
        })
    };
    for file in [dashboard, alerts] {
        for found in names.find_iter(file) {
            assert!(
                is_there(found.as_str()),
                "{} is not a metric",
                found.as_str()
            );
        }
    }
    let shown: Vec<&str> = names
        .find_iter(dashboard)
        .map(|found| found.as_str())
        .collect();
    for (name, _) in there {
        let is_shown = shown.iter().any(|shown| shown.starts_with(name));
        assert!(is_shown, "the dashboard does not show {name}");
    }
}
