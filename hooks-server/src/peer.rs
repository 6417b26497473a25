//! Who is at the other end: the address of a client, what one client may take of what all share, and what the log says of it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use ipnet::IpNet;
use lru::LruCache;
use tokio::time::Instant;

/// How often the log says the same thing of one address at most.
const TELL: Duration = Duration::from_mins(1);

/// Of how many addresses it is known when the log said something of them.
const TOLD: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

/// The other end of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Peer {
    /// None on the socket.
    pub(crate) address: Option<IpAddr>,
    /// Whether it has one of the places that are kept free for the doors.
    pub(crate) is_spare: bool,
}

/// The address of a client, behind the proxies before the daemon; none on the socket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Client(pub(crate) Option<IpAddr>);

impl<S: Sync> FromRequestParts<S> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Client::of(parts))
    }
}

impl Client {
    pub(crate) fn of(parts: &Parts) -> Self {
        parts.extensions.get().copied().unwrap_or_default()
    }

    /// Whose share it takes from: a client with one address of IPv6 has its whole network.
    pub(crate) fn share(self) -> Self {
        Client(self.0.map(|address| match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
            short @ IpAddr::V4(_) => short,
        }))
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(address) => address.to_canonical().fmt(f),
            None => f.write_str("the socket"),
        }
    }
}

/// The proxies whose word about the address of a client is taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proxies(pub(crate) Vec<IpNet>);

impl Proxies {
    pub(crate) fn has(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The client of a request: the last address that no proxy of ours has. What is said before that one, anybody may say.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        if !self.has(peer) {
            return peer;
        }
        let mut names = ["x-forwarded-for", "forwarded"].into_iter();
        let Some(name) = names.find(|name| headers.contains_key(*name)) else {
            return peer;
        };
        let lines = headers.get_all(name).iter();
        let lines: Vec<_> = lines
            .map(|line| line.to_str().unwrap_or_default())
            .collect();
        let mut client = peer;
        for said in lines.join(",").rsplit(',').map(named) {
            let Some(before) = said else { break };
            client = before;
            if !self.has(client) {
                break;
            }
        }
        client
    }
}

/// The address in a part of such a header: `10.0.0.7`, `[2001:db8::7]:4711`, `for="[2001:db8::7]";proto=https`.
fn named(part: &str) -> Option<IpAddr> {
    let mut pairs = part.split(';').map(|pair| pair.trim().split_once('='));
    let of = |(key, value): (&'_ str, _)| key.eq_ignore_ascii_case("for").then_some(value);
    let host = pairs.find_map(|pair| pair.and_then(of)).unwrap_or(part);
    let host = host.trim().trim_matches('"');
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let with_port = || Some(host.parse::<SocketAddr>().ok()?.ip());
    bare.parse().ok().or_else(with_port)
}

/// How much each has of something of which there is little.
#[derive(Debug)]
pub(crate) struct Shares<K>(Arc<Mutex<HashMap<K, usize>>>);

impl<K> Default for Shares<K> {
    fn default() -> Self {
        Shares(Arc::default())
    }
}

/// One of the things that a client has, until it is dropped.
#[derive(Debug)]
pub(crate) struct Share<K: Hash + Eq> {
    of: Arc<Mutex<HashMap<K, usize>>>,
    who: K,
}

impl<K: Hash + Eq + Clone> Shares<K> {
    /// Takes one more, if there are not that many already.
    pub(crate) fn take(&self, who: K, most: usize) -> Option<Share<K>> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(who.clone()).or_default();
        (*count < most).then(|| {
            *count += 1;
            Share {
                of: Arc::clone(&self.0),
                who,
            }
        })
    }
}

impl<K: Hash + Eq> Drop for Share<K> {
    fn drop(&mut self) {
        let mut taken = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.get_mut(&self.who) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(taken.remove(&self.who)),
        }
    }
}

/// When the log said something of an address, and how often it was since.
pub(crate) struct AddressLog(Mutex<LruCache<Client, (Instant, u64)>>);

impl Default for AddressLog {
    fn default() -> Self {
        AddressLog(Mutex::new(LruCache::new(TOLD)))
    }
}

impl AddressLog {
    /// Counts that it was once more. Returns how often since the last line, if a line is due.
    pub(crate) fn due(&self, client: Client) -> Option<u64> {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((at, count)) = told.get_mut(&client.share()) else {
            told.put(client.share(), (Instant::now(), 0));
            return Some(1);
        };
        *count += 1;
        (at.elapsed() >= TELL).then(|| {
            *at = Instant::now();
            std::mem::take(count)
        })
    }
}

/// The name of a request: the client's own, if it is short and plain, or one of ours.
pub(crate) fn request_id(headers: &HeaderMap) -> HeaderValue {
    let is_plain = |id: &&HeaderValue| {
        let id = id.as_bytes();
        (1..=128).contains(&id.len()) && id.iter().all(u8::is_ascii_graphic)
    };
    let theirs = headers.get("x-request-id").filter(is_plain);
    theirs.cloned().unwrap_or_else(|| {
        let mut bytes = [0_u8; 8];
        // Without randomness, it is still a name.
        let _ = ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut bytes);
        HeaderValue::try_from(hex::encode(bytes)).expect("digits make a header")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn only_a_proxy_of_ours_says_who_the_client_is() {
        let proxies = Proxies(vec![
            "10.0.0.0/8".parse().unwrap(),
            "::1/128".parse().unwrap(),
        ]);
        let client = |peer: &str, pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(*name, HeaderValue::from_static(value));
            }
            proxies.client(ip(peer), &headers).to_string()
        };
        let forwarded = [("x-forwarded-for", "192.0.2.1, 203.0.113.9")];
        assert_eq!(client("198.51.100.1", &forwarded), "198.51.100.1");
        assert_eq!(client("10.1.2.3", &forwarded), "203.0.113.9");
        assert_eq!(client("::ffff:10.1.2.3", &forwarded), "203.0.113.9");
        assert_eq!(client("10.1.2.3", &[]), "10.1.2.3");
        for (name, value, expected) in [
            ("x-forwarded-for", "203.0.113.9, 10.0.0.2", "203.0.113.9"),
            ("x-forwarded-for", "unknown", "::1"),
            ("x-forwarded-for", "203.0.113.9:4711", "203.0.113.9"),
            (
                "forwarded",
                "for=192.0.2.1, For=\"[2001:db8::7]:4711\";proto=https",
                "2001:db8::7",
            ),
            ("forwarded", "proto=https;for=203.0.113.9", "203.0.113.9"),
            ("forwarded", "for=_hidden", "::1"),
        ] {
            assert_eq!(client("::1", &[(name, value)]), expected, "{name}: {value}");
        }
        let twice = [
            ("x-forwarded-for", "192.0.2.1"),
            ("x-forwarded-for", "203.0.113.9"),
        ];
        assert_eq!(client("::1", &twice), "203.0.113.9");
    }

    #[test]
    fn a_share_is_free_again_when_it_is_dropped() {
        let shares = Shares::default();
        let first = shares.take("a", 1);
        assert!(first.is_some() && shares.take("a", 1).is_none());
        assert!(shares.take("b", 1).is_some());
        drop(first);
        assert!(shares.take("a", 1).is_some());
        assert!(shares.0.lock().unwrap().is_empty());
        let share = |text| Client(Some(ip(text))).share();
        assert_eq!(share("2001:db8::1"), share("2001:db8::ffff:2"));
        assert_ne!(share("2001:db8::1"), share("2001:db8:0:1::1"));
        assert_eq!(share("::ffff:192.0.2.1"), share("192.0.2.1"));
        assert_ne!(share("192.0.2.1"), share("192.0.2.2"));
    }

    #[tokio::test(start_paused = true)]
    async fn the_log_says_it_once_a_minute_with_the_count() {
        let (told, client) = (AddressLog::default(), Client(Some(ip("192.0.2.1"))));
        assert_eq!(told.due(client), Some(1));
        assert_eq!(told.due(Client(None)), Some(1));
        for _ in 0..9 {
            assert_eq!(told.due(client), None);
        }
        tokio::time::advance(TELL).await;
        assert_eq!(told.due(client), Some(10));
    }
}
