//! One call of the model, until its answer can be used.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt;
use core::mem;
use core::pin::pin;
use core::task::{Context as Task, Waker};

use super::super::{
    AfterLlmCall, AgentContext, AgentHooks, BeforeLlmCall, ChatMessage, DeltaKind, LlmDelta,
    LlmFailed, LlmInput, LlmOutput, LlmResponse, Retry, ToolOutcome, Usage,
};
use super::answers::answer_calls;
use super::clock::Clock;
use super::{MAX_RETRIES, RunError};
use crate::event::Mode;
use crate::hook::{ModeOf, around};
use crate::registry::{BoxFuture, GoOn};

/// How a call of the model came out: what [`run_llm_call`] gives.
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
    /// The answer, as the hooks have left it.
    pub response: LlmResponse,
    /// Whether the model answered, or a hook in its place.
    pub outcome: ToolOutcome,
    /// How often hooks had the model asked again.
    pub attempts: u32,
    /// What all answers of the model have used, those included that were not good enough.
    pub usage: Usage,
}

/// Where a model's answer is streamed to, piece by piece, as [`LlmDelta`] events: [`run_llm_call`] hands it to
/// the model.
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
    // Not `&'a H`: the type of a closure that takes it would name the type of the hooks. An `async` block with such
    // a closure is `Send` only where that type holds no lifetime, not even `'static`.
    sink: &'a (dyn Sink + Sync),
}

impl fmt::Debug for Deltas<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Deltas")
    }
}

impl Deltas<'_> {
    /// Whether any hook wants the pieces: if not, an agent need not stream for the hooks' sake.
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
    /// It costs a box only where a hook on [`LlmDelta`] is `async`.
    pub async fn push(&self, kind: DeltaKind, text: &str) {
        if self.sink.wants() {
            self.sink.push(LlmDelta { kind, text }).await;
        }
    }
}

/// Hooks that are told of deltas.
trait Sink {
    fn wants(&self) -> bool;
    fn push<'s>(&'s self, delta: LlmDelta<'s>) -> BoxFuture<'s, ()>;
}

/// The hooks of a call of the model.
struct Told<'a, H> {
    hooks: &'a H,
    cx: &'a AgentContext,
}

impl<H: AgentHooks> Sink for Told<'_, H> {
    fn wants(&self) -> bool {
        self.hooks.handles::<LlmDelta<'_>>()
    }

    fn push<'s>(&'s self, delta: LlmDelta<'s>) -> BoxFuture<'s, ()> {
        if <ModeOf<H, LlmDelta<'_>> as Mode>::AT_ONCE {
            let mut told = pin!(self.hooks.observe(self.cx, &delta));
            let done = told.as_mut().poll(&mut Task::from_waker(Waker::noop()));
            debug_assert!(done.is_ready(), "synchronous hooks are done at once");
            return GoOn::boxed();
        }
        Box::pin(async move { self.hooks.observe(self.cx, &delta).await })
    }
}

/// Calls the model as the hooks let it: raises all events of the call, and asks again where a hook wants that.
///
/// `model` is given the request, as the hooks have left it, and [`Deltas`] to stream to. The request stays the
/// caller's, so that nothing is cloned to ask the model; what hooks change in it, and the messages of a retry,
/// stay in it.
///
/// | a hook | the driver |
/// | --- | --- |
/// | responds on `BeforeLlmCall` | takes its answer in the model's place, and raises `AfterLlmCall` |
/// | responds [`Retry`] with feedback on `AfterLlmCall` | adds the answer and the feedback to the messages, and asks again; tools that the answer calls do not run, which the model reads |
/// | responds [`Retry`] without feedback on `AfterLlmCall` | forgets the answer, and asks the same again |
/// | responds [`Retry`] on `LlmFailed` | asks again: the model that the hook has put into the event |
///
/// Hooks have the model asked again at most [`MAX_RETRIES`] times. Then its last answer is used, or its last
/// failure returned.
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
/// A hook blocked the call, or ended the turn or the run; or the model failed, and no hook had it asked again.
pub async fn run_llm_call<H, F, X>(
    hooks: &H,
    cx: &AgentContext,
    request: &mut BeforeLlmCall,
    model: F,
) -> Result<LlmCallResult, RunError>
where
    H: AgentHooks,
    F: AsyncFnOnce(&BeforeLlmCall, Deltas<'_>) -> Result<LlmResponse, X> + Clone,
    X: fmt::Display,
{
    let mut usage = Usage::default();
    let done = call_model(hooks, cx, request, &mut usage, &model).await?;
    Ok(LlmCallResult { usage, ..done })
}

/// As [`run_llm_call`]; `usage` also counts the answers of a call that came to nothing.
pub(super) async fn call_model<H, F, X>(
    hooks: &H,
    cx: &AgentContext,
    request: &mut BeforeLlmCall,
    usage: &mut Usage,
    model: &F,
) -> Result<LlmCallResult, RunError>
where
    H: AgentHooks,
    F: AsyncFnOnce(&BeforeLlmCall, Deltas<'_>) -> Result<LlmResponse, X> + Clone,
    X: fmt::Display,
{
    let told = Told { hooks, cx };
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

/// Asks the model once.
async fn ask<H, F, X>(
    hooks: &H,
    cx: &AgentContext,
    request: &BeforeLlmCall,
    deltas: Deltas<'_>,
    usage: &mut Usage,
    model: &F,
) -> Result<LlmResponse, String>
where
    H: AgentHooks,
    F: AsyncFnOnce(&BeforeLlmCall, Deltas<'_>) -> Result<LlmResponse, X> + Clone,
    X: fmt::Display,
{
    hooks.observe(cx, &LlmInput::from(request)).await;
    let clock = Clock::start(hooks.handles::<LlmOutput<'_>>());
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

/// What the model answers, or why it failed.
async fn answer<F, X>(
    model: &F,
    request: &BeforeLlmCall,
    deltas: Deltas<'_>,
) -> Result<LlmResponse, String>
where
    F: AsyncFnOnce(&BeforeLlmCall, Deltas<'_>) -> Result<LlmResponse, X> + Clone,
    X: fmt::Display,
{
    let answer = model.clone()(request, deltas).await;
    answer.map_err(|error| error.to_string())
}

/// Tells hooks of a failure; what to do about it, if one wants the model asked again.
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

/// Tells the model which of its answers a hook rejects, and why.
fn reject(request: &mut BeforeLlmCall, answer: LlmResponse, retry: Retry) {
    // Without a reason there is nothing to tell: the model is asked the same again.
    if retry.feedback.is_none() {
        return;
    }
    let messages = &mut request.messages;
    messages.push(answer.into());
    // Providers refuse a conversation in which a call has no output.
    answer_calls(messages, "the call did not run: its answer was rejected");
    feed_back(request, retry);
}

/// Tells the model what a hook found wrong.
fn feed_back(request: &mut BeforeLlmCall, retry: Retry) {
    let feedback = retry.feedback.map(ChatMessage::user);
    request.messages.extend(feedback);
}
