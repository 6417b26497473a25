//! What reads requests: like axum's own, but what is wrong is a [`Problem`], and nothing names another tenant.

use std::convert::Infallible;
use std::str::FromStr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Api;
use super::body::read;
use super::caller::{ApiCaller, other_tenant};
use super::problem::Problem;
use crate::limits::BODY;

/// A body in JSON, of at most so many bytes. A handler takes it last: the role of its sender comes before it.
pub(crate) struct JsonBody<T, const MOST: usize = BODY>(pub(crate) T);

impl<T: DeserializeOwned, const MOST: usize> FromRequest<Arc<Api>> for JsonBody<T, MOST> {
    type Rejection = Problem;

    async fn from_request(request: Request<Body>, api: &Arc<Api>) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        let caller = ApiCaller::from_request_parts(&mut parts, api).await?;
        let text = read(body, MOST).await?;
        let value: Value = hooks_runtime::__json(&text)
            .map_err(|error| Problem::bad(format!("the body is not JSON: {error}")))?;
        if !value.is_object() {
            return Err(Problem::at("", "the body is not a JSON object"));
        }
        other_tenant(&value, caller.tenant.id())?;
        let read = serde_json::from_value(value);
        read.map(JsonBody)
            .map_err(|error| Problem::at("", error.to_string()))
    }
}

/// A body as text, of at most so many bytes.
pub(crate) struct TextBody<const MOST: usize = BODY>(pub(crate) String);

impl<const MOST: usize> FromRequest<Arc<Api>> for TextBody<MOST> {
    type Rejection = Problem;

    async fn from_request(request: Request<Body>, _: &Arc<Api>) -> Result<Self, Problem> {
        let text = String::from_utf8(read(request.into_body(), MOST).await?.into());
        text.map(TextBody)
            .map_err(|_| Problem::bad("the body is not UTF-8"))
    }
}

/// What axum reads of an address: the parts of its path, or its query.
macro_rules! of_address {
    ($($kind:ident)*) => {$(
        pub(crate) struct $kind<T>(pub(crate) T);

        impl<T: DeserializeOwned + Send> FromRequestParts<Arc<Api>> for $kind<T> {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, api: &Arc<Api>) -> Result<Self, Problem> {
                let read = axum::extract::$kind::from_request_parts(parts, api).await;
                read.map(|read| $kind(read.0)).map_err(|error| Problem::bad(error.body_text()))
            }
        }
    )*};
}
of_address!(Path Query);

/// The version that a write expects: the header `If-Match`, with the `ETag` of what was read.
pub(crate) struct Expected<T = u64>(pub(crate) T);

impl<T: FromStr + Send> FromRequestParts<Arc<Api>> for Expected<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Api>) -> Result<Self, Problem> {
        let Some(tag) = parts.headers.get(IF_MATCH) else {
            return Err(Problem::new(
                StatusCode::PRECONDITION_REQUIRED,
                "send the `ETag` of what you have read as `If-Match`",
            ));
        };
        let version = tag
            .to_str()
            .ok()
            .and_then(|tag| unquoted(tag)?.parse().ok());
        // What does not read as a version is not the newest either.
        let other = || {
            Problem::new(
                StatusCode::PRECONDITION_FAILED,
                "the `If-Match` header does not match the current version; fetch it again",
            )
        };
        version.map(Expected).ok_or_else(other)
    }
}

/// What is between the quotes of an `ETag`.
fn unquoted(tag: &str) -> Option<&str> {
    tag.strip_prefix('"')?.strip_suffix('"')
}

/// The header with the version of what is answered.
pub(crate) type Tag = [(&'static str, String); 1];

/// An answer with its version.
pub(super) type Tagged<T> = Result<(Tag, axum::Json<T>), Problem>;

pub(crate) fn etag(version: impl std::fmt::Display) -> Tag {
    [("etag", format!("\"{version}\""))]
}

/// The versions that the client has: the header `If-None-Match`. Its text is copied, because a header keeps the buffer of
/// the whole request, and some requests wait long.
pub(crate) struct IfNoneMatch(String);

impl FromRequestParts<Arc<Api>> for IfNoneMatch {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Api>) -> Result<Self, Infallible> {
        let known = parts.headers.get(IF_NONE_MATCH);
        let known = known.and_then(|known| known.to_str().ok());
        Ok(IfNoneMatch(known.unwrap_or_default().to_owned()))
    }
}

impl IfNoneMatch {
    /// Whether the client has this version already.
    pub(crate) fn has(&self, version: &str) -> bool {
        let tags = self.0.split(',');
        let mut tags = tags.map(|tag| tag.trim().trim_start_matches("W/"));
        tags.any(|tag| unquoted(tag) == Some(version))
    }
}
