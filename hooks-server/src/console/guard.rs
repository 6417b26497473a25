//! What a browser may do with the pages, and which requests other pages may not make.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::failed::PageFailure;
use crate::api::problem::Problem;
use crate::page::Address;

/// Everything comes from here, nothing is written into a page that runs, and no page of others has ours in it.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Refuses writes of other pages, and sets the headers of all pages.
pub(super) async fn guarded(
    State(address): State<Address>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let is_read = request.method().is_safe();
    let mut response = if is_read || Site::of(request.headers(), &address) != Site::Other {
        next.run(request).await
    } else {
        let why = "the form was sent by another page: open the page here, and send it again";
        PageFailure::from(Problem::forbidden(why)).into_response()
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "same-origin"),
        (CACHE_CONTROL, "no-store"),
    ] {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    if address.is_secure() {
        let year = HeaderValue::from_static("max-age=31536000");
        headers.insert(STRICT_TRANSPORT_SECURITY, year);
    }
    response
}

/// Who has sent a request: every browser says so in headers that a page cannot set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Site {
    /// One of our pages, or no browser.
    Own,
    /// The person, who has typed the address or has it from another program.
    Person,
    /// A page of others.
    Other,
}

impl Site {
    pub(super) fn of(headers: &HeaderMap, address: &Address) -> Self {
        match headers.get("sec-fetch-site").map(HeaderValue::as_bytes) {
            Some(b"same-origin") => Site::Own,
            Some(b"none") => Site::Person,
            None if address.is_own(headers) => Site::Own,
            _ => Site::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_pages_write() {
        let asked = |pairs: &[(&'static str, &'static str)]| {
            let pairs = pairs
                .iter()
                .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)));
            Site::of(&pairs.collect(), &Address::default()) != Site::Other
        };
        assert!(asked(&[("sec-fetch-site", "same-origin")]));
        assert!(asked(&[("sec-fetch-site", "none")]));
        assert!(asked(&[("origin", "http://a:1"), ("host", "a:1")]));
        assert!(asked(&[("host", "a:1")]));
        for site in ["cross-site", "same-site", "what"] {
            assert!(!asked(&[
                ("sec-fetch-site", site),
                ("origin", "http://a"),
                ("host", "a")
            ]));
        }
        for origin in ["http://b:1", "http://a:2", "null", "a:1"] {
            assert!(!asked(&[("origin", origin), ("host", "a:1")]), "{origin}");
        }
    }
}
