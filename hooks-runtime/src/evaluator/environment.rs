//! Asks the model that the environment names, for programs whose user has the key.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use hooks_builtin::__caller as caller;
use reqwest::Url;

use super::{Evaluated, Evaluation, Evaluator, EvaluatorError, HttpEvaluator};

/// The variable with the key. No child of the agent inherits it.
pub(crate) const KEY: &str = "HOOKS_EVALUATOR_KEY";

/// All variables that are read.
const VARIABLES: [&str; 5] = [
    "HOOKS_EVALUATOR",
    "HOOKS_EVALUATOR_URL",
    KEY,
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
];

/// The values of the variables.
type Values = [Option<String>; VARIABLES.len()];

/// The default models, if only a key is set.
const ANTHROPIC: &str = "claude-haiku-4-5";
const OPENAI: &str = "gpt-4.1-mini";

/// Asks the model that the environment names. The program `hooks` uses it.
///
/// | variable | |
/// | --- | --- |
/// | `HOOKS_EVALUATOR` | `anthropic:MODEL` or `openai:MODEL`. Without it, the key that is set says whose model is asked: `claude-haiku-4-5` or `gpt-4.1-mini` |
/// | `HOOKS_EVALUATOR_URL` | the URL before `/messages` or `/chat/completions`, with its version, as `http://127.0.0.1:11434/v1`; by default Anthropic's or OpenAI's |
/// | `HOOKS_EVALUATOR_KEY` | the key. Without it, it is `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, which no other URL is sent |
///
/// Each question reads the environment, which in a daemon is that of the process that asks. If it names no model, the question fails, and its error says
/// what to set. So you can check a file with a `prompt` on a machine without a key.
///
/// ```
/// use hooks_runtime::{EnvironmentEvaluator, Runtime};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder()
///     .evaluator(EnvironmentEvaluator::new())
///     .text("[[hooks.on]]\nevent = 'BeforeToolCall'\ntools = 'shell'\nprompt = 'Block what deletes files.'")
///     .build()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct EnvironmentEvaluator(Mutex<Option<(Values, Arc<HttpEvaluator>)>>);

impl EnvironmentEvaluator {
    /// Creates an evaluator. It does not read the environment yet.
    #[must_use]
    pub fn new() -> Self {
        EnvironmentEvaluator::default()
    }

    /// Returns the model, which stays the same as long as the variables do.
    fn evaluator(&self) -> Result<Arc<HttpEvaluator>, EvaluatorError> {
        let values = VARIABLES.map(caller::var);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((then, known)) = &*known
            && *then == values
        {
            return Ok(known.clone());
        }
        let variable = |name: &str| {
            let at = VARIABLES.iter().position(|known| *known == name)?;
            values[at].clone()
        };
        let made = Arc::new(named_by(&variable)?);
        *known = Some((values, made.clone()));
        Ok(made)
    }
}

impl fmt::Debug for EnvironmentEvaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EnvironmentEvaluator")
    }
}

#[async_trait]
impl Evaluator for EnvironmentEvaluator {
    async fn evaluate(&self, evaluation: &Evaluation) -> Result<Evaluated, EvaluatorError> {
        self.evaluator()?.evaluate(evaluation).await
    }

    fn is_ready(&self) -> bool {
        self.evaluator().is_ok()
    }
}

/// Returns the model that the variables name.
fn named_by(variable: &dyn Fn(&str) -> Option<String>) -> Result<HttpEvaluator, EvaluatorError> {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let named = set("HOOKS_EVALUATOR");
    let is_keyed = |name: &str| named.is_none() && set(name).is_some();
    let (api, model) = match &named {
        Some(named) => named.split_once(':').ok_or_else(|| {
            EvaluatorError::NotReached(format!(
                "`HOOKS_EVALUATOR` is `{named}`: write `anthropic:{ANTHROPIC}` or `openai:{OPENAI}`, for example"
            ))
        })?,
        None if is_keyed("ANTHROPIC_API_KEY") => ("anthropic", ANTHROPIC),
        None if is_keyed("OPENAI_API_KEY") => ("openai", OPENAI),
        None => {
            return Err(EvaluatorError::NotReached(
                "no model is configured: set `ANTHROPIC_API_KEY`, `OPENAI_API_KEY` or `HOOKS_EVALUATOR`".into(),
            ));
        }
    };
    let (mut builder, of_api) = match api {
        "anthropic" => (HttpEvaluator::anthropic(model), "ANTHROPIC_API_KEY"),
        "openai" => (HttpEvaluator::openai(model), "OPENAI_API_KEY"),
        other => {
            return Err(EvaluatorError::NotReached(format!(
                "`HOOKS_EVALUATOR` begins with `{other}`: write `anthropic:` or `openai:`"
            )));
        }
    };
    let url = set("HOOKS_EVALUATOR_URL");
    // A key is sent only to its own endpoint.
    let key = set(KEY).or_else(|| set(of_api).filter(|_| url.is_none()));
    builder = match key {
        Some(key) => builder.plain_key(key),
        None if url.is_some() => builder.no_key(),
        // The error names the variable that is missing.
        None => builder,
    };
    if let Some(url) = url {
        if let Ok(parsed) = Url::parse(&url)
            && let Some(host) = parsed.host_str()
            && (host == "localhost" || host == "[::1]" || host.starts_with("127."))
        {
            builder = builder.allow_loopback(host);
        }
        builder = builder.base_url(url);
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(variables: &[(&str, &str)]) -> String {
        let variable = |name: &str| {
            let mut variables = variables.iter();
            let found = variables.find(|(known, _)| *known == name)?;
            Some(found.1.to_owned())
        };
        match named_by(&variable) {
            Ok(evaluator) => format!("{evaluator:?}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_environment_names_the_model() {
        let keys = [("OPENAI_API_KEY", "$o"), ("ANTHROPIC_API_KEY", "a")];
        assert!(shown(&keys).contains("claude-haiku-4-5"));
        assert!(shown(&keys[..1]).contains("api.openai.com"));
        let named = [("HOOKS_EVALUATOR", "openai:gpt-x"), keys[0], keys[1]];
        assert!(shown(&named).contains("\"gpt-x\""));
        let local = [
            ("HOOKS_EVALUATOR", "openai:qwen3:4b"),
            ("HOOKS_EVALUATOR_URL", "http://127.0.0.1:11434/v1"),
        ];
        assert_eq!(
            shown(&local),
            r#"HttpEvaluator { model: "qwen3:4b", url: http://127.0.0.1:11434/…, .. }"#
        );
    }

    #[tokio::test]
    async fn each_process_that_asks_has_its_own_model() {
        let evaluator = EnvironmentEvaluator::new();
        for model in ["openai:one", "openai:two"] {
            let variables = [("HOOKS_EVALUATOR", model), (KEY, "k")];
            let variables = variables.map(|(name, value)| (name.into(), value.into()));
            let asking = caller::Caller::new(variables, "/");
            let made = asking.scope(async { evaluator.evaluator() }).await;
            let (_, name) = model.split_once(':').unwrap();
            assert!(format!("{:?}", made.unwrap()).contains(name));
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        for (variables, expected) in [
            (vec![], "set `ANTHROPIC_API_KEY`"),
            (vec![("ANTHROPIC_API_KEY", " ")], "set `ANTHROPIC_API_KEY`"),
            (
                vec![("HOOKS_EVALUATOR", "haiku")],
                "write `anthropic:claude-haiku-4-5`",
            ),
            (
                vec![("HOOKS_EVALUATOR", "gemini:x")],
                "begins with `gemini`",
            ),
            (
                vec![
                    ("HOOKS_EVALUATOR_URL", "http://10.0.0.1/v1"),
                    ("OPENAI_API_KEY", "k"),
                ],
                "10.0.0.1",
            ),
        ] {
            let shown = shown(&variables);
            assert!(shown.contains(expected), "{shown}");
        }
    }
}
