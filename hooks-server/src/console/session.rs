//! Who looks. A one-time link or a token opens a session; its cookie is a random number, and all else stays here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use askama::Template;
use axum::extract::{FromRequestParts, Query, State};
use axum::http::header::{COOKIE, SET_COOKIE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use hooks_store::{By, Role, Tenant};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde::Deserialize;

use super::Console;
use super::failed::Failed;
use super::frame::{self, page, to};
use super::guard::Site;
use super::sent::Form;
use crate::api::Api;
use crate::api::caller::Caller;
use crate::api::problem::Problem;

/// How long a session lives after it was last used.
const IDLE: Duration = Duration::from_hours(12);

/// How many sessions are open at once. A further one closes the one that was not used for the longest time.
const MOST: usize = 10_000;

/// The name of the cookie.
const NAME: &str = "hooks_session";

/// The sessions that are open, and the links that open one.
#[derive(Default)]
pub(crate) struct Sessions {
    links: Mutex<HashMap<String, Tenant>>,
    open: Mutex<HashMap<String, Session>>,
}

struct Session {
    caller: Caller,
    used: Instant,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A number that nobody guesses.
fn secret() -> String {
    let mut bytes = [0_u8; 32];
    SystemRandom::new()
        .fill(&mut bytes)
        .expect("the system has randomness");
    hex::encode(bytes)
}

impl Sessions {
    /// Makes the code of a link that opens one session, of the owner of a tenant.
    pub(crate) fn link(&self, tenant: Tenant) -> String {
        let code = secret();
        locked(&self.links).insert(code.clone(), tenant);
        code
    }

    fn open(&self, caller: Caller) -> String {
        let id = secret();
        let mut open = locked(&self.open);
        open.retain(|_, session| session.used.elapsed() < IDLE);
        if open.len() >= MOST
            && let Some(oldest) = open.iter().min_by_key(|(_, session)| session.used)
        {
            let oldest = oldest.0.clone();
            open.remove(&oldest);
        }
        let used = Instant::now();
        open.insert(id.clone(), Session { caller, used });
        id
    }

    fn caller(&self, id: &str) -> Option<Caller> {
        let mut open = locked(&self.open);
        let session = open
            .get_mut(id)
            .filter(|session| session.used.elapsed() < IDLE)?;
        session.used = Instant::now();
        Some(session.caller.clone())
    }
}

/// The value of a cookie.
pub(super) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(COOKIE).into_iter();
    let lines = lines.filter_map(|line| line.to_str().ok());
    let mut cookies = lines.flat_map(|line| line.split(';'));
    cookies.find_map(|cookie| cookie.trim().strip_prefix(name)?.strip_prefix('='))
}

/// Whoever looks at a page.
pub(super) struct Visitor {
    pub(super) api: Arc<Api>,
    pub(super) caller: Caller,
    pub(super) theme: &'static str,
    /// The address of the page.
    pub(super) address: String,
    /// Who has sent the browser here.
    pub(super) site: Site,
}

impl Visitor {
    pub(super) fn tenant(&self) -> &Tenant {
        &self.caller.tenant
    }

    /// Says who writes, if the visitor has at least this role.
    pub(super) fn at_least(&self, role: Role) -> Result<By, Problem> {
        self.caller.at_least(role)
    }
}

impl FromRequestParts<Console> for Visitor {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, console: &Console) -> Result<Self, Failed> {
        let id = cookie(&parts.headers, NAME);
        let caller = id.and_then(|id| console.sessions.caller(id));
        let stranger = || Failed::Stranger(parts.uri.to_string());
        let caller = caller.ok_or_else(stranger)?;
        // The token of the session may have been revoked since.
        let caller = caller.again(&console.api).await.map_err(|problem| {
            if problem.is_about_rights() {
                stranger()
            } else {
                problem.into()
            }
        })?;
        caller.count(&console.api)?;
        caller.at_least(Role::Viewer)?;
        Ok(Visitor {
            api: Arc::clone(&console.api),
            caller,
            theme: frame::theme(&parts.headers),
            address: parts.uri.to_string(),
            site: Site::of(&parts.headers),
        })
    }
}

#[derive(Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    code: String,
    #[serde(default)]
    next: String,
}

#[derive(Template)]
#[template(path = "login.html")]
struct Page {
    theme: &'static str,
    next: String,
    error: Option<String>,
}

/// Asks for a token, or takes the code of a link.
pub(super) async fn form(
    State(console): State<Console>,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Response {
    let tenant = locked(&console.sessions.links).remove(&asked.code);
    if let Some(tenant) = tenant {
        return entered(&console, Caller::of_link(tenant), &asked.next);
    }
    let used = "the link was used already, or the daemon has started again: use a token";
    page(&Page {
        theme: frame::theme(&headers),
        next: asked.next,
        error: (!asked.code.is_empty()).then(|| used.to_owned()),
    })
}

#[derive(Deserialize)]
pub(super) struct Login {
    token: String,
    #[serde(default)]
    next: String,
}

/// Opens a session.
pub(super) async fn open(
    State(console): State<Console>,
    headers: HeaderMap,
    Form(login): Form<Login>,
) -> Response {
    let caller = Caller::of_token(&console.api, login.token.trim(), "console").await;
    match caller.and_then(person) {
        Ok(caller) => entered(&console, caller, &login.next),
        Err(problem) => {
            let shown = Page {
                theme: frame::theme(&headers),
                next: login.next,
                error: Some(problem.detail().to_owned()),
            };
            (StatusCode::UNAUTHORIZED, page(&shown)).into_response()
        }
    }
}

/// The pages show what all agents do, so a token for one of them opens none.
fn person(caller: Caller) -> Result<Caller, Problem> {
    match &caller.agent {
        None => Ok(caller),
        Some(agent) => {
            let why = format!("the token is for the agent `{agent}`, and not for a person");
            Err(Problem::new(StatusCode::FORBIDDEN, why))
        }
    }
}

fn entered(console: &Console, caller: Caller, next: &str) -> Response {
    let id = console.sessions.open(caller);
    let cookie = format!("{NAME}={id}; Path=/; HttpOnly; SameSite=Lax");
    ([(SET_COOKIE, cookie)], to(next)).into_response()
}

/// Closes the session.
pub(super) async fn close(State(console): State<Console>, headers: HeaderMap) -> Response {
    if let Some(id) = cookie(&headers, NAME) {
        locked(&console.sessions.open).remove(id);
    }
    let gone = format!("{NAME}=; Path=/; Max-Age=0");
    ([(SET_COOKIE, gone)], to("/login")).into_response()
}
