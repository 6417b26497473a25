//! What is around the daemon: the proxies before it, who stops it, and who reads its log.

use std::net::IpAddr;
use std::time::Duration;

use clap::ValueEnum;
use ipnet::IpNet;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::prelude::*;

use crate::Failure;

/// The exit code of a daemon that has lost something at its end.
pub(super) const LOSSY: u8 = 3;

/// The form of a line of the log.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

/// What is around the daemon.
#[derive(Debug, clap::Args)]
pub(crate) struct Edge {
    /// After the first signal, go on for so many seconds while `/readyz` says 503, so that a proxy sends no more
    /// requests.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    drain: u64,
    /// Believe this proxy, an address or a network such as `10.0.0.0/8`, what `X-Forwarded-For` or `Forwarded` says of a client.
    #[arg(long, value_name = "ADDRESS", value_parser = network)]
    trusted_proxy: Vec<IpNet>,
    /// What to log: `error`, `warn`, `info`, or as in `warn,hooks_server=info`; by default `$RUST_LOG`, or `warn`.
    #[arg(long, value_name = "LEVEL")]
    log: Option<Targets>,
    /// The form of the log, which goes to standard error.
    #[arg(long, value_name = "FORM", default_value = "text")]
    log_format: LogFormat,
}

/// An address or a network.
fn network(text: &str) -> Result<IpNet, ipnet::AddrParseError> {
    let one = text.parse().map(|address: IpAddr| address.into());
    one.or_else(|_| text.parse())
}

impl Edge {
    pub(super) fn drain(&self) -> Duration {
        Duration::from_secs(self.drain)
    }

    pub(super) fn trusted_proxies(&self) -> Vec<IpNet> {
        self.trusted_proxy.clone()
    }

    /// Begins the log. Standard output is for what programs read.
    pub(super) fn log(&self) -> Result<(), Failure> {
        let wanted = match (&self.log, std::env::var("RUST_LOG")) {
            (Some(wanted), _) => wanted.clone(),
            (None, Ok(wanted)) => wanted
                .parse()
                .map_err(|error| Failure::usage(format!("`RUST_LOG` has a mistake: {error}")))?,
            (None, Err(_)) => Targets::new().with_default(LevelFilter::WARN),
        };
        let lines = fmt::layer().with_writer(std::io::stderr);
        // A later check of the records needs the heads.
        let wanted = wanted.with_target("hooks::heads", LevelFilter::INFO);
        let log = tracing_subscriber::registry().with(wanted);
        match self.log_format {
            LogFormat::Text => log.with(lines).init(),
            LogFormat::Json => log
                .with(lines.json().flatten_event(true).with_span_list(false))
                .init(),
        }
        Ok(())
    }
}
