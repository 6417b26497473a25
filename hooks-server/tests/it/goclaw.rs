//! GoClaw's WebSocket: its own requests, letter for letter.

use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use hooks_builtin::ssrf::Guard;
use hooks_server::ServerBuilder;
use hooks_store::{By, Capabilities, Role, Store};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::common::{Stored, claude, stored, stored_with};

pub(crate) struct Socket {
    pub(crate) stream: WebSocketStream<TcpStream>,
    pub(crate) events: Vec<Value>,
}

impl Socket {
    /// A socket on which nobody has said who it is.
    pub(crate) async fn unknown(stored: &Stored) -> Self {
        let tcp = TcpStream::connect(stored.daemon.address).await.unwrap();
        let address = format!("ws://{}/ws", stored.daemon.address);
        let (stream, _) = tokio_tungstenite::client_async(address, tcp).await.unwrap();
        Socket {
            stream,
            events: Vec::new(),
        }
    }

    pub(crate) async fn open(stored: &Stored, token: &str) -> Self {
        let mut socket = Socket::unknown(stored).await;
        let said = socket.ask(json!({ "type": "req", "id": "0", "method": "connect", "params": { "token": token } })).await;
        assert_eq!(said["ok"], !token.is_empty(), "{said}");
        socket
    }

    pub(crate) async fn next(&mut self) -> Value {
        loop {
            let next = tokio::time::timeout(Duration::from_mins(5), self.stream.next()).await;
            if let Message::Text(text) = next.unwrap().unwrap().unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    /// Sends a frame, and returns the answer to it.
    async fn ask(&mut self, frame: Value) -> Value {
        self.stream
            .send(Message::text(frame.to_string()))
            .await
            .unwrap();
        loop {
            let said = self.next().await;
            if said["type"] == "res" {
                assert_eq!(said["id"], frame["id"]);
                return said;
            }
            self.events.push(said);
        }
    }

    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Value {
        self.ask(json!({ "type": "req", "id": "9", "method": method, "params": params }))
            .await
    }
}

/// The rows of the page that documents GoClaw's hooks.
fn rows() -> [Value; 3] {
    [
        json!({ "event": "pre_tool_use", "handler_type": "http", "scope": "tenant", "name": "Safety webhook",
            "matcher": "^exec$", "config": { "url": "https://safety.internal/check" } }),
        json!({ "handler_type": "command", "event": "pre_tool_use", "scope": "tenant",
            "config": { "command": "bash /path/to/script.sh", "allowed_env_vars": ["MY_VAR"], "cwd": "/workspace" } }),
        json!({ "handler_type": "http", "event": "user_prompt_submit", "scope": "tenant",
            "config": { "url": "https://example.com/webhook", "headers": { "Authorization": "Bearer canary-51c0" } } }),
    ]
}

#[tokio::test]
async fn the_methods_do_what_goclaws_clients_expect() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    let mut socket = Socket::open(&stored, &owner.token).await;
    let mut ids = Vec::new();
    for row in rows() {
        let said = socket
            .ask(json!({ "type": "req", "id": "1", "method": "hooks.create", "params": row }))
            .await;
        assert_eq!(said["ok"], true, "{said}");
        ids.push(said["payload"]["hookId"].as_str().unwrap().to_owned());
    }
    let listed = socket.call("hooks.list", json!({})).await;
    let hooks = listed["payload"]["hooks"].as_array().unwrap().clone();
    for (row, (hook, id)) in rows().iter().zip(hooks.iter().zip(&ids)) {
        assert_eq!(hook["id"], **id);
        for (key, value) in row.as_object().unwrap() {
            if value["headers"].is_null() {
                assert_eq!(&hook[key], value, "{key}: {hook}");
            }
        }
        assert_eq!(
            (&hook["enabled"], &hook["timeout_ms"], &hook["version"]),
            (&json!(true), &json!(5000), &json!(1))
        );
    }
    assert!(!listed.to_string().contains("canary-51c0"), "{listed}");
    let listed = socket
        .call("hooks.list", json!({ "event": "user_prompt_submit" }))
        .await;
    assert_eq!(listed["payload"]["hooks"].as_array().unwrap().len(), 1);

    // A write is in force at once.
    let bundle = owner.get("/bundle").await.json();
    assert_eq!(bundle["hooks"].as_array().unwrap().len(), 3, "{bundle}");
    let said = socket.ask(json!({ "type": "req", "id": "2", "method": "hooks.toggle", "params": { "hookId": ids[0], "enabled": false } })).await;
    assert_eq!(
        said["payload"],
        json!({ "hookId": ids[0], "enabled": false }),
        "{said}"
    );
    let said = socket.call("hooks.update", json!({ "hookId": ids[0], "updates": { "matcher": "^shell$", "version": 99, "tenant_id": null } })).await;
    assert_eq!(said["payload"], json!({ "hookId": ids[0] }), "{said}");
    let row = &socket.call("hooks.list", json!({ "enabled": false })).await["payload"]["hooks"][0];
    assert_eq!(
        (&row["matcher"], &row["version"]),
        (&json!("^shell$"), &json!(3))
    );
    let said = socket
        .call("hooks.delete", json!({ "hookId": ids[0] }))
        .await;
    assert_eq!(said["payload"], json!({ "hookId": ids[0] }), "{said}");

    for (method, params) in [
        ("hooks.create", json!({ "event": "pre_tool_use" })),
        (
            "hooks.create",
            json!({ "event": "lunch", "handler_type": "http", "scope": "tenant", "config": { "url": "https://a.example" } }),
        ),
        (
            "hooks.create",
            json!({ "event": "pre_tool_use", "handler_type": "http", "scope": "tenant", "matcher": "(", "config": { "url": "https://a.example" } }),
        ),
        ("hooks.toggle", json!({ "hookId": ids[0], "enabled": true })),
        ("hooks.update", json!({ "updates": {} })),
        ("hooks.nothing", json!({})),
    ] {
        let said = socket.call(method, params.clone()).await;
        assert_eq!(
            (&said["ok"], &said["error"]["code"]),
            (&json!(false), &json!("INVALID_REQUEST")),
            "{method} {params}: {said}"
        );
    }
    let rows = owner.get("/hooks").await.json();
    assert_eq!(
        rows["items"].as_array().unwrap().len(),
        2,
        "what is refused leaves nothing: {rows}"
    );
}

#[tokio::test]
async fn who_does_not_connect_does_not_stay() {
    let stored = stored().await;
    let mut socket = Socket::unknown(&stored).await;
    let began = tokio::time::Instant::now();
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(9)).await;
    // While the store is asked, nobody turns the clock.
    tokio::time::resume();
    let said = socket.call("connect", json!({ "token": "hks_no" })).await;
    assert_eq!(said["ok"], false, "{said}");
    tokio::time::pause();
    socket.stream.count().await;
    let stayed = began.elapsed();
    assert!(
        stayed < Duration::from_secs(19),
        "a wrong token gave time: {stayed:?}"
    );
}

#[tokio::test]
async fn a_list_has_the_global_hooks_and_pages() {
    let stored = stored().await;
    let all = stored.client("", "owner").await;
    let mut global = Socket::open(&stored, &all.token).await;
    let mut row = rows()[0].clone();
    row["scope"] = "global".into();
    let said = global.call("hooks.create", row).await;
    assert_eq!(said["ok"], true, "{said}");
    let id = said["payload"]["hookId"].clone();
    let owner = stored.client("acme", "owner").await;
    let mut socket = Socket::open(&stored, &owner.token).await;
    for (count, row) in rows().into_iter().enumerate() {
        let listed = socket.call("hooks.list", json!({})).await;
        let hooks = listed["payload"]["hooks"].as_array().unwrap();
        assert_eq!(hooks.len(), 1 + count, "each write shows at once: {listed}");
        let said = socket.call("hooks.create", row).await;
        assert_eq!(said["ok"], true, "{said}");
    }
    let page = async |socket: &mut Socket, cursor: &Value| {
        let said = socket
            .call("hooks.list", json!({ "limit": 3, "cursor": cursor }))
            .await;
        let count = said["payload"]["hooks"].as_array().unwrap().len();
        (count, said["payload"]["next"].clone())
    };
    let (first, next) = page(&mut socket, &Value::Null).await;
    assert_eq!((first, &next), (3, &json!(3)));
    assert_eq!(page(&mut socket, &next).await, (1, Value::Null));
    let said = socket
        .call("hooks.list", json!({ "scope": "global" }))
        .await;
    assert_eq!(said["payload"]["hooks"][0]["id"], id);
    let said = socket.call("hooks.delete", json!({ "hookId": id })).await;
    assert_eq!(said["ok"], false, "it is another tenant's: {said}");
}

#[tokio::test]
async fn a_client_that_is_told_of_events_can_write_meanwhile() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    let mut socket = Socket::open(&stored, &owner.token).await;
    let said = socket.call("hooks.create", rows()[0].clone()).await;
    let id = &said["payload"]["hookId"];
    // Each write lets the events ask for the token again, while the next request asks, too.
    for round in 0..60 {
        let change = json!({ "hookId": id, "enabled": round % 2 == 0 });
        assert_eq!(socket.call("hooks.toggle", change).await["ok"], true);
    }
}

#[tokio::test]
async fn a_write_that_cannot_be_published_is_undone() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    let mut socket = Socket::open(&stored, &owner.token).await;
    let said = socket.call("hooks.create", rows()[0].clone()).await;
    let id = &said["payload"]["hookId"];
    // A hook of the draft has lost its secret, so the draft has a mistake.
    owner
        .send("PUT", "/secrets/gate", "", &json!({ "value": "s3cret" }))
        .await;
    let uses = json!({ "name": "uses", "event": "BeforeToolCall",
        "http": { "url": "https://gate.example.com/", "headers": { "A": "${secret:gate}" } } });
    assert_eq!(owner.post("/hooks", &uses).await.status, 201);
    owner
        .send("DELETE", "/secrets/gate", "", &Value::Null)
        .await;
    let before = socket.call("hooks.list", json!({})).await;
    let row = |said: &Value| said["payload"]["hooks"][0]["matcher"].clone();
    for (method, params) in [
        ("hooks.create", rows()[1].clone()),
        ("hooks.toggle", json!({ "hookId": id, "enabled": false })),
        (
            "hooks.update",
            json!({ "hookId": id, "updates": { "matcher": "^x$" } }),
        ),
        ("hooks.delete", json!({ "hookId": id })),
    ] {
        let said = socket.call(method, params).await;
        assert_eq!(said["ok"], false, "{method}: {said}");
        let after = socket.call("hooks.list", json!({})).await;
        let count = |said: &Value| said["payload"]["hooks"].as_array().unwrap().len();
        assert_eq!(
            (count(&after), row(&after)),
            (count(&before), row(&before)),
            "{method}"
        );
        assert_eq!(after["payload"]["hooks"][0]["enabled"], true, "{method}");
    }
}

#[tokio::test]
async fn rights_are_those_of_the_token() {
    let stored = stored().await;
    let mut nobody = Socket::open(&stored, "").await;
    let said = nobody.call("hooks.list", json!({})).await;
    assert_eq!(said["error"]["code"], "UNAUTHORIZED", "{said}");
    let viewer = stored.client("acme", "viewer").await;
    let mut viewer = Socket::open(&stored, &viewer.token).await;
    assert_eq!(viewer.call("hooks.list", json!({})).await["ok"], true);
    let said = viewer.call("hooks.create", rows()[0].clone()).await;
    assert_eq!(said["error"]["code"], "UNAUTHORIZED", "{said}");
    let owner = stored.client("acme", "owner").await;
    let mut owner = Socket::open(&stored, &owner.token).await;
    for key in [("tenant_id", "other"), ("scope", "global")] {
        let mut row = rows()[0].clone();
        row[key.0] = key.1.into();
        let said = owner.call("hooks.create", row).await;
        assert_eq!(said["error"]["code"], "UNAUTHORIZED", "{said}");
    }
}

#[tokio::test]
async fn a_test_shows_what_the_handler_said() {
    let here = Guard::new().allow_loopback(["127.0.0.1".parse().unwrap()]);
    let set = |server: ServerBuilder| server.runtime(move |runtime| runtime.guard(here.clone()));
    let stored = stored_with(Capabilities::all(), set).await;
    let endpoint = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/check", endpoint.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = endpoint.accept().await.unwrap();
            let mut asked = [0; 4096];
            let _ = stream.read(&mut asked).await;
            let said = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n";
            let _ = stream.write_all(said).await;
        }
    });
    let publisher = stored.client("acme", "publisher").await;
    let mut socket = Socket::open(&stored, &publisher.token).await;
    let mut test = async |kind: &str, config: Value| {
        let said = socket.call("hooks.test", json!({
            "config": { "event": "pre_tool_use", "handler_type": kind, "scope": "tenant", "config": config },
            "sampleEvent": { "toolName": "exec", "toolInput": { "cmd": "ls" } } })).await;
        assert_eq!(said["ok"], true, "{said}");
        said["payload"]["result"].clone()
    };
    let said = test(
        "command",
        json!({ "command": "cat; echo careful >&2; exit 2" }),
    )
    .await;
    assert_eq!(
        (&said["decision"], &said["stderr"]),
        (&json!("block"), &json!("careful\n"))
    );
    let read: Value = serde_json::from_str(said["stdout"].as_str().unwrap()).unwrap();
    assert!(read.to_string().contains("\"ls\""), "{said}");
    assert_eq!(said["statusCode"], 0);
    let said = test("http", json!({ "url": url })).await;
    assert_eq!(
        (&said["statusCode"], &said["stdout"]),
        (&json!(403), &json!("")),
        "{said}"
    );
    assert_eq!(
        publisher.get("/executions").await.json()["items"],
        json!([])
    );
}

#[tokio::test]
async fn a_test_runs_nothing_that_the_daemon_does_not_allow() {
    let strict = Capabilities::all().without_handlers(["command"]);
    let store = Store::builder("sqlite::memory:").capabilities(strict);
    let store = store.open().await.unwrap();
    let by = By::new("the test");
    let acme = store.tenant("acme");
    let token = acme.token_new("t", Role::Owner, None, &by).await.unwrap();
    let stored = stored_with(Capabilities::all(), |server| server.store(store)).await;
    let mut socket = Socket::open(&stored, &token.to_string()).await;
    let ran = stored.folder.path().join("ran");
    let config = json!({ "command": format!("touch {}", ran.display()) });
    let said = socket
        .call(
            "hooks.test",
            json!({ "sampleEvent": { "toolName": "exec" }, "config": { "event": "pre_tool_use",
            "handler_type": "command", "scope": "tenant", "config": config } }),
        )
        .await;
    assert_eq!(said["ok"], false, "{said}");
    assert!(!ran.exists());
}

#[tokio::test]
async fn a_test_runs_nothing_for_an_operator_and_the_history_is_there() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    let operator = stored.client("acme", "operator").await;
    let mut socket = Socket::open(&stored, &operator.token).await;
    let said = socket.ask(json!({ "type": "req", "id": "3", "method": "hooks.test", "params": {
        "config": { "event": "pre_tool_use", "handler_type": "command", "scope": "tenant", "config": { "command": "cat" } },
        "sampleEvent": { "toolName": "exec", "toolInput": { "cmd": "ls" } } } })).await;
    assert_eq!(said["ok"], true, "{said}");
    let result = said["payload"]["result"].as_object().unwrap();
    for key in [
        "decision",
        "reason",
        "durationMs",
        "stdout",
        "stderr",
        "statusCode",
        "error",
        "updatedInput",
    ] {
        assert!(result.contains_key(key), "{key}: {said}");
    }
    assert_eq!(result["decision"], "allow");
    assert!(
        result["error"].as_str().unwrap().contains("side effects"),
        "{said}"
    );
    assert_eq!(
        owner.get("/executions").await.json()["items"],
        json!([]),
        "nothing is written"
    );
    let mut socket = Socket::open(&stored, &owner.token).await;

    let id = socket
        .call(
            "hooks.create",
            json!({ "event": "pre_tool_use", "handler_type": "command", "scope": "tenant",
        "name": "no", "config": { "command": "exit 2" } }),
        )
        .await["payload"]["hookId"]
        .clone();
    owner.door("/hooks/claude", &claude("Bash", "ls")).await;
    let history = stored
        .eventually(async || {
            let said = socket.call("hooks.history", json!({ "hookId": id })).await;
            let is_there = said["payload"]["executions"]
                .as_array()
                .is_some_and(|rows| !rows.is_empty());
            is_there.then_some(said)
        })
        .await;
    let row = &history["payload"]["executions"][0];
    assert_eq!(
        (&row["decision"], &row["hookId"], &row["sessionId"]),
        (&json!("block"), &id, &json!("s1")),
        "{row}"
    );
    while socket.events.is_empty() {
        let event = socket.next().await;
        socket.events.push(event);
    }
    let event = &socket.events[0];
    assert_eq!(
        (&event["type"], &event["event"]),
        (&json!("event"), &json!("hooks.execution")),
        "{event}"
    );
}
