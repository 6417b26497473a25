//! The driver of a turn: from a prompt to the agent's final answer.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::mem;

use super::super::{
    AgentContext, AgentEnd, AgentError, AgentHooks, AgentStart, AgentStatus, BeforeLlmCall,
    BeforeModelResolve, BeforePromptBuild, BeforeStop, BeforeToolCall, ChatMessage, LlmResponse,
    Role, ToolAnnotations, ToolDefinition, ToolOutput, Usage,
};
use super::answers::answer_calls;
use super::calls::{AtOnce, Calls, INTERRUPTED, OneByOne};
use super::clock::Stopwatch;
use super::llm::{Deltas, call_model};
use super::takes::{AreHooks, IsModel, IsTool};
use super::{MAX_RETRIES, RunError};
use crate::once::{Once, Verdict};
use crate::{HookResult, Scope};

/// A conversation with a model, over any number of turns. [`run_turn`] takes it.
///
/// ```
/// use hooks_core::agent::{Conversation, ToolDefinition};
/// use serde_json::json;
///
/// let conversation = Conversation::new("openai", "large")
///     .with_prompt("You are a careful coder.")
///     .with_tools([ToolDefinition::new("list", "Lists the files", json!({ "type": "object" }))]);
/// assert_eq!(conversation.max_llm_calls, 50);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    /// The request to the model: provider, model, messages, tools, options. Hooks change it in place.
    pub request: BeforeLlmCall,
    /// The system prompt, before hooks on `BeforePromptBuild` see it. Empty, the default, means none.
    pub prompt: String,
    /// What is known about the tools, by their names. The events of their calls carry it. Empty by default.
    pub annotations: BTreeMap<String, ToolAnnotations>,
    /// Text for the model to read besides the next prompt, as system messages: what hooks add to `SessionStart` and
    /// `MessageReceived`. The next [`run_turn`] takes it.
    pub context: Vec<String>,
    /// How many answers of the model a turn may take, not counting those that hooks reject; 50 by default. A turn
    /// that needs more fails.
    pub max_llm_calls: u32,
}

impl Default for Conversation {
    fn default() -> Self {
        Conversation {
            request: BeforeLlmCall::default(),
            prompt: String::new(),
            annotations: BTreeMap::new(),
            context: Vec::new(),
            max_llm_calls: 50,
        }
    }
}

impl Conversation {
    /// An empty conversation with a model.
    #[must_use]
    pub fn new(provider: impl Into<String>, model: impl Into<String>) -> Self {
        Conversation {
            request: BeforeLlmCall::new(provider, model, Vec::new()),
            ..Conversation::default()
        }
    }

    /// Sets the system prompt.
    #[must_use]
    pub fn with_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.prompt = prompt.into();
        self
    }

    /// Sets the tools that the model may call.
    #[must_use]
    pub fn with_tools(mut self, tools: impl IntoIterator<Item = ToolDefinition>) -> Self {
        self.request.tools = tools.into_iter().collect();
        self
    }

    /// Sets what is known about a tool.
    ///
    /// ```
    /// use hooks_core::agent::{Conversation, ToolAnnotations};
    ///
    /// let read_only = ToolAnnotations { read_only: Some(true), ..ToolAnnotations::default() };
    /// let conversation = Conversation::new("openai", "large").with_annotations("list", read_only);
    /// assert_eq!(conversation.annotations["list"], read_only);
    /// ```
    #[must_use]
    pub fn with_annotations(
        mut self,
        tool: impl Into<String>,
        annotations: ToolAnnotations,
    ) -> Self {
        self.annotations.insert(tool.into(), annotations);
        self
    }

    /// Sets the messages so far.
    #[must_use]
    pub fn with_messages(mut self, messages: impl IntoIterator<Item = ChatMessage>) -> Self {
        self.request.messages = messages.into_iter().collect();
        self
    }

    /// Puts the system prompt first.
    fn instruct(&mut self, prompt: String) {
        let messages = &mut self.request.messages;
        let has_one = messages
            .first()
            .is_some_and(|first| first.role == Role::System);
        match (has_one, prompt.is_empty()) {
            (true, false) => messages[0] = ChatMessage::system(prompt),
            (false, false) => messages.insert(0, ChatMessage::system(prompt)),
            // A hook has removed it.
            (true, true) if !self.prompt.is_empty() => {
                messages.remove(0);
            }
            (_, true) => {}
        }
    }

    /// Adds the hooks' context for the model to read.
    pub(super) fn add_context(&mut self, context: impl IntoIterator<Item = String>) {
        let context = context.into_iter().map(ChatMessage::system);
        self.request.messages.extend(context);
    }
}

/// The outcome of a turn: what [`run_turn`] returns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnResult {
    /// The agent's answer.
    pub response: String,
    /// What all answers of the model used.
    pub usage: Usage,
}

/// Works on a prompt until the model makes no more calls: raises all events of a turn, and carries out what hooks
/// decide.
///
/// It calls the model with [`run_llm_call`](super::run_llm_call) and each tool with
/// [`run_tool_call`](super::run_tool_call), one after the other: [`run_turn_concurrent`] runs them at the same time. It keeps the conversation: the prompt, the model's answers, the tools' outputs, and the `context` that
/// hooks add, which the model reads as system messages. A call of a tool that [`Conversation`] does not name goes
/// through [`run_invalid_tool_call`](super::run_invalid_tool_call). If the outputs of all calls of an answer say that the user has the answer
/// ([`response_handled`](ToolOutput::response_handled)), the turn ends with an empty one. If a hook ends the turn in the middle of several tool calls, the remaining
/// calls raise `ToolCallSkipped`. Whatever the outcome of a turn, you can continue the conversation: each of its
/// calls has an output, even if it only says why the call did not run.
///
/// ```
/// use hooks_core::agent::{
///     AgentContext, BeforeToolCall, Conversation, LlmResponse, Role, ToolCall, ToolDefinition, ToolOutput,
///     run_turn,
/// };
/// use hooks_core::{hook, hooks};
/// use serde_json::json;
///
/// #[hook]
/// fn context(call: &mut BeforeToolCall) { call.context.push("It is Monday.".into()); }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let mut conversation = Conversation::new("script", "script")
///     .with_tools([ToolDefinition::new("list", "Lists the files", json!({ "type": "object" }))]);
/// let done = run_turn(
///     &hooks![context],
///     &AgentContext::new("s1"),
///     &mut conversation,
///     "Which files are there?",
///     async |request, _deltas| {
///         Ok::<_, String>(match request.messages.last() {
///             Some(last) if last.role == Role::User => LlmResponse {
///                 tool_calls: vec![ToolCall::new("1", "list", json!({}))],
///                 ..LlmResponse::default()
///             },
///             _ => LlmResponse::new("There is a.txt."),
///         })
///     },
///     async |_: &BeforeToolCall| ToolOutput::new("a.txt"),
/// )
/// .await
/// .unwrap();
/// assert_eq!(done.response, "There is a.txt.");
/// let said: Vec<_> = conversation.request.messages.iter().map(|message| message.content.as_str()).collect();
/// assert_eq!(said, ["Which files are there?", "", "a.txt", "It is Monday.", "There is a.txt."]);
/// # }
/// ```
///
/// # Errors
///
/// If a hook blocked an event that the turn needs, or aborted the turn or the run; or if the model failed. The
/// conversation keeps everything up to that point.
pub fn run_turn<H, M, T, X, K1, K2, K3>(
    hooks: &H,
    cx: &AgentContext,
    conversation: &mut Conversation,
    prompt: impl Into<String>,
    model: M,
    tool: T,
) -> Once<(K1, K2, K3), impl Future<Output = Result<TurnResult, RunError>>>
where
    H: AreHooks<K1>,
    M: IsModel<X, K2>,
    T: IsTool<K3>,
    X: fmt::Display,
    (K1, K2, K3): Verdict,
{
    <(K1, K2, K3)>::of(turn::<OneByOne, _>(
        hooks,
        cx,
        conversation,
        prompt,
        model,
        tool,
    ))
}

/// Works on a prompt as [`run_turn`] does, and runs the tool calls of one answer at the same time: at most eight.
///
/// The calls begin in their order. Their events interleave, but each call raises its own in the order of
/// [`run_tool_call`](super::run_tool_call), and the model reads the outputs in the order of the calls, whichever ends
/// first. Hooks see several calls at once, so their state needs a lock or an atomic.
///
/// Nothing is spawned and nothing is boxed: the calls run within the future of the turn. So a tool that blocks its thread
/// holds up the others, and the future is large, because it has room for eight calls. A task holds it on the heap;
/// elsewhere you may write `Box::pin(run_turn_concurrent(…)).await`.
///
/// If a hook ends the turn on one call, the others are dropped where they are. Each raises `ToolCallSkipped`, unless hooks
/// have heard of its end already, and its output for the model is the hook's reason.
///
/// ```
/// use hooks_core::agent::{
///     AgentContext, BeforeToolCall, Conversation, LlmResponse, Role, RunError, ToolCall, ToolDefinition,
///     ToolOutput, run_turn_concurrent,
/// };
/// use hooks_core::hooks;
/// use serde_json::json;
/// use tokio::sync::Barrier;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
/// let mut conversation = Conversation::new("script", "script")
///     .with_tools([ToolDefinition::new("fetch", "Fetches a page", json!({ "type": "object" }))]);
/// let both = Barrier::new(2);
/// let done = run_turn_concurrent(
///     &hooks![],
///     &AgentContext::new("s1"),
///     &mut conversation,
///     "Compare the two pages.",
///     async |request, _deltas| {
///         Ok::<_, String>(match request.messages.last() {
///             Some(last) if last.role == Role::User => LlmResponse {
///                 tool_calls: ["1", "2"].map(|id| ToolCall::new(id, "fetch", json!({}))).into(),
///                 ..LlmResponse::default()
///             },
///             _ => LlmResponse::new("They are the same."),
///         })
///     },
///     async |call: &BeforeToolCall| {
///         both.wait().await; // each call waits for the other
///         ToolOutput::new(format!("page {}", call.id))
///     },
/// )
/// .await?;
/// assert_eq!(done.response, "They are the same.");
/// let outputs: Vec<_> = conversation.request.messages[2..4].iter().map(|one| one.content.as_str()).collect();
/// assert_eq!(outputs, ["page 1", "page 2"]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`run_turn`].
pub fn run_turn_concurrent<H, M, T, X, K1, K2, K3>(
    hooks: &H,
    cx: &AgentContext,
    conversation: &mut Conversation,
    prompt: impl Into<String>,
    model: M,
    tool: T,
) -> Once<(K1, K2, K3), impl Future<Output = Result<TurnResult, RunError>>>
where
    H: AreHooks<K1>,
    M: IsModel<X, K2>,
    T: IsTool<K3>,
    X: fmt::Display,
    (K1, K2, K3): Verdict,
{
    <(K1, K2, K3)>::of(turn::<AtOnce, _>(
        hooks,
        cx,
        conversation,
        prompt,
        model,
        tool,
    ))
}

/// A turn, with the events of its start and its end.
async fn turn<C: Calls, X: fmt::Display>(
    hooks: &impl AgentHooks,
    cx: &AgentContext,
    conversation: &mut Conversation,
    prompt: impl Into<String>,
    model: impl AsyncFnOnce(&BeforeLlmCall, Deltas<'_>) -> Result<LlmResponse, X> + Clone,
    tool: impl AsyncFnOnce(&BeforeToolCall) -> ToolOutput + Clone,
) -> Result<TurnResult, RunError> {
    let prompt = prompt.into();
    hooks.observe(cx, &AgentStart { prompt: &prompt }).await;
    let clock = Stopwatch::start(hooks.handles::<AgentEnd<'_>>());
    let mut usage = Usage::default();
    let result = work::<C, _>(hooks, cx, conversation, prompt, &mut usage, model, tool).await;

    let (response, status) = match &result {
        Ok(response) => (response.as_str(), AgentStatus::Completed),
        Err(RunError::Cancelled(_)) => ("", AgentStatus::Aborted),
        Err(RunError::Failed(message)) => {
            let error = AgentError {
                stage: "model",
                message,
            };
            hooks.observe(cx, &error).await;
            ("", AgentStatus::Failed)
        }
    };
    let end = AgentEnd {
        response,
        status,
        usage,
        duration: clock.elapsed(),
    };
    hooks.observe(cx, &end).await;
    result.map(|response| TurnResult { response, usage })
}

/// The work between the start of a turn and its end.
async fn work<C: Calls, X: fmt::Display>(
    hooks: &impl AgentHooks,
    cx: &AgentContext,
    conversation: &mut Conversation,
    prompt: String,
    usage: &mut Usage,
    model: impl AsyncFnOnce(&BeforeLlmCall, Deltas<'_>) -> Result<LlmResponse, X> + Clone,
    tool: impl AsyncFnOnce(&BeforeToolCall) -> ToolOutput + Clone,
) -> Result<String, RunError> {
    // The conversation keeps its state until the hooks are done, because this future may be dropped while they run.
    if hooks.handles::<BeforeModelResolve>() {
        let request = &mut conversation.request;
        let mut resolve = BeforeModelResolve {
            provider: request.provider.clone(),
            model: request.model.clone(),
        };
        hooks.intercept(cx, &mut resolve).await.into_result()?;
        request.provider = resolve.provider;
        request.model = resolve.model;
    }
    // An earlier turn may have been dropped in the middle of its calls.
    let messages = &mut conversation.request.messages;
    answer_calls(messages, INTERRUPTED);
    let mut build = BeforePromptBuild {
        prompt: conversation.prompt.clone(),
    };
    hooks.intercept(cx, &mut build).await.into_result()?;
    conversation.instruct(build.prompt);
    conversation
        .request
        .messages
        .push(ChatMessage::user(prompt));
    let context = mem::take(&mut conversation.context);
    conversation.add_context(context);

    let mut sent_on = 0;
    for _ in 0..conversation.max_llm_calls {
        let request = &mut conversation.request;
        let answer = call_model(hooks, cx, request, usage, &model).await?;
        let mut response = answer.response;
        let calls = mem::take(&mut response.tool_calls);
        let said = ChatMessage::from(response).with_tool_calls(calls.iter().cloned());
        let is_answer = calls.is_empty();
        let text = if is_answer {
            said.content.clone()
        } else {
            String::new()
        };
        conversation.request.messages.push(said);
        if !is_answer && !C::run(hooks, cx, conversation, calls, &tool).await? {
            continue;
        }
        let mut stop = BeforeStop::new(text.as_str(), sent_on);
        match hooks.intercept(cx, &mut stop).await {
            HookResult::Cancel(cancel) if cancel.scope > Scope::Event => return Err(cancel.into()),
            HookResult::Cancel(cancel) if sent_on < MAX_RETRIES => {
                sent_on += 1;
                let feedback = ChatMessage::user(cancel.reason);
                conversation.request.messages.push(feedback);
            }
            _ => {
                // The agent's answer becomes the last message, so that the next turn sees it too.
                let messages = &mut conversation.request.messages;
                match messages.last_mut() {
                    _ if stop.response == text => {}
                    Some(said) if is_answer => said.content.clone_from(&stop.response),
                    _ => messages.push(ChatMessage::assistant(stop.response.as_str())),
                }
                return Ok(stop.response);
            }
        }
    }
    Err(RunError::Failed(format!(
        "the turn made more than {} model calls",
        conversation.max_llm_calls
    )))
}
