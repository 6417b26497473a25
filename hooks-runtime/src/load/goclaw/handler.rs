//! What a hook of GoClaw runs: a command, an endpoint or a model.

use std::sync::Arc;

use hooks_config::ConfigError;
use reqwest::Url;
use serde_json::{Map, Value, json};

use super::{Edition, HookPlace};
use crate::definition::{Body, DefinitionState};
use crate::entry::{CommandEntry, EnvEntry, PromptEntry};
use crate::handler::{SettingsMistake, command, http, prompt};
use crate::load::Loader;
use crate::load::closed::Unusable;
use crate::secrets::Replaced;
use crate::system::Dialect;

impl Loader<'_> {
    #[expect(clippy::too_many_lines, reason = "an arm for each type of handler")]
    /// Returns the handler.
    pub(super) fn goclaw_body(
        &mut self,
        place: &HookPlace<'_>,
        kind: &str,
        config: &Map<String, Value>,
        value: &Value,
        name: &str,
        is_filtered: bool,
    ) -> Result<(Body, Arc<DefinitionState>), ConfigError> {
        let dialect = Dialect::Goclaw;
        let making = self.making(place.document.file());
        let text = |key: &str| config.get(key).and_then(Value::as_str).map(str::to_owned);
        let key = json!(["goclaw", kind, config, value, name, &making.folder]);
        let made = match kind {
            "command" if self.plan.edition == Edition::Standard => {
                return Err(place.wrong(
                    &["handler_type"],
                    "commands run on the edition `lite` only: this one does not run",
                    Some("use `http` or `prompt`, or `.edition(Edition::Lite)`"),
                ));
            }
            "command" => {
                let Some(run) = text("command").filter(|run| !run.trim().is_empty()) else {
                    return Err(place.wrong(
                        &["config"],
                        "the hook has no command",
                        Some("write `\"config\": { \"command\": \"…\" }`"),
                    ));
                };
                let names = config.get("allowed_env_vars").and_then(Value::as_array);
                let names = names
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .map(str::to_owned);
                let entry = CommandEntry {
                    run: Some(run),
                    cwd: text("cwd").filter(|cwd| !cwd.is_empty()).map(Into::into),
                    env: EnvEntry {
                        inherit: names.collect(),
                        ..EnvEntry::default()
                    },
                    ..CommandEntry::default()
                };
                self.handler(&key, || command::make(&entry, dialect, &making))
            }
            "http" => {
                let Some(url) = text("url") else {
                    return Err(place.wrong(
                        &["config"],
                        "the hook has no URL",
                        Some("write `\"config\": { \"url\": \"https://…\" }`"),
                    ));
                };
                let headers = config.get("headers").and_then(Value::as_object);
                let headers = headers.into_iter().flatten();
                let settings = http::HttpSettings {
                    url,
                    headers: headers
                        .filter_map(|(name, value)| {
                            Some((name.clone(), value.as_str()?.to_owned()))
                        })
                        .collect(),
                    retries: Some(1),
                    replaced: Replaced::Whole,
                    ..http::HttpSettings::default()
                };
                // GoClaw looks at a host when the hook runs. So one that is refused is a hook that fails, and blocks.
                if Url::parse(&settings.url).is_ok()
                    && let Err(refused) = making.services.guard.check(&settings.url)
                {
                    let why = format!("the URL is refused: {refused}");
                    let wrong = place.wrong(&["config", "url"], &why, None);
                    self.note_left_out(format!("the hook always fails: {wrong}"));
                    return Ok((Body::Handler(Unusable::because(why)), Arc::default()));
                }
                self.handler(&key, || {
                    http::with(&settings, dialect, &making).map(|(handler, _)| handler)
                })
            }
            "prompt" if !is_filtered => {
                return Err(place.wrong(
                    &[],
                    "a hook that asks a model needs `matcher` or `if_expr`",
                    Some("write `\"matcher\": \"^(exec|shell)$\"`, for example"),
                ));
            }
            "prompt" => {
                let Some(template) = text("prompt_template") else {
                    return Err(place.wrong(
                        &["config"],
                        "the hook has no prompt",
                        Some("write `\"config\": { \"prompt_template\": \"…\" }`"),
                    ));
                };
                let most = config
                    .get("max_invocations_per_turn")
                    .and_then(Value::as_u64);
                let entry = PromptEntry {
                    template,
                    model: text("model"),
                    max_per_turn: most.and_then(|most| u32::try_from(most).ok()?.try_into().ok()),
                    ..PromptEntry::default()
                };
                self.handler(&key, || prompt::make(&entry, dialect, &making))
            }
            "script" => {
                return Err(place.wrong(
                    &["handler_type"],
                    "hooks of the type `script` are not supported here",
                    Some("write the decision as a rule: `if` and `block`"),
                ));
            }
            other => {
                return Err(place.wrong(
                    &["handler_type"],
                    format!("`{other}` is not a type of hook"),
                    Some("write `command`, `http` or `prompt`"),
                ));
            }
        };
        made.map_err(
            |SettingsMistake {
                 keys,
                 message,
                 help,
                 ..
             }| {
                let mut path = vec!["config"];
                path.extend(keys.iter().map(String::as_str));
                place.wrong(&path, message, help.as_deref())
            },
        )
    }
}
