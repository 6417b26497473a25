//! An endpoint on loopback that answers as a test says.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What the endpoint was sent.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The first line and the headers.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// Which connection it came by, from 0 on.
    pub(crate) connection: usize,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("the body is JSON")
    }
}

/// What the endpoint does.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// Answers with a status and a body.
    Status(u16, String),
    /// Answers with these bytes, and closes the connection.
    Bytes(Vec<u8>),
    /// Never answers.
    Hang,
    /// Closes the connection without an answer.
    Reset,
    /// Answers without an end.
    Endless,
}

impl Reply {
    pub(crate) fn json(value: &Value) -> Self {
        Reply::Status(200, value.to_string())
    }
}

/// The endpoint. It ends with the test.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub(crate) port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// `reply` is told which request it is, from 0 on, and what it says.
    pub(crate) async fn start(
        reply: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::<Mutex<Vec<Request>>>::default();
        let server = Server {
            port,
            requests: Arc::clone(&requests),
        };
        let reply = Arc::new(reply);
        tokio::spawn(async move {
            for connection in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let (requests, reply) = (Arc::clone(&requests), Arc::clone(&reply));
                tokio::spawn(async move {
                    let _ = serve(stream, connection, &requests, &*reply).await;
                });
            }
        });
        server
    }

    /// One that says the same each time.
    pub(crate) async fn always(reply: Reply) -> Self {
        Server::start(move |_, _| reply.clone()).await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook", self.port)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    connection: usize,
    requests: &Mutex<Vec<Request>>,
    reply: &(dyn Fn(usize, &Request) -> Reply + Send + Sync),
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::new();
    loop {
        let end = loop {
            if let Some(at) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        };
        let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
        let mut request = Request {
            head,
            body: Vec::new(),
            connection,
        };
        let length = request.header("content-length").unwrap_or("0");
        let length: usize = length.parse().unwrap();
        while buffer.len() < end + length {
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        }
        request.body = buffer[end..end + length].to_vec();
        buffer.drain(..end + length);
        let which = {
            let mut requests = requests.lock().unwrap();
            requests.push(request.clone());
            requests.len() - 1
        };
        match reply(which, &request) {
            Reply::Status(status, body) => {
                let answer = format!(
                    "HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                );
                stream.write_all(answer.as_bytes()).await?;
            }
            Reply::Bytes(bytes) => {
                stream.write_all(&bytes).await?;
                return stream.shutdown().await;
            }
            Reply::Hang => std::future::pending().await,
            Reply::Reset => return Ok(()),
            Reply::Endless => {
                stream
                    .write_all(b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n")
                    .await?;
                let piece = [b' '; 4096];
                loop {
                    stream.write_all(b"1000\r\n").await?;
                    stream.write_all(&piece).await?;
                    stream.write_all(b"\r\n").await?;
                }
            }
        }
    }
}
