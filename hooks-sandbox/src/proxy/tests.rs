//! The proxy, with real clients over the wire.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::hosts::HostPattern;
use super::{NotConnected, ProxyHosts};
use crate::{Reason, Refused};

fn hosts(allowed: &[&str]) -> ProxyHosts {
    let allowed: Vec<_> = allowed.iter().map(|&text| text.to_owned()).collect();
    ProxyHosts::new(&allowed).unwrap()
}

/// Hosts whose names a table resolves: one row after the other, and the last one for ever.
fn resolved(allowed: &[&str], rows: &[&[&str]]) -> (ProxyHosts, Arc<AtomicUsize>) {
    let row = |row: &&[&str]| row.iter().map(|address| address.parse().unwrap()).collect();
    let rows: Mutex<VecDeque<Vec<IpAddr>>> = Mutex::new(rows.iter().map(row).collect());
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = asked.clone();
    let mut hosts = hosts(allowed);
    hosts.resolve = Box::new(move |_, port| {
        counter.fetch_add(1, Ordering::SeqCst);
        let mut rows = rows.lock().unwrap();
        let row = if rows.len() > 1 {
            rows.pop_front().unwrap()
        } else {
            rows[0].clone()
        };
        Ok(row
            .into_iter()
            .map(|address| SocketAddr::new(address, port))
            .collect())
    });
    (hosts, asked)
}

/// Why a host is refused; `None` if it is not.
fn refused(hosts: &ProxyHosts, host: &str, port: u16) -> Option<Reason> {
    match hosts.addresses(host, port) {
        Ok(_) => None,
        Err(NotConnected::Refused(reason)) => Some(reason),
        Err(NotConnected::Failed(error)) => panic!("{host}: {error}"),
    }
}

#[test]
fn a_pattern_means_a_host_or_what_is_below_it_on_some_ports() {
    let public: &[&[&str]] = &[&["1.1.1.1"]];
    for (pattern, host, port, expected) in [
        ("example.com", "example.com", 443, None),
        ("example.com", "example.com", 80, None),
        ("example.com", "EXAMPLE.com.", 443, None),
        ("Example.COM.", "example.com", 443, None),
        ("example.com", "example.com", 22, Some(Reason::OtherPort)),
        (
            "example.com",
            "www.example.com",
            443,
            Some(Reason::NotListed),
        ),
        (
            "example.com",
            "badexample.com",
            443,
            Some(Reason::NotListed),
        ),
        (
            "example.com",
            "example.com.evil.net",
            443,
            Some(Reason::NotListed),
        ),
        (
            "example.com",
            "example.com\0.evil.net",
            443,
            Some(Reason::NotListed),
        ),
        (
            "example.com",
            "user@example.com",
            443,
            Some(Reason::NotListed),
        ),
        ("example.com", "", 443, Some(Reason::NotListed)),
        ("*.example.org", "a.example.org", 443, None),
        ("*.example.org", "a.b.example.org", 443, None),
        ("*.example.org", "example.org", 443, Some(Reason::NotListed)),
        (
            "*.example.org",
            ".example.org",
            443,
            Some(Reason::NotListed),
        ),
        (
            "*.example.org",
            "badexample.org",
            443,
            Some(Reason::NotListed),
        ),
        (
            "*.example.org",
            "a b.example.org",
            443,
            Some(Reason::NotListed),
        ),
        ("example.com:8443", "example.com", 8443, None),
        (
            "example.com:8443",
            "example.com",
            443,
            Some(Reason::OtherPort),
        ),
        ("*.example.org:8443", "a.example.org", 8443, None),
        ("10.0.0.1", "10.0.0.1", 443, None),
        ("10.0.0.1", "::ffff:10.0.0.1", 443, None),
        ("[::1]:3000", "::1", 3000, None),
        ("::1", "[::1]", 80, None),
        ("example.com", "1.1.1.1", 443, Some(Reason::NotListed)),
        ("127.0.0.1:80", "2130706433", 80, Some(Reason::NotListed)),
        ("127.0.0.1:80", "0x7f.1", 80, Some(Reason::NotListed)),
    ] {
        let (hosts, _) = resolved(&[pattern], public);
        assert_eq!(
            refused(&hosts, host, port),
            expected,
            "{pattern}: {host}:{port}"
        );
    }
}

#[test]
fn what_is_no_pattern_says_what_to_write() {
    for text in [
        "",
        "*",
        "*.",
        "a..b",
        ".com",
        "https://example.com",
        "example.com/path",
        "example.com:",
        "example.com:0",
        "example.com:http",
        "exa*mple.com",
        "*.10.0.0.1",
        "127.1",
        "bücher.example",
        "a b",
    ] {
        let error = text.parse::<HostPattern>().unwrap_err().to_string();
        assert!(
            error.contains(&format!("`{text}`")) && error.contains("example.com"),
            "{error}"
        );
    }
}

#[test]
fn a_name_that_leads_into_the_network_is_refused() {
    for address in [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "168.63.129.16",
        "169.254.169.254",
        "172.31.255.255",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::10.0.0.1",
        "2002:7f00:1::",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "ff02::1",
    ] {
        let (hosts, _) = resolved(&["example.com"], &[&[address]]);
        assert_eq!(
            refused(&hosts, "example.com", 443),
            Some(Reason::NotPublic),
            "{address}"
        );
        let (hosts, _) = resolved(&["example.com"], &[&["1.1.1.1", address]]);
        assert_eq!(
            refused(&hosts, "example.com", 443),
            Some(Reason::NotPublic),
            "{address} among others"
        );
    }
    let (hosts, _) = resolved(&["example.com"], &[&["1.1.1.1", "2606:4700::1111"]]);
    assert_eq!(refused(&hosts, "example.com", 443), None);
    let (hosts, _) = resolved(&["localhost"], &[&["1.1.1.1"]]);
    assert_eq!(refused(&hosts, "localhost", 443), Some(Reason::NotPublic));
}

#[test]
fn a_second_answer_of_the_resolver_is_never_asked_for() {
    let (hosts, asked) = resolved(&["example.com"], &[&["1.1.1.1"], &["127.0.0.1"]]);
    let first = hosts.addresses("example.com", 443).unwrap();
    assert_eq!(first, ["1.1.1.1:443".parse().unwrap()]);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    // The next connection asks anew, and judges anew.
    assert_eq!(refused(&hosts, "example.com", 443), Some(Reason::NotPublic));
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

/// A proxy, and what it has refused.
struct Served {
    address: SocketAddr,
    refused: Arc<Mutex<Vec<Refused>>>,
}

fn serve(allowed: &[&str]) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let refused = Arc::new(Mutex::new(Vec::new()));
    let told = refused.clone();
    let told = move |refused| told.lock().unwrap().push(refused);
    let hosts = hosts(allowed);
    thread::spawn(move || super::serve(&listener, hosts, Box::new(told)));
    Served { address, refused }
}

impl Served {
    /// Connects without a word.
    fn client(&self) -> TcpStream {
        let client = TcpStream::connect(self.address).unwrap();
        client
            .set_read_timeout(Some(Duration::from_mins(1)))
            .unwrap();
        client
    }

    fn curl(&self, scheme: &str, arguments: &[&str]) -> Output {
        let proxy = format!("{scheme}://{}", self.address);
        let mut curl = Command::new("curl");
        curl.args([
            "--silent",
            "--show-error",
            "--noproxy",
            "",
            "--proxy",
            &proxy,
        ]);
        curl.args(arguments).output().expect("the tests need curl")
    }

    /// The hosts that were refused, and why.
    fn refused(&self) -> Vec<(String, Reason)> {
        let refused = self.refused.lock().unwrap();
        let pair = |refused: &Refused| (refused.target.clone(), refused.reason);
        refused.iter().map(pair).collect()
    }
}

/// A server that answers each request with the request, up to its empty line. Returns its port.
fn echo() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || {
                let mut stream = stream.unwrap();
                let mut head = String::new();
                let mut lines = BufReader::new(&stream);
                while !head.ends_with("\r\n\r\n") && lines.read_line(&mut head).unwrap() > 0 {}
                let length = head.len();
                _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{head}"
                );
            });
        }
    });
    port
}

fn text(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn clients_reach_an_allowed_host_by_http_a_tunnel_and_socks() {
    let port = echo();
    let host = format!("localhost:{port}");
    let proxy = serve(&[&host]);
    let url = format!("http://{host}/path?query");
    for (scheme, arguments) in [("http", &["--proxytunnel"][..]), ("socks5h", &[])] {
        let answer = text(&proxy.curl(scheme, &[arguments, &[&url]].concat()));
        assert!(
            answer.starts_with("GET /path?query HTTP/1.1\r\n"),
            "{answer}"
        );
    }
    let answer = text(&proxy.curl(
        "http",
        &["--proxy-user", "a:b", "--header", "X-Mine: 1", &url],
    ));
    assert!(
        answer.starts_with(&format!("GET /path?query HTTP/1.1\r\nHost: {host}\r\n")),
        "{answer}"
    );
    assert!(answer.contains("X-Mine: 1\r\n"), "{answer}");
    assert!(!answer.to_lowercase().contains("proxy-"), "{answer}");
    assert_eq!(proxy.refused(), []);
}

#[test]
fn an_address_that_is_listed_is_reached_in_each_form() {
    let port = echo();
    let proxy = serve(&[&format!("127.0.0.1:{port}")]);
    for (scheme, host) in [
        ("socks5", "127.0.0.1"),
        ("socks5h", "127.0.0.1"),
        ("http", "[::ffff:127.0.0.1]"),
    ] {
        let answer = text(&proxy.curl(scheme, &[&format!("http://{host}:{port}/")]));
        assert!(answer.starts_with("GET / HTTP/1.1\r\n"), "{answer}");
    }
}

#[test]
fn a_body_gets_through_as_it_is() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = format!("localhost:{}", listener.local_addr().unwrap().port());
    let proxy = serve(&[&host]);
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        stream.write_all(&all).unwrap();
    });
    let mut client = proxy.client();
    let sent: Vec<u8> = (0..3_000_000_u32)
        .map(|number| number.to_le_bytes()[0])
        .collect();
    // The first bytes come with the request.
    let mut request = format!("CONNECT {host} HTTP/1.1\r\n\r\n").into_bytes();
    request.extend_from_slice(&sent[..100]);
    client.write_all(&request).unwrap();
    let mut writer = client.try_clone().unwrap();
    let rest = sent[100..].to_vec();
    let writer = thread::spawn(move || {
        writer.write_all(&rest).unwrap();
        writer.shutdown(std::net::Shutdown::Write).unwrap();
    });
    let mut got = Vec::new();
    client.read_to_end(&mut got).unwrap();
    let answer = b"HTTP/1.1 200 Connected\r\n\r\n";
    assert!(got.starts_with(answer) && got[answer.len()..] == sent);
    writer.join().unwrap();
    server.join().unwrap();
}

#[test]
fn a_refused_client_reads_why() {
    let proxy = serve(&["example.com", "*.example.org"]);
    let output = proxy.curl("http", &["http://evil.com/"]);
    assert_eq!(
        text(&output),
        "evil.com:80 is refused: not among the allowed hosts. The allowed hosts are: example.com, *.example.org\n"
    );
    let tunnel = proxy.curl("http", &["https://example.com:22/"]);
    assert!(
        String::from_utf8_lossy(&tunnel.stderr).contains("403"),
        "{tunnel:?}"
    );
    let socks = proxy.curl("socks5h", &["http://169.254.169.254/"]);
    assert!(
        String::from_utf8_lossy(&socks.stderr).contains("(2)"),
        "{socks:?}"
    );
    assert_eq!(
        proxy.refused(),
        [
            ("evil.com:80".into(), Reason::NotListed),
            ("example.com:22".into(), Reason::OtherPort),
            ("169.254.169.254:80".into(), Reason::NotListed),
        ]
    );
}

#[test]
fn a_host_that_does_not_answer_is_not_called_refused() {
    // A port without a listener.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let proxy = serve(&[&format!("127.0.0.1:{port}")]);
    let output = text(&proxy.curl("http", &[&format!("http://127.0.0.1:{port}/")]));
    assert!(output.contains("was not reached"), "{output}");
    assert_eq!(proxy.refused(), []);
}

#[test]
fn a_bad_client_harms_only_itself() {
    let port = echo();
    let host = format!("localhost:{port}");
    let proxy = serve(&[&host]);
    let endless = [
        b"GET http://localhost/ HTTP/1.1\r\nX: ".to_vec(),
        vec![b'a'; 100_000],
    ]
    .concat();
    let bad: [&[u8]; 11] = [
        b"",
        b"\0",
        b"\x04\x01\0\x50\x7f\0\0\x01\0",
        b"\x05\x00",
        b"\x05\x01\x00\x05\x02\x00\x01\x7f\0\0\x01\0\x50",
        b"\x05\x01\x00\x05\x01\x00\x03\x02\xff\xff\0\x50",
        b"\x05\x01\x00\x05\x01\x00\x09",
        b"GET / HTTP/1.1\r\n\r\n",
        b"CONNECT localhost HTTP/1.1\r\n\r\n",
        b"GET http://localhost:99999/ HTTP/1.1\r\n\r\n",
        &endless,
    ];
    for bytes in bad {
        let mut client = proxy.client();
        // The proxy may close before it has read all.
        _ = client.write_all(bytes);
        _ = client.shutdown(std::net::Shutdown::Write);
        _ = client.read_to_end(&mut Vec::new());
    }
    let silent: Vec<_> = (0..100).map(|_| proxy.client()).collect();
    let answer = text(&proxy.curl("http", &[&format!("http://{host}/")]));
    assert!(answer.starts_with("GET / "), "{answer}");
    drop(silent);
}

#[test]
fn a_crowd_of_clients_is_turned_away() {
    let proxy = serve(&["example.com"]);
    let crowd: Vec<_> = (0..super::CONNECTIONS * 2)
        .map(|_| proxy.client())
        .collect();
    let mut late = proxy.client();
    assert_eq!(
        late.read(&mut [0]).unwrap_or(0),
        0,
        "the connection is closed"
    );
    drop(crowd);
}
