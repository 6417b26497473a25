//! Asks the daemon, over its socket.
//!
//! The question is one HTTP request whose body is a line of JSON and then the event. The daemon has a moment to accept it
//! (`100 Continue`), and then all the time that hooks need. Whatever else happens, the caller does the work itself.

use std::fmt::Display;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket};

use super::asked::{RunAnswer, RunQuestion};

/// The version of the question and the answer.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What is wrong with a socket on which another program answers.
const NO_DAEMON: &str = "the process listening here is not a hooks daemon";

/// The length of the longest event that a daemon takes, with room for the rest of the question.
const MOST: usize = 15 << 20;

/// How long the daemon may take to accept a question.
const ACCEPTS: Duration = Duration::from_millis(500);

/// The length of the longest answer that this process takes.
const LONGEST: u64 = 16 << 20;

/// How long hooks may take.
const ANSWERS: Duration = Duration::from_mins(10);

/// The variable that says where it is.
pub(crate) const VARIABLE: &str = "HOOKS_SOCKET";

/// The socket of the daemon: `HOOKS_SOCKET`, an absolute path or `off`, or `hooks.sock` in the user's folder for such files.
pub(crate) fn path() -> Option<PathBuf> {
    match std::env::var_os(VARIABLE) {
        Some(off) if off.is_empty() || off == "off" => None,
        // The current folder is the agent's, which may put a socket there.
        Some(path) => Some(PathBuf::from(path)).filter(|path| path.is_absolute()),
        None => {
            let folder = std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty())?;
            Some(Path::new(&folder).join("hooks.sock"))
        }
    }
}

/// Asks the daemon, if there is one.
///
/// # Errors
///
/// If it does not answer: why.
pub(super) fn ask(asked: &RunQuestion, input: &[u8]) -> Result<RunAnswer, String> {
    let path = path().ok_or("no socket is named")?;
    if asked.variables.is_none() || asked.folder.is_none() {
        return Err(
            "the daemon cannot get a variable, or the folder, because it is not UTF-8".into(),
        );
    }
    if input.len() > MOST {
        return Err("the event is too long for the daemon".into());
    }
    let of = |error: &dyn Display| format!("{}: {error}", path.display());
    let stream = open(&path).map_err(|error| of(&error))?;
    let said = talk(stream, asked, input).map_err(|error| of(&error))?;
    super::trace(&format!("{}: the daemon answered", path.display()));
    Ok(said)
}

/// Returns the version of the daemon at a socket, which tells it to a question that has none.
///
/// # Errors
///
/// If no daemon answers: why.
pub(crate) fn version(path: &Path) -> io::Result<String> {
    let mut stream = open(path)?;
    stream.set_write_timeout(Some(ACCEPTS))?;
    stream.set_read_timeout(Some(ACCEPTS))?;
    stream.write_all(
        b"POST /run HTTP/1.1\r\nhost: hooks\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
    )?;
    let mut answer = String::new();
    stream.take(4096).read_to_string(&mut answer)?;
    let mut versions = answer
        .lines()
        .filter_map(|line| line.strip_prefix("hooks-version: "));
    let version = versions.next().map(str::to_owned);
    version.ok_or_else(|| io::Error::other(NO_DAEMON))
}

/// Connects to a socket of this user, without waiting.
fn open(path: &Path) -> io::Result<UnixStream> {
    let own = rustix::process::geteuid();
    if path.symlink_metadata()?.uid() != own.as_raw() {
        return Err(io::Error::other("the socket belongs to another user"));
    }
    let file: OwnedFd = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    let stream = UnixStream::from(file);
    // A daemon that does not accept has a full queue, for which connecting would wait.
    stream.set_nonblocking(true)?;
    connect(&stream, &SocketAddrUnix::new(path)?)?;
    stream.set_nonblocking(false)?;
    #[cfg(target_os = "linux")]
    if rustix::net::sockopt::socket_peercred(&stream)?.uid != own {
        return Err(io::Error::other("another user listens there"));
    }
    Ok(stream)
}

fn talk(mut stream: UnixStream, asked: &RunQuestion, input: &[u8]) -> io::Result<RunAnswer> {
    stream.set_write_timeout(Some(ACCEPTS))?;
    let began = Instant::now();
    let mut body = serde_json::to_vec(asked)?;
    body.push(b'\n');
    body.extend_from_slice(input);
    let head = format!(
        "POST /run HTTP/1.1\r\nhost: hooks\r\nhooks-version: {VERSION}\r\nexpect: 100-continue\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    let mut read = Vec::new();
    while !has_head(&read) {
        let mut part = [0; 512];
        let left = ACCEPTS.checked_sub(began.elapsed());
        let left = left.filter(|left| !left.is_zero());
        stream.set_read_timeout(Some(left.ok_or(io::ErrorKind::TimedOut)?))?;
        match stream.read(&mut part)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            length => read.extend_from_slice(&part[..length]),
        }
        if read.len() > 4096 {
            return Err(io::Error::other(NO_DAEMON));
        }
    }
    if !read.starts_with(b"HTTP/1.1 100 ") {
        let line = read.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        return Err(io::Error::other(format!(
            "the daemon does not accept: {line}"
        )));
    }
    stream.write_all(&body)?;
    stream.set_read_timeout(Some(ANSWERS))?;
    let mut answer = Vec::new();
    stream.take(LONGEST).read_to_end(&mut answer)?;
    let body = body_of(&answer);
    let body = body.ok_or_else(|| io::Error::other("the daemon left the work to this process"))?;
    Ok(serde_json::from_slice(body)?)
}

/// The body of a whole answer that is a success.
fn body_of(answer: &[u8]) -> Option<&[u8]> {
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let (head, body) = (
        std::str::from_utf8(&answer[..head]).ok()?,
        &answer[head + 4..],
    );
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_it = name.eq_ignore_ascii_case("content-length");
        is_it.then(|| value.trim().parse::<usize>().ok()).flatten()
    });
    (head.starts_with("HTTP/1.1 200 ") && length == Some(body.len())).then_some(body)
}

fn has_head(read: &[u8]) -> bool {
    read.windows(4).any(|four| four == b"\r\n\r\n")
}
