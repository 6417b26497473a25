//! The driver of one model call, with its retries.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt;
use core::mem;

use super::super::{
    AfterLlmCall, AgentContext, AgentHooks, BeforeLlmCall, ChatMessage, DeltaKind, LlmDelta,
    LlmFailed, LlmInput, LlmOutput, LlmResponse, Retry, ToolOutcome, Usage,
};
use super::answers::answer_calls;
use super::clock::Stopwatch;
use super::takes::{AreHooks, IsModel};
use super::{MAX_RETRIES, RunError};
use crate::hook::{BoxFuture, Timing, TimingOf, around, judge, now};
use crate::once::{Once, Verdict};

/// The outcome of a model call: what [`run_llm_call`] returns.
///
/// ```
/// use hooks_core::agent::{
///     AgentContext, BeforeLlmCall, ChatMessage, LlmResponse, RunError, ToolOutcome, run_llm_call,
/// };
/// use hooks_core::{HookAction, hook, hooks};
///
/// /// Answers from memory.
/// #[hook]
/// fn cached(_: &BeforeLlmCall) -> HookAction<BeforeLlmCall> {
///     HookAction::respond(LlmResponse::new("Four."))
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
/// let mut request = BeforeLlmCall::new("openai", "large", vec![ChatMessage::user("2 + 2?")]);
/// let done = run_llm_call(&hooks![cached], &AgentContext::new("s1"), &mut request, async |_, _| {
///     Err("the model is not asked")
/// })
/// .await?;
/// assert_eq!((done.outcome, done.response.content.as_str()), (ToolOutcome::Answered, "Four."));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LlmCallResult {
    /// The answer, in the state in which the hooks left it.
    pub response: LlmResponse,
    /// Whether the model answered, or a hook instead.
    pub outcome: ToolOutcome,
    /// How many times hooks retried the call.
    pub attempts: u32,
    /// What all answers of the model used, including the rejected ones.
    pub usage: Usage,
}

/// The sink for a streamed answer, which it raises piece by piece as [`LlmDelta`] events. [`run_llm_call`] passes it
/// to the model's closure.
///
/// ```
/// use std::sync::Mutex;
///
/// use hooks_core::agent::{
///     AgentContext, BeforeLlmCall, ChatMessage, LlmDelta, LlmResponse, RunError, run_llm_call,
/// };
/// use hooks_core::{hook, hooks};
///
/// #[derive(Default)]
/// struct Screen(Mutex<String>);
///
/// #[hook]
/// impl Screen {
///     fn print(&self, delta: &LlmDelta<'_>) { self.0.lock().unwrap().push_str(delta.text); }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
/// let (screen, cx) = (Screen::default(), AgentContext::new("s1"));
/// let mut request = BeforeLlmCall::new("openai", "large", vec![ChatMessage::user("Hello.")]);
/// run_llm_call(&hooks![&screen], &cx, &mut request, async |_, deltas| {
///     for piece in ["Good ", "morning."] {
///         deltas.text(piece).await;
///     }
///     Ok::<_, String>(LlmResponse::new("Good morning."))
/// })
/// .await?;
/// assert_eq!(*screen.0.lock().unwrap(), "Good morning.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Deltas<'a> {
    // Not `&'a H`: the type of a closure that takes it would then name the type of the hooks. An `async` block with
    // such a closure is `Send` only if that type holds no lifetime, not even `'static`.
    sink: &'a (dyn Sink + Sync),
}

impl fmt::Debug for Deltas<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Deltas")
    }
}

impl Deltas<'_> {
    /// Whether any hook wants the pieces. If not, an agent need not stream for the hooks.
    #[must_use]
    pub fn are_wanted(&self) -> bool {
        self.sink.wants()
    }

    /// A piece of the answer's text.
    pub async fn text(&self, text: &str) {
        self.push(DeltaKind::Text, text).await;
    }

    /// A piece of the model's reasoning.
    pub async fn reasoning(&self, text: &str) {
        self.push(DeltaKind::Reasoning, text).await;
    }

    /// A piece of the arguments of a tool call.
    pub async fn tool_call(&self, text: &str) {
        self.push(DeltaKind::ToolCall, text).await;
    }

    /// A piece of any kind.
    ///
    /// It allocates a box only if a hook on [`LlmDelta`] is `async`.
    pub async fn push(&self, kind: DeltaKind, text: &str) {
        if self.sink.wants()
            && let Some(rest) = self.sink.push(LlmDelta { kind, text })
        {
            rest.await;
        }
    }
}

/// Hooks that receive deltas.
trait Sink {
    fn wants(&self) -> bool;
    /// Runs the hooks; what is left to await is boxed.
    fn push<'s>(&'s self, delta: LlmDelta<'s>) -> Option<BoxFuture<'s, ()>>;
}

/// The hooks of a model call.
struct ModelCallHooks<'a, H> {
    hooks: &'a H,
    cx: &'a AgentContext,
}

impl<H: AgentHooks> Sink for ModelCallHooks<'_, H> {
    fn wants(&self) -> bool {
        self.hooks.handles::<LlmDelta<'_>>()
    }

    fn push<'s>(&'s self, delta: LlmDelta<'s>) -> Option<BoxFuture<'s, ()>> {
        if <TimingOf<H, LlmDelta<'_>> as Timing>::IS_NOW {
            now(self.hooks.observe(self.cx, &delta));
            return None;
        }
        Some(Box::pin(async move {
            self.hooks.observe(self.cx, &delta).await;
        }))
    }
}

/// Calls the model under the control of the hooks: raises all events of the call, and retries if a hook asks for it.
///
/// `hooks` are any [`AgentHooks`]. `model`, an `AsyncFnOnce(&BeforeLlmCall, Deltas<'_>) -> Result<LlmResponse, X> + Clone`,
/// receives the request, in the state in which the hooks left it, and [`Deltas`] to stream to. The caller keeps the request,
/// so the call clones nothing. Changes by hooks and the messages of a retry stay in it.
///
/// | a hook | the driver |
/// | --- | --- |
/// | responds on `BeforeLlmCall` | uses the hook's answer instead of the model's, and raises `AfterLlmCall` |
/// | responds [`Retry`] with feedback on `AfterLlmCall` | adds the answer and the feedback to the messages, and calls the model again; tool calls in the answer do not run, and the model reads that |
/// | responds [`Retry`] without feedback on `AfterLlmCall` | drops the answer, and sends the same request again |
/// | responds [`Retry`] on `LlmFailed` | calls the model that the event then names |
///
/// Hooks can retry at most [`MAX_RETRIES`] times. After that, the driver uses the last answer, or returns the last
/// failure.
///
/// ```
/// use hooks_core::agent::{
///     AfterLlmCall, AgentContext, BeforeLlmCall, ChatMessage, LlmResponse, Retry, run_llm_call,
/// };
/// use hooks_core::{HookAction, hook, hooks};
///
/// #[hook]
/// fn brief(after: &AfterLlmCall) -> HookAction<AfterLlmCall> {
///     if after.response.content.len() > 20 && after.attempt == 0 {
///         return HookAction::respond(Retry::with_feedback("Be brief."));
///     }
///     HookAction::Continue
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let mut request = BeforeLlmCall::new("openai", "large", vec![ChatMessage::user("Who are you?")]);
/// let done = run_llm_call(&hooks![brief], &AgentContext::new("s1"), &mut request, async |request, deltas| {
///     let answer = if request.messages.len() == 1 { "I am a large language model." } else { "A model." };
///     deltas.text(answer).await;
///     Ok::<_, String>(LlmResponse::new(answer))
/// })
/// .await
/// .unwrap();
/// assert_eq!((done.response.content.as_str(), done.attempts), ("A model.", 1));
/// assert_eq!(request.messages[2].content, "Be brief.");
/// # }
/// ```
///
/// # Errors
///
/// If a hook blocked the call, or aborted the turn or the run; or if the model failed, and no hook retried.
pub fn run_llm_call<H, M, X, K1, K2>(
    hooks: &H,
    cx: &AgentContext,
    request: &mut BeforeLlmCall,
    model: M,
) -> Once<(K1, K2), impl Future<Output = Result<LlmCallResult, RunError>>>
where
    H: AreHooks<K1>,
    M: IsModel<X, K2>,
    X: fmt::Display,
    (K1, K2): Verdict,
{
    <(K1, K2)>::of(async move {
        let mut usage = Usage::default();
        let done = call_model(hooks, cx, request, &mut usage, &model).await?;
        Ok(LlmCallResult { usage, ..done })
    })
}

/// Like [`run_llm_call`]; `usage` also counts the answers of a call that returned an error.
pub(super) async fn call_model<X: fmt::Display>(
    hooks: &impl AgentHooks,
    cx: &AgentContext,
    request: &mut BeforeLlmCall,
    usage: &mut Usage,
    model: &(impl AsyncFnOnce(&BeforeLlmCall, Deltas<'_>) -> Result<LlmResponse, X> + Clone),
) -> Result<LlmCallResult, RunError> {
    let told = ModelCallHooks { hooks, cx };
    let deltas = Deltas { sink: &told };
    let mut done = LlmCallResult::default();
    let mut answer = hooks.intercept(cx, request).await.into_result()?;
    loop {
        let (response, outcome) = match answer.take() {
            Some(response) => (response, ToolOutcome::Answered),
            None => match ask(hooks, cx, request, deltas, usage, model).await {
                Ok(response) => (response, ToolOutcome::Ran),
                Err(error) => {
                    let retry = failed(hooks, cx, request, error, done.attempts).await?;
                    feed_back(request, retry);
                    judge(hooks, cx, request).await.into_result()?;
                    done.attempts += 1;
                    continue;
                }
            },
        };
        if !hooks.handles::<AfterLlmCall>() {
            return Ok(LlmCallResult {
                response,
                outcome,
                ..done
            });
        }
        let mut after = AfterLlmCall::new(request.model.as_str(), response, done.attempts);
        match hooks.intercept(cx, &mut after).await.into_result()? {
            Some(retry) if done.attempts < MAX_RETRIES => {
                reject(request, after.response, retry);
                judge(hooks, cx, request).await.into_result()?;
                done.attempts += 1;
            }
            _ => {
                done.response = after.response;
                done.outcome = outcome;
                return Ok(done);
            }
        }
    }
}

/// Calls the model once.
async fn ask<X: fmt::Display>(
    hooks: &impl AgentHooks,
    cx: &AgentContext,
    request: &BeforeLlmCall,
    deltas: Deltas<'_>,
    usage: &mut Usage,
    model: &(impl AsyncFnOnce(&BeforeLlmCall, Deltas<'_>) -> Result<LlmResponse, X> + Clone),
) -> Result<LlmResponse, String> {
    hooks.observe(cx, &LlmInput::from(request)).await;
    let clock = Stopwatch::start(hooks.handles::<LlmOutput<'_>>());
    let response = around!(
        BeforeLlmCall,
        hooks,
        cx,
        request,
        answer(model, request, deltas)
    )?;
    *usage += response.usage;
    let output = LlmOutput::of(request, &response, clock.elapsed());
    hooks.observe(cx, &output).await;
    Ok(response)
}

/// The model's answer, or its failure.
async fn answer<X: fmt::Display>(
    model: &(impl AsyncFnOnce(&BeforeLlmCall, Deltas<'_>) -> Result<LlmResponse, X> + Clone),
    request: &BeforeLlmCall,
    deltas: Deltas<'_>,
) -> Result<LlmResponse, String> {
    let answer = model.clone()(request, deltas).await;
    answer.map_err(|error| error.to_string())
}

/// Raises a failure. Returns what to do about it, if a hook wants a retry.
async fn failed<H: AgentHooks>(
    hooks: &H,
    cx: &AgentContext,
    request: &mut BeforeLlmCall,
    error: String,
    attempt: u32,
) -> Result<Retry, RunError> {
    let mut failed = LlmFailed {
        provider: request.provider.clone(),
        model: request.model.clone(),
        error,
        attempt,
    };
    let decision = hooks.intercept(cx, &mut failed).await.into_result()?;
    match decision {
        Some(retry) if attempt < MAX_RETRIES => {
            request.provider = mem::take(&mut failed.provider);
            request.model = mem::take(&mut failed.model);
            Ok(retry)
        }
        _ => Err(RunError::Failed(failed.error)),
    }
}

/// Tells the model which answer a hook rejected, and why.
fn reject(request: &mut BeforeLlmCall, answer: LlmResponse, retry: Retry) {
    // Without feedback, send the same request again.
    if retry.feedback.is_none() {
        return;
    }
    let messages = &mut request.messages;
    messages.push(answer.into());
    // Providers reject a conversation in which a call has no output.
    answer_calls(messages, "the call did not run: its answer was rejected");
    feed_back(request, retry);
}

/// Tells the model what a hook rejected.
fn feed_back(request: &mut BeforeLlmCall, retry: Retry) {
    let feedback = retry.feedback.map(ChatMessage::user);
    request.messages.extend(feedback);
}
