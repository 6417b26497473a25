//! What the supervisor and the process inside tell each other: a listener, and that the program may start.

use std::io::{self, IoSlice, IoSliceMut, Read as _};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream;

use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

/// From inside: hands a listener to the supervisor.
pub(crate) fn send(channel: &UnixStream, listener: &TcpListener) -> io::Result<()> {
    let rights = [ControlMessage::ScmRights(&[listener.as_raw_fd()])];
    sendmsg::<()>(
        channel.as_raw_fd(),
        &[IoSlice::new(b"l")],
        &rights,
        MsgFlags::empty(),
        None,
    )?;
    Ok(())
}

/// From inside: waits until the program may start, and returns whether it is traced.
pub(crate) fn wait(channel: &UnixStream) -> io::Result<bool> {
    let mut message = [0];
    match (&mut &*channel).read(&mut message)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(message == *b"t"),
    }
}

/// From outside: takes the listener. `None` is that the process inside has ended.
pub(crate) fn receive(channel: &UnixStream) -> Option<TcpListener> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut rights = RecvAncillaryBuffer::new(&mut space);
    recvmsg(
        channel,
        &mut [IoSliceMut::new(&mut [0])],
        &mut rights,
        RecvFlags::CMSG_CLOEXEC,
    )
    .ok()?;
    rights.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut listeners) => listeners.next().map(TcpListener::from),
        _ => None,
    })
}

/// From outside: lets the program start, traced or not. It does not matter if the process inside has ended.
pub(crate) fn go(channel: &UnixStream, is_traced: bool) {
    let message = if is_traced { b"t" } else { b"g" };
    let _ = rustix::net::send(channel, message, rustix::net::SendFlags::NOSIGNAL);
}
