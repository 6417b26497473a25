//! Sends approval questions through a channel to a user interface.

use std::fmt;

use hooks_core::async_trait;
use tokio::sync::{mpsc, oneshot};

use super::{ApprovalRequest, Approver, Verdict};

/// Sends each question to a user interface, with a handle to answer it.
///
/// If the receiver is dropped, or a question is dropped without an answer, the call is denied.
///
/// ```
/// use hooks_builtin::{Approval, ChannelApprover};
/// use hooks_core::agent::{AgentContext, ApproveToolCall, BeforeToolCall};
/// use hooks_core::{HookResult, hooks};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let (approver, mut requests) = ChannelApprover::new(16);
/// tokio::spawn(async move {
///     while let Some(pending) = requests.recv().await {
///         match pending.request().tool.as_str() {
///             "read" => pending.approve_always(),
///             _ => pending.deny("only reading is allowed"),
///         }
///     }
/// });
///
/// let hooks = hooks![Approval::new(approver)];
/// let call = BeforeToolCall::new("1", "read", serde_json::json!({}));
/// let result = hooks.intercept(&AgentContext::new("s1"), &mut ApproveToolCall::from(&call)).await;
/// assert!(matches!(result, HookResult::Respond(_)));
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ChannelApprover {
    requests: mpsc::Sender<PendingApproval>,
}

/// The questions of a [`ChannelApprover`].
#[derive(Debug)]
pub struct ApprovalRequests {
    requests: mpsc::Receiver<PendingApproval>,
}

/// A question that waits for an answer. Dropping it denies the call.
pub struct PendingApproval {
    request: ApprovalRequest,
    reply: oneshot::Sender<Verdict>,
}

impl ChannelApprover {
    /// Creates an approver, and the receiver of its questions. Up to `capacity` questions wait in the channel. If the
    /// channel is full, further calls wait until there is room.
    ///
    /// # Panics
    ///
    /// If `capacity` is 0.
    ///
    /// If `capacity` is 0.
    #[must_use]
    pub fn new(capacity: usize) -> (Self, ApprovalRequests) {
        let (sender, receiver) = mpsc::channel(capacity);
        (
            ChannelApprover { requests: sender },
            ApprovalRequests { requests: receiver },
        )
    }
}

impl ApprovalRequests {
    /// Waits for the next question. Returns `None` when all approvers are dropped.
    pub async fn recv(&mut self) -> Option<PendingApproval> {
        self.requests.recv().await
    }
}

impl PendingApproval {
    /// Returns the call that the question is about.
    #[must_use]
    pub fn request(&self) -> &ApprovalRequest {
        &self.request
    }

    /// Whether the call no longer waits for the answer.
    #[must_use]
    pub fn is_withdrawn(&self) -> bool {
        self.reply.is_closed()
    }

    /// Waits until the call no longer waits for the answer, so that you can remove the question from the screen.
    pub async fn withdrawn(&mut self) {
        self.reply.closed().await;
    }

    /// Allows the call.
    pub fn approve(self) {
        self.answer(Verdict::Yes);
    }

    /// Allows the call, and all other calls of the tool in the session.
    pub fn approve_always(self) {
        self.answer(Verdict::Always);
    }

    /// Denies the call, for this reason.
    pub fn deny(self, reason: impl Into<String>) {
        self.answer(Verdict::No(reason.into()));
    }

    /// Answers the question. If the question was withdrawn, this has no effect.
    pub fn answer(self, verdict: Verdict) {
        let _ = self.reply.send(verdict);
    }
}

impl fmt::Debug for PendingApproval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingApproval")
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Approver for ChannelApprover {
    async fn ask(&self, request: &ApprovalRequest) -> Verdict {
        let (reply, answer) = oneshot::channel();
        let pending = PendingApproval {
            request: request.clone(),
            reply,
        };
        let gone = || Verdict::No("no one is there to approve it".into());
        match self.requests.send(pending).await {
            Ok(()) => answer.await.unwrap_or_else(|_| gone()),
            Err(_) => gone(),
        }
    }
}
