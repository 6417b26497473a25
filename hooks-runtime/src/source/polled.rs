//! What is asked again and again for a bundle: whether another one is there, whose it is, and when to ask next.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use ring::rand::{SecureRandom as _, SystemRandom};
use tokio::time::{Instant, sleep};

use super::SourceError;
use crate::bundle::{Bundle, BundleError, PublicKey};

/// The longest bundle, in bytes.
const MOST: usize = 16 << 20;
/// How long a server may wait with its answer, in seconds, until there is another bundle.
const WAIT: u64 = 30;
/// The first pause after a failure. It doubles up to [`PAUSE`].
const FIRST: Duration = Duration::from_secs(1);
/// The pause between two questions to a server that does not wait with its answer.
const PAUSE: Duration = Duration::from_secs(30);

/// The text of a bundle, and its `ETag`.
pub(super) struct BundleText {
    pub(super) text: String,
    pub(super) tag: Option<String>,
}

/// The place where a bundle is kept.
#[async_trait]
pub(super) trait BundlePlace: Sync {
    /// Returns the bundle, or `None` if it is the one with this `ETag`. The answer may take this many seconds, if the place
    /// can wait until there is another bundle.
    async fn get(&self, tag: Option<&str>, wait: u64) -> Result<Option<BundleText>, SourceError>;
}

/// What is known of a place, and who may sign its bundles.
#[derive(Debug, Default)]
pub(super) struct Polled {
    keys: Vec<PublicKey>,
    state: Mutex<PollState>,
}

#[derive(Debug, Default)]
struct PollState {
    /// The `ETag` of the last answer, and the hash of its bundle.
    tag: Option<(String, String)>,
    /// A bundle that a long question has brought.
    news: Option<Bundle>,
    failures: u32,
}

impl Polled {
    /// Takes only bundles that one of the keys has signed.
    pub(super) fn verify(&mut self, key: PublicKey) {
        self.keys.push(key);
    }

    pub(super) fn check(&self, bundle: &Bundle) -> Result<(), BundleError> {
        if self.keys.is_empty() {
            return Ok(());
        }
        bundle.verify(&self.keys)
    }

    pub(super) async fn fetch(
        &self,
        place: &dyn BundlePlace,
        seen: Option<&str>,
    ) -> Result<Option<Bundle>, SourceError> {
        let news = self.locked().news.take();
        match news {
            Some(bundle) if seen != Some(&*bundle.sha256()) => Ok(Some(bundle)),
            _ => self.ask(place, seen, 0).await,
        }
    }

    /// Asks until there is another bundle, which the next [`fetch`](Self::fetch) returns.
    pub(super) async fn changed(&self, place: &dyn BundlePlace, name: &str) {
        loop {
            let seen = self.locked().tag.as_ref().map(|(_, hash)| hash.clone());
            let asked = Instant::now();
            let answer = self.ask(place, seen.as_deref(), WAIT).await;
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
                    tracing::warn!(source = name, %error, "cannot fetch the hooks");
                    self.locked().failures = failures.saturating_add(1);
                    FIRST.saturating_mul(1 << failures.min(5)).min(PAUSE)
                }
            };
            sleep(jittered(pause)).await;
        }
    }

    /// Asks the place. `None` if it has no other bundle than the one with this hash.
    async fn ask(
        &self,
        place: &dyn BundlePlace,
        seen: Option<&str>,
        wait: u64,
    ) -> Result<Option<Bundle>, SourceError> {
        let known = self.locked().tag.clone();
        let known = known.filter(|(_, hash)| Some(&**hash) == seen);
        let tag = known.as_ref().map(|(tag, _)| &**tag);
        let Some(BundleText { text, tag }) = place.get(tag, wait).await? else {
            return Ok(None);
        };
        let bundle = Bundle::read(&text)?;
        self.check(&bundle)?;
        let hash = bundle.sha256();
        self.locked().tag = tag.map(|tag| (tag, hash.clone()));
        Ok((Some(&*hash) != seen).then_some(bundle))
    }

    fn locked(&self) -> MutexGuard<'_, PollState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Refuses a bundle of more bytes than one may have.
pub(super) fn check_length(bytes: usize) -> Result<(), SourceError> {
    if bytes > MOST {
        let what = format!("the bundle is longer than {} MiB", MOST >> 20);
        return Err(SourceError::Unreachable(what));
    }
    Ok(())
}

/// Returns bytes as the text of a bundle.
pub(super) fn text(bytes: Vec<u8>) -> Result<String, SourceError> {
    let malformed = |_| BundleError::Malformed("the bytes are not UTF-8".to_owned());
    Ok(String::from_utf8(bytes).map_err(malformed)?)
}

/// A time between half and the whole of another, so that agents that start together do not ask together.
fn jittered(time: Duration) -> Duration {
    let mut byte = [0];
    // Without randomness, all wait the whole time.
    let filled = SystemRandom::new().fill(&mut byte);
    let part = filled.map_or(1.0, |()| 0.5 + f64::from(byte[0]) / 512.0);
    time.mul_f64(part)
}
