//! What all pages have around them: the navigation, who looks, and what is not published yet.

use askama::Template;
use axum::Form;
use axum::http::header::{CONTENT_TYPE, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use hooks_store::Role;
use serde::Deserialize;

use super::assets::{SCRIPT, STYLE};
use super::session::{Visitor, cookie, own};
use super::{Console, failed::Failed};

/// Light or dark: as the system has it, or as somebody chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Theme {
    System,
    Light,
    Dark,
}

impl Theme {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        match cookie(headers, "theme") {
            Some("light") => Theme::Light,
            Some("dark") => Theme::Dark,
            _ => Theme::System,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}

#[derive(Deserialize)]
pub(super) struct Chosen {
    theme: String,
    #[serde(default)]
    next: String,
}

/// Keeps a choice of light or dark.
pub(super) async fn theme(Form(chosen): Form<Chosen>) -> Response {
    let name = match chosen.theme.as_str() {
        "light" => "light",
        "dark" => "dark",
        _ => "system",
    };
    let cookie = format!("theme={name}; Path=/; Max-Age=31536000; SameSite=Lax");
    ([(SET_COOKIE, cookie)], Redirect::to(own(&chosen.next))).into_response()
}

/// A page of the navigation: its address, its name, and the key that opens it after `g`.
pub(super) struct Entry {
    pub(super) path: &'static str,
    pub(super) name: &'static str,
    pub(super) key: char,
}

const fn entry(path: &'static str, name: &'static str, key: char) -> Entry {
    Entry { path, name, key }
}

/// The navigation.
const ENTRIES: &[Entry] = &[
    entry("/", "Order", 'o'),
    entry("/simulator", "Simulator", 's'),
    entry("/publish", "Publish", 'p'),
    entry("/executions", "Executions", 'e'),
    entry("/overview", "Overview", 'v'),
    entry("/settings", "Settings", 't'),
];

/// What a page has around it.
pub(super) struct Frame {
    pub(super) theme: Theme,
    /// The address of the page, without what was done before it.
    pub(super) address: String,
    /// What was done before it was opened.
    pub(super) done: Option<&'static str>,
    /// The address of the page in the navigation that this one belongs to.
    here: &'static str,
    tenant: String,
    pub(super) role: Role,
    /// How many hooks of the draft differ from what is in force.
    pub(super) unpublished: usize,
}

impl Frame {
    pub(super) async fn new(
        console: &Console,
        visitor: &Visitor,
        here: &'static str,
    ) -> Result<Self, Failed> {
        let changes = console.api.changes(&visitor.caller.tenant).await?;
        Ok(Frame {
            theme: visitor.theme,
            address: visitor
                .address
                .split("done=")
                .next()
                .unwrap_or_default()
                .trim_end_matches(['?', '&'])
                .to_owned(),
            done: Done::of(&visitor.address),
            here,
            tenant: visitor.caller.tenant.id().to_owned(),
            role: visitor.caller.role,
            unpublished: changes.len(),
        })
    }

    pub(super) fn entries(&self) -> &'static [Entry] {
        ENTRIES
    }

    pub(super) fn is_here(&self, entry: &Entry) -> bool {
        entry.path == self.here
    }

    /// The tenant, as people call it.
    pub(super) fn tenant(&self) -> &str {
        if self.tenant.is_empty() {
            "all tenants"
        } else {
            &self.tenant
        }
    }

    /// Whether the visitor has at least a role.
    pub(super) fn may(&self, role: Role) -> bool {
        self.role >= role
    }
}

/// What a form has done, which the page after it says.
pub(super) struct Done;

impl Done {
    /// The words of the addresses, and what they say.
    const ALL: &[(&str, &str)] = &[
        ("saved", "The draft has it. Publish it to put it in force."),
        (
            "deleted",
            "The draft has it no more. Publish to take it out of force.",
        ),
        ("published", "Published: agents follow now."),
        ("unchanged", "Nothing differs from what is in force."),
        ("kept", "Saved."),
        ("gone", "Deleted."),
    ];

    fn of(address: &str) -> Option<&'static str> {
        let (_, word) = address.rsplit_once("done=")?;
        let mut known = Self::ALL.iter();
        known
            .find(|(known, _)| *known == word)
            .map(|(_, said)| *said)
    }
}

/// Goes to a page of ours, which says what was done.
pub(super) fn done(next: &str, word: &str) -> Response {
    let next = own(next);
    let mark = if next.contains('?') { '&' } else { '?' };
    Redirect::to(&format!("{next}{mark}done={word}")).into_response()
}

/// The address of the stylesheet.
pub(super) fn style() -> &'static str {
    &STYLE.name
}

/// The address of the scripts.
pub(super) fn script() -> &'static str {
    &SCRIPT.name
}

/// Shows a template.
pub(super) fn page(template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => ([(CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response(),
        Err(error) => {
            tracing::error!(%error, "a page cannot be shown");
            (
                StatusCode::INTERNAL_SERVER_ERROR,
                "the page cannot be shown: the daemon's log says why",
            )
                .into_response()
        }
    }
}
