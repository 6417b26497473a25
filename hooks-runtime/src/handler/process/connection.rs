//! The connection to a process during one run: calls and answers, matched by their ids.

use std::collections::HashMap;
use std::io;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hooks_builtin::__child::{Background, Child, Pipes};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{sleep, timeout};

use super::line::{Lines, ProcessLine};
use super::{ProcessSettings, stderr};
use crate::fault::HandlerFault;
use crate::handler::{command, words};
use crate::json;

/// The maximum length of an answer.
const MOST_ANSWER: usize = 1024 * 1024;

/// How long the process has to answer `hook.hello`.
const HELLO: Duration = Duration::from_secs(10);

/// How long the process has to end after its input is closed.
const LAST_WORK: Duration = Duration::from_secs(2);

/// The connection to the process.
pub(super) struct Connection {
    name: String,
    run: u64,
    calls: Mutex<OpenCalls>,
    queue: mpsc::Sender<QueuedMessage>,
    logged: Mutex<stderr::LineLimit>,
    first_words: stderr::FirstWords,
}

/// A message that waits until the process reads it. One queue has all messages, so the process reads them in the order
/// in which the agent raised the events.
pub(super) struct QueuedMessage {
    line: String,
    /// The run whose answer is awaited. The next run has the same ids again, so it never reads the call.
    run: Option<u64>,
}

impl QueuedMessage {
    /// A notification, which any run may read.
    pub(super) fn event(method: &str, params: &str) -> Self {
        QueuedMessage {
            line: format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}\n"),
            run: None,
        }
    }

    pub(super) fn is_event(&self) -> bool {
        self.run.is_none()
    }
}

#[derive(Default)]
struct OpenCalls {
    last: u64,
    open: HashMap<u64, oneshot::Sender<Result<Value, HandlerFault>>>,
    /// Why no more calls are possible.
    over: Option<String>,
}

/// How a run ended.
pub(super) enum End {
    /// It was told to stop.
    Stopped,
    Died(String),
}

impl Connection {
    /// Sends a call, and waits for the answer.
    ///
    /// # Errors
    ///
    /// If the process ends, or its answer is an error or too long.
    pub(super) async fn call(&self, method: &str, params: &str) -> Result<Value, HandlerFault> {
        let (line, call) = self.open(method, params)?;
        let run = Some(self.run);
        // If the queue is closed, the process has ended, and the call has already failed.
        let _ = self.queue.send(QueuedMessage { line, run }).await;
        call.answered().await
    }

    /// Opens a call, and returns the line that asks it.
    fn open(&self, method: &str, params: &str) -> Result<(String, OpenCall<'_>), HandlerFault> {
        let (sender, answer) = oneshot::channel();
        let mut calls = self.calls();
        if let Some(why) = &calls.over {
            return Err(HandlerFault::not_started(why));
        }
        calls.last += 1;
        let id = calls.last;
        calls.open.insert(id, sender);
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n"
        );
        let call = OpenCall {
            connection: self,
            id,
            answer,
        };
        Ok((line, call))
    }

    fn calls(&self) -> std::sync::MutexGuard<'_, OpenCalls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes an answer to the caller that waits for it.
    fn answered(&self, line: ProcessLine) {
        let (id, said) = match line {
            ProcessLine::TooLong(id) => (
                id,
                Err(HandlerFault::nonsense(
                    "the answer of the process is longer than 1 MiB",
                )),
            ),
            ProcessLine::Whole(line) => {
                if line.iter().all(u8::is_ascii_whitespace) {
                    return;
                }
                let mut message = match json::from_slice(&line) {
                    // A request may have the id of a call, and is not consent.
                    Ok(message) if message.get("method").is_some() => {
                        return self
                            .drop_line(&line, "the line is a request, which gets no answer");
                    }
                    Ok(message @ Value::Object(_)) => message,
                    Ok(_) => return self.drop_line(&line, "the line is not an object"),
                    Err(error) => match serde_json::from_slice::<Value>(&line) {
                        // A key is there twice: what was meant is not known.
                        Ok(message) if message["id"].is_u64() => {
                            json!({ "id": message["id"], "error": error.to_string() })
                        }
                        _ => return self.drop_line(&line, &error.to_string()),
                    },
                };
                let said = match message.get("error") {
                    Some(error) if !error.is_null() => {
                        let text = error["message"]
                            .as_str()
                            .map_or_else(|| error.to_string(), str::to_owned);
                        Err(HandlerFault::failed(format_args!(
                            "the process answered with an error: {text}"
                        )))
                    }
                    _ => match message.get_mut("result") {
                        Some(result) => Ok(result.take()),
                        None => Err(HandlerFault::nonsense(
                            "the answer of the process has neither a `result` nor an `error`",
                        )),
                    },
                };
                (message["id"].as_u64(), said)
            }
        };
        let waiting = id.and_then(|id| self.calls().open.remove(&id));
        if let Some(waiting) = waiting {
            // The caller may be gone.
            let _ = waiting.send(said);
        } else if self.may_log() {
            tracing::warn!(
                process = self.name,
                id,
                "a process sent an answer that no call waits for"
            );
        }
    }

    /// Whether one more line may be logged.
    fn may_log(&self) -> bool {
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        logged.admits(&self.name)
    }

    fn drop_line(&self, line: &[u8], why: &str) {
        if !self.may_log() {
            return;
        }
        let start = String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
        tracing::warn!(
            process = self.name,
            line = start,
            "a process wrote a line that is not an answer: {why}"
        );
    }

    /// Fails all pending and future calls.
    fn end(&self, why: &str) {
        let mut calls = self.calls();
        calls.over = Some(why.to_owned());
        for (_, waiting) in calls.open.drain() {
            let _ = waiting.send(Err(HandlerFault::failed(why)));
        }
    }
}

/// An open call. When its caller has gone, it is forgotten.
struct OpenCall<'a> {
    connection: &'a Connection,
    id: u64,
    answer: oneshot::Receiver<Result<Value, HandlerFault>>,
}

impl OpenCall<'_> {
    async fn answered(mut self) -> Result<Value, HandlerFault> {
        (&mut self.answer)
            .await
            .unwrap_or_else(|_| Err(HandlerFault::failed("the process has ended")))
    }
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        self.connection.calls().open.remove(&self.id);
    }
}

/// Our end of the queue of all messages for a process, whatever run of it reads them.
pub(super) struct MessageQueue {
    pub(super) sender: mpsc::Sender<QueuedMessage>,
    pub(super) messages: mpsc::Receiver<QueuedMessage>,
    /// The number of the current run.
    pub(super) run: u64,
}

/// Starts the process, says hello, and serves it until it ends. `is_up` hears when it accepts calls.
pub(super) async fn live(
    settings: &ProcessSettings,
    queue: &mut MessageQueue,
    stop: &mut watch::Receiver<bool>,
    is_up: impl FnOnce(Arc<Connection>),
) -> End {
    let spawned = match command(settings) {
        Ok(command) => Child::spawn(command, Background::Ends),
        Err(why) => return End::Died(why),
    };
    let (child, pipes) = match spawned {
        Ok(spawned) => spawned,
        Err(error) => {
            return End::Died(format!("`{}` cannot be started: {error}", settings.argv[0]));
        }
    };
    queue.run += 1;
    let connection = Arc::new(Connection {
        name: settings.name.clone(),
        run: queue.run,
        calls: Mutex::default(),
        queue: queue.sender.clone(),
        logged: Mutex::default(),
        first_words: stderr::FirstWords::new(),
    });
    let params = json!({ "name": settings.name, "version": 1, "modes": settings.modes });
    let (opening, hello) = match connection.open("hook.hello", &params.to_string()) {
        Ok(opened) => opened,
        Err(fault) => return End::Died(fault.message),
    };
    let (greeted, is_greeted) = oneshot::channel();
    let letters = Letters {
        hello: opening,
        is_greeted,
        messages: &mut queue.messages,
    };
    let end = {
        let mut life = std::pin::pin!(run(child, pipes, letters, &connection, stop));
        let said = tokio::select! {
            said = timeout(HELLO, hello.answered()) => match said {
                Ok(Ok(said)) => {
                    if said["ok"] == Value::Bool(false) {
                        tracing::warn!(process = settings.name, "a process reports that it is not ready: it is asked anyway");
                    }
                    Ok(())
                }
                Ok(Err(fault)) => Err(format!("`hook.hello` failed: {fault}")),
                Err(_) => Err("the process did not answer `hook.hello`".to_owned()),
            },
            end = &mut life => {
                connection.end("the process has ended");
                return end;
            }
        };
        match said {
            Ok(()) => {
                // The reader of the other end ends with `life`.
                let _ = greeted.send(());
                connection.first_words.end();
                is_up(Arc::clone(&connection));
                life.await
            }
            Err(why) => End::Died(why),
        }
    };
    connection.end(match &end {
        End::Stopped => "the process was ended",
        End::Died(why) => why,
    });
    end
}

fn command(settings: &ProcessSettings) -> Result<Command, String> {
    let (program, arguments) = settings
        .argv
        .split_first()
        .ok_or("the program is missing")?;
    let path = settings.environment.path();
    let found = command::in_folder(program, &settings.folder, settings.dir.as_deref(), path)?;
    let words = words(settings.sandbox.as_ref(), found, arguments);
    let mut command = settings.environment.command(&words[0], |_| {});
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, program);
    command.args(&words[1..]);
    if let Some(dir) = &settings.dir {
        if !dir.is_dir() {
            return Err(format!(
                "the folder {} of `dir` does not exist",
                dir.display()
            ));
        }
        command.current_dir(dir);
    }
    Ok(command)
}

/// Moves input and output, until the process ends or must stop.
async fn run(
    mut child: Child,
    pipes: Pipes,
    letters: Letters<'_>,
    connection: &Connection,
    stop: &mut watch::Receiver<bool>,
) -> End {
    let Pipes {
        stdin,
        stdout,
        stderr,
    } = pipes;
    let mut wait = std::pin::pin!(child.wait());
    let mut writing = std::pin::pin!(write(stdin, letters, connection.run, stop.clone()));
    let mut reading = std::pin::pin!(read(stdout, connection));
    let mut logging = std::pin::pin!(stderr::log(
        stderr,
        &connection.name,
        &connection.first_words
    ));
    let mut deaf = std::pin::pin!(async {
        stopped(&mut stop.clone()).await;
        sleep(LAST_WORK).await;
    });
    let (mut is_logged, mut child_is_deaf) = (false, false);
    // If it still runs in the end, dropping it ends it.
    let end = loop {
        tokio::select! {
            status = &mut wait => break Some(Err(status)),
            () = &mut reading => break Some(Ok("the process has closed its output")),
            is_told = &mut writing => break (!is_told).then_some(Ok("the process has closed its input")),
            // The process does not read its earlier messages, so closing its input would not help.
            () = &mut deaf => {
                child_is_deaf = true;
                break None;
            }
            () = &mut logging, if !is_logged => is_logged = true,
        }
    };
    match end {
        Some(Err(status)) => {
            // The remaining output.
            let rest = async {
                tokio::join!(&mut reading, async {
                    if !is_logged {
                        logging.await;
                    }
                })
            };
            let _ = timeout(Duration::from_millis(100), rest).await;
            End::Died(ended(status, connection))
        }
        // It will probably end by itself, which gives a better reason.
        Some(Ok(why)) => match timeout(Duration::from_millis(500), &mut wait).await {
            Ok(status) => End::Died(ended(status, connection)),
            Err(_) => End::Died(why.to_owned()),
        },
        None if child_is_deaf => End::Stopped,
        None => {
            let last = async {
                loop {
                    tokio::select! {
                        _ = &mut wait => return,
                        () = &mut logging, if !is_logged => is_logged = true,
                    }
                }
            };
            let answers = async { tokio::join!(last, reading) };
            let _ = timeout(LAST_WORK, answers).await;
            End::Stopped
        }
    }
}

fn ended(status: io::Result<std::process::ExitStatus>, connection: &Connection) -> String {
    match status {
        Ok(status) => format!("the process has ended: {status}{}", connection.first_words),
        Err(error) => format!("the process cannot be followed: {error}"),
    }
}

/// What a run of the process reads.
struct Letters<'a> {
    hello: String,
    /// Comes when the process has answered `hello`. It reads nothing else before.
    is_greeted: oneshot::Receiver<()>,
    messages: &'a mut mpsc::Receiver<QueuedMessage>,
}

/// Writes what is queued. Returns whether it was told to stop; otherwise the process no longer reads.
async fn write(
    mut stdin: ChildStdin,
    letters: Letters<'_>,
    run: u64,
    mut stop: watch::Receiver<bool>,
) -> bool {
    let Letters {
        hello,
        is_greeted,
        messages,
    } = letters;
    if stdin.write_all(hello.as_bytes()).await.is_err() {
        return false;
    }
    tokio::select! {
        _ = is_greeted => {}
        () = stopped(&mut stop), if messages.is_empty() => return true,
    }
    loop {
        let message = tokio::select! {
            biased;
            message = messages.recv() => message,
            () = stopped(&mut stop) => {
                // Messages that were already queued are still written.
                messages.close();
                messages.recv().await
            }
        };
        let Some(message) = message else { return true };
        if message.run.is_none_or(|of| of == run)
            && stdin.write_all(message.line.as_bytes()).await.is_err()
        {
            return false;
        }
    }
}

/// Waits until the process must end, also because no sender is left to say so.
pub(super) async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

async fn read(stdout: impl AsyncRead + Unpin, connection: &Connection) {
    let mut lines = Lines::new(stdout, MOST_ANSWER);
    while let Some(line) = lines.next().await {
        connection.answered(line);
    }
}
