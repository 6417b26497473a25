//! The servers of the file, on loopback: an endpoint that takes everything, and a model that judges commands.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
}

impl Server {
    /// Takes every request, and says nothing.
    pub(crate) async fn endpoint() -> io::Result<Self> {
        Server::start(|_| json!({})).await
    }

    /// Speaks as OpenAI's endpoint does, and does not like `rm`.
    pub(crate) async fn model() -> io::Result<Self> {
        Server::start(|request| {
            let asked = request["messages"].to_string();
            let decision = if asked.contains("rm ") {
                json!({ "decision": "block", "reason": "the command deletes a file" })
            } else {
                json!({ "decision": "allow", "reason": "the command is harmless" })
            };
            let call = json!({ "name": "decide", "arguments": decision.to_string() });
            json!({
                "choices": [{
                    "finish_reason": "tool_calls",
                    "message": { "role": "assistant", "tool_calls": [{ "id": "1", "type": "function", "function": call }] },
                }],
                "usage": { "prompt_tokens": 80, "completion_tokens": 12 },
            })
        })
        .await
    }

    async fn start(answer: fn(&Value) -> Value) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let requests = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let counted = Arc::clone(&counted);
                // Who hangs up has nothing more to ask.
                tokio::spawn(async move { serve(stream, answer, &counted).await.ok() });
            }
        });
        Ok(Server { address, requests })
    }

    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

/// Answers the requests of one connection.
async fn serve(
    stream: TcpStream,
    answer: fn(&Value) -> Value,
    requests: &AtomicUsize,
) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut length = 0;
        let mut line = String::new();
        while stream.read_line(&mut line).await? > 0 && !line.trim().is_empty() {
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
            line.clear();
        }
        if line.is_empty() {
            return Ok(());
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        requests.fetch_add(1, Ordering::Relaxed);
        let answer = answer(&serde_json::from_slice(&body)?).to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            answer.len()
        );
        stream.write_all((head + &answer).as_bytes()).await?;
    }
}
