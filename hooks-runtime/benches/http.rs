//! What an http hook costs beside the request itself: a hook that posts to an endpoint on loopback, and a bare `reqwest`
//! client that posts the same bytes to the same endpoint and reads the answer as JSON, in turns.
//!
//! `cargo bench -p hooks-runtime --bench http`

use std::time::{Duration, Instant};

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::Runtime;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const ROUNDS: usize = 40;
const POSTS: u32 = 250;

/// Answers every request with `{}`. The last request's body is sent on.
async fn serve(mut stream: TcpStream, bodies: std::sync::mpsc::Sender<Vec<u8>>) {
    let mut buffer = Vec::new();
    loop {
        let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") else {
            if stream.read_buf(&mut buffer).await.unwrap_or(0) == 0 {
                return;
            }
            continue;
        };
        let head = String::from_utf8_lossy(&buffer[..end]).to_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .and_then(|length| length.parse::<usize>().ok())
            .unwrap_or(0);
        let all = end + 4 + length;
        while buffer.len() < all {
            if stream.read_buf(&mut buffer).await.unwrap_or(0) == 0 {
                return;
            }
        }
        let _ = bodies.send(buffer[end + 4..all].to_vec());
        buffer.drain(..all);
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
        if stream.write_all(answer).await.is_err() {
            return;
        }
    }
}

/// An endpoint on a thread of its own.
fn endpoint() -> (String, std::sync::mpsc::Receiver<Vec<u8>>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("there is a port");
    listener.set_nonblocking(true).expect("it is a socket");
    let url = format!(
        "http://{}/hook",
        listener.local_addr().expect("it is bound")
    );
    let (bodies, received) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("tokio starts").block_on(async {
            let listener = TcpListener::from_std(listener).expect("it is a socket");
            while let Ok((stream, _)) = listener.accept().await {
                let _ = stream.set_nodelay(true);
                tokio::spawn(serve(stream, bodies.clone()));
            }
        });
    });
    (url, received)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn main() {
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    tokio.expect("tokio starts").block_on(async {
        let (url, bodies) = endpoint();
        let text = format!(
            "[[hooks.on]]\nevent = 'BeforeToolCall'\nhttp = {{ url = '{url}', allow_loopback = ['127.0.0.1'] }}"
        );
        let runtime = Runtime::builder().text(text).build().await.expect("the file is right");
        let hooks = hooks![..runtime];
        let cx = AgentContext::new("s1");
        let args = json!({ "command": "cargo test", "cwd": "/work", "timeout": 60 });
        let mut call = BeforeToolCall::new("call 1", "shell", args);
        assert!(hooks.intercept(&cx, &mut call).await.is_continue());
        let body = bodies.recv().expect("the endpoint was asked");
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(no_tls())
            .http1_only()
            .no_proxy()
            .build()
            .expect("there is a client");
        let (mut bare, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let start = Instant::now();
            for _ in 0..POSTS {
                let request = client
                    .post(&url)
                    .header("content-type", "application/json")
                    .body(body.clone());
                let answer = request.send().await.expect("it answers");
                let answer = answer.bytes().await.expect("it answers");
                let _: Value = serde_json::from_slice(&answer).expect("it is JSON");
            }
            bare.push(start.elapsed() / POSTS);
            let start = Instant::now();
            for _ in 0..POSTS {
                assert!(hooks.intercept(&cx, &mut call).await.is_continue());
            }
            ours.push(start.elapsed() / POSTS);
        }
        let (bare, ours) = (median(bare), median(ours));
        let ratio = ours.as_secs_f64() / bare.as_secs_f64();
        println!("bare reqwest {bare:?} · http hook {ours:?} · ratio {ratio:.2} (bar: 1.30)");
    });
}

/// The client has no TLS of its own, and needs none here.
fn no_tls() -> rustls::ClientConfig {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the versions are known")
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth()
}
