//! `hooks serve` without `--stdio` is the daemon: one process that judges the events of all agents of this user.

mod allowed;
mod config;
mod demo;
mod edge;
mod heads;
mod kept;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use hooks_runtime::bridge::LeftToAgent;
use hooks_runtime::{EnvironmentEvaluator, Runtime, RuntimeBuilder};
use hooks_server::{Ended, Server, ServerError, Shutdown};
use hooks_store::{Capabilities, Store, StoreBuilder};
use serde_json::json;
use url::Url;

use self::allowed::Allowed;
pub(crate) use self::config::parse;
use self::edge::{Edge, LOSSY};
use self::heads::HeadWriter;
use self::kept::RetentionArgs;
use crate::commands::bundle::key_of;
use crate::commands::run::{Warm, socket_path};
use crate::commands::verify;
use crate::file::{self, FormatArgs};
use crate::paint::say;
use crate::{Done, Failure};

/// Where the daemon is reached, and what it works with.
#[derive(Debug, clap::Args)]
pub(crate) struct DaemonArgs {
    /// Listen on this Unix socket, for `hooks run`; by default `$HOOKS_SOCKET`, or hooks.sock in `$XDG_RUNTIME_DIR`.
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// Listen on this address of this machine, for agents that ask over HTTP: `POST /hooks/claude`.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// Judge by the hooks of this store, and serve the API on it: `sqlite:hooks.db`, which is made if it is missing, or
    /// `postgres://…`. Each caller needs a token of `hooks token new`.
    #[arg(long, value_name = "URL", conflicts_with_all = ["file", "records"])]
    store: Option<String>,
    /// Sign the bundles that agents fetch from the store with this key, which `hooks bundle key new` makes.
    #[arg(long, value_name = "FILE", requires = "store")]
    key: Option<PathBuf>,
    /// Append to this file the newest row of each chain of the store, each minute in which one has changed: `hooks verify
    /// --expect` reads it. The log has the same lines.
    #[arg(long, value_name = "FILE", requires = "store")]
    heads: Option<PathBuf>,
    #[command(flatten)]
    allowed: Allowed,
    #[command(flatten)]
    kept: RetentionArgs,
    /// Read options from this file, with their names: `listen = "127.0.0.1:8787"`. Each may also be a variable, such as
    /// `HOOKS_STORE`, which comes before the file and after the command line.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print no link that opens the console as an owner: who reads the log would be one.
    #[arg(long, requires = "store")]
    no_login_link: bool,
    /// The tenant whose console the link opens; by default the global one, whose hooks all tenants have.
    #[arg(long, requires = "store", default_value = "")]
    tenant: String,
    /// The address under which browsers find the console, if a proxy is before the daemon: `https://hooks.example.com`.
    #[arg(long, value_name = "URL")]
    public_url: Option<Url>,
    #[command(flatten)]
    edge: Edge,
    /// Show what it is like, with a store that is thrown away and an agent that calls tools.
    #[arg(long, conflicts_with_all = ["store", "file", "records"])]
    demo: bool,
}

pub(crate) fn run(
    named: Option<PathBuf>,
    format: FormatArgs,
    records: Option<PathBuf>,
    args: DaemonArgs,
    as_json: bool,
) -> Done {
    args.edge.log()?;
    let executor = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(Failure::found)?;
    executor.block_on(serve(named, format, records, args, as_json))
}

async fn serve(
    named: Option<PathBuf>,
    format: FormatArgs,
    records: Option<PathBuf>,
    args: DaemonArgs,
    as_json: bool,
) -> Done {
    let hooks = hooks(
        named,
        format,
        records,
        args.listen.is_some() && args.store.is_none() && !args.demo,
    )
    .await?;
    let warm = Warm::default();
    let mut builder = Server::builder().program(warm.clone());
    if let Some(hooks) = &hooks {
        builder = builder.hooks(hooks.clone());
    }
    let demo = if args.demo {
        Some(demo::Demo::new().await?)
    } else {
        None
    };
    let store = match (&args.store, &demo) {
        (Some(url), _) => {
            let capabilities = args.allowed.capabilities(format.edition)?;
            let store = open(args.kept.complete(Store::builder(url)), capabilities).await?;
            if store.is_new() {
                tracing::warn!("there was no store at this address: a new one is made");
            }
            Some(store)
        }
        (None, demo) => demo.as_ref().map(|demo| demo.store.clone()),
    };
    if let Some(store) = &store {
        builder = builder.store(store.clone()).runtime(complete);
    }
    if let Some(file) = &args.key {
        builder = builder.key(key_of(file)?);
    }
    // A visitor of the demo wants to see the console, and the owner of a store wants to reach it.
    let anywhere = SocketAddr::from(([127, 0, 0, 1], 8787));
    let default = store.is_some().then_some(anywhere);
    if let Some(path) = args.socket.or_else(socket_path).filter(|_| !args.demo) {
        builder = builder.socket(std::path::absolute(path).map_err(Failure::usage)?);
    }
    if let Some(address) = args.listen.or(default) {
        builder = builder.listen(address);
    }
    if let Some(url) = args.public_url {
        builder = builder.public_url(url);
    }
    let builder = builder.trusted_proxies(args.edge.trusted_proxies());
    let server = builder.bind().await.map_err(|error| match error {
        ServerError::NoDoor => Failure::usage(
            "no agent could reach the daemon: name a socket with `--socket FILE`, or an address with `--listen 127.0.0.1:8787`",
        ),
        other => Failure::found(other),
    })?;
    let shutdown = Shutdown::on_signals(args.edge.drain()).map_err(Failure::found)?;
    let tenant = if demo.is_some() {
        demo::TENANT
    } else {
        &args.tenant
    };
    let login = (!args.no_login_link)
        .then(|| server.login(tenant))
        .flatten();
    say(&server, login, as_json);
    if let (Some(demo), Some(address)) = (&demo, server.address()) {
        if !as_json {
            demo.say(address);
        }
        demo.start().await?;
    }
    let told = store.clone().filter(|_| demo.is_none());
    let mut teller = HeadWriter::new(told, args.heads).map_err(Failure::found)?;
    let ended = tokio::select! {
        ended = server.run(&shutdown) => ended,
        never = reload(hooks.clone()) => match never {},
        never = teller.run() => match never {},
    };
    warm.shutdown().await;
    if let Some(hooks) = hooks {
        hooks.shutdown().await;
    }
    teller.end().await;
    if let Some(store) = store {
        store.close().await;
    }
    Ok(match ended {
        Ended::Whole => ExitCode::SUCCESS,
        Ended::Lossy => ExitCode::from(LOSSY),
    })
}

/// Opens a store, whose hooks are checked as the daemon runs them.
async fn open(store: StoreBuilder, capabilities: Capabilities) -> Result<Store, Failure> {
    let store = store.capabilities(capabilities).runtime(complete);
    store.open().await.map_err(verify::failure)
}

/// What the runtimes of a store have besides its hooks: the key of a model comes from the environment.
fn complete(builder: RuntimeBuilder) -> RuntimeBuilder {
    builder.evaluator(EnvironmentEvaluator::new())
}

/// The hooks of the file, which is followed. They are not needed if agents do not ask over HTTP: each call of `hooks
/// run` names its own file.
async fn hooks(
    named: Option<PathBuf>,
    format: FormatArgs,
    records: Option<PathBuf>,
    is_needed: bool,
) -> Result<Option<Runtime>, Failure> {
    if named.is_none() && !is_needed {
        return Ok(None);
    }
    let found = file::find(named)?;
    let mut warnings = Vec::new();
    let builder = file::builder(&found, format);
    let builder = file::recorded(builder, records.as_deref(), &mut warnings).approver(LeftToAgent);
    file::warn_all(&warnings);
    let hooks = builder.build().await.map_err(Failure::found)?;
    file::print_notices(&hooks);
    hooks.watch().map_err(Failure::found)?;
    Ok(Some(hooks))
}

/// Says where the daemon is reached, when it is.
fn say(server: &Server, login: Option<String>, as_json: bool) {
    let (address, socket) = (server.address(), server.socket());
    if as_json {
        say!(
            "{}",
            json!({ "listen": address, "login": login, "socket": socket })
        );
        return;
    }
    if let Some(socket) = socket {
        say!("listening on {} for `hooks run`", socket.display());
    }
    if let Some(address) = address {
        say!("listening on {address} for agents: POST /hooks/claude, /hooks/codex, …");
    }
    if let Some(login) = login {
        say!("the console, by a link that works once: {login}");
    }
}

/// Loads the file again at each SIGHUP.
async fn reload(hooks: Option<Runtime>) -> std::convert::Infallible {
    use tokio::signal::unix::{SignalKind, signal};

    if let Ok(mut hangups) = signal(SignalKind::hangup()) {
        while hangups.recv().await.is_some() {
            if let Some(hooks) = &hooks
                && let Err(error) = hooks.reload().await
            {
                file::warn(&format!("the last good hooks stay in force: {error}"));
            }
        }
    }
    std::future::pending().await
}
