//! A web server on loopback that does as it is told, for the tests of what calls one.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// What the server does with a request.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// It answers with this status, and headers as they stand on the wire.
    Status(u16, &'static str),
    /// It answers with a redirect.
    Redirect(String),
    /// It answers after a while.
    Slow(Duration, u16),
    /// It never answers, and keeps the connection.
    Hang,
    /// It reads the request and closes the connection.
    Close,
    /// It closes the connection in the middle of its answer.
    CloseEarly,
    /// It closes the connection without reading.
    CloseUnread,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// What was answered.
    pub(crate) answer: Answer,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Whether the server has told that it took the request.
    pub(crate) fn was_taken(&self) -> bool {
        matches!(
            self.answer,
            Answer::Status(200..300, _) | Answer::Slow(_, 200..300)
        )
    }
}

struct State {
    /// What comes next, and then `otherwise`.
    script: Mutex<(VecDeque<Answer>, Answer)>,
    requests: Mutex<Vec<Request>>,
    came: Condvar,
    connections: AtomicUsize,
}

/// The server. Its threads end with the test.
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

impl Receiver {
    /// Answers the first requests by the script and all others with `otherwise`.
    pub(crate) fn start(script: impl IntoIterator<Item = Answer>, otherwise: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State {
            script: Mutex::new((script.into_iter().collect(), otherwise)),
            requests: Mutex::default(),
            came: Condvar::new(),
            connections: AtomicUsize::new(0),
        });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                shared.connections.fetch_add(1, Ordering::SeqCst);
                let state = Arc::clone(&shared);
                thread::spawn(move || serve(&stream, &state));
            }
        });
        Receiver { address, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook", self.address.port())
    }

    /// Answers with this from now on.
    pub(crate) fn now(&self, answer: Answer) {
        *self.state.script.lock().unwrap() = (VecDeque::new(), answer);
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.state.requests.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    /// Waits until so many requests have come.
    pub(crate) fn wait_for(&self, count: usize) -> Vec<Request> {
        let deadline = Instant::now() + Duration::from_mins(5);
        let mut requests = self.state.requests.lock().unwrap();
        while requests.len() < count {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "{} of {count} requests came",
                requests.len()
            );
            requests = self.state.came.wait_timeout(requests, left).unwrap().0;
        }
        requests.clone()
    }
}

fn serve(stream: &TcpStream, state: &State) {
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    loop {
        if matches!(state.script.lock().unwrap().1, Answer::CloseUnread) {
            return;
        }
        let Some((line, headers, body)) = read(&mut reader) else {
            return;
        };
        let answer = {
            let mut script = state.script.lock().unwrap();
            script.0.pop_front().unwrap_or_else(|| script.1.clone())
        };
        let mut requests = state.requests.lock().unwrap();
        requests.push(Request {
            line,
            headers,
            body,
            answer: answer.clone(),
        });
        state.came.notify_all();
        drop(requests);
        let text = match answer {
            Answer::Status(status, headers) => {
                format!("HTTP/1.1 {status} X\r\n{headers}content-length: 2\r\n\r\nok")
            }
            Answer::Redirect(to) => {
                format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n")
            }
            Answer::Slow(wait, status) => {
                thread::sleep(wait);
                format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n")
            }
            Answer::Hang => {
                // Until the client gives up.
                let _ = reader.read(&mut [0]);
                return;
            }
            Answer::Close | Answer::CloseUnread => return,
            Answer::CloseEarly => {
                let _ = writer.write_all(b"HTTP/1.1 20");
                return;
            }
        };
        if writer.write_all(text.as_bytes()).is_err() {
            return;
        }
    }
}

type Read3 = (String, Vec<(String, String)>, Vec<u8>);

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Read3> {
    let mut line = String::new();
    reader
        .read_line(&mut line)
        .ok()
        .filter(|count| *count > 0)?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader
            .read_line(&mut header)
            .ok()
            .filter(|count| *count > 0)?;
        let Some((name, value)) = header.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let length = headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((line.trim_end().to_owned(), headers, body))
}
