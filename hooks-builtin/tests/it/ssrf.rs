//! What the guard refuses, and what it lets through, by two lists of URLs; and that a client goes nowhere else.

use std::collections::VecDeque;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hooks_builtin::ssrf::reqwest::dns::{Addrs, Name, Resolve, Resolving};
use hooks_builtin::ssrf::{Guard, GuardError, HookUrl, LoopbackHost, Refused, special_purpose};
use proptest::prelude::*;

use crate::receiver::{Answer, Receiver};

const HOSTILE: &str = include_str!("../corpus/urls_hostile.txt");
const GOOD: &str = include_str!("../corpus/urls_good.txt");

/// A resolver that answers by a table, whatever the name: with one row after the other, the last one for ever.
#[derive(Clone, Default)]
struct Table {
    rows: Arc<Mutex<VecDeque<Vec<IpAddr>>>>,
    asked: Arc<AtomicUsize>,
}

impl Table {
    fn new(rows: &[Vec<IpAddr>]) -> Self {
        Table {
            rows: Arc::new(Mutex::new(rows.iter().cloned().collect())),
            asked: Arc::default(),
        }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Resolve for Table {
    fn resolve(&self, _: Name) -> Resolving {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let mut rows = self.rows.lock().unwrap();
        let row = if rows.len() > 1 {
            rows.pop_front().unwrap()
        } else {
            rows.front().cloned().unwrap_or_default()
        };
        Box::pin(async move {
            let found = row.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(found) as Addrs)
        })
    }
}

/// A line of a corpus.
struct Case {
    url: String,
    /// What each look-up answers; none if there is to be no look-up.
    rows: Vec<Vec<IpAddr>>,
    redirect: bool,
}

fn cases(corpus: &str) -> Vec<Case> {
    corpus
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (line, redirect) = match line.strip_prefix("redirect ") {
                Some(rest) => (rest, true),
                None => (line, false),
            };
            let (url, rows) = match line.split_once(" ->") {
                None => (line, Vec::new()),
                Some((url, rows)) => {
                    let row = |row: &str| {
                        row.split(',')
                            .map(str::trim)
                            .filter(|address| !address.is_empty())
                            .map(|address| address.parse().expect(line))
                            .collect()
                    };
                    (url, rows.split('|').map(row).collect())
                }
            };
            let url = if url.starts_with('"') {
                serde_json::from_str(url).expect(line)
            } else {
                url.to_owned()
            };
            Case {
                url,
                rows,
                redirect,
            }
        })
        .collect()
}

fn guard(loopback: &[&str], table: &Table) -> Guard {
    Guard::new()
        .allow_loopback(loopback.iter().map(|host| host.parse().unwrap()))
        .with_resolver(table.clone())
}

fn addresses(found: &[SocketAddr]) -> Vec<IpAddr> {
    found.iter().map(SocketAddr::ip).collect()
}

#[test]
fn the_corpora_are_as_long_as_they_should_be() {
    assert!(cases(HOSTILE).len() >= 80, "{}", cases(HOSTILE).len());
    assert!(cases(GOOD).len() >= 30, "{}", cases(GOOD).len());
}

#[tokio::test]
async fn every_hostile_url_is_refused() {
    for Case {
        url,
        rows,
        redirect,
    } in cases(HOSTILE)
    {
        if redirect {
            continue;
        }
        let table = Table::new(&rows);
        let guard = guard(&["hooks.test"], &table);
        let checked = match guard.check(&url) {
            Ok(checked) => checked,
            Err(_) if rows.is_empty() => {
                assert_eq!(table.asked(), 0);
                continue;
            }
            Err(refused) => panic!("{url:?} is to be refused by its addresses: {refused}"),
        };
        assert!(!rows.is_empty(), "{url:?} is let through as {checked:?}");
        // Rebinding: what is let through is what was judged.
        for row in &rows[..rows.len() - 1] {
            let found = guard.addresses(&checked).await.expect(&url);
            assert_eq!(&addresses(&found), row, "{url:?}");
        }
        let error = guard.addresses(&checked).await.expect_err(&url);
        let nowhere = rows[rows.len() - 1].is_empty();
        assert!(
            matches!(error, GuardError::Refused(_)) != nowhere,
            "{url:?}: {error}"
        );
        assert_eq!(table.asked(), rows.len());
    }
}

#[tokio::test]
async fn every_hostile_url_is_refused_by_a_client_too() {
    for Case {
        url,
        rows,
        redirect,
    } in cases(HOSTILE)
    {
        // What is let through once would be called.
        if redirect || rows.len() > 1 {
            continue;
        }
        let table = Table::new(&rows);
        let error = match guard(&["hooks.test"], &table).endpoint(&url, Duration::from_secs(10)) {
            Err(error) => Box::<dyn std::error::Error>::from(error),
            Ok(endpoint) => endpoint.post().send().await.expect_err(&url).into(),
        };
        let nowhere = rows.first().is_some_and(Vec::is_empty);
        assert!(
            Refused::behind(&*error).is_some() != nowhere,
            "{url:?}: {error:?}"
        );
    }
}

#[tokio::test]
async fn every_good_url_is_let_through() {
    for Case { url, rows, .. } in cases(GOOD) {
        let table = Table::new(&rows);
        let guard = guard(&["hooks.test", "127.0.0.1", "::1"], &table);
        let checked = guard.check(&url).expect(&url);
        let found = guard.addresses(&checked).await.expect(&url);
        match rows.first() {
            Some(row) => assert_eq!(&addresses(&found), row, "{url}"),
            None => assert_eq!((found.len(), table.asked()), (1, 0), "{url}"),
        }
        assert!(
            found.iter().all(|address| address.port() == checked.port()),
            "{url}"
        );
        assert!(url.parse::<HookUrl>().is_ok(), "{url}");
    }
}

#[tokio::test]
async fn a_redirect_is_the_answer_and_is_not_followed() {
    for Case { url: target, .. } in cases(HOSTILE).into_iter().filter(|case| case.redirect) {
        let receiver = Receiver::start([], Answer::Redirect(target.clone()));
        let guard = guard(&["127.0.0.1"], &Table::default());
        let endpoint = guard
            .endpoint(&receiver.url(), Duration::from_secs(10))
            .unwrap();
        let answer = endpoint.post().body("{}").send().await.unwrap();
        assert_eq!(answer.status(), 302, "{target}");
        assert_eq!(receiver.requests().len(), 1, "{target}");
    }
}

#[tokio::test]
async fn a_connection_goes_to_the_addresses_of_the_one_look_up_that_was_judged() {
    // Each answer closes the connection, so that each request looks up again.
    let receiver = Receiver::start([], Answer::Status(200, "connection: close\r\n"));
    let here: IpAddr = "127.0.0.1".parse().unwrap();
    let table = Table::new(&[vec![here], vec![here], vec!["10.0.0.1".parse().unwrap()]]);
    let guard = guard(&["rebind.test"], &table);
    let url = format!("http://rebind.test:{}/", receiver.address.port());
    let endpoint = guard.endpoint(&url, Duration::from_secs(10)).unwrap();

    for calls in 1..=2 {
        let answer = endpoint.post().send().await.unwrap();
        assert_eq!(answer.remote_addr(), Some(receiver.address));
        assert_eq!((table.asked(), receiver.connections()), (calls, calls));
    }
    let error = endpoint.post().send().await.unwrap_err();
    let refused = Refused::behind(&error).expect("it is the guard that refuses");
    let refused = refused.to_string();
    assert!(refused.ends_with("leads to another machine"), "{refused}");
    assert!(
        !refused.contains("10.0.0.1"),
        "the address of a name is not for who asks"
    );
    assert_eq!(receiver.connections(), 2);
}

#[tokio::test]
async fn a_name_of_which_one_address_is_not_allowed_is_not_called_at_all() {
    let receiver = Receiver::start([], Answer::Status(200, ""));
    let table = Table::new(&[vec![
        "127.0.0.1".parse().unwrap(),
        "10.0.0.1".parse().unwrap(),
    ]]);
    let url = format!("http://mixed.test:{}/", receiver.address.port());
    let endpoint = guard(&["mixed.test"], &table)
        .endpoint(&url, Duration::from_secs(10))
        .unwrap();
    assert!(Refused::behind(&endpoint.post().send().await.unwrap_err()).is_some());
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn a_look_up_by_the_system_is_judged_like_any_other() {
    let receiver = Receiver::start([], Answer::Status(200, ""));
    let url = format!("http://localhost:{}/", receiver.address.port());
    assert!(Guard::new().check(&url).is_err());
    let guard = Guard::new().allow_loopback(["localhost".parse().unwrap()]);
    let endpoint = guard.endpoint(&url, Duration::from_secs(10)).unwrap();
    assert_eq!(endpoint.post().send().await.unwrap().status(), 200);
}

#[test]
fn proxies_of_the_environment_are_not_used() {
    const RECEIVER: &str = "TEST_RECEIVER";
    if let Ok(url) = std::env::var(RECEIVER) {
        let guard = guard(&["127.0.0.1"], &Table::default());
        let endpoint = guard.endpoint(&url, Duration::from_secs(10)).unwrap();
        let answer = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(async { endpoint.post().send().await });
        assert_eq!(answer.unwrap().status(), 200);
        return;
    }
    // The environment of this very test, in a process of its own.
    let receiver = Receiver::start([], Answer::Status(200, ""));
    let proxy = Receiver::start([], Answer::Status(200, ""));
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "ssrf::proxies_of_the_environment_are_not_used"]);
    child
        .env(RECEIVER, receiver.url())
        .env_remove("NO_PROXY")
        .env_remove("no_proxy");
    for name in [
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
    ] {
        child.env(name, proxy.url());
    }
    let done = child.output().unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stdout)
    );
    assert_eq!((receiver.connections(), proxy.connections()), (1, 0));
}

proptest! {
    #[test]
    fn any_spelling_of_an_address_is_judged_like_the_address(bits in prop_oneof![
        any::<u32>(),
        (0_u32..0x0100_0000).prop_map(|low| 0x7f00_0000 | low),
        (0_u32..0x0100_0000).prop_map(|low| 0x0a00_0000 | low),
        (0_u32..0x0001_0000).prop_map(|low| 0xa9fe_0000 | low),
    ]) {
        let [a, b, c, d] = bits.to_be_bytes();
        let public = special_purpose(Ipv4Addr::from_bits(bits).into()).is_none();
        for host in [
            format!("{a}.{b}.{c}.{d}"),
            format!("{a}.{b}.{c}.{d}."),
            format!("{bits}"),
            format!("{bits:#x}"),
            format!("0{bits:o}"),
            format!("{a}.{}", bits & 0x00ff_ffff),
            format!("{a}.{b}.{}", bits & 0xffff),
            format!("{a:#x}.0{b:o}.{c}.{d:#X}"),
            format!("[::ffff:{a}.{b}.{c}.{d}]"),
            format!("[0:0:0:0:0:ffff:{:x}:{:x}]", bits >> 16, bits & 0xffff),
            format!("[64:ff9b::{a}.{b}.{c}.{d}]"),
            format!("{a}.{b}.{c}.{d}").bytes().fold(String::new(), |all, byte| all + &format!("%{byte:02x}")),
        ] {
            prop_assert_eq!(Guard::new().check(&format!("https://{host}/")).is_ok(), public, "{}", host);
        }
    }

    #[test]
    fn no_text_makes_a_guard_panic(text in "(https?://)?.*", host in "[0-9a-fx.:%@\\[\\]]*") {
        let _ = Guard::new().check(&text);
        let _ = Guard::new().check(&format!("https://{host}/"));
        let _ = host.parse::<LoopbackHost>();
    }
}

#[tokio::test]
async fn tls_needs_no_provider_of_the_whole_program_and_installs_none() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let first = std::thread::spawn(move || {
        let mut byte = [0];
        listener.accept().unwrap().0.read_exact(&mut byte).unwrap();
        byte[0]
    });
    let guard = guard(&["127.0.0.1"], &Table::default());
    let endpoint = guard
        .endpoint(
            &format!("https://127.0.0.1:{port}/"),
            Duration::from_secs(10),
        )
        .unwrap();
    assert!(endpoint.post().send().await.is_err());
    // A TLS record of a handshake.
    assert_eq!(first.join().unwrap(), 0x16);
    assert!(rustls::crypto::CryptoProvider::get_default().is_none());
}

#[test]
fn a_refusal_says_the_host_and_nothing_else_of_the_url() {
    for url in [
        "https://me:s3cret@10.0.0.1/s3cret",
        "https://10.0.0.1/s3cret?s3cret#s3cret",
        "http://example.com/s3cret",
        "ftp://s3cret:s3cret@example.com/s3cret",
        "https://example.com:0/s3cret",
        "https://example.com:99999/s3cret",
        "https://exa mple.com/s3cret",
        "https://[::g]/s3cret",
    ] {
        let refused = Guard::new().check(url).unwrap_err();
        assert!(
            !format!("{refused} {refused:?}").contains("s3cret"),
            "{refused}"
        );
    }
    let checked = Guard::new()
        .check("https://example.com/s3cret?s3cret")
        .unwrap();
    assert_eq!(format!("{checked:?}"), "https://example.com/…");
}

#[test]
fn a_guard_judges_urls_that_another_has_let_through() {
    let table = Table::new(&[vec!["127.0.0.1".parse().unwrap()]]);
    let lax = guard(&["hooks.test"], &table);
    let url = lax.check("http://hooks.test/").unwrap();
    let found = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(Guard::new().with_resolver(table).addresses(&url));
    assert!(matches!(found, Err(GuardError::Refused(_))));
}
