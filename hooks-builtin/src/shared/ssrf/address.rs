//! Which addresses are public.
//!
//! IPv4 addresses are public, except those of a list. IPv6 addresses are not public, except those of a list: all routed
//! addresses are in `2000::/3`, and unassigned ranges are not trusted in advance.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The special-purpose ranges of IPv4: IANA's registry (RFC 6890), multicast, and one address of a cloud.
///
/// It includes the ranges that the registry calls globally reachable. They are services of the network, and nobody has
/// a server of their own there.
const V4: &[(Ipv4Addr, u32, &str)] = &[
    (
        Ipv4Addr::UNSPECIFIED,
        8,
        "reserved for this network (0.0.0.0/8)",
    ),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private (10.0.0.0/8)"),
    (
        Ipv4Addr::new(100, 64, 0, 0),
        10,
        "shared by a carrier (100.64.0.0/10)",
    ),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback (127.0.0.0/8)"),
    (
        Ipv4Addr::new(168, 63, 129, 16),
        32,
        "an internal address of a cloud (168.63.129.16)",
    ),
    (
        Ipv4Addr::new(169, 254, 0, 0),
        16,
        "link-local (169.254.0.0/16), where clouds serve their metadata",
    ),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private (172.16.0.0/12)"),
    (
        Ipv4Addr::new(192, 0, 0, 0),
        24,
        "reserved for protocols of the IETF (192.0.0.0/24)",
    ),
    (
        Ipv4Addr::new(192, 0, 2, 0),
        24,
        "reserved for documentation (192.0.2.0/24)",
    ),
    (
        Ipv4Addr::new(192, 31, 196, 0),
        24,
        "reserved for AS112 (192.31.196.0/24)",
    ),
    (
        Ipv4Addr::new(192, 52, 193, 0),
        24,
        "reserved for AMT (192.52.193.0/24)",
    ),
    (
        Ipv4Addr::new(192, 88, 99, 0),
        24,
        "reserved for 6to4 relays (192.88.99.0/24)",
    ),
    (
        Ipv4Addr::new(192, 168, 0, 0),
        16,
        "private (192.168.0.0/16)",
    ),
    (
        Ipv4Addr::new(192, 175, 48, 0),
        24,
        "reserved for AS112 (192.175.48.0/24)",
    ),
    (
        Ipv4Addr::new(198, 18, 0, 0),
        15,
        "reserved for benchmarks (198.18.0.0/15)",
    ),
    (
        Ipv4Addr::new(198, 51, 100, 0),
        24,
        "reserved for documentation (198.51.100.0/24)",
    ),
    (
        Ipv4Addr::new(203, 0, 113, 0),
        24,
        "reserved for documentation (203.0.113.0/24)",
    ),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast (224.0.0.0/4)"),
    (Ipv4Addr::BROADCAST, 32, "broadcast (255.255.255.255)"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved (240.0.0.0/4)"),
];

const fn v6(a: u16, b: u16, c: u16) -> Ipv6Addr {
    Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0)
}

/// The special-purpose ranges of IPv6: IANA's registry, and ranges that it used to contain. The first range that
/// contains an address names it.
const V6: &[(Ipv6Addr, u32, &str)] = &[
    (Ipv6Addr::UNSPECIFIED, 128, "unspecified (::)"),
    (Ipv6Addr::LOCALHOST, 128, "loopback (::1)"),
    (v6(0, 0, 0), 96, "IPv4-compatible (::/96)"),
    (
        Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, 0, 0),
        96,
        "IPv4-translated (::ffff:0:0:0/96)",
    ),
    (
        v6(0x64, 0xff9b, 1),
        48,
        "reserved for translation within a network (64:ff9b:1::/48)",
    ),
    (
        v6(0x100, 0, 0),
        64,
        "reserved for packets to discard (100::/64)",
    ),
    (
        Ipv6Addr::new(0x100, 0, 0, 1, 0, 0, 0, 0),
        64,
        "a dummy prefix (100:0:0:1::/64)",
    ),
    (v6(0x2001, 0, 0), 32, "Teredo (2001::/32)"),
    (
        v6(0x2001, 0x2, 0),
        48,
        "reserved for benchmarks (2001:2::/48)",
    ),
    (v6(0x2001, 0x10, 0), 28, "ORCHID (2001:10::/28)"),
    (v6(0x2001, 0x20, 0), 28, "ORCHIDv2 (2001:20::/28)"),
    (
        v6(0x2001, 0x30, 0),
        28,
        "reserved for the identities of drones (2001:30::/28)",
    ),
    (
        v6(0x2001, 0, 0),
        23,
        "reserved for protocols of the IETF (2001::/23)",
    ),
    (
        v6(0x2001, 0xdb8, 0),
        32,
        "reserved for documentation (2001:db8::/32)",
    ),
    (v6(0x2002, 0, 0), 16, "6to4 (2002::/16)"),
    (
        v6(0x2620, 0x4f, 0x8000),
        48,
        "reserved for AS112 (2620:4f:8000::/48)",
    ),
    (
        v6(0x3ffe, 0, 0),
        16,
        "reserved since the end of the 6bone (3ffe::/16)",
    ),
    (
        v6(0x3fff, 0, 0),
        20,
        "reserved for documentation (3fff::/20)",
    ),
    (
        v6(0x5f00, 0, 0),
        16,
        "reserved for segment routing (5f00::/16)",
    ),
    (v6(0xfc00, 0, 0), 7, "private (fc00::/7)"),
    (v6(0xfe80, 0, 0), 10, "link-local (fe80::/10)"),
    (v6(0xfec0, 0, 0), 10, "site-local (fec0::/10)"),
    (v6(0xff00, 0, 0), 8, "multicast (ff00::/8)"),
];

/// Returns the purpose of an address that is not public: "private (10.0.0.0/8)".
///
/// If an IPv6 address contains an IPv4 address, mapped (`::ffff:0:0/96`) or translated by NAT64 (`64:ff9b::/96`), the
/// IPv4 address is judged. All other forms that contain one (compatible, 6to4, Teredo, ISATAP, NAT64 within a network)
/// are not public, whatever they contain.
///
/// ```
/// use hooks_builtin::ssrf::special_purpose;
///
/// let of = |address: &str| special_purpose(address.parse().unwrap());
/// assert_eq!(of("10.1.2.3"), Some("private (10.0.0.0/8)"));
/// assert_eq!(of("64:ff9b::10.1.2.3"), Some("private (10.0.0.0/8)"));
/// assert_eq!(of("1.1.1.1"), None);
/// assert_eq!(of("2606:4700:4700::1111"), None);
/// ```
#[must_use]
pub fn special_purpose(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => special_v4(address),
        IpAddr::V6(address) => special_v6(address),
    }
}

fn special_v4(address: Ipv4Addr) -> Option<&'static str> {
    let within =
        |range: Ipv4Addr, bits: u32| (address.to_bits() ^ range.to_bits()).leading_zeros() >= bits;
    V4.iter()
        .find(|(range, bits, _)| within(*range, *bits))
        .map(|(_, _, what)| *what)
}

fn special_v6(address: Ipv6Addr) -> Option<&'static str> {
    if let Some(inner) = embedded(address) {
        return special_v4(inner);
    }
    let within =
        |range: Ipv6Addr, bits: u32| (address.to_bits() ^ range.to_bits()).leading_zeros() >= bits;
    if let Some((_, _, what)) = V6.iter().find(|(range, bits, _)| within(*range, *bits)) {
        return Some(what);
    }
    let [a, _, _, _, isatap, tag, _, _] = address.segments();
    if tag == 0x5efe && isatap & !0x0200 == 0 {
        return Some("ISATAP, which tunnels to an IPv4 address");
    }
    // All assigned IPv6 addresses are in 2000::/3.
    (a & 0xe000 != 0x2000).then_some("not assigned to anyone")
}

/// Returns the IPv4 address that an IPv6 address leads to: a mapped one, or through NAT64 with the well-known prefix.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    const NAT64: Ipv6Addr = v6(0x64, 0xff9b, 0);
    let [.., high, low] = address.segments();
    if address.to_bits() >> 32 == NAT64.to_bits() >> 32 {
        return Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)));
    }
    address.to_ipv4_mapped()
}

/// Whether an address belongs to the machine itself. This includes mapped addresses.
pub(super) fn is_loopback(address: IpAddr) -> bool {
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
