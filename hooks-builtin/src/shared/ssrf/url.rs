//! URLs that have only one reading.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use hooks_sandbox::address::{is_loopback, special_purpose};
use url::Url;

use super::error::Refused;
use super::name;
use crate::shared::text_setting::text_setting;
use crate::shared::visible::is_invisible;

/// The maximum length of a URL, in bytes: more than any real URL has, and less than a request can hold.
const LONGEST: usize = 8 * 1024;

/// A URL that a [`Guard`](super::Guard) allows, as far as it can tell without resolving its host.
///
/// `Debug` leaves out the path, in which some services have their token.
#[derive(Clone, PartialEq, Eq)]
pub struct CheckedUrl {
    url: Url,
    host: String,
}

impl CheckedUrl {
    /// Returns the URL, in its canonical spelling.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// Returns the host, in lower case, without brackets or a dot at its end.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the port; by default that of the scheme.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.url.port_or_known_default().unwrap_or_default()
    }

    /// Returns the URL as a [`Url`].
    #[must_use]
    pub fn as_url(&self) -> &Url {
        &self.url
    }

    /// Returns the host, if it is an address.
    pub(super) fn address(&self) -> Option<IpAddr> {
        name::address(&self.url.host()?)
    }

    pub(super) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }
}

impl fmt::Debug for CheckedUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = if self.url.path() == "/" && self.url.query().is_none() {
            ""
        } else {
            "…"
        };
        let origin = self.url.origin().ascii_serialization();
        fmt::Debug::fmt(&format_args!("{origin}/{more}"), f)
    }
}

/// Parses a URL that has only one reading. It does not decide whether the URL may be called.
pub(super) fn parse(text: &str) -> Result<CheckedUrl, Refused> {
    let refuse = |message: &str| Err(Refused::new(message));
    if text.len() > LONGEST {
        return refuse("a URL must not be longer than 8 KiB");
    }
    if text
        .chars()
        .any(|char| char.is_whitespace() || char.is_control())
    {
        return refuse(
            "a URL must not contain white space or control characters: write them as `%20`, `%09`",
        );
    }
    if text.contains('\\') {
        return refuse("a URL must not contain a backslash: write `/`, or `%5C` for a backslash");
    }
    // The parser would accept `https:host`, `https:///host` and any scheme.
    let scheme = ["https://", "http://"].into_iter().find(|scheme| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    let Some(scheme) = scheme else {
        return refuse("a URL must begin with `https://`");
    };
    let rest = &text[scheme.len()..];
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() {
        return refuse("a URL must name a host after `https://`, as in `https://example.com/hook`");
    }
    if authority.contains('@') {
        return refuse(
            "a URL must not contain a user or a password: remove what comes before the `@`",
        );
    }
    // The parser would drop invisible characters, and decode encoded ones.
    if let Some(unseen) = authority.chars().find(|char| is_left_out(*char)) {
        return Err(Refused::new(format!(
            "a host must not contain the invisible character `{}`: remove it",
            unseen.escape_unicode()
        )));
    }
    let is_encoded = |rest: &str| {
        rest.starts_with(|digit: char| matches!(digit, '8' | '9' | 'a'..='f' | 'A'..='F'))
    };
    if authority.split('%').skip(1).any(is_encoded) {
        return refuse(
            "a `%` in a host must encode an ASCII character: write any other character itself",
        );
    }
    let url = Url::parse(text).map_err(|error| Refused::new(format!("not a URL: {error}")))?;
    let Some(host) = url.host() else {
        return refuse("a URL must name a host");
    };
    let host = name::plain(&host);
    if host.split('.').any(str::is_empty) {
        return Err(Refused::new(format!(
            "`{host}` is not a host: a part between its dots is empty"
        )));
    }
    if url.port() == Some(0) {
        return Err(Refused::new(format!(
            "`{host}` cannot be called on port 0: write another port"
        )));
    }
    Ok(CheckedUrl { url, host })
}

/// Whether a character is invisible in a host, so that a reader may miss it. This includes the characters that the URL
/// parser drops.
fn is_left_out(char: char) -> bool {
    is_invisible(char)
        || matches!(char,
            '\u{34f}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0080}'..='\u{e0fff}')
}

/// Refuses a URL that is not encrypted.
pub(super) fn require_https(url: &CheckedUrl) -> Result<(), Refused> {
    if url.is_https() {
        return Ok(());
    }
    Err(Refused::new(format!(
        "a URL must begin with `https://`: `http://` is only for the hosts that `allow_loopback` lists, and `{}` is \
         not among them",
        url.host
    )))
}

/// Refuses an address that is not public, and a name that cannot be public.
pub(super) fn require_public(url: &CheckedUrl) -> Result<(), Refused> {
    let Some(address) = url.address() else {
        return name::require_public(&url.host);
    };
    let Some(what) = special_purpose(address) else {
        return Ok(());
    };
    let hint = if is_loopback(address) {
        ", and addresses of this machine that `allow_loopback` lists"
    } else {
        ""
    };
    Err(Refused::new(format!(
        "`{address}` is {what}; only public addresses may be called{hint}"
    )))
}

/// A URL in a configuration, to be called by a hook.
///
/// It is parsed and judged at once, except for what another key decides: whether its host is allowed on loopback.
/// [`Guard::check`](super::Guard::check) decides the rest. `Debug` leaves out the path, in which some services have
/// their token.
///
/// ```
/// use hooks_builtin::ssrf::HookUrl;
///
/// let url: HookUrl = "https://hooks.example.com/T0KEN".parse()?;
/// assert_eq!(format!("{url:?}"), "https://hooks.example.com/…");
/// assert!("https://user:password@example.com/".parse::<HookUrl>().is_err());
/// assert!("https://192.168.1.1/".parse::<HookUrl>().is_err());
/// # Ok::<(), hooks_builtin::ssrf::Refused>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct HookUrl(CheckedUrl);

impl HookUrl {
    /// Returns the URL, in its canonical spelling.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for HookUrl {
    type Err = Refused;

    fn from_str(text: &str) -> Result<Self, Refused> {
        let url = parse(text)?;
        // Any name may be on loopback. An address says so itself.
        if url.address().is_some_and(|address| !is_loopback(address)) {
            require_https(&url)?;
            require_public(&url)?;
        }
        Ok(HookUrl(url))
    }
}

impl fmt::Debug for HookUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

text_setting!(HookUrl, |url| url.as_str(), {
    "format": "uri",
    "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://",
    "description": "An HTTPS URL of a public host; HTTP for loopback that is allowed by name.",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_parser_leaves_out_of_a_host_is_refused() {
        // No characters are assigned in between, and letters are not dropped.
        let all = ('\u{80}'..='\u{1ffff}').chain('\u{e0000}'..='\u{e0fff}');
        for char in all.filter(|char| !char.is_alphanumeric()) {
            let text = format!("https://exam{char}ple.com/");
            if Url::parse(&text).is_ok_and(|url| url.host_str() == Some("example.com")) {
                assert!(parse(&text).is_err(), "{}", char.escape_unicode());
            }
        }
    }
}
