//! The loopback device of a new network, which is down at first: tests of people listen there.

use std::io;

use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketType, recv, send, socket};

/// Brings the loopback device up.
pub(crate) fn up() -> io::Result<()> {
    let socket = socket(AddressFamily::NETLINK, SocketType::RAW, None)?;
    // A header (length, type RTM_NEWLINK, flags REQUEST and ACK, number, sender), and an `ifinfomsg` (family and padding,
    // type, index 1, flags IFF_UP, which of them change).
    let words: [u32; 8] = [32, 0x0005_0010, 0, 0, 0, 1, 1, 1];
    let message: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    send(&socket, &message, SendFlags::empty())?;
    let mut answer = [0; 64];
    recv(&socket, &mut answer, RecvFlags::empty())?;
    match i32::from_ne_bytes([answer[16], answer[17], answer[18], answer[19]]) {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(-error)),
    }
}
