//! Which URLs may be called: hosts on loopback, and other systems' patterns.

use hooks_builtin::ssrf::{CheckedUrl, LoopbackHost};
use reqwest::Url;

/// Returns the hosts on loopback that a URL may have: those without a port, and those with the URL's port.
///
/// # Errors
///
/// What is wrong with an entry, in a sentence.
pub(crate) fn loopback(url: &str, allowed: &[String]) -> Result<Vec<LoopbackHost>, String> {
    let port = url
        .parse::<Url>()
        .ok()
        .and_then(|url| url.port_or_known_default());
    let mut hosts = Vec::new();
    for text in allowed {
        let with_port = text
            .rsplit_once(':')
            // `::1` is an address without a port.
            .filter(|(host, _)| !host.contains(':') || host.ends_with(']'))
            .and_then(|(host, port)| Some((host, port.parse::<u16>().ok()?)));
        let (host, of_port) = match with_port {
            Some((host, port)) => (host, Some(port)),
            None => (text.as_str(), None),
        };
        let host: LoopbackHost = host
            .parse()
            .map_err(|refused: hooks_builtin::ssrf::Refused| refused.to_string())?;
        if of_port.is_none() || of_port == port {
            hosts.push(host);
        }
    }
    Ok(hosts)
}

/// Whether a URL matches a pattern, in which `*` is any text: in the host, any text without a `/`.
///
/// The case of the host does not matter, nor does a dot at its end.
pub(crate) fn matches(pattern: &str, url: &CheckedUrl) -> bool {
    let all = pattern.trim();
    if all == "*" {
        return true;
    }
    let Some((scheme, rest)) = all.split_once("://") else {
        return false;
    };
    let (authority, path) = match rest.find(['/', '?', '#']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let host = host.trim_matches(['[', ']']).to_lowercase();
    let parsed = url.as_url();
    let port_matches = match port {
        Some("*") => true,
        Some(port) => port == url.port().to_string(),
        None => parsed.port().is_none(),
    };
    let mut of_url = parsed.path().to_owned();
    if let Some(query) = parsed.query() {
        of_url.push('?');
        of_url.push_str(query);
    }
    // A pattern without a path covers the whole host only if it ends with a star.
    let path = match path {
        "" if authority.ends_with('*') => "*",
        "" => "/",
        path => path,
    };
    is_like(&scheme.to_lowercase(), parsed.scheme())
        && is_like(host.strip_suffix('.').unwrap_or(&host), url.host())
        && port_matches
        && is_like(path, &of_url)
}

/// Whether a text matches a pattern, in which `*` is any text.
fn is_like(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = text.find(part) else {
            return false;
        };
        text = &text[at + part.len()..];
    }
    text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use hooks_builtin::ssrf::Guard;

    use super::*;

    #[test]
    fn a_port_limits_what_is_allowed_on_loopback() {
        let allowed = |url: &str, hosts: &[&str]| {
            let hosts: Vec<_> = hosts.iter().map(|&host| host.to_owned()).collect();
            !loopback(url, &hosts).unwrap().is_empty()
        };
        assert!(allowed("http://127.0.0.1:8080/x", &["127.0.0.1:8080"]));
        assert!(!allowed("http://127.0.0.1:8081/x", &["127.0.0.1:8080"]));
        assert!(allowed("http://127.0.0.1:8081/x", &["127.0.0.1"]));
        assert!(allowed("http://localhost/", &["localhost:80"]));
        assert!(allowed("http://[::1]:9/", &["[::1]:9"]));
        assert!(allowed("http://[::1]:9/", &["::1"]));
        assert!(!allowed("http://[::1]:9/", &["[::1]:8"]));
        for wrong in [
            "10.0.0.1",
            "10.0.0.1:80",
            "localhost:http",
            "http://localhost",
        ] {
            assert!(
                loopback("http://localhost/", &[wrong.to_owned()]).is_err(),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_star_in_a_host_does_not_reach_into_the_path() {
        let guard = Guard::new();
        let is = |pattern: &str, url: &str| matches(pattern, &guard.check(url).unwrap());
        for (pattern, url) in [
            ("*", "https://example.com/a"),
            ("https://example.com/*", "https://example.com/a?b"),
            ("https://EXAMPLE.com./a", "https://example.com/a"),
            ("https://*.example.com/*", "https://hooks.example.com/a"),
            ("https://example.com", "https://example.com"),
            ("https://example.com:*", "https://example.com:8443/a"),
            ("https://*/hook", "https://example.com/hook"),
        ] {
            assert!(is(pattern, url), "{pattern} {url}");
        }
        for (pattern, url) in [
            ("https://*.example.com/*", "https://evil.com/.example.com/a"),
            ("https://example.com/*", "https://example.com.evil.com/"),
            ("https://example.com", "https://example.com/a"),
            ("https://example.com/a", "https://example.com/A"),
            ("https://example.com/*", "https://example.com:8443/a"),
            ("http://example.com/*", "https://example.com/a"),
            ("example.com", "https://example.com/"),
            ("", "https://example.com/"),
            ("https://example.com/a*a", "https://example.com/a"),
        ] {
            assert!(!is(pattern, url), "{pattern} {url}");
        }
    }
}
