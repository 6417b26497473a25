//! What all pages have around them: the navigation, who looks, what was done, and what is not published yet.

use askama::Template;
use axum::http::header::{CONTENT_TYPE, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use hooks_store::{Published, Role};
use url::form_urlencoded;

use super::failed::PageFailure;
use super::guard::Site;
use super::sent::{FormBody, FormFields};
use super::session::{Visitor, cookie};
use crate::api::problem::Problem;

/// What a page answers.
pub(super) type PageAnswer = Result<Response, PageFailure>;

/// As the system has it, or as the visitor chose.
pub(super) const THEMES: [&str; 3] = ["system", "light", "dark"];

fn known(theme: Option<&str>) -> &'static str {
    let mut themes = THEMES.into_iter();
    let known = themes.find(|known| Some(*known) == theme);
    known.unwrap_or("system")
}

/// The theme that a browser asks for.
pub(super) fn theme(headers: &HeaderMap) -> &'static str {
    known(cookie(headers, "theme"))
}

/// Keeps a choice of light or dark.
pub(super) async fn choose(FormBody(sent): FormBody<FormFields>) -> Response {
    let name = known(Some(&sent.text("theme")));
    let cookie = format!("theme={name}; Path=/; Max-Age=31536000; SameSite=Lax");
    ([(SET_COOKIE, cookie)], to(&sent.text("next"))).into_response()
}

/// The navigation: the address of a page, its name, the key that opens it after `g`, and the role that it needs.
pub(super) const ENTRIES: [(&str, &str, char, Role); 6] = [
    ("/", "Order", 'o', Role::Viewer),
    ("/simulator", "Simulator", 's', Role::Operator),
    ("/publish", "Publish", 'p', Role::Viewer),
    ("/executions", "Executions", 'e', Role::Viewer),
    ("/overview", "Overview", 'v', Role::Viewer),
    ("/settings", "Settings", 't', Role::Viewer),
];

/// What a page has around it.
pub(super) struct PageFrame {
    pub(super) title: String,
    pub(super) theme: &'static str,
    /// The address of the page, without what was done before it.
    pub(super) address: String,
    /// What was done before it was opened.
    pub(super) done: Option<Done>,
    /// Why what was sent was not done.
    pub(super) problem: Option<Problem>,
    /// The address of the page in the navigation that this one belongs to.
    pub(super) here: &'static str,
    pub(super) tenant: String,
    pub(super) role: Role,
    /// How many hooks of the draft differ from what is live.
    pub(super) unpublished: usize,
}

impl PageFrame {
    pub(super) async fn new(
        visitor: &Visitor,
        here: &'static str,
        title: impl Into<String>,
    ) -> Result<Self, Problem> {
        let address = visitor.address.split_once("done=");
        let (address, word) = address.unwrap_or((&visitor.address, ""));
        // A link of others does not say that something was done.
        let done = (visitor.site == Site::Own).then(|| Done::of(word));
        Ok(PageFrame {
            title: title.into(),
            theme: visitor.theme,
            address: address.trim_end_matches(['?', '&']).to_owned(),
            done: done.flatten(),
            problem: None,
            here,
            tenant: visitor.tenant().id().to_owned(),
            role: visitor.caller.role,
            unpublished: visitor.api.changes(visitor.tenant()).await?.items.len(),
        })
    }

    /// Whether the visitor has at least a role.
    pub(super) fn may(&self, role: Role) -> bool {
        self.role >= role
    }

    /// The status of the page.
    pub(super) fn status(&self) -> StatusCode {
        let problem = self.problem.as_ref();
        problem.map_or(StatusCode::OK, Problem::status)
    }
}

/// How many rows a page of a long list has.
pub(super) const PAGE: usize = 200;

/// Which part of a long list a page has, and the ways to the parts before and behind it.
#[derive(Default)]
pub(super) struct PageRange {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) count: usize,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

impl PageRange {
    /// Takes the part that begins behind `from` items. The address of a part ends with the number.
    pub(super) fn of<T>(mut items: Vec<T>, from: usize, address: &str) -> (Vec<T>, Self) {
        let count = items.len();
        let (from, to) = (from.min(count), from.saturating_add(PAGE).min(count));
        let part = PageRange {
            from,
            to,
            count,
            before: (from > 0).then(|| format!("{address}{}", from.saturating_sub(PAGE))),
            after: (to < count).then(|| format!("{address}{to}")),
        };
        items.truncate(to);
        items.drain(..from);
        (items, part)
    }
}

/// What a form has done, by the word for it in an address. Behind that are the names for `{}`, each as `what`.
fn said(word: &str) -> Option<&'static str> {
    Some(match word {
        "saved" => "Saved in the draft. Agents see it when you publish.",
        "deleted" => "Deleted in the draft. If it is live, agents run it until you publish.",
        "up" => "Moved up in the draft. Agents see it when you publish.",
        "down" => "Moved down in the draft. Agents see it when you publish.",
        "back" => "Put back in the draft.",
        "undone" => "Undone in the draft.",
        "published" => "Published: agents follow now.",
        "unchanged" => "Nothing differs from what is live.",
        "sample" => {
            "The sample is saved. Samples with an expected decision run before each publication."
        }
        "no-sample" => "The sample is deleted.",
        "asked-again" => "The hook {} will be asked again on {}.",
        "live" => "Revision {} is live again, as revision {}.",
        "revoked" => "The token {} is revoked.",
        "gone" => "The secret {} is deleted.",
        "secret" => "The secret {} is set.",
        "budget" => "The limit of model tokens is set.",
        _ => return None,
    })
}

/// The word for a publication.
pub(super) fn published(new: &Published) -> &'static str {
    if new.is_new { "published" } else { "unchanged" }
}

/// What was done before a page was opened.
pub(super) struct Done {
    pub(super) said: String,
    /// The hook of the draft that has a new version, and that version: what can be undone.
    pub(super) undo: Option<(String, u64)>,
}

impl Done {
    fn of(word: &str) -> Option<Self> {
        let (word, rest) = word.split_once('&').unwrap_or((word, ""));
        let (mut said, mut undo) = (said(word)?.to_owned(), None);
        for (key, text) in form_urlencoded::parse(rest.as_bytes()) {
            match (&*key, text.split_once('.')) {
                ("what", _) => said = said.replacen("{}", &text, 1),
                ("undo", Some((version, id))) => {
                    undo = version.parse().ok().map(|v| (id.to_owned(), v));
                }
                _ => {}
            }
        }
        Some(Done { said, undo })
    }
}

/// The word for a new version of a hook of the draft, which can be undone.
pub(super) fn undo(word: &str, id: &str, version: u64) -> String {
    told(word, "undo", [format!("{version}.{id}")])
}

/// A word with the names that it says.
pub(super) fn told<const N: usize>(word: &str, key: &str, texts: [String; N]) -> String {
    let mut query = form_urlencoded::Serializer::new(word.to_owned());
    query.extend_pairs(texts.map(|text| (key, text)));
    query.finish()
}

/// An address of ours: a link to us cannot lead a visitor elsewhere. It is as a browser writes it, so a header can have
/// it.
pub(super) fn own(next: &str) -> &str {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b'\\';
    let is_own = next.starts_with('/') && !next.starts_with("//") && next.bytes().all(is_plain);
    if is_own { next } else { "/" }
}

/// Goes to a page of ours.
pub(super) fn to(next: &str) -> Response {
    Redirect::to(own(next)).into_response()
}

/// Goes to a page of ours, which says what was done.
pub(super) fn done(next: &str, word: &str) -> Response {
    let mark = if next.contains('?') { '&' } else { '?' };
    let (next, row) = own(next).split_once('#').unwrap_or((own(next), ""));
    let hash = if row.is_empty() { "" } else { "#" };
    to(&format!("{next}{mark}done={word}{hash}{row}"))
}

/// Shows a template.
pub(super) fn page(template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => ([(CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response(),
        Err(error) => {
            tracing::error!(%error, "a page cannot be shown");
            let why = "the page cannot be shown: the daemon's log says why";
            (StatusCode::INTERNAL_SERVER_ERROR, why).into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::own;

    #[test]
    fn a_link_cannot_lead_elsewhere() {
        for next in [
            "",
            "//evil.example",
            "https://evil.example",
            "/\\evil.example",
            "/\t/evil.example",
            "/\u{7f}",
            "/\u{e9}",
            "javascript:1",
        ] {
            assert_eq!(own(next), "/", "{next}");
        }
        assert_eq!(own("/executions?hook=a"), "/executions?hook=a");
    }
}
