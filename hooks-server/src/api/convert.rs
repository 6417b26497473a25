//! `/convert`: a hook as TOML and as JSON, with all of its mistakes and their lines. Nothing is saved.

use hooks_config::{ConfigError, Document, Segment};
use hooks_store::{LONGEST_HOOK, Role, Tenant};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use utoipa::ToSchema;

use super::aside::aside;
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
    /// The hook as TOML: the keys of `[[hooks.on]]`.
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
    /// All of its mistakes, in the order of their lines.
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
        Ok(text) => Ok(Converted {
            hook,
            ..of_toml(tenant, id, text).await?
        }),
        Err(error) => {
            let message = format!("TOML cannot say it: {error}");
            Ok(Converted {
                toml: String::new(),
                hook,
                errors: vec![TextError::new("", None, message, None)],
            })
        }
    }
}

/// Writes a hook as TOML.
pub(crate) fn write(hook: &Value) -> Result<String, toml::ser::Error> {
    toml::to_string_pretty(&Sorted(hook))
}

/// Converts a hook from TOML, aside: its mistakes are found as saving finds them.
pub(crate) async fn of_toml(tenant: &Tenant, id: &str, toml: String) -> Result<Converted, Problem> {
    if toml.len() > LONGEST_HOOK {
        let (length, hook) = (toml.len(), Value::Null);
        let why = format!("the text has {length} bytes, and {LONGEST_HOOK} are the most");
        let errors = vec![TextError::new("", None, why, None)];
        return Ok(Converted { toml, hook, errors });
    }
    let (tenant, id) = (tenant.clone(), id.to_owned());
    let converted = aside(async move {
        let (hook, mut errors) = match read(&toml) {
            Ok((document, hook)) => {
                let found = tenant.mistakes(&hook, &id).await?.into_iter();
                let errors = found.map(|found| {
                    let line = line(&document, &found.path);
                    TextError::new(&found.path, line, found.message, found.help)
                });
                (hook, errors.collect())
            }
            Err(error) => {
                let errors = error.mistakes().map(|error| {
                    let help = error.help().map(str::to_owned);
                    TextError::new("", error.line(), error.message().to_owned(), help)
                });
                (Value::Null, errors.collect::<Vec<_>>())
            }
        };
        errors.sort_by_key(|error| error.line);
        Ok::<_, Problem>(Converted { toml, hook, errors })
    });
    converted.await
}

/// The hook of a text; nothing if it is no TOML, or longer than a hook.
pub(crate) fn hook(text: &str) -> Option<Value> {
    let is_short = text.len() <= LONGEST_HOOK;
    is_short.then(|| read(text).ok())?.map(|(_, hook)| hook)
}

/// Reads a text, above which the header of a file may stand.
fn read(text: &str) -> Result<(Document, Value), ConfigError> {
    let document = match text.trim_start().strip_prefix("[[hooks.on]]") {
        Some(keys) => {
            let above = text[..text.len() - keys.len()].matches('\n').count();
            Document::toml(&("\n".repeat(above) + keys))?
        }
        None => Document::toml(text)?,
    };
    let hook = document.settings()?;
    Ok((document, hook))
}

/// The line of a JSON Pointer; nothing if it is the whole hook.
fn line(document: &Document, pointer: &str) -> Option<usize> {
    let steps = pointer.split('/').skip(1);
    let steps = steps.map(|step| step.parse().map_or_else(|_| step.into(), Segment::Index));
    let path: Vec<Segment> = steps.collect();
    (!path.is_empty()).then(|| document.line(&path))
}

impl TextError {
    fn new(path: &str, line: Option<usize>, message: String, help: Option<String>) -> Self {
        TextError {
            path: path.to_owned(),
            line,
            message,
            help,
        }
    }
}

/// A hook, with the keys that people look for first at its head.
struct Sorted<'a>(&'a Value);

impl Serialize for Sorted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(keys) = self.0.as_object() else {
            return self.0.serialize(serializer);
        };
        let mut keys: Vec<_> = keys.iter().collect();
        keys.sort_by_key(|(key, _)| {
            let place = FIRST.iter().position(|first| first == key);
            place.unwrap_or(FIRST.len())
        });
        serializer.collect_map(keys)
    }
}
