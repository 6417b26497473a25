//! What handlers cost beside the work that they cannot do without: a started process, a line through a pipe, a POST.

use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use benches::builtin::Receiver;
use benches::python;
use benches::turns::{median, once_or, per_turn};
use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::Runtime;
use serde_json::{Value, json};

/// A file with one hook, which may take its time on a busy machine.
fn file(handler: &str) -> String {
    format!(
        "[[hooks.on]]\nname = 'it'\nevent = 'BeforeToolCall'\ntimeout = '60s'\n{handler}\n[hooks.limits]\nchain = '60s'\n"
    )
}

fn call() -> BeforeToolCall {
    let args = json!({ "command": "cargo test", "cwd": "/work", "timeout": 60 });
    BeforeToolCall::new("call 1", "shell", args)
}

/// How long a dispatch to the one hook of a file takes, in microseconds: for a turn of the measurement.
struct Asked {
    hooks: Runtime,
    cx: AgentContext,
    call: BeforeToolCall,
}

impl Asked {
    async fn of(handler: &str) -> Result<Self, Box<dyn Error>> {
        let mut asked = Asked {
            hooks: Runtime::builder().text(file(handler)).build().await?,
            cx: AgentContext::new("session-1")
                .with_agent_id("coder")
                .with_cwd("/"),
            call: call(),
        };
        // What is done once is done: a process runs, a connection is open.
        asked.turn(2).await;
        Ok(asked)
    }

    async fn turn(&mut self, times: u32) -> f64 {
        let hooks = hooks![..self.hooks.clone()];
        let start = Instant::now();
        for _ in 0..times {
            let said = hooks.intercept(&self.cx, &mut self.call).await;
            assert!(said.is_continue(), "{said:?}");
        }
        per_turn(start, times)
    }
}

/// `/bin/true` as a hook, over starting it and waiting for it, in a process with a GiB of memory.
pub(crate) async fn command(rounds: usize) -> Result<(), Box<dyn Error>> {
    const STARTS: u32 = 10;
    let program = ["/bin/true", "/usr/bin/true"];
    let Some(program) = program.iter().find(|program| Path::new(program).exists()) else {
        eprintln!("runtime: there is no `true`");
        return Ok(());
    };
    // All pages are touched, so they are there.
    let memory = vec![1_u8; once_or(1 << 10) << 20];
    let mut asked = Asked::of(&format!("command = {{ argv = ['{program}'] }}")).await?;
    let (mut hook, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        hook.push(asked.turn(STARTS).await);
        let start = Instant::now();
        for _ in 0..STARTS {
            assert!(Command::new(program).status()?.success());
        }
        bare.push(per_turn(start, STARTS));
    }
    drop(std::hint::black_box(memory));
    let (hook, bare) = (median(hook), median(bare));
    println!("runtime command µs {hook}\nruntime spawn µs {bare}");
    println!("runtime command/spawn {}", hook / bare);
    Ok(())
}

/// One Python program as a process that stays and as a command; and a line to the former and back, without a hook.
pub(crate) async fn process(rounds: usize) -> Result<(), Box<dyn Error>> {
    const LINES: u32 = 200;
    let Some(python) = python() else {
        eprintln!("runtime: there is no Python");
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("line");
    let gate = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin/runtime/gate.py");
    let argv = json!([python, gate]);

    // The line that a hook writes is copied once, so that both write the same.
    let env = format!("{{ GATE_COPY = {} }}", json!(copy));
    let copied = Asked::of(&format!("process = {{ argv = {argv}, env = {env} }}")).await?;
    copied.hooks.shutdown().await;
    let line = std::fs::read_to_string(&copy)?;
    let mut child = Command::new(&python)
        .arg(&gate)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().ok_or("a pipe is missing")?;
    let mut output = BufReader::new(child.stdout.take().ok_or("a pipe is missing")?);

    let mut asked = Asked::of(&format!("process = {{ argv = {argv} }}")).await?;
    let (mut hook, mut bare) = (Vec::new(), Vec::new());
    let mut answer = String::new();
    for _ in 0..rounds {
        hook.push(asked.turn(LINES).await);
        let start = Instant::now();
        for _ in 0..LINES {
            input.write_all(line.as_bytes())?;
            answer.clear();
            output.read_line(&mut answer)?;
            let answer: Value = serde_json::from_str(&answer)?;
            assert_eq!(answer["result"]["action"], "continue");
        }
        bare.push(per_turn(start, LINES));
    }
    drop(input);
    child.wait()?;

    let argv = json!([python, gate, "--once"]);
    let mut once = Asked::of(&format!("command = {{ argv = {argv} }}")).await?;
    let mut command = Vec::new();
    for _ in 0..rounds.min(11) {
        command.push(once.turn(2).await);
    }
    asked.hooks.shutdown().await;
    let (hook, bare, command) = (median(hook), median(bare), median(command));
    println!(
        "runtime process µs {hook}\nruntime pipe µs {bare}\nruntime python command µs {command}"
    );
    println!("runtime process/pipe {}", hook / bare);
    println!("runtime command/process {}", command / hook);
    Ok(())
}

/// A POST by a hook, over one by a bare `reqwest` client that keeps its connection and reads the answer as JSON.
pub(crate) async fn http(rounds: usize) -> Result<(), Box<dyn Error>> {
    const POSTS: u32 = 250;
    let (url, bodies) = Receiver::Answers.start()?;
    let mut asked = Asked::of(&format!(
        "http = {{ url = '{url}', allow_loopback = ['127.0.0.1'] }}"
    ))
    .await?;
    let body = bodies.recv()?;
    drop(bodies);
    let client = reqwest::Client::builder()
        .tls_backend_preconfigured(no_tls()?)
        .http1_only()
        .no_proxy()
        .build()?;
    let (mut hook, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let start = Instant::now();
        for _ in 0..POSTS {
            let request = client
                .post(&url)
                .header("content-type", "application/json")
                .body(body.clone());
            let answer = request.send().await?.bytes().await?;
            let _: Value = serde_json::from_slice(&answer)?;
        }
        bare.push(per_turn(start, POSTS));
        hook.push(asked.turn(POSTS).await);
    }
    let (hook, bare) = (median(hook), median(bare));
    println!(
        "runtime http µs {hook}\nruntime reqwest µs {bare}\nruntime http/reqwest {}",
        hook / bare
    );
    Ok(())
}

/// The client has no TLS of its own, and needs none here.
fn no_tls() -> Result<rustls::ClientConfig, rustls::Error> {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider);
    Ok(config
        .with_safe_default_protocol_versions()?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth())
}
