//! The files of `packaging/` start the daemon that they say, and a proxy before it passes on what it should.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{command, run};
use crate::daemon::{Daemon, answer, started, stop};

/// The longest time that an agent waits for a bundle, in seconds.
const LONGEST_WAIT: u64 = 60;

fn packaging(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// Starts the daemon with arguments, but with its store in a folder, and at a free port. They begin with `serve`.
fn serve(folder: &Path, args: &[String]) -> Daemon {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    assert_eq!(args[0], "serve");
    let mut args: Vec<String> = args.iter().map(ToString::to_string).collect();
    let mut put = |after: &str, value: String| {
        let place = args.iter().position(|arg| arg == after).unwrap() + 1;
        args[place] = value;
    };
    put(
        "--store",
        format!("sqlite:{}", folder.join("hooks.db").display()),
    );
    put("--listen", "127.0.0.1:0".to_owned());
    put("--drain", "0".to_owned());
    let mut command = command(folder, &["--json"]);
    command.args(&args).stderr(Stdio::null());
    started(command)
}

fn is_ready(mut daemon: Daemon) {
    let ready = answer(daemon.send("", "GET", "/readyz", "", &Value::Null));
    assert!(ready.ends_with("ready\n"), "{ready}");
    stop(&daemon);
    assert_eq!(daemon.child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_unit_starts_the_daemon_and_gives_it_time_to_end() {
    let unit = packaging("hooks.service").replace("\\\n", " ");
    let value = |key: &str| {
        let mut lines = unit.lines().filter_map(|line| line.split_once('='));
        let line = lines.find(|(name, _)| *name == key);
        line.unwrap_or_else(|| panic!("no {key}")).1.to_owned()
    };
    let started = value("ExecStart");
    let mut args = started.split_whitespace().map(str::to_owned);
    assert_eq!(args.next().as_deref(), Some("/usr/bin/hooks"));
    let args: Vec<_> = args.collect();
    let folder = tempfile::tempdir().unwrap();
    is_ready(serve(folder.path(), &args));
    // What has begun, the hooks in the background, and the store.
    let drain = args.iter().position(|arg| arg == "--drain").unwrap() + 1;
    let drain: u64 = args[drain].parse().unwrap();
    let stop: u64 = value("TimeoutStopSec").parse().unwrap();
    assert!(stop > drain + 30 + 15 + 15);
    let files: u64 = value("LimitNOFILE").parse().unwrap();
    assert!(files > 16_384);

    // Where there is no systemd, its own check is left out.
    let file = folder.path().join("hooks.service");
    fs::write(
        &file,
        unit.replace("/usr/bin/hooks", env!("CARGO_BIN_EXE_hooks")),
    )
    .unwrap();
    let mut verify = Command::new("systemd-analyze");
    verify.arg("verify").arg(&file);
    if let Ok(said) = verify.output() {
        let errors = String::from_utf8_lossy(&said.stderr);
        let own: Vec<_> = errors
            .lines()
            .filter(|line| line.contains("hooks.service"))
            .collect();
        assert!(own.is_empty(), "{own:?}");
    }
}

#[test]
fn the_container_starts_the_daemon() {
    let file = packaging("Dockerfile");
    let command = file.lines().find_map(|line| line.strip_prefix("CMD "));
    let args: Vec<String> = serde_json::from_str(command.unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    is_ready(serve(folder.path(), &args));
    assert!(file.contains("USER hooks\n"));
    let base = format!("FROM rust:{}-", env!("CARGO_PKG_RUST_VERSION"));
    assert!(file.contains(&base), "{base}");
}

/// The seconds of a line `NAME SECONDSs`.
fn seconds(text: &str, name: &str) -> u64 {
    let mut lines = text.lines().map(|line| line.trim().trim_end_matches(';'));
    let value = lines.find_map(|line| line.strip_prefix(name)?.trim().strip_suffix('s'));
    value
        .unwrap_or_else(|| panic!("no {name}"))
        .parse()
        .unwrap()
}

#[test]
fn the_proxies_wait_and_hide_what_strangers_say() {
    let nginx = packaging("nginx.conf");
    assert!(seconds(&nginx, "proxy_read_timeout") > LONGEST_WAIT);
    for line in [
        "proxy_http_version 1.1;",
        "proxy_buffering off;",
        "proxy_set_header Host $host;",
        "proxy_set_header Upgrade $http_upgrade;",
        "proxy_set_header Connection $hooks_connection;",
        "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
        "proxy_set_header Forwarded \"\";",
        "limit_conn hooks_addresses 256;",
    ] {
        assert!(nginx.lines().any(|own| own.trim() == line), "{line}");
    }
    let caddy = packaging("Caddyfile");
    assert!(seconds(&caddy, "response_header_timeout") > LONGEST_WAIT);
    for line in [
        "flush_interval -1",
        "header_up -Forwarded",
        "health_uri /readyz?only=drain",
    ] {
        assert!(caddy.lines().any(|own| own.trim() == line), "{line}");
    }
    assert_eq!(caddy.matches('{').count(), caddy.matches('}').count());
}

/// An nginx that runs. It is ended in the end.
struct Nginx(Child);

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts nginx with our settings before an address, without TLS, and returns its port.
fn nginx(folder: &Path, daemon: &str) -> (Nginx, u16) {
    let program = std::env::var("HOOKS_NGINX").expect("HOOKS_NGINX=$(.ci/nginx)");
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let own = packaging("nginx.conf").replace("127.0.0.1:8787", daemon);
    let own = own.replace("listen 443 ssl;", &format!("listen 127.0.0.1:{port};"));
    // The proxy has an address of its own here, because the client is on this machine, too.
    let version = "proxy_http_version";
    let own = own.replace(version, &format!("proxy_bind 127.0.0.3;\n{version}"));
    let own = own.lines().filter(|line| !line.contains("ssl"));
    let own = own.collect::<Vec<_>>().join("\n");
    let place = |name: &str| folder.join(name).display().to_string();
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary = temporary
        .map(|of| format!("{of}_temp_path {};\n", place(of)))
        .concat();
    let all = format!(
        "daemon off;\nmaster_process off;\npid {};\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}{own}\n}}\n",
        place("pid")
    );
    let file: PathBuf = folder.join("nginx.conf");
    fs::write(&file, all).unwrap();
    let child = Command::new(program)
        .arg("-e")
        .arg("stderr")
        .arg("-c")
        .arg(&file)
        .spawn();
    let nginx = Nginx(child.unwrap());
    for _ in 0..500 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return (nginx, port);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("nginx does not listen");
}

/// Reads until a text is there.
fn read_until(stream: &mut TcpStream, wanted: &str) -> String {
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    let mut text = String::new();
    while !text.contains(wanted) {
        let mut part = [0; 4096];
        let length = stream
            .read(&mut part)
            .unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_ne!(length, 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&part[..length]));
    }
    text
}

#[test]
#[ignore = "needs nginx: HOOKS_NGINX=$(.ci/nginx)"]
fn by_hand_nginx_passes_on_what_the_daemon_says() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("hooks.db").display());
    let args = [
        "token", "new", "--store", &url, "--role", "owner", "--tenant", "acme",
    ];
    let owner = run(command(folder.path(), &args), "").out.trim().to_owned();
    let args = [
        "serve",
        "--json",
        "--store",
        &url,
        "--listen",
        "127.0.0.1:0",
        "--trusted-proxy",
        "127.0.0.3",
    ];
    let mut daemon = started(command(folder.path(), &args));
    let (_nginx, port) = nginx(folder.path(), daemon.address.as_deref().unwrap());
    daemon.address = Some(format!("127.0.0.1:{port}"));
    let ask = |method: &str, path: &str, headers: &str, body: &Value| {
        daemon.send(&owner, method, path, headers, body)
    };
    // The daemon learns the address that nginx sees, and not what a client says of itself.
    let lies = "x-forwarded-for: 203.0.113.9\r\nforwarded: for=203.0.113.9\r\n";
    let hook = json!({ "name": "no", "event": "BeforeToolCall", "block": "no" });
    let said = answer(ask("POST", "/api/v1/hooks", lies, &hook));
    assert!(said.contains(" 201 "), "{said}");
    let log = answer(ask("GET", "/api/v1/admin-log", "", &Value::Null));
    assert!(
        log.contains("api 127.0.0.1") && !log.contains("203.0.113.9"),
        "{log}"
    );
    // An agent waits for a bundle, and a stream says at once what happens.
    let bundle = answer(ask("GET", "/api/v1/bundle", "", &Value::Null));
    let tag = bundle.lines().find_map(|line| {
        line.to_lowercase()
            .strip_prefix("etag: ")
            .map(str::to_owned)
    });
    let known = format!("if-none-match: {}\r\n", tag.unwrap());
    let mut stream = ask("GET", "/api/v1/executions/stream", "", &Value::Null);
    read_until(&mut stream, "\r\n\r\n");
    let began = std::time::Instant::now();
    let waited = answer(ask("GET", "/api/v1/bundle?wait=60", &known, &Value::Null));
    assert!(waited.contains(" 304 "), "{waited}");
    assert!(
        began.elapsed() > Duration::from_secs(50),
        "{:?}",
        began.elapsed()
    );
    let event = json!({ "session_id": "s1", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": "ls" }, "tool_use_id": "1" });
    assert!(answer(ask("POST", "/hooks/claude", "", &event)).contains(" 200 "));
    read_until(&mut stream, "BeforeToolCall");
    // A WebSocket is one behind nginx, too.
    let mut socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let asked = "GET /ws HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
        sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
    socket.write_all(asked.as_bytes()).unwrap();
    let said = read_until(&mut socket, "\r\n\r\n");
    assert!(said.contains(" 101 "), "{said}");
}
