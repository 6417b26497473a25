//! The guard: which URLs may be called, and which addresses a name may lead to.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hooks_sandbox::address::is_loopback;
use reqwest::dns::Resolve;

use super::resolve::SystemResolver;
use super::{CheckedUrl, Endpoint, GuardError, LoopbackHost, Refused, special_purpose, url};

/// Decides what may be called: [public hosts](super) by HTTPS, and loopback hosts that are allowed by name.
///
/// A clone is cheap.
///
/// ```
/// use hooks_builtin::ssrf::Guard;
///
/// let refused = Guard::new().check("https://169.254.169.254/latest/meta-data/").unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "`169.254.169.254` is link-local (169.254.0.0/16), where clouds serve their metadata; \
///      only public addresses may be called",
/// );
/// ```
#[derive(Clone)]
pub struct Guard {
    loopback: Arc<[LoopbackHost]>,
    /// Hosts that may be anywhere.
    internal: Arc<[String]>,
    pub(super) resolver: Arc<dyn Resolve>,
}

impl Default for Guard {
    fn default() -> Self {
        Guard::new()
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard")
            .field("loopback", &self.loopback)
            .finish_non_exhaustive()
    }
}

impl Guard {
    /// Creates a guard that allows public hosts only.
    #[must_use]
    pub fn new() -> Self {
        Guard {
            loopback: Arc::new([]),
            internal: Arc::new([]),
            resolver: Arc::new(SystemResolver),
        }
    }

    /// Also allows these hosts on loopback, by HTTP as well as HTTPS.
    ///
    /// A host is allowed under the name that you give: `localhost` does not include `127.0.0.1`. A name must lead to
    /// loopback addresses only, otherwise it is refused.
    #[must_use]
    pub fn allow_loopback(mut self, hosts: impl IntoIterator<Item = LoopbackHost>) -> Self {
        self.loopback = self.loopback.iter().cloned().chain(hosts).collect();
        self
    }

    /// Also allows this host, wherever it leads, by HTTP as well as HTTPS: for a server of your own, whose URL you have
    /// written into the program. Never take the host from a file or a message.
    ///
    /// ```
    /// use hooks_builtin::ssrf::Guard;
    ///
    /// let guard = Guard::new().allow_internal("hooks.internal");
    /// assert!(guard.check("http://hooks.internal:8787/bundle").is_ok());
    /// assert!(guard.check("http://other.internal/").is_err());
    /// ```
    #[must_use]
    pub fn allow_internal(mut self, host: &str) -> Self {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        self.internal = self.internal.iter().cloned().chain([host]).collect();
        self
    }

    /// Resolves names with `resolver` instead of the system's. The guard judges its answers like any other.
    #[must_use]
    pub fn with_resolver(mut self, resolver: impl Resolve + 'static) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    /// Checks a URL by its text. The addresses of a name are checked later, when it is resolved.
    ///
    /// # Errors
    ///
    /// If the URL is refused. The error names the host and the rule, and never the rest of the URL, which may contain a
    /// secret.
    pub fn check(&self, url: &str) -> Result<CheckedUrl, Refused> {
        let url = url::parse(url)?;
        if !self.is_internal(url.host()) && !self.is_loopback_host(url.host()) {
            url::require_https(&url)?;
            url::require_public(&url)?;
        }
        Ok(url)
    }

    /// Resolves the addresses of a URL's host, and checks all of them. Use it if you open a connection yourself.
    ///
    /// The addresses are valid for connections that you open now. Resolve again for the next one.
    ///
    /// # Errors
    ///
    /// If the URL was checked by another guard and is refused by this one, if an address is refused, or if the name
    /// cannot be resolved.
    pub async fn addresses(&self, url: &CheckedUrl) -> Result<Vec<SocketAddr>, GuardError> {
        let url = self.check(url.as_str())?;
        let port = url.port();
        let addresses = match url.address() {
            Some(address) => vec![address],
            None => self.look_up(url.host()).await?,
        };
        Ok(addresses
            .into_iter()
            .map(|address| SocketAddr::new(address, port))
            .collect())
    }

    /// Creates a client for this one URL. `timeout` limits one request, from the look-up to the end of the answer.
    ///
    /// # Errors
    ///
    /// If the URL is refused, or TLS cannot be set up, for example because there are no root certificates.
    pub fn endpoint(&self, url: &str, timeout: Duration) -> Result<Endpoint, GuardError> {
        Endpoint::new(self, self.check(url)?, timeout)
    }

    pub(super) fn is_internal(&self, host: &str) -> bool {
        self.internal.iter().any(|allowed| allowed == host)
    }

    pub(super) fn is_loopback_host(&self, host: &str) -> bool {
        self.loopback.iter().any(|allowed| allowed.is(host))
    }

    /// Judges the address of a host. It must be on loopback if the host is allowed there, otherwise public.
    pub(super) fn judge(&self, host: &str, address: IpAddr) -> Result<(), Refused> {
        if self.is_internal(host) {
            return Ok(());
        }
        if self.is_loopback_host(host) {
            if is_loopback(address) {
                return Ok(());
            }
            return Err(Refused::new(format!(
                "`{host}` is allowed on loopback, but leads to another machine"
            )));
        }
        // The author of a hook reads this, and may not learn what names mean in the network of the daemon.
        match special_purpose(address) {
            None => Ok(()),
            Some(_) => Err(Refused::new(format!(
                "`{host}` leads to an address that is not public; only public addresses may be called"
            ))),
        }
    }
}
