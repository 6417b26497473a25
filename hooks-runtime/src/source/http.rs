//! Bundles from a web server, or from a file behind one.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hooks_builtin::ssrf::{Endpoint, Guard};
use reqwest::header::{AUTHORIZATION, ETAG, HeaderValue, IF_NONE_MATCH};
use reqwest::{Method, Response, StatusCode, Url};
use ring::rand::{SecureRandom as _, SystemRandom};
use tokio::time::{Instant, sleep};

use super::{Source, SourceError};
use crate::bundle::{Bundle, BundleError, PublicKey};
use crate::request::{LONGEST, header_value};

/// The longest bundle, in bytes.
const MOST: usize = 16 << 20;
/// How long a server may wait with its answer, in seconds, until there is another bundle.
const WAIT: u64 = 30;
/// The first pause after a failure. It doubles up to [`PAUSE`].
const FIRST: Duration = Duration::from_secs(1);
/// The pause between two questions to a server that does not wait with its answer.
const PAUSE: Duration = Duration::from_secs(30);

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
    url: String,
    token: Option<HeaderValue>,
    keys: Vec<PublicKey>,
    endpoint: OnceLock<Endpoint>,
    state: Mutex<State>,
}

/// What is known of the server.
#[derive(Debug, Default)]
struct State {
    /// The `ETag` of the last answer, and the hash of its bundle.
    tag: Option<(HeaderValue, String)>,
    /// A bundle that a long question has brought.
    news: Option<Bundle>,
    failures: u32,
}

impl HttpBundle {
    /// A bundle at this URL. The host may be an internal one, because your program names it.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        HttpBundle {
            url: url.into(),
            token: None,
            keys: Vec::new(),
            endpoint: OnceLock::new(),
            state: Mutex::default(),
        }
    }

    /// Sends this token with each request, as `Authorization: Bearer`. A token that a header cannot hold is not sent.
    #[must_use]
    pub fn token(mut self, token: &str) -> Self {
        self.token = header_value(&format!("Bearer {token}")).ok();
        self
    }

    /// Takes only bundles that this key has signed. If you name several, one is enough.
    #[must_use]
    pub fn verify(mut self, key: PublicKey) -> Self {
        self.keys.push(key);
        self
    }

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

    /// Asks the server. `None` if it has no other bundle than the one with this hash.
    async fn ask(&self, seen: Option<&str>, wait: u64) -> Result<Option<Bundle>, SourceError> {
        let mut request = self.endpoint()?.request(Method::GET);
        request = request.timeout(Duration::from_secs(wait + 30));
        if wait > 0 {
            request = request.query(&[("wait", wait)]);
        }
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, token);
        }
        let tag = self.locked().tag.clone();
        if let Some((tag, _)) = tag.filter(|(_, hash)| Some(&**hash) == seen) {
            request = request.header(IF_NONE_MATCH, tag);
        }
        let unreachable = |error: reqwest::Error| {
            SourceError::Unreachable(format!("it cannot be reached: {}", error.without_url()))
        };
        let answer = request.send().await.map_err(unreachable)?;
        match answer.status() {
            StatusCode::NOT_MODIFIED => return Ok(None),
            StatusCode::OK => {}
            status => {
                return Err(SourceError::Unreachable(format!(
                    "it answers with the status {status}"
                )));
            }
        }
        let tag = answer.headers().get(ETAG).cloned();
        let text = read(answer).await?;
        let bundle = Bundle::read(&text)?;
        self.check(&bundle)?;
        let hash = bundle.sha256();
        self.locked().tag = tag.map(|tag| (tag, hash.clone()));
        Ok((Some(&*hash) != seen).then_some(bundle))
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn read(mut answer: Response) -> Result<String, SourceError> {
    let mut body = Vec::new();
    let unreachable = |error: reqwest::Error| {
        SourceError::Unreachable(format!("its answer ends early: {}", error.without_url()))
    };
    while let Some(piece) = answer.chunk().await.map_err(unreachable)? {
        if body.len() + piece.len() > MOST {
            let what = format!("the bundle is longer than {} MiB", MOST >> 20);
            return Err(SourceError::Unreachable(what));
        }
        body.extend_from_slice(&piece);
    }
    let malformed = |_| BundleError::Malformed("it is not UTF-8".to_owned());
    Ok(String::from_utf8(body).map_err(malformed)?)
}

#[async_trait]
impl Source for HttpBundle {
    /// The URL, without its query, which may hold a secret.
    fn name(&self) -> String {
        self.url
            .split(['?', '#'])
            .next()
            .unwrap_or_default()
            .to_owned()
    }

    async fn fetch(&self, seen: Option<&str>) -> Result<Option<Bundle>, SourceError> {
        let news = self.locked().news.take();
        match news {
            Some(bundle) if seen != Some(&*bundle.sha256()) => Ok(Some(bundle)),
            _ => self.ask(seen, 0).await,
        }
    }

    fn check(&self, kept: &Bundle) -> Result<(), BundleError> {
        if self.keys.is_empty() {
            return Ok(());
        }
        kept.verify(&self.keys)
    }

    async fn changed(&self) {
        loop {
            let seen = self.locked().tag.as_ref().map(|(_, hash)| hash.clone());
            let asked = Instant::now();
            let answer = self.ask(seen.as_deref(), WAIT).await;
            let failures = self.locked().failures;
            let pause = match answer {
                Ok(Some(bundle)) => {
                    let mut state = self.locked();
                    state.news = Some(bundle);
                    state.failures = 0;
                    return;
                }
                Ok(None) => {
                    self.locked().failures = 0;
                    // A server that waits has done so already.
                    PAUSE.saturating_sub(asked.elapsed())
                }
                Err(error) => {
                    tracing::warn!(source = self.name(), %error, "cannot fetch the hooks");
                    self.locked().failures = failures.saturating_add(1);
                    FIRST.saturating_mul(1 << failures.min(5)).min(PAUSE)
                }
            };
            sleep(jittered(pause)).await;
        }
    }
}

/// A time between half and the whole of another, so that agents that start together do not ask together.
fn jittered(time: Duration) -> Duration {
    let mut byte = [0];
    // Without randomness, all wait the whole time.
    let filled = SystemRandom::new().fill(&mut byte);
    let part = filled.map_or(1.0, |()| 0.5 + f64::from(byte[0]) / 512.0);
    time.mul_f64(part)
}
