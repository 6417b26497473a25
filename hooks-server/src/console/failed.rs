//! What a page says if it cannot be shown, with the ways on.

use std::fmt;

use askama::Template;
use askama::filters::{Html, escape};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use url::form_urlencoded;

use super::Console;
use super::frame::{PageFrame, page, to};
use super::session::{self, Visitor};
use crate::api::problem::Problem;

/// Why there is no page.
pub(super) enum PageFailure {
    /// Something is wrong.
    Problem(Problem),
    /// The visitor is not logged in, and goes on here afterwards.
    Stranger(String),
}

impl<T: Into<Problem>> From<T> for PageFailure {
    fn from(problem: T) -> Self {
        PageFailure::Problem(problem.into())
    }
}

#[derive(Template)]
#[template(path = "failed.html")]
struct Page {
    problem: Problem,
}

/// The same for a visitor who is logged in: the frame says the problem.
#[derive(Template)]
#[template(path = "refused.html")]
struct ProblemPage {
    frame: PageFrame,
}

impl IntoResponse for PageFailure {
    fn into_response(self) -> Response {
        match self {
            PageFailure::Problem(problem) => {
                let shown = page(&Page {
                    problem: problem.clone(),
                });
                let mut response = (problem.status(), shown).into_response();
                response.extensions_mut().insert(problem);
                response
            }
            PageFailure::Stranger(next) => {
                let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
                to(&format!("/login?next={next}"))
            }
        }
    }
}

/// Finds out who looks before a page does. What a stranger has sent waits for the login, and a mistake is shown within
/// the frame.
pub(super) async fn around(
    State(console): State<Console>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let visitor = match Visitor::find(&parts, &console).await {
        Ok(visitor) => visitor,
        // A script shows it over the page, and the form stays.
        Err(PageFailure::Stranger(_)) if parts.headers.contains_key("hx-request") => {
            let keeps = [("hx-reswap", "none")];
            return (StatusCode::UNAUTHORIZED, keeps, "logged out").into_response();
        }
        Err(PageFailure::Stranger(_)) if !parts.method.is_safe() => {
            let kept = session::keep(&parts, body).await;
            return kept.unwrap_or_else(PageFailure::into_response);
        }
        Err(failed) => return failed.into_response(),
    };
    parts.extensions.insert(visitor.clone());
    let response = next.run(Request::from_parts(parts, body)).await;
    framed(&visitor, response).await
}

/// There is no such page.
pub(super) async fn nowhere(State(console): State<Console>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let why = Problem::new(StatusCode::NOT_FOUND, "there is no such page");
    let response = PageFailure::from(why).into_response();
    match Visitor::find(&parts, &console).await {
        Ok(visitor) => framed(&visitor, response).await,
        Err(_) => response,
    }
}

/// Puts the frame around what is wrong, if anything is.
async fn framed(visitor: &Visitor, mut response: Response) -> Response {
    let Some(problem) = response.extensions_mut().remove::<Problem>() else {
        return response;
    };
    let title = match problem.status() {
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => "Not found",
        StatusCode::FORBIDDEN => "Not allowed",
        StatusCode::PRECONDITION_FAILED => "Changed meanwhile",
        _ => problem.title(),
    };
    let Ok(mut frame) = PageFrame::new(visitor, "", title).await else {
        return response;
    };
    frame.problem = Some(problem);
    (response.status(), page(&ProblemPage { frame })).into_response()
}

/// A page is there only after something was sent.
pub(super) async fn only_sent() -> PageFailure {
    let why = "there is nothing to see at this address: a form sends something there";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, why).into()
}

/// A text of the API on a page: a sentence, whose code is marked as such.
pub(super) struct MarkedText<'a>(pub(super) &'a str);

impl fmt::Display for MarkedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = self.0.chars();
        let begin = first.next().into_iter().flat_map(char::to_uppercase);
        let text: String = begin.chain(first).collect();
        for (index, part) in text.split('`').enumerate() {
            let Ok(part) = escape(part, Html);
            match index % 2 {
                0 => write!(f, "{part}")?,
                _ => write!(f, "<code>{part}</code>")?,
            }
        }
        Ok(())
    }
}

// Each part is escaped.
impl askama::filters::HtmlSafe for MarkedText<'_> {}

#[cfg(test)]
mod tests {
    use super::MarkedText;

    #[test]
    fn a_text_is_a_sentence_and_escaped() {
        let said = MarkedText("there is no `<b>`, & no `").to_string();
        assert_eq!(
            said,
            "There is no <code>&#60;b&#62;</code>, &#38; no <code></code>"
        );
        assert_eq!(MarkedText("").to_string(), "");
    }
}
