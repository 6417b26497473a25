//! Which hosts a command may reach: those of the addresses in it, as far as the policy allows them.

use std::net::IpAddr;
use std::ops::Range;

use hooks_sandbox::address::{is_loopback, special_purpose};
use hooks_sandbox::{HostPattern, NotAPattern};
use hooks_shell::Effects;

use crate::shared::ssrf;

/// The allowed hosts, if they are limited.
#[derive(Debug)]
pub(super) struct AllowedHosts(Option<Vec<(String, HostPattern)>>);

impl AllowedHosts {
    pub(super) fn new(allowed: Option<&[String]>) -> Result<Self, NotAPattern> {
        let read = |text: &String| Ok((text.clone(), text.parse()?));
        let allowed = allowed.map(|allowed| allowed.iter().map(read).collect());
        allowed.transpose().map(AllowedHosts)
    }

    /// Returns the places of what reaches hosts that are not allowed, and why. In a sandbox, a program that chooses its
    /// hosts itself is held to the allowed ones.
    pub(super) fn check<'e>(
        &'e self,
        effects: &'e Effects,
        holds: bool,
    ) -> impl Iterator<Item = (Range<usize>, String)> + 'e {
        let reached = effects.network().filter(|_| self.0.is_some());
        reached.filter_map(move |used| {
            let wrong = match used.address.as_deref().map(|address| (address, place(address))) {
                None if holds => return None,
                None => "the program chooses itself which hosts it reaches, and only some are allowed: leave it out, or name \
                         an allowed host; a person may let commands run in a sandbox, which holds programs to those hosts"
                    .to_owned(),
                Some((_, Some((host, port)))) if self.is_for_commands(&host, port) => return None,
                Some((_, Some((host, port)))) => self.not_allowed(&host, port),
                Some((address, None)) => {
                    format!("cannot tell which host `{address}` leads to: write it as `https://host/path`")
                }
            };
            Some((used.span.clone(), wrong))
        })
    }

    /// Checks an address that a tool fetches: it must be public, and allowed if hosts are limited. A host that is allowed by
    /// its name may be anywhere.
    pub(super) fn check_web(&self, address: &str) -> Result<(), String> {
        if address.is_empty() || address == "about:blank" {
            return Ok(());
        }
        let whole = if address.contains("://") {
            address.to_owned()
        } else {
            format!("https://{address}")
        };
        let url = ssrf::parse(&whole)
            .map_err(|refused| format!("the address `{}` is refused: {refused}", cut(address)))?;
        let (host, port) = (url.host(), url.port());
        let is_listed = self.is_listed(host, port);
        if is_listed == Some(true) {
            return Ok(());
        }
        ssrf::require_public(&url).map_err(|refused| {
            format!("{refused}: fetch a public address, or run the program that serves it by a command; a person may list the host in `allowed_hosts`")
        })?;
        match is_listed {
            Some(false) => Err(self.not_allowed(host, port)),
            _ => Ok(()),
        }
    }

    /// Whether a command may reach a host. `localhost` means the addresses of this machine as well; for a web tool, which
    /// has no server of its own to try, it does not.
    fn is_for_commands(&self, host: &str, port: u16) -> bool {
        let is_here = host.parse().is_ok_and(is_loopback);
        self.is_listed(host, port) == Some(true)
            || is_here && self.is_listed("localhost", port) == Some(true)
    }

    /// Whether a host is among the allowed ones, if they are limited. This machine is allowed on every port, unless one is
    /// named.
    fn is_listed(&self, host: &str, port: u16) -> Option<bool> {
        let is_local = host == "localhost" || host.parse().is_ok_and(is_loopback);
        let allows = |(text, pattern): &(String, HostPattern)| {
            let is_whole = text.trim_matches(['[', ']']) == host;
            // A host of repositories is listed for both ways to them.
            let is_by_ssh = port == 22 && pattern.matches(host, 443) && pattern.matches(host, 80);
            pattern.matches(host, port) || is_by_ssh || is_local && is_whole
        };
        self.0.as_ref().map(|allowed| allowed.iter().any(allows))
    }

    fn not_allowed(&self, host: &str, port: u16) -> String {
        let names = self.0.iter().flatten().map(|(text, _)| text.as_str());
        let listed = match names.collect::<Vec<_>>().join(", ").as_str() {
            "" => "the policy allows none".to_owned(),
            names => format!("use one of these: {names}"),
        };
        format!(
            "the host `{host}`, on the port {port}, is not allowed: {listed}; a person may list it in `allowed_hosts`"
        )
    }

    /// Returns the hosts that a command may reach in a sandbox. One that runs code, or chooses its hosts, may reach all
    /// that are allowed by name.
    pub(super) fn reached(&self, effects: &Effects, runs_code: bool) -> Vec<String> {
        let chooses = effects.network().any(|used| used.address.is_none());
        let addresses = effects
            .network()
            .filter_map(|used| place(used.address.as_deref()?));
        let named = addresses.filter(|(host, _)| self.0.is_some() || is_public(host));
        let mut hosts: Vec<_> = named.map(|(host, port)| format!("{host}:{port}")).collect();
        if runs_code || chooses {
            let allowed = self.0.iter().flatten();
            hosts.extend(allowed.map(|(text, _)| text.clone()));
        }
        hosts.sort_unstable();
        hosts.dedup();
        // What names no host that a proxy could find reaches nothing.
        hosts.retain(|host| host.parse::<HostPattern>().is_ok());
        hosts
    }
}

/// Whether a host is a name, a public address, or this machine. A name is judged once it is resolved.
fn is_public(host: &str) -> bool {
    let address = host.parse::<IpAddr>();
    address.map_or(true, |address| {
        is_loopback(address) || special_purpose(address).is_none()
    })
}

/// What is shown of an address in a reason.
fn cut(address: &str) -> &str {
    &address[..address.floor_char_boundary(100)]
}

/// Returns the host and the port of an address.
fn place(address: &str) -> Option<(String, u16)> {
    // Some programs take it for the end of the host, and others do not.
    if address.contains('\\') {
        return None;
    }
    let (port, rest) = match address.split_once("://") {
        Some((scheme, rest)) => (port_of(scheme), rest),
        // `git@host:path`
        None => match address.split(['/', '?', '#']).next()?.split_once('@') {
            Some((user, rest)) if rest.contains(':') && !user.contains(':') => {
                return Some((rest.split(':').next()?.to_ascii_lowercase(), 22));
            }
            _ => (80, address),
        },
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    let (_, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (host, port) = match host.strip_prefix('[').and_then(|host| host.split_once(']')) {
        Some((host, "")) => (host, port),
        Some((host, rest)) => (host, rest.strip_prefix(':')?.parse().ok()?),
        None => match host.split_once(':') {
            Some((host, port)) => (host, port.parse().ok()?),
            None => (host, port),
        },
    };
    (!host.is_empty()).then(|| (host.to_ascii_lowercase(), port))
}

/// Returns the usual port of a scheme.
fn port_of(scheme: &str) -> u16 {
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "ws" | "git+http" => 80,
        "ssh" | "git+ssh" => 22,
        "git" => 9418,
        "ftp" => 21,
        _ => 443,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_host_and_a_port() {
        for (address, found) in [
            ("https://Example.org/a@b:c", Some(("example.org", 443))),
            ("http://u:p@example.org:8080?x", Some(("example.org", 8080))),
            ("https://evil.org\\@good.org/", None),
            ("git@example.org:a/b.git", Some(("example.org", 22))),
            ("ssh://git@example.org/a", Some(("example.org", 22))),
            ("http://[::1]:3000/", Some(("::1", 3000))),
            ("example.org/x", Some(("example.org", 80))),
            ("evil.org/x@good.org", Some(("evil.org", 80))),
            ("https://example.org:x/", None),
            ("https:///x", None),
        ] {
            let found = found.map(|(host, port)| (host.to_owned(), port));
            assert_eq!(place(address), found, "{address}");
        }
    }
}
