//! How often hooks have kept an agent from stopping, so that no loop is without an end.
//!
//! An agent says at most *whether* a hook has sent it on, and `hooks run` is a new process for each event.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The counts, kept in memory or in a folder.
///
/// A count begins anew when the agent may stop, and with the next prompt of its session.
///
/// ```
/// use hooks_runtime::bridge::{self, Call, LeftToAgent, Stops};
/// use hooks_runtime::{Dialect, Runtime};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let file = "[[hooks.on]]\nevent = 'Stop'\nblock = 'run the tests'\n[hooks.limits]\nstops = 2";
/// let runtime = Runtime::builder().text(file).approver(LeftToAgent).build().await?;
/// let stops = Stops::in_memory();
/// let input = br#"{ "session_id": "s1", "hook_event_name": "Stop", "stop_hook_active": true }"#;
/// let mut sent_on = 0;
/// for _ in 0..5 {
///     let call = Call { stops: Some(&stops), ..Call::new(Dialect::Claude, input) };
///     sent_on += u32::from(!bridge::run(&runtime, call).await.reply.stdout.is_empty());
/// }
/// assert_eq!(sent_on, 4);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Stops(Kept);

#[derive(Debug)]
enum Kept {
    Memory(Mutex<HashMap<String, u32>>),
    Folder(PathBuf),
}

/// How many sessions are kept in memory.
const MOST: usize = 10_000;

/// How long a count is kept in a folder whose agent is gone.
const LONGEST: Duration = Duration::from_hours(24);

impl Stops {
    /// Counts in memory, for a process that judges all events of an agent.
    #[must_use]
    pub fn in_memory() -> Self {
        Stops(Kept::Memory(Mutex::default()))
    }

    /// Counts in a folder, for processes that judge one event each. The folder is made when it is needed.
    #[must_use]
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Stops(Kept::Folder(folder.into()))
    }

    pub(super) fn count(&self, key: &str) -> u32 {
        match &self.0 {
            Kept::Memory(counts) => {
                let counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
                counts.get(key).copied().unwrap_or_default()
            }
            Kept::Folder(folder) => {
                let text = std::fs::read_to_string(folder.join(key)).unwrap_or_default();
                text.trim().parse().unwrap_or_default()
            }
        }
    }

    /// Sets a count. One that cannot be written down is lost, and the event is judged all the same.
    pub(super) fn set(&self, key: &str, count: u32) {
        match &self.0 {
            Kept::Memory(counts) => {
                let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
                if count == 0 {
                    counts.remove(key);
                } else {
                    if counts.len() >= MOST {
                        counts.clear();
                    }
                    counts.insert(key.to_owned(), count);
                }
            }
            Kept::Folder(folder) if count == 0 => drop(std::fs::remove_file(folder.join(key))),
            Kept::Folder(folder) => {
                let _ =
                    crate::trust::write_private(&folder.join(key), count.to_string().as_bytes());
                // What is left of others goes when a session begins to count.
                if count > 1 {
                    return;
                }
                for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                    let modified = file.metadata().and_then(|data| data.modified()).ok();
                    let age = modified.and_then(|at| at.elapsed().ok());
                    if age.is_some_and(|age| age > LONGEST) {
                        let _ = std::fs::remove_file(file.path());
                    }
                }
            }
        }
    }
}
