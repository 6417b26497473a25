//! The daemon's side of `hooks run`: runtimes that stay loaded.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use async_trait::async_trait;
use hooks_runtime::{Caller, ConfigError, Decided, Runtime, Trust};
use hooks_server::{Answer, Declined, Program};
use lru::LruCache;

use super::asked::{Asked, Said};
use super::socket::VERSION;

/// How many runtimes stay loaded. The one that was asked the longest time ago is dropped first.
const MOST: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// Answers calls of `hooks run` by runtimes that stay loaded, each for a question as it was sent, but for the event itself.
pub(crate) struct Warm(Mutex<LruCache<Vec<u8>, Arc<Loaded>>>);

/// A question, and its runtime.
struct Loaded {
    asked: Asked,
    /// Whose folder and variables hooks see.
    caller: Caller,
    /// The runtime, and when what the user trusts was written then; none as long as it cannot be built.
    built: tokio::sync::Mutex<Option<(Written, Arc<Built>)>>,
}

/// When a file was written, and its length; none if it is not there.
type Written = Option<(SystemTime, u64)>;

/// A runtime, and warnings of its making.
type Built = (Runtime, Vec<String>);

impl Warm {
    pub(crate) fn new() -> Self {
        Warm(Mutex::new(LruCache::new(MOST)))
    }

    fn loaded(&self, question: &[u8]) -> Result<Arc<Loaded>, Declined> {
        let runtimes = self.0.lock();
        let mut runtimes = runtimes.unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = runtimes.get(question) {
            return Ok(Arc::clone(loaded));
        }
        let loaded = runtimes
            .try_get_or_insert(question.to_owned(), || Loaded::new(question).map(Arc::new))?;
        Ok(Arc::clone(loaded))
    }
}

impl Loaded {
    fn new(question: &[u8]) -> Result<Self, Declined> {
        let asked: Asked = serde_json::from_slice(question)
            .map_err(|error| Declined(format!("the question cannot be read: {error}")))?;
        let (Some(folder), Some(variables)) = (&asked.folder, &asked.variables) else {
            return Err(Declined(
                "the question names no folder, or no variables".into(),
            ));
        };
        let variables = variables
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        Ok(Loaded {
            caller: Caller::new(variables, folder),
            asked,
            built: tokio::sync::Mutex::default(),
        })
    }

    /// Returns the runtime. The files it compares itself, but not what the user trusts.
    async fn built(&self) -> Result<Arc<Built>, (ConfigError, Vec<String>)> {
        let trusted = Trust::user_file().and_then(|file| file.metadata().ok());
        let trusted = trusted.and_then(|about| Some((about.modified().ok()?, about.len())));
        let mut known = self.built.lock().await;
        if let Some((then, built)) = &*known
            && *then == trusted
        {
            return Ok(Arc::clone(built));
        }
        let (builder, warnings) = self.asked.builder();
        let runtime = match builder.build().await {
            Ok(runtime) => runtime,
            Err(error) => return Err((error, warnings)),
        };
        let built = Arc::new((runtime, warnings));
        *known = Some((trusted, Arc::clone(&built)));
        Ok(built)
    }

    /// Answers as the process of the caller would.
    async fn said(&self, input: &[u8]) -> Result<Answer, Declined> {
        let asked = &self.asked;
        let refused = |error| (Said::refused(asked.system, error), None, Decided::Block);
        let ((mut said, event, decision), warnings) = match self.built().await {
            Ok(built) => {
                let (runtime, warnings) = &*built;
                let said = match runtime.refresh().await {
                    Ok(()) => {
                        let (said, judged) = asked.judge(runtime, input).await;
                        (said, judged.event, judged.decision)
                    }
                    Err(error) => refused(error),
                };
                (said, warnings.clone())
            }
            Err((error, warnings)) => (refused(error), warnings),
        };
        said.warnings = warnings;
        let text = serde_json::to_vec(&said).map_err(|error| Declined(error.to_string()))?;
        Ok(Answer {
            text,
            event,
            decision,
        })
    }
}

#[async_trait]
impl Program for Warm {
    fn version(&self) -> &str {
        VERSION
    }

    async fn answer(&self, question: &[u8]) -> Result<Answer, Declined> {
        let mut parts = question.splitn(2, |byte| *byte == b'\n');
        let (Some(question), Some(input)) = (parts.next(), parts.next()) else {
            return Err(Declined("the question has no event".into()));
        };
        let loaded = self.loaded(question)?;
        loaded.caller.scope(loaded.said(input)).await
    }
}
