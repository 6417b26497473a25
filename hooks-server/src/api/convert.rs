//! `/convert`: a hook as TOML and as JSON, with all of its mistakes and their lines. Nothing is saved.

use hooks_config::{ConfigError, Document, Segment};
use hooks_store::{Role, Tenant};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use utoipa::ToSchema;

use super::caller::Caller;
use super::extract::Json;
use super::problem::Problem;

/// The keys with which the text begins.
const FIRST: [&str; 8] = [
    "name", "event", "tools", "matcher", "if", "scope", "mode", "priority",
];

/// A hook in one of its forms.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct Convert {
    /// The hook as TOML: its keys, or a file with one `[[hooks.on]]`.
    toml: Option<String>,
    /// The hook as JSON, instead of `toml`.
    #[schema(value_type = Option<Object>)]
    hook: Option<Value>,
    /// The id of the hook that this is a new version of; by default, it is a new hook.
    id: String,
}

/// A hook in both forms.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Converted {
    /// The hook as TOML.
    pub(crate) toml: String,
    /// The hook as JSON; null if the text is no TOML.
    pub(crate) hook: Value,
    /// All of its mistakes.
    pub(crate) errors: Vec<TextError>,
}

/// A mistake, with its line.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct TextError {
    /// Where it is, as a JSON Pointer into the hook.
    pub(crate) path: String,
    /// The line of the TOML, from 1, if it is about a line.
    pub(crate) line: Option<usize>,
    /// What is wrong.
    pub(crate) message: String,
    /// What to write instead.
    pub(crate) help: Option<String>,
}

/// Converts a hook between TOML and JSON, and finds all of its mistakes as saving does.
#[utoipa::path(post, path = "/convert", request_body = Convert, responses((status = 200, body = Converted)))]
pub(super) async fn post(
    caller: Caller,
    asked: Json<Convert>,
) -> Result<axum::Json<Converted>, Problem> {
    caller.at_least(Role::Author)?;
    let asked = asked.read().await?;
    let (tenant, id) = (&caller.tenant, &asked.id);
    let converted = match (asked.toml, asked.hook) {
        (Some(text), None) => of_toml(tenant, id, text).await?,
        (None, Some(hook)) => of_hook(tenant, id, hook).await?,
        _ => return Err(Problem::at("", "send either `toml` or `hook`")),
    };
    Ok(axum::Json(converted))
}

/// Converts a hook to TOML.
pub(crate) async fn of_hook(tenant: &Tenant, id: &str, hook: Value) -> Result<Converted, Problem> {
    match write(&hook) {
        Ok(text) => of_toml(tenant, id, text).await,
        Err(error) => Ok(Converted {
            toml: String::new(),
            hook,
            errors: vec![error],
        }),
    }
}

/// Writes a hook as TOML.
pub(crate) fn write(hook: &Value) -> Result<String, TextError> {
    toml::to_string_pretty(&Sorted(hook)).map_err(|error| TextError {
        path: String::new(),
        line: None,
        message: format!("TOML cannot say it: {error}"),
        help: Some("change the hook as JSON, through the API".to_owned()),
    })
}

/// Converts a hook from TOML.
pub(crate) async fn of_toml(tenant: &Tenant, id: &str, text: String) -> Result<Converted, Problem> {
    let (place, hook, document) = match read(&text) {
        Ok(read) => read,
        Err(error) => {
            return Ok(Converted {
                toml: text,
                hook: Value::Null,
                errors: error.mistakes().map(TextError::from).collect(),
            });
        }
    };
    let mistakes = tenant.mistakes(&hook, id).await?.into_iter();
    let errors = mistakes.map(|mistake| TextError {
        line: line(&document, place.clone(), &mistake.path),
        path: mistake.path,
        message: mistake.message,
        help: mistake.help,
    });
    Ok(Converted {
        errors: errors.collect(),
        toml: text,
        hook,
    })
}

/// The hook of a text; nothing if it is no TOML.
pub(crate) fn hook(text: &str) -> Option<Value> {
    read(text).ok().map(|(_, hook, _)| hook)
}

/// Reads a text: where the hook stands, and the hook.
fn read(text: &str) -> Result<(Vec<Segment>, Value, Document), ConfigError> {
    let document = Document::toml(text)?;
    let value: Value = document.settings()?;
    if value.get("hooks").is_none() {
        return Ok((Vec::new(), value, document));
    }
    let hooks = value["hooks"]["on"].as_array();
    if let Some([hook]) = hooks.map(Vec::as_slice) {
        let place = vec!["hooks".into(), "on".into(), 0.into()];
        return Ok((place, hook.clone(), document));
    }
    let help = "write one `[[hooks.on]]`, or the keys of the hook alone";
    Err(document.mistake(
        &["hooks".into()],
        "this is the text of one hook",
        Some(help),
    ))
}

/// The line of a JSON Pointer, below a place.
fn line(document: &Document, mut place: Vec<Segment>, pointer: &str) -> Option<usize> {
    let steps = pointer
        .split('/')
        .skip(1)
        .map(|step| match step.parse::<usize>() {
            Ok(index) => index.into(),
            Err(_) => step.into(),
        });
    place.extend(steps);
    (!pointer.is_empty()).then(|| document.line(&place))
}

impl From<&ConfigError> for TextError {
    fn from(error: &ConfigError) -> Self {
        TextError {
            path: String::new(),
            line: error.line(),
            message: error.message().to_owned(),
            help: error.help().map(str::to_owned),
        }
    }
}

/// A hook, with the keys that people look for first at its head.
struct Sorted<'a>(&'a Value);

impl Serialize for Sorted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut keys: Vec<_> = self.0.as_object().into_iter().flatten().collect();
        keys.sort_by_key(|(key, _)| {
            let place = FIRST.iter().position(|first| first == key);
            place.unwrap_or(FIRST.len())
        });
        serializer.collect_map(keys)
    }
}
