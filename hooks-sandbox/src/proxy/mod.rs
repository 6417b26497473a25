//! The one way out of a sandbox that may reach some hosts: a proxy outside of it.
//!
//! The program connects to a socket on its loopback and says where it wants to go, by HTTP or SOCKS5. The proxy finds the
//! host, judges its addresses, connects, and from then on hands bytes to and fro. It is written for clients that lie,
//! stall and come in crowds: all that one can do is to lose its own connections.

mod hosts;
mod http;
mod socks;
#[cfg(test)]
mod tests;

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use self::hosts::NotConnected;
pub(crate) use self::hosts::ProxyHosts;
pub use self::hosts::{HostPattern, NotAPattern};
use crate::{Attempt, Refused};

/// The connections at one time. More of them are closed at once.
const CONNECTIONS: usize = 256;

/// How long a client may be silent before it has said where it wants to go.
const IMPATIENCE: Duration = Duration::from_secs(10);

/// How long a connection may be silent in both directions.
const IDLE: Duration = Duration::from_mins(10);

/// Hears what is refused.
type RefusalListener = dyn Fn(Refused) + Send + Sync;

struct Proxy {
    hosts: ProxyHosts,
    told: Box<RefusalListener>,
}

/// Serves the clients of a listener, which may be of another network namespace, as long as this process lives.
pub(crate) fn serve(listener: &TcpListener, hosts: ProxyHosts, told: Box<RefusalListener>) -> ! {
    let proxy = Arc::new(Proxy { hosts, told });
    loop {
        let Ok((client, _)) = listener.accept() else {
            // There may be too many open files.
            thread::sleep(Duration::from_millis(20));
            continue;
        };
        // Each connection holds the proxy. One that cannot be served is closed.
        if Arc::strong_count(&proxy) <= CONNECTIONS {
            let proxy = proxy.clone();
            _ = thread::Builder::new().spawn(move || proxy.client(&client));
        }
    }
}

impl Proxy {
    /// Serves a client. An error ends its connection, and concerns no other.
    fn client(&self, mut client: &TcpStream) -> io::Result<()> {
        client.set_read_timeout(Some(IMPATIENCE))?;
        client.set_write_timeout(Some(IDLE))?;
        let mut version = [0];
        client.read_exact(&mut version)?;
        if version == [5] {
            let (host, port) = socks::request(&mut client)?;
            let server = self.connect(&host, port);
            socks::answer(&mut client, server.as_ref().err())?;
            return server.map_or(Ok(()), |server| relay(client, &server));
        }
        let request = http::request(&mut client, version[0])?;
        let (host, port) = (&request.host, request.port);
        match self.connect(host, port) {
            Ok(mut server) => {
                client.write_all(request.answer)?;
                server.write_all(&request.first)?;
                relay(client, &server)
            }
            Err(NotConnected::Refused(reason)) => {
                let allowed = self.hosts.allowed();
                let why = format!(
                    "{host}:{port} is refused: {reason}. The allowed hosts are: {allowed}\n"
                );
                http::not_connected(&mut client, "403 Not allowed in this sandbox", &why)
            }
            Err(NotConnected::Failed(error)) => {
                let why = format!("{host}:{port} was not reached: {error}\n");
                http::not_connected(&mut client, "502 Not reached", &why)
            }
        }
    }

    fn connect(&self, host: &str, port: u16) -> Result<TcpStream, NotConnected> {
        let connected = self.hosts.connect(host, port);
        if let Err(NotConnected::Refused(reason)) = &connected {
            (self.told)(Refused {
                attempt: Attempt::Connect,
                target: format!("{host}:{port}"),
                reason: *reason,
            });
        }
        connected
    }
}

/// Hands bytes to and fro until both ends are done, or silent for too long.
fn relay(client: &TcpStream, server: &TcpStream) -> io::Result<()> {
    client.set_read_timeout(Some(IDLE))?;
    server.set_read_timeout(Some(IDLE))?;
    server.set_write_timeout(Some(IDLE))?;
    let moved = AtomicU64::new(0);
    thread::scope(|scope| {
        let back = || hand_on(server, client, &moved);
        thread::Builder::new().spawn_scoped(scope, back)?;
        hand_on(client, server, &moved);
        Ok(())
    })
}

/// Hands bytes on in one direction. `moved` counts those of both.
fn hand_on(mut from: &TcpStream, mut to: &TcpStream, moved: &AtomicU64) {
    let mut buffer = vec![0; 32 * 1024];
    loop {
        let before = moved.load(Ordering::Relaxed);
        match from.read(&mut buffer) {
            Ok(0) => return drop(to.shutdown(Shutdown::Write)),
            Ok(length) if to.write_all(&buffer[..length]).is_ok() => {
                moved.fetch_add(length as u64, Ordering::Relaxed);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // It was silent for too long, but the other direction was not.
            Err(_) if moved.load(Ordering::Relaxed) != before => {}
            _ => break,
        }
    }
    for end in [from, to] {
        _ = end.shutdown(Shutdown::Both);
    }
}
