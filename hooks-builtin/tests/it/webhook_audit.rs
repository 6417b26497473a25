//! The audit against a real server that fails, hangs, closes early, redirects and comes back: every event is
//! delivered once or counted as dropped.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hooks_builtin::ssrf::Guard;
use hooks_builtin::ssrf::reqwest::dns::{Addrs, Name, Resolve, Resolving};
use hooks_builtin::{Globs, WebhookAudit, WebhookAuditConfig};
use hooks_core::agent::{
    AgentContext, ToolAnnotations, ToolCallEnd, ToolCallSkipped, ToolOutcome, ToolOutput,
};
use hooks_core::hooks;
use serde_json::{Value, json};

use crate::receiver::{Answer, Receiver, Request};

const OK: Answer = Answer::Status(200, "");
const SECRET: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

/// A configuration that does not wait long.
fn config(receiver: &Receiver) -> WebhookAuditConfig {
    WebhookAuditConfig {
        allow_loopback: vec!["127.0.0.1".parse().unwrap()],
        include_args: true,
        timeout: Duration::from_secs(10),
        retry_delay: Duration::from_millis(2),
        shutdown_timeout: Duration::from_secs(30),
        ..WebhookAuditConfig::new(receiver.url().parse().unwrap())
    }
}

fn audit(config: &WebhookAuditConfig) -> WebhookAudit {
    WebhookAudit::from_config(config).unwrap()
}

/// The call `number` of a tool is over; all that is told of it says the number.
fn call(audit: &WebhookAudit, tool: &str, number: u64) {
    hooks![].with_probe(audit).observe_now(
        &AgentContext::new("session"),
        &ToolCallEnd {
            id: "",
            name: tool,
            args: &json!({ "number": number }),
            annotations: ToolAnnotations::default(),
            output: &ToolOutput::error(number.to_string()),
            duration: Duration::from_millis(number),
            outcome: ToolOutcome::Ran,
        },
    );
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(future)
}

/// Accepted, delivered, dropped.
fn counts(audit: &WebhookAudit) -> (u64, u64, u64) {
    (audit.accepted(), audit.delivered(), audit.dropped())
}

/// The numbers of the calls that the receiver took, by the ids of their events.
fn taken(requests: &[Request]) -> HashMap<String, u64> {
    let mut taken = HashMap::new();
    for request in requests.iter().filter(|request| request.was_taken()) {
        let id = request.header("webhook-id").unwrap().to_owned();
        let number = request.json()["duration_ms"].as_u64().unwrap();
        let before = taken.insert(id, number);
        assert_eq!(before, None, "an event was taken twice");
    }
    taken
}

#[test]
fn an_event_is_posted_as_json_with_an_id_and_a_time() {
    let receiver = Receiver::start([], OK);
    let audit = audit(&config(&receiver));
    call(&audit, "shell", 7);
    block_on(audit.flush());
    assert_eq!(counts(&audit), (1, 1, 0));

    let request = &receiver.requests()[0];
    assert_eq!(request.line, "POST /hook HTTP/1.1");
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert!(request.header("webhook-id").unwrap().starts_with("msg_"));
    assert!(
        request
            .header("webhook-timestamp")
            .unwrap()
            .parse::<u64>()
            .unwrap()
            > 1_700_000_000
    );
    assert_eq!(request.header("webhook-signature"), None);
    let mut body = request.json();
    let timestamp = body["timestamp"].take();
    assert!(
        timestamp
            .as_str()
            .unwrap()
            .parse::<jiff::Timestamp>()
            .is_ok()
    );
    assert_eq!(
        body,
        json!({
            "event": "tool_call", "timestamp": null, "tool": "shell", "success": false,
            "duration_ms": 7, "error": "7", "args": { "number": 7 },
        })
    );
}

#[test]
fn only_tools_that_match_are_told_and_arguments_only_if_asked_for() {
    let receiver = Receiver::start([], OK);
    let audit = audit(&WebhookAuditConfig {
        tool_patterns: Globs::new(["shell", "mcp__*"]).unwrap(),
        include_args: false,
        ..config(&receiver)
    });
    for tool in ["read", "shell", "mcp__github", "shell2"] {
        call(&audit, tool, 1);
    }
    block_on(audit.flush());
    assert_eq!(counts(&audit), (2, 2, 0));
    let bodies: Vec<Value> = receiver.requests().iter().map(Request::json).collect();
    assert_eq!(
        bodies.iter().map(|body| &body["tool"]).collect::<Vec<_>>(),
        ["shell", "mcp__github"]
    );
    assert!(bodies.iter().all(|body| body.get("args").is_none()));
}

#[test]
fn calls_of_one_tool_that_run_at_once_never_mix() {
    let receiver = Receiver::start([], OK);
    let audit = audit(&config(&receiver));
    thread::scope(|scope| {
        for worker in 0..8 {
            let audit = &audit;
            scope.spawn(move || {
                for number in 0..25 {
                    call(audit, "shell", worker * 1000 + number);
                }
            });
        }
    });
    block_on(audit.flush());
    assert_eq!(counts(&audit), (200, 200, 0));
    let mut seen = HashSet::new();
    for request in receiver.requests() {
        let body = request.json();
        let number = body["duration_ms"].as_u64().unwrap();
        assert_eq!(body["args"], json!({ "number": number }));
        assert_eq!(body["error"], json!(number.to_string()));
        assert!(seen.insert(number));
    }
    assert_eq!(taken(&receiver.requests()).len(), 200);
}

#[test]
fn what_fails_for_a_while_is_tried_again_with_the_same_id_and_taken_once() {
    let receiver = Receiver::start(
        [
            Answer::Status(500, ""),
            Answer::Status(429, "retry-after: 0\r\n"),
            Answer::Close,
            Answer::CloseEarly,
            OK,
            Answer::Hang,
            Answer::Status(503, "retry-after: soon\r\n"),
            Answer::Slow(Duration::from_millis(50), 204),
        ],
        OK,
    );
    let audit = audit(&WebhookAuditConfig {
        secret: Some(SECRET.parse().unwrap()),
        timeout: Duration::from_secs(1),
        ..config(&receiver)
    });
    for number in 1..=3 {
        call(&audit, "shell", number);
    }
    block_on(audit.flush());
    assert_eq!(counts(&audit), (3, 3, 0));

    let requests = receiver.requests();
    let ids: Vec<&str> = requests
        .iter()
        .map(|request| request.header("webhook-id").unwrap())
        .collect();
    assert!(ids[..5].iter().all(|id| *id == ids[0]), "{ids:?}");
    assert!(ids[5..8].iter().all(|id| *id == ids[5]), "{ids:?}");
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 3);
    // All attempts of one event say the same.
    assert!(
        requests[..5]
            .iter()
            .all(|request| request.body == requests[0].body)
    );
    let mut numbers: Vec<u64> = taken(&requests).into_values().collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3]);
}

#[test]
fn what_no_other_attempt_would_change_is_dropped_at_once() {
    for answer in [
        Answer::Status(400, ""),
        Answer::Status(404, ""),
        Answer::Status(410, ""),
        Answer::Redirect("http://127.0.0.1:1/".into()),
    ] {
        let receiver = Receiver::start([answer.clone()], OK);
        let audit = audit(&config(&receiver));
        call(&audit, "shell", 1);
        call(&audit, "shell", 2);
        block_on(audit.flush());
        assert_eq!(counts(&audit), (2, 1, 1), "{answer:?}");
        assert_eq!(receiver.requests().len(), 2, "{answer:?}");
    }
}

#[test]
fn an_event_is_tried_so_often_and_then_dropped() {
    for answer in [
        Answer::Status(500, ""),
        Answer::Close,
        Answer::CloseEarly,
        Answer::CloseUnread,
        Answer::Hang,
    ] {
        let receiver = Receiver::start([], answer.clone());
        let audit = audit(&WebhookAuditConfig {
            max_attempts: 3.try_into().unwrap(),
            timeout: Duration::from_millis(500),
            ..config(&receiver)
        });
        call(&audit, "shell", 1);
        block_on(audit.flush());
        assert_eq!(counts(&audit), (1, 0, 1), "{answer:?}");
        if !matches!(answer, Answer::CloseUnread) {
            assert_eq!(receiver.requests().len(), 3, "{answer:?}");
        }
    }
}

#[test]
fn a_kept_connection_that_is_closed_costs_no_attempt() {
    let receiver = Receiver::start([OK, Answer::Close], OK);
    let audit = audit(&WebhookAuditConfig {
        max_attempts: 1.try_into().unwrap(),
        ..config(&receiver)
    });
    for number in 0..2 {
        call(&audit, "shell", number);
    }
    block_on(audit.flush());
    assert_eq!(counts(&audit), (2, 2, 0));
    let requests = receiver.requests();
    assert_eq!(requests.len(), 3);
    let id = |which: usize| requests[which].header("webhook-id");
    assert_eq!(id(1), id(2));
}

#[test]
fn a_receiver_that_closes_every_connection_may_come_back() {
    let receiver = Receiver::start([], Answer::CloseUnread);
    let audit = audit(&WebhookAuditConfig {
        max_attempts: 100_000.try_into().unwrap(),
        retry_delay: Duration::from_millis(1),
        ..config(&receiver)
    });
    for number in 0..20 {
        call(&audit, "shell", number);
    }
    thread::sleep(Duration::from_millis(100));
    assert_eq!(counts(&audit), (20, 0, 0));
    receiver.now(OK);
    // The waits have grown by now; a shutdown wakes them.
    block_on(audit.shutdown());
    assert_eq!(counts(&audit), (20, 20, 0));
    assert_eq!(taken(&receiver.requests()).len(), 20);
}

#[test]
fn where_nobody_listens_events_are_dropped_after_so_many_attempts() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!(
        "http://127.0.0.1:{}/",
        listener.local_addr().unwrap().port()
    );
    drop(listener);
    let audit = audit(&WebhookAuditConfig {
        allow_loopback: vec!["127.0.0.1".parse().unwrap()],
        retry_delay: Duration::from_millis(1),
        ..WebhookAuditConfig::new(url.parse().unwrap())
    });
    call(&audit, "shell", 1);
    block_on(audit.flush());
    assert_eq!(counts(&audit), (1, 0, 1));
}

#[test]
fn whatever_the_receiver_does_each_event_is_delivered_once_or_dropped() {
    let script = (0..200).map(|number| match number % 13 {
        0 | 7 => Answer::Status(500, ""),
        2 => Answer::Close,
        4 => Answer::Status(404, ""),
        5 => Answer::CloseEarly,
        8 if number < 30 => Answer::Hang,
        9 => Answer::Redirect("/elsewhere".into()),
        11 => Answer::Slow(Duration::from_millis(5), 200),
        12 => Answer::Status(429, "retry-after: 0\r\n"),
        _ => OK,
    });
    let receiver = Receiver::start(script, OK);
    let audit = audit(&WebhookAuditConfig {
        timeout: Duration::from_secs(3),
        max_attempts: 2.try_into().unwrap(),
        queue_events: 100.try_into().unwrap(),
        ..config(&receiver)
    });
    thread::scope(|scope| {
        for worker in 0..4 {
            let audit = &audit;
            scope.spawn(move || {
                for number in 0..50 {
                    call(audit, "shell", worker * 1000 + number);
                    thread::sleep(Duration::from_micros(500));
                }
            });
        }
    });
    block_on(audit.shutdown());
    let (accepted, delivered, dropped) = counts(&audit);
    assert_eq!((accepted, delivered + dropped), (200, 200));
    assert_eq!(taken(&receiver.requests()).len() as u64, delivered);
    assert!(delivered > 0 && dropped > 0, "{delivered} {dropped}");
}

#[test]
fn a_receiver_that_hangs_holds_up_nobody_and_the_queue_is_bounded() {
    let receiver = Receiver::start([], Answer::Hang);
    let audit = audit(&WebhookAuditConfig {
        timeout: Duration::from_hours(1),
        queue_events: 10.try_into().unwrap(),
        shutdown_timeout: Duration::from_millis(50),
        ..config(&receiver)
    });
    call(&audit, "shell", 0);
    receiver.wait_for(1);
    for number in 1..10_000 {
        call(&audit, "shell", number);
    }
    // One is in delivery, ten wait.
    assert_eq!(counts(&audit), (10_000, 0, 9_989));
    block_on(audit.shutdown());
    assert_eq!(counts(&audit), (10_000, 0, 10_000));
}

#[test]
fn the_queue_holds_so_many_bytes_and_no_more() {
    let receiver = Receiver::start([], Answer::Hang);
    let audit = audit(&WebhookAuditConfig {
        max_args_bytes: 0,
        timeout: Duration::from_mins(1),
        queue_bytes: 100_000.try_into().unwrap(),
        shutdown_timeout: Duration::ZERO,
        ..config(&receiver)
    });
    let args = json!({ "content": "x".repeat(1_000_000) });
    for _ in 0..100 {
        hooks![].with_probe(&audit).observe_now(
            &AgentContext::new("session"),
            &ToolCallEnd {
                id: "",
                name: "write",
                args: &args,
                annotations: ToolAnnotations::default(),
                output: &ToolOutput::new(""),
                duration: Duration::ZERO,
                outcome: ToolOutcome::Ran,
            },
        );
    }
    // Each is cut to a quarter, and takes a little more.
    let (accepted, delivered, dropped) = counts(&audit);
    assert_eq!((accepted, delivered), (100, 0));
    assert!((96..100).contains(&dropped), "{dropped}");
}

#[test]
fn long_arguments_are_cut_on_a_character_boundary_and_marked() {
    let receiver = Receiver::start([], OK);
    let audit = audit(&WebhookAuditConfig {
        max_args_bytes: 49,
        ..config(&receiver)
    });
    hooks![].with_probe(&audit).observe_now(
        &AgentContext::new("session"),
        &ToolCallEnd {
            id: "1",
            name: "write",
            args: &json!({ "content": "漢字".repeat(100) }),
            annotations: ToolAnnotations::default(),
            output: &ToolOutput::new("done"),
            duration: Duration::ZERO,
            outcome: ToolOutcome::Ran,
        },
    );
    block_on(audit.flush());
    let body = receiver.requests()[0].json();
    assert_eq!(
        body["args"],
        json!(r#"{"content":"漢字漢字漢字漢...[truncated]"#)
    );
    assert!(body["args"].as_str().unwrap().len() <= 49);
    assert_eq!(
        (&body["success"], &body["error"]),
        (&json!(true), &Value::Null)
    );
}

#[test]
fn requests_are_signed_and_each_attempt_again() {
    let receiver = Receiver::start([Answer::Status(500, "")], OK);
    let audit = audit(&WebhookAuditConfig {
        secret: Some(SECRET.parse().unwrap()),
        ..config(&receiver)
    });
    call(&audit, "shell", 1);
    block_on(audit.flush());
    let key = STANDARD
        .decode(SECRET.strip_prefix("whsec_").unwrap())
        .unwrap();
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &key);
    let requests = receiver.requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        let header = |name| request.header(name).unwrap();
        let mut signed =
            format!("{}.{}.", header("webhook-id"), header("webhook-timestamp")).into_bytes();
        signed.write_all(&request.body).unwrap();
        let signature = header("webhook-signature").strip_prefix("v1,").unwrap();
        ring::hmac::verify(&key, &signed, &STANDARD.decode(signature).unwrap()).unwrap();
        signed.push(b' ');
        assert!(ring::hmac::verify(&key, &signed, &STANDARD.decode(signature).unwrap()).is_err());
    }
}

#[test]
fn what_is_queued_when_the_last_handle_goes_is_delivered() {
    let receiver = Receiver::start([], Answer::Slow(Duration::from_millis(5), 200));
    let first = audit(&config(&receiver));
    let second = first.clone();
    for number in 0..10 {
        call(&first, "shell", number);
    }
    drop(first);
    call(&second, "shell", 10);
    drop(second);
    assert_eq!(taken(&receiver.requests()).len(), 11);
}

#[test]
fn the_last_handle_waits_no_longer_than_it_is_told() {
    let receiver = Receiver::start([], Answer::Hang);
    let audit = audit(&WebhookAuditConfig {
        timeout: Duration::from_hours(1),
        shutdown_timeout: Duration::from_millis(100),
        ..config(&receiver)
    });
    call(&audit, "shell", 1);
    receiver.wait_for(1);
    drop(audit);
}

#[test]
fn after_a_shutdown_calls_are_dropped_and_nothing_hangs() {
    let receiver = Receiver::start([], OK);
    let audit = audit(&config(&receiver));
    call(&audit, "shell", 1);
    block_on(audit.shutdown());
    call(&audit, "shell", 2);
    block_on(async {
        audit.flush().await;
        audit.shutdown().await;
    });
    assert_eq!(counts(&audit), (2, 1, 1));
}

#[test]
fn nothing_of_the_thread_is_left_behind() {
    let receiver = Receiver::start([], Answer::Hang);
    let config = WebhookAuditConfig {
        shutdown_timeout: Duration::ZERO,
        timeout: Duration::from_hours(1),
        ..config(&receiver)
    };
    let resolver = Arc::new(Rebinds(AtomicUsize::new(0)));
    let guard = Guard::new().with_resolver(Shared(Arc::clone(&resolver)));
    let audit = WebhookAudit::with_guard(&config, guard).unwrap();
    call(&audit, "shell", 1);
    receiver.wait_for(1);
    assert_eq!(Arc::strong_count(&resolver), 2);
    drop(audit);
    assert_eq!(Arc::strong_count(&resolver), 1);
}

#[test]
fn it_works_under_an_executor_of_one_thread_that_is_busy() {
    let receiver = Receiver::start([], OK);
    let audit = audit(&config(&receiver));
    block_on(async {
        call(&audit, "shell", 1);
        // The agent never yields, and the event comes all the same.
        receiver.wait_for(1);
        audit.flush().await;
    });
    assert_eq!(counts(&audit), (1, 1, 0));
}

struct Rebinds(AtomicUsize);

impl Resolve for Rebinds {
    fn resolve(&self, _: Name) -> Resolving {
        let address: [u8; 4] = match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => [127, 0, 0, 1],
            _ => [10, 0, 0, 1],
        };
        Box::pin(
            async move { Ok(Box::new(std::iter::once(SocketAddr::from((address, 0)))) as Addrs) },
        )
    }
}

#[test]
fn a_name_that_leads_elsewhere_later_is_not_called_and_not_tried_again() {
    let receiver = Receiver::start([], Answer::Status(200, "connection: close\r\n"));
    let url = format!("http://rebinds.test:{}/", receiver.address.port());
    let config = WebhookAuditConfig {
        allow_loopback: vec!["rebinds.test".parse().unwrap()],
        url: Some(url.parse().unwrap()),
        ..config(&receiver)
    };
    let asked = Arc::new(Rebinds(AtomicUsize::new(0)));
    let audit = WebhookAudit::with_guard(
        &config,
        Guard::new().with_resolver(Shared(Arc::clone(&asked))),
    )
    .unwrap();
    call(&audit, "shell", 1);
    call(&audit, "shell", 2);
    block_on(audit.flush());
    assert_eq!(counts(&audit), (2, 1, 1));
    assert_eq!(
        (asked.0.load(Ordering::SeqCst), receiver.connections()),
        (2, 1)
    );
}

struct Shared(Arc<Rebinds>);

impl Resolve for Shared {
    fn resolve(&self, name: Name) -> Resolving {
        self.0.resolve(name)
    }
}

#[test]
fn a_url_that_is_not_allowed_is_an_error_when_the_hook_is_made() {
    for (url, says) in [
        (
            "https://10.0.0.1/",
            "`webhook_audit.url` is refused: `10.0.0.1` is private (10.0.0.0/8)",
        ),
        (
            "http://example.com/",
            "`webhook_audit.url` is refused: a URL must begin with `https://`",
        ),
        (
            "https://metadata.google.internal/",
            "`webhook_audit.url` is refused: `metadata.google.internal` is a name",
        ),
    ] {
        let error = WebhookAudit::new(url).unwrap_err().to_string();
        assert!(error.starts_with(says), "{error}");
    }
    for (key, config) in [
        (
            "timeout",
            WebhookAuditConfig {
                timeout: Duration::ZERO,
                ..example()
            },
        ),
        (
            "retry_delay",
            WebhookAuditConfig {
                retry_delay: Duration::ZERO,
                ..example()
            },
        ),
    ] {
        assert_eq!(WebhookAudit::from_config(&config).unwrap_err().key(), key);
    }
}

fn example() -> WebhookAuditConfig {
    WebhookAuditConfig::new("https://example.com/T0KEN".parse().unwrap())
}

#[test]
fn no_secret_is_shown() {
    let config = WebhookAuditConfig {
        secret: Some(SECRET.parse().unwrap()),
        ..example()
    };
    let audit = audit(&config);
    for shown in [
        format!("{config:?} {audit:?}"),
        format!("{config:#?} {audit:#?}"),
    ] {
        assert!(
            !shown.contains("C2FV") && !shown.contains("T0KEN"),
            "{shown}"
        );
    }
}

#[test]
fn a_call_that_was_skipped_is_no_event() {
    let receiver = Receiver::start([], OK);
    let audit = audit(&config(&receiver));
    hooks![].with_probe(&audit).observe_now(
        &AgentContext::new("session"),
        &ToolCallSkipped {
            id: "1",
            name: "shell",
            args: &json!({}),
            annotations: ToolAnnotations::default(),
            by: "SecurityPolicy",
            reason: "no",
        },
    );
    block_on(audit.flush());
    assert_eq!(audit.accepted(), 0);
}
