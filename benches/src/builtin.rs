//! The built-in hooks, and what they are measured on.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use hooks_builtin::config::{FileHooks, HookFactoryRegistry, HooksConfig};
use hooks_core::Hook;
use hooks_core::agent::{
    AfterToolCall, AgentContext, AgentHooks, ApproveToolCall, BeforeToolCall, ToolAnnotations,
    ToolCallEnd, ToolOutcome, ToolOutput,
};
use serde_json::{Value, json};

use crate::poll_now;

/// A tool call, with the four events of it.
#[derive(Debug)]
pub struct Call {
    cx: AgentContext,
    before: BeforeToolCall,
    after: AfterToolCall,
}

impl Default for Call {
    fn default() -> Self {
        let (id, name) = ("call-1".to_owned(), "search".to_owned());
        let args = json!({ "query": "where is the parser", "limit": 10 });
        let output = ToolOutput::new(
            "src/parser.rs:12: fn parse(text: &str) -> Result<Ast, Error> {\n".repeat(3),
        );
        Call {
            cx: AgentContext::new("session-1")
                .with_agent_id("coder")
                .with_cwd("/"),
            after: AfterToolCall {
                id: id.clone(),
                name: name.clone(),
                args: args.clone(),
                annotations: ToolAnnotations::default(),
                output,
                duration: Duration::from_millis(42),
                context: Vec::new(),
            },
            before: BeforeToolCall {
                id,
                name,
                args,
                ..BeforeToolCall::default()
            },
        }
    }
}

impl Call {
    /// Raises the events of the call; whether it goes on.
    pub fn raise(&mut self, hooks: &impl AgentHooks) -> bool {
        let Call { cx, before, after } = self;
        poll_now(async {
            let mut goes_on = hooks.intercept(cx, before).await.is_continue();
            let mut approve = ApproveToolCall::from(&*before);
            goes_on &= hooks.intercept(cx, &mut approve).await.is_continue();
            goes_on &= hooks.intercept(cx, after).await.is_continue();
            let end = ToolCallEnd {
                id: &after.id,
                name: &after.name,
                args: &after.args,
                annotations: ToolAnnotations::default(),
                output: &after.output,
                duration: after.duration,
                outcome: ToolOutcome::Ran,
            };
            hooks.observe(cx, &end).await;
            goes_on
        })
    }

    /// Asks about the call before it runs, and nothing more.
    pub fn ask(&mut self, hooks: &impl AgentHooks) -> bool {
        poll_now(async {
            hooks
                .intercept(&self.cx, &mut self.before)
                .await
                .is_continue()
        })
    }
}

/// All built-in hooks, on, with a folder for their files and a receiver for their audit.
#[derive(Debug)]
pub struct AllOn {
    /// The hooks, one by one.
    pub hooks: FileHooks,
    /// The file that says so.
    pub config: Value,
    folder: tempfile::TempDir,
}

impl AllOn {
    /// Turns them on. `receiver` is what the audit is posted to.
    ///
    /// # Errors
    ///
    /// If a folder or a receiver cannot be made.
    pub fn new(receiver: Receiver) -> Result<Self, Box<dyn std::error::Error>> {
        Self::with(Some(receiver))
    }

    /// Turns on those that are not logs.
    ///
    /// # Errors
    ///
    /// If a folder cannot be made.
    pub fn without_logs() -> Result<Self, Box<dyn std::error::Error>> {
        Self::with(None)
    }

    fn with(logs: Option<Receiver>) -> Result<Self, Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let root = folder
            .path()
            .to_str()
            .ok_or("a temporary folder is UTF-8")?;
        let mut builtin = json!({
            "security_policy": {
                "autonomy": "full", "max_actions_per_hour": 2_000_000_000, "workspace": root,
                "tools": { "search": { "harmless": ["query", "limit"] } },
            },
            "block_tools": { "tools": ["deploy", "mcp__*"] },
            "approval": { "tools": ["deploy"], "approver": "deny" },
            "rate_limit": { "max_per_minute": 2_000_000_000, "per": "tool" },
            "path_prefix": { "root": root },
            "shell_hook": { "command": "exit 1", "tools": ["deploy"] },
            "tool_cache": { "tools": ["read"] },
            "redact": { "model_input": true },
        });
        if let Some(receiver) = logs {
            let (url, _) = receiver.start()?;
            builtin["command_logger"] = true.into();
            builtin["event_log"] = true.into();
            builtin["jsonl_log"] = json!({ "path": format!("{root}/audit.jsonl") });
            builtin["webhook_audit"] =
                json!({ "url": url, "allow_loopback": ["127.0.0.1"], "include_args": true });
        }
        let config = json!({ "hooks": { "builtin": builtin } });
        Ok(AllOn {
            hooks: HooksConfig::from_json(&config.to_string())?
                .hooks(&HookFactoryRegistry::with_builtins())?,
            config,
            folder,
        })
    }

    /// The folder for their files, which is their workspace as well.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The pipeline of them.
    #[must_use]
    pub fn pipeline(&self) -> impl AgentHooks + std::fmt::Debug + Clone + use<> {
        self.hooks.clone().into_pipeline()
    }
}

/// All built-in hooks, off.
#[must_use]
pub fn all_off() -> impl AgentHooks + std::fmt::Debug + Clone + use<> {
    FileHooks::default().into_pipeline()
}

/// How many hooks there are, on or off.
///
/// # Errors
///
/// As [`AllOn::new`].
pub fn count() -> Result<usize, Box<dyn std::error::Error>> {
    let all = AllOn::new(Receiver::Hangs)?.pipeline();
    Ok(all.plan().map(|row| row.order).max().unwrap_or(0))
}

/// A server for webhooks, on loopback.
#[derive(Clone, Copy, Debug)]
pub enum Receiver {
    /// It answers.
    Answers,
    /// It takes connections and never answers.
    Hangs,
}

impl Receiver {
    /// Starts it, and returns its URL and what is posted to it.
    ///
    /// # Errors
    ///
    /// If there is no port.
    pub fn start(self) -> std::io::Result<(String, mpsc::Receiver<Vec<u8>>)> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let url = format!("http://{}/audit", listener.local_addr()?);
        let (bodies, posted) = mpsc::channel();
        thread::spawn(move || {
            let mut kept = Vec::new();
            for stream in listener.incoming().flatten() {
                match self {
                    Receiver::Answers => {
                        let bodies = bodies.clone();
                        thread::spawn(move || drop(answer(&stream, &bodies)));
                    }
                    Receiver::Hangs => kept.push(stream),
                }
            }
        });
        Ok((url, posted))
    }
}

/// Answers the requests of one connection.
fn answer(mut stream: &TcpStream, bodies: &mpsc::Sender<Vec<u8>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let mut length = 0;
        let mut line = String::new();
        while reader.read_line(&mut line)? > 2 {
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            line.clear();
        }
        if line.is_empty() {
            return Ok(());
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        // Few want to know.
        let _ = bodies.send(body);
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")?;
    }
}
