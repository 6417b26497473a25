//! Bundles from a web server, or from a file behind one.

use std::sync::OnceLock;
use std::time::Duration;

use async_trait::async_trait;
use hooks_builtin::ssrf::{Endpoint, Guard};
use reqwest::header::{AUTHORIZATION, ETAG, HeaderValue, IF_NONE_MATCH};
use reqwest::{Method, Response, StatusCode, Url};

use super::polled::{self, BundlePlace, BundleText, Polled};
use super::{Source, SourceError};
use crate::bundle::{Bundle, BundleError, PublicKey};
use crate::request::{LONGEST, header_value};

/// A bundle at a URL: of `hooks serve`, or a file behind any web server.
///
/// It asks with the `ETag` of the bundle that it has, and with `?wait=30`, so that a server may answer when there is
/// another one. A server that answers at once is asked about twice a minute. After failures the pauses grow, and no two
/// agents ask at the same time.
///
/// ```no_run
/// use hooks_runtime::{HttpBundle, Runtime};
///
/// # async fn start() -> Result<(), Box<dyn std::error::Error>> {
/// let key = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=".parse()?;
/// let runtime = Runtime::builder()
///     .source(HttpBundle::new("https://hooks.example.com/api/v1/bundle").verify(key))
///     .cache("/var/lib/agent/bundle.json")
///     .build()
///     .await?;
/// runtime.watch()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct HttpBundle {
    address: Address,
    polled: Polled,
}

#[derive(Debug)]
struct Address {
    url: String,
    token: Option<HeaderValue>,
    endpoint: OnceLock<Endpoint>,
}

impl HttpBundle {
    /// A bundle at this URL. The host may be an internal one, because your program names it.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        HttpBundle {
            address: Address {
                url: url.into(),
                token: None,
                endpoint: OnceLock::new(),
            },
            polled: Polled::default(),
        }
    }

    /// Sends this token with each request, as `Authorization: Bearer`. A token that a header cannot hold is not sent.
    #[must_use]
    pub fn token(mut self, token: &str) -> Self {
        self.address.token = header_value(&format!("Bearer {token}")).ok();
        self
    }

    /// Takes only bundles that this key has signed. If you name several, one is enough.
    #[must_use]
    pub fn verify(mut self, key: PublicKey) -> Self {
        self.polled.verify(key);
        self
    }
}

impl Address {
    fn endpoint(&self) -> Result<&Endpoint, SourceError> {
        if let Some(endpoint) = self.endpoint.get() {
            return Ok(endpoint);
        }
        let unreachable =
            |error: &dyn std::fmt::Display| SourceError::Unreachable(error.to_string());
        // The guard says what is wrong with a URL that has no host.
        let url = Url::parse(&self.url).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let guard = Guard::new().allow_internal(host);
        let made = guard.endpoint(&self.url, LONGEST);
        let made = made.map_err(|error| unreachable(&error))?;
        Ok(self.endpoint.get_or_init(|| made))
    }
}

#[async_trait]
impl BundlePlace for Address {
    async fn get(&self, tag: Option<&str>, wait: u64) -> Result<Option<BundleText>, SourceError> {
        let mut request = self.endpoint()?.request(Method::GET);
        request = request.timeout(Duration::from_secs(wait + 30));
        if wait > 0 {
            request = request.query(&[("wait", wait)]);
        }
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, token);
        }
        if let Some(tag) = tag {
            request = request.header(IF_NONE_MATCH, tag);
        }
        let unreachable = |error: reqwest::Error| {
            SourceError::Unreachable(format!(
                "the source cannot be reached: {}",
                error.without_url()
            ))
        };
        let answer = request.send().await.map_err(unreachable)?;
        match answer.status() {
            StatusCode::NOT_MODIFIED => return Ok(None),
            StatusCode::OK => {}
            status => {
                return Err(SourceError::Unreachable(format!(
                    "the source answers with the status {status}"
                )));
            }
        }
        let tag = answer.headers().get(ETAG);
        let tag = tag.and_then(|tag| Some(tag.to_str().ok()?.to_owned()));
        let text = read(answer).await?;
        Ok(Some(BundleText { text, tag }))
    }
}

async fn read(mut answer: Response) -> Result<String, SourceError> {
    let mut body = Vec::new();
    let unreachable = |error: reqwest::Error| {
        SourceError::Unreachable(format!(
            "the answer of the source ends early: {}",
            error.without_url()
        ))
    };
    while let Some(piece) = answer.chunk().await.map_err(unreachable)? {
        polled::check_length(body.len() + piece.len())?;
        body.extend_from_slice(&piece);
    }
    polled::text(body)
}

#[async_trait]
impl Source for HttpBundle {
    /// The URL, without its query, which may hold a secret.
    fn name(&self) -> String {
        let url = &self.address.url;
        url.split(['?', '#']).next().unwrap_or_default().to_owned()
    }

    async fn fetch(&self, seen: Option<&str>) -> Result<Option<Bundle>, SourceError> {
        self.polled.fetch(&self.address, seen).await
    }

    fn check(&self, kept: &Bundle) -> Result<(), BundleError> {
        self.polled.check(kept)
    }

    async fn changed(&self) {
        self.polled.changed(&self.address, &self.name()).await;
    }
}
