//! The guard against server-side request forgery.
//!
//! The text is a URL. What the guard lets through is read again by the crate `url`, and by the oldest rules that
//! programs in C have for addresses. No reading may lead to an address that is not public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use hooks_builtin::ssrf::{Guard, HookUrl, LoopbackHost};
use url::{Host, Url};

use crate::Features;

/// No URL that the guard lets through leads into a local network.
///
/// # Panics
///
/// If one does.
pub fn url(data: &[u8]) -> Features {
    let mut features = Features::default();
    let text = String::from_utf8_lossy(data);
    let text = text.as_ref();
    let guard = Guard::new();
    let checked = guard.check(text);
    let hook = text.parse::<HookUrl>();
    let host = text.parse::<LoopbackHost>();
    features.add("host", host.is_ok());
    match &checked {
        Ok(checked) => {
            let url = Url::parse(text).expect("the crate `url` reads it as well");
            assert_eq!(checked.as_url(), &url);
            assert_eq!(url.scheme(), "https");
            assert!(url.username().is_empty() && url.password().is_none());
            assert_ne!(url.port(), Some(0));
            match url.host() {
                Some(Host::Ipv4(address)) => assert!(is_public_v4(address), "{address}"),
                Some(Host::Ipv6(address)) => assert!(is_public_v6(address), "{address}"),
                Some(Host::Domain(name)) => {
                    let address = of_c(name);
                    assert_eq!(address, None, "{name}");
                    assert!(
                        name.is_ascii() && !name.contains(['%', '@', ':', '/', '\\']),
                        "{name}"
                    );
                }
                None => panic!("the URL has no host"),
            }
            if let Some(address) = text
                .get("https://".len()..)
                .and_then(authority)
                .and_then(of_c)
            {
                assert!(is_public_v4(address), "{address}, as it is written");
            }
            let again = guard
                .check(checked.as_str())
                .expect("the canonical spelling is let through as well");
            assert_eq!(again.as_str(), checked.as_str());
            assert_eq!(again.host(), checked.host());
            assert!(hook.is_ok(), "the URL may be in a configuration");
            features.add("host", url.host().map(|host| std::mem::discriminant(&host)));
            features.add_count("labels", checked.host().split('.').count());
        }
        Err(refused) => {
            let message = refused.to_string();
            features.add_message("refused", &message);
            // What is behind the host may be a secret.
            let behind = text
                .split_once("://")
                .and_then(|(_, rest)| rest.split_once('/'));
            if let Some((before, secret)) = behind
                && secret.len() > 12
                && !before.is_empty()
                && !before.contains(secret)
            {
                assert!(!message.contains(secret), "{message}");
            }
        }
    }
    if let Ok(hook) = &hook {
        let url = Url::parse(hook.as_str()).expect("the crate `url` reads it as well");
        let is_loopback = |address: IpAddr| address.to_canonical().is_loopback();
        match url.host() {
            Some(Host::Ipv4(address)) => {
                assert!(is_public_v4(address) || is_loopback(address.into()));
            }
            Some(Host::Ipv6(address)) => {
                assert!(is_public_v6(address) || is_loopback(address.into()));
            }
            _ => {}
        }
    }
    if let Ok(host) = &host {
        // A host that is allowed on loopback is a loopback address, or a name.
        if let Ok(address) = host.as_str().parse::<IpAddr>() {
            assert!(address.to_canonical().is_loopback(), "{address}");
        }
        let again = host.as_str().parse::<LoopbackHost>();
        assert_eq!(
            again.as_ref(),
            Ok(host),
            "the URL is read again as it is written"
        );
    }
    features
}

/// The host of a URL as it is written.
fn authority(rest: &str) -> Option<&str> {
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    host.split(':').next()
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, ..] = address.octets();
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_unspecified()
        || address.is_broadcast()
        || address.is_multicast()
        || address.is_documentation()
        || a == 0
        || a >= 240
        || (a == 100 && b & 0xc0 == 64)
        || (a == 198 && b & 0xfe == 18))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let inner = match address.segments() {
        [0, 0, 0, 0, 0, 0xffff | 0, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, .., high, low]
        | [0x2002, high, low, ..] => Some(u32::from(high) << 16 | u32::from(low)),
        // Teredo has the address of the client inverted.
        [0x2001, 0, .., high, low] => Some(!(u32::from(high) << 16 | u32::from(low))),
        _ => None,
    };
    let is_inner_public = inner.is_none_or(|bits| is_public_v4(Ipv4Addr::from_bits(bits)));
    is_inner_public
        && !(address.is_loopback()
            || address.is_unspecified()
            || address.is_multicast()
            || address.is_unique_local()
            || address.is_unicast_link_local())
}

/// What `inet_aton` makes of a text: one to four numbers, decimal, octal or hexadecimal, of which the last fills the rest.
fn of_c(text: &str) -> Option<Ipv4Addr> {
    let text = text.strip_suffix('.').unwrap_or(text);
    let numbers: Option<Vec<u32>> = text.split('.').map(number_of_c).collect();
    let numbers = numbers?;
    let (last, first) = numbers.split_last()?;
    if first.len() > 3 || first.iter().any(|number| *number > 255) {
        return None;
    }
    let high = first
        .iter()
        .zip([24, 16, 8])
        .fold(0, |bits, (number, shift)| bits | number << shift);
    let room = 32 - 8 * u32::try_from(first.len()).ok()?;
    (u64::from(*last) < 1 << room).then(|| Ipv4Addr::from_bits(high | last))
}

fn number_of_c(text: &str) -> Option<u32> {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    match (hexadecimal, text.strip_prefix('0')) {
        (Some(digits), _) => u32::from_str_radix(digits, 16).ok(),
        (None, Some(digits)) if !digits.is_empty() => u32::from_str_radix(digits, 8).ok(),
        _ => text
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| text.parse().ok())?,
    }
}
