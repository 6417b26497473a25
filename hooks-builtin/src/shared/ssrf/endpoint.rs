//! A client that calls one URL.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use super::Guard;
use super::error::GuardError;
use super::resolve::GuardedResolver;
use super::url::CheckedUrl;

/// A client for one URL that a [`Guard`] has let through, from [`Guard::endpoint`].
///
/// It resolves the host through the guard, once for each connection, and connects only to addresses that the guard has
/// allowed. It follows no redirect (you get the redirect as the answer) and uses no proxy. If the guard refuses a
/// request, the request's error has a [`Refused`](super::Refused) [behind](super::Refused::behind) it.
///
/// A request is one of [`reqwest`](super::reqwest), so you can get the client out of it. That client resolves names
/// through the guard, but it connects to any address that is written in a URL. So do not reuse it: ask the guard for an
/// endpoint for each URL.
///
/// ```no_run
/// use std::time::Duration;
/// use hooks_builtin::ssrf::Guard;
///
/// # async fn call() -> Result<(), Box<dyn std::error::Error>> {
/// let endpoint = Guard::new().endpoint("https://audit.example.com/hook", Duration::from_secs(10))?;
/// let answer = endpoint.post().body("{}").send().await?;
/// println!("{}", answer.status());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Endpoint {
    client: Client,
    url: CheckedUrl,
    /// Whether a connection may have been kept.
    pub(in crate::shared) has_answered: Arc<AtomicBool>,
}

impl Endpoint {
    pub(super) fn new(
        guard: &Guard,
        url: CheckedUrl,
        timeout: Duration,
    ) -> Result<Self, GuardError> {
        let client = Client::builder()
            .tls_backend_preconfigured(tls(&url)?)
            .http1_only()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .referer(false)
            // Another crate may enable decompression for the whole program; then a few bytes could become gigabytes.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .dns_resolver(GuardedResolver(guard.clone()))
            .timeout(timeout)
            .user_agent(concat!(
                env!("CARGO_PKG_NAME"),
                "/",
                env!("CARGO_PKG_VERSION")
            ))
            .build()
            .map_err(|error| GuardError::Failed {
                what: "the HTTP client cannot be made",
                source: error.without_url().into(),
            })?;
        Ok(Endpoint {
            client,
            url,
            has_answered: Arc::default(),
        })
    }

    /// Returns the URL.
    #[must_use]
    pub fn url(&self) -> &CheckedUrl {
        &self.url
    }

    /// Creates a request to the URL.
    pub fn request(&self, method: Method) -> RequestBuilder {
        self.client.request(method, self.url.as_url().clone())
    }

    /// Creates a POST request to the URL.
    pub fn post(&self) -> RequestBuilder {
        self.request(Method::POST)
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// TLS with the system's root certificates and its own cryptography provider. It neither needs nor changes the provider
/// that the program has installed globally.
fn tls(url: &CheckedUrl) -> Result<ClientConfig, GuardError> {
    let failed = |error: rustls::Error| GuardError::Failed {
        what: "TLS cannot be set up (are the system's root certificates installed?)",
        source: error.into(),
    };
    let config =
        ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(failed)?;
    // Plain HTTP needs no certificates, and reading them is slow.
    let config = if url.is_https() {
        config.with_platform_verifier().map_err(failed)?
    } else {
        config.with_root_certificates(RootCertStore::empty())
    };
    Ok(config.with_no_client_auth())
}
