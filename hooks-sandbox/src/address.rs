//! Which addresses are public.
//!
//! IPv4 addresses are public, except those of a list. IPv6 addresses are not public, except those of a list: all routed
//! addresses are in `2000::/3`, and unassigned ranges are not trusted in advance.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use ipnet::IpNet;

/// The ranges that are not public, and what they are.
static RANGES: LazyLock<Vec<(IpNet, &str)>> = LazyLock::new(|| {
    let lines = include_str!("ranges.txt").lines();
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (range, what) = line.split_once(' ').expect("a range says what it is");
            (range.parse().expect("a range has an address"), what)
        })
        .collect()
});

/// Returns the purpose of an address that is not public: "private (10.0.0.0/8)".
///
/// If an IPv6 address contains an IPv4 address, mapped (`::ffff:0:0/96`) or translated by NAT64 (`64:ff9b::/96`), the
/// IPv4 address is judged. All other forms that contain one (compatible, 6to4, Teredo, ISATAP, NAT64 within a network)
/// are not public, whatever they contain.
///
/// ```
/// use hooks_sandbox::address::special_purpose;
///
/// let of = |address: &str| special_purpose(address.parse().unwrap());
/// assert_eq!(of("10.1.2.3"), Some("private (10.0.0.0/8)"));
/// assert_eq!(of("64:ff9b::10.1.2.3"), Some("private (10.0.0.0/8)"));
/// assert_eq!(of("1.1.1.1"), None);
/// assert_eq!(of("2606:4700:4700::1111"), None);
/// ```
#[must_use]
pub fn special_purpose(address: IpAddr) -> Option<&'static str> {
    let address = match address {
        IpAddr::V6(address) => embedded(address).map_or(IpAddr::V6(address), IpAddr::V4),
        IpAddr::V4(_) => address,
    };
    let special = RANGES.iter().find(|(range, _)| range.contains(&address));
    match (special, address) {
        (Some((_, what)), _) => Some(what),
        (None, IpAddr::V6(address)) => unassigned(address),
        (None, IpAddr::V4(_)) => None,
    }
}

fn unassigned(address: Ipv6Addr) -> Option<&'static str> {
    let [a, _, _, _, isatap, tag, _, _] = address.segments();
    if tag == 0x5efe && isatap & !0x0200 == 0 {
        return Some("ISATAP, which tunnels to an IPv4 address");
    }
    // All assigned IPv6 addresses are in 2000::/3.
    (a & 0xe000 != 0x2000).then_some("not assigned to anyone")
}

/// Returns the IPv4 address that an IPv6 address leads to: a mapped one, or through NAT64 with the well-known prefix.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
        }
        _ => address.to_ipv4_mapped(),
    }
}

/// Whether an address belongs to the machine itself. This includes mapped addresses.
#[must_use]
pub fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(address: &str) -> Option<&'static str> {
        special_purpose(address.parse().unwrap())
    }

    /// Each line has the first and the last address of a range, and the addresses before and after it.
    fn ends(ranges: &[&str]) {
        for range in ranges {
            let addresses: Vec<_> = range.split(' ').map(of).collect();
            assert!(addresses[0].is_some() && addresses[1].is_some(), "{range}");
            assert_eq!(addresses[2..], [None, None], "{range}");
        }
    }

    #[test]
    fn the_ends_of_each_range_are_in_it_and_their_neighbours_are_not() {
        ends(&[
            "10.0.0.0 10.255.255.255 9.255.255.255 11.0.0.0",
            "100.64.0.0 100.127.255.255 100.63.255.255 100.128.0.0",
            "127.0.0.0 127.255.255.255 126.255.255.255 128.0.0.0",
            "168.63.129.16 168.63.129.16 168.63.129.15 168.63.129.17",
            "169.254.0.0 169.254.255.255 169.253.255.255 169.255.0.0",
            "172.16.0.0 172.31.255.255 172.15.255.255 172.32.0.0",
            "192.0.0.0 192.0.0.255 191.255.255.255 192.0.1.0",
            "192.0.2.0 192.0.2.255 192.0.1.255 192.0.3.0",
            "192.31.196.0 192.31.196.255 192.31.195.255 192.31.197.0",
            "192.52.193.0 192.52.193.255 192.52.192.255 192.52.194.0",
            "192.88.99.0 192.88.99.255 192.88.98.255 192.88.100.0",
            "192.168.0.0 192.168.255.255 192.167.255.255 192.169.0.0",
            "192.175.48.0 192.175.48.255 192.175.47.255 192.175.49.0",
            "198.18.0.0 198.19.255.255 198.17.255.255 198.20.0.0",
            "198.51.100.0 198.51.100.255 198.51.99.255 198.51.101.0",
            "203.0.113.0 203.0.113.255 203.0.112.255 203.0.114.0",
        ]);
        ends(&[
            "2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 2001:db7:ffff:: 2001:db9::",
            "2001:: 2001:1ff:ffff:: 2000:ffff:: 2001:200::",
            "2002:: 2002:ffff:: 2001:ffff:: 2003::",
            "2620:4f:8000:: 2620:4f:8000:ffff:: 2620:4f:7fff:: 2620:4f:8001::",
            "3ffe:: 3fff:fff:ffff:: 3ffd:ffff:: 3fff:1000::",
        ]);
        for address in [
            "0.0.0.0",
            "0.255.255.255",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
        ] {
            assert!(of(address).is_some(), "{address}");
        }
        assert_eq!(of("1.0.0.0"), None);
        assert_eq!(of("223.255.255.255"), None);
    }

    #[test]
    fn an_address_within_another_is_judged_as_itself() {
        for (inner, special) in [
            ("10.0.0.1", true),
            ("169.254.169.254", true),
            ("8.8.8.8", false),
        ] {
            for outer in ["::ffff:", "64:ff9b::"] {
                let address = format!("{outer}{inner}");
                assert_eq!(of(&address), of(inner), "{address}");
                assert_eq!(of(&address).is_some(), special, "{address}");
            }
        }
    }

    #[test]
    fn what_tunnels_or_translates_is_refused_whatever_it_holds() {
        for address in [
            "::8.8.8.8",
            "::ffff:0:8.8.8.8",
            "64:ff9b:1::8.8.8.8",
            "64:ff9b:0:0:1::8.8.8.8",
            "2002:808:808::1",
            "2001:0:808:808::1",
            "2606:4700::5efe:8.8.8.8",
            "2606:4700::200:5efe:8.8.8.8",
        ] {
            assert!(of(address).is_some(), "{address}");
        }
    }

    #[test]
    fn what_ipv6_does_not_give_out_is_not_public() {
        for address in [
            "::",
            "::1",
            "100::1",
            "100:0:0:1::1",
            "200::1",
            "1fff::1",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(of(address).is_some(), "{address}");
        }
        for address in [
            "2606:4700::1111",
            "2a00:1450:4001::200e",
            "2001:4860:4860::8888",
        ] {
            assert_eq!(of(address), None, "{address}");
        }
    }

    #[test]
    fn only_the_machines_own_addresses_are_loopback() {
        for address in ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"] {
            assert!(is_loopback(address.parse().unwrap()), "{address}");
        }
        for address in [
            "0.0.0.0",
            "::",
            "128.0.0.1",
            "::127.0.0.1",
            "64:ff9b::127.0.0.1",
        ] {
            assert!(!is_loopback(address.parse().unwrap()), "{address}");
        }
    }
}
