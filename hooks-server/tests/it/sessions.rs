//! Sessions of the console: how they begin and end, and what others cannot do with them.

use std::num::NonZeroU32;

use hooks_server::limits::STAYING;
use hooks_server::{Server, Shutdown};
use hooks_store::{Capabilities, Store};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::common::{claude, exchange, request, stored, stored_with};
use crate::console::form;
use crate::goclaw::Socket;

#[tokio::test]
async fn a_link_opens_one_session() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let server = Server::builder()
        .store(store)
        .listen("127.0.0.1:0".parse().unwrap());
    let server = server.bind().await.unwrap();
    let (address, link) = (server.address().unwrap(), server.login("acme").unwrap());
    let (_, path) = link.split_once(&address.to_string()).unwrap();
    tokio::spawn(async move { server.run(&Shutdown::new()).await });
    for (method, status) in [("HEAD", 200), ("GET", 303), ("GET", 200)] {
        let stream = TcpStream::connect(address).await.unwrap();
        let said = exchange(stream, &request(method, path, "", "")).await;
        assert_eq!(said.status, status, "{method}: {said:?}");
    }
}

#[tokio::test]
async fn a_restart_logs_nobody_out() {
    let stored = stored().await;
    let visitor = stored.visit("acme", "viewer").await;
    // Another daemon on the same store, as one that has started again.
    let start = async || {
        let server = Server::builder().store(stored.store.clone());
        let server = server.listen("127.0.0.1:0".parse().unwrap());
        let server = server.bind().await.unwrap();
        let (address, link) = (server.address().unwrap(), server.login("acme").unwrap());
        tokio::spawn(async move { server.run(&Shutdown::new()).await });
        (address, link)
    };
    let get = async |address, path: &str, cookie: &str| {
        let stream = TcpStream::connect(address).await.unwrap();
        let cookie = format!("cookie: {cookie}\r\n");
        exchange(stream, &request("GET", path, &cookie, "")).await
    };
    let ((first, link), (second, _)) = (start().await, start().await);
    assert_eq!(get(second, "/", &visitor.cookie).await.status, 200);
    let (_, path) = link.split_once(&first.to_string()).unwrap();
    let entered = get(first, path, "").await;
    let cookie = entered.header("set-cookie").unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let shown = get(second, "/settings", cookie).await;
    assert!(shown.body.contains("· owner"), "{shown:?}");

    // Who reads the database has no cookie, and no token.
    let database = std::fs::read_dir(stored.folder.path()).unwrap();
    let secret = cookie.split_once('=').unwrap().1;
    for file in database {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(secret) && !text.contains("hks_"));
    }
}

#[tokio::test]
async fn a_token_says_when_it_was_used() {
    let stored = stored().await;
    let client = stored.client("acme", "owner").await;
    client.get("/hooks").await;
    let used = stored
        .eventually(async || {
            let tokens = client.get("/tokens").await.json();
            let used = tokens["items"][0].clone();
            used["used"].is_string().then_some(used)
        })
        .await;
    assert_eq!(used["used_from"], "api 127.0.0.1", "{used}");
}

#[tokio::test]
async fn who_logs_in_often_closes_no_session_of_others() {
    let stored = stored().await;
    let other = stored.visit("beta", "viewer").await;
    let token = stored.client("acme", "viewer").await.token;
    let first = stored.log_in(&token, "").await;
    let second = stored.log_in(&token, "").await;
    for _ in 0..15 {
        stored.log_in(&token, "").await;
    }
    assert_eq!(first.get("/").await.status, 303, "the oldest is closed");
    second.page("/").await;
    other.page("/").await;
}

#[tokio::test]
async fn a_login_counts_as_a_request() {
    let stored = stored_with(Capabilities::all(), |server| server.rate(NonZeroU32::MIN)).await;
    let token = stored.client("acme", "viewer").await.token;
    let mut said = Vec::new();
    for _ in 0..10 {
        said.push(
            form(&stored, "", "/login", &[("token", &token)])
                .await
                .status,
        );
    }
    assert!(said.contains(&429), "{said:?}");
}

#[tokio::test]
async fn a_new_login_closes_the_session_of_this_browser() {
    let stored = stored().await;
    let old = stored.visit("acme", "viewer").await;
    let token = stored.client("acme", "owner").await.token;
    let headers = format!("cookie: {}\r\n", old.cookie);
    let new = stored.log_in(&token, &headers).await;
    assert_eq!(old.get("/").await.status, 303);
    new.page("/").await;
}

#[tokio::test]
async fn a_live_page_ends_with_its_session() {
    let stored = stored().await;
    let visitor = stored.visit("acme", "viewer").await;
    let headers = format!("cookie: {}\r\n", visitor.cookie);
    let mut news = stored.daemon.tcp().await;
    let asked = request("GET", "/executions/news", &headers, "");
    news.write_all(&asked).await.unwrap();
    news.read_u8().await.unwrap();
    visitor.send("/logout", &[]).await;
    let mut rest = Vec::new();
    news.read_to_end(&mut rest).await.unwrap();
}

#[tokio::test]
async fn a_login_goes_on_to_pages_of_ours_only() {
    let stored = stored().await;
    let token = stored.client("acme", "viewer").await.token;
    for next in ["/\r\nset-cookie: a=b", "/\0", "/é", "//a.example"] {
        let entered = form(&stored, "", "/login", &[("token", &token), ("next", next)]).await;
        let to = (entered.status, entered.header("location"));
        assert_eq!(to, (303, Some("/")), "{next:?}");
    }
}

#[tokio::test]
async fn a_link_of_others_makes_nothing_happen() {
    let stored = stored().await;
    let operator = stored.visit("acme", "operator").await;
    for (site, is_said) in [
        ("same-origin", true),
        ("none", false),
        ("cross-site", false),
    ] {
        let page = operator.get_from(site, "/publish?done=published").await;
        assert_eq!(page.body.contains("Published: "), is_said, "{site}");
    }
    let simulated = operator.get_from("cross-site", "/simulator").await;
    assert!(!simulated.body.contains("id=\"decision\""), "{simulated:?}");

    let agent = stored.client("acme", "operator").await;
    agent.door("/hooks/claude", &claude("Bash", "ls")).await;
    let acme = stored.store.tenant("acme");
    stored
        .eventually(async || acme.execution(1).await.unwrap())
        .await;
    let log = async || acme.admin_log(None, 100).await.unwrap().items.len();
    let before = log().await;
    let page = operator.get_from("cross-site", "/executions/1").await;
    assert!(page.body.contains("Show it"), "{page:?}");
    assert_eq!(log().await, before);
    let page = operator.get_from("same-origin", "/executions/1").await;
    assert!(!page.body.contains("Show it"), "{page:?}");
    assert_eq!(log().await, before + 1);
}

#[tokio::test]
async fn a_token_has_few_connections_that_stay() {
    let stored = stored().await;
    let viewer = stored.client("acme", "viewer").await;
    let visitor = stored.log_in(&viewer.token, "").await;
    let cookie = format!("cookie: {}\r\n", visitor.cookie);
    let token = format!("authorization: Bearer {}\r\n", viewer.token);
    let streams = [
        ("/executions/news", &cookie),
        ("/api/v1/executions/stream", &token),
    ];
    let mut open = Vec::new();
    for (path, headers) in streams.into_iter().cycle().take(STAYING) {
        let mut stream = stored.daemon.tcp().await;
        let asked = request("GET", path, headers, "");
        stream.write_all(&asked).await.unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 200");
        open.push(stream);
    }
    assert_eq!(visitor.get("/executions/news").await.status, 429);
    let said = viewer.get("/executions/stream").await;
    assert_eq!(said.status, 429, "{said:?}");
    let mut socket = Socket::unknown(&stored).await;
    let said = socket
        .call("connect", json!({ "token": viewer.token }))
        .await;
    assert_eq!(said["ok"], false, "{said}");
    // Others are not told to wait, and what is closed makes room.
    let other = stored.client("acme", "viewer").await;
    other.stream("/executions/stream", "", "200").await;
    drop(open);
    stored
        .eventually(async || {
            let said = socket
                .call("connect", json!({ "token": viewer.token }))
                .await;
            (said["ok"] == true).then_some(())
        })
        .await;
}

#[tokio::test]
async fn with_a_public_address_only_its_pages_write_and_the_cookie_is_for_tls() {
    let url = "https://hooks.example.com".parse().unwrap();
    let stored = stored_with(Capabilities::all(), |server| server.public_url(url)).await;
    let visitor = stored.visit("acme", "viewer").await;
    assert!(visitor.cookie.starts_with("__Host-"), "{}", visitor.cookie);
    visitor.page("/").await;
    for (origin, status) in [
        ("https://hooks.example.com", 401),
        ("http://hooks.example.com", 403),
        ("https://hooks.example.com:8443", 403),
        ("http://localhost", 403),
        ("null", 403),
    ] {
        let origin = format!("origin: {origin}\r\n");
        let said = form(&stored, &origin, "/login", &[("token", "no")]).await;
        assert_eq!(said.status, status, "{origin}: {said:?}");
    }
    let gone = visitor.send("/logout", &[]).await;
    let gone = gone.header("set-cookie").unwrap();
    assert!(
        gone.contains("Secure") && gone.contains("Max-Age=0"),
        "{gone}"
    );
}
