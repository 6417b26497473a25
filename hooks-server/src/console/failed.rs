//! What a page says if it cannot be shown, with the ways on.

use askama::Template;
use axum::response::{IntoResponse, Response};
use url::form_urlencoded;

use super::frame::{page, to};
use crate::api::problem::Problem;

/// Why there is no page.
pub(super) enum Failed {
    /// Something is wrong.
    Problem(Problem),
    /// Nobody knows who asks, and where to go on afterwards.
    Stranger(String),
}

impl<T: Into<Problem>> From<T> for Failed {
    fn from(problem: T) -> Self {
        Failed::Problem(problem.into())
    }
}

#[derive(Template)]
#[template(path = "failed.html")]
struct Page {
    problem: Problem,
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        match self {
            Failed::Problem(problem) => (problem.status(), page(&Page { problem })).into_response(),
            Failed::Stranger(next) => {
                let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
                to(&format!("/login?next={next}"))
            }
        }
    }
}
