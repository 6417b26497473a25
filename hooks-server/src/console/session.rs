//! Sessions: who looks at a page. A one-time link or a token opens a session; its cookie is a random number, and all else stays here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use askama::Template;
use axum::body::Body;
use axum::extract::{FromRequestParts, Query, State};
use axum::http::header::{COOKIE, LOCATION, REFERER, SET_COOKIE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use hooks_store::{By, Role, Session, Tenant};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::Instant;
use url::{Position, Url, form_urlencoded};

use super::Console;
use super::failed::PageFailure;
use super::frame::{self, PageAnswer, own, page, to};
use super::guard::Site;
use super::sent::{FormBody, FormFields};
use crate::api::Api;
use crate::api::body;
use crate::api::caller::{ApiCaller, Via};
use crate::api::problem::Problem;
use crate::limits::BODY;
use crate::peer::Client;

/// How long a session is known without asking the store, which notes then that it is used.
const KNOWN: Duration = Duration::from_mins(1);

/// How long a link of the daemon is good.
const LINK: Duration = Duration::from_mins(10);

/// The cookie of a session: its name, and what a browser may do with it. With `__Host-`, no other host sets it.
const PLAIN: (&str, &str) = ("hooks_session", "Path=/; HttpOnly; SameSite=Lax");
const SECURE: (&str, &str) = (
    "__Host-hooks_session",
    "Path=/; HttpOnly; SameSite=Lax; Secure",
);

/// The links that open a session, and the sessions that were asked for. All sessions are in the store.
#[derive(Default)]
pub(crate) struct Sessions {
    links: Mutex<HashMap<String, (Tenant, Instant)>>,
    known: Mutex<HashMap<String, OpenSession>>,
}

struct OpenSession {
    session: Session,
    /// When the store was asked, unless it is to be asked again.
    asked: Option<Instant>,
    /// What follows the session learns by its end that the session is closed.
    end: watch::Sender<()>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A number that cannot be guessed.
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
        locked(&self.links).insert(code.clone(), (tenant, Instant::now()));
        code
    }

    /// The tenant that a link is for. It is good once.
    fn follow(&self, code: &str) -> Option<Tenant> {
        let (tenant, made) = locked(&self.links).remove(code)?;
        (made.elapsed() < LINK).then_some(tenant)
    }

    async fn open(&self, api: &Api, caller: &ApiCaller) -> Result<String, Problem> {
        let id = secret();
        if api.store.open_session(&id, &caller.session()).await? {
            // It may be one of these.
            let mut known = locked(&self.known);
            known.values_mut().for_each(|known| known.asked = None);
        }
        Ok(id)
    }

    /// Who has a session, and its end.
    async fn caller(
        &self,
        api: &Api,
        id: &str,
        client: Client,
    ) -> Result<Option<(ApiCaller, watch::Receiver<()>)>, Problem> {
        let is_fresh = |known: &&OpenSession| known.asked.is_some_and(|at| at.elapsed() < KNOWN);
        let of = |known: &OpenSession| (known.session.clone(), known.end.subscribe());
        let fresh = locked(&self.known).get(id).filter(is_fresh).map(of);
        let (session, end) = if let Some(fresh) = fresh {
            fresh
        } else {
            let session = api.store.session(id).await?;
            let mut known = locked(&self.known);
            known.retain(|_, one| is_fresh(&&*one) || one.end.receiver_count() > 0);
            let Some(session) = session else {
                known.remove(id);
                return Ok(None);
            };
            let one = known.entry(id.to_owned()).or_insert_with(|| OpenSession {
                session,
                asked: None,
                end: watch::Sender::default(),
            });
            one.asked = Some(Instant::now());
            of(one)
        };
        // The token may have been revoked since.
        let caller = match &*session.token {
            "" => Ok(ApiCaller::of_link(
                api.store.tenant(&session.tenant),
                client,
            )),
            hash => ApiCaller::of_hash(api, hash, Via("console", client)).await,
        };
        match caller {
            Err(problem) if problem.is_about_rights() => Ok(None),
            caller => Ok(Some((caller?, end))),
        }
    }
}

/// The value of a cookie.
pub(super) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(COOKIE).into_iter();
    let lines = lines.filter_map(|line| line.to_str().ok());
    let mut cookies = lines.flat_map(|line| line.split(';'));
    cookies.find_map(|cookie| cookie.trim().strip_prefix(name)?.strip_prefix('='))
}

impl Console {
    fn cookie(&self) -> (&'static str, &'static str) {
        if self.address.is_secure() {
            SECURE
        } else {
            PLAIN
        }
    }

    /// Closes the session of a browser.
    async fn close(&self, headers: &HeaderMap) -> Result<(), Problem> {
        if let Some(id) = cookie(headers, self.cookie().0) {
            locked(&self.sessions.known).remove(id);
            self.api.store.close_session(id).await?;
        }
        Ok(())
    }
}

/// A person who looks at a page.
#[derive(Clone)]
pub(super) struct Visitor {
    pub(super) api: Arc<Api>,
    pub(super) caller: ApiCaller,
    pub(super) theme: &'static str,
    /// The address of the page.
    pub(super) address: String,
    /// Who has sent the browser here.
    pub(super) site: Site,
    /// It ends with the session.
    pub(super) end: watch::Receiver<()>,
}

impl Visitor {
    pub(super) fn tenant(&self) -> &Tenant {
        &self.caller.tenant
    }

    /// Says who writes, if the visitor has at least this role.
    pub(super) fn at_least(&self, role: Role) -> Result<By, Problem> {
        self.caller.at_least(role)
    }

    /// Finds out who looks.
    pub(super) async fn find(parts: &Parts, console: &Console) -> Result<Self, PageFailure> {
        let id = cookie(&parts.headers, console.cookie().0);
        let session = match id {
            Some(id) => {
                console
                    .sessions
                    .caller(&console.api, id, Client::of(parts))
                    .await?
            }
            None => None,
        };
        let (caller, end) = session.ok_or_else(|| PageFailure::Stranger(parts.uri.to_string()))?;
        caller.count(&console.api)?;
        Ok(Visitor {
            api: Arc::clone(&console.api),
            caller,
            theme: frame::theme(&parts.headers),
            address: parts.uri.to_string(),
            site: Site::of(&parts.headers, &console.address),
            end,
        })
    }
}

impl FromRequestParts<Console> for Visitor {
    type Rejection = PageFailure;

    async fn from_request_parts(parts: &mut Parts, _: &Console) -> Result<Self, PageFailure> {
        let found = parts.extensions.get::<Visitor>().cloned();
        found.ok_or_else(|| PageFailure::Stranger(parts.uri.to_string()))
    }
}

#[derive(Deserialize)]
pub(super) struct LoginQuery {
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
    kept: InterruptedForm,
}

/// What a visitor has sent when the session was over.
#[derive(Default)]
struct InterruptedForm {
    /// Where to; empty if there is nothing.
    again: String,
    /// The form, as it was sent.
    fields: String,
}

#[derive(Template)]
#[template(path = "again.html")]
struct Resend {
    theme: &'static str,
    next: String,
    again: String,
    fields: Vec<(String, String)>,
    /// What the button says that was pressed, if the form has several.
    pressed: Option<String>,
}

fn login(
    headers: &HeaderMap,
    next: String,
    error: Option<String>,
    kept: InterruptedForm,
) -> Response {
    let theme = frame::theme(headers);
    page(&Page {
        theme,
        next,
        error,
        kept,
    })
}

/// Shows the login to a stranger who has sent a form, and keeps the form until then.
pub(super) async fn keep(parts: &Parts, body: Body) -> PageAnswer {
    let fields = body::read(body, BODY).await?;
    let of = parts.headers.get(REFERER).and_then(|of| of.to_str().ok());
    let of = of.and_then(|of| Url::parse(of).ok());
    let next = of.map_or_else(String::new, |of| of[Position::BeforePath..].to_owned());
    let kept = InterruptedForm {
        again: parts.uri.path().to_owned(),
        fields: String::from_utf8_lossy(&fields).into_owned(),
    };
    let why = "You are logged out. What you sent is kept until you log in.".to_owned();
    let shown = login(&parts.headers, next, Some(why), kept);
    Ok((StatusCode::UNAUTHORIZED, shown).into_response())
}

/// Asks for a token, or takes the code of a link.
pub(super) async fn form(
    State(console): State<Console>,
    method: Method,
    client: Client,
    headers: HeaderMap,
    Query(asked): Query<LoginQuery>,
) -> PageAnswer {
    // Who only asks whether there is something does not use the link up.
    if method == Method::GET
        && let Some(tenant) = console.sessions.follow(&asked.code)
    {
        let caller = ApiCaller::of_link(tenant, client);
        return entered(&console, &headers, &caller, &asked.next).await;
    }
    let used = "The link was used already, is older than 10 minutes, or the daemon has started again: use a token.";
    let error = (!asked.code.is_empty()).then(|| used.to_owned());
    Ok(login(
        &headers,
        asked.next,
        error,
        InterruptedForm::default(),
    ))
}

/// Opens a session. If a form was kept, it comes again.
pub(super) async fn open(
    State(console): State<Console>,
    client: Client,
    headers: HeaderMap,
    // A form within a form is up to three times as long.
    FormBody(sent): FormBody<FormFields, { 4 * BODY }>,
) -> PageAnswer {
    let (next, again, fields) = (sent.text("next"), sent.text("again"), sent.text("fields"));
    let counted = async {
        let token = sent.text("token");
        let via = Via("console", client);
        let caller = ApiCaller::of_token(&console.api, token.trim(), via).await?;
        caller.of_all("the pages show what all agents do")?;
        caller.count(&console.api)?;
        Ok::<_, Problem>(caller)
    };
    match counted.await {
        Ok(caller) => {
            let mut entered = entered(&console, &headers, &caller, &next).await?;
            if !again.is_empty() {
                let kept = form_urlencoded::parse(fields.as_bytes()).into_owned();
                let (pressed, fields) = kept.partition::<Vec<_>, _>(|(name, _)| name == "do");
                let again = page(&Resend {
                    theme: frame::theme(&headers),
                    next,
                    again: own(&again).to_owned(),
                    fields,
                    pressed: pressed.into_iter().next().map(|(_, pressed)| pressed),
                });
                // The cookie goes with it.
                entered.headers_mut().remove(LOCATION);
                entered = (entered.into_parts().0.headers, again).into_response();
            }
            Ok(entered)
        }
        Err(problem) => {
            let (why, kept) = (
                problem.detail().to_owned(),
                InterruptedForm { again, fields },
            );
            let shown = login(&headers, next, Some(why), kept);
            Ok((problem.status(), shown).into_response())
        }
    }
}

async fn entered(
    console: &Console,
    headers: &HeaderMap,
    caller: &ApiCaller,
    next: &str,
) -> PageAnswer {
    // The browser has one cookie, so the session of before has no owner.
    console.close(headers).await?;
    let id = console.sessions.open(&console.api, caller).await?;
    let (name, how) = console.cookie();
    let cookie = format!("{name}={id}; {how}");
    Ok(([(SET_COOKIE, cookie)], to(next)).into_response())
}

/// Closes the session.
pub(super) async fn close(State(console): State<Console>, headers: HeaderMap) -> PageAnswer {
    console.close(&headers).await?;
    let (name, how) = console.cookie();
    let gone = format!("{name}=; {how}; Max-Age=0");
    Ok(([(SET_COOKIE, gone)], to("/login")).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_link_is_good_once_and_not_for_long() {
        let store = hooks_store::Store::open("sqlite::memory:").await.unwrap();
        let tenant = store.tenant("acme");
        tokio::time::pause();
        let sessions = Sessions::default();
        let (good, late) = (sessions.link(tenant.clone()), sessions.link(tenant));
        assert!(sessions.follow(&good).is_some());
        assert!(sessions.follow(&good).is_none(), "a link is good once");
        tokio::time::advance(LINK).await;
        assert!(sessions.follow(&late).is_none());
    }
}
