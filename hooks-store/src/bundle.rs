//! Bundles as the store makes them: put together, taken apart, checked as files are, and composed of two levels.

use std::collections::BTreeSet;
use std::path::Path;

use hooks_runtime::entry::ImportEntry;
use hooks_runtime::{Bundle, ConfigError, DryRun, Runtime, Source as _, Status};
use serde_json::{Map, Value, json};

use crate::engine::RowReader;
use crate::error::{MOST, Mistake, Result, StoreError, in_set, pointer};
use crate::goclaw::without_tenant;
use crate::retention::MOST_HOOKS;
use crate::scope::HookScope;
use crate::secret::name_as_global;
use crate::store::Tenant;

impl Tenant {
    /// Checks that a draft may have so many hooks.
    pub(crate) fn expect_room(&self, hooks: usize) -> Result<()> {
        let most = self.store.quota.hooks.min(MOST_HOOKS);
        if hooks <= most {
            return Ok(());
        }
        let message = format!("these are {hooks} hooks, and a draft has at most {most}");
        let help = "delete some, or let one hook do the work of several";
        Err(StoreError::invalid("/hooks", message, help))
    }

    /// Checks a set as this deployment would load it.
    ///
    /// # Errors
    ///
    /// If the set has mistakes: all of them.
    pub async fn check(&self, bundle: &Bundle) -> Result<()> {
        let set = self.lowered_set(bundle)?;
        let told = self.check_set(&mut self.engine(), &set, false).await;
        told.map(drop)
    }

    /// Returns a hook as a set of its own, as it would run here: to try it before it is saved.
    ///
    /// # Errors
    ///
    /// If the hook has mistakes: all of them. Or if the database fails.
    pub async fn alone(&self, hook: &Value) -> Result<Bundle> {
        let hook = self.checked(hook).await?;
        self.level(&Bundle::new(vec![hook], Map::new())?)
    }

    /// Checks a set in the canonical form. Returns what else there is to tell of it. In what a person has written by
    /// hand, a wrong entry of another system is a mistake, too.
    pub(crate) async fn check_set(
        &self,
        reads: &mut dyn RowReader,
        bundle: &Bundle,
        is_written: bool,
    ) -> Result<Vec<String>> {
        self.expect_room(bundle.hooks.len())?;
        let status = self.load(reads, &self.level(bundle)?, is_written).await?;
        if !status.not_allowed.is_empty() {
            return Err(StoreError::Invalid(self.not_allowed(reads, bundle).await?));
        }
        Ok(if status.left_out == 0 {
            Vec::new()
        } else {
            status.notices
        })
    }

    /// Checks a hook alone, as its author has written it. The paths of its mistakes begin at the hook.
    pub(crate) async fn check_hook(&self, reads: &mut dyn RowReader, hook: &Value) -> Result<()> {
        let bundle = Bundle::new(vec![hook.clone()], Map::new())?;
        let checked = self.check_set(reads, &bundle, true).await;
        let at_hook = |path: &str| path.replacen("/hooks/0", "", 1);
        checked.map(drop).map_err(|error| error.at(at_hook))
    }

    /// What of a set this deployment does not allow, each at its place: all that is refused when it is loaded alone.
    async fn not_allowed(&self, reads: &mut dyn RowReader, set: &Bundle) -> Result<Vec<Mistake>> {
        let mut mistakes = Vec::new();
        let hooks = set.hooks.iter().enumerate().map(|(index, hook)| {
            let path = format!("/hooks/{index}");
            (path, vec![hook.clone()], Map::new())
        });
        let tables = set.tables().iter().map(|(key, table)| {
            let table = Map::from_iter([(key.clone(), table.clone())]);
            (format!("/{key}"), Vec::new(), table)
        });
        for (path, hooks, tables) in hooks.chain(tables) {
            if mistakes.len() >= MOST {
                break;
            }
            let part = Bundle::new(hooks, tables)?;
            let status = self.load(reads, &self.level(&part)?, false).await?;
            for one in status.not_allowed {
                let (key, what) = match part.hooks.first() {
                    Some(_) if one.kind.is_empty() => (Some("scope"), "scope"),
                    Some(hook) if hook.get(&one.kind).is_some() => {
                        (Some(&*one.kind), "kind of handler")
                    }
                    hook => (hook.and_then(system_of), "kind of handler"),
                };
                let path = key.map_or_else(|| path.clone(), |key| format!("{path}/{key}"));
                let help = format!("choose another {what}");
                mistakes.push(Mistake::new(path, one.why, &help));
            }
        }
        Ok(mistakes)
    }

    /// Loads a level, or what is composed, by the code that loads files, as this deployment limits it.
    pub(crate) async fn load(
        &self,
        reads: &mut dyn RowReader,
        bundle: &Bundle,
        is_written: bool,
    ) -> Result<Status> {
        let mut tables = bundle.tables().clone();
        self.store.capabilities.limit(&mut tables);
        let limited = Bundle::new(bundle.hooks.clone(), tables)?;
        let builder = Runtime::builder().secrets(self.secrets_in(reads).await?);
        // A check opens no file and starts nothing.
        let builder = builder.shared(true).dry_run(DryRun::new());
        let builder = (self.store.complete)(builder.strict(is_written));
        let name = limited.name();
        let loaded = builder.source(limited).build().await;
        let path = |mistake: &ConfigError| path_in(&bundle.hooks, &name, mistake);
        let runtime = loaded.map_err(|error| StoreError::of_config(&error, path))?;
        Ok(runtime.status())
    }

    /// Returns a level of a set as it runs: what is of a scope that this deployment forbids is refused.
    pub(crate) fn level(&self, bundle: &Bundle) -> Result<Bundle> {
        let capabilities = &self.store.capabilities;
        let mut hooks = bundle.hooks.clone();
        for hook in &mut hooks {
            without_tenant(hook);
            let scope = HookScope::of(self.is_global(), hook);
            if let Some(why) = capabilities.forbids(scope) {
                hook["refused"] = why.into();
            }
        }
        let mut tables = bundle.tables().clone();
        let scope = HookScope::of(self.is_global(), &Value::Null);
        if let Some(why) = capabilities.forbids(scope)
            && tables.keys().any(|key| key != "limits")
        {
            tables.retain(|key, _| key == "limits");
            // What the tables guard is not known, so this hook blocks every call in their place.
            let name = format!("settings ({})", scope.as_str());
            let hook =
                json!({ "name": name, "event": "BeforeToolCall", "block": why, "refused": why });
            hooks.push(hook);
        }
        Ok(Bundle::new(hooks, tables)?)
    }

    /// Composes what is in force for this tenant: the global hooks and its own, each level as published.
    ///
    /// A hook of the tenant takes the place of a global one with its name, unless that is mandatory. Of the other tables, what
    /// the global set says holds, and the tenant's adds to it: a guard from above is not switched off below. Limits are for
    /// all hooks of a runtime, so those of the tenant are left out where some are mandatory. The notices say what is left
    /// out, and why.
    pub(crate) fn compose(&self, global: &Bundle, own: &Bundle) -> Result<(Bundle, Vec<String>)> {
        let newest = if global.revision > own.revision {
            global
        } else {
            own
        };
        let (mut global, own) = (self.other("").level(global)?, self.level(own)?);
        global.hooks.iter_mut().for_each(name_as_global);
        let above = global.hooks.iter();
        let mandatory = above.filter(|hook| hook["mandatory"] == true);
        let mandatory: BTreeSet<_> = mandatory.map(name_of).collect();
        let (refused, own_hooks): (Vec<_>, Vec<_>) = own
            .hooks
            .iter()
            .partition(|hook| mandatory.contains(name_of(hook)));
        let refused = refused.into_iter().map(|hook| {
            let name = name_of(hook);
            format!("the hook `{name}` does not run: the global one of its name is mandatory")
        });
        let mut notices: Vec<_> = refused.collect();
        let replaced: BTreeSet<_> = own_hooks.iter().map(|hook| name_of(hook)).collect();
        let above = global
            .hooks
            .iter()
            .filter(|hook| !replaced.contains(name_of(hook)));
        let hooks = above.chain(own_hooks).cloned().collect();
        let mut tables = global.tables().clone();
        for (key, own) in own.tables().clone() {
            let left_out = |what: &str, why: &str| {
                format!("`{what}` of the tenant is left out: the global {why}")
            };
            let there = "settings have it";
            match (tables.get_mut(&key), own) {
                _ if key == "limits" && !mandatory.is_empty() => {
                    notices.push(left_out(&key, "set has mandatory hooks"));
                }
                (None, own) => {
                    tables.insert(key, own);
                }
                (Some(Value::Array(above)), Value::Array(own)) => above.extend(own),
                (Some(Value::Object(above)), Value::Object(own)) => {
                    for (name, own) in own {
                        if above.contains_key(&name) {
                            notices.push(left_out(&format!("{key}.{name}"), there));
                        } else {
                            above.insert(name, own);
                        }
                    }
                }
                (Some(_), _) => notices.push(left_out(&key, there)),
            }
        }
        self.store.capabilities.limit(&mut tables);
        let mut composed = self.set(hooks, tables)?;
        composed.revision = newest.revision;
        composed.created = newest.created;
        composed.author.clone_from(&newest.author);
        composed.comment.clone_from(&newest.comment);
        Ok((composed, notices))
    }

    /// Makes a set of this tenant.
    pub(crate) fn set(&self, hooks: Vec<Value>, tables: Map<String, Value>) -> Result<Bundle> {
        let mut set = Bundle::new(hooks, tables)?;
        set.tenant.clone_from(&self.id);
        Ok(set)
    }
}

/// Hooks by their names, in their order.
pub(crate) fn by_name<'a>(hooks: impl IntoIterator<Item = &'a Value>) -> Map<String, Value> {
    let named = hooks.into_iter();
    let named = named.map(|hook| (name_of(hook).to_owned(), hook.clone()));
    named.collect()
}

/// The name of a hook; empty for the settings.
pub(crate) fn name_of(hook: &Value) -> &str {
    hook["name"].as_str().unwrap_or_default()
}

/// The key of the system whose hook this is; nothing for our own.
fn system_of(hook: &Value) -> Option<&'static str> {
    let mut systems = ImportEntry::KEYS.iter().copied();
    systems.find(|key| *key != "hooks" && hook.get(key).is_some())
}

/// The place of a mistake among the hooks and tables of a set, as a JSON Pointer.
fn path_in(hooks: &[Value], set: &str, mistake: &ConfigError) -> String {
    let file = mistake.file().and_then(Path::to_str);
    let file = file.and_then(|file| file.strip_prefix(set)?.strip_prefix('/'));
    if let Some(name) = file.and_then(|file| file.strip_suffix(".json")) {
        let named = hooks.iter().position(|hook| hook["name"] == name);
        return named.map_or_else(String::new, |index| {
            let system = system_of(&hooks[index]).unwrap_or_default();
            format!("/hooks/{index}/{system}{}", pointer(mistake))
        });
    }
    let path = in_set(mistake);
    let Some(rest) = path.strip_prefix("/hooks/") else {
        return path;
    };
    let (index, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let mut own = (0..hooks.len()).filter(|index| system_of(&hooks[*index]).is_none());
    let place = index.parse().ok().and_then(|index| own.nth(index));
    place.map_or_else(String::new, |place| format!("/hooks/{place}{rest}"))
}
