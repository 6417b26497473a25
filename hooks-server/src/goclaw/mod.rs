//! GoClaw's WebSocket at `/ws`, for its own clients: the same frames, methods, results and error codes.
//!
//! | file | |
//! | --- | --- |
//! | `talk` | the loop over frames |
//! | `methods` | what each method does |
//! | `rows` | hooks as GoClaw's rows, and back |

mod methods;
mod rows;
mod talk;

use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::response::Response;
use futures::StreamExt as _;

use self::methods::Session;
use crate::api::Api;
use crate::peer::Client;
use crate::websocket::{counted, limited};

/// The length of the longest frame, in bytes.
const FRAME: usize = 512 << 10;

pub(crate) async fn get(
    State(api): State<Arc<Api>>,
    client: Client,
    socket: WebSocketUpgrade,
) -> Response {
    limited(socket, FRAME).on_upgrade(async move |socket| {
        let (sink, incoming) = socket.split();
        Box::pin(talk::talk(
            Session::new(api, client),
            sink,
            counted(incoming),
        ))
        .await;
    })
}
