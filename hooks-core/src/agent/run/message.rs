//! The drivers of incoming and outgoing messages.

use alloc::string::{String, ToString};
use core::error::Error;
use core::fmt;

use super::super::{
    AgentContext, AgentHooks, MessageFailed, MessageReceived, MessageSending, MessageSent,
};
use super::takes::{AreHooks, IsAnswer, IsEvent, IsSender};
use crate::once::{Once, Verdict};
use crate::{Cancel, Scope};

/// The outcome of a message: what [`send_message`] and [`run_message`] return.
///
/// ```
/// use hooks_core::agent::{AgentContext, MessageOutcome, MessageSending, send_message};
/// use hooks_core::{Cancel, hooks};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Cancel> {
/// let message = MessageSending::new("slack", "ada", "Done.");
/// let sent = send_message(&hooks![], &AgentContext::new("s1"), message, async |_| Err("no network")).await?;
/// match sent {
///     MessageOutcome::Sent(message) => println!("sent: {}", message.content),
///     MessageOutcome::Blocked(cancel) => println!("held back: {cancel}"),
///     MessageOutcome::Failed { error, .. } => assert_eq!(error, "no network"),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageOutcome {
    /// It was sent, in the state in which the hooks left it.
    Sent(MessageSending),
    /// A hook dropped the incoming message, or held back the outgoing one.
    Blocked(Cancel),
    /// It could not be sent.
    Failed {
        /// The message, in the state in which the hooks left it.
        message: MessageSending,
        /// Why not.
        error: String,
    },
}

/// Why [`run_message`] failed.
///
/// ```
/// use hooks_core::agent::MessageError;
///
/// assert_eq!(MessageError::Unanswered("the model is down").to_string(), "the model is down");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageError<X> {
    /// A hook aborted the turn or the run.
    Cancelled(Cancel),
    /// The agent returned an error instead of an answer.
    Unanswered(X),
}

impl<X: fmt::Display> fmt::Display for MessageError<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MessageError::Cancelled(cancel) => cancel.fmt(f),
            MessageError::Unanswered(error) => error.fmt(f),
        }
    }
}

impl<X: fmt::Debug + fmt::Display> Error for MessageError<X> {}

/// Sends a message under the control of the hooks: raises `MessageSending`, and `MessageSent` or `MessageFailed`.
///
/// ```
/// use hooks_core::agent::{AgentContext, MessageOutcome, MessageSending, send_message};
/// use hooks_core::{HookAction, hook, hooks};
///
/// #[hook]
/// fn sign(message: &mut MessageSending) { message.content.push_str("\n-- your agent"); }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let message = MessageSending::new("slack", "ada", "Done.");
/// let sent = send_message(&hooks![sign], &AgentContext::new("s1"), message, async |message| {
///     println!("to {}: {}", message.recipient, message.content);
///     Ok::<(), std::io::Error>(())
/// })
/// .await
/// .unwrap();
/// assert!(matches!(sent, MessageOutcome::Sent(message) if message.content.ends_with("your agent")));
/// # }
/// ```
///
/// # Errors
///
/// If a hook aborted the turn or the run. The message was not sent.
pub fn send_message<H, E, S, X, K1, K2, K3>(
    hooks: &H,
    cx: &AgentContext,
    message: E,
    send: S,
) -> Once<(K1, K2, K3), impl Future<Output = Result<MessageOutcome, Cancel>>>
where
    H: AreHooks<K1>,
    E: IsEvent<MessageSending, K2>,
    S: IsSender<X, K3>,
    X: fmt::Display,
    (K1, K2, K3): Verdict,
{
    <(K1, K2, K3)>::of(send_out(hooks, cx, message, send))
}

async fn send_out<X: fmt::Display>(
    hooks: &impl AgentHooks,
    cx: &AgentContext,
    message: impl Into<MessageSending>,
    send: impl AsyncFnOnce(&MessageSending) -> Result<(), X>,
) -> Result<MessageOutcome, Cancel> {
    let mut message = message.into();
    if let Err(cancel) = hooks.intercept(cx, &mut message).await.into_result() {
        return blocked(cancel);
    }
    match send(&message).await {
        Ok(()) => {
            hooks.observe(cx, &MessageSent::from(&message)).await;
            Ok(MessageOutcome::Sent(message))
        }
        Err(error) => {
            let error = error.to_string();
            hooks
                .observe(cx, &MessageFailed::of(&message, &error))
                .await;
            Ok(MessageOutcome::Failed { message, error })
        }
    }
}

/// Answers a message under the control of the hooks: raises `MessageReceived`, calls `answer`, and sends the answer
/// to the sender with [`send_message`].
///
/// `answer` receives the message in the state in which the hooks left it, with the `context` that they add. Most
/// agents put that into [`Conversation::context`](super::Conversation::context) and call
/// [`run_turn`](super::run_turn) in it.
///
/// ```
/// use hooks_core::agent::{AgentContext, MessageOutcome, MessageReceived, run_message};
/// use hooks_core::{HookAction, hook, hooks};
///
/// #[hook]
/// fn no_spam(message: &MessageReceived) -> HookAction<MessageReceived> {
///     if message.sender == "spammer" { HookAction::block("spam") } else { HookAction::Continue }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let (hooks, cx) = (hooks![no_spam], AgentContext::new("s1"));
/// for (sender, is_answered) in [("ada", true), ("spammer", false)] {
///     let message = MessageReceived::new("cli", sender, "Hello.");
///     let outcome = run_message(
///         &hooks,
///         &cx,
///         message,
///         async |message: MessageReceived| Ok::<_, String>(format!("Hello, {}.", message.sender)),
///         async |_| Ok::<(), std::io::Error>(()),
///     )
///     .await
///     .unwrap();
///     assert_eq!(matches!(outcome, MessageOutcome::Sent(_)), is_answered);
/// }
/// # }
/// ```
///
/// # Errors
///
/// If a hook aborted the turn or the run, or `answer` returned an error.
#[expect(clippy::type_complexity, reason = "a verdict for each bound")]
pub fn run_message<H, E, A, S, X, Y, K1, K2, K3, K4>(
    hooks: &H,
    cx: &AgentContext,
    message: E,
    answer: A,
    send: S,
) -> Once<((K1, K2), (K3, K4)), impl Future<Output = Result<MessageOutcome, MessageError<X>>>>
where
    H: AreHooks<K1>,
    E: IsEvent<MessageReceived, K2>,
    A: IsAnswer<X, K3>,
    S: IsSender<Y, K4>,
    Y: fmt::Display,
    ((K1, K2), (K3, K4)): Verdict,
{
    <((K1, K2), (K3, K4))>::of(async move {
        let mut message = message.into();
        if let Err(cancel) = hooks.intercept(cx, &mut message).await.into_result() {
            return blocked(cancel).map_err(MessageError::Cancelled);
        }
        let (channel, sender) = (message.channel.clone(), message.sender.clone());
        let reply = answer(message).await.map_err(MessageError::Unanswered)?;
        let reply = MessageSending::new(channel, sender, reply);
        let outcome = send_out(hooks, cx, reply, send).await;
        outcome.map_err(MessageError::Cancelled)
    })
}

/// The outcome of a cancelled message.
fn blocked(cancel: Cancel) -> Result<MessageOutcome, Cancel> {
    if cancel.scope > Scope::Event {
        Err(cancel)
    } else {
        Ok(MessageOutcome::Blocked(cancel))
    }
}
