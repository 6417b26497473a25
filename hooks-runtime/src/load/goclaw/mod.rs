//! GoClaw's hooks, as JSON: one hook, a list, or the successors of an agent's quality gates.

mod gate;
mod handler;

use std::path::Path;
use std::time::Duration;

use hooks_config::{ConfigError, Document, Segment};
use hooks_rules::pattern;
use hooks_rules::subjects::Subjects;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::closed::Meant;
use super::near::{misspelled, without_hooks};
use super::{Loader, SourceStatus, claude};
use crate::definition::{Definition, DefinitionPlace};
use crate::entry::{ImportEntry, Mode, OnFault};
use crate::filter::{Filter, variables};
use crate::system::Dialect;
use crate::system::table::{EventSubject, SystemEvent};

/// The edition of GoClaw.
///
/// GoClaw runs hooks with commands only on a user's own machine, `Lite`, and not on a shared server.
///
/// ```
/// use hooks_runtime::{Edition, Runtime};
///
/// let builder = Runtime::builder().edition(Edition::Standard);
/// # let _ = builder;
/// assert_eq!(Edition::default(), Edition::Lite);
/// assert_eq!("standard".parse(), Ok(Edition::Standard));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edition {
    /// One user's own machine: commands run.
    #[default]
    Lite,
    /// A server: commands are refused.
    Standard,
}

impl std::str::FromStr for Edition {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "lite" => Ok(Edition::Lite),
            "standard" => Ok(Edition::Standard),
            _ => Err(format!(
                "`{name}` is not an edition: write `lite` or `standard`"
            )),
        }
    }
}

/// The longest time that a hook may take.
const LONGEST: Duration = Duration::from_secs(10);

/// A hook in GoClaw's format.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct GoclawHook {
    id: Option<String>,
    name: Option<String>,
    event: String,
    #[serde(alias = "handlerType")]
    handler_type: String,
    scope: String,
    #[serde(alias = "tenantId")]
    tenant_id: Option<String>,
    #[serde(alias = "agentId")]
    agent_id: Option<String>,
    #[serde(alias = "agentIds")]
    agent_ids: Option<Vec<String>>,
    matcher: Option<String>,
    #[serde(alias = "ifExpr")]
    if_expr: Option<String>,
    #[serde(alias = "timeoutMs")]
    timeout_ms: u64,
    #[serde(alias = "onTimeout")]
    on_timeout: Option<String>,
    priority: i64,
    enabled: Option<bool>,
    config: Map<String, Value>,
}

/// Its keys.
const KEYS: &[&str] = &[
    "id",
    "name",
    "event",
    "handler_type",
    "handlerType",
    "scope",
    "tenant_id",
    "tenantId",
    "agent_id",
    "agentId",
    "agent_ids",
    "agentIds",
    "matcher",
    "if_expr",
    "ifExpr",
    "timeout_ms",
    "timeoutMs",
    "on_timeout",
    "onTimeout",
    "priority",
    "enabled",
    "config",
    "version",
    "source",
    "metadata",
];

/// The keys of its `config`.
const CONFIG: &[&str] = &[
    "command",
    "cwd",
    "allowed_env_vars",
    "url",
    "headers",
    "prompt_template",
    "model",
    "max_invocations_per_turn",
];

/// The place of a hook in its file.
struct HookPlace<'a> {
    document: &'a Document,
    path: Vec<Segment>,
}

impl HookPlace<'_> {
    fn wrong(&self, keys: &[&str], message: impl Into<String>, help: Option<&str>) -> ConfigError {
        let mut path = self.path.clone();
        path.extend(keys.iter().map(|key| Segment::from(*key)));
        self.document.mistake(&path, message, help)
    }
}

/// The tenant id that stands for all tenants.
const EVERYBODY: &str = "00000000-0000-0000-0000-000000000000";

impl Loader<'_> {
    /// Reads hooks of GoClaw. They are one place in the pipeline, in which they run one after the other.
    pub(super) fn goclaw(&mut self, document: &Document, entry: &ImportEntry) {
        let value = document.value();
        self.texts.push(json!(["goclaw", value, entry]));
        let mut found: Vec<(Vec<Segment>, &Value)> = Vec::new();
        let list = |path: Vec<Segment>, values: &'_ [Value]| -> Vec<Vec<Segment>> {
            let at = |index: usize| {
                let mut path = path.clone();
                path.push(index.into());
                path
            };
            (0..values.len()).map(at).collect()
        };
        let gates = value
            .pointer("/other_config/quality_gates")
            .or_else(|| value.get("quality_gates"));
        match (value, value.get("hooks")) {
            (Value::Array(hooks), _) => {
                found.extend(list(Vec::new(), hooks).into_iter().zip(hooks));
            }
            (_, Some(Value::Array(hooks))) => {
                found.extend(list(vec!["hooks".into()], hooks).into_iter().zip(hooks));
            }
            (_, None) if gates.is_none() => found.push((Vec::new(), value)),
            (_, Some(_)) => {
                let help = "write `\"hooks\": [{ \"event\": \"pre_tool_use\", … }]`";
                let path = ["hooks".into()];
                let wrong = document.mistake(&path, "`hooks` must be a list", Some(help));
                self.left_out(wrong, entry);
            }
            (_, None) => {
                if let Some(wrong) = without_hooks(document) {
                    self.left_out(wrong, entry);
                }
            }
        }
        let mut made: Vec<(i64, Definition)> = Vec::new();
        for (path, value) in found {
            let place = HookPlace { document, path };
            let mut config = place.path.clone();
            config.push("config".into());
            let misspelled = misspelled(document, &place.path, value, KEYS)
                .or_else(|| misspelled(document, &config, &value["config"], CONFIG));
            let read =
                misspelled.map_or_else(|| document.read::<GoclawHook>(value, &place.path), Err);
            let hook = match read {
                Ok(hook) => hook,
                Err(wrong) => {
                    let closed = self.goclaw_closed(wrong, value, entry);
                    made.extend(closed.map(|definition| (0, definition)));
                    continue;
                }
            };
            let priority = hook.priority;
            let is_off = hook.enabled == Some(false) || entry.mode == Mode::Off;
            let definition = match self.goclaw_hook(&place, hook, value, entry) {
                Ok(mut definition) => {
                    definition.priority = i32::try_from(priority).ok();
                    if is_off {
                        definition.mode = Mode::Off;
                    }
                    Some(definition)
                }
                Err(wrong) if is_off => {
                    let notice = format!("a hook that is off cannot be used: {wrong}");
                    self.notices.push(notice);
                    None
                }
                Err(wrong) => self.goclaw_closed(wrong, value, entry),
            };
            made.extend(definition.map(|definition| (priority, definition)));
        }
        let start: Vec<Segment> = if value.get("quality_gates").is_some() {
            vec!["quality_gates".into()]
        } else {
            vec!["other_config".into(), "quality_gates".into()]
        };
        if gates.is_some_and(|gates| !gates.is_array()) {
            let wrong = document.mistake(&start, "the quality gates must be a list", None);
            self.left_out(wrong, entry);
        }
        if let Some(Value::Array(gates)) = gates {
            for (path, gate) in list(start, gates).into_iter().zip(gates) {
                let place = HookPlace { document, path };
                match self.gate(&place, gate, entry) {
                    Ok(definition) => made.extend(definition.map(|definition| (0, definition))),
                    Err(wrong) => self.left_out(wrong, entry),
                }
            }
        }
        // Higher priorities first, then older hooks, which are first in the file.
        made.sort_by_key(|(priority, _)| std::cmp::Reverse(*priority));
        let definitions: Vec<_> = made.into_iter().map(|(_, definition)| definition).collect();
        self.sources.push(SourceStatus {
            file: document.file().map(Path::to_owned),
            dialect: Dialect::Goclaw,
            definitions: definitions.len(),
            trusted: true,
            bundle: None,
        });
        let name = format!("goclaw:{}", claude::shown(document));
        let order = Dialect::Goclaw.system().files.order;
        self.add(&name, order, entry, definitions);
    }

    /// Leaves out a wrong hook. If it was meant to block, a definition in its place does.
    fn goclaw_closed(
        &mut self,
        wrong: ConfigError,
        value: &Value,
        entry: &ImportEntry,
    ) -> Option<Definition> {
        let named = value["event"].as_str().unwrap_or_default();
        let event = Dialect::Goclaw.system().named(named);
        let Some(info) = event.and_then(SystemEvent::info) else {
            self.left_out(wrong, entry);
            return None;
        };
        let matcher = value["matcher"].as_str().filter(|text| !text.is_empty());
        let matcher = matcher.and_then(|text| pattern::compiled(text).ok());
        let meant = Meant {
            entry,
            dialect: Dialect::Goclaw,
            info,
            named,
            filter: Filter {
                subjects: matcher.map_or(Subjects::Any, Subjects::Regex),
                is_goclaw: true,
                ..Filter::default()
            },
        };
        let mut definitions = Vec::new();
        self.closed(wrong, meant, &mut definitions);
        definitions.pop()
    }

    fn goclaw_hook(
        &mut self,
        place: &HookPlace<'_>,
        hook: GoclawHook,
        value: &Value,
        entry: &ImportEntry,
    ) -> Result<Definition, ConfigError> {
        let rules = Dialect::Goclaw.system();
        let events = || {
            let names = rules
                .events()
                .iter()
                .map(|event| event.named.as_str())
                .filter(|name| !name.contains('.'));
            format!(
                "the events are `{}`",
                names.collect::<Vec<_>>().join("`, `")
            )
        };
        let event = rules
            .named(&hook.event)
            .filter(|event| !event.named.contains('.'));
        let Some((event, info)) = event.and_then(|event| Some((event, event.info()?))) else {
            return Err(place.wrong(
                &["event"],
                format!("`{}` is not an event of GoClaw", hook.event),
                Some(&events()),
            ));
        };
        let filter = self.goclaw_filter(place, &hook, event)?;
        let name = hook
            .name
            .clone()
            .or_else(|| hook.id.clone())
            .filter(|name| !name.trim().is_empty());
        let line = Some(place.document.line(&place.path));
        let origin = DefinitionPlace::of(place.document.file(), line);
        let name = self.free_name(
            &name.unwrap_or_else(|| hook.event.clone()),
            &origin.to_string(),
        );
        let is_set = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
        let is_filtered = is_set(&hook.matcher) || is_set(&hook.if_expr);
        let (body, state) = self.goclaw_body(
            place,
            &hook.handler_type,
            &hook.config,
            value,
            &name,
            is_filtered,
        )?;
        let timeout = match hook.timeout_ms {
            0 => Duration::from_secs_f64(rules.files.timeout.default),
            ms => Duration::from_millis(ms),
        };
        if timeout > LONGEST {
            let notice = place.wrong(
                &["timeout_ms"],
                "a hook of GoClaw gets 10 seconds at most",
                None,
            );
            self.notices.push(notice.to_string());
        }
        let on_timeout = match hook.on_timeout.as_deref() {
            None | Some("") => None,
            Some("block") => Some(OnFault::Block),
            Some("allow") => Some(OnFault::Skip),
            Some(other) => {
                return Err(place.wrong(
                    &["on_timeout"],
                    format!("`{other}` is not an action for a timeout"),
                    Some("write `block` or `allow`"),
                ));
            }
        };
        let is_blocking = matches!(
            event.named.as_str(),
            "user_prompt_submit" | "pre_tool_use" | "subagent_start"
        );
        Ok(Definition {
            events: vec![(info, hook.event)],
            filter,
            mode: entry.mode,
            timeout: timeout.min(LONGEST),
            on_timeout,
            is_background: !is_blocking,
            state,
            ..Definition::new(name, origin, Dialect::Goclaw, body)
        })
    }

    fn goclaw_filter(
        &mut self,
        place: &HookPlace<'_>,
        hook: &GoclawHook,
        event: &SystemEvent,
    ) -> Result<Filter, ConfigError> {
        let subjects = match hook.matcher.as_deref() {
            None | Some("") => Subjects::Any,
            Some(matcher) => match pattern::compiled(matcher) {
                Ok(regex) => Subjects::Regex(regex),
                Err(last) => {
                    return Err(place.wrong(
                        &["matcher"],
                        format!("the matcher is not a regular expression: {last}"),
                        None,
                    ));
                }
            },
        };
        let is_for_tools = event.subject == EventSubject::Tool;
        if let Subjects::Regex(regex) = &subjects
            && !is_for_tools
            && !regex.is_match("")
        {
            let notice = place.wrong(
                &["matcher"],
                format!(
                    "`{}` is not about a tool, so the matcher never matches",
                    hook.event
                ),
                None,
            );
            self.notices.push(notice.to_string());
        }
        let condition = match hook.if_expr.as_deref() {
            None | Some("") => None,
            Some(text) => {
                let names = ["tool_name", "tool_input", "depth"];
                let compiled = variables::compile(text, &names);
                Some(compiled.map_err(|error| place.wrong(&["if_expr"], error.message, None))?)
            }
        };
        let tenant = hook
            .tenant_id
            .clone()
            .filter(|tenant| !tenant.is_empty() && tenant != EVERYBODY);
        let mut agents = hook.agent_ids.clone().unwrap_or_default();
        agents.extend(hook.agent_id.clone());
        let (tenants, agents) = match hook.scope.as_str() {
            "global" | "" => (Vec::new(), Vec::new()),
            "tenant" => (tenant.into_iter().collect(), Vec::new()),
            "agent" if agents.is_empty() => {
                return Err(place.wrong(
                    &["scope"],
                    "the scope is `agent`, but there are no `agent_ids`",
                    Some("write `\"agent_ids\": [\"…\"]`"),
                ));
            }
            "agent" => (tenant.into_iter().collect(), agents),
            other => {
                return Err(place.wrong(
                    &["scope"],
                    format!("`{other}` is not a scope"),
                    Some("write `global`, `tenant` or `agent`"),
                ));
            }
        };
        Ok(Filter {
            subjects,
            compared: (!is_for_tools).then_some(EventSubject::Empty),
            tenants,
            agents,
            condition,
            is_goclaw: true,
            ..Filter::default()
        })
    }
}
