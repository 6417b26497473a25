//! Bundles as the store makes them: put together, taken apart, checked as files are, and composed of two levels.

use std::collections::BTreeSet;
use std::sync::Mutex;

use async_trait::async_trait;
use hooks_runtime::{Bundle, Runtime, Source, SourceError};
use serde_json::{Map, Value, json};

use crate::error::StoreError;
use crate::goclaw::without_tenant;
use crate::scope::HookScope;
use crate::store::Tenant;

/// The keys of a bundle that are no tables of a file.
const OWN: [&str; 9] = [
    "format",
    "tenant",
    "revision",
    "parent",
    "created",
    "author",
    "comment",
    "hooks",
    "signatures",
];

/// Makes a bundle of hooks and tables.
pub(crate) fn bundle_of(
    tenant: &str,
    hooks: Vec<Value>,
    tables: &Map<String, Value>,
) -> Result<Bundle, StoreError> {
    let mut document = tables.clone();
    document.retain(|key, _| !OWN.contains(&key.as_str()));
    document.insert("format".to_owned(), "hooks-bundle/1".into());
    document.insert("tenant".to_owned(), tenant.into());
    document.insert("hooks".to_owned(), hooks.into());
    Ok(Bundle::read(&Value::Object(document).to_string())?)
}

/// A source with one bundle, to check it.
struct Once(Mutex<Option<Bundle>>);

#[async_trait]
impl Source for Once {
    fn name(&self) -> String {
        "the set".to_owned()
    }

    async fn fetch(&self, _: Option<&str>) -> Result<Option<Bundle>, SourceError> {
        Ok(self.0.lock().ok().and_then(|mut bundle| bundle.take()))
    }
}

impl Tenant {
    /// Checks a set as this deployment would load it.
    ///
    /// # Errors
    ///
    /// If the set has mistakes: all of them.
    pub async fn check(&self, bundle: &Bundle) -> Result<(), StoreError> {
        let set = self.lowered_set(bundle)?;
        self.check_set(&bundle_of(&self.id, set.hooks, &set.tables)?)
            .await
            .map(drop)
    }

    /// Checks a set in the canonical form. Returns what else there is to tell of it.
    pub(crate) async fn check_set(&self, bundle: &Bundle) -> Result<Vec<String>, StoreError> {
        let mut mistakes = Vec::new();
        for (index, hook) in bundle.hooks.iter().enumerate() {
            let scope = HookScope::of(self.is_global(), hook);
            let wrong = self.store.capabilities.mistake(scope, hook);
            mistakes.extend(wrong.map(|mut mistake| {
                mistake.path = format!("/hooks/{index}{}", mistake.path);
                mistake
            }));
        }
        let notices = match self.load(bundle.clone()).await {
            Err(StoreError::Invalid(more)) => {
                mistakes.extend(more);
                Vec::new()
            }
            other => other?,
        };
        if mistakes.is_empty() {
            Ok(notices)
        } else {
            Err(StoreError::Invalid(mistakes))
        }
    }

    /// Checks a hook alone. The paths of its mistakes begin at the hook.
    pub(crate) async fn check_hook(&self, hook: &Value) -> Result<(), StoreError> {
        let bundle = bundle_of(&self.id, vec![hook.clone()], &Map::new())?;
        let checked = self.check_set(&bundle).await;
        checked.map_err(|error| error.at(|path| path.replacen("/hooks/0", "", 1)))?;
        Ok(())
    }

    /// Loads a bundle by the code that loads files. Returns the notices about what is left out of other systems' hooks.
    pub(crate) async fn load(&self, mut bundle: Bundle) -> Result<Vec<String>, StoreError> {
        // The loader counts the hooks of our own format.
        let own = |hook: &Value| hook.get("goclaw").is_none() && hook.get("claude").is_none();
        let hooks = (0..).zip(&bundle.hooks).filter(|(_, hook)| own(hook));
        let places: Vec<usize> = hooks.map(|(place, _)| place).collect();
        for hook in &mut bundle.hooks {
            without_tenant(hook);
        }
        let builder = Runtime::builder().secrets(self.secret_values().await?);
        let builder = (self.store.complete)(builder);
        let loaded = builder.source(Once(Mutex::new(Some(bundle)))).build().await;
        let runtime = loaded.map_err(|error| {
            StoreError::of_config(&error).at(|path| {
                let rest = path.strip_prefix("/hooks/").unwrap_or_default();
                let (index, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                let place = index
                    .parse()
                    .ok()
                    .and_then(|index: usize| places.get(index));
                place.map_or_else(|| path.to_owned(), |place| format!("/hooks/{place}{rest}"))
            })
        })?;
        let status = runtime.status();
        Ok(if status.left_out == 0 {
            Vec::new()
        } else {
            status.notices
        })
    }

    /// Composes what is in force for this tenant: the global hooks and its own, each level as published.
    ///
    /// A hook of the tenant takes the place of a global one with its name, unless that is mandatory. Of the other tables, what
    /// the global set says holds, and the tenant's adds to it: a guard from above is not switched off below. The notices say
    /// what is left out, and why.
    pub(crate) async fn compose(
        &self,
        global: Option<&Bundle>,
        own: Option<&Bundle>,
    ) -> Result<(Bundle, Vec<String>), StoreError> {
        let mut notices = Vec::new();
        let none = Vec::new();
        let above = global.map_or(&none, |bundle| &bundle.hooks);
        let below = own.map_or(&none, |bundle| &bundle.hooks);
        let named = |hooks: &[Value], mandatory: bool| -> BTreeSet<String> {
            let hooks = hooks
                .iter()
                .filter(|hook| !mandatory || hook["mandatory"] == true);
            hooks
                .filter_map(|hook| hook["name"].as_str())
                .map(str::to_owned)
                .collect()
        };
        let (mandatory, replaced) = (named(above, true), named(below, false));
        let mut hooks = Vec::new();
        for (is_own, hook) in above
            .iter()
            .map(|hook| (false, hook))
            .chain(below.iter().map(|hook| (true, hook)))
        {
            let name = hook["name"].as_str().unwrap_or_default();
            if is_own && mandatory.contains(name) {
                notices.push(format!(
                    "the hook `{name}` does not run: the global one of its name is mandatory"
                ));
            } else if is_own || mandatory.contains(name) || !replaced.contains(name) {
                let level = if is_own { self.clone() } else { self.other("") };
                hooks.extend(level.allowed(hook, &mut notices).await?);
            }
        }
        let mut tables = global
            .map(|bundle| bundle.tables().clone())
            .unwrap_or_default();
        for (key, own) in own
            .map(|bundle| bundle.tables().clone())
            .unwrap_or_default()
        {
            match (tables.get_mut(&key), own) {
                (None, own) => {
                    tables.insert(key, own);
                }
                (Some(Value::Array(above)), Value::Array(own)) => above.extend(own),
                (Some(Value::Object(above)), Value::Object(own)) => {
                    for (name, own) in own {
                        if above.contains_key(&name) {
                            notices.push(format!("`{key}.{name}` of the tenant is left out: the global settings have it"));
                        } else {
                            above.insert(name, own);
                        }
                    }
                }
                (Some(_), _) => notices.push(format!(
                    "`{key}` of the tenant is left out: the global settings have it"
                )),
            }
        }
        let mut composed = bundle_of(&self.id, hooks, &tables)?;
        let newest = [global, own]
            .into_iter()
            .flatten()
            .max_by_key(|bundle| bundle.revision);
        if let Some(newest) = newest {
            composed.revision = newest.revision;
            composed.created = newest.created;
            composed.author.clone_from(&newest.author);
            composed.comment.clone_from(&newest.comment);
        }
        Ok((composed, notices))
    }

    /// Returns a hook as it runs here: itself, or what takes its place if this deployment does not allow it.
    ///
    /// Where it could block, a rule blocks and says why; where it only looks, it does not run.
    async fn allowed(
        &self,
        hook: &Value,
        notices: &mut Vec<String>,
    ) -> Result<Option<Value>, StoreError> {
        let Some(mistake) = self
            .store
            .capabilities
            .mistake(HookScope::of(self.is_global(), hook), hook)
        else {
            let mut hook = hook.clone();
            without_tenant(&mut hook);
            return Ok(Some(hook));
        };
        if hook["mode"] == "off" {
            return Ok(None);
        }
        let name = hook["name"].as_str().unwrap_or_default();
        notices.push(format!(
            "the hook `{name}` does not run: {}",
            mistake.message
        ));
        let row = &hook["goclaw"];
        let mut rule = Map::new();
        for key in [
            "name",
            "version",
            "scope",
            "mandatory",
            "tools",
            "matcher",
            "priority",
            "mode",
            "if",
        ] {
            let value = hook.get(key).or_else(|| row.get(key));
            rule.extend(value.map(|value| (key.to_owned(), value.clone())));
        }
        let reason = format!("the hook `{name}` is not allowed here: {}", mistake.message);
        // In a text of a rule, braces hold an expression.
        let reason = reason.replace(['{', '}'], "");
        rule.insert("block".to_owned(), reason.into());
        let events = if row.is_null() {
            &hook["event"]
        } else {
            &row["event"]
        };
        let events = match events {
            Value::Array(events) => events.clone(),
            event => vec![event.clone()],
        };
        let mut blocking = Vec::new();
        for event in events {
            rule.insert("event".to_owned(), event.clone());
            let rule = Value::Object(rule.clone());
            if self
                .load(bundle_of(&self.id, vec![rule], &Map::new())?)
                .await
                .is_ok()
            {
                blocking.push(event);
            }
        }
        if blocking.is_empty() {
            return Ok(None);
        }
        rule.insert("event".to_owned(), json!(blocking));
        Ok(Some(rule.into()))
    }
}
