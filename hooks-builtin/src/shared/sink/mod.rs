//! Lines of JSON on their way out of the agent: to a file, or to a URL.
//!
//! The one idea: a hook serializes its line into a bounded queue in memory, and goes on. A thread takes the lines from
//! there, and gives them to a [`Sink`], each once and in order. What the sink does not accept is tried again. What is
//! given up is counted.
//!
//! - `queue`: the queue, as hooks see it;
//! - `worker`: the thread;
//! - `file`: the sink that appends to a file.

mod file;
mod queue;
mod worker;

#[cfg(test)]
mod tests;

use std::time::Duration;

use serde::Serialize;

pub use self::file::LogFile;
pub use self::queue::SinkQueue;

/// Accepts lines.
pub trait Sink: Send + 'static {
    /// What the log of the program calls it.
    const NAME: &'static str;

    /// Delivers lines, from the front. There is at least one, and the last one is whole. After a part of a line was
    /// taken, the next call begins with the rest of it. The future is dropped when the time of a shutdown is up.
    fn write(&mut self, lines: &[u8]) -> impl Future<Output = Progress>;

    /// Finishes, after everything was written.
    ///
    /// # Errors
    ///
    /// If it is not sure that everything was written.
    fn close(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    /// The line that tells how many lines were dropped at this place, if the sink has one.
    fn gap(&self, _dropped: u64) -> Option<String> {
        None
    }
}

/// What has become of the lines that a sink was given.
#[derive(Debug)]
pub enum Progress {
    /// So many bytes were taken.
    Taken(usize),
    /// So many bytes are given up: another attempt would not help.
    GivenUp(usize, String),
    /// Another attempt may succeed, after this time.
    Again(Duration, std::io::Error),
}

/// The bounds of a queue.
#[derive(Clone, Copy, Debug)]
pub struct QueueLimits {
    /// The queue is full with so many lines.
    pub lines: usize,
    /// The queue is full with so many bytes.
    pub bytes: usize,
    /// How long a line waits for room before it is dropped.
    pub wait_for_room: Duration,
    /// How long a line waits for others, so that they are delivered together.
    pub linger: Duration,
    /// How long a shutdown goes on after a failure.
    pub grace: Duration,
}

impl Default for QueueLimits {
    fn default() -> Self {
        QueueLimits {
            lines: usize::MAX,
            bytes: 8 << 20,
            wait_for_room: Duration::ZERO,
            linger: Duration::from_millis(20),
            grace: Duration::ZERO,
        }
    }
}

/// Writes an object, and adds a last key, whose value `write` adds.
///
/// # Errors
///
/// If something cannot be serialized. A part may have been added.
pub(crate) fn write_object(
    out: &mut Vec<u8>,
    fields: &impl Serialize,
    last: &str,
    write: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>,
) -> serde_json::Result<()> {
    serde_json::to_writer(&mut *out, fields)?;
    out.pop();
    out.extend_from_slice(b",\"");
    out.extend_from_slice(last.as_bytes());
    out.extend_from_slice(b"\":");
    write(out)?;
    out.push(b'}');
    Ok(())
}
