//! The interface to the work of programs that ask over the socket.
//!
//! The daemon does not know what their work is. The program's own code implements [`Program`], so both ways run the same.

use async_trait::async_trait;
use hooks_runtime::Decided;

/// Answers what programs of the same user ask over the socket.
#[async_trait]
pub trait Program: Send + Sync + 'static {
    /// The version of the question and the answer. Who has another one is not answered.
    fn version(&self) -> &str;

    /// Answers.
    ///
    /// # Errors
    ///
    /// If the daemon would not answer the same as the program itself. Then the program does the work.
    async fn answer(&self, asked: &[u8]) -> Result<Answer, Declined>;
}

/// An answer, and what was decided about which event.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// What the program reads.
    pub text: Vec<u8>,
    /// Our name for the event, if there was one.
    pub event: Option<&'static str>,
    /// What was decided.
    pub decision: Decided,
}

/// Why the daemon does not do a program's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declined(pub String);
