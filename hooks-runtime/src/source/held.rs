//! A source of a runtime, the bundle that is in force, and the file that keeps it.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use hooks_config::ConfigError;

use super::{Source, SourceError};
use crate::bundle::Bundle;
use crate::trust::write_private;

/// A source, and what has come from it.
pub(crate) struct SourceState {
    source: Box<dyn Source>,
    cache: Option<PathBuf>,
    bundle: Mutex<Option<Arc<Bundle>>>,
    /// Why the last attempt to fetch another one failed.
    refused: Mutex<Option<String>>,
}

impl fmt::Debug for SourceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Held").field(&self.source.name()).finish()
    }
}

impl SourceState {
    pub(crate) fn new(source: Box<dyn Source>) -> Self {
        SourceState {
            source,
            cache: None,
            bundle: Mutex::default(),
            refused: Mutex::default(),
        }
    }

    /// Keeps the last good bundle in this file.
    pub(crate) fn keep_in(&mut self, cache: PathBuf) {
        self.cache = Some(cache);
    }

    pub(crate) fn name(&self) -> String {
        self.source.name()
    }

    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.source.files()
    }

    pub(crate) fn refused(&self) -> Option<String> {
        let refused = self.refused.lock();
        refused.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps why there is no other bundle, for the status.
    pub(crate) fn refuse(&self, why: Option<String>) {
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    pub(crate) fn bundle(&self) -> Option<Arc<Bundle>> {
        let bundle = self.bundle.lock();
        bundle.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts another bundle in the place of the one that is held, and returns that one.
    pub(crate) fn put(&self, bundle: Option<Arc<Bundle>>) -> Option<Arc<Bundle>> {
        let mut held = self.bundle.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut held, bundle)
    }

    /// Returns the bundle to load: a new one, or the last good one, which is on disk when the program starts. If the
    /// source cannot be reached, there is a notice about it.
    pub(crate) async fn next(&self) -> Result<(Arc<Bundle>, Option<String>), ConfigError> {
        let held = self.bundle();
        let kept = if held.is_none() { self.kept() } else { None };
        let seen = held.or(kept);
        let hash = seen.as_ref().map(|bundle| bundle.sha256());
        let fetched = match self.source.fetch(hash.as_deref()).await {
            Ok(Some(bundle)) if self.source.goes_back() => Ok(bundle),
            Ok(Some(bundle)) => newer(seen.as_deref(), bundle),
            Ok(None) => match &seen {
                Some(bundle) => {
                    self.refuse(None);
                    return Ok((Arc::clone(bundle), None));
                }
                None => Err(SourceError::Unreachable(
                    "the source has no bundle".to_owned(),
                )),
            },
            Err(error) => Err(error),
        };
        self.refuse(fetched.as_ref().err().map(ToString::to_string));
        match (fetched, seen) {
            (Ok(bundle), _) => Ok((Arc::new(bundle), None)),
            (Err(error), Some(bundle)) if self.stays(&error) => {
                let name = self.name();
                let notice = format!("{name}: {error}; the last good bundle is in force: {bundle}");
                Ok((bundle, Some(notice)))
            }
            (Err(error), _) => Err(ConfigError::of_file(self.name(), error.to_string())),
        }
    }

    /// Whether the last good bundle takes the place of one that cannot be had. A bundle that is refused is a mistake, but
    /// no reason not to start.
    fn stays(&self, error: &SourceError) -> bool {
        matches!(error, SourceError::Unreachable(_)) || self.bundle().is_none()
    }

    /// The bundle on disk, if it can still be trusted.
    fn kept(&self) -> Option<Arc<Bundle>> {
        let text = crate::text::read(self.cache.as_deref()?).ok()?;
        let bundle = Bundle::read(&text).ok()?;
        self.source.check(&bundle).ok()?;
        Some(Arc::new(bundle))
    }

    /// Writes the bundle that is in force to its file.
    pub(crate) fn keep(&self) {
        let (Some(cache), Some(bundle)) = (&self.cache, self.bundle()) else {
            return;
        };
        if let Err(error) = write_private(cache, bundle.to_json().as_bytes()) {
            tracing::warn!(%error, "cannot keep the bundle on disk: without the server, the agent will not start");
        }
    }

    pub(crate) async fn changed(&self) {
        self.source.changed().await;
    }
}

/// Refuses an old bundle that is played again.
fn newer(seen: Option<&Bundle>, offered: Bundle) -> Result<Bundle, SourceError> {
    match seen {
        Some(seen) if offered.revision < seen.revision => Err(SourceError::Older {
            seen: seen.revision,
            offered: offered.revision,
        }),
        _ => Ok(offered),
    }
}
