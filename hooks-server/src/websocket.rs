//! WebSockets: how much a client may send at once, and how often it may ping.

use axum::extract::ws::{Message, WebSocketUpgrade};
use futures::{Stream, StreamExt as _, future};
use tokio::time::{Duration, Instant};

/// How many pings and pongs a client may send in [`TIME`]. Each ping has an answer, which is kept for a client that reads nothing.
const PINGS: u32 = 64;

const TIME: Duration = Duration::from_secs(30);

/// Takes no message that is longer, whole or in parts.
pub(crate) fn limited(socket: WebSocketUpgrade, longest: usize) -> WebSocketUpgrade {
    socket.max_message_size(longest).max_frame_size(longest)
}

/// What a client sends. It ends when the client pings too often.
pub(crate) fn counted<E>(
    incoming: impl Stream<Item = Result<Message, E>>,
) -> impl Stream<Item = Result<Message, E>> {
    let (mut begin, mut count) = (Instant::now(), 0);
    incoming.take_while(move |said| {
        if matches!(said, Ok(Message::Ping(_) | Message::Pong(_))) {
            if begin.elapsed() > TIME {
                (begin, count) = (Instant::now(), 0);
            }
            count += 1;
        }
        future::ready(count <= PINGS)
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::body::Bytes;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_pings_too_often_is_closed() {
        let pings = |every: Duration| {
            let pings = futures::stream::repeat(()).then(move |()| async move {
                tokio::time::sleep(every).await;
                Ok::<_, Infallible>(Message::Ping(Bytes::new()))
            });
            counted(pings.take(1000)).count()
        };
        assert_eq!(pings(Duration::from_millis(1)).await, 64);
        assert_eq!(pings(Duration::from_secs(1)).await, 1000);
        let texts = futures::stream::repeat(Message::text("x")).map(Ok::<_, Infallible>);
        assert_eq!(counted(texts.take(1000)).count().await, 1000);
    }
}
