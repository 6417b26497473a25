//! The loop over frames. It knows neither sockets nor the store, so a test drives it with channels.

use std::pin::Pin;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::Message;
use futures::{FutureExt as _, Sink, SinkExt as _, Stream, StreamExt as _};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::api::problem::Problem;

/// How often the daemon asks whether the client is there.
const PING: Duration = Duration::from_secs(30);

/// How long a client may take for a frame before it is closed.
const SLOW: Duration = Duration::from_secs(15);

/// The events that a client receives.
pub(super) type Events = Pin<Box<dyn Stream<Item = (u64, Value)> + Send>>;

/// What answers requests.
pub(super) trait RequestHandler {
    /// Answers a request.
    async fn answer(&mut self, method: &str, params: Value) -> Result<Box<RawValue>, Problem>;

    /// Returns the events, whenever the caller is another one: they take the place of those before. The client is
    /// closed when they end.
    fn events(&mut self) -> Option<Events>;
}

/// Answers frames until one end closes, takes nothing, or says nothing for too long.
pub(super) async fn talk<E>(
    mut answers: impl RequestHandler,
    mut sink: impl Sink<Message, Error = E> + Unpin,
    mut incoming: impl Stream<Item = Result<Message, E>> + Unpin,
) {
    let told = answers.events();
    let mut events: Events = told.unwrap_or_else(|| Box::pin(futures::stream::pending()));
    let mut pings = tokio::time::interval(PING);
    let mut is_there = true;
    loop {
        let frame = tokio::select! {
            biased;
            _ = pings.tick() => {
                if !std::mem::replace(&mut is_there, false) {
                    break;
                }
                Message::Ping(Bytes::new())
            }
            said = incoming.next() => {
                is_there = true;
                match said {
                    Some(Ok(Message::Text(text))) => {
                        let frame = answered(&mut answers, &text).await;
                        if let Some(new) = answers.events() {
                            events = new;
                        }
                        Message::Text(frame.into())
                    }
                    Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                    Some(Ok(_)) => continue,
                }
            }
            event = events.next() => match event {
                Some((seq, payload)) => {
                    let frame = json!({ "type": "event", "event": "hooks.execution", "payload": payload, "seq": seq });
                    Message::Text(frame.to_string().into())
                }
                None => break,
            },
        };
        let sent = tokio::time::timeout(SLOW, sink.send(frame)).await;
        if !matches!(sent, Ok(Ok(()))) {
            break;
        }
    }
    let _ = tokio::time::timeout(Duration::from_secs(1), sink.close()).await;
}

/// Answers one frame.
async fn answered(answers: &mut impl RequestHandler, text: &str) -> String {
    let frame: Value = serde_json::from_str(text).unwrap_or_default();
    let id = frame["id"].clone();
    let asked = async {
        match frame["method"].as_str() {
            Some(method) if frame["type"] == "req" => {
                answers.answer(method, frame["params"].clone()).await
            }
            _ => Err(Problem::bad(
                "send {\"type\": \"req\", \"id\", \"method\", \"params\"}",
            )),
        }
    };
    // A client that has sent a request still gets an answer.
    let caught = std::panic::AssertUnwindSafe(asked).catch_unwind().await;
    let (code, why) = match caught {
        // What may be long is copied and not read again.
        Ok(Ok(payload)) => {
            return format!(r#"{{"type":"res","id":{id},"ok":true,"payload":{payload}}}"#);
        }
        // GoClaw has one code for everything but a missing right.
        Ok(Err(problem)) if problem.is_about_rights() => ("UNAUTHORIZED", problem),
        Ok(Err(problem)) => ("INVALID_REQUEST", problem),
        Err(_) => ("INTERNAL", Problem::failed("the daemon failed")),
    };
    let error = json!({ "code": code, "message": why.detail() });
    json!({ "type": "res", "id": id, "ok": false, "error": error }).to_string()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use futures::channel::mpsc;
    use serde_json::value::to_raw_value;

    use super::*;

    struct Echo(Option<Events>);

    impl RequestHandler for Echo {
        async fn answer(&mut self, method: &str, params: Value) -> Result<Box<RawValue>, Problem> {
            assert_ne!(method, "panic");
            Ok(to_raw_value(&params).unwrap())
        }

        fn events(&mut self) -> Option<Events> {
            self.0.take()
        }
    }

    type Said = Result<Message, mpsc::SendError>;

    fn text(frame: &Value) -> Message {
        Message::Text(frame.to_string().into())
    }

    /// The next frame that is not a ping.
    async fn read(sent: &mut mpsc::Receiver<Message>) -> Value {
        loop {
            if let Message::Text(text) = sent.next().await.unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    #[tokio::test]
    async fn each_frame_has_an_answer_and_events_come_between() {
        let (mut client, incoming) = mpsc::channel(8);
        let (sink, mut sent) = mpsc::channel(8);
        let event = (7, json!({ "hook": "a" }));
        let events: Events =
            Box::pin(futures::stream::once(async { event }).chain(futures::stream::pending()));
        let talking = tokio::spawn(talk(Echo(Some(events)), sink, incoming));
        assert_eq!(read(&mut sent).await["event"], "hooks.execution");
        client
            .send(Ok(text(
                &json!({ "type": "req", "id": "1", "method": "x", "params": { "a": 1 } }),
            )))
            .await
            .unwrap();
        assert_eq!(
            read(&mut sent).await,
            json!({ "type": "res", "id": "1", "ok": true, "payload": { "a": 1 } })
        );
        for wrong in [
            json!(3),
            json!({ "id": 4 }),
            json!({ "type": "req", "id": 5, "method": "panic" }),
        ] {
            client.send(Ok(text(&wrong))).await.unwrap();
            let said = read(&mut sent).await;
            assert_eq!((&said["ok"], &said["id"]), (&json!(false), &wrong["id"]));
        }
        drop(client);
        talking.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_kept_for_a_client_that_takes_nothing() {
        let taken = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&taken);
        let events = futures::stream::iter(0..).map(move |seq| {
            counted.fetch_add(1, Ordering::Relaxed);
            (seq, json!({ "hook": "x".repeat(1000) }))
        });
        let (_client, incoming) = mpsc::channel::<Said>(8);
        let (sink, unread) = mpsc::channel(0);
        talk(Echo(Some(Box::pin(events))), sink, incoming).await;
        assert!(taken.load(Ordering::Relaxed) <= 2, "{taken:?}");
        assert!(unread.count().await <= 2, "the client is closed");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_or_says_nothing_is_closed() {
        let (mut client, incoming) = mpsc::channel(8);
        // Its sink has no room for what is not read.
        let (sink, _unread) = mpsc::channel(0);
        let slow = tokio::spawn(talk(Echo(None), sink, incoming));
        for _ in 0..3 {
            client
                .send(Ok(text(
                    &json!({ "type": "req", "id": "1", "method": "x" }),
                )))
                .await
                .unwrap();
        }
        slow.await.unwrap();

        let (_silent, incoming) = mpsc::channel::<Said>(8);
        let (sink, sent) = mpsc::channel(8);
        tokio::spawn(talk(Echo(None), sink, incoming))
            .await
            .unwrap();
        assert_eq!(sent.count().await, 1, "one ping, without an answer");
    }
}
