//! Host names: those of local networks, and those that are allowed on loopback.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use hooks_sandbox::address::is_loopback;
use url::Host;

use super::error::Refused;
use crate::shared::text_setting::text_setting;

/// Suffixes of names that belong to a machine or to its local network.
const LOCAL: &[&str] = &[
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "lan",
    "home",
    "home.arpa",
    "corp",
    "private",
    "svc",
];

/// Names of clouds' metadata services that look like any other name.
const METADATA: &[&str] = &[
    "metadata.azure.com",
    "metadata.goog",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "metadata.tencentyun.com",
];

/// Refuses a name that cannot be public, before it is resolved. The name is in lower case, without a dot at its end.
pub(super) fn require_public(name: &str) -> Result<(), Refused> {
    let ends_in = |suffix: &&&str| {
        name.strip_suffix(**suffix)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    if let Some(suffix) = LOCAL.iter().find(ends_in) {
        return Err(Refused::new(format!(
            "`{name}` is a name in the local network (`.{suffix}`); only public hosts may be called, and hosts of \
             this machine that `allow_loopback` lists"
        )));
    }
    if METADATA.iter().any(|suffix| ends_in(&suffix)) {
        return Err(Refused::new(format!(
            "`{name}` serves the metadata of a cloud; only public hosts may be called"
        )));
    }
    if !name.contains('.') {
        return Err(Refused::new(format!(
            "`{name}` has no dot, so it is a name in the local network; only public hosts may be called, and hosts of \
             this machine that `allow_loopback` lists"
        )));
    }
    Ok(())
}

/// Returns a host without the syntax of the URL: `[::1]` becomes `::1`, `example.com.` becomes `example.com`.
pub(super) fn plain(host: &Host<impl AsRef<str>>) -> String {
    match host {
        Host::Domain(name) => {
            let name = name.as_ref();
            name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
        }
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    }
}

/// Returns the address that takes the place of a name.
pub(super) fn address<S>(host: &Host<S>) -> Option<IpAddr> {
    match host {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some(IpAddr::V4(*address)),
        Host::Ipv6(address) => Some(IpAddr::V6(*address)),
    }
}

/// A host that may be called on loopback, by HTTP too: a name, or an address.
///
/// ```
/// use hooks_builtin::ssrf::LoopbackHost;
///
/// assert_eq!("LOCALHOST".parse::<LoopbackHost>()?.as_str(), "localhost");
/// assert_eq!("[::1]".parse::<LoopbackHost>()?.as_str(), "::1");
/// assert!("10.0.0.1".parse::<LoopbackHost>().is_err());
/// # Ok::<(), hooks_builtin::ssrf::Refused>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct LoopbackHost(String);

impl LoopbackHost {
    /// Returns the host, in lower case and without brackets.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn is(&self, host: &str) -> bool {
        self.0 == host
    }
}

impl FromStr for LoopbackHost {
    type Err = Refused;

    fn from_str(text: &str) -> Result<Self, Refused> {
        let host = match text.parse::<IpAddr>() {
            Ok(IpAddr::V4(address)) => Host::Ipv4(address),
            Ok(IpAddr::V6(address)) => Host::Ipv6(address),
            Err(_) => Host::parse(text).map_err(|error| {
                Refused::new(format!(
                    "`{text}` is not a host such as \"localhost\" or \"127.0.0.1\": {error}; write it without a \
                     scheme and a port"
                ))
            })?,
        };
        if let Some(address) = address(&host).filter(|address| !is_loopback(*address)) {
            return Err(Refused::new(format!(
                "`{address}` is not a loopback address: only ::1 and the addresses in 127.0.0.0/8 are"
            )));
        }
        let host = plain(&host);
        if host.split('.').any(str::is_empty) {
            return Err(Refused::new(format!(
                "`{text}` is not a host such as \"localhost\": a part between its dots is empty"
            )));
        }
        Ok(LoopbackHost(host))
    }
}

impl fmt::Display for LoopbackHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for LoopbackHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

text_setting!(LoopbackHost, |host| host.as_str(), {
    "minLength": 1,
    "description": "A host on loopback: `localhost`, `127.0.0.1`, `::1`.",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_local_networks_are_refused_before_a_look_up() {
        for name in [
            "localhost",
            "a.localhost",
            "printer.local",
            "metadata.google.internal",
            "host.docker.internal",
            "kubernetes.default.svc",
            "router.home.arpa",
            "metadata",
            "intranet",
            "metadata.goog",
            "metadata.azure.com",
        ] {
            assert!(require_public(name).is_err(), "{name}");
        }
        for name in [
            "example.com",
            "notlocalhost.com",
            "local.example.com",
            "mylocal.org",
            "internal.io",
        ] {
            assert!(require_public(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn what_is_allowed_on_loopback_is_a_host_and_nothing_around_it() {
        for text in [
            "",
            "http://localhost",
            "localhost:80",
            "10.0.0.1",
            "0.0.0.0",
            "[::2]",
            "a b",
            "::",
            ".",
            "a..b",
        ] {
            let error = text.parse::<LoopbackHost>().unwrap_err().to_string();
            assert!(error.contains('`'), "{text}: {error}");
        }
        for (text, host) in [
            ("localhost.", "localhost"),
            ("127.1", "127.0.0.1"),
            ("::1", "::1"),
        ] {
            assert_eq!(text.parse::<LoopbackHost>().unwrap().as_str(), host);
        }
    }
}
