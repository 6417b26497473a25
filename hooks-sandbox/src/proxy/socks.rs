//! SOCKS5 without a password, and only `CONNECT` (RFC 1928).

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr};

use super::hosts::NotConnected;

/// Reads what a client wants to connect to. Its first byte, the version, has been read.
pub(super) fn request(client: &mut (impl Read + Write)) -> io::Result<(String, u16)> {
    // What the client offers to prove who it is does not matter.
    text(client)?;
    client.write_all(&[5, 0])?;
    let [version, command, _, kind] = bytes(client)?;
    let host = match (version, command, kind) {
        (5, 1, 1) => Ipv4Addr::from(bytes(client)?).to_string(),
        (5, 1, 3) => String::from_utf8(text(client)?).map_err(io::Error::other)?,
        (5, 1, 4) => Ipv6Addr::from(bytes::<16>(client)?).to_string(),
        _ => {
            reply(client, 7)?;
            return Err(io::ErrorKind::Unsupported.into());
        }
    };
    Ok((host, u16::from_be_bytes(bytes(client)?)))
}

/// Tells a client that it is connected, or why not.
pub(super) fn answer(client: &mut impl Write, error: Option<&NotConnected>) -> io::Result<()> {
    let code = match error {
        None => 0,
        Some(NotConnected::Refused(_)) => 2,
        Some(NotConnected::Failed(_)) => 4,
    };
    reply(client, code)
}

fn reply(client: &mut impl Write, code: u8) -> io::Result<()> {
    // The address from which the proxy connects is not for the client.
    client.write_all(&[5, code, 0, 1, 0, 0, 0, 0, 0, 0])
}

fn bytes<const N: usize>(client: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    client.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Reads a text that begins with its length.
fn text(client: &mut impl Read) -> io::Result<Vec<u8>> {
    let [length] = bytes(client)?;
    let mut text = vec![0; length.into()];
    client.read_exact(&mut text)?;
    Ok(text)
}
