//! A scripted model on loopback: rig's own client speaks HTTP to it, in OpenAI's chat-completions format.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use hooks_core::agent::AgentContext;
use rig_agent::agent::{Agent, AgentBuilder};
use rig_agent::core::driver::DynModel;
use rig_agent::core::message::{ToolName, ToolResultContent};
use rig_agent::core::operation::Completion;
use rig_agent::core::providers::openai::{OpenAIConfig, Route};
use rig_agent::core::tool::{ToolExecutionError, ToolOutput};
use rig_agent::tool::DynamicTool;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The context of every event.
pub(crate) fn cx() -> AgentContext {
    AgentContext::new("s1")
}

/// One answer of the model.
pub(crate) struct Reply(Value);

/// The model says something.
pub(crate) fn say(text: &str) -> Reply {
    Reply(json!({ "role": "assistant", "content": text }))
}

/// The model calls a tool.
pub(crate) fn call(name: &str, args: &Value) -> Reply {
    call_raw(name, &args.to_string())
}

/// The model calls a tool, with whatever text for its arguments.
pub(crate) fn call_raw(name: &str, args: &str) -> Reply {
    Reply(json!({
        "role": "assistant",
        "content": null,
        "tool_calls": [{
            "id": "call_1", "type": "function",
            "function": { "name": name, "arguments": args },
        }],
    }))
}

/// A model that answers as its script says, and keeps what it was asked.
#[derive(Clone)]
pub(crate) struct Model {
    address: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    /// Listens on a free port until the test's runtime ends.
    pub(crate) async fn start(script: impl IntoIterator<Item = Reply>) -> Model {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let model = Model {
            address: format!("http://{}/v1", listener.local_addr().unwrap()),
            asked: Arc::default(),
        };
        let asked = model.asked.clone();
        let mut script: VecDeque<Reply> = script.into_iter().collect();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                answer(stream, &asked, &mut script).await;
            }
        });
        model
    }

    /// rig's client for it.
    pub(crate) fn client(&self, name: &str) -> DynModel<Completion> {
        OpenAIConfig::new("no key")
            .with_base_url(self.address.as_str())
            .with_route(Route::Chat)
            .client()
            .completion(name)
            .into()
    }

    /// An agent with the tools `echo`, which gives its arguments back, and `fail`.
    pub(crate) fn agent(&self, hook: impl rig_agent::agent::AgentHook + 'static) -> Agent {
        self.builder(hook).build()
    }

    /// The agent before it is built.
    pub(crate) fn builder(
        &self,
        hook: impl rig_agent::agent::AgentHook + 'static,
    ) -> AgentBuilder<rig_agent::agent::WithBuilderTools> {
        AgentBuilder::new(self.client("large"))
            .preamble("You are a test.")
            .default_max_turns(5)
            .add_hook(hook)
            .dynamic_tool(tool("echo", |args| {
                Ok(ToolOutput::text(format!("echo {args}")))
            }))
            .dynamic_tool(tool("fail", |_| {
                Err(ToolExecutionError::other("the tool broke"))
            }))
            .dynamic_tool(tool("picture", |_| {
                ToolOutput::content(vec![
                    ToolResultContent::text("a picture"),
                    ToolResultContent::image_base64("aGk=", None, None),
                ])
            }))
    }

    /// What the model was asked, request for request.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }

    /// The last message of the last request: what the model read last.
    pub(crate) fn read_last(&self) -> Value {
        let asked = self.asked();
        let messages = asked.last().expect("the model was asked")["messages"].clone();
        messages.as_array().unwrap().last().unwrap().clone()
    }
}

/// A tool of rig.
pub(crate) fn tool(
    name: &str,
    run: impl Fn(Value) -> Result<ToolOutput, ToolExecutionError> + Send + Sync + 'static,
) -> DynamicTool {
    DynamicTool::new(
        ToolName::new(name).unwrap(),
        "a tool",
        json!({ "type": "object" }),
        move |args| {
            let output = run(args);
            Box::pin(async move { output })
        },
    )
}

async fn answer(mut stream: TcpStream, asked: &Mutex<Vec<Value>>, script: &mut VecDeque<Reply>) {
    let request = read(&mut stream).await;
    let streams = request["stream"] == true;
    asked.lock().unwrap().push(request);
    let (status, kind, body) = match script.pop_front() {
        Some(Reply(message)) if streams => ("200 OK", "text/event-stream", chunks(&message)),
        Some(Reply(message)) => ("200 OK", "application/json", whole(&message)),
        None => (
            "400 Bad Request",
            "application/json",
            json!({ "error": { "message": "the script is over" } }).to_string(),
        ),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
}

/// The body of a request.
async fn read(stream: &mut TcpStream) -> Value {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        if let Some(end) = end {
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length:"))
                .map_or(0, |length| length.trim().parse().unwrap());
            let body = &bytes[end + 4..];
            if body.len() >= length {
                return serde_json::from_slice(&body[..length]).unwrap();
            }
        }
        let read = stream.read(&mut buffer).await.unwrap();
        assert!(read > 0, "the request ends too early");
        bytes.extend_from_slice(&buffer[..read]);
    }
}

const USAGE: &str = r#"{"prompt_tokens":90,"completion_tokens":10,"total_tokens":100}"#;

fn finish(message: &Value) -> &'static str {
    if message["tool_calls"].is_array() {
        "tool_calls"
    } else {
        "stop"
    }
}

fn whole(message: &Value) -> String {
    json!({
        "id": "r1", "object": "chat.completion", "created": 0, "model": "large-0001",
        "choices": [{ "index": 0, "message": message, "finish_reason": finish(message) }],
        "usage": serde_json::from_str::<Value>(USAGE).unwrap(),
    })
    .to_string()
}

/// The same in pieces: a word of text, or half of the arguments, each.
fn chunks(message: &Value) -> String {
    let mut deltas = Vec::new();
    if let Some(text) = message["content"].as_str() {
        deltas.extend(
            text.split_inclusive(' ')
                .map(|word| json!({ "content": word })),
        );
    }
    for (index, call) in message["tool_calls"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let args = call["function"]["arguments"].as_str().unwrap();
        let (first, second) = args.split_at(args.len() / 2);
        let name = &call["function"]["name"];
        deltas.push(json!({ "tool_calls": [{
            "index": index, "id": call["id"], "type": "function",
            "function": { "name": name, "arguments": first },
        }] }));
        deltas.push(json!({ "tool_calls": [{
            "index": index, "function": { "arguments": second },
        }] }));
    }
    let chunk = |delta: &Value, finish: Option<&str>| {
        let chunk = json!({
            "id": "r1", "object": "chat.completion.chunk", "created": 0, "model": "large-0001",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }],
        });
        format!("data: {chunk}\n\n")
    };
    let mut body: String = deltas.iter().map(|delta| chunk(delta, None)).collect();
    body += &chunk(&json!({}), Some(finish(message)));
    let usage: Value = serde_json::from_str(USAGE).unwrap();
    let last = json!({
        "id": "r1", "object": "chat.completion.chunk", "created": 0, "model": "large-0001",
        "choices": [], "usage": usage,
    });
    body + &format!("data: {last}\n\ndata: [DONE]\n\n")
}
