//! A daemon in the test's own process, and a client that says exactly what it sends.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hooks_runtime::bridge::LeftToAgent;
use hooks_runtime::{Decided, Runtime};
use hooks_server::{Answer, Declined, Ended, Program, Server, ServerBuilder, Shutdown};
use hooks_store::{By, Capabilities, Store};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// Hooks of which each says something else. `BEGUN` is [`Daemon::begun`].
pub(crate) const HOOKS: &str = r#"
    [[hooks.on]]
    name = "no-force"
    event = "BeforeToolCall"
    tools = ["Bash", "shell", "run_shell_command"]
    if = 'args.command.contains("--force")'
    block = "no force"
    [[hooks.on]]
    name = "slow"
    event = "BeforeToolCall"
    tools = ["Slow"]
    command = "touch BEGUN; sleep 1; exit 2"
"#;

/// A daemon that runs.
pub(crate) struct Daemon {
    pub(crate) address: SocketAddr,
    pub(crate) socket: PathBuf,
    pub(crate) shutdown: Shutdown,
    pub(crate) ended: JoinHandle<Ended>,
    /// What waits for ever has begun.
    pub(crate) waits: Arc<Notify>,
    folder: tempfile::TempDir,
}

/// Says what it was asked, or waits.
struct Echo(Arc<Notify>);

#[async_trait]
impl Program for Echo {
    fn version(&self) -> &str {
        "1"
    }

    async fn answer(&self, asked: &[u8]) -> Result<Answer, Declined> {
        match asked {
            b"wait" => {
                self.0.notify_one();
                std::future::pending().await
            }
            b"no" => Err(Declined("it cannot".into())),
            asked => Ok(Answer {
                text: asked.to_vec(),
                event: Some("BeforeToolCall"),
                decision: Decided::Continue,
            }),
        }
    }
}

/// Lets this process open as many files as it may, and returns how many.
pub(crate) fn most_files() -> u64 {
    use rustix::process::{Resource, getrlimit, setrlimit};

    let mut files = getrlimit(Resource::Nofile);
    files.current = files.maximum;
    let _ = setrlimit(Resource::Nofile, files);
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

pub(crate) async fn daemon() -> Daemon {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("hooks.sock");
    let begun = folder.path().join("begun");
    let hooks = HOOKS.replace("BEGUN", &begun.display().to_string());
    let hooks = Runtime::builder().text(hooks).approver(LeftToAgent);
    let waits = Arc::<Notify>::default();
    let server = Server::builder()
        .hooks(hooks.build().await.unwrap())
        .program(Echo(Arc::clone(&waits)))
        .socket(&socket)
        .listen("127.0.0.1:0".parse().unwrap())
        .bind()
        .await
        .unwrap();
    let address = server.address().unwrap();
    let shutdown = Shutdown::new();
    let asked = shutdown.clone();
    Daemon {
        address,
        socket,
        shutdown,
        ended: tokio::spawn(async move { server.run(&asked).await }),
        waits,
        folder,
    }
}

impl Daemon {
    /// Waits until the slow hook has begun.
    pub(crate) async fn begun(&self) {
        while !self.folder.path().join("begun").exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// An answer: the status, the head and the body.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answered {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines();
        let mut headers = lines.filter_map(|line| line.split_once(": "));
        headers
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Sends a request, and reads until the other end closes.
pub(crate) async fn exchange(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    request: &[u8],
) -> Answered {
    stream.write_all(request).await.unwrap();
    read(stream).await
}

pub(crate) async fn read(mut stream: impl AsyncRead + Unpin) -> Answered {
    let mut text = Vec::new();
    let all = stream.read_to_end(&mut text);
    let _ = tokio::time::timeout(Duration::from_mins(5), all)
        .await
        .expect("an answer");
    let text = String::from_utf8(text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    Answered {
        status: status.unwrap_or(0),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}

impl Daemon {
    pub(crate) async fn tcp(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    pub(crate) async fn unix(&self) -> UnixStream {
        UnixStream::connect(&self.socket).await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Answered {
        exchange(self.tcp().await, &request("GET", path, "", "")).await
    }

    pub(crate) async fn post(&self, path: &str, body: &str) -> Answered {
        exchange(self.tcp().await, &request("POST", path, "", body)).await
    }
}

/// The text of a request. `headers` end with a new line each.
pub(crate) fn request(method: &str, path: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// An event of Claude Code.
pub(crate) fn claude(tool: &str, command: &str) -> String {
    json!({ "session_id": "s1", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": tool,
            "tool_input": { "command": command }, "tool_use_id": "1" })
    .to_string()
}

/// A daemon on a store of its own.
pub(crate) struct Stored {
    pub(crate) daemon: Daemon,
    pub(crate) store: Store,
    pub(crate) folder: tempfile::TempDir,
}

pub(crate) async fn stored() -> Stored {
    stored_with(Capabilities::all(), |server| server).await
}

/// A daemon on a store, with what it allows and a setting.
pub(crate) async fn stored_with(
    capabilities: Capabilities,
    set: impl FnOnce(ServerBuilder) -> ServerBuilder,
) -> Stored {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("hooks.db").display());
    let store = Store::builder(&url)
        .capabilities(capabilities)
        .open()
        .await
        .unwrap();
    let server = Server::builder()
        .store(store.clone())
        .listen("127.0.0.1:0".parse().unwrap());
    let server = set(server).bind().await.unwrap();
    let address = server.address().unwrap();
    let shutdown = Shutdown::new();
    let asked = shutdown.clone();
    let daemon = Daemon {
        address,
        socket: PathBuf::new(),
        shutdown,
        ended: tokio::spawn(async move { server.run(&asked).await }),
        waits: Arc::default(),
        folder: tempfile::tempdir().unwrap(),
    };
    Stored {
        daemon,
        store,
        folder,
    }
}

/// A client with a token.
#[derive(Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    pub(crate) token: String,
}

impl Stored {
    pub(crate) fn with_token(&self, token: &str) -> Client {
        Client {
            address: self.daemon.address,
            token: token.to_owned(),
        }
    }

    pub(crate) async fn client(&self, tenant: &str, role: &str) -> Client {
        let by = By::new("the test");
        let tenant = self.store.tenant(tenant);
        // The first has the name of its role.
        let others = tenant.tokens().await.unwrap().len();
        let name = match others {
            0 => role.to_owned(),
            others => format!("{role} {others}"),
        };
        let token = tenant
            .token_new(&name, role.parse().unwrap(), None, &by)
            .await
            .unwrap();
        self.with_token(&token.to_string())
    }

    /// Whether nothing was saved in the draft of a tenant.
    pub(crate) async fn has_no_hooks(&self, tenant: &str) -> bool {
        self.store.tenant(tenant).hooks().await.unwrap().is_empty()
    }

    pub(crate) async fn eventually<T>(&self, mut is_so: impl AsyncFnMut() -> Option<T>) -> T {
        for _ in 0..15_000 {
            if let Some(found) = is_so().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("it does not come");
    }
}

impl Client {
    pub(crate) async fn raw(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> Answered {
        self.at(method, &format!("/api/v1{path}"), headers, body)
            .await
    }

    pub(crate) async fn at(&self, method: &str, path: &str, headers: &str, body: &str) -> Answered {
        let headers = format!("authorization: Bearer {}\r\n{headers}", self.token);
        let stream = TcpStream::connect(self.address).await.unwrap();
        exchange(stream, &request(method, path, &headers, body)).await
    }

    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: &Value,
    ) -> Answered {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        self.raw(method, path, headers, &body).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answered {
        self.raw("GET", path, "", "").await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answered {
        self.send("POST", path, "", body).await
    }

    /// Publishes the draft as it is.
    pub(crate) async fn publish(&self, body: &Value) -> Answered {
        let draft = self.get("/draft").await;
        let tag = format!("if-match: {}\r\n", draft.header("etag").unwrap());
        self.send("POST", "/revisions", &tag, body).await
    }

    pub(crate) async fn door(&self, path: &str, body: &str) -> Answered {
        self.at("POST", path, "", body).await
    }

    /// Reads a stream until it has a text.
    pub(crate) async fn stream(&self, path: &str, headers: &str, until: &str) -> String {
        let headers = format!("authorization: Bearer {}\r\n{headers}", self.token);
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let request = request("GET", &format!("/api/v1{path}"), &headers, "");
        stream.write_all(&request).await.unwrap();
        let mut text = String::new();
        while !text.contains(until) {
            let mut part = [0; 4096];
            let read = tokio::time::timeout(Duration::from_mins(5), stream.read(&mut part)).await;
            let length = read
                .unwrap_or_else(|_| panic!("no {until} in {text}"))
                .unwrap();
            assert_ne!(length, 0, "{text}");
            text.push_str(&String::from_utf8_lossy(&part[..length]));
        }
        text
    }
}
