//! Models behind an HTTP endpoint, with the API of OpenAI or of Anthropic.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use hooks_builtin::ssrf::{Endpoint, Guard};
use hooks_core::agent::{ToolCall, Usage};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value, json};

use super::{Evaluated, Evaluation, Evaluator, EvaluatorError};
use crate::fault::FaultKind;
use crate::request::{LONGEST, header_value, loopback, read};
use crate::secrets::{EnvironmentSecrets, Mask, Replaced, SecretText, Secrets};

/// Asks a model over HTTP, with the API of OpenAI or of Anthropic. Many other endpoints are compatible with OpenAI's.
///
/// It forces the model to call the tool. Requests go through the guard of [`hooks_builtin::ssrf`]. They are not
/// retried, because a hook has little time.
///
/// ```
/// use hooks_runtime::HttpEvaluator;
///
/// // The key is in the environment, as `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`.
/// # let key = "secret";
/// let hosted = HttpEvaluator::anthropic("claude-haiku-4-5").key(key).build()?;
///
/// // A model on this machine, which wants none.
/// let local = HttpEvaluator::openai("qwen3:4b")
///     .base_url("http://127.0.0.1:11434/v1")
///     .allow_loopback("127.0.0.1:11434")
///     .no_key()
///     .build()?;
/// assert_eq!(format!("{local:?}"), r#"HttpEvaluator { model: "qwen3:4b", url: http://127.0.0.1:11434/…, .. }"#);
/// # Ok::<(), hooks_runtime::EvaluatorError>(())
/// ```
pub struct HttpEvaluator {
    api: Api,
    model: String,
    endpoint: Endpoint,
    key: Option<SecretText>,
    secrets: Arc<dyn Secrets>,
    options: Map<String, Value>,
}

/// The API of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Api {
    OpenAi,
    Anthropic,
}

const OPENAI: &str = "https://api.openai.com/v1";
const ANTHROPIC: &str = "https://api.anthropic.com/v1";

/// Builds an [`HttpEvaluator`].
#[must_use = "nothing is made before `build`"]
pub struct HttpEvaluatorBuilder {
    api: Api,
    model: String,
    base_url: String,
    key: Option<SecretText>,
    loopback: Vec<String>,
    guard: Guard,
    secrets: Arc<dyn Secrets>,
    options: Map<String, Value>,
}

impl HttpEvaluator {
    /// Uses a model behind `/chat/completions` of [OpenAI](https://api.openai.com), or of a compatible endpoint.
    pub fn openai(model: impl Into<String>) -> HttpEvaluatorBuilder {
        HttpEvaluatorBuilder::new(Api::OpenAi, model.into(), OPENAI, "$OPENAI_API_KEY")
    }

    /// Uses a model behind `/messages` of [Anthropic](https://api.anthropic.com), or of a compatible endpoint.
    pub fn anthropic(model: impl Into<String>) -> HttpEvaluatorBuilder {
        HttpEvaluatorBuilder::new(
            Api::Anthropic,
            model.into(),
            ANTHROPIC,
            "$ANTHROPIC_API_KEY",
        )
    }
}

impl HttpEvaluatorBuilder {
    fn new(api: Api, model: String, base_url: &str, key: &str) -> Self {
        HttpEvaluatorBuilder {
            api,
            model,
            base_url: base_url.to_owned(),
            key: Some(SecretText::parse(key, &Replaced::All)),
            loopback: Vec::new(),
            guard: Guard::new(),
            secrets: Arc::new(EnvironmentSecrets),
            options: Map::new(),
        }
    }

    /// Sets the URL before `/chat/completions` or `/messages`, with its version: `https://api.example.com/v1`.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = url.into();
        self
    }

    /// Sets the key: the key itself, `secret:NAME`, or `$NAME` for an environment variable. The default is
    /// `$OPENAI_API_KEY` or `$ANTHROPIC_API_KEY`.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(SecretText::parse(&key.into(), &Replaced::All));
        self
    }

    /// Sets the key itself, whatever characters it contains.
    pub(super) fn plain_key(mut self, key: String) -> Self {
        self.key = Some(SecretText::parse(&key, &Replaced::Nothing));
        self
    }

    /// Asks without a key.
    pub fn no_key(mut self) -> Self {
        self.key = None;
        self
    }

    /// Sets where the values of `secret:NAME` come from. The default is the environment.
    pub fn secrets(mut self, secrets: impl Secrets + 'static) -> Self {
        self.secrets = Arc::new(secrets);
        self
    }

    /// Allows a host on loopback, such as `127.0.0.1:11434`, also without TLS.
    pub fn allow_loopback(mut self, host: impl Into<String>) -> Self {
        self.loopback.push(host.into());
        self
    }

    /// Sets which URLs may be called. The default is public ones.
    pub fn guard(mut self, guard: Guard) -> Self {
        self.guard = guard;
        self
    }

    /// Sets a key of each request's body, or removes it with `null`, for example for models without `temperature`.
    ///
    /// ```
    /// use hooks_runtime::HttpEvaluator;
    /// use serde_json::{Value, json};
    ///
    /// let builder = HttpEvaluator::openai("gpt-5-mini")
    ///     .option("temperature", Value::Null)
    ///     .option("reasoning_effort", json!("minimal"));
    /// ```
    pub fn option(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.options.insert(key.into(), value.into());
        self
    }

    /// Builds the evaluator.
    ///
    /// # Errors
    ///
    /// If the URL is refused, the key is missing, or TLS cannot be set up.
    pub fn build(self) -> Result<HttpEvaluator, EvaluatorError> {
        let path = match self.api {
            Api::OpenAi => "chat/completions",
            Api::Anthropic => "messages",
        };
        let url = format!("{}/{path}", self.base_url.trim_end_matches('/'));
        let not_reached = EvaluatorError::NotReached;
        let loopback = loopback(&url, &self.loopback).map_err(not_reached)?;
        let guard = self.guard.allow_loopback(loopback);
        let endpoint = guard
            .endpoint(&url, LONGEST)
            .map_err(|error| not_reached(error.to_string()))?;
        let evaluator = HttpEvaluator {
            api: self.api,
            model: self.model,
            endpoint,
            key: self.key,
            secrets: self.secrets,
            options: self.options,
        };
        evaluator.headers(&mut Mask::default())?;
        Ok(evaluator)
    }
}

impl HttpEvaluator {
    fn headers(&self, mask: &mut Mask) -> Result<HeaderMap, EvaluatorError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.api == Api::Anthropic {
            let version = HeaderName::from_static("anthropic-version");
            headers.insert(version, HeaderValue::from_static("2023-06-01"));
        }
        let Some(key) = &self.key else {
            return Ok(headers);
        };
        let key = key.fill(&*self.secrets, mask).map_err(|missing| {
            EvaluatorError::NotReached(format!(
                "{missing}, which holds the key: {}",
                missing.help()
            ))
        })?;
        mask.hide(key.clone());
        let (name, value) = match self.api {
            Api::OpenAi => (AUTHORIZATION, format!("Bearer {key}")),
            Api::Anthropic => (HeaderName::from_static("x-api-key"), key),
        };
        let value = header_value(&value)
            .map_err(|error| EvaluatorError::NotReached(format!("the key: {error}")))?;
        headers.insert(name, value);
        Ok(headers)
    }
}

impl fmt::Debug for HttpEvaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpEvaluator")
            .field("model", &self.model)
            .field("url", self.endpoint.url())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for HttpEvaluatorBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpEvaluatorBuilder")
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Evaluator for HttpEvaluator {
    async fn evaluate(&self, evaluation: &Evaluation) -> Result<Evaluated, EvaluatorError> {
        let mut body = self
            .api
            .request(&self.model, evaluation, self.endpoint.url().host());
        for (key, value) in &self.options {
            match value {
                Value::Null => drop(body.remove(key)),
                value => drop(body.insert(key.clone(), value.clone())),
            }
        }
        let mut mask = Mask::default();
        let request = self.endpoint.post().headers(self.headers(&mut mask)?);
        let request = request.body(Value::Object(body).to_string());
        let (status, body) =
            read(request.send(), &mask)
                .await
                .map_err(|broken| match broken.fault.kind {
                    FaultKind::NotStarted => EvaluatorError::NotReached(broken.fault.message),
                    _ => EvaluatorError::Nonsense(broken.fault.message),
                })?;
        if !(200..300).contains(&status) {
            return Err(EvaluatorError::Status(status));
        }
        let answer: Value = serde_json::from_slice(&body).map_err(|error| {
            EvaluatorError::Nonsense(format!("the model's answer is not JSON: {error}"))
        })?;
        self.api.answer(&answer).ok_or_else(|| {
            EvaluatorError::Nonsense("the answer contains no message of a model".into())
        })
    }
}

impl Api {
    fn request(self, model: &str, evaluation: &Evaluation, host: &str) -> Map<String, Value> {
        let Evaluation {
            system,
            tool,
            max_tokens,
            temperature,
            ..
        } = evaluation;
        let model = evaluation.model.as_deref().unwrap_or(model);
        let user = json!({ "role": "user", "content": evaluation.user_text() });
        let mut body = match self {
            Api::OpenAi => {
                // OpenAI's own newer models accept only this name. Many compatible endpoints accept only the older one.
                let most = if host == "api.openai.com" {
                    "max_completion_tokens"
                } else {
                    "max_tokens"
                };
                json!({
                    "messages": [{ "role": "system", "content": system }, user],
                    "tools": [{
                        "type": "function",
                        "function": {
                            "name": tool.name,
                            "description": tool.description,
                            "parameters": tool.parameters,
                        },
                    }],
                    "tool_choice": { "type": "function", "function": { "name": tool.name } },
                    most: max_tokens,
                })
            }
            Api::Anthropic => json!({
                "system": system,
                "messages": [user],
                "tools": [{
                    "name": tool.name,
                    "description": tool.description,
                    "input_schema": tool.parameters,
                }],
                "tool_choice": { "type": "tool", "name": tool.name, "disable_parallel_tool_use": true },
                "max_tokens": max_tokens,
            }),
        };
        body["model"] = json!(model);
        body["temperature"] = json!(temperature);
        match body {
            Value::Object(body) => body,
            _ => Map::new(),
        }
    }

    fn answer(self, answer: &Value) -> Option<Evaluated> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut evaluated = Evaluated::default();
        let (input, output) = match self {
            Api::OpenAi => {
                let message = answer["choices"].get(0)?["message"].as_object()?;
                evaluated.text = message.get("content").map(text).unwrap_or_default();
                let calls = message.get("tool_calls").and_then(Value::as_array);
                for call in calls.into_iter().flatten() {
                    let function = &call["function"];
                    let args = match &function["arguments"] {
                        // Arguments that are not JSON stay a string, which is not a decision.
                        Value::String(args) => {
                            serde_json::from_str(args).unwrap_or_else(|_| json!(args))
                        }
                        other => other.clone(),
                    };
                    let call = ToolCall::new(text(&call["id"]), text(&function["name"]), args);
                    evaluated.calls.push(call);
                }
                ("prompt_tokens", "completion_tokens")
            }
            Api::Anthropic => {
                for part in answer["content"].as_array()? {
                    match part["type"].as_str() {
                        Some("text") => evaluated.text.push_str(&text(&part["text"])),
                        Some("tool_use") => {
                            let args = part["input"].clone();
                            let call = ToolCall::new(text(&part["id"]), text(&part["name"]), args);
                            evaluated.calls.push(call);
                        }
                        _ => {}
                    }
                }
                ("input_tokens", "output_tokens")
            }
        };
        let usage = &answer["usage"];
        let count = |key: &str| usage[key].as_u64();
        if let (Some(input), Some(output)) = (count(input), count(output)) {
            let cached = match self {
                Api::OpenAi => 0,
                Api::Anthropic => {
                    count("cache_read_input_tokens").unwrap_or_default()
                        + count("cache_creation_input_tokens").unwrap_or_default()
                }
            };
            evaluated.usage = Some(Usage::new(input + cached, output));
        }
        Some(evaluated)
    }
}
