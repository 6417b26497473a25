//! Resolves names, and judges every answer.

use std::net::{IpAddr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::error::GuardError;
use super::{Guard, name};

/// The system's resolver.
pub(super) struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(Box::new(found.collect::<Vec<_>>().into_iter()) as Addrs)
        })
    }
}

impl Guard {
    /// Returns all addresses of a name, all of them allowed.
    pub(super) async fn look_up(&self, host: &str) -> Result<Vec<IpAddr>, GuardError> {
        if !self.is_internal(host) && !self.is_loopback_host(host) {
            name::require_public(host)?;
        }
        let failed = |source| GuardError::Failed {
            what: "the host cannot be looked up",
            source,
        };
        let asked = host.parse::<Name>().map_err(|error| failed(error.into()))?;
        let found: Vec<IpAddr> = self
            .resolver
            .resolve(asked)
            .await
            .map_err(failed)?
            .map(|address| address.ip())
            .collect();
        if found.is_empty() {
            return Err(failed("the name has no address".into()));
        }
        // One address that is not allowed refuses all of them, because the client may connect to any of them.
        for address in &found {
            self.judge(host, *address)?;
        }
        Ok(found)
    }
}

/// The resolver of an endpoint's client. The client connects to the addresses that this returns.
pub(super) struct GuardedResolver(pub(super) Guard);

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.0.clone();
        Box::pin(async move {
            let host = name.as_str();
            let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
            match guard.look_up(&host).await {
                // With port 0, the client uses the port of the URL.
                Ok(found) => Ok(Box::new(
                    found.into_iter().map(|address| SocketAddr::new(address, 0)),
                ) as Addrs),
                Err(GuardError::Refused(refused)) => Err(refused.into()),
                Err(error) => Err(error.into()),
            }
        })
    }
}
