//! What a page in a browser may not do. A browser sends requests for any page, and says in `Origin` whose page it is.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{HOST, HeaderName, ORIGIN};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

/// Refuses what a page of another host sends.
pub(crate) async fn of_no_other_host(request: Request<Body>, next: Next) -> Response {
    if is_own(request.headers()) {
        return next.run(request).await;
    }
    refused("a page of another host may not ask\n")
}

/// Whether a request comes from a page of this host, or from no page at all.
pub(crate) fn is_own(headers: &HeaderMap) -> bool {
    match text(headers, &ORIGIN) {
        Some(origin) => {
            let host = origin.split_once("://").map(|(_, host)| host);
            host.is_some() && host == text(headers, &HOST)
        }
        None => !headers.contains_key(ORIGIN),
    }
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
