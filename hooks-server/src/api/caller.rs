//! Who asks. A handler that takes an [`ApiCaller`] knows its tenant from the token and from nothing else.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri};
use hooks_runtime::Record;
use hooks_store::{By, Role, Session, Store, StoreError, Tenant};
use jiff::Timestamp;
use lru::LruCache;
use serde_json::Value;
use tokio::time::Instant;
use tracing::Span;

use super::Api;
use super::problem::Problem;
use crate::limits::{REMEMBERED, STAYING, WAITING};
use crate::peer::{Client, Share};

/// Headers with which clients of other systems name a tenant.
const HEADERS: &[&str] = &["tenant", "x-tenant", "x-tenant-id", "x-goclaw-tenant-id"];

/// Keys that name a tenant.
const KEYS: &[&str] = &["tenant", "tenant_id", "tenantId"];

/// The way that a request has come: through a door, from an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Via(pub(crate) &'static str, pub(crate) Client);

impl fmt::Display for Via {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Via(door, Client(None)) => f.write_str(door),
            Via(door, client) => write!(f, "{door} {client}"),
        }
    }
}

/// Room that a connection of a token takes.
pub(crate) type ConnectionRoom = Share<Option<Arc<str>>>;

/// Who asks. Each caller is a viewer at least, so what a viewer may do needs no other extractor.
#[derive(Clone)]
pub(crate) struct ApiCaller {
    pub(crate) tenant: Tenant,
    pub(crate) role: Role,
    pub(crate) agent: Option<String>,
    /// The id and the name of the token.
    id: String,
    name: String,
    from: Via,
    /// The hash of the token. None if a link of the daemon's own has opened the console.
    token: Option<Arc<str>>,
    /// From when on the token is refused.
    ends: Option<Timestamp>,
}

impl ApiCaller {
    /// Reads a token.
    pub(crate) async fn of_token(api: &Api, token: &str, from: Via) -> Result<Self, Problem> {
        ApiCaller::of(api, token, from, api.store.caller(token)).await
    }

    /// Reads a token that is known by its hash.
    pub(crate) async fn of_hash(api: &Api, hash: &str, from: Via) -> Result<Self, Problem> {
        ApiCaller::of(api, hash, from, api.store.caller_of(hash.to_owned())).await
    }

    async fn of(
        api: &Api,
        key: &str,
        from: Via,
        known: impl Future<Output = Result<Option<hooks_store::Caller>, StoreError>>,
    ) -> Result<Self, Problem> {
        let caller = if let Some(caller) = api.callers.of(&api.store, key) {
            caller
        } else {
            let caller = ApiCaller::read(api, key, known).await;
            caller.inspect_err(|problem| api.refused(from, problem))?
        };
        // Wherever it was kept.
        if caller.ends.is_some_and(|end| end <= Timestamp::now()) {
            let problem = stranger();
            api.refused(from, &problem);
            return Err(problem);
        }
        let caller = ApiCaller { from, ..caller };
        if let Some(hash) = &caller.token
            && api.noted.check_key(hash).is_ok()
        {
            let mut used = api.used.lock().unwrap_or_else(PoisonError::into_inner);
            used.push((Arc::clone(hash), from.to_string()));
        }
        caller.tell();
        Ok(caller)
    }

    /// Tells the log who asks.
    fn tell(&self) {
        let tenant = match self.tenant.id() {
            "" => "global",
            id => id,
        };
        Span::current()
            .record("tenant", tenant)
            .record("token", &*self.id);
    }

    async fn read(
        api: &Api,
        key: &str,
        known: impl Future<Output = Result<Option<hooks_store::Caller>, StoreError>>,
    ) -> Result<Self, Problem> {
        let change = api.store.change();
        let known = match known.await {
            Ok(known) => known,
            Err(error @ StoreError::Unavailable(_)) => {
                return api
                    .callers
                    .known_before(&api.store, key)
                    .ok_or_else(|| error.into());
            }
            Err(error) => return Err(error.into()),
        };
        let known = known.ok_or_else(stranger)?;
        let caller = ApiCaller {
            tenant: api.store.tenant(&known.tenant),
            role: known.role,
            agent: known.agent,
            id: known.id,
            name: known.name,
            from: Via("", Client(None)),
            token: Some(known.hash.into()),
            ends: known.ends,
        };
        if api.store.trouble().is_none() {
            api.callers.add(key, &caller, change);
        } else {
            // From the copy of the store, which knows how old it is.
            api.callers.count_without_store();
        }
        Ok(caller)
    }

    /// Reads the token again: on a connection that stays, it may have been revoked since the last time.
    pub(crate) async fn again(&self, api: &Api) -> Result<Self, Problem> {
        match &self.token {
            Some(hash) => ApiCaller::of_hash(api, hash, self.from).await,
            None => Ok(self.clone()),
        }
    }

    /// The caller with the link that the daemon prints: its user, who could read the store anyway.
    pub(crate) fn of_link(tenant: Tenant, client: Client) -> Self {
        let caller = ApiCaller {
            tenant,
            role: Role::Owner,
            agent: None,
            id: String::new(),
            name: "console".to_owned(),
            from: Via("console", client),
            token: None,
            ends: None,
        };
        caller.tell();
        caller
    }

    /// Reads the token of a request, which names no other tenant.
    pub(crate) async fn of_request(
        api: &Api,
        uri: &Uri,
        headers: &HeaderMap,
        from: Via,
    ) -> Result<Self, Problem> {
        let said = headers.get(AUTHORIZATION);
        let said = said.and_then(|value| value.to_str().ok()?.split_once(' '));
        let token = said.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let Some((_, token)) = token else {
            let how = "send a token as `Authorization: Bearer TOKEN`: `hooks token new` makes one";
            let problem = Problem::new(StatusCode::UNAUTHORIZED, how);
            api.refused(from, &problem);
            return Err(problem);
        };
        let caller = ApiCaller::of_token(api, token.trim(), from).await?;
        let own = caller.tenant.id();
        for header in HEADERS {
            if let Some(named) = headers.get(*header) {
                let named = String::from_utf8_lossy(named.as_bytes());
                is_own(header, &named, own)?;
            }
        }
        let query = uri.query().unwrap_or_default();
        for (key, named) in url::form_urlencoded::parse(query.as_bytes()) {
            if KEYS.contains(&&*key) {
                is_own(&key, &named, own)?;
            }
        }
        Ok(caller)
    }

    /// Who has reported a record that this caller sends.
    pub(crate) fn source(&self) -> String {
        format!("token {}", self.id)
    }

    /// Refuses the token of one agent what is about all of them.
    pub(crate) fn of_all(&self, what: &str) -> Result<(), Problem> {
        match self.agent {
            None => Ok(()),
            Some(_) => Err(Problem::forbidden(format!(
                "{what}, and the token is for one of them"
            ))),
        }
    }

    /// What a session of the console keeps of the caller.
    pub(crate) fn session(&self) -> Session {
        Session {
            tenant: self.tenant.id().to_owned(),
            token: self.token.as_deref().unwrap_or_default().to_owned(),
        }
    }

    /// Whether the caller may read what an agent did: with the token of one agent, only what that one did.
    pub(crate) fn may_read(&self, record: &Record) -> bool {
        let own = self.agent.as_ref();
        own.is_none_or(|own| *own == record.agent_id)
    }

    /// The agent whose executions are asked for: the caller's own, if the token is for one.
    pub(crate) fn reads_of(&self, asked: Option<String>) -> Result<Option<String>, Problem> {
        match (&self.agent, asked) {
            (Some(own), Some(asked)) if *own != asked => Err(Problem::forbidden(format!(
                "the token is for the agent `{own}`: leave `agent` out"
            ))),
            (Some(own), _) => Ok(Some(own.clone())),
            (None, asked) => Ok(asked),
        }
    }

    /// Counts a request, if the token has not sent too many.
    pub(crate) fn count(&self, api: &Api) -> Result<(), Problem> {
        let is_fine = api.rate.check_key(&self.token);
        is_fine.map_err(|_| Problem::too_many())
    }

    /// Takes room for a connection that stays, if the token has not too many. The room is free when this is dropped.
    pub(crate) fn stay(&self, api: &Api) -> Result<ConnectionRoom, Problem> {
        let room = api.staying.take(self.token.clone(), STAYING);
        room.ok_or_else(|| {
            let why = format!("the token has {STAYING} connections that stay: close one");
            Problem::new(StatusCode::TOO_MANY_REQUESTS, why)
        })
    }

    /// Takes room for a request that waits for a bundle, as [`stay`](Self::stay) does.
    pub(crate) fn wait(&self, api: &Api) -> Result<ConnectionRoom, Problem> {
        let room = api.waiting.take(self.token.clone(), WAITING);
        room.ok_or_else(|| {
            let why = format!("the token waits for {WAITING} bundles: ask without `wait`");
            Problem::new(StatusCode::TOO_MANY_REQUESTS, why)
        })
    }

    /// Says who writes, if the caller has at least this role.
    pub(crate) fn at_least(&self, role: Role) -> Result<By, Problem> {
        if self.role < role {
            let own = self.role;
            let why = format!("your role is {own}, and this needs {role}: ask an owner");
            return Err(Problem::forbidden(why));
        }
        let by = By::new(&self.name).token(&self.id);
        Ok(by.from(self.from.to_string()))
    }
}

impl Api {
    /// Counts that a token was refused, and writes it to the log.
    pub(crate) fn refused(&self, Via(door, client): Via, problem: &Problem) {
        if problem.status() != StatusCode::UNAUTHORIZED {
            return;
        }
        self.metrics.refuses("token");
        if let Some(count) = self.told.due(client) {
            let why = problem.detail();
            tracing::warn!(address = %client, door, count, why, "refused a token");
        }
    }
}

fn stranger() -> Problem {
    let why = "the token is unknown, has been revoked, or has ended";
    Problem::new(StatusCode::UNAUTHORIZED, why)
}

/// Callers that the store has known lately, by their tokens.
pub(crate) struct Callers {
    known: Mutex<LruCache<String, CachedCaller>>,
    /// How often one of them was let in without the store.
    without_store: AtomicU64,
}

struct CachedCaller {
    caller: ApiCaller,
    /// The newest change before the token was read.
    read: u64,
    /// When the store has last known it.
    at: Instant,
}

impl Callers {
    pub(super) fn new() -> Self {
        Callers {
            known: Mutex::new(LruCache::new(REMEMBERED)),
            without_store: AtomicU64::new(0),
        }
    }

    fn known(&self) -> MutexGuard<'_, LruCache<String, CachedCaller>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, key: &str, caller: &ApiCaller, read: u64) {
        let known = CachedCaller {
            caller: caller.clone(),
            read,
            at: Instant::now(),
        };
        self.known().put(key.to_owned(), known);
    }

    /// A caller whom the store need not be asked for: no token of its tenant has changed since, or the store is away.
    fn of(&self, store: &Store, key: &str) -> Option<ApiCaller> {
        if store.trouble().is_some() {
            // An outage must not stop each agent, nor have it wait.
            return self.known_before(store, key);
        }
        let mut callers = self.known();
        let known = callers.get_mut(key)?;
        let is_same = known.read >= known.caller.tenant.news().tokens;
        is_same.then(|| {
            known.at = Instant::now();
            known.caller.clone()
        })
    }

    /// A caller whom the store has known not long ago.
    fn known_before(&self, store: &Store, key: &str) -> Option<ApiCaller> {
        let mut callers = self.known();
        let known = callers.get(key)?;
        let is_known = known.at.elapsed() < store.remember();
        let caller = is_known.then(|| known.caller.clone())?;
        self.count_without_store();
        Some(caller)
    }

    fn count_without_store(&self) {
        self.without_store.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn without_store(&self) -> u64 {
        self.without_store.load(Ordering::Relaxed)
    }
}

impl FromRequestParts<Arc<Api>> for ApiCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Arc<Api>) -> Result<Self, Problem> {
        // Several extractors of one request ask once.
        if let Some(caller) = parts.extensions.get::<ApiCaller>() {
            return Ok(caller.clone());
        }
        let Uncounted(caller) = Uncounted::from_request_parts(parts, api).await?;
        caller.count(api)?;
        parts.extensions.insert(caller.clone());
        Ok(caller)
    }
}

/// The roles as extractors: who asks, if they have at least this role, and by whom their writes are.
macro_rules! roles {
    ($($role:ident)*) => {$(
        pub(crate) struct $role(pub(crate) ApiCaller, pub(crate) By);

        impl FromRequestParts<Arc<Api>> for $role {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, api: &Arc<Api>) -> Result<Self, Problem> {
                let caller = ApiCaller::from_request_parts(parts, api).await?;
                let by = caller.at_least(Role::$role)?;
                Ok($role(caller, by))
            }
        }
    )*};
}
roles!(Operator Author Publisher Owner);

/// Who asks what a token may ask as often as it likes.
pub(crate) struct Uncounted(pub(crate) ApiCaller);

impl FromRequestParts<Arc<Api>> for Uncounted {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Arc<Api>) -> Result<Self, Problem> {
        let from = Via("api", Client::of(parts));
        let caller = ApiCaller::of_request(api, &parts.uri, &parts.headers, from);
        Ok(Uncounted(caller.await?))
    }
}

fn is_own(place: &str, named: &str, own: &str) -> Result<(), Problem> {
    if named == own {
        return Ok(());
    }
    let why = format!("`{place}` names another tenant than the token: leave it out");
    Err(Problem::forbidden(why))
}

/// Refuses a body that names another tenant, where a body of ours names one: at the top, in its context, its scope, and in
/// each hook. The arguments of a tool may say what they want.
pub(crate) fn other_tenant(body: &Value, own: &str) -> Result<(), Problem> {
    let Value::Object(fields) = body else {
        let parts = body.as_array().into_iter().flatten();
        return parts
            .into_iter()
            .try_for_each(|part| other_tenant(part, own));
    };
    for (key, value) in fields {
        match (key.as_str(), value) {
            (_, Value::Null) => {}
            // A bundle that names none is for every tenant.
            ("tenant", Value::String(named)) if named.is_empty() => {}
            (key, Value::String(named)) if KEYS.contains(&key) => is_own(key, named, own)?,
            (key, _) if KEYS.contains(&key) => is_own(key, "something else", own)?,
            // The global tenant says for whom its hooks are.
            ("tenants", Value::Array(named)) if !own.is_empty() => {
                let named = named.iter().map(|name| name.as_str().unwrap_or_default());
                named
                    .into_iter()
                    .try_for_each(|named| is_own(key, named, own))?;
            }
            ("hook" | "hooks" | "cx" | "scope" | "draft" | "goclaw", inner) => {
                other_tenant(inner, own)?;
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_caller_is_remembered_until_a_token_of_its_tenant_changes() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let (acme, by) = (store.tenant("acme"), By::new("ada"));
        let (callers, _) = (Callers::new(), acme.news());
        callers.add(
            "a",
            &ApiCaller::of_link(acme.clone(), Client(None)),
            store.change(),
        );
        let new = async |tenant: &str| {
            let tenant = store.tenant(tenant);
            let made = tenant.token_new("b", Role::Viewer, None, &by).await;
            made.unwrap();
        };
        new("zen").await;
        assert_eq!(callers.of(&store, "a").unwrap().tenant.id(), "acme");
        new("acme").await;
        assert!(callers.of(&store, "a").is_none());
        assert!(callers.of(&store, "b").is_none());
    }

    #[tokio::test]
    async fn a_caller_is_known_for_a_while_without_the_store() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        tokio::time::pause();
        let callers = Callers::new();
        callers.add(
            "a",
            &ApiCaller::of_link(store.tenant("acme"), Client(None)),
            0,
        );
        assert_eq!(
            callers.known_before(&store, "a").unwrap().tenant.id(),
            "acme"
        );
        assert_eq!(callers.without_store(), 1);
        tokio::time::advance(store.remember()).await;
        assert!(callers.known_before(&store, "a").is_none());
    }
}
