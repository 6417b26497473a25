//! The connections that are open: how many, and until when.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use prometheus_client::metrics::gauge::Gauge;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutWriter;
use tokio_util::io::InspectReader;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::limits::{HEAD, HEAD_TIME, WRITE_TIME};
use crate::metrics::Metrics;
use crate::shutdown::Shutdown;

/// The connections of the daemon.
pub(crate) struct Connections {
    room: Arc<Semaphore>,
    open: TaskTracker,
    count: Gauge,
    shutdown: Shutdown,
}

/// What one connection takes, until it is closed.
struct Taken {
    _room: Option<OwnedSemaphorePermit>,
    _open: TaskTrackerToken,
    count: Gauge,
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.count.dec();
    }
}

impl Connections {
    /// At most so many are open at once.
    pub(crate) fn new(most: usize, metrics: &Metrics, shutdown: &Shutdown) -> Self {
        Connections {
            room: Arc::new(Semaphore::new(most)),
            open: TaskTracker::new(),
            count: metrics.connections.clone(),
            shutdown: shutdown.clone(),
        }
    }

    /// Waits for room for one more.
    pub(crate) async fn room(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.room).acquire_owned().await.ok()
    }

    /// Serves a connection, until it is closed or the daemon ends.
    pub(crate) fn open<S>(&self, stream: S, doors: Router, room: Option<OwnedSemaphorePermit>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        self.count.inc();
        let taken = Taken {
            _room: room,
            _open: self.open.token(),
            count: self.count.clone(),
        };
        // The stream holds what the connection takes. A WebSocket has the stream when the task below has ended.
        let stream = InspectReader::new(stream, move |_: &[u8]| {
            let _ = &taken;
        });
        let mut stream = TimeoutWriter::new(stream);
        stream.set_timeout(Some(WRITE_TIME));
        let shutdown = self.shutdown.clone();
        tokio::spawn(async move {
            let service = TowerToHyperService::new(doors);
            let mut server = http1::Builder::new();
            server
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .max_buf_size(HEAD);
            let connection = server
                .serve_connection(TokioIo::new(Box::pin(stream)), service)
                .with_upgrades();
            let mut connection = std::pin::pin!(connection);
            // How a client ends a connection is its own business.
            tokio::select! {
                _ = &mut connection => {}
                () = shutdown.softly() => {
                    connection.as_mut().graceful_shutdown();
                    tokio::select! {
                        _ = connection => {}
                        () = shutdown.hardly() => {}
                    }
                }
            }
        });
    }

    /// Waits until all are closed.
    pub(crate) async fn ended(&self) {
        self.open.close();
        self.open.wait().await;
    }
}

/// The system may have no more files. The connections that are open end at some time.
pub(crate) async fn wait_after(error: &io::Error) {
    tracing::warn!(%error, "cannot accept a connection");
    tokio::time::sleep(Duration::from_millis(100)).await;
}

#[cfg(test)]
mod tests {
    use axum::extract::ws::WebSocketUpgrade;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test]
    async fn a_websocket_has_its_room_until_it_is_closed() {
        let connections = Connections::new(1, &Metrics::new(), &Shutdown::new());
        let echo = async |socket: WebSocketUpgrade| {
            socket.on_upgrade(async |mut socket| while let Some(Ok(_)) = socket.recv().await {})
        };
        let doors = Router::new().route("/ws", get(echo));
        let (mut client, server) = duplex(4096);
        connections.open(server, doors, connections.room().await);
        let asked =
            b"GET /ws HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
            sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
        client.write_all(asked).await.unwrap();
        let mut said = [0; 4096];
        let length = client.read(&mut said).await.unwrap();
        assert!(said[..length].starts_with(b"HTTP/1.1 101"));
        // The task that has served the request ends meanwhile.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        let state = |connections: &Connections| {
            (
                connections.room.available_permits(),
                connections.count.get(),
            )
        };
        assert_eq!(state(&connections), (0, 1));
        drop(client);
        connections.ended().await;
        assert_eq!(state(&connections), (1, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_nothing_is_closed() {
        let connections = Connections::new(1, &Metrics::new(), &Shutdown::new());
        let doors = Router::new().route("/", get(async || "a page".repeat(1000)));
        let (mut client, server) = duplex(4096);
        connections.open(server, doors, connections.room().await);
        client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        connections.ended().await;
        let mut said = Vec::new();
        client.read_to_end(&mut said).await.unwrap();
        assert_eq!(said.len(), 4096, "what was written before");
    }
}
