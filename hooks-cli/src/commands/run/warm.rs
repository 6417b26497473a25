//! The daemon's side of `hooks run`: runtimes that stay loaded.
//!
//! Rate limits, breakers and budgets live in a runtime, so questions about the same hooks must share one: whichever agent
//! asks, from whichever folder, and with whichever variables. Only if loading itself has read the folder or a variable,
//! as for a relative path, does a process with another one get a runtime of its own.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use async_trait::async_trait;
use hooks_runtime::{Caller, CallerReads, ConfigError, Decided, Runtime, Trust};
use hooks_server::{Answer, Declined, Program};
use tokio::task::JoinSet;

use super::asked::{Loads, RunAnswer, RunQuestion};
use super::socket::VERSION;

/// How many runtimes stay loaded. The one that was asked the longest time ago is dropped first.
const MOST: usize = 64;

/// Answers calls of `hooks run` by runtimes that stay loaded. A clone is a handle to the same ones.
#[derive(Clone, Default)]
pub(crate) struct Warm {
    /// The one that was asked last is the last.
    slots: Arc<Mutex<Vec<Arc<RuntimeSlot>>>>,
    /// What ends runtimes that were dropped.
    ends: Arc<Mutex<JoinSet<()>>>,
}

/// The place of a runtime.
struct RuntimeSlot {
    loads: Loads,
    /// What loading has read of the process that asked.
    seen: Mutex<CallerReads>,
    /// None as long as it cannot be built.
    built: tokio::sync::Mutex<Option<Arc<Built>>>,
}

/// A runtime, and how it was made.
struct Built {
    runtime: Runtime,
    warnings: Vec<String>,
    /// When what the user trusts was written then.
    trusted: FileStamp,
    ends: Arc<Mutex<JoinSet<()>>>,
}

/// When a file was written, and its length; none if it is not there.
type FileStamp = Option<(SystemTime, u64)>;

/// Why no runtime answers, and what else is worth knowing.
type LoadFailure = (ConfigError, Vec<String>);

impl Drop for Built {
    /// No call asks it any more, so it can end in peace.
    fn drop(&mut self) {
        let runtime = self.runtime.clone();
        let mut ends = locked(&self.ends);
        while ends.try_join_next().is_some() {}
        ends.spawn(async move { runtime.shutdown().await });
    }
}

impl Warm {
    /// Ends all runtimes.
    pub(crate) async fn shutdown(&self) {
        locked(&self.slots).clear();
        let ends = std::mem::take(&mut *locked(&self.ends));
        ends.join_all().await;
    }

    /// Returns the slot for a question of a process.
    fn slot(&self, loads: &Loads, caller: &Caller) -> Arc<RuntimeSlot> {
        let mut slots = locked(&self.slots);
        let mut known = slots.iter();
        let known = known.position(|slot| slot.loads == *loads && slot.agrees(caller));
        let slot = match known {
            Some(at) => slots.remove(at),
            None => Arc::new(RuntimeSlot {
                loads: loads.clone(),
                seen: Mutex::default(),
                built: tokio::sync::Mutex::default(),
            }),
        };
        slots.push(Arc::clone(&slot));
        let _oldest = (slots.len() > MOST).then(|| slots.remove(0));
        slot
    }

    /// Returns the runtime for a question of a process, with the files as they are now.
    async fn runtime(&self, loads: &Loads, caller: &Caller) -> Result<Arc<Built>, LoadFailure> {
        loop {
            // Another process may have loaded it meanwhile, in a way that is not for this one.
            if let Some(built) = self.slot(loads, caller).loaded(caller, &self.ends).await {
                return built;
            }
        }
    }

    /// Answers as the process of the caller would.
    async fn said(
        &self,
        asked: &RunQuestion,
        caller: &Caller,
        input: &[u8],
    ) -> (RunAnswer, EventDecision) {
        let (mut said, judged, warnings) = match self.runtime(&asked.loads, caller).await {
            Ok(built) => {
                let judging = asked.judge(&built.runtime, input);
                let (said, judged) = match caller.scope(judging).await {
                    Ok((said, judged)) => (said, (judged.event, judged.decision)),
                    Err(refused) => (refused, (None, Decided::Block)),
                };
                (said, judged, built.warnings.clone())
            }
            Err((error, warnings)) => {
                let said = RunAnswer::refused(&asked.system, error);
                (said, (None, Decided::Block), warnings)
            }
        };
        said.warnings = warnings;
        (said, judged)
    }
}

/// The event, and what was decided.
type EventDecision = (Option<&'static str>, Decided);

impl RuntimeSlot {
    fn agrees(&self, caller: &Caller) -> bool {
        caller.agrees(&locked(&self.seen))
    }

    /// Returns the runtime, or none if it is not for this process. The runtime compares its files itself, but not what the
    /// user trusts.
    async fn loaded(
        &self,
        caller: &Caller,
        ends: &Arc<Mutex<JoinSet<()>>>,
    ) -> Option<Result<Arc<Built>, LoadFailure>> {
        let mut known = self.built.lock().await;
        if !self.agrees(caller) {
            return None;
        }
        let loading = async {
            let trusted = Trust::user_file().and_then(|file| file.metadata().ok());
            let trusted = trusted.and_then(|about| Some((about.modified().ok()?, about.len())));
            if let Some(built) = &*known
                && built.trusted == trusted
            {
                let refused = |error| (error, built.warnings.clone());
                built.runtime.refresh().await.map_err(refused)?;
                return Ok(Arc::clone(built));
            }
            let (builder, warnings) = self.loads.builder();
            let runtime = match builder.build().await {
                Ok(runtime) => runtime,
                Err(error) => return Err((error, warnings)),
            };
            let built = Arc::new(Built {
                runtime,
                warnings,
                trusted,
                ends: Arc::clone(ends),
            });
            *known = Some(Arc::clone(&built));
            Ok(built)
        };
        let (built, seen) = caller.noting(loading).await;
        locked(&self.seen).extend(seen);
        Some(built)
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
        let asked: RunQuestion = serde_json::from_slice(question)
            .map_err(|error| Declined(format!("the question cannot be read: {error}")))?;
        let caller = asked
            .caller()
            .ok_or_else(|| Declined("the question names no folder, or no variables".into()))?;
        let (said, (event, decision)) = self.said(&asked, &caller, input).await;
        let text = serde_json::to_vec(&said).map_err(|error| Declined(error.to_string()))?;
        Ok(Answer {
            text,
            event,
            decision,
        })
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
