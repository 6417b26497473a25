//! What is remembered of a session: how often hooks have kept its agent from stopping, so that no loop is without an end,
//! and the policy under which it began.
//!
//! An agent says at most *whether* a hook has sent it on, and `hooks run` is a new process for each event.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

/// The counts, kept in memory or in a folder, and the policy of each session.
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
pub struct Stops(StopStorage);

#[derive(Debug)]
enum StopStorage {
    Memory(Mutex<HashMap<String, String>>),
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
        Stops(StopStorage::Memory(Mutex::default()))
    }

    /// Counts in a folder, for processes that judge one event each. The folder is made when it is needed.
    #[must_use]
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Stops(StopStorage::Folder(folder.into()))
    }

    pub(super) fn count(&self, key: &str) -> u32 {
        let count = self.get(key).and_then(|text| text.trim().parse().ok());
        count.unwrap_or_default()
    }

    pub(super) fn set_count(&self, key: &str, count: u32) {
        let text = (count > 0).then(|| count.to_string());
        self.set(key, text.as_deref());
    }

    /// Says what has changed of the policy since the session's last event. The first time, there is nothing to say.
    pub(super) fn changed_policy(&self, key: &str, policy: Option<&Value>) -> Option<String> {
        let before = self.get(key);
        let now = policy.map(Value::to_string);
        if before == now {
            return None;
        }
        self.set(key, now.as_deref());
        let before: Value = serde_json::from_str(&before?).ok()?;
        let Some(now) = policy else {
            return Some("the security policy was in force when this session began, and its file has none any more".into());
        };
        let before = before.as_object()?;
        let differs = |(key, value): &(&String, &Value)| before.get(*key) != Some(*value);
        let changed = now.as_object()?.iter().filter(differs);
        let gone = before.keys().filter(|key| now.get(*key).is_none());
        let shown = |value: Option<&Value>| value.map_or("not set".to_owned(), Value::to_string);
        let mut lines: Vec<String> = changed
            .map(|(key, value)| format!("`{key}` was {}, and is {value}", shown(before.get(key))))
            .collect();
        lines.extend(
            gone.map(|key| format!("`{key}` was {}, and is not set", shown(before.get(key)))),
        );
        Some(format!(
            "the file of the security policy has changed during this session: {}",
            lines.join("; ")
        ))
    }

    fn get(&self, key: &str) -> Option<String> {
        match &self.0 {
            StopStorage::Memory(kept) => {
                let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.get(key).cloned()
            }
            StopStorage::Folder(folder) => std::fs::read_to_string(folder.join(key)).ok(),
        }
    }

    /// Keeps a text, or forgets it. One that cannot be written down is lost, and the event is judged all the same.
    fn set(&self, key: &str, text: Option<&str>) {
        match (&self.0, text) {
            (StopStorage::Memory(kept), text) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.remove(key);
                if kept.len() >= MOST {
                    kept.clear();
                }
                kept.extend(text.map(|text| (key.to_owned(), text.to_owned())));
            }
            (StopStorage::Folder(folder), None) => drop(std::fs::remove_file(folder.join(key))),
            (StopStorage::Folder(folder), Some(text)) => {
                let place = folder.join(key);
                let is_new = !place.exists();
                let _ = crate::trust::write_private(&place, text.as_bytes());
                // What is left of others goes when a session begins.
                let others = std::fs::read_dir(folder).into_iter().filter(|_| is_new);
                for file in others.flatten().flatten() {
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
