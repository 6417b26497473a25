//! Where strangers, proxies and other tenants come to the daemon, and how it ends.

use hooks_runtime::Record;
use hooks_server::{Ended, Server, ServerError};
use hooks_store::{By, Capabilities, Role, Tenant, Token};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::common::{
    Client, Stored, claude, daemon, exchange, most_files, read, request, stored, stored_with,
};

impl Stored {
    /// A client with the token of one agent.
    async fn agent(&self, role: Role) -> Client {
        let tenant = self.store.tenant("acme");
        let name = format!("one {role}");
        let by = By::new("the test");
        let token = tenant.token_new(&name, role, Some("one"), &by).await;
        self.with_token(&token.unwrap().to_string())
    }
}

async fn first_token(tenant: &Tenant) -> Token {
    tenant.tokens().await.unwrap().remove(0)
}

#[tokio::test]
async fn an_end_that_is_announced_is_told_before_it_comes() {
    let daemon = daemon().await;
    let ask = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    daemon.shutdown.announce();
    // Each is a new connection, which would stay open.
    let said = exchange(daemon.tcp().await, ask("/readyz").as_bytes()).await;
    assert_eq!((said.status, &*said.body), (503, "shutting down\n"));
    assert_eq!(said.header("connection"), Some("close"));
    let said = exchange(daemon.tcp().await, ask("/healthz").as_bytes()).await;
    assert_eq!(said.status, 200);
    let event = claude("Bash", "git push --force");
    let said = daemon.post("/hooks/claude", &event).await;
    assert!(said.body.contains("no force"));
    // A stranger with half a head holds up nothing.
    let mut half = daemon.tcp().await;
    half.write_all(b"POST /hooks/claude HT").await.unwrap();
    daemon.shutdown.soft();
    assert_eq!(daemon.ended.await.unwrap(), Ended::Whole);
}

#[tokio::test]
async fn an_end_says_that_the_store_has_not_taken_all() {
    let stored = stored().await;
    let owner = stored.client("acme", "owner").await;
    owner.door("/hooks/claude", &claude("Bash", "ls")).await;
    stored.store.recorder().flush().await.unwrap();
    std::fs::remove_file(stored.folder.path().join("hooks.db")).unwrap();
    owner.door("/hooks/claude", &claude("Bash", "ls")).await;
    stored.daemon.shutdown.soft();
    assert_eq!(stored.daemon.ended.await.unwrap(), Ended::Lossy);
}

#[tokio::test]
async fn an_address_and_a_token_have_their_shares() {
    let ours = ["127.0.0.0/8".parse().unwrap()];
    let stored = stored_with(Capabilities::all(), |server| server.trusted_proxies(ours)).await;
    let viewer = stored.client("acme", "viewer").await;
    let other = stored.client("acme", "viewer").await;
    // Both ends are in this process.
    assert!(most_files() > 9_000, "this process may open too few files");
    let tag = viewer
        .get("/bundle")
        .await
        .header("etag")
        .unwrap()
        .to_owned();
    let wait = async |client: &Client, address: &str| {
        let headers = format!(
            "authorization: Bearer {}\r\nif-none-match: {tag}\r\nx-forwarded-for: 192.0.2.99, {address}\r\n",
            client.token
        );
        let mut stream = stored.daemon.tcp().await;
        let asked = request("GET", "/api/v1/bundle?wait=60", &headers, "");
        stream.write_all(&asked).await.unwrap();
        stream
    };
    let mut waiting = Vec::new();
    for address in ["192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8::1"] {
        for _ in 0..1024 {
            waiting.push(wait(&viewer, address).await);
        }
    }
    // All of them are heard before these.
    let refused = async |client: &Client, address: &str| {
        let said = read(wait(client, address).await).await;
        assert_eq!(said.status, 429, "{said:?}");
        said.json()["detail"].as_str().unwrap().to_owned()
    };
    let said = refused(&other, "192.0.2.1").await;
    assert!(
        said.contains("your address has 1024 requests open"),
        "{said}"
    );
    assert!(
        refused(&other, "2001:db8::2")
            .await
            .contains("your address")
    );
    let said = refused(&viewer, "192.0.2.4").await;
    assert!(said.contains("the token waits for 4096 bundles"), "{said}");
    // Others, and what does not wait, are answered.
    assert_eq!(viewer.get("/bundle").await.status, 200);
    let header = "x-forwarded-for: 192.0.2.4\r\n";
    assert_eq!(other.raw("GET", "/hooks", header, "").await.status, 200);
    assert_eq!(stored.daemon.get("/healthz").await.status, 200);
    drop(waiting);
}

#[tokio::test]
async fn a_request_has_a_name_and_its_write_says_who_and_from_where() {
    let ours = ["127.0.0.1/32".parse().unwrap()];
    let stored = stored_with(Capabilities::all(), |server| server.trusted_proxies(ours)).await;
    let owner = stored.client("acme", "owner").await;
    let named = "x-request-id: mine-7\r\nx-forwarded-for: 203.0.113.9\r\n";
    let hook = json!({ "name": "no", "event": "BeforeToolCall", "block": "no" });
    let said = owner.send("POST", "/hooks", named, &hook).await;
    assert_eq!(
        (said.status, said.header("x-request-id")),
        (201, Some("mine-7"))
    );
    for wrong in ["", "x-request-id: a b\r\n"] {
        let said = owner.raw("GET", "/admin-log", wrong, "").await;
        assert_eq!(said.header("x-request-id").unwrap().len(), 16, "{said:?}");
    }
    let log = owner.get("/admin-log").await.json();
    let token = first_token(&stored.store.tenant("acme")).await;
    let entry = &log["items"][0];
    assert_eq!(
        (&entry["actor"], &entry["token"], &entry["from"]),
        (&json!("owner"), &json!(token.id), &json!("api 203.0.113.9")),
        "{log}"
    );
    // Each token that is refused is counted once, at the doors, too.
    let stranger = stored.with_token("hks_wrong");
    stranger.get("/hooks").await;
    stranger.door("/hooks/claude", &claude("Bash", "ls")).await;
    stored.daemon.get("/api/v1/hooks").await;
    let said = stored.daemon.get("/metrics").await.body;
    assert!(
        said.contains("hooks_refused_total{reason=\"token\"} 3"),
        "{said}"
    );
    assert!(
        !said.contains("hooks_refused_total{reason=\"event\"}"),
        "{said}"
    );
}

#[tokio::test]
async fn a_tenant_and_a_token_have_names_that_a_log_can_show() {
    let stored = stored().await;
    let by = By::new("the test");
    for wrong in ["global", "acme ", "a\nb", "-a", "ä", &"a".repeat(65)] {
        let made = stored
            .store
            .tenant(wrong)
            .token_new("a", Role::Viewer, None, &by)
            .await;
        assert!(
            made.unwrap_err().to_string().starts_with("/tenant"),
            "{wrong:?}"
        );
    }
    let owner = stored.client("A.b-c_9", "owner").await;
    for wrong in ["", "a\nb", "\u{1b}[31m", &"ä".repeat(101)] {
        let said = owner
            .post("/tokens", &json!({ "name": wrong, "role": "viewer" }))
            .await;
        assert_eq!(
            (said.status, &said.json()["errors"][0]["path"]),
            (422, &json!("/name"))
        );
    }
    let long = json!({ "name": "ä".repeat(100), "role": "viewer" });
    assert_eq!(owner.post("/tokens", &long).await.status, 201);
}

#[tokio::test]
async fn the_token_of_an_agent_is_about_that_agent() {
    let stored = stored().await;
    let operator = stored.client("acme", "operator").await;
    for agent in ["one", "two"] {
        let sample = json!({ "name": agent, "event": "BeforeToolCall", "cx": { "session_id": "s", "agent_id": agent },
            "body": { "id": "1", "name": "Bash", "args": {} } });
        assert_eq!(operator.post("/samples", &sample).await.status, 201);
    }
    let viewer = stored.agent(Role::Viewer).await;
    let samples = viewer.get("/samples").await.json();
    let items = samples["items"].as_array().unwrap();
    let names = items.iter().map(|item| &item["name"]);
    assert_eq!(names.collect::<Vec<_>>(), ["one"], "{samples}");
    let said = viewer.get("/activity").await;
    assert_eq!(said.status, 403, "{said:?}");
    assert_eq!(operator.get("/activity").await.status, 200);

    let owner = stored.agent(Role::Owner).await;
    let token = json!({ "name": "new", "role": "viewer" });
    let made = owner.post("/tokens", &token).await.json();
    let made = stored
        .store
        .caller(made["token"].as_str().unwrap())
        .await
        .unwrap();
    assert_eq!(made.unwrap().agent.as_deref(), Some("one"));
    let token = json!({ "name": "other", "role": "viewer", "agent": "two" });
    assert_eq!(owner.post("/tokens", &token).await.status, 403);
}

#[tokio::test]
async fn a_door_refuses_an_event_for_another_tenant() {
    let stored = stored().await;
    let agent = stored.client("acme", "viewer").await;
    let mut event: Value = serde_json::from_str(&claude("Bash", "ls")).unwrap();
    let plain = event.to_string();
    event["tenant"] = "zen".into();
    for (path, header, body) in [
        ("/hooks/claude?tenant=zen", "", &plain),
        ("/hooks/claude", "x-tenant-id: zen\r\n", &plain),
        ("/hooks/claude", "", &event.to_string()),
    ] {
        let said = agent.at("POST", path, header, body).await;
        assert!(
            said.body.contains("names another tenant than the token"),
            "{said:?}"
        );
        assert!(said.body.contains("deny"), "{said:?}");
    }
    // What a tool is told is its own business, and so is the own name.
    event["tenant"] = "acme".into();
    event["tool_input"]["tenant"] = "zen".into();
    let said = agent
        .at("POST", "/hooks/claude?tenant=acme", "", &event.to_string())
        .await;
    assert_eq!((said.status, &*said.body), (200, ""));
}

#[tokio::test]
async fn a_request_has_one_host_and_may_be_all_that_a_client_sends() {
    let daemon = daemon().await;
    for (head, status) in [
        ("GET /healthz HTTP/1.1\r\n", 400),
        (
            "GET /healthz HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n",
            400,
        ),
        ("GET /healthz HTTP/1.1\r\nhost: localhost\r\n", 200),
        ("GET /healthz HTTP/1.0\r\n", 200),
    ] {
        let asked = format!("{head}connection: close\r\n\r\n");
        let said = exchange(daemon.tcp().await, asked.as_bytes()).await;
        assert_eq!(said.status, status, "{head}: {said:?}");
    }
    let mut stream = daemon.tcp().await;
    let asked = request("POST", "/hooks/claude", "", &claude("Slow", "x"));
    stream.write_all(&asked).await.unwrap();
    stream.shutdown().await.unwrap();
    let said = read(stream).await;
    assert!(said.body.contains("deny"), "{said:?}");

    let stored = stored().await;
    let viewer = stored.client("acme", "viewer").await;
    let headers = format!("authorization: bEARER {}\r\n", viewer.token);
    let asked = request("GET", "/api/v1/hooks", &headers, "");
    assert_eq!(
        exchange(stored.daemon.tcp().await, &asked).await.status,
        200
    );
}

#[tokio::test]
async fn a_header_with_a_credential_is_a_secret() {
    let stored = stored().await;
    let author = stored.client("acme", "author").await;
    let hook = |name: &str, value: &str| {
        json!({ "name": "calls", "event": "BeforeToolCall",
            "http": { "url": "https://gate.example.com/", "headers": { name: value } } })
    };
    for name in ["Authorization", "X-API-Key", "cookie", "Private-Token"] {
        let said = author.post("/hooks", &hook(name, "Bearer abc")).await;
        assert_eq!(said.status, 422, "{said:?}");
        let error = &said.json()["errors"][0];
        assert_eq!(error["path"], format!("/http/headers/{name}"));
        assert!(
            error["help"].as_str().unwrap().contains("`secret:NAME`"),
            "{error}"
        );
    }
    let tenant = stored.store.tenant("acme");
    let by = By::new("the test");
    tenant.put_secret("gate", "s3cret", &by).await.unwrap();
    let said = author
        .post("/hooks", &hook("Authorization", "secret:gate"))
        .await;
    assert_eq!(said.status, 201, "{said:?}");
    let said = author.post("/hooks", &hook("Accept", "text/html")).await;
    assert!(!said.body.contains("headers"), "{said:?}");
}

#[tokio::test]
async fn records_of_others_say_so_and_are_written_once() {
    let stored = stored().await;
    let operator = stored.client("acme", "operator").await;
    let mut record = Record::new("no-force", "BeforeToolCall");
    record.reported_by = Some("token of another".into());
    let line = serde_json::to_string(&record).unwrap();
    for key in ["a", "a", "b"] {
        let headers = format!("idempotency-key: {key}\r\n");
        let said = operator.raw("POST", "/executions", &headers, &line).await;
        assert_eq!((said.status, &said.json()["written"]), (201, &json!(1)));
    }
    let items = operator.get("/executions").await.json()["items"].take();
    assert_eq!(items.as_array().unwrap().len(), 2, "{items}");
    let token = first_token(&stored.store.tenant("acme")).await;
    let by = format!("token {}", token.id);
    assert_eq!(items[0]["record"]["reported_by"], by);
    record.at = "0001-01-01T00:00:00Z".parse().unwrap();
    let line = serde_json::to_string(&record).unwrap();
    let said = operator.raw("POST", "/executions", "", &line).await;
    assert_eq!(
        (said.status, &said.json()["errors"][0]["path"]),
        (422, &json!("/0/at"))
    );
    let said = operator
        .raw("POST", "/executions", "idempotency-key: \r\n", "")
        .await;
    assert_eq!(said.status, 422, "{said:?}");
    // What the daemon has seen itself says nothing.
    operator.door("/hooks/claude", &claude("Bash", "ls")).await;
    stored.store.recorder().flush().await.unwrap();
    let newest = operator.get("/executions?limit=1").await.json();
    assert_eq!(newest["items"][0]["record"]["reported_by"], Value::Null);
}

#[tokio::test]
async fn a_tenant_does_not_learn_on_which_machine_the_daemon_runs() {
    let stored = stored().await;
    let names = async |client: &Client| {
        client.door("/hooks/claude", &claude("Bash", "ls")).await;
        let name = stored.eventually(async || {
            let nodes = client.get("/nodes").await.json();
            nodes["items"][0]["name"].as_str().map(str::to_owned)
        });
        name.await
    };
    let global = names(&stored.client("", "viewer").await).await;
    let tenant = names(&stored.client("acme", "viewer").await).await;
    let pid = std::process::id().to_string();
    assert!(global.contains(&pid), "{global}");
    let short = tenant.strip_prefix("daemon ").unwrap();
    assert!(
        global.ends_with(&format!("({short})")),
        "{global}, {tenant}"
    );
}

#[tokio::test]
async fn where_browsers_find_it_is_said_as_it_is() {
    let address = |url: &str| {
        let server = Server::builder().listen("127.0.0.1:0".parse().unwrap());
        server.public_url(url.parse().unwrap()).bind()
    };
    for wrong in [
        "https://example.com/hooks",
        "https://example.com/?a",
        "ftp://example.com",
    ] {
        let refused = address(wrong).await;
        assert!(matches!(refused, Err(ServerError::PublicUrl(_))), "{wrong}");
    }
    let secure = |server: hooks_server::ServerBuilder| {
        server.public_url("https://hooks.example.com".parse().unwrap())
    };
    let stored = stored_with(Capabilities::all(), secure).await;
    let said = stored.daemon.get("/login").await;
    assert!(
        said.header("strict-transport-security").is_some(),
        "{said:?}"
    );
    let plain = crate::common::stored().await;
    let said = plain.daemon.get("/login").await;
    assert_eq!(said.header("strict-transport-security"), None);
    let everywhere = Server::builder()
        .store(plain.store.clone())
        .listen("0.0.0.0:0".parse().unwrap());
    let link = everywhere.bind().await.unwrap().login("acme").unwrap();
    assert!(link.starts_with("http://127.0.0.1:"), "{link}");
}

#[tokio::test]
async fn a_live_page_is_told_that_all_is_well_and_ends_with_its_token() {
    let stored = stored().await;
    let visitor = stored.visit("acme", "viewer").await;
    let mut stream = TcpStream::connect(stored.daemon.address).await.unwrap();
    let headers = format!("cookie: {}\r\n", visitor.cookie);
    let asked = request("GET", "/executions/news", &headers, "");
    stream.write_all(&asked).await.unwrap();
    let mut text = String::new();
    while !text.contains(": alive\n") {
        let mut part = [0; 512];
        let length = stream.read(&mut part).await.unwrap();
        assert_ne!(length, 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&part[..length]));
    }
    let tenant = stored.store.tenant("acme");
    let token = first_token(&tenant).await;
    tenant
        .revoke_token(&token.id, &By::new("the test"))
        .await
        .unwrap();
    let end = stream.read_to_string(&mut text);
    let end = tokio::time::timeout(std::time::Duration::from_mins(5), end).await;
    end.expect("it ends").unwrap();
}
