//! `/executions/stream`: what hooks do, while they do it, in three encodings.
//!
//! All are one loop: it reads the rows after the last one that was sent, and waits for more. So a slow reader costs
//! nothing, because nothing is read before it has taken what was sent; and one that breaks off goes on by the number of
//! the last execution that it has.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use futures::{Sink, SinkExt as _, Stream, StreamExt as _};
use serde::Deserialize;
use utoipa::IntoParams;

use super::Api;
use super::caller::{ApiCaller, ConnectionRoom};
use super::extract::Query;
use super::problem::Problem;
use super::wire::Execution;
use crate::websocket::{counted, limited};

/// How many executions are read at once.
const BATCH: u32 = 256;

/// The length of the longest message of a client, in bytes. It has nothing to say.
const MESSAGE: usize = 1 << 10;

/// How often a stream without news says that it is alive.
pub(crate) const ALIVE: Duration = Duration::from_secs(15);

/// Where a stream begins.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct StreamQuery {
    /// The number of the last execution that the client has; by default, only what is new is sent.
    since: Option<u64>,
}

/// Sends executions as they happen: as server-sent events, as lines of JSON (`Accept: application/x-ndjson`), or over a
/// WebSocket. `since`, or `Last-Event-ID`, goes on where a stream broke off.
#[utoipa::path(get, path = "/executions/stream", params(StreamQuery), responses((status = 200, body = Execution, content_type = "text/event-stream"), (status = 101, description = "A WebSocket")))]
pub(super) async fn get(
    State(api): State<Arc<Api>>,
    caller: ApiCaller,
    Query(since): Query<StreamQuery>,
    headers: HeaderMap,
    socket: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let resumed = header("last-event-id").and_then(|id| id.parse().ok());
    let begin = match since.since.or(resumed) {
        Some(seq) => seq,
        None => caller.tenant.newest_execution().await?,
    };
    let stays = caller.stay(&api)?;
    let parts = live(api, caller, stays, begin);
    if let Ok(socket) = socket {
        return Ok(
            limited(socket, MESSAGE).on_upgrade(move |socket: WebSocket| async move {
                let (sink, incoming) = socket.split();
                talk(Box::pin(parts), sink, counted(incoming)).await;
            }),
        );
    }
    let is_lines = header(ACCEPT.as_str()).is_some_and(|kind| kind.contains("ndjson"));
    let kind = if is_lines {
        "application/x-ndjson"
    } else {
        "text/event-stream"
    };
    let encode = move |part: StreamItem| match part {
        Some(execution) if is_lines => json(&execution) + "\n",
        Some(execution) => format!("id: {}\ndata: {}\n\n", execution.seq, json(&execution)),
        None if is_lines => "\n".to_owned(),
        None => ": alive\n\n".to_owned(),
    };
    let body = Body::from_stream(parts.map(move |part| Ok::<_, Infallible>(encode(part))));
    let headers = [(CONTENT_TYPE.as_str(), kind), ("cache-control", "no-store")];
    Ok((headers, body).into_response())
}

/// What is sent: an execution, or that the stream is alive.
type StreamItem = Option<Execution>;

fn json(execution: &Execution) -> String {
    serde_json::to_string(execution).unwrap_or_default()
}

/// The executions of a tenant after one, without an end. It ends if the token is revoked, the store fails or the daemon
/// ends.
pub(crate) fn live(
    api: Arc<Api>,
    caller: ApiCaller,
    stays: ConnectionRoom,
    begin: u64,
) -> impl Stream<Item = StreamItem> + Send {
    let tokens = caller.tenant.follow(|news| news.tokens);
    let news = (caller.tenant.rows(), tokens);
    let state = (api, caller, begin, news, stays);
    let batches = futures::stream::unfold(state, async |mut state| {
        let (api, caller, seq, (rows, tokens), _) = &mut state;
        rows.mark_unchanged();
        let read = read(Arc::clone(api), caller.clone(), *seq);
        // A stream may pause at any moment, for as long as its reader is slow. What others wait for goes on meanwhile.
        let found = tokio::spawn(read).await.ok()??;
        let mut parts: Vec<StreamItem> = Vec::new();
        if let Some(last) = found.last() {
            *seq = last.seq;
            let found = found.into_iter();
            let found = found.filter(|execution| caller.may_read(&execution.record));
            parts.extend(found.map(|execution| Some(execution.into())));
        } else {
            tokio::select! {
                _ = rows.changed() => {}
                _ = tokens.next() => {}
                () = tokio::time::sleep(ALIVE) => parts.push(None),
                () = api.shutdown.softly() => return None,
            }
        }
        Some((futures::stream::iter(parts), state))
    });
    batches.flatten()
}

/// Reads a batch, if the token is still good.
async fn read(api: Arc<Api>, caller: ApiCaller, after: u64) -> Option<Vec<hooks_store::Execution>> {
    let caller = caller.again(&api).await.ok()?;
    caller.tenant.since(after, BATCH).await.ok()
}

/// Sends parts until either end breaks off.
async fn talk<S, I, E>(
    mut parts: S,
    mut sink: impl Sink<Message, Error = E> + Unpin,
    mut incoming: I,
) where
    S: Stream<Item = StreamItem> + Unpin,
    I: Stream<Item = Result<Message, E>> + Unpin,
{
    loop {
        let message = tokio::select! {
            part = parts.next() => match part {
                Some(Some(execution)) => Message::Text(json(&execution).into()),
                Some(None) => Message::Ping(Bytes::new()),
                None => break,
            },
            // Whatever a client says: it ends when it closes.
            said = incoming.next() => match said {
                Some(Ok(message)) if !matches!(message, Message::Close(_)) => continue,
                _ => break,
            },
        };
        let sent = tokio::time::timeout(ALIVE, sink.send(message)).await;
        // A reader that takes nothing has to come again, from where it was.
        if !matches!(sent, Ok(Ok(()))) {
            break;
        }
    }
    let _ = tokio::time::timeout(Duration::from_secs(1), sink.close()).await;
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use futures::channel::mpsc;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn nothing_is_kept_for_a_client_that_takes_nothing() {
        let taken = AtomicU64::new(0);
        let parts = futures::stream::repeat_with(|| {
            taken.fetch_add(1, Ordering::Relaxed);
            None
        });
        let (_client, incoming) = mpsc::channel::<Result<Message, mpsc::SendError>>(8);
        let (sink, unread) = mpsc::channel(0);
        talk(parts, sink, incoming).await;
        assert!(taken.load(Ordering::Relaxed) <= 2, "{taken:?}");
        assert!(unread.count().await <= 2, "the stream is closed");
    }
}
