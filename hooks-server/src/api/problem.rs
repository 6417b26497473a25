//! Errors as `application/problem+json` (RFC 9457), the same for handlers and for what reads their requests.

use axum::Json;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use hooks_store::{Mistake, StoreError};
use serde::Serialize;
use utoipa::ToSchema;

/// Why a request was not done.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// The kind of the problem, which stays the same.
    #[serde(rename = "type")]
    kind: String,
    /// The kind, for people.
    title: String,
    /// The status of the answer.
    status: u16,
    /// What is wrong, and what to do about it.
    detail: String,
    /// Every mistake in what was sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FieldError>,
}

/// One mistake.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct FieldError {
    /// Where it is: the path of a JSON pointer.
    pub(crate) path: String,
    /// What is wrong.
    pub(crate) message: String,
    /// What to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) help: Option<String>,
}

impl From<Mistake> for FieldError {
    fn from(mistake: Mistake) -> Self {
        FieldError {
            help: mistake.help,
            ..FieldError::new(&mistake.path, bare(&mistake.message))
        }
    }
}

impl FieldError {
    pub(crate) fn new(path: &str, message: String) -> Self {
        FieldError {
            path: path.to_owned(),
            message,
            help: None,
        }
    }
}

/// A message without the path in a set of which people have written one hook: the path is beside it.
fn bare(message: &str) -> String {
    let quoted = message.split_once("`hooks.on[");
    let Some((before, (path, after))) =
        quoted.and_then(|(before, rest)| Some((before, rest.split_once('`')?)))
    else {
        return message.to_owned();
    };
    match before.strip_suffix(" in ") {
        Some(before) => format!("{before}{after}"),
        None => format!(
            "{before}`{}`{after}",
            path.split_once("].").map_or("hook", |(_, key)| key)
        ),
    }
}

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        let title = status.canonical_reason().unwrap_or_default();
        Problem {
            kind: format!("urn:hooks:{}", title.to_lowercase().replace(' ', "-")),
            title: title.to_owned(),
            status: status.as_u16(),
            detail: detail.into(),
            errors: Vec::new(),
        }
    }

    /// What was sent cannot be understood.
    pub(crate) fn bad(detail: impl Into<String>) -> Self {
        Problem::new(StatusCode::BAD_REQUEST, detail)
    }

    /// The caller may not do it.
    pub(crate) fn forbidden(detail: impl Into<String>) -> Self {
        Problem::new(StatusCode::FORBIDDEN, detail)
    }

    /// The daemon failed, and its log says why.
    pub(crate) fn failed(detail: &str) -> Self {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, detail)
    }

    /// The daemon has panicked: what it was goes to standard error.
    pub(crate) fn panicked() -> Self {
        Problem::failed("the daemon failed: its log says why")
    }

    /// The token has sent too many requests.
    pub(crate) fn too_many() -> Self {
        let why = "the token sends too many requests: wait a second";
        Problem::new(StatusCode::TOO_MANY_REQUESTS, why)
    }

    /// There is no such thing, or it is another tenant's.
    pub(crate) fn no(what: &str, id: impl std::fmt::Display) -> Self {
        Problem::new(StatusCode::NOT_FOUND, format!("there is no {what} `{id}`"))
    }

    /// What was sent has a mistake in a field.
    pub(crate) fn at(path: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let mut problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, message.clone());
        problem.errors.push(FieldError::new(path, message));
        problem
    }

    /// Whether the caller may not do it.
    pub(crate) fn is_about_rights(&self) -> bool {
        matches!(self.status, 401 | 403)
    }

    /// The status of the answer.
    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_REQUEST)
    }

    /// The kind, for people.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// Every mistake in what was sent.
    pub(crate) fn errors(&self) -> &[FieldError] {
        &self.errors
    }

    /// The text for other protocols.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }
}

/// What is there, or that there is no such thing.
pub(crate) fn found<T>(
    it: Option<T>,
    what: &str,
    id: impl std::fmt::Display,
) -> Result<T, Problem> {
    it.ok_or_else(|| Problem::no(what, id))
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let text = error.to_string();
        match error {
            StoreError::Invalid(mistakes) => Problem {
                errors: mistakes.into_iter().map(FieldError::from).collect(),
                ..Problem::new(StatusCode::UNPROCESSABLE_ENTITY, text)
            },
            StoreError::Conflict { .. } | StoreError::DraftChanged => {
                Problem::new(StatusCode::PRECONDITION_FAILED, text)
            }
            StoreError::NotFound(_) => Problem::new(StatusCode::NOT_FOUND, text),
            // The texts of a database may hold what is stored. They are for the operator of the daemon.
            error => {
                tracing::error!(%error, "the store failed");
                let status = match error {
                    StoreError::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
                    _ => StatusCode::INTERNAL_SERVER_ERROR,
                };
                Problem::new(status, "the store failed: the daemon's log says why")
            }
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.status();
        let kind = [(CONTENT_TYPE, "application/problem+json")];
        let mut response = (status, kind, Json(self)).into_response();
        if status == StatusCode::TOO_MANY_REQUESTS {
            // The rate is one a second at least.
            let wait = HeaderValue::from_static("1");
            response.headers_mut().insert(RETRY_AFTER, wait);
        }
        response
    }
}
