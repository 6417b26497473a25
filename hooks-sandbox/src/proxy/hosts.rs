//! Which hosts the proxy connects to.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::str::FromStr;
use std::time::Duration;

use crate::address::{is_loopback, special_purpose};
use crate::report::Reason;

/// The ports of a pattern that names none: those of HTTPS and HTTP.
const PORTS: [u16; 2] = [443, 80];

/// How long one address may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The hosts that one [`domain`](crate::Sandbox::domain) allows: `example.com`, `*.example.org`, `example.net:8443`,
/// `localhost:3000`.
///
/// ```
/// let hosts: hooks_sandbox::HostPattern = "*.example.org".parse()?;
/// assert!(hosts.matches("A.example.org.", 443) && !hosts.matches("example.org", 443));
/// assert!(!hosts.matches("a.example.org", 22));
/// # Ok::<_, hooks_sandbox::NotAPattern>(())
/// ```
///
/// `*.example.org` are the names below `example.org`, and not that name itself. Without a port, the ports are 443 and 80.
/// A name must lead to public addresses, but `localhost` must lead to this machine. An address is allowed only if it is
/// the pattern, and is then not judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPattern {
    text: String,
    host: String,
    below: bool,
    port: Option<u16>,
}

impl HostPattern {
    /// Whether a connection to this port of a host is allowed. What the name leads to is judged later.
    #[must_use]
    pub fn matches(&self, host: &str, port: u16) -> bool {
        plain(host).is_some_and(|host| self.has_host(&host)) && self.has_port(port)
    }

    fn has_host(&self, host: &str) -> bool {
        match host.strip_suffix(self.host.as_str()) {
            Some(rest) if self.below => rest.len() > 1 && rest.ends_with('.'),
            rest => rest == Some(""),
        }
    }

    fn has_port(&self, port: u16) -> bool {
        self.port.map_or(PORTS.contains(&port), |ours| ours == port)
    }
}

impl FromStr for HostPattern {
    type Err = NotAPattern;

    fn from_str(text: &str) -> Result<Self, NotAPattern> {
        let read = || {
            let below = text.strip_prefix("*.");
            let rest = below.unwrap_or(text);
            let (host, port) = match (plain(rest), rest.rsplit_once(':')) {
                (Some(host), _) => (host, None),
                (None, Some((host, port))) => (plain(host)?, Some(port.parse().ok()?)),
                (None, None) => return None,
            };
            let is_address = host.parse::<IpAddr>().is_ok();
            let (text, below) = (text.to_owned(), below.is_some());
            let is_right = port != Some(0) && !(below && is_address);
            is_right.then_some(HostPattern {
                text,
                host,
                below,
                port,
            })
        };
        read().ok_or_else(|| NotAPattern(text.to_owned()))
    }
}

/// A text names no hosts.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "`{0}` names no hosts: write `example.com`, `*.example.com` for the names below it, or `example.com:8443` for another \
     port than 443 and 80, with letters beyond ASCII as `xn--…`"
)]
pub struct NotAPattern(String);

/// Returns a name or an address in its one spelling: in lower case, without brackets or a dot at its end.
fn plain(host: &str) -> Option<String> {
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    if let Ok(address) = bare.unwrap_or(host).parse::<IpAddr>() {
        return Some(address.to_canonical().to_string());
    }
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let is_label = |label: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        !label.is_empty() && label.bytes().all(allowed)
    };
    // A resolver takes `127.1` and `0x7f000001` for addresses. No name ends in a number.
    let is_name = name
        .rsplit('.')
        .next()?
        .starts_with(|char: char| char.is_ascii_lowercase());
    (is_name && name.split('.').all(is_label)).then_some(name)
}

/// Finds the addresses of a name.
type Resolve = dyn Fn(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + Sync;

/// The hosts that a proxy connects to, and how it finds them.
pub(crate) struct ProxyHosts {
    allowed: Vec<HostPattern>,
    pub(super) resolve: Box<Resolve>,
}

/// Why there is no connection.
#[derive(Debug)]
pub(crate) enum NotConnected {
    /// It is not allowed.
    Refused(Reason),
    /// It is allowed, and failed.
    Failed(io::Error),
}

impl ProxyHosts {
    /// Returns the hosts of some patterns, found by the resolver of the system.
    pub(crate) fn new(patterns: &[String]) -> Result<Self, NotAPattern> {
        let allowed = patterns.iter().map(|pattern| pattern.parse());
        let resolve = |name: &str, port| Ok((name, port).to_socket_addrs()?.collect());
        Ok(ProxyHosts {
            allowed: allowed.collect::<Result<_, _>>()?,
            resolve: Box::new(resolve),
        })
    }

    /// Returns the patterns, for who wants to know them.
    pub(super) fn allowed(&self) -> String {
        let all: Vec<_> = self
            .allowed
            .iter()
            .map(|pattern| pattern.text.as_str())
            .collect();
        all.join(", ")
    }

    /// Connects to a host if it is allowed.
    ///
    /// A name is resolved once, each of its addresses is judged, and the connection goes to one of those. So no second
    /// answer of the resolver leads elsewhere.
    pub(super) fn connect(&self, host: &str, port: u16) -> Result<TcpStream, NotConnected> {
        let mut failure = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
        for address in self.addresses(host, port)? {
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(stream) => return Ok(stream),
                Err(error) => failure = error,
            }
        }
        Err(NotConnected::Failed(failure))
    }

    /// Returns the addresses of a host that is allowed.
    pub(super) fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, NotConnected> {
        let refuse = |reason| Err(NotConnected::Refused(reason));
        let host = plain(host).unwrap_or_default();
        let mut patterns = self
            .allowed
            .iter()
            .filter(|pattern| pattern.has_host(&host))
            .peekable();
        if patterns.peek().is_none() {
            return refuse(Reason::NotListed);
        }
        if !patterns.any(|pattern| pattern.has_port(port)) {
            return refuse(Reason::OtherPort);
        }
        if let Ok(address) = host.parse() {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        let addresses = (self.resolve)(&host, port).map_err(NotConnected::Failed)?;
        let is_allowed = |address: &SocketAddr| match host.as_str() {
            "localhost" => is_loopback(address.ip()),
            _ => special_purpose(address.ip()).is_none(),
        };
        // A name that also leads into this network is not better for its other addresses.
        if addresses.iter().all(is_allowed) {
            Ok(addresses)
        } else {
            refuse(Reason::NotPublic)
        }
    }
}
