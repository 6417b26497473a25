//! A process that keeps running and is asked over JSON-RPC, with PicoClaw's protocol and names.
//!
//! The process starts with the first event for it, not when the file is loaded. So checking a file or printing the plan
//! starts nothing. It ends when the runtime shuts down, or when a reload removes its definition. If it ends by itself,
//! it is restarted after a while, unless `restart = false`. Until then, every call fails, so events that can be blocked
//! are blocked, unless the definition says otherwise.
//!
//! | event | method | |
//! | --- | --- | --- |
//! | `BeforeToolCall`, `AfterToolCall` | `hook.before_tool`, `hook.after_tool` | a request |
//! | `InvalidToolCall` | `hook.before_tool` | a request: the process may answer for a tool that the agent does not have |
//! | `ApproveToolCall` | `hook.approve_tool` | a request |
//! | `BeforeLlmCall`, `AfterLlmCall` | `hook.before_llm`, `hook.after_llm` | a request |
//! | any other | `hook.runtime_event` | a notification: it has no answer and decides nothing |
//!
//! One queue has all messages for a process, and an event enters it while it is dispatched. So the process hears of
//! events in the order in which the agent raised them.
//!
//! `true` from `hook.approve_tool` approves a call for which another hook requires an approval. Other calls continue to
//! the other approvers.

mod answer;
mod connection;
mod line;
mod llm;
mod server;
mod stderr;
mod wire;

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use hooks_sandbox::Confinement;

use self::server::HandlerProcess;
use self::wire::ProcessMessage;
use super::command::{self, CommandEnvironment};
use super::{Handler, Listener, Making, PendingAnswer, SettingsMistake};
use crate::answer::HandlerAnswer;
use crate::entry::ServerEntry;
use crate::fault::HandlerFault;
use crate::system::Dialect;
use crate::system::HandlerQuestion;

pub(crate) use self::wire::mode_of;

/// What a process is, and what it is for.
#[derive(Clone, Default)]
pub(crate) struct ProcessSettings {
    /// Its name, which the process gets.
    pub(crate) name: String,
    /// The program and its arguments.
    pub(crate) argv: Vec<String>,
    /// The folder that a relative path of the program is relative to.
    pub(crate) folder: PathBuf,
    /// The directory in which it runs; by default the agent's.
    pub(crate) dir: Option<PathBuf>,
    pub(crate) environment: CommandEnvironment,
    /// Whether it is restarted.
    pub(crate) restart: bool,
    pub(crate) sandbox: Option<Confinement>,
    /// The modes that the process gets at its start, out of `observe`, `llm`, `tool` and `approve`.
    pub(crate) modes: Vec<&'static str>,
    /// The dialect of the file. In PicoClaw's, an unknown answer lets the event continue.
    pub(crate) dialect: Dialect,
}

struct ProcessHandler(Arc<HandlerProcess>);

/// Checks the settings, and creates the handler.
pub(crate) fn make(
    entry: &ServerEntry,
    dialect: Dialect,
    making: &Making,
) -> Result<Arc<dyn Handler>, SettingsMistake> {
    let Some(program) = entry
        .argv
        .first()
        .filter(|program| !program.trim().is_empty())
    else {
        return Err(SettingsMistake::new("the program is missing")
            .at("argv")
            .help("write `process = { argv = [\"python3\", \"gate.py\"] }`"));
    };
    if let Some(text) = entry.argv.iter().find(|text| text.contains('\0')) {
        let message = format!("`{}` contains a NUL byte", text.escape_debug());
        return Err(SettingsMistake::new(message));
    }
    let environment = CommandEnvironment::check(&entry.env, dialect)?;
    let limits = entry.sandbox.as_ref();
    let limits = limits.map(|limits| command::sandbox(limits, making));
    let mut modes = Vec::new();
    for event in &making.events {
        let mode = wire::mode_of(event);
        if !modes.contains(&mode) {
            modes.push(mode);
        }
    }
    Ok(start(ProcessSettings {
        name: making.name.clone().unwrap_or_else(|| program.clone()),
        argv: entry.argv.clone(),
        folder: making.folder.clone(),
        dir: entry.dir.as_ref().map(|dir| making.folder.join(dir)),
        environment,
        restart: entry.restart.unwrap_or(true),
        sandbox: limits.transpose()?,
        modes,
        dialect,
    }))
}

/// Creates a handler that starts the process with its first event.
pub(crate) fn start(settings: ProcessSettings) -> Arc<dyn Handler> {
    Arc::new(ProcessHandler(Arc::new(HandlerProcess::new(settings))))
}

impl Handler for ProcessHandler {
    fn kind(&self) -> &'static str {
        "process"
    }

    fn target(&self) -> String {
        self.0.settings.argv.join(" ")
    }

    fn ask(&self, ask: &HandlerQuestion<'_>) -> PendingAnswer {
        let server = Arc::clone(&self.0);
        match wire::message(ask) {
            ProcessMessage::Request(request) => {
                let hook = ask.hook.to_owned();
                let params = request.params.to_string();
                Box::pin(async move {
                    let connection = server.connection().await?;
                    let result = connection.call(request.method, &params).await?;
                    answer::of(&request, result, &hook, server.settings.dialect)
                })
            }
            ProcessMessage::Event(params) => Box::pin(async move {
                // A caller that waits for it also reads why it does not start.
                server.connection().await?;
                server.tell(event(&params))?;
                Ok::<_, HandlerFault>(HandlerAnswer::default())
            }),
        }
    }

    fn listener(&self) -> Option<&dyn Listener> {
        Some(self)
    }

    fn starting(&self) -> Option<Pin<Box<dyn Future<Output = ()> + Send>>> {
        let server = Arc::clone(&self.0);
        Some(Box::pin(async move {
            // A caller that asks it receives the reason why it does not start.
            let _ = server.connection().await;
        }))
    }

    fn shut_down(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.0.shut_down())
    }
}

impl Listener for ProcessHandler {
    fn tell(&self, ask: &HandlerQuestion<'_>) -> Result<(), HandlerFault> {
        match wire::message(ask) {
            ProcessMessage::Event(params) => self.0.tell(event(&params)),
            ProcessMessage::Request(request) => Err(HandlerFault::not_asked(format_args!(
                "`{}` has an answer, which would not be read",
                request.method
            ))),
        }
    }
}

fn event(params: &serde_json::Value) -> connection::QueuedMessage {
    connection::QueuedMessage::event("hook.runtime_event", &params.to_string())
}
