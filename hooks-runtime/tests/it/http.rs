//! Hooks that post to an endpoint: what they send, what their answers do, and every way to fail.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{Reply, Server};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use expect_test::expect;
use hooks_builtin::ssrf::Guard;
use hooks_core::agent::{
    AgentContext, BeforeToolCall, ToolAnnotations, ToolCallEnd, ToolOutcome, ToolOutput,
};
use hooks_core::{HookResult, hooks};
use hooks_runtime::{RecordOutcome, RecordStep, Records, Runtime, RuntimeBuilder};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use ring::hmac;
use serde_json::json;

const SECRET: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

/// A runtime with one hook on `BeforeToolCall`, and what it records.
async fn build(builder: RuntimeBuilder, http: &str, more: &str) -> (Runtime, Records) {
    let records = Records::latest(100);
    let text = format!(
        "[[hooks.on]]\nname = 'gate'\nevent = 'BeforeToolCall'\nhttp = {{ {http} }}\n{more}"
    );
    let runtime = builder
        .text(text)
        .recorder(records.clone())
        .build()
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    (runtime, records)
}

async fn gate(server: &Server, more: &str) -> (Runtime, Records) {
    let http = format!("url = '{}', allow_loopback = ['127.0.0.1']", server.url());
    build(Runtime::builder(), &http, more).await
}

async fn call(runtime: &Runtime) -> HookResult<BeforeToolCall> {
    let mut call = BeforeToolCall::new("call 1", "shell", json!({ "command": "ls" }));
    let cx = AgentContext::new("s1");
    hooks![..runtime.clone()].intercept(&cx, &mut call).await
}

/// What a hook's failure is recorded as. It has blocked the call.
async fn fault(runtime: &Runtime, records: &Records) -> RecordStep {
    let result = call(runtime).await;
    let cancel = result.as_cancel().expect("a failure blocks");
    assert_eq!(cancel.hook, "gate");
    let record = records.steps().pop().expect("it is recorded");
    assert_eq!(record.outcome, RecordOutcome::Fault);
    assert!(cancel.reason.contains(record.reason.as_deref().unwrap()));
    record
}

#[tokio::test]
async fn the_event_is_posted_and_the_answer_decides() {
    let answer = json!({ "decision": "block", "reason": "not today" });
    let server = Server::always(Reply::json(&answer)).await;
    let (runtime, records) = gate(&server, "").await;
    let result = call(&runtime).await;
    assert_eq!(result.as_cancel().unwrap().reason, "not today");
    assert_eq!(records.steps()[0].outcome, RecordOutcome::Block);
    let request = &server.requests()[0];
    assert!(request.head.starts_with("POST /hook HTTP/1.1\r\n"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("accept-encoding"), None);
    assert_eq!(request.header("webhook-signature"), None);
    let input = request.json();
    assert_eq!(input["hook_event_name"], "BeforeToolCall");
    assert_eq!(input["tool_name"], "shell");
    assert_eq!(input["tool_input"], json!({ "command": "ls" }));
}

#[tokio::test]
async fn an_empty_answer_lets_the_event_go_on_and_the_connection_is_kept() {
    let server = Server::always(Reply::Status(204, String::new())).await;
    let (runtime, _) = gate(&server, "").await;
    for _ in 0..3 {
        assert!(call(&runtime).await.is_continue());
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests.iter().all(|request| request.connection == 0));
    let ids: Vec<_> = requests
        .iter()
        .map(|request| request.header("webhook-id").unwrap())
        .collect();
    assert!(ids[0] != ids[1] && ids[1] != ids[2]);
}

#[tokio::test]
async fn an_observed_event_is_posted_beside_the_agent() {
    let server = Server::always(Reply::Status(200, "{}".into())).await;
    let text = format!(
        "[[hooks.on]]\nevent = 'ToolCallEnd'\nhttp = {{ url = '{}', allow_loopback = ['127.0.0.1:{}'] }}",
        server.url(),
        server.port
    );
    let runtime = Runtime::builder().text(text).build().await.unwrap();
    let ended = ToolCallEnd {
        id: "1",
        name: "shell",
        args: &json!({}),
        annotations: ToolAnnotations::default(),
        output: &ToolOutput::new("done"),
        duration: std::time::Duration::from_millis(3),
        outcome: ToolOutcome::Ran,
    };
    hooks![..runtime.clone()]
        .observe(&AgentContext::new("s1"), &ended)
        .await;
    runtime.shutdown().await;
    assert_eq!(
        server.requests()[0].json()["tool_response"]["content"],
        "done"
    );
}

#[tokio::test]
async fn values_are_filled_in_and_shown_nowhere() {
    let server = Server::always(Reply::Status(403, String::new())).await;
    let http = format!(
        "url = '{}?token=t0ken', allow_loopback = ['127.0.0.1'], secret = 'secret:hook', \
         headers = {{ Authorization = 'Bearer ${{secret:gate}}', X-From = '$CARGO_PKG_NAME' }}",
        server.url()
    );
    let secrets = [("gate", "s3cret"), ("hook", SECRET)];
    struct Known([(&'static str, &'static str); 2]);
    impl hooks_runtime::Secrets for Known {
        fn secret(&self, name: &str) -> Option<String> {
            let found = self.0.iter().find(|(known, _)| *known == name)?;
            Some(found.1.to_owned())
        }
    }
    let builder = Runtime::builder().secrets(Known(secrets));
    let (runtime, records) = build(builder, &http, "").await;
    let record = fault(&runtime, &records).await;
    let request = &server.requests()[0];
    assert_eq!(request.header("authorization"), Some("Bearer s3cret"));
    assert_eq!(
        request.header("x-from"),
        std::env::var("CARGO_PKG_NAME").ok().as_deref()
    );
    let shown = format!("{:?} {record:?} {runtime:?}", runtime.status());
    for hidden in ["s3cret", "C2FV", "t0ken"] {
        assert!(!shown.contains(hidden), "{hidden}: {shown}");
    }
    // Who has the secret can tell that the request is genuine.
    let header = |name| request.header(name).unwrap();
    let (id, time) = (header("webhook-id"), header("webhook-timestamp"));
    let signature = header("webhook-signature").strip_prefix("v1,").unwrap();
    let signature = BASE64_STANDARD.decode(signature).unwrap();
    let key = BASE64_STANDARD.decode(&SECRET["whsec_".len()..]).unwrap();
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
    let verify = |body: &[u8]| {
        let signed = [format!("{id}.{time}.").as_bytes(), body].concat();
        hmac::verify(&key, &signed, &signature)
    };
    assert!(verify(&request.body).is_ok() && verify(b"{}").is_err());
}

#[tokio::test]
async fn what_an_endpoint_repeats_of_a_request_is_hidden() {
    struct Known;
    impl hooks_runtime::Secrets for Known {
        fn secret(&self, name: &str) -> Option<String> {
            (name == "gate").then(|| "c4nary/7".to_owned())
        }
    }
    let escaped = r#"{"decision": "block", "reason": "Bearer c4nary\/7 is \u0063\u0034nary/7"}"#;
    for (status, body) in [
        (200, escaped.to_owned()),
        (200, json!({ "decision": "c4nary/7" }).to_string()),
        (
            200,
            json!({ "decision": { "c4nary/7": ["c4nary/7"] } }).to_string(),
        ),
        (
            200,
            json!({ "systemMessage": "c4nary/7", "decision": "block" }).to_string(),
        ),
        (200, "c4nary/7 is no JSON".to_owned()),
    ] {
        let server = Server::always(Reply::Status(status, body.clone())).await;
        let http = format!(
            "url = '{}', allow_loopback = ['127.0.0.1'], headers = {{ Authorization = 'Bearer ${{secret:gate}}' }}",
            server.url()
        );
        let (runtime, records) = build(Runtime::builder().secrets(Known), &http, "").await;
        let result = call(&runtime).await;
        let shown = format!("{result:?} {:?} {:?}", records.steps(), runtime.status());
        assert_eq!(
            server.requests()[0].header("authorization"),
            Some("Bearer c4nary/7")
        );
        assert!(!shown.contains("c4nary"), "{body}: {shown}");
        assert!(result.as_cancel().is_some(), "{body}");
    }
}

async fn mistake(http: &str) -> String {
    let text = format!("[[hooks.on]]\nevent = 'BeforeToolCall'\n[hooks.on.http]\n{http}");
    let built = Runtime::builder().text(text).build().await;
    built.map(|_| ()).unwrap_err().to_string()
}

#[tokio::test]
async fn mistakes_are_shown_where_they_are() {
    let error = mistake(
        "url = 'https://gate.example.com/'\nheaders = { A = 'x', Authorization = '$HOOKS_NO_SUCH_THING' }",
    )
    .await;
    expect![[r"
        5:38: the environment variable `HOOKS_NO_SUCH_THING` is not set
          |
        5 | headers = { A = '*', Authorization = '$HOOKS_NO_SUCH_THING' }
          |                                      ^^^^^^^^^^^^^^^^^^^^^^
          = help: set `HOOKS_NO_SUCH_THING` where your agent starts, or write `secret:HOOKS_NO_SUCH_THING` for a value that your program knows"]]
    .assert_eq(&error);
    let error = mistake("url = 'http://127.0.0.1:9/token/abc'").await;
    expect![[r"
        4:7: the URL is refused: a URL must begin with `https://`: `http://` is only for the hosts that `allow_loopback` lists, and `127.0.0.1` is not among them
          |
        4 | url = 'http://127.0.0.1:9/*********'
          |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          = help: write an `https://` URL of a public host, or name a host of this machine in `allow_loopback`"]]
    .assert_eq(&error);
    let error = mistake("url = 'https://gate.example.com/'\nsecret = 'secret:nobody'").await;
    assert!(
        error.contains("5:10: there is no secret `nobody`"),
        "{error}"
    );
    assert!(error.contains("HOOKS_SECRET_nobody"), "{error}");
    let error = mistake("url = 'https://gate.example.com/'\nsecret = 'abc'").await;
    assert!(
        error.contains("whsec_") && error.contains("openssl"),
        "{error}"
    );
    let error = mistake("url = 'https://gate.example.com/'\nheaders = { Host = 'x' }").await;
    assert!(error.contains("`Host` cannot be set"), "{error}");
    let error = mistake("url = 'https://gate.example.com/'\nheaders = { 'a b' = 'x' }").await;
    assert!(
        error.contains("`a b` is not a valid name of a header"),
        "{error}"
    );
    let error = mistake("url = 'https://169.254.169.254/latest'").await;
    assert!(error.contains("metadata"), "{error}");
}

#[tokio::test]
async fn an_endpoint_that_hangs_is_a_timeout() {
    let server = Server::always(Reply::Hang).await;
    let (runtime, records) = gate(&server, "timeout = '300ms'").await;
    assert_eq!(
        fault(&runtime, &records).await.why,
        "the handler took too long"
    );
}

#[tokio::test]
async fn one_that_resets_is_tried_once_more() {
    let server = Server::always(Reply::Reset).await;
    let (runtime, records) = gate(&server, "").await;
    let record = fault(&runtime, &records).await;
    assert_eq!(record.why, "the handler could not be started");
    assert_eq!(server.requests().len(), 2);
}

/// The endpoint closes a connection that was kept, when the next request comes.
#[tokio::test]
async fn a_kept_connection_that_is_closed_costs_no_attempt() {
    let server = Server::start(|which, _| match which {
        1 => Reply::Reset,
        _ => Reply::Status(200, "{}".into()),
    })
    .await;
    let http = format!(
        "url = '{}', allow_loopback = ['127.0.0.1'], retries = 0",
        server.url()
    );
    let (runtime, _) = build(Runtime::builder(), &http, "").await;
    for _ in 0..2 {
        assert!(call(&runtime).await.is_continue());
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    assert_eq!(
        requests[1].header("webhook-id"),
        requests[2].header("webhook-id")
    );
}

#[tokio::test]
async fn one_that_fails_and_then_answers_has_answered() {
    let server = Server::start(|which, _| match which {
        0 => Reply::Status(500, "{\"decision\":\"block\"}".into()),
        _ => Reply::Status(200, "{}".into()),
    })
    .await;
    let (runtime, _) = gate(&server, "").await;
    assert!(call(&runtime).await.is_continue());
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    // So the endpoint can tell that it is the same event.
    assert_eq!(
        requests[0].header("webhook-id"),
        requests[1].header("webhook-id")
    );
}

#[tokio::test]
async fn one_that_fails_again_and_again_is_a_fault() {
    let server = Server::always(Reply::Status(503, "{}".into())).await;
    let http = format!(
        "url = '{}', allow_loopback = ['127.0.0.1'], retries = 0",
        server.url()
    );
    let (runtime, records) = build(Runtime::builder(), &http, "").await;
    let record = fault(&runtime, &records).await;
    assert!(record.reason.unwrap().contains("503"));
    assert_eq!(server.requests().len(), 1);
    let (runtime, _) = build(Runtime::builder(), &http, "on_failure = 'skip'").await;
    assert!(call(&runtime).await.is_continue());
}

#[tokio::test]
async fn what_another_attempt_would_not_change_is_not_tried_again() {
    for (reply, why, reason) in [
        (
            Reply::Status(404, "{\"decision\":\"allow\"}".into()),
            "the handler failed",
            "404",
        ),
        (
            Reply::Bytes(
                b"HTTP/1.1 302 X\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n"
                    .to_vec(),
            ),
            "the handler failed",
            "redirects are not followed",
        ),
        (
            Reply::Status(200, "all is well".into()),
            "the handler's answer is invalid",
            "JSON",
        ),
        (
            Reply::Bytes(
                b"HTTP/1.1 200 X\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc"
                    .to_vec(),
            ),
            "the handler's answer is invalid",
            "compressed (gzip)",
        ),
        (
            Reply::Bytes(b"HTTP/1.1 200 X\r\ncontent-length: 1048577\r\n\r\n".to_vec()),
            "the handler's answer is invalid",
            "longer than 1 MiB",
        ),
        (
            Reply::Endless,
            "the handler's answer is invalid",
            "longer than 1 MiB",
        ),
    ] {
        let server = Server::always(reply.clone()).await;
        let (runtime, records) = gate(&server, "").await;
        let record = fault(&runtime, &records).await;
        assert_eq!(record.why, why, "{reply:?}");
        assert!(
            record.reason.as_ref().unwrap().contains(reason),
            "{record:?}"
        );
        assert_eq!(server.requests().len(), 1, "{reply:?}");
    }
}

/// Leads to loopback at first, and then into the network.
struct Rebinding(Arc<AtomicUsize>);

impl Resolve for Rebinding {
    fn resolve(&self, _: Name) -> Resolving {
        let address = match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => IpAddr::V4(Ipv4Addr::LOCALHOST),
            _ => IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)),
        };
        let addresses: Addrs = Box::new(std::iter::once(SocketAddr::new(address, 0)));
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

#[tokio::test]
async fn a_name_that_leads_elsewhere_the_second_time_is_refused() {
    let answer = b"HTTP/1.1 200 X\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}";
    let server = Server::always(Reply::Bytes(answer.to_vec())).await;
    let look_ups = Arc::<AtomicUsize>::default();
    let guard = Guard::new().with_resolver(Rebinding(Arc::clone(&look_ups)));
    let http = format!(
        "url = 'http://localhost:{}/hook', allow_loopback = ['localhost']",
        server.port
    );
    let (runtime, records) = build(Runtime::builder().guard(guard), &http, "").await;
    assert!(call(&runtime).await.is_continue());
    let record = fault(&runtime, &records).await;
    assert_eq!(record.why, "the handler could not be started");
    assert!(record.reason.unwrap().contains("leads to another machine"));
    assert_eq!(look_ups.load(Ordering::SeqCst), 2);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn many_agents_ask_at_once_and_each_gets_its_own_answer() {
    let server = Server::start(|_, request| {
        let input = request.json();
        let session = input["session_id"].as_str().unwrap();
        Reply::json(&json!({ "decision": "block", "reason": format!("not {session}") }))
    })
    .await;
    let (runtime, _) = gate(&server, "").await;
    let mut asked = tokio::task::JoinSet::new();
    for number in 0..64 {
        let runtime = runtime.clone();
        asked.spawn(async move {
            let cx = AgentContext::new(format!("s{number}"));
            let mut call = BeforeToolCall::new("1", "shell", json!({}));
            let result = hooks![..runtime].intercept(&cx, &mut call).await;
            assert_eq!(result.as_cancel().unwrap().reason, format!("not s{number}"));
        });
    }
    assert_eq!(asked.join_all().await.len(), 64);
}

#[tokio::test]
async fn all_that_is_wrong_with_an_endpoint_is_told_at_once() {
    let text = "[[hooks.on]]\nevent = 'BeforeToolCall'\nhttp = { url = 'gate.example.com/x', secret = 'hunter2', \
                headers = { Host = 'a', 'b c' = 'd' } }";
    let error = Runtime::builder().text(text).shared(true).build().await;
    let error = error.err().unwrap();
    let mut paths: Vec<_> = error
        .mistakes()
        .map(hooks_runtime::ConfigError::path)
        .collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            "hooks.on[0].http.headers.Host",
            "hooks.on[0].http.headers.b c",
            "hooks.on[0].http.secret",
            "hooks.on[0].http.url"
        ]
    );
}
