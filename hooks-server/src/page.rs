//! What a page in a browser may not do. A browser sends requests for any page, and says in `Origin` whose page it is.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{HOST, HeaderName, ORIGIN};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use url::Url;

/// Where browsers find the daemon, such as `https://hooks.example.com`. The default is the host of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Address(Option<Arc<str>>);

impl Address {
    /// Returns nothing if a browser has no page at such an address, or if it is one of many there.
    pub(crate) fn new(url: &Url) -> Option<Self> {
        let is_http = matches!(url.scheme(), "http" | "https");
        let is_bare = matches!(url.path(), "" | "/") && url.query().is_none();
        (is_http && is_bare).then(|| Address(Some(url.origin().ascii_serialization().into())))
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Whether browsers come over TLS alone.
    pub(crate) fn is_secure(&self) -> bool {
        self.as_str().is_some_and(|own| own.starts_with("https:"))
    }

    /// Whether a request comes from a page of the daemon, or from no page at all.
    pub(crate) fn is_own(&self, headers: &HeaderMap) -> bool {
        let Some(origin) = text(headers, &ORIGIN) else {
            return !headers.contains_key(ORIGIN);
        };
        let Some(own) = self.as_str() else {
            let host = origin.split_once("://").map(|(_, host)| host);
            return host.is_some() && host == text(headers, &HOST);
        };
        origin == own
    }
}

/// Refuses what a page of another host sends.
pub(crate) async fn of_no_other_host(
    State(address): State<Address>,
    request: Request<Body>,
    next: Next,
) -> Response {
    if address.is_own(request.headers()) {
        return next.run(request).await;
    }
    refused("a page of another host may not ask\n")
}

/// Refuses what is sent to another name than those of this machine: a page's own name may point to it.
pub(crate) async fn of_this_machine(request: Request<Body>, next: Next) -> Response {
    if text(request.headers(), &HOST).is_none_or(is_this_machine) {
        return next.run(request).await;
    }
    refused("only programs of this machine may ask\n")
}

fn refused(why: &'static str) -> Response {
    (StatusCode::FORBIDDEN, why).into_response()
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']').parse();
    name.eq_ignore_ascii_case("localhost")
        || address.is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_this_machine;

    #[test]
    fn only_names_of_this_machine_are_taken() {
        for host in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:8787",
            "127.9.9.9",
            "[::1]:80",
            "[::1]",
        ] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in [
            "example.com",
            "example.com:80",
            "localhost.example.com",
            "10.0.0.1",
            "",
            "[::2]:1",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
