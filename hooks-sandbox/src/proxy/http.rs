//! The first request of an HTTP connection: `CONNECT`, or a request for a URL in full.

use std::io::{self, Read, Write};

/// The bytes that a request may have before its body.
const LONGEST: usize = 32 * 1024;

/// What a client asks for.
pub(super) struct ProxyRequest {
    pub(super) host: String,
    pub(super) port: u16,
    /// What to tell the client when it is connected.
    pub(super) answer: &'static [u8],
    /// What to send to the host first.
    pub(super) first: Vec<u8>,
}

/// Reads a request whose first byte is already known.
pub(super) fn request(client: &mut impl Read, first: u8) -> io::Result<ProxyRequest> {
    let mut read = vec![first];
    let mut buffer = [0; 4096];
    loop {
        let mut headers = [httparse::EMPTY_HEADER; 100];
        let mut request = httparse::Request::new(&mut headers);
        if let httparse::Status::Complete(length) =
            request.parse(&read).map_err(io::Error::other)?
        {
            let rest = &read[length..];
            return understood(&request, rest).ok_or_else(|| io::ErrorKind::InvalidData.into());
        }
        if read.len() > LONGEST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        match client.read(&mut buffer)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            more => read.extend_from_slice(&buffer[..more]),
        }
    }
}

fn understood(request: &httparse::Request, rest: &[u8]) -> Option<ProxyRequest> {
    let (method, path) = (request.method?, request.path?);
    if method == "CONNECT" {
        let (host, port) = path.rsplit_once(':')?;
        let (host, port) = (host.to_owned(), port.parse().ok()?);
        let answer = b"HTTP/1.1 200 Connected\r\n\r\n";
        return Some(ProxyRequest {
            host,
            port,
            answer,
            first: rest.to_vec(),
        });
    }
    let url = path.strip_prefix("http://")?;
    let (authority, path) = url.split_at(url.find(['/', '?']).unwrap_or(url.len()));
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host.to_owned(), port.parse().ok()?),
        _ => (authority.to_owned(), 80),
    };
    let slash = if path.starts_with('/') { "" } else { "/" };
    let head =
        format!("{method} {slash}{path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n");
    let mut first = head.into_bytes();
    // The host is that of the URL. The others are between the client and the proxy.
    let is_ours = |name: &str| {
        matches!(name, "connection" | "host" | "keep-alive") || name.starts_with("proxy-")
    };
    for header in request.headers.iter() {
        if !is_ours(&header.name.to_ascii_lowercase()) {
            first.extend([header.name.as_bytes(), b": ", header.value, b"\r\n"].concat());
        }
    }
    first.extend([b"\r\n", rest].concat());
    Some(ProxyRequest {
        host,
        port,
        answer: b"",
        first,
    })
}

/// Tells a client why it is not connected, in words for who reads the answer.
pub(super) fn not_connected(client: &mut impl Write, status: &str, why: &str) -> io::Result<()> {
    let length = why.len();
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\n"
    )?;
    write!(
        client,
        "Content-Length: {length}\r\nConnection: close\r\n\r\n{why}"
    )
}
