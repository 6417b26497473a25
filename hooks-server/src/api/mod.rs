//! The API under `/api/v1`: what people and nodes do with a store.
//!
//! A file is an endpoint, or a few of one resource: what it takes and answers, its documentation, and its handler. A route
//! cannot be added without its documentation, because [`routes`] makes both. What all answers have in common, such as the
//! form of errors, is added to the document here.

pub(crate) mod aside;
pub(crate) mod body;
mod bundle;
pub(crate) mod caller;
pub(crate) mod capabilities;
pub(crate) mod changes;
pub(crate) mod convert;
mod draft;
mod executions;
pub(crate) mod extract;
mod hook;
mod nodes;
pub(crate) mod order;
pub(crate) mod problem;
pub(crate) mod replay;
pub(crate) mod revisions;
pub(crate) mod samples;
mod settings;
pub(crate) mod simulate;
pub(crate) mod stream;
pub(crate) mod tenants;
mod unchanged;
mod wire;

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::routing::{any, get};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use hooks_runtime::{RuntimeBuilder, SigningKey};
use hooks_store::Store;
use serde_json::Value;
use serde_json::value::RawValue;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, Header, InfoBuilder, ObjectBuilder, OpenApi, Ref,
    ResponseBuilder, Type,
};
use utoipa::{PartialSchema as _, ToSchema as _};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::bundle::InForce;
use self::caller::Callers;
use self::changes::DraftChanges;
use self::order::Order;
use self::problem::{FieldError, Problem};
use self::simulate::Simulator;
use self::tenants::Tenants;
use self::unchanged::Unchanged;
use crate::limits::BURST;
use crate::metrics::Metrics;
use crate::peer::{AddressLog, Shares};
use crate::shutdown::Shutdown;

/// How a deployment completes a runtime: its evaluator, its guard, its factories.
pub(crate) type RuntimeCompletion = Arc<dyn Fn(RuntimeBuilder) -> RuntimeBuilder + Send + Sync>;

/// A row of GoClaw's list, and its text.
pub(crate) type GoclawRow = (Value, Box<RawValue>);

/// What an endpoint answers.
type ApiAnswer<T> = Result<axum::Json<T>, Problem>;

/// What handlers need.
pub(crate) struct Api {
    pub(crate) store: Store,
    /// Signs what agents fetch.
    pub(crate) key: Option<SigningKey>,
    /// Completes a runtime as this deployment does.
    pub(crate) complete: RuntimeCompletion,
    pub(crate) shutdown: Shutdown,
    pub(crate) tenants: Tenants,
    /// How many requests each token may still send.
    rate: DefaultKeyedRateLimiter<Option<Arc<str>>>,
    /// Tokens whose use was noted in the last minute.
    noted: DefaultKeyedRateLimiter<Arc<str>>,
    /// Tokens whose use is not in the store yet, and from where.
    used: Mutex<Vec<(Arc<str>, String)>>,
    /// The connections that stay, and the requests that wait for a bundle, by their tokens.
    staying: Shares<Option<Arc<str>>>,
    waiting: Shares<Option<Arc<str>>>,
    pub(crate) metrics: Arc<Metrics>,
    /// When the log said of whom that a token was refused.
    told: AddressLog,
    pub(crate) callers: Callers,
    /// By their tenants.
    in_force: Unchanged<Arc<InForce>>,
    /// The rows of GoClaw's list and their texts, by their tenants.
    pub(crate) rows: Unchanged<Arc<[GoclawRow]>>,
    /// What drafts change, by their tenants.
    changes: Unchanged<Arc<DraftChanges>>,
    /// The order that drafts would have, by their tenants.
    drafted: Unchanged<Arc<Order>>,
    /// Hooks that simulations ask, by whether they are in force and by their tenants.
    compiled: Unchanged<Arc<Simulator>>,
    /// Events that an author asks about while they write a hook.
    recent: tokio::sync::Mutex<Option<replay::Recent>>,
    /// What is left out of what is published, by tenants.
    notices: Unchanged<Arc<Vec<String>>>,
}

impl Api {
    pub(crate) fn new(
        store: Store,
        key: Option<SigningKey>,
        complete: RuntimeCompletion,
        shutdown: Shutdown,
        node: String,
        rate: NonZeroU32,
        metrics: Arc<Metrics>,
    ) -> Self {
        let quota = Quota::per_second(rate).allow_burst(rate.saturating_mul(BURST));
        Api {
            rate: RateLimiter::keyed(quota),
            noted: RateLimiter::keyed(Quota::per_minute(NonZeroU32::MIN)),
            used: Mutex::default(),
            staying: Shares::default(),
            waiting: Shares::default(),
            metrics,
            told: AddressLog::default(),
            tenants: Tenants::new(store.recorder(), node),
            callers: Callers::new(),
            in_force: Unchanged::new(),
            rows: Unchanged::new(),
            changes: Unchanged::new(),
            drafted: Unchanged::new(),
            compiled: Unchanged::new(),
            notices: Unchanged::new(),
            recent: tokio::sync::Mutex::default(),
            store,
            key,
            complete,
            shutdown,
        }
    }
}

fn documented() -> (Router<Arc<Api>>, OpenApi) {
    let resources = OpenApiRouter::new()
        .routes(routes!(hook::list, hook::create))
        .routes(routes!(hook::get, hook::put, hook::delete))
        .routes(routes!(hook::versions))
        .routes(routes!(hook::version))
        .routes(routes!(hook::restore))
        .routes(routes!(convert::post))
        .routes(routes!(capabilities::get))
        .routes(routes!(draft::get, draft::put))
        .routes(routes!(changes::get))
        .routes(routes!(order::get))
        .routes(routes!(executions::activity))
        .routes(routes!(revisions::list, revisions::publish))
        .routes(routes!(revisions::get))
        .routes(routes!(revisions::rollback))
        .routes(routes!(revisions::turn))
        .routes(routes!(bundle::get))
        .routes(routes!(simulate::post))
        .routes(routes!(replay::post))
        .routes(routes!(executions::list, executions::insert))
        .routes(routes!(stream::get))
        .routes(routes!(executions::get))
        .routes(routes!(executions::session))
        .routes(routes!(nodes::list, nodes::report))
        .routes(routes!(nodes::breakers))
        .routes(routes!(nodes::reset))
        .routes(routes!(settings::budgets, settings::put_budget))
        .routes(routes!(settings::secrets))
        .routes(routes!(settings::put_secret, settings::delete_secret))
        .routes(routes!(samples::list, samples::save))
        .routes(routes!(samples::delete))
        .routes(routes!(samples::import))
        .routes(routes!(settings::admin_log))
        .routes(routes!(settings::tokens, settings::new_token))
        .routes(routes!(settings::delete_token));
    let (documented, document) = OpenApiRouter::new()
        .nest("/api/v1", resources)
        .split_for_parts();
    (documented, completed(document))
}

/// The name of the answer to a token that sends too many requests.
const TOO_MANY: &str = "TooMany";

/// Adds what all operations have in common.
fn completed(mut document: OpenApi) -> OpenApi {
    document.info = InfoBuilder::new()
        .title("Hooks")
        .version("1")
        .description(Some("Hooks of AI agents: drafts, revisions, executions. Who asks is known by a token alone."))
        .build();
    let problem = Ref::from_schema_name(Problem::name());
    let content = ContentBuilder::new().schema(Some(problem)).build();
    let refusal = |why| {
        ResponseBuilder::new()
            .description(why)
            .content("application/problem+json", content.clone())
    };
    let refused = refusal("Why it was not done").build();
    let seconds = ObjectBuilder::new().schema_type(Type::Integer).build();
    let too_many = refusal("The token has sent too many requests")
        .header("Retry-After", Header::new(seconds))
        .build();
    let token = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    let components = document.components.take().unwrap_or_default();
    let components = ComponentsBuilder::from(components)
        .schema(Problem::name(), Problem::schema())
        .schema(FieldError::name(), FieldError::schema())
        .response(TOO_MANY, too_many)
        .security_scheme("token", SecurityScheme::Http(token));
    document.components = Some(components.build());
    document.security = Some(vec![SecurityRequirement::new::<_, [&str; 0], &str>(
        "token",
        [],
    )]);
    for (path, item) in &mut document.paths.paths {
        let place = path.trim_start_matches("/api/v1/").replace(['/', '-'], "_");
        let place = place.replace(['{', '}'], "");
        let operations = [
            ("get", &mut item.get),
            ("put", &mut item.put),
            ("post", &mut item.post),
            ("delete", &mut item.delete),
        ];
        for (method, operation) in operations {
            let Some(operation) = operation else { continue };
            // The names of functions repeat, and clients make functions of these.
            operation.operation_id = Some(format!("{method}_{place}"));
            let responses = &mut operation.responses.responses;
            responses.insert("default".to_owned(), refused.clone().into());
            if path != bundle::PATH {
                let too_many = Ref::from_response_name(TOO_MANY);
                responses.insert("429".to_owned(), too_many.into());
            }
        }
    }
    document
}

/// The document of the API, as `/api/v1/openapi.json` has it.
///
/// ```
/// let document: serde_json::Value = serde_json::from_str(&hooks_server::openapi()).unwrap();
/// assert_eq!(document["openapi"], "3.1.0");
/// ```
#[must_use]
pub fn openapi() -> String {
    let mut text = documented().1.to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

/// The routes of the API.
pub(crate) fn router() -> Router<Arc<Api>> {
    let (router, _) = documented();
    router
        .route(
            "/api/v1/openapi.json",
            get(async || ([("content-type", "application/json")], openapi())),
        )
        .route(
            "/api/{*path}",
            any(async || no_such("resource", StatusCode::NOT_FOUND)),
        )
        .method_not_allowed_fallback(async || {
            no_such("method here", StatusCode::METHOD_NOT_ALLOWED)
        })
        .layer(CatchPanicLayer::custom(|_| {
            Problem::panicked().into_response()
        }))
}

/// There is nothing like that.
fn no_such(what: &str, status: StatusCode) -> Problem {
    let why = format!("there is no such {what}: see /api/v1/openapi.json");
    Problem::new(status, why)
}
