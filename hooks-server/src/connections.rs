//! The connections that are open: how many, whose, and until when.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::Request;
use futures::task::AtomicWaker;
use hyper::body::Incoming;
use hyper::rt::{Sleep, Timer};
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutWriter;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::limits::{HEAD, HEAD_TIME, LAST_HEAD, OF_ADDRESS, SPARE_HEAD, WRITE_TIME};
use crate::metrics::Metrics;
use crate::peer::{AddressLog, Client, Peer, Proxies, Share, Shares};
use crate::shutdown::Shutdown;

/// The connections of the daemon.
pub(crate) struct Connections {
    room: Arc<Semaphore>,
    spare: Arc<Semaphore>,
    addresses: Shares<Client>,
    proxies: Proxies,
    told: AddressLog,
    open: TaskTracker,
    cut: Arc<AtomicBool>,
    metrics: Arc<Metrics>,
    shutdown: Shutdown,
}

/// What one connection takes, until it is closed.
struct Taken {
    _room: OwnedSemaphorePermit,
    _share: Option<Share<Client>>,
    _open: TaskTrackerToken,
    metrics: Arc<Metrics>,
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.metrics.connections.dec();
    }
}

impl Connections {
    /// At most so many are open at once, and beside them so many that are soon closed.
    pub(crate) fn new(
        [most, spare]: [usize; 2],
        proxies: Proxies,
        metrics: &Arc<Metrics>,
        shutdown: &Shutdown,
    ) -> Self {
        Connections {
            room: Arc::new(Semaphore::new(most)),
            spare: Arc::new(Semaphore::new(spare)),
            addresses: Shares::default(),
            proxies,
            told: AddressLog::default(),
            open: TaskTracker::new(),
            cut: Arc::default(),
            metrics: Arc::clone(metrics),
            shutdown: shutdown.clone(),
        }
    }

    /// Waits for room for one more.
    pub(crate) async fn room(&self) -> OwnedSemaphorePermit {
        let room = Arc::clone(&self.spare).acquire_owned().await;
        room.expect("the semaphore is never closed")
    }

    /// Serves a connection, until it is closed or the daemon ends. One too many of an address is closed at once.
    pub(crate) fn open<S>(
        &self,
        stream: S,
        doors: Router,
        room: OwnedSemaphorePermit,
        address: Option<IpAddr>,
    ) where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        // A client on this machine is not a stranger, and a proxy speaks for many.
        let is_strange =
            |address: &IpAddr| !address.to_canonical().is_loopback() && !self.proxies.has(*address);
        let mut share = None;
        if let Some(stranger) = address.filter(is_strange) {
            let stranger = Client(Some(stranger));
            share = self.addresses.take(stranger.share(), OF_ADDRESS);
            if share.is_none() {
                self.metrics.refuses("connections");
                if let Some(count) = self.told.due(stranger) {
                    tracing::warn!(address = %stranger, count, "connections were closed: one address has {OF_ADDRESS} open");
                }
                return;
            }
        }
        let (room, is_spare) = match Arc::clone(&self.room).try_acquire_owned() {
            Ok(room) => (room, false),
            Err(_) => (room, true),
        };
        self.metrics.connections.inc();
        let taken = Taken {
            _room: room,
            _share: share,
            _open: self.open.token(),
            metrics: Arc::clone(&self.metrics),
        };
        let asked = Arc::<RequestState>::default();
        // Who asks over the socket and goes away wants nothing.
        let patient = address.is_some().then(|| Arc::clone(&asked));
        // The stream holds what the connection takes. A WebSocket has the stream when the task below has ended.
        let stream = ConnectionStream {
            stream,
            _taken: taken,
            patient,
        };
        let mut stream = TimeoutWriter::new(stream);
        stream.set_timeout(Some(WRITE_TIME));
        let (shutdown, cut) = (self.shutdown.clone(), Arc::clone(&self.cut));
        tokio::spawn(async move {
            let peer = Peer { address, is_spare };
            let service = TowerToHyperService::new(doors);
            let service = service_fn(move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(peer);
                asked.state.store(BEGUN, Ordering::Release);
                let (answering, asked) = (service.call(request), Arc::clone(&asked));
                async move {
                    let answer = answering.await;
                    asked.state.store(ANSWERED, Ordering::Release);
                    answer
                }
            });
            let mut server = http1::Builder::new();
            server
                .timer(Heads(shutdown.clone()))
                .header_read_timeout(if is_spare { SPARE_HEAD } else { HEAD_TIME })
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
                        biased;
                        _ = connection => {}
                        () = shutdown.hardly() => cut.store(true, Ordering::Release),
                    }
                }
            }
        });
    }

    /// Waits until all are closed. Returns whether none was dropped in the middle of a request.
    pub(crate) async fn ended(&self) -> bool {
        self.open.close();
        self.open.wait().await;
        !self.cut.load(Ordering::Acquire)
    }
}

/// What a client waits for: nothing, or an answer that is still to be found, or to be sent.
const NOTHING: u8 = 0;
const BEGUN: u8 = 1;
const ANSWERED: u8 = 2;

#[derive(Default)]
struct RequestState {
    state: AtomicU8,
    reader: AtomicWaker,
}

/// The stream of a connection. A client may end its side when it has asked: that is not seen before it has the answer, or with an
/// answer that goes on, its beginning.
struct ConnectionStream<S> {
    stream: S,
    _taken: Taken,
    patient: Option<Arc<RequestState>>,
}

impl<S: AsyncRead + Unpin> AsyncRead for ConnectionStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        if buffer.filled().len() == before
            && let Some(asked) = &self.patient
        {
            asked.reader.register(cx.waker());
            if asked.state.load(Ordering::Acquire) != NOTHING {
                return Poll::Pending;
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ConnectionStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        if let Some(asked) = &self.patient
            && asked.state.load(Ordering::Acquire) == ANSWERED
        {
            asked.state.store(NOTHING, Ordering::Release);
            asked.reader.wake();
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// How long the head of a request may take: half a head does not hold up the end of the daemon.
struct Heads(Shutdown);

impl Timer for Heads {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        let shutdown = self.0.clone();
        Box::pin(Until(Box::pin(async move {
            let last = async {
                shutdown.softly().await;
                tokio::time::sleep(LAST_HEAD).await;
            };
            tokio::select! {
                () = tokio::time::sleep_until(deadline.into()) => {}
                () = last => {}
            }
        })))
    }

    fn now(&self) -> Instant {
        tokio::time::Instant::now().into()
    }
}

struct Until(Pin<Box<dyn Future<Output = ()> + Send + Sync>>);

impl Future for Until {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(cx)
    }
}

impl Sleep for Until {}

/// The system may have no more files. The connections that are open end at some time.
pub(crate) async fn wait_after(error: &io::Error) {
    tracing::warn!(%error, "cannot accept a connection");
    tokio::time::sleep(Duration::from_millis(100)).await;
}

#[cfg(test)]
mod tests {
    use axum::extract::ws::WebSocketUpgrade;
    use axum::routing;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};

    use super::*;

    fn connections(most: [usize; 2]) -> Connections {
        let metrics = Arc::new(Metrics::new());
        Connections::new(most, Proxies::default(), &metrics, &Shutdown::new())
    }

    fn get() -> Router {
        Router::new().route("/", routing::get(async || "a page".repeat(1000)))
    }

    #[tokio::test]
    async fn a_websocket_has_its_room_until_it_is_closed() {
        let connections = connections([1, 1]);
        let echo = async |socket: WebSocketUpgrade| {
            socket.on_upgrade(async |mut socket| while let Some(Ok(_)) = socket.recv().await {})
        };
        let doors = Router::new().route("/ws", routing::get(echo));
        let (mut client, server) = duplex(4096);
        connections.open(server, doors, connections.room().await, None);
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
                connections.metrics.connections.get(),
            )
        };
        assert_eq!(state(&connections), (0, 1));
        drop(client);
        connections.ended().await;
        assert_eq!(state(&connections), (1, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_nothing_is_closed() {
        let connections = connections([1, 1]);
        let (mut client, server) = duplex(4096);
        connections.open(server, get(), connections.room().await, None);
        client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        connections.ended().await;
        let mut said = Vec::new();
        client.read_to_end(&mut said).await.unwrap();
        assert_eq!(said.len(), 4096, "what was written before");
    }

    #[tokio::test(start_paused = true)]
    async fn one_address_has_its_share() {
        let connections = connections([2 * OF_ADDRESS, 1]);
        let open = async |address: &str| {
            let (client, server) = duplex(64);
            let address = Some(address.parse().unwrap());
            connections.open(server, get(), connections.room().await, address);
            client
        };
        // What is closed at once has an end.
        let is_closed = async |mut client: DuplexStream| {
            let end = client.read_u8();
            tokio::time::timeout(Duration::from_secs(1), end)
                .await
                .is_ok()
        };
        let mut clients = Vec::new();
        for _ in 0..OF_ADDRESS {
            clients.push(open("192.0.2.1").await);
        }
        assert!(is_closed(open("192.0.2.1").await).await);
        for other in ["192.0.2.2", "127.0.0.1"] {
            assert!(!is_closed(open(other).await).await, "{other}");
        }
        clients.pop();
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(!is_closed(open("192.0.2.1").await).await);
    }

    #[tokio::test(start_paused = true)]
    async fn when_all_places_are_taken_there_are_some_that_are_soon_free() {
        let connections = connections([1, 1]);
        let (_first, server) = duplex(64);
        connections.open(server, get(), connections.room().await, None);
        for _ in 0..3 {
            let (mut idle, server) = duplex(64);
            connections.open(server, get(), connections.room().await, None);
            let began = tokio::time::Instant::now();
            assert_eq!(idle.read(&mut [0; 8]).await.unwrap(), 0);
            assert_eq!(began.elapsed().as_secs(), SPARE_HEAD.as_secs());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn half_a_head_holds_up_no_end() {
        let connections = connections([1, 1]);
        let (mut client, server) = duplex(64);
        connections.open(server, get(), connections.room().await, None);
        client.write_all(b"GET / HT").await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let began = tokio::time::Instant::now();
        connections.shutdown.soft();
        connections.ended().await;
        assert_eq!(began.elapsed().as_secs(), LAST_HEAD.as_secs());
    }
}
