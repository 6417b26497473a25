//! What each door answers.

use hooks_runtime::Dialect;
use serde_json::json;

use tokio::io::AsyncWriteExt as _;

use crate::common::{Answered, claude, daemon, exchange, read, request, stored};

#[tokio::test]
async fn claude_codes_http_hooks_are_answered_in_its_words() {
    let daemon = daemon().await;
    let said = daemon
        .post("/hooks/claude", &claude("Bash", "git push --force"))
        .await;
    assert_eq!(said.status, 200);
    assert_eq!(
        said.json()["hookSpecificOutput"],
        json!({ "hookEventName": "PreToolUse", "permissionDecision": "deny",
                "permissionDecisionReason": "no force (hook: no-force)" })
    );
    let said = daemon
        .post("/hooks/claude", &claude("Bash", "git push"))
        .await;
    assert_eq!((said.status, &*said.body), (200, ""));
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_with_a_success() {
    let daemon = daemon().await;
    // A status blocks nothing in Claude Code, and neither does text.
    for input in ["", "?", "[]", "{}", "{\"hook_event_name\": \"PreToolUse\"}"] {
        let said = daemon.post("/hooks/claude", input).await;
        assert_eq!(said.status, 200, "{input}");
        let said = said.json();
        let is_denied = said["hookSpecificOutput"]["permissionDecision"] == "deny";
        assert!(is_denied || said["continue"] == false, "{input}: {said}");
    }
}

#[tokio::test]
async fn every_agent_that_calls_has_a_door() {
    let daemon = daemon().await;
    for system in Dialect::callers() {
        let said = daemon.post(&format!("/hooks/{system}"), "?").await;
        assert_eq!(said.status, 200, "{system}");
        assert!(said.json().is_object(), "{system}");
    }
    let antigravity = json!({ "conversationId": "s1",
        "toolCall": { "name": "run_command", "args": { "CommandLine": "ls" } } });
    let path = "/hooks/antigravity?event=PreToolUse";
    let said = daemon.post(path, &antigravity.to_string()).await;
    assert_eq!(said.status, 200);
    assert_ne!(said.json()["decision"], "deny", "{said:?}");
    for path in ["/hooks/goclaw", "/hooks/nobody", "/hooks/", "/other"] {
        assert_eq!(daemon.post(path, "{}").await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn a_page_in_a_browser_is_not_answered() {
    let daemon = daemon().await;
    let event = claude("Bash", "ls");
    let of_a_page = request(
        "POST",
        "/hooks/claude",
        "origin: https://example.com\r\n",
        &event,
    );
    assert_eq!(exchange(daemon.tcp().await, &of_a_page).await.status, 403);
    // A name that points to this machine.
    let text = String::from_utf8(request("POST", "/hooks/claude", "", &event)).unwrap();
    let by_name = text.replace("host: localhost", "host: evil.example.com");
    assert_eq!(
        exchange(daemon.tcp().await, by_name.as_bytes())
            .await
            .status,
        403
    );
}

#[tokio::test]
async fn a_page_of_another_host_is_not_answered_with_a_store_either() {
    let stored = stored().await;
    for path in ["/ws", "/hooks/claude", "/api/v1/hooks", "/healthz"] {
        for (origin, is_refused) in [
            ("https://example.com", true),
            ("http://localhost:1234", true),
            ("null", true),
            ("\u{fc}", true),
            ("http://localhost", false),
        ] {
            let header = format!("origin: {origin}\r\n");
            let asked = request("GET", path, &header, "");
            let said = exchange(stored.daemon.tcp().await, &asked).await;
            assert_eq!(said.status == 403, is_refused, "{path} {origin}: {said:?}");
        }
    }
}

#[tokio::test]
async fn a_stranger_is_refused_in_its_agents_words_and_costs_little() {
    let stored = stored().await;
    let said = stored
        .daemon
        .post("/hooks/claude", &claude("Bash", "ls"))
        .await;
    assert!(
        said.body.contains("\"permissionDecision\":\"deny\""),
        "{said:?}"
    );
    // What an agent of ours may send is taken to its end.
    let long = claude("Bash", &"x".repeat(500_000));
    let said = stored.daemon.post("/hooks/claude", &long).await;
    let reason = |said: &Answered| said.json()["stopReason"].as_str().unwrap().to_owned();
    assert!(reason(&said).contains("send a token"), "{said:?}");
    // More is not waited for.
    let mut stream = stored.daemon.tcp().await;
    let head =
        "POST /hooks/claude HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100000000\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![b' '; (1 << 20) + 1]).await.unwrap();
    assert!(reason(&read(stream).await).contains("send a token"));
}

#[tokio::test]
async fn the_socket_answers_programs_of_its_version() {
    let daemon = daemon().await;
    let ask = async |version: &str, question: &str| {
        let version = format!("hooks-version: {version}\r\n");
        let request = request("POST", "/run", &version, question);
        exchange(daemon.unix().await, &request).await
    };
    let said = ask("1", "hello").await;
    assert_eq!((said.status, &*said.body), (200, "hello"));
    let said = ask("2", "hello").await;
    let version = said.header("hooks-version");
    assert_eq!((said.status, version), (409, Some("1")));
    let said = ask("1", "no").await;
    assert_eq!((said.status, &*said.body), (409, "it cannot"));
    // The network has no such door.
    let request = request("POST", "/run", "hooks-version: 1\r\n", "hello");
    assert_eq!(exchange(daemon.tcp().await, &request).await.status, 404);
}

#[tokio::test]
async fn what_was_decided_is_counted() {
    let daemon = daemon().await;
    for command in ["git push --force", "ls", "pwd"] {
        daemon.post("/hooks/claude", &claude("Bash", command)).await;
    }
    daemon.post("/hooks/claude", "?").await;
    let text = daemon.get("/metrics").await.body;
    for line in [
        "hooks_dispatches_total{event=\"BeforeToolCall\",decision=\"block\"} 1",
        "hooks_dispatches_total{event=\"BeforeToolCall\",decision=\"continue\"} 2",
        "hooks_dispatches_total{event=\"\",decision=\"block\"} 1",
        "hooks_dispatch_duration_seconds_count 4",
        "hooks_breaker_open{hook=\"slow\"} 0",
        "hooks_records_dropped 0",
        "hooks_connections 1",
    ] {
        assert!(text.contains(line), "{line} is not in:\n{text}");
    }
}
