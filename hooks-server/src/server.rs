//! The listeners, and what every connection goes through.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::middleware;
use axum::routing::{get, post};
use hooks_runtime::bridge::Stops;
use hooks_runtime::{Runtime, RuntimeBuilder, SigningKey};
use hooks_store::Store;
use ipnet::IpNet;
use tokio::net::TcpListener;
use url::Url;

use crate::api::body;
use crate::api::{self, Api, RuntimeCompletion};
use crate::connections::{self, Connections};
use crate::console::{self, Console, Sessions};
use crate::door::{agent, program};
use crate::edge;
use crate::goclaw;
use crate::health;
use crate::lanes::Lanes;
use crate::limits::{CONNECTIONS, RATE, SPARE};
use crate::metrics::Metrics;
use crate::page::{self, Address};
use crate::peer::{Proxies, Shares};
use crate::program::Program;
use crate::shared::DaemonState;
use crate::shutdown::Shutdown;
use crate::socket::{self, Socket};

/// Why the daemon does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// It would answer anybody.
    #[error(
        "refusing to listen on {0} without a store: without tokens, any machine could connect. Listen on 127.0.0.1, \
         or add a store"
    )]
    Open(SocketAddr),
    /// A browser has no page there, or it has a path: the console is at `/` and nowhere else.
    #[error(
        "the public address `{0}` is not the address of a page without a path: write `https://hooks.example.com`"
    )]
    PublicUrl(Url),
    /// It has no way in.
    #[error("no agent could reach the daemon: name a socket or an address")]
    NoDoor,
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// The socket cannot be made.
    #[error("cannot listen on the socket {}: {error}", path.display())]
    Socket {
        /// The socket.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// Builds a [`Server`].
#[derive(Default)]
#[must_use = "nothing listens before `bind`"]
pub struct ServerBuilder {
    hooks: Option<Runtime>,
    program: Option<Arc<dyn Program>>,
    socket: Option<PathBuf>,
    listen: Option<SocketAddr>,
    store: Option<Store>,
    key: Option<SigningKey>,
    complete: Option<RuntimeCompletion>,
    rate: Option<NonZeroU32>,
    public_url: Option<Url>,
    proxies: Vec<IpNet>,
}

impl fmt::Debug for ServerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerBuilder")
            .field("socket", &self.socket)
            .field("listen", &self.listen)
            .finish_non_exhaustive()
    }
}

impl ServerBuilder {
    /// Sets the hooks that judge the events of `/hooks/NAME`. Build them with
    /// [`LeftToAgent`](hooks_runtime::bridge::LeftToAgent) as their approver.
    pub fn hooks(mut self, hooks: Runtime) -> Self {
        self.hooks = Some(hooks);
        self
    }

    /// Sets the store, with the API on it. Each caller needs a token, also the agents of `/hooks/NAME`, whose events
    /// are judged by the hooks of the token's tenant.
    pub fn store(mut self, store: Store) -> Self {
        self.store = Some(store);
        self
    }

    /// Signs the bundles that agents fetch.
    pub fn key(mut self, key: SigningKey) -> Self {
        self.key = Some(key);
        self
    }

    /// Completes the runtimes of the store's tenants: their evaluator, their guard, their factories.
    pub fn runtime(
        mut self,
        complete: impl Fn(RuntimeBuilder) -> RuntimeBuilder + Send + Sync + 'static,
    ) -> Self {
        self.complete = Some(Arc::new(complete));
        self
    }

    /// Sets how many requests to the API, and over `/ws`, a token may send in a second; by default [`RATE`]. It may send
    /// those of [`BURST`](crate::limits::BURST) seconds at once. A further one is refused, and asked to wait. The doors of
    /// agents and the bundle that they fetch count for nothing.
    pub fn rate(mut self, requests: NonZeroU32) -> Self {
        self.rate = Some(requests);
        self
    }

    /// Sets what answers programs on the socket.
    pub fn program(mut self, program: impl Program) -> Self {
        self.program = Some(Arc::new(program));
        self
    }

    /// Listens on a Unix socket, for this user only.
    pub fn socket(mut self, path: impl Into<PathBuf>) -> Self {
        self.socket = Some(path.into());
        self
    }

    /// Listens on an address, for HTTP. Without a store it must be one of this machine, because there are no tokens.
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.listen = Some(address);
        self
    }

    /// Sets the address under which browsers find the console, if a proxy is before the daemon. Then only pages of this
    /// address write. If it begins with `https`, a browser sends the cookie of a session over TLS alone, and to no other host.
    pub fn public_url(mut self, url: Url) -> Self {
        self.public_url = Some(url);
        self
    }

    /// Sets the proxies before the daemon. What they say in `X-Forwarded-For`, or else in `Forwarded`, is the address of a client:
    /// the last one there that none of them has. Other clients are not believed. By default there are none.
    pub fn trusted_proxies(mut self, networks: impl IntoIterator<Item = IpNet>) -> Self {
        self.proxies = networks.into_iter().collect();
        self
    }

    /// Begins to listen. Connections wait until [`run`](Server::run).
    ///
    /// # Errors
    ///
    /// If a door cannot be opened, if there is none, or if it would be open to other machines.
    pub async fn bind(self) -> Result<Server, ServerError> {
        let open = self.listen.filter(|address| !address.ip().is_loopback());
        if let (Some(address), None) = (open, &self.store) {
            return Err(ServerError::Open(address));
        }
        let public = match &self.public_url {
            Some(url) => Address::new(url).ok_or_else(|| ServerError::PublicUrl(url.clone()))?,
            None => Address::default(),
        };
        if self.listen.is_none() && self.socket.is_none() {
            return Err(ServerError::NoDoor);
        }
        let (mut socket, mut network) = (None, None);
        if let Some(path) = self.socket.clone() {
            let bound = Socket::bind(&path).await;
            socket = Some(bound.map_err(|error| ServerError::Socket { path, error })?);
        }
        if let Some(address) = self.listen {
            let bound = TcpListener::bind(address).await;
            network = Some(bound.map_err(|error| ServerError::Listen { address, error })?);
        }
        Ok(Server {
            socket,
            network,
            sessions: Arc::default(),
            public,
            built: self,
        })
    }
}

/// A daemon that listens.
pub struct Server {
    socket: Option<Socket>,
    network: Option<TcpListener>,
    sessions: Arc<Sessions>,
    public: Address,
    built: ServerBuilder,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("socket", &self.socket)
            .field("network", &self.network)
            .finish_non_exhaustive()
    }
}

impl ServerBuilder {
    /// Takes what answers requests to the API, if there is a store.
    fn api(&mut self, shutdown: &Shutdown, metrics: &Arc<Metrics>) -> Option<Arc<Api>> {
        let store = self.store.take()?;
        let complete = self.complete.take();
        let complete = complete.unwrap_or_else(|| Arc::new(|builder| builder));
        let (metrics, node) = (Arc::clone(metrics), node());
        let (key, rate) = (self.key.take(), self.rate.unwrap_or(RATE));
        let api = Api::new(store, key, complete, shutdown.clone(), node, rate, metrics);
        Some(Arc::new(api))
    }
}

impl Server {
    /// Returns a builder.
    pub fn builder() -> ServerBuilder {
        ServerBuilder::default()
    }

    /// The address that it listens on; the port is known also if it was 0.
    #[must_use]
    pub fn address(&self) -> Option<SocketAddr> {
        self.network.as_ref()?.local_addr().ok()
    }

    /// The socket that it listens on.
    #[must_use]
    pub fn socket(&self) -> Option<&Path> {
        Some(&self.socket.as_ref()?.path)
    }

    /// Makes a link that opens the console once, as the owner of a tenant. There is none without a store and an address.
    #[must_use]
    pub fn login(&self, tenant: &str) -> Option<String> {
        let (store, address) = (self.built.store.as_ref()?, self.address()?);
        let code = self.sessions.link(store.tenant(tenant));
        let here = format!("http://{}", reachable(address));
        let public = self.public.as_str().unwrap_or(&here);
        Some(format!("{public}/login?code={code}"))
    }

    /// Answers until the shutdown, and returns when everything has finished or is dropped. The socket is removed.
    pub async fn run(self, shutdown: &Shutdown) -> Ended {
        let mut built = self.built;
        let metrics = Arc::new(Metrics::new());
        let proxies = Proxies(std::mem::take(&mut built.proxies));
        let connections = Connections::new(
            [CONNECTIONS - SPARE, SPARE],
            proxies.clone(),
            &metrics,
            shutdown,
        );
        let api = built.api(shutdown, &metrics);
        let shared = Arc::new(DaemonState {
            stops: Stops::in_memory(),
            hooks: built.hooks,
            program: built.program,
            api: api.clone(),
            lanes: Lanes::new(),
            metrics,
            proxies,
            asking: Shares::default(),
            shutdown: shutdown.clone(),
        });
        let console = api.clone().map(|api| Console {
            api,
            sessions: self.sessions,
            address: self.public.clone(),
        });
        let address = self.network.as_ref().map(TcpListener::local_addr);
        let is_public = matches!(address, Some(Ok(address)) if !address.ip().is_loopback());
        let (doors, socket_doors) = doors(&shared, console, self.public, is_public);
        let network = async {
            let Some(listener) = &self.network else {
                return;
            };
            loop {
                let room = connections.room().await;
                match listener.accept().await {
                    Ok((stream, peer)) => {
                        // An answer is one packet, and the client waits for it.
                        let _ = stream.set_nodelay(true);
                        connections.open(stream, doors.clone(), room, Some(peer.ip()));
                    }
                    Err(error) => connections::wait_after(&error).await,
                }
            }
        };
        let socket = async {
            let Some(socket) = &self.socket else { return };
            loop {
                let room = connections.room().await;
                match socket.listener.accept().await {
                    Ok((stream, _)) if socket::is_own(&stream) => {
                        connections.open(stream, socket_doors.clone(), room, None);
                    }
                    Ok(_) => tracing::warn!("refused another user on the socket"),
                    Err(error) => connections::wait_after(&error).await,
                }
            }
        };
        tokio::select! {
            () = shutdown.softly() => {}
            _ = async { tokio::join!(network, socket) } => {}
            () = report(api.as_deref()) => {}
        }
        shutdown.softly().await;
        // New programs do not find the socket, and do the work themselves.
        drop((self.socket, self.network));
        let is_finished = tokio::select! {
            biased;
            are_whole = connections.ended() => are_whole,
            () = shutdown.hardly() => false,
        };
        let is_written = match api {
            Some(api) => api.end().await,
            None => true,
        };
        if is_finished && is_written {
            return Ended::Whole;
        }
        Ended::Lossy
    }
}

/// The doors of the network, and those of the socket.
fn doors(
    shared: &Arc<DaemonState>,
    console: Option<Console>,
    public: Address,
    is_public: bool,
) -> (Router, Router) {
    let mut doors = Router::new()
        .route("/hooks/{system}", post(agent::post))
        .route("/healthz", get(health::healthz));
    let mut watched = Router::new()
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics));
    if let Some(api) = &shared.api {
        let routes = api::router().route("/ws", get(goclaw::get));
        doors = doors.merge(routes.with_state(Arc::clone(api)));
    }
    if let Some(console) = console {
        doors = doors.merge(console::router(console));
    }
    let socket_doors = doors.clone().merge(watched.clone());
    let socket_doors = socket_doors
        .route("/run", post(program::post))
        .layer(middleware::from_fn(body::in_time));
    watched = match &shared.api {
        Some(api) if is_public => {
            let known = middleware::from_fn_with_state(Arc::clone(api), health::of_known);
            watched.layer(known)
        }
        _ => watched.layer(middleware::from_fn(page::of_this_machine)),
    };
    let doors = doors.merge(watched);
    // With a store, a token says who asks.
    let doors = match &shared.api {
        None => doors.layer(middleware::from_fn(page::of_this_machine)),
        Some(_) => doors,
    };
    let around = middleware::from_fn_with_state(Arc::clone(shared), edge::around);
    let doors = doors
        .layer(middleware::from_fn_with_state(
            public,
            page::of_no_other_host,
        ))
        .layer(middleware::from_fn(body::in_time))
        .layer(around);
    let with_state = |doors: Router<Arc<DaemonState>>| doors.with_state(Arc::clone(shared));
    (with_state(doors), with_state(socket_doors))
}

/// How a daemon has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All that had begun was finished, and what hooks did is in the store.
    Whole,
    /// Requests were dropped that had not finished, or the store has not taken all that hooks did. The log says what.
    Lossy,
}

/// An address that a browser on this machine reaches: an unspecified one cannot be the address of a page.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

/// Reports to the store, if there is one.
async fn report(api: Option<&Api>) {
    match api {
        Some(api) => api.report().await,
        None => std::future::pending().await,
    }
}

/// The name of this process among the nodes of a store.
fn node() -> String {
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("{} {}", machine.trim(), std::process::id())
}
