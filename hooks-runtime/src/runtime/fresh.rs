//! Compares the files of a runtime with those that it has loaded, for programs that answer as if they loaded them each
//! time.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use hooks_config::ConfigError;

use super::Runtime;
use super::watch::{Stamp, stamps};

/// A file that was written later than this before it was read may be written again without another time: file systems
/// count in steps.
const STEP: Duration = Duration::from_millis(20);

/// What was read last, and what came of it.
#[derive(Debug, Default)]
pub(super) struct Fresh(tokio::sync::Mutex<Option<Read>>);

#[derive(Debug)]
struct Read {
    stamps: BTreeMap<PathBuf, Stamp>,
    /// Whether a later change has another stamp.
    is_settled: bool,
    said: Result<(), ConfigError>,
}

impl Runtime {
    /// Loads all files again if one of them is not the one that was loaded, as [`reload`](Self::reload) does.
    ///
    /// Call it before an event if a mistake must count at once, instead of the last good revision. It costs a look at
    /// each file.
    ///
    /// # Errors
    ///
    /// If the files as they are now contain a mistake. The last good revision stays in force: do not ask it if the event
    /// must be refused.
    ///
    /// ```
    /// use hooks_runtime::Runtime;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let file = folder.path().join("hooks.toml");
    /// std::fs::write(&file, "[hooks.builtin]")?;
    /// let runtime = Runtime::load(&file).await?;
    /// assert!(runtime.refresh().await.is_ok());
    ///
    /// std::fs::write(&file, "[hooks.builtin]\nredcat = true")?;
    /// assert!(runtime.refresh().await.is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn refresh(&self) -> Result<(), ConfigError> {
        let mut read = self.0.fresh.0.lock().await;
        let now = stamps(self.files());
        if let Some(read) = &*read
            && read.is_settled
            && read.stamps == now
        {
            return read.said.clone();
        }
        let latest = SystemTime::now().checked_sub(STEP);
        let written = now.values().flatten().filter_map(|(_, _, at, _)| *at);
        let is_settled = written.max() < latest;
        let said = self.reload().await.map(drop);
        // What changed while it was read counts as a change after it.
        let mut stamps = stamps(self.files());
        stamps.extend(now);
        *read = Some(Read {
            stamps,
            is_settled,
            said: said.clone(),
        });
        said
    }
}
