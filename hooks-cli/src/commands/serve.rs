//! `hooks serve --stdio` runs the hooks of a file for an agent that keeps a process, as PicoClaw does.
//!
//! PicoClaw sends JSON-RPC requests, one per line, and may send several at once. The command converts requests to our
//! events, and decisions of hooks to PicoClaw's actions. If PicoClaw has no action for a decision, the command denies a
//! tool call that is about to run, and writes a note to standard error in all other cases. It refuses a request that it
//! cannot judge.

mod answer;
mod calls;
mod request;

use std::cell::{Cell, RefCell};
use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;

use hooks_core::agent::Approval;
use hooks_runtime::Runtime;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::task::{JoinSet, spawn_local};

use self::calls::WaitingCalls;
pub(crate) use self::request::RAISED;
use crate::file::{self, FormatArgs};
use crate::{Done, Failure};

/// The length of the longest line that PicoClaw reads. After a longer line, it reads nothing more.
const LONGEST_LINE: usize = 1 << 20;

/// The maximum number of requests in progress. The next one is read when one of them is answered.
const MOST_REQUESTS: usize = 256;

/// The maximum number of runtime events in progress. Further ones are dropped, as PicoClaw does itself: observers never
/// delay a request.
const MOST_EVENTS: usize = 64;

/// The agent that is served.
struct Served {
    runtime: Runtime,
    /// Whether the agent asks for approvals, as its first message says.
    approves: Cell<bool>,
    calls: RefCell<WaitingCalls>,
}

pub(crate) fn run(named: Option<PathBuf>, format: FormatArgs, records: Option<&Path>) -> Done {
    let file = file::find(named)?;
    let served = file::block_on(async {
        let mut warnings = Vec::new();
        let builder = file::recorded(file::builder(&file, format), records, &mut warnings)
            .approver(hooks_builtin::DenyAll);
        file::warn_all(&warnings);
        let runtime = builder.build().await.map_err(Failure::found)?;
        file::print_notices(&runtime);
        let served = Rc::new(Served {
            runtime,
            approves: Cell::new(false),
            calls: RefCell::default(),
        });
        tokio::task::LocalSet::new()
            .run_until(serve(Rc::clone(&served)))
            .await;
        served.runtime.shutdown().await;
        Ok(())
    })?;
    served.map(|()| ExitCode::SUCCESS)
}

/// Answers requests until the input ends.
async fn serve(served: Rc<Served>) {
    let (lines, mut queue) = tokio::sync::mpsc::channel(1);
    // Reading standard input blocks its thread, and the tasks continue meanwhile.
    let reader = std::thread::Builder::new()
        .name("stdin".into())
        .spawn(move || {
            for line in std::io::stdin().lock().split(b'\n') {
                let Ok(line) = line else { return };
                if lines.blocking_send(line).is_err() {
                    return;
                }
            }
        });
    if let Err(error) = reader {
        anstream::eprintln!("error: {error}");
        return;
    }
    let (mut requests, mut events) = (JoinSet::new(), JoinSet::new());
    while let Some(line) = queue.recv().await {
        while requests.try_join_next().is_some() {}
        while events.try_join_next().is_some() {}
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line);
        let mut message: Map<String, Value> = match read(line) {
            Ok(message) => message,
            Err(error) => {
                // PicoClaw goes on without an answer, so what cannot be judged is refused.
                if let Ok(asked) = serde_json::from_slice::<StdioQuestion>(line) {
                    let why = format!("the request cannot be read: {error}");
                    reply(&asked.id, &asked.method, Err(why));
                    continue;
                }
                anstream::eprintln!("warning: ignored a line that is not a JSON object: {error}");
                continue;
            }
        };
        let mut take = |key: &str| message.remove(key).unwrap_or_default();
        let (method, params, id) = (take("method"), take("params"), take("id"));
        let method = method.as_str().unwrap_or_default().to_owned();
        if method == "hook.hello" {
            let modes = params["modes"].as_array();
            let approves = modes.is_some_and(|modes| modes.contains(&json!("approve")));
            served.approves.set(approves);
        }
        let served = Rc::clone(&served);
        if id.is_null() {
            if events.len() >= MOST_EVENTS {
                anstream::eprintln!("warning: dropped an event, because too many came at once");
                continue;
            }
            events.spawn_local(async move { served.observe(&method, &params).await });
            continue;
        }
        if requests.len() >= MOST_REQUESTS {
            requests.join_next().await;
        }
        requests.spawn_local(async move {
            let asked = method.clone();
            // A task of its own: if it panics, PicoClaw still gets an answer.
            let answered = spawn_local(async move { served.answer(&asked, params).await });
            let result = match answered.await {
                Ok(result) => result,
                Err(_) => Err("the program `hooks` failed".to_owned()),
            };
            reply(&id, &method, result);
        });
    }
    while requests.join_next().await.is_some() {}
    while events.join_next().await.is_some() {}
}

/// Writes one answer.
///
/// PicoClaw continues after an error. So a request that hooks could not judge gets a refusal in PicoClaw's form.
/// What is needed to answer a request, whatever its parameters are.
#[derive(Deserialize)]
struct StdioQuestion {
    id: Value,
    method: String,
}

/// Reads a message without a key twice.
fn read(line: &[u8]) -> Result<Map<String, Value>, String> {
    match hooks_runtime::__json(line) {
        Ok(Value::Object(message)) => Ok(message),
        Ok(_) => Err("the message is not an object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn reply(id: &Value, method: &str, result: Result<Value, String>) {
    let line = |result: Result<Value, String>| {
        let refused = |message| answer::refused(method, message);
        match result.or_else(refused) {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(message) => {
                let error = json!({ "code": -32000, "message": message });
                json!({ "jsonrpc": "2.0", "id": id, "error": error })
            }
        }
        .to_string()
    };
    let mut text = line(result);
    if text.len() >= LONGEST_LINE {
        text = line(Err(
            "the answer is longer than the limit for a line".to_owned()
        ));
    }
    text.push('\n');
    let mut out = std::io::stdout().lock();
    // A client that no longer reads needs no answer.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

impl Served {
    /// Handles a notification: a message without an answer.
    async fn observe(&self, method: &str, params: &Value) {
        if method != "hook.runtime_event" {
            return;
        }
        let cx = request::context_of_event(params);
        if let Some(mut event) = request::runtime_event(params) {
            let is_end = event.name() == "AgentEnd";
            let _ = self.runtime.fire(&cx, &mut event).await;
            if is_end {
                self.calls.borrow_mut().end_turn(&cx.session_id, &cx.run_id);
            }
        }
    }

    async fn answer(&self, method: &str, params: Value) -> Result<Value, String> {
        let cx = request::context(&params);
        match method {
            "hook.hello" => Ok(json!({ "ok": true, "name": "hooks", "version": 1 })),
            "hook.before_tool" => {
                let mut event = request::before_tool(&params)?;
                let outcome = self.runtime.fire(&cx, &mut event).await;
                let call = event.to_json();
                let approval: Approval =
                    serde_json::from_value(call["approval"].clone()).unwrap_or_default();
                let approves = self.approves.get();
                let answer = answer::before_tool(&params, &outcome, &call, &approval, approves);
                if !answer::runs_tool(&answer) {
                    return Ok(answer);
                }
                // The call may have changed. Its new form identifies it from now on.
                let mut after = params;
                after["tool"] = call["name"].clone();
                after["arguments"] = call["args"].clone();
                let mut calls = self.calls.borrow_mut();
                let asks = approval.is_wanted();
                if approves && !calls.keep_approval(&after, approval) && asks {
                    return Err(
                        "the call needs approval, but too many other calls are waiting for theirs"
                            .into(),
                    );
                }
                calls.keep_context(&after, answer::texts(&call["context"]));
                Ok(answer)
            }
            "hook.approve_tool" => {
                let approval = self.calls.borrow_mut().take_approval(&params);
                let mut event = request::approve_tool(&params, &approval)?;
                let outcome = self.runtime.fire(&cx, &mut event).await;
                Ok(answer::approve_tool(&outcome, &approval))
            }
            "hook.after_tool" => {
                let context = self.calls.borrow_mut().take_context(&params);
                let mut event = request::after_tool(&params, context)?;
                let before = event.to_json();
                let outcome = self.runtime.fire(&cx, &mut event).await;
                Ok(answer::after_tool(
                    params,
                    &outcome,
                    &before,
                    &event.to_json(),
                ))
            }
            "hook.before_llm" => {
                let mut event = request::before_llm(&params)?;
                let before = event.to_json();
                let outcome = self.runtime.fire(&cx, &mut event).await;
                Ok(answer::before_llm(
                    params,
                    &outcome,
                    &before,
                    &event.to_json(),
                ))
            }
            "hook.after_llm" => {
                let mut event = request::after_llm(&params)?;
                let before = event.to_json();
                let outcome = self.runtime.fire(&cx, &mut event).await;
                Ok(answer::after_llm(
                    params,
                    &outcome,
                    &before,
                    &event.to_json(),
                ))
            }
            other => Err(format!("method not found: {other}")),
        }
    }
}
