//! The load that a daemon bears. Neither `cargo test` nor the gate runs it: run it by itself, in release, one test at a time:
//! `cargo nextest run --release -p hooks-server --run-ignored only by_hand -j 1 --no-capture`.
//!
//! The clients share the cores with the daemon, and all but the agents that wait its process.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use futures::{SinkExt as _, StreamExt as _, future::join_all};
use hooks_core::agent::AgentContext;
use hooks_runtime::{
    Decided, HttpBundle, OwnedEvent, Record, RecordOutcome, RecordStep, Recorder as _, Runtime,
};
use hooks_store::By;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;

use crate::common::{Stored, claude, daemon, most_files, stored, stored_with};

/// How long a rate is measured.
const TIME: Duration = Duration::from_secs(3);

/// A request on a connection that stays.
fn kept(method: &str, path: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Sends a request again and again over so many connections, and returns the answers a second. Each answer fits into one
/// packet.
async fn rate(daemon: SocketAddr, connections: usize, request: &[u8], says: &str) -> u64 {
    let start = Instant::now();
    let one = async || {
        let mut stream = TcpStream::connect(daemon).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (mut count, mut answer) = (0_u64, [0; 4096]);
        while start.elapsed() < TIME {
            stream.write_all(request).await.unwrap();
            let length = stream.read(&mut answer).await.unwrap();
            let answer = std::str::from_utf8(&answer[..length]).unwrap();
            assert!(answer.contains(says), "{answer}");
            count += 1;
        }
        count
    };
    let counts = join_all((0..connections).map(|_| one())).await;
    counts.iter().sum::<u64>() * 1000 / u64::try_from(start.elapsed().as_millis()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures: run it by hand"]
async fn load_of_one_client_on_the_socket() {
    let daemon = daemon().await;
    let path = daemon.socket.clone();
    let request = kept(
        "POST",
        "/hooks/claude",
        "",
        &claude("Bash", "git push --force"),
    );
    let asking = tokio::task::spawn_blocking(move || {
        let mut stream = std::os::unix::net::UnixStream::connect(path).unwrap();
        let mut answer = [0; 4096];
        let mut times: Vec<_> = (0..20_000)
            .map(|_| {
                let started = Instant::now();
                stream.write_all(&request).unwrap();
                let length = stream.read(&mut answer).unwrap();
                let took = started.elapsed();
                assert!(String::from_utf8_lossy(&answer[..length]).contains("no force"));
                took
            })
            .collect();
        times.sort();
        (times[10_000], times[19_800])
    });
    let (half, most) = asking.await.unwrap();
    println!("a decision over the socket: p50 {half:?}, p99 {most:?} (bars 60 µs, 200 µs)");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures: run it by hand"]
async fn load_of_the_door_for_claude() {
    let daemon = daemon().await;
    let event = claude("Bash", "git push --force");
    let request = kept("POST", "/hooks/claude", "", &event);
    let rate = rate(daemon.address, 64, &request, "no force").await;
    println!("decisions over 64 connections: {rate}/s (bar 15000/s)");
}

/// Saves and publishes so many hooks.
async fn publish(stored: &Stored, count: usize) {
    let client = stored.client("acme", "owner").await;
    let hook = |number| {
        json!({ "name": format!("hook-{number}"), "event": "BeforeToolCall", "tools": ["deploy"],
            "block": "not today" })
    };
    let read = client.get("/draft").await;
    let follows = format!("if-match: {}\r\n", read.header("etag").unwrap());
    let mut draft = read.json();
    draft["hooks"] = (0..count).map(hook).collect();
    let said = client.send("PUT", "/draft", &follows, &draft).await;
    assert_eq!(said.status, 200, "{said:?}");
    let said = client.publish(&json!({})).await;
    assert_eq!(said.status, 201, "{said:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures: run it by hand"]
async fn load_of_lists_over_websocket() {
    let stored = stored_with(hooks_store::Capabilities::all(), |server| {
        server.rate(NonZeroU32::MAX)
    })
    .await;
    publish(&stored, 1000).await;
    let token = stored.client("acme", "viewer").await.token;
    let connect =
        json!({ "type": "req", "id": "0", "method": "connect", "params": { "token": token } });
    let list = json!({ "type": "req", "id": "1", "method": "hooks.list", "params": { "limit": 50, "cursor": 900 } });
    let address = stored.daemon.address;
    let open = async || {
        let tcp = TcpStream::connect(address).await.unwrap();
        let url = format!("ws://{address}/ws");
        tokio_tungstenite::client_async(url, tcp).await.unwrap().0
    };
    let start = Instant::now();
    let one = async || {
        let mut socket = open().await;
        socket
            .send(Message::text(connect.to_string()))
            .await
            .unwrap();
        let mut count = 0_u64;
        let list = list.to_string();
        while start.elapsed() < TIME {
            socket.send(Message::text(list.clone())).await.unwrap();
            loop {
                let said = socket.next().await.unwrap().unwrap();
                if said
                    .to_text()
                    .is_ok_and(|text| text.contains("\"hook-949\""))
                {
                    break;
                }
            }
            count += 1;
        }
        count
    };
    let counts = join_all((0..100).map(|_| one())).await;
    let rate =
        counts.iter().sum::<u64>() * 1000 / u64::try_from(start.elapsed().as_millis()).unwrap();
    println!("lists of 50 of 1000 hooks, 100 clients: {rate}/s (bar 5000/s)");
}

/// The memory of this process, in KiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// The variable with what the agents of another process are to do.
const AGENTS: &str = "HOOKS_TEST_AGENTS";

/// Opens connections, sends the same over each, and says when all have sent it and when all have an answer.
#[tokio::test]
#[ignore = "a process of `load_of_agents_that_wait`"]
async fn agents_of_another_process() {
    let Ok(asked) = std::env::var(AGENTS) else {
        return;
    };
    let (address, count, request): (SocketAddr, usize, String) =
        serde_json::from_str(&asked).unwrap();
    let mut waiting = Vec::new();
    for _ in 0..count {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        waiting.push(stream);
    }
    println!("waiting");
    let told = waiting.iter_mut().map(async |stream| {
        let mut answer = [0; 64];
        let length = stream.read(&mut answer).await.unwrap();
        assert!(answer[..length].starts_with(b"HTTP/1.1 200"));
    });
    join_all(told).await;
    println!("told");
}

/// The lines that a process prints, as they come.
fn lines(output: impl std::io::Read + Send + 'static) -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        let lines = BufReader::new(output).lines();
        lines
            .map_while(Result::ok)
            .all(|line| sender.send(line).is_ok())
    });
    lines
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures: run it by hand"]
async fn load_of_agents_that_wait() {
    let agents = most_files().min(10_200) - 200;
    let stored = stored().await;
    publish(&stored, 20).await;
    let client = stored.client("acme", "viewer").await;
    let bundle = client.get("/bundle").await;
    let known = format!(
        "authorization: Bearer {}\r\nif-none-match: {}\r\n",
        client.token,
        bundle.header("etag").unwrap()
    );
    let wait = kept("GET", "/api/v1/bundle?wait=60", &known, "");
    let asked = json!([
        stored.daemon.address,
        agents,
        String::from_utf8(wait).unwrap()
    ]);
    let before = memory();
    // They have a process of their own, so that the memory is the daemon's.
    let mut others = Command::new(std::env::current_exe().unwrap())
        .args([
            "--ignored",
            "--exact",
            "--nocapture",
            "by_hand::agents_of_another_process",
        ])
        .env(AGENTS, asked.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = lines(others.stdout.take().unwrap());
    while said.recv().await.unwrap() != "waiting" {}
    tokio::time::sleep(Duration::from_secs(2)).await;
    let each = (memory() - before) * 1024 / agents;
    println!("{agents} agents wait: {each} bytes each (bar 16384)");

    let request = kept("GET", "/api/v1/bundle", &known, "");
    let rate = rate(stored.daemon.address, 64, &request, "304 Not Modified").await;
    println!("unchanged bundles meanwhile: {rate}/s (bar 20000/s)");

    let started = Instant::now();
    publish(&stored, 21).await;
    while said.recv().await.unwrap() != "told" {}
    println!("all of them are told {:?} later", started.elapsed());
    assert!(others.wait().unwrap().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures: run it by hand"]
async fn load_of_a_publication() {
    let stored = stored().await;
    let client = stored.client("acme", "viewer").await;
    let url = format!("http://{}/api/v1/bundle", stored.daemon.address);
    let source = HttpBundle::new(url).token(&client.token);
    let runtime = Runtime::builder().source(source).build().await.unwrap();
    runtime.watch().unwrap();
    let acme = stored.store.tenant("acme");
    let by = By::new("the test");
    let mut times = Vec::new();
    for number in 0..20 {
        let tool = format!("tool-{number}");
        let hook =
            json!({ "name": tool, "event": "BeforeToolCall", "tools": [tool], "block": "no" });
        acme.create(&hook, &by).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
        let started = Instant::now();
        acme.publish(&by).await.unwrap();
        loop {
            let call: Value = json!({ "id": "1", "name": tool });
            let mut call = OwnedEvent::from_json("BeforeToolCall", call).unwrap();
            let outcome = runtime.fire(&AgentContext::new("s1"), &mut call).await;
            if outcome.decision == Decided::Block {
                break;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
            assert!(started.elapsed() < Duration::from_secs(10));
        }
        times.push(started.elapsed());
    }
    times.sort();
    println!(
        "from a publication to a decision by it: p50 {:?}, most {:?} (bar 150 ms)",
        times[10], times[19]
    );
}

/// The number of executions, of which each tenth belongs to a session of 100.
const EXECUTIONS: u64 = 1_000_000;

/// Writes an execution as an agent with three hooks does, with its event.
fn execution(number: u64) -> Record {
    let name = |n: u64| format!("hook-{}", (number + n) % 1000);
    let mut record = Record::new(name(0), "BeforeToolCall");
    record.subject = Some("Bash".into());
    record.session_id = format!("s-{}", number / 100);
    record.agent_id = "writer".into();
    record.tenant_id = Some("acme".into());
    record.revision = 1;
    if number.is_multiple_of(10) {
        record.outcome = RecordOutcome::Block;
        record.reason = Some("not today".into());
    } else {
        record.hook = String::new();
    }
    let step = |n| RecordStep::new(name(n), RecordOutcome::Continue);
    record.steps = (0..3).map(step).collect();
    record.steps[0].outcome = record.outcome;
    record.input = Some(
        json!({ "event": { "event": "BeforeToolCall", "name": "Bash",
        "args": { "command": format!("git push origin branch-{number}") } }, "cx": { "session_id": record.session_id } }),
    );
    record
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures: run it by hand"]
async fn load_of_the_pages() {
    let stored = stored().await;
    publish(&stored, 1000).await;
    let recorder = stored.store.recorder();
    let started = Instant::now();
    for number in 0..EXECUTIONS {
        recorder.record(&execution(number));
        if number % 10_000 == 9_999 {
            recorder.flush().await.unwrap();
        }
    }
    println!("{EXECUTIONS} executions in {:?}", started.elapsed());
    let owner = stored.visit("acme", "owner").await;
    let hook = stored.store.tenant("acme").hooks().await.unwrap().remove(0);
    let pages = [
        "/".to_owned(),
        "/?event=".to_owned(),
        "/?of=draft".to_owned(),
        "/?q=hook-77".to_owned(),
        "/simulator".to_owned(),
        "/publish".to_owned(),
        "/executions".to_owned(),
        "/executions?hook=hook-7".to_owned(),
        "/executions?session=s-77".to_owned(),
        "/executions?decision=block".to_owned(),
        "/executions?text=branch-77".to_owned(),
        "/executions/500000".to_owned(),
        "/sessions/s-77".to_owned(),
        format!("/hook/{}", hook.id),
        "/hook/new".to_owned(),
        "/overview".to_owned(),
        "/settings".to_owned(),
    ];
    for is_written in [false, true] {
        println!(
            "while {} executions are written a second:",
            100 * u64::from(is_written)
        );
        let writing = tokio::spawn({
            let recorder = recorder.clone();
            async move {
                for number in EXECUTIONS.. {
                    if is_written {
                        recorder.record(&execution(number));
                    }
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            }
        });
        for page in &pages {
            let mut times = Vec::new();
            for _ in 0..60 {
                let started = Instant::now();
                assert_eq!(owner.get(page).await.status, 200, "{page}");
                times.push(started.elapsed());
            }
            times.sort();
            println!("{page:<32} p50 {:>8.1?} p95 {:>8.1?}", times[30], times[57]);
        }
        writing.abort();
    }
}
