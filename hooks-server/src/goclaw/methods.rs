//! What each method does. GoClaw's users expect a write to be in force at once, so each write publishes the draft.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::{FutureExt as _, StreamExt as _};
use hooks_core::agent::AgentContext;
use hooks_runtime::{Bundle, Dialect, DryRun, Meaning, OwnedEvent, RawAnswer};
use hooks_store::{ExecutionFilter, Hook, Role};
use regex::Regex;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::rows::{clean, execution, row};
use super::talk::{Events, RequestHandler};
use crate::api::Api;
use crate::api::aside::aside;
use crate::api::caller::{ApiCaller, ConnectionRoom, Via, other_tenant};
use crate::api::problem::Problem;
use crate::api::simulate::{Simulator, StepState};
use crate::api::stream::live;
use crate::limits::CONNECT_TIME;
use crate::peer;

/// How many rows of the history are a page.
const PAGE: u32 = 50;

/// What changes hooks.
const WRITES: [&str; 4] = [
    "hooks.create",
    "hooks.update",
    "hooks.toggle",
    "hooks.delete",
];

/// One client.
pub(super) struct Session {
    api: Arc<Api>,
    via: Via,
    /// Who is there, and the room of its token for its events, until they begin.
    caller: Option<ApiCaller>,
    stays: Option<ConnectionRoom>,
    /// Whether another caller is there since its events began.
    is_new: bool,
}

/// A text of a row; empty if it has none.
fn text<'a>(row: &'a Map<String, Value>, key: &str) -> &'a str {
    row.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn object(value: &Value, name: &str) -> Result<Map<String, Value>, Problem> {
    let fields = value.as_object().cloned();
    fields.ok_or_else(|| Problem::bad(format!("{name} is required")))
}

/// What the event of a row means here.
fn meaning(row: &Map<String, Value>) -> Result<Meaning, Problem> {
    let meaning = Meaning::of(Dialect::Goclaw, text(row, "event"));
    meaning.map_err(|error| Problem::bad(error.to_string()))
}

impl RequestHandler for Session {
    async fn answer(&mut self, method: &str, params: Value) -> Result<Box<RawValue>, Problem> {
        if method == "connect" {
            // Until the token is read, the connection has no caller, not even the one before.
            self.is_new |= self.caller.take().is_some();
            let token = params["token"].as_str().unwrap_or_default();
            let caller = ApiCaller::of_token(&self.api, token, self.via).await?;
            caller.count(&self.api)?;
            self.stays = Some(caller.stay(&self.api)?);
            let connected = json!({ "protocol": 3, "role": caller.role, "tenant_id": caller.tenant.id(),
                "server": { "name": "hooks", "version": env!("CARGO_PKG_VERSION") } });
            (self.caller, self.is_new) = (Some(caller), true);
            return raw(&connected);
        }
        let caller = self
            .caller
            .as_ref()
            .ok_or_else(|| Problem::forbidden("the first request is `connect`"))?
            .again(&self.api)
            .await?;
        caller.count(&self.api)?;
        other_tenant(&params, caller.tenant.id())?;
        let client = Client {
            api: Arc::clone(&self.api),
            caller,
        };
        let answer = match method {
            "hooks.list" => return client.list(&params).await,
            "hooks.test" => client.test(&params).await,
            "hooks.history" => client.history(&params).await,
            _ => {
                let method = method.to_owned();
                aside(async move { client.write(&method, &params).await }).await
            }
        };
        raw(&answer?)
    }

    fn events(&mut self) -> Option<Events> {
        if !std::mem::take(&mut self.is_new) {
            return None;
        }
        let api = Arc::clone(&self.api);
        let (Some(caller), Some(stays)) = (self.caller.clone(), self.stays.take()) else {
            // A client without a caller gets no events, and does not stay.
            let end = async move {
                let _ = tokio::time::timeout(CONNECT_TIME, api.shutdown.softly()).await;
            };
            return Some(Box::pin(end.into_stream().filter_map(async |()| None)));
        };
        let begin = async move {
            let newest = caller.tenant.newest_execution().await;
            live(api, caller, stays, newest.unwrap_or(0))
        };
        let parts = futures::stream::once(begin).flatten();
        let sent = parts.filter_map(async |part| {
            let part = part?;
            Some((part.seq, serde_json::to_value(part).unwrap_or_default()))
        });
        Some(Box::pin(sent))
    }
}

impl Session {
    pub(super) fn new(api: Arc<Api>, client: peer::Client) -> Self {
        Session {
            api,
            via: Via("goclaw", client),
            caller: None,
            stays: None,
            is_new: true,
        }
    }
}

/// Whether a list has a row: what it is asked for is in its fields, and it is for the agent.
fn is_wanted(row: &Value, params: &Value) -> bool {
    let named = |key: &str| Some(&params[key]).filter(|value| !value.is_null() && **value != "");
    let is_same = |key| named(key).is_none_or(|value| row[key] == *value);
    let agents = row["agent_ids"]
        .as_array()
        .filter(|agents| !agents.is_empty());
    let is_for = |agent| agents.is_none_or(|agents| agents.contains(agent));
    ["event", "scope", "enabled"].into_iter().all(is_same) && named("agentId").is_none_or(is_for)
}

/// A list, or a page of one.
#[derive(Serialize)]
struct HookPage<'a> {
    hooks: Vec<&'a RawValue>,
    /// The `cursor` of the following page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Value>,
}

/// Writes what is answered.
fn raw(value: &impl Serialize) -> Result<Box<RawValue>, Problem> {
    let written = to_raw_value(value);
    written.map_err(|error| Problem::failed(&error.to_string()))
}

/// One request of a client.
struct Client {
    api: Arc<Api>,
    caller: ApiCaller,
}

impl Client {
    /// Changes the draft and publishes it, or takes back what was changed of it.
    async fn write(&self, method: &str, params: &Value) -> Result<Value, Problem> {
        if !WRITES.contains(&method) {
            return Err(Problem::bad(format!("unknown method: {method}")));
        }
        let by = self.caller.at_least(Role::Publisher)?;
        let tenant = &self.caller.tenant;
        if method == "hooks.create" {
            let hook = tenant.create(&self.named(params).await?, &by).await?;
            if let Err(error) = tenant.publish(&by).await {
                let _ = tenant.delete(&hook.id, hook.version, &by).await;
                return Err(error.into());
            }
            return Ok(json!({ "hookId": hook.id }));
        }
        let hook = self.hook(params).await?;
        let mut answer = json!({ "hookId": hook.id });
        let change = match method {
            "hooks.update" => Some(clean(object(&params["updates"], "updates")?)),
            "hooks.toggle" => {
                let enabled = params["enabled"].as_bool();
                let enabled = enabled.ok_or_else(|| Problem::bad("enabled is required"))?;
                answer["enabled"] = enabled.into();
                Some(Map::from_iter([("enabled".to_owned(), enabled.into())]))
            }
            _ => None,
        };
        let new = if let Some(change) = change {
            let body = self.changed(&hook, change)?;
            tenant
                .update(&hook.id, hook.version, &body, &by)
                .await?
                .version
        } else {
            tenant.delete(&hook.id, hook.version, &by).await?;
            hook.version + 1
        };
        if let Err(error) = tenant.publish(&by).await {
            let _ = tenant.restore(&hook.id, hook.version, new, &by).await;
            return Err(error.into());
        }
        Ok(answer)
    }

    async fn list(&self, params: &Value) -> Result<Box<RawValue>, Problem> {
        let tenant = &self.caller.tenant;
        let news = tenant.news().draft;
        let all = self.api.rows.get(tenant.id(), news, async {
            let mut rows = Vec::new();
            // The global hooks are there for all, and their tenant alone changes them.
            let global = (!tenant.id().is_empty()).then(|| self.api.store.tenant(""));
            for tenant in global.iter().chain([tenant]) {
                let hooks = tenant.hooks().await?;
                for hook in &hooks {
                    let row = row(hook, tenant.id());
                    let text = raw(&row)?;
                    rows.push((row, text));
                }
            }
            Ok::<_, Problem>(rows.into())
        });
        let all = all.await?;
        let found = all.iter().filter(|(row, _)| is_wanted(row, params));
        let found = found.map(|(_, text)| &**text);
        let Some(limit) = params["limit"].as_u64() else {
            let hooks = found.collect();
            return raw(&HookPage { hooks, next: None });
        };
        let first = params["cursor"].as_u64().unwrap_or(0);
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let mut found = found.skip(size(first));
        let hooks = found.by_ref().take(size(limit)).collect();
        let next = found.next().map(|_| first.saturating_add(limit));
        let next = Some(json!(next));
        raw(&HookPage { hooks, next })
    }

    /// The body of a new hook.
    async fn named(&self, params: &Value) -> Result<Value, Problem> {
        let row = clean(object(params, "params")?);
        if ["handler_type", "event", "scope"]
            .iter()
            .any(|key| !row.get(*key).is_some_and(Value::is_string))
        {
            return Err(Problem::bad("handler_type, event, and scope are required"));
        }
        let others = self.caller.tenant.hooks().await?;
        let names: BTreeSet<_> = others.into_iter().map(|hook| hook.name).collect();
        let wanted = Some(text(&row, "name")).filter(|name| !name.is_empty());
        let wanted = wanted.unwrap_or(text(&row, "event")).to_owned();
        // Names are unique here, and not there.
        let numbered = (2..).map(|number| format!("{wanted}-{number}"));
        let mut free = std::iter::once(wanted.clone()).chain(numbered);
        let name = free.find(|name| !names.contains(name)).unwrap_or(wanted);
        self.body(&name, row)
    }

    /// The body of a hook that is a row.
    fn body(&self, name: &str, row: Map<String, Value>) -> Result<Value, Problem> {
        meaning(&row)?;
        let matcher = Regex::new(text(&row, "matcher"));
        matcher.map_err(|error| Problem::bad(format!("invalid matcher: {error}")))?;
        let is_global = self.caller.tenant.id().is_empty();
        if (row.get("scope") == Some(&json!("global"))) != is_global {
            let own = if is_global {
                "`global`"
            } else {
                "`tenant` or `agent`"
            };
            return Err(Problem::forbidden(format!(
                "the scope of this tenant is {own}"
            )));
        }
        Ok(json!({ "name": name, "goclaw": row }))
    }

    async fn hook(&self, params: &Value) -> Result<Hook, Problem> {
        let id = params["hookId"]
            .as_str()
            .ok_or_else(|| Problem::bad("hookId is required"))?;
        let hook = self.caller.tenant.hook(id).await?;
        hook.ok_or_else(|| Problem::bad(format!("hook not found: {id}")))
    }

    /// The body of a hook whose row is changed. The last writer wins, as in GoClaw.
    fn changed(&self, hook: &Hook, change: Map<String, Value>) -> Result<Value, Problem> {
        let row = hook.body["goclaw"].as_object().cloned();
        let other = "this hook is not one of GoClaw: change it with the API";
        let mut row = row.ok_or_else(|| Problem::bad(other))?;
        row.extend(change);
        self.body(&hook.name, row)
    }

    /// Tries one hook. Nothing is written. Its handler runs only for who could also publish it.
    async fn test(&self, params: &Value) -> Result<Value, Problem> {
        self.caller.at_least(Role::Operator)?;
        let mut row = clean(object(&params["config"], "config")?);
        let sample = &params["sampleEvent"];
        let meaning = meaning(&row)?;
        let tool = sample["toolName"].as_str().unwrap_or_default();
        let text = sample["rawInput"].as_str().unwrap_or_default();
        let mut fields = json!({ "id": "test", "name": tool, "args": sample.get("toolInput").cloned().unwrap_or(json!({})),
            "content": text, "prompt": text });
        let known = OwnedEvent::fields_of(meaning.event);
        if let Some(fields) = fields.as_object_mut() {
            fields.retain(|key, _| known.contains(&&**key));
        }
        let event = OwnedEvent::from_json(meaning.event, fields);
        let event = event.map_err(|error| Problem::bad(error.to_string()))?;
        // A test is about the hook, whether it is on or not.
        row.insert("enabled".into(), true.into());
        let hooks = Bundle::new(vec![json!({ "name": "test", "goclaw": row })], Map::new())
            .map_err(|error| Problem::bad(error.to_string()))?;
        let dry_run = match self.caller.at_least(Role::Publisher) {
            Ok(_) => {
                let (tenant, hooks) = (self.caller.tenant.clone(), hooks.clone());
                aside(async move { tenant.check(&hooks).await }).await?;
                None
            }
            Err(_) => Some(DryRun::new()),
        };
        let (cx, tenant) = (AgentContext::new("test"), &self.caller.tenant);
        let compiled = Simulator::of(&self.api, tenant, hooks, dry_run).await?;
        let ((outcome, _, steps), raw) = RawAnswer::of(compiled.ask(cx, event)).await;
        let step = steps.first();
        let is_left_out = step.is_some_and(|step| step.state == StepState::LeftOut);
        let error = step
            .filter(|step| is_left_out || step.outcome.as_deref() == Some("fault"))
            .map(|step| step.why.clone());
        let decision = match outcome.decision {
            hooks_runtime::Decided::Continue if error.is_some() && !is_left_out => "error",
            hooks_runtime::Decided::Continue | hooks_runtime::Decided::Respond => "allow",
            _ => "block",
        };
        Ok(json!({ "result": {
            "decision": decision,
            "reason": outcome.reason.or_else(|| step.map(|step| step.why.clone())).unwrap_or_default(),
            "durationMs": u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
            "stdout": raw.stdout,
            "stderr": raw.stderr,
            "statusCode": raw.status,
            "error": error.unwrap_or_default(),
            "updatedInput": Some(outcome.change).filter(|change| *change != json!([])),
        } }))
    }

    async fn history(&self, params: &Value) -> Result<Value, Problem> {
        let hook = match params["hookId"].as_str() {
            Some(_) => Some(self.hook(params).await?),
            None => None,
        };
        let filter = ExecutionFilter {
            hook: hook.as_ref().map(|hook| hook.name.clone()),
            agent: self.caller.agent.clone(),
            ..ExecutionFilter::default()
        };
        let cursor = &params["cursor"];
        let cursor = cursor.as_u64().or_else(|| cursor.as_str()?.parse().ok());
        let limit = params["limit"]
            .as_u64()
            .and_then(|limit| u32::try_from(limit).ok());
        let limit = limit.unwrap_or(PAGE).clamp(1, 1000);
        let page = self
            .caller
            .tenant
            .executions(&filter, cursor, limit)
            .await?;
        let rows = page.items.iter().map(|item| execution(item, hook.as_ref()));
        let rows: Vec<_> = rows.collect();
        let next = page.next.map(|next| next.to_string()).unwrap_or_default();
        Ok(json!({ "executions": rows, "nextCursor": next }))
    }
}
