//! `hooks serve --stdio` runs the hooks of a file for an agent that keeps a process, as PicoClaw does.
//!
//! PicoClaw sends JSON-RPC, one message per line, and may send several requests at once. Requests become our events,
//! and the hooks' decisions become PicoClaw's actions. If PicoClaw cannot be told a decision about a tool that is about
//! to run, the call is denied. For other events, the loss is reported on standard error.

mod answer;
mod request;

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;

use hooks_core::agent::Approval;
use hooks_runtime::Runtime;
use serde_json::{Value, json};

use crate::{Done, Failure, file};

/// The longest line that PicoClaw reads. After a longer line, it reads nothing more.
const LONGEST_LINE: usize = 1 << 20;

/// How many calls are remembered between their events.
const MOST_CALLS: usize = 1024;

/// The state of a call between its events. PicoClaw's calls have no ids.
#[derive(Clone, Debug, Default)]
struct Remembered {
    approval: Approval,
    context: Vec<String>,
}

/// The agent that is served.
struct Served {
    runtime: Runtime,
    /// Whether the agent asks about approvals. It says so at the beginning.
    approves: RefCell<bool>,
    calls: RefCell<HashMap<String, Remembered>>,
}

pub(crate) fn run(named: Option<PathBuf>) -> Done {
    let file = file::find(named)?;
    let served = file::block_on(async {
        let builder = file::builder(&file).approver(hooks_builtin::DenyAll);
        let runtime = builder.build().await.map_err(Failure::found)?;
        let served = Rc::new(Served {
            runtime,
            approves: RefCell::new(false),
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

/// Answers until the input ends.
async fn serve(served: Rc<Served>) {
    let (lines, mut queue) = tokio::sync::mpsc::unbounded_channel();
    // Reading standard input blocks, and the other requests must continue in the meantime.
    let reader = std::thread::Builder::new()
        .name("stdin".into())
        .spawn(move || {
            for line in std::io::stdin().lock().split(b'\n') {
                let Ok(line) = line else { return };
                if lines.send(line).is_err() {
                    return;
                }
            }
        });
    if let Err(error) = reader {
        anstream::eprintln!("error: {error}");
        return;
    }
    let mut tasks = tokio::task::JoinSet::new();
    while let Some(line) = queue.recv().await {
        while tasks.try_join_next().is_some() {}
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let message: Value = match serde_json::from_slice(&line) {
            Ok(message) => message,
            Err(error) => {
                anstream::eprintln!("warning: a line is no JSON, and was ignored: {error}");
                continue;
            }
        };
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let params = message.get("params").cloned().unwrap_or_default();
        let id = message.get("id").filter(|id| !id.is_null()).cloned();
        if method == "hook.hello" {
            let modes = params["modes"].as_array();
            let approves = modes.is_some_and(|modes| modes.contains(&json!("approve")));
            served.approves.replace(approves);
        }
        let served = Rc::clone(&served);
        tasks.spawn_local(async move {
            let result = served.answer(&method, params).await;
            if let Some(id) = id {
                reply(&id, result);
            }
        });
    }
    while tasks.join_next().await.is_some() {}
}

/// Writes one answer.
fn reply(id: &Value, result: Result<Value, String>) {
    let failed = |message: &str| json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32000, "message": message } });
    let answer = match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(message) => failed(&message),
    };
    let mut line = answer.to_string();
    if line.len() >= LONGEST_LINE {
        line = failed("the answer is longer than a line may be").to_string();
    }
    line.push('\n');
    let mut out = std::io::stdout().lock();
    // If the reader is gone, nobody needs the answer.
    let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
}

impl Served {
    /// Returns what identifies a call.
    fn key(params: &Value) -> String {
        let meta = &params["meta"];
        json!([
            meta["SessionKey"],
            meta["TurnID"],
            params["tool"],
            params["arguments"]
        ])
        .to_string()
    }

    fn remember(&self, key: String, remembered: Remembered) {
        let mut calls = self.calls.borrow_mut();
        // A call that is never mentioned again must not stay for ever.
        if calls.len() >= MOST_CALLS {
            calls.clear();
        }
        calls.insert(key, remembered);
    }

    async fn answer(&self, method: &str, params: Value) -> Result<Value, String> {
        let cx = request::context(&params);
        match method {
            "hook.hello" => Ok(json!({ "ok": true, "name": "hooks", "version": 1 })),
            "hook.runtime_event" => {
                if let Some(mut event) = request::runtime_event(&params) {
                    let cx = request::context_of_event(&params);
                    let _ = self.runtime.fire(&cx, &mut event).await;
                }
                Ok(Value::Null)
            }
            "hook.before_tool" => {
                let mut event = request::before_tool(&params)?;
                let outcome = self.runtime.fire(&cx, &mut event).await;
                let call = event.to_json();
                let approval: Approval =
                    serde_json::from_value(call["approval"].clone()).unwrap_or_default();
                let approves = *self.approves.borrow();
                let answer = answer::before_tool(&params, &outcome, &call, &approval, approves);
                let context = answer::texts(&call["context"]);
                if !approval.is_usual() || !context.is_empty() {
                    // A hook may have changed the call, so it is remembered in its new form.
                    let mut after = params.clone();
                    after["tool"] = call["name"].clone();
                    after["arguments"] = call["args"].clone();
                    self.remember(Served::key(&after), Remembered { approval, context });
                }
                Ok(answer)
            }
            "hook.approve_tool" => {
                let known = self.calls.borrow().get(&Served::key(&params)).cloned();
                let approval = known.unwrap_or_default().approval;
                let mut event = request::approve_tool(&params, &approval)?;
                let outcome = self.runtime.fire(&cx, &mut event).await;
                Ok(answer::approve_tool(&outcome, &approval))
            }
            "hook.after_tool" => {
                let known = self.calls.borrow_mut().remove(&Served::key(&params));
                let mut event = request::after_tool(&params, known.unwrap_or_default().context)?;
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
