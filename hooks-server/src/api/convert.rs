//! `/convert`: a hook as TOML and as JSON, with all of its mistakes and their lines. Nothing is saved.

use hooks_config::{ConfigError, Document, Segment};
use hooks_runtime::entry::{ImportEntry, OnEntry};
use hooks_store::{Mistake, StoreError, Tenant};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toml_edit::{DocumentMut, Item, Table, TableLike, ser};
use utoipa::ToSchema;

use super::ApiAnswer;
use super::aside::aside;
use super::caller::Author;
use super::extract::JsonBody;
use super::problem::{FieldError, Problem};

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
    /// The hook as JSON; null if the text is not TOML.
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
    Author(caller, _): Author,
    JsonBody(asked): JsonBody<Convert>,
) -> ApiAnswer<Converted> {
    let (tenant, id) = (&caller.tenant, &asked.id);
    let converted = match (asked.toml, asked.hook) {
        (Some(text), None) => of_toml(tenant, id, text).await?,
        (None, Some(hook)) => of_hook(tenant, id, hook, "").await?,
        _ => return Err(Problem::at("", "send either `toml` or `hook`")),
    };
    Ok(axum::Json(converted))
}

/// Converts a hook to TOML, on top of a text: what that says already stays as it is written, with its comments.
pub(crate) async fn of_hook(
    tenant: &Tenant,
    id: &str,
    hook: Value,
    text: &str,
) -> Result<Converted, Problem> {
    match merged(text, &hook) {
        Ok(text) => Ok(Converted {
            hook,
            ..of_toml(tenant, id, text).await?
        }),
        Err(error) => {
            let why = format!("TOML cannot say it: {error}");
            let errors = vec![TextError::new(None, FieldError::new("", why))];
            let toml = String::new();
            Ok(Converted { toml, hook, errors })
        }
    }
}

/// Writes a hook, or another table, as TOML.
pub(crate) fn write(hook: &Value) -> Result<String, ser::Error> {
    merged("", hook)
}

fn merged(text: &str, hook: &Value) -> Result<String, ser::Error> {
    let text = keys(text).map_or(text, |(_, keys)| keys);
    let old = Document::toml(text).map_or(Value::Null, |old| old.value().clone());
    let mut document: DocumentMut = text.parse().unwrap_or_default();
    merge(document.as_table_mut(), &old, hook)?;
    Ok(document.to_string())
}

/// Changes in a table what another hook says otherwise. The comment of a key that goes is that of the one that comes.
fn merge(table: &mut dyn TableLike, old: &Value, new: &Value) -> Result<(), ser::Error> {
    let mut comments = String::new();
    let before = old.as_object().into_iter().flat_map(Map::keys);
    for key in before.filter(|key| new.get(key).is_none()) {
        let above = table.key(key).and_then(|key| key.leaf_decor().prefix());
        comments.push_str(above.and_then(|above| above.as_str()).unwrap_or_default());
        table.remove(key);
    }
    let place = |key: &str| FIRST.iter().position(|first| *first == key);
    let fields = new.as_object().into_iter().flatten();
    let mut changed: Vec<_> = fields
        .filter(|(key, value)| old.get(key) != Some(value))
        .collect();
    changed.sort_by_key(|(key, _)| place(key).unwrap_or(FIRST.len()));
    for (key, value) in changed {
        let Some(place) = table.get_mut(key) else {
            table.insert(key, item(value)?);
            if let Some(mut key) = table.key_mut(key) {
                let decor = key.leaf_decor_mut();
                decor.set_prefix(std::mem::take(&mut comments));
            }
            continue;
        };
        if let Some(inner) = place.as_table_like_mut().filter(|_| value.is_object()) {
            merge(inner, &old[key], value)?;
            continue;
        }
        let decor = place.as_value().map(|before| before.decor().clone());
        *place = Item::Value(item(value)?.into_value().unwrap_or_else(|_| "".into()));
        if let Some((value, decor)) = place.as_value_mut().zip(decor) {
            *value.decor_mut() = decor;
        }
    }
    Ok(())
}

/// A value that is new: a table has a header, and a list is on one line.
fn item(value: &Value) -> Result<Item, ser::Error> {
    let mut table = Table::new();
    if value.as_object().is_none_or(Map::is_empty) {
        return Ok(Item::Value(value.serialize(ser::ValueSerializer::new())?));
    }
    merge(&mut table, &Value::Null, value)?;
    Ok(Item::Table(table))
}

/// What a hook lacks that people must write: its name, and the text of its rule. A file of another system has its own rules.
pub(crate) fn missing(hook: &Value) -> Vec<Mistake> {
    let is_foreign = ImportEntry::KEYS.iter().any(|key| hook.get(key).is_some());
    let is_blank = |key: &str| {
        hook[key]
            .as_str()
            .is_some_and(|text| text.trim().is_empty())
    };
    let has_no_name = !is_foreign && (hook["name"].is_null() || is_blank("name"));
    let mut texts = OnEntry::HANDLERS
        .into_iter()
        .take_while(|key| *key != "respond");
    let missing = [
        has_no_name.then_some(("name", "give the hook a name, for logs and pages")),
        texts
            .find(|key| is_blank(key))
            .map(|key| (key, "write the text")),
    ];
    let missing = missing.into_iter().flatten();
    let missing = missing.map(|(key, message)| Mistake {
        path: format!("/{key}"),
        message: message.to_owned(),
        help: None,
    });
    missing.collect()
}

/// Refuses a hook that lacks something.
pub(crate) fn whole(hook: &Value) -> Result<(), StoreError> {
    match missing(hook) {
        missing if missing.is_empty() => Ok(()),
        missing => Err(StoreError::Invalid(missing)),
    }
}

/// Converts a hook from TOML, aside: its mistakes are found as saving finds them.
pub(crate) async fn of_toml(tenant: &Tenant, id: &str, toml: String) -> Result<Converted, Problem> {
    let (tenant, id) = (tenant.clone(), id.to_owned());
    let converted = aside(async move {
        let (hook, mut errors) = match read(&toml) {
            Ok((document, hook)) => {
                let mut found = tenant.mistakes(&hook, &id).await?;
                let lacks = missing(&hook).into_iter();
                let lacks = lacks.filter(|one| found.iter().all(|known| known.path != one.path));
                found.extend(lacks.collect::<Vec<_>>());
                let errors = found
                    .into_iter()
                    .map(|found| TextError::new(line(&document, &found.path), found.into()));
                (hook, errors.collect())
            }
            Err(error) => {
                let errors = error.mistakes().map(|error| TextError {
                    path: String::new(),
                    line: error.line(),
                    message: error.message().to_owned(),
                    help: error.help().map(str::to_owned),
                });
                (Value::Null, errors.collect::<Vec<_>>())
            }
        };
        errors.sort_by_key(|error| error.line);
        Ok::<_, Problem>(Converted { toml, hook, errors })
    });
    converted.await
}

/// The hook of a text; nothing if the text is not TOML.
pub(crate) fn hook(text: &str) -> Option<Value> {
    read(text).ok().map(|(_, hook)| hook)
}

/// What is below the header of a file, if there is one, and above it.
fn keys(text: &str) -> Option<(&str, &str)> {
    let keys = text.trim_start().strip_prefix("[[hooks.on]]")?;
    Some((&text[..text.len() - keys.len()], keys))
}

/// Reads a text, above which the header of a file may stand.
fn read(text: &str) -> Result<(Document, Value), ConfigError> {
    let document = match keys(text) {
        Some((above, keys)) => {
            let lines = above.matches('\n').count();
            Document::toml(&("\n".repeat(lines) + keys))?
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
    fn new(line: Option<usize>, error: FieldError) -> Self {
        TextError {
            path: error.path,
            line,
            message: error.message,
            help: error.help,
        }
    }
}
