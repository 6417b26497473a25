//! A client that calls one URL.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use super::Guard;
use super::error::GuardError;
use super::resolve::Judged;
use super::url::CheckedUrl;

/// A client for one URL that a [`Guard`] has let through, from [`Guard::endpoint`].
///
/// It looks the host up by the guard, once for each connection, and connects to what the guard has judged; it
/// follows no redirect (the answer is the redirect itself) and uses no proxy. A request that the guard refuses
/// fails with a [`Refused`](super::Refused) [behind](super::Refused::behind) its error.
///
/// A request is one of [`reqwest`](super::reqwest), and whoever takes it apart has the client behind it. To names that
/// client calls by the guard, but to an address in a URL it connects as it is told: leave it where it is, and ask
/// the guard for an endpoint for each URL.
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
            // Some other crate may switch decompression on for all; a few bytes could then become gigabytes.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .dns_resolver(Judged(guard.clone()))
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
        Ok(Endpoint { client, url })
    }

    /// The URL.
    #[must_use]
    pub fn url(&self) -> &CheckedUrl {
        &self.url
    }

    /// A request to the URL.
    pub fn request(&self, method: Method) -> RequestBuilder {
        self.client.request(method, self.url.as_url().clone())
    }

    /// A POST to the URL.
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

/// TLS with the system's root certificates, and with a cryptography of its own: what the program has
/// installed for all is neither needed nor touched.
fn tls(url: &CheckedUrl) -> Result<ClientConfig, GuardError> {
    let failed = |error: rustls::Error| GuardError::Failed {
        what: "TLS cannot be set up (are the system's root certificates installed?)",
        source: error.into(),
    };
    let config =
        ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(failed)?;
    // Plain HTTP needs no certificates, and reading them takes a while.
    let config = if url.is_https() {
        config.with_platform_verifier().map_err(failed)?
    } else {
        config.with_root_certificates(RootCertStore::empty())
    };
    Ok(config.with_no_client_auth())
}
