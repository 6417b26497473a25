//! Getting in touch with somebody.

use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};
use std::path::Path;

use rustix::net::{AddressFamily, Protocol, SendFlags, SocketType, connect, sendto, socket};

use super::{Done, Escape, Needs, rust, shell};

fn loopback(words: &[String]) -> Result<SocketAddrV4, Box<dyn std::error::Error>> {
    Ok(SocketAddrV4::new(Ipv4Addr::LOCALHOST, words[1].parse()?))
}

fn says_out(_: impl Sized) {
    println!("OUT");
}

fn protocol(number: u32) -> Protocol {
    Protocol::from_raw(number.try_into().expect("it is not 0"))
}

fn connects(words: &[String]) -> Done {
    TcpStream::connect(loopback(words)?)?.write_all(b"x")?;
    Ok(())
}

pub(super) const ALL: &[Escape] = &[
    rust("connects", connects),
    rust("connects_to_another_port", connects).with("connect=1"),
    rust("connects_although_only_a_socket_is_allowed", connects)
        .with("unix=PLACE/outside/socket best")
        .needs(Needs::Luck),
    rust("connects_over_ipv6", |words| {
        TcpStream::connect(("::1", words[2].parse()?))?.write_all(b"x")?;
        Ok(())
    }),
    shell("connects_by_the_shell", "echo x > /dev/tcp/127.0.0.1/$2"),
    rust("connects_by_many_paths", |words| {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, Some(protocol(262)))?;
        Ok(connect(socket, &loopback(words)?)?)
    }),
    rust("connects_by_many_paths_to_another_port", |words| {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, Some(protocol(262)))?;
        Ok(connect(socket, &loopback(words)?)?)
    })
    .with("connect=1"),
    rust("sends_before_it_connects", fast).with("connect=1"),
    rust("sends_before_it_connects_alone", fast),
    rust("sends_over_udp", |words| {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        socket.send_to(b"x", ("127.0.0.1", words[3].parse()?))?;
        Ok(())
    }),
    rust("sends_over_udp_beside_a_port", |words| {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        socket.send_to(b"x", ("127.0.0.1", words[3].parse()?))?;
        Ok(())
    })
    .with("connect=443"),
    shell(
        "sends_over_udp_by_the_shell",
        "echo x > /dev/udp/127.0.0.1/$4",
    ),
    rust("connects_to_a_socket_by_path", |words| {
        UnixStream::connect(Path::new(&words[0]).join("outside/socket"))?;
        Ok(())
    }),
    rust("connects_to_a_socket_by_a_link", |_| {
        UnixStream::connect("link-out/socket")?;
        Ok(())
    }),
    rust("connects_to_a_socket_by_name", |words| {
        UnixStream::connect_addr(&SocketAddr::from_abstract_name(&words[0])?)?;
        Ok(())
    }),
    rust("connects_to_a_socket_by_name_beside_a_port", |words| {
        UnixStream::connect_addr(&SocketAddr::from_abstract_name(&words[0])?)?;
        Ok(())
    })
    .with("connect=443"),
    rust("makes_a_socket_without_a_name", |_| {
        UnixDatagram::unbound().map(says_out).map_err(Into::into)
    }),
    rust("listens_for_others", |_| {
        let listener = TcpListener::bind("0.0.0.0:0")?;
        println!("listening on {}", listener.local_addr()?);
        says_out_unless_alone();
        Ok(())
    }),
    rust("listens_for_others_without_a_port", |_| {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None)?;
        rustix::net::listen(&socket, 1)?;
        says_out_unless_alone();
        Ok(())
    })
    .with("connect=443"),
    rust("makes_a_raw_socket", |_| {
        socket(AddressFamily::INET, SocketType::RAW, Some(protocol(1)))
            .map(says_out)
            .map_err(Into::into)
    })
    .needs(Needs::Root),
    rust("makes_a_packet_socket", |_| {
        socket(AddressFamily::PACKET, SocketType::RAW, None)
            .map(says_out)
            .map_err(Into::into)
    })
    .needs(Needs::Root),
    rust("makes_a_netlink_socket", |_| {
        socket(AddressFamily::NETLINK, SocketType::RAW, None)
            .map(says_out)
            .map_err(Into::into)
    }),
    rust("makes_a_socket_to_the_host", |_| {
        socket(AddressFamily::VSOCK, SocketType::STREAM, None)
            .map(says_out)
            .map_err(Into::into)
    })
    .needs(Needs::Luck),
    rust("makes_a_socket_to_the_ciphers", |_| {
        socket(AddressFamily::from_raw(38), SocketType::SEQPACKET, None)
            .map(says_out)
            .map_err(Into::into)
    })
    .needs(Needs::Luck),
    rust("makes_a_socket_of_many_streams", |_| {
        socket(AddressFamily::INET, SocketType::STREAM, Some(protocol(132)))
            .map(says_out)
            .map_err(Into::into)
    })
    .needs(Needs::Luck),
    shell(
        "asks_for_a_name",
        "getent -s dns hosts example.com && echo OUT",
    )
    .needs(Needs::Luck),
];

fn fast(words: &[String]) -> Done {
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None)?;
    sendto(
        socket,
        b"x",
        SendFlags::from_bits_retain(0x2000_0000),
        &loopback(words)?,
    )?;
    Ok(())
}

/// Says so if somebody else is on this network: there is more than the loopback device.
fn says_out_unless_alone() {
    let devices =
        std::fs::read_to_string("/proc/self/net/dev").unwrap_or_else(|_| "unknown".into());
    if devices.lines().count() != 3 {
        println!("OUT");
    }
}
