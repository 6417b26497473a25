//! The agents of a fleet: each waits for its bundle, and asks the door, as a client that reads no more of an answer than it must.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

use crate::machine::Daemon;

/// How long an agent waits before it connects again, at least and at most.
const BACK_OFF: (u64, u64) = (1_000, 5_000);

/// What all agents share.
pub(crate) struct Fleet {
    daemons: Vec<String>,
    tokens: Vec<String>,
    seen: Mutex<Seen>,
    /// How many have got a bundle since the phase began.
    fetched: AtomicUsize,
}

struct Seen {
    /// When the phase began, or when the last change was published.
    since: Instant,
    /// When bundles came after that, and how long answers of the door took, in milliseconds.
    bundles: Vec<f64>,
    answers: Vec<f64>,
    refused: usize,
    failed: usize,
}

impl Seen {
    fn new() -> Self {
        Seen {
            since: Instant::now(),
            bundles: Vec::new(),
            answers: Vec::new(),
            refused: 0,
            failed: 0,
        }
    }
}

impl Fleet {
    pub(crate) fn new(daemons: &[Daemon], tokens: Vec<String>) -> Arc<Self> {
        let daemons = daemons.iter().map(|daemon| daemon.address.clone());
        Arc::new(Fleet {
            daemons: daemons.collect(),
            tokens,
            seen: Mutex::new(Seen::new()),
            fetched: AtomicUsize::new(0),
        })
    }

    /// Begins to count again.
    pub(crate) fn forget(&self) {
        *self.seen.lock().unwrap() = Seen::new();
        self.fetched.store(0, Ordering::Relaxed);
    }

    /// Says that a change is published now: bundles that come then come because of it.
    pub(crate) fn publishes(&self) {
        self.seen.lock().unwrap().since = Instant::now();
    }

    /// Waits until each agent has got a bundle, or ten minutes.
    pub(crate) async fn all_have_a_bundle(&self) {
        let began = Instant::now();
        while self.fetched.load(Ordering::Relaxed) < self.tokens.len() {
            if began.elapsed() > Duration::from_mins(10) {
                println!("some agents have no bundle after ten minutes");
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) fn summary(&self, seconds: f64) -> String {
        let mut seen = self.seen.lock().unwrap();
        let bundles = shares(&mut seen.bundles);
        let count = u32::try_from(seen.answers.len()).unwrap_or(u32::MAX);
        let answers = shares(&mut seen.answers);
        format!(
            "bundles {bundles} ms; {:.0} answers/s {answers} ms, {} refused, {} without an answer",
            f64::from(count) / seconds,
            seen.refused,
            seen.failed
        )
    }
}

/// How many there are; half of them, 99 % of them and all are not more than these.
fn shares(values: &mut [f64]) -> String {
    values.sort_by(f64::total_cmp);
    let at =
        |share: usize| values.get((values.len() * share / 100).min(values.len().saturating_sub(1)));
    let at = |share| at(share).copied().unwrap_or_default();
    format!(
        "({}: {:.1}, {:.1}, {:.1})",
        values.len(),
        at(50),
        at(99),
        at(100)
    )
}

/// A connection that is opened again when it fails.
struct Connection {
    number: usize,
    address: String,
    stream: Option<TcpStream>,
    answer: Vec<u8>,
}

/// What an agent reads of an answer.
struct Answer {
    status: u16,
    etag: String,
    blocks: bool,
}

impl Connection {
    fn of(fleet: &Fleet, number: usize) -> Self {
        Connection {
            number,
            address: fleet.daemons[number % fleet.daemons.len()].clone(),
            stream: None,
            answer: Vec::new(),
        }
    }

    async fn try_ask(&mut self, request: &[u8]) -> std::io::Result<Answer> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            none => {
                // As from many machines.
                let socket = TcpSocket::new_v4()?;
                let [_, b, c, _] = u32::try_from(self.number).unwrap_or_default().to_be_bytes();
                let last = self.number % 200;
                let last = u8::try_from(last).unwrap_or_default() + 2;
                socket.bind(([127, 1 + b, c, last], 0).into())?;
                let stream = socket.connect(self.address.parse().unwrap()).await?;
                stream.set_nodelay(true)?;
                none.insert(stream)
            }
        };
        stream.write_all(request).await?;
        self.answer.clear();
        let (head, length) = loop {
            if stream.read_buf(&mut self.answer).await? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            if let Some(end) = self.answer.windows(4).position(|four| four == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&self.answer[..end]).into_owned();
                let length = header(&head, "content-length").parse().unwrap_or(0);
                break (head, end + 4 + length);
            }
        };
        while self.answer.len() < length {
            if stream.read_buf(&mut self.answer).await? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(Answer {
            status: head
                .get(9..12)
                .and_then(|code| code.parse().ok())
                .unwrap_or(0),
            etag: header(&head, "etag").to_owned(),
            blocks: self.answer.windows(6).any(|word| word == b"\"deny\""),
        })
    }

    /// Asks. After a failure, the next one connects again.
    async fn ask(&mut self, request: &[u8], patience: Duration) -> Option<Answer> {
        let asked = tokio::time::timeout(patience, self.try_ask(request)).await;
        let answer = asked.ok().and_then(Result::ok);
        if answer.is_none() {
            self.stream = None;
        }
        answer
    }
}

fn header<'a>(head: &'a str, name: &str) -> &'a str {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines
        .find(|(key, _)| key.eq_ignore_ascii_case(name))
        .map_or("", |(_, value)| value)
}

/// A number that is another one for each agent and try.
fn mixed(number: usize, turn: u64) -> u64 {
    let seed = number as u64 ^ (turn << 32);
    seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(31)
        .wrapping_mul(0xBF58_476D_1CE4_E5B9)
        >> 20
}

/// Agents that run until this is dropped.
pub(crate) struct Agents(JoinSet<()>);

impl Agents {
    /// Lets each agent wait for its bundle.
    pub(crate) fn wait(fleet: &Arc<Fleet>) -> Self {
        let mut agents = JoinSet::new();
        for number in 0..fleet.tokens.len() {
            agents.spawn(waits(Arc::clone(fleet), number));
        }
        Agents(agents)
    }

    /// Lets each agent ask the door as often.
    pub(crate) fn ask(&mut self, fleet: &Arc<Fleet>, every: Duration) {
        for number in 0..fleet.tokens.len() {
            self.0.spawn(asks(Arc::clone(fleet), number, every));
        }
    }
}

async fn waits(fleet: Arc<Fleet>, number: usize) {
    let mut connection = Connection::of(&fleet, number);
    let (token, mut etag) = (&fleet.tokens[number], String::new());
    for turn in 0.. {
        let request = format!(
            "GET /api/v1/bundle?wait=60 HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
             if-none-match: {etag}\r\n\r\n"
        );
        let answer = connection
            .ask(request.as_bytes(), Duration::from_secs(90))
            .await;
        match answer.map(|answer| (answer.status, answer.etag)) {
            Some((200, new)) => {
                etag = new;
                fleet.fetched.fetch_add(1, Ordering::Relaxed);
                let mut seen = fleet.seen.lock().unwrap();
                let took = seen.since.elapsed().as_secs_f64() * 1e3;
                seen.bundles.push(took);
            }
            Some((304, _)) => {}
            _ => {
                let (least, most) = BACK_OFF;
                let pause = least + mixed(number, turn) % (most - least);
                tokio::time::sleep(Duration::from_millis(pause)).await;
            }
        }
    }
}

async fn asks(fleet: Arc<Fleet>, number: usize, every: Duration) {
    let mut connection = Connection::of(&fleet, number);
    let token = &fleet.tokens[number];
    let body = r#"{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls -la"},"tool_use_id":"t"}"#;
    let request = format!(
        "POST /hooks/claude HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let all = u64::try_from(every.as_millis()).unwrap_or(u64::MAX);
    tokio::time::sleep(Duration::from_millis(mixed(number, 0) % all)).await;
    let mut ticks = tokio::time::interval(every);
    loop {
        ticks.tick().await;
        let began = Instant::now();
        let answer = connection
            .ask(request.as_bytes(), Duration::from_secs(30))
            .await;
        let took = began.elapsed().as_secs_f64() * 1e3;
        // An agent's own client has a connection for each event, and the files of this process would not do for all.
        connection.stream = None;
        let mut seen = fleet.seen.lock().unwrap();
        match answer {
            Some(answer) if answer.status == 200 && !answer.blocks => seen.answers.push(took),
            Some(_) => seen.refused += 1,
            None => seen.failed += 1,
        }
    }
}
