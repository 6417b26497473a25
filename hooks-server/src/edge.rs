//! What every request over the network goes through: it gets a name, its client an address, and the log a line.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, HOST};
use axum::http::{HeaderValue, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tracing::Instrument as _;
use tracing::field::{Empty, display};

use crate::api::problem::Problem;
use crate::limits::{CONNECTIONS, OF_ADDRESS};
use crate::peer::{Client, Peer, Share, request_id};
use crate::shared::DaemonState;

/// Answers a request under its name. All lines of the log about it have that name, and what is known of who asks.
pub(crate) async fn around(
    State(shared): State<Arc<DaemonState>>,
    mut request: Request,
    next: Next,
) -> Response {
    let peer = request.extensions().get::<Peer>().copied();
    let peer = peer.unwrap_or_default();
    let client = peer.address;
    let client = client.map(|peer| shared.proxies.client(peer, request.headers()));
    let (client, id) = (Client(client), request_id(request.headers()));
    request.extensions_mut().insert(client);
    let request_id = id.to_str().unwrap_or_default();
    // An error shows its span, so the span is as important as an error.
    let span = tracing::error_span!("request", request_id, address = %client, tenant = Empty, token = Empty);
    let answering = async {
        let began = Instant::now();
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let answer = match admitted(&shared, &request, peer, client) {
            Ok(_share) => next.run(request).await,
            Err(problem) => problem.into_response(),
        };
        let status = answer.status();
        shared.metrics.answered(status);
        let took = display(began.elapsed().as_millis());
        tracing::info!(%method, path, status = status.as_u16(), ms = took, "answered");
        answer
    };
    let mut answer = answering.instrument(span).await;
    let headers = answer.headers_mut();
    headers.insert("x-request-id", id);
    let is_upgrade = answer.status() == StatusCode::SWITCHING_PROTOCOLS;
    if (peer.is_spare || shared.shutdown.is_announced()) && !is_upgrade {
        let close = HeaderValue::from_static("close");
        answer.headers_mut().insert(CONNECTION, close);
    }
    answer
}

/// Takes a share for the request of an address behind a proxy, or says why the request is not answered.
fn admitted(
    shared: &DaemonState,
    request: &Request,
    peer: Peer,
    client: Client,
) -> Result<Option<Share<Client>>, Problem> {
    let hosts = request.headers().get_all(HOST).iter().count();
    if hosts > 1 || (hosts == 0 && request.version() == Version::HTTP_11) {
        return Err(Problem::bad("send one header `Host`"));
    }
    let path = request.uri().path();
    if path == "/healthz" {
        return Ok(None);
    }
    if peer.is_spare && path != "/readyz" && !path.starts_with("/hooks/") {
        let why = format!("the daemon has {CONNECTIONS} connections open: come again later");
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, why));
    }
    if client.0 == peer.address {
        return Ok(None);
    }
    let share = shared.asking.take(client.share(), OF_ADDRESS);
    let why = || {
        let why = format!("your address has {OF_ADDRESS} requests open: wait for some of them");
        Problem::new(StatusCode::TOO_MANY_REQUESTS, why)
    };
    share.map(Some).ok_or_else(why)
}
