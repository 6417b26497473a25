//! What is wrong with a hook that a person writes: all of it at once.

use serde_json::{Value, json};

use super::LONGEST_HOOK;
use crate::error::{MOST, Mistake, Result, StoreError};
use crate::scope::HookScope;
use crate::secret;
use crate::store::Tenant;

impl Tenant {
    /// Finds all mistakes of a hook, as [`create`](Self::create) and [`update`](Self::update) do, and saves nothing. `id` is
    /// the hook that it is a version of; empty for a new one.
    ///
    /// ```
    /// use hooks_store::{Store, StoreError};
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), StoreError> {
    /// let acme = Store::open("sqlite::memory:").await?.tenant("acme");
    /// let hook = json!({ "event": "BeforeToolCall", "block": "no", "mandatory": true, "priority": "high" });
    /// let mistakes = acme.mistakes(&hook, "").await?;
    /// assert_eq!(mistakes.len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn mistakes(&self, hook: &Value, id: &str) -> Result<Vec<Mistake>> {
        let mut mistakes = StoreError::mistakes(self.checked(hook).await)?;
        if hook.is_object() {
            let reads = &mut self.engine();
            let free = self.expect_free(reads, id, &mut hook.clone()).await;
            mistakes.extend(StoreError::mistakes(free)?);
        }
        Ok(mistakes)
    }

    /// Returns a hook that a person has written in the form that the runtime reads.
    ///
    /// # Errors
    ///
    /// If it has mistakes: all of them.
    pub(crate) async fn checked(&self, body: &Value) -> Result<Value> {
        let length = body.to_string().len();
        if length > LONGEST_HOOK {
            let [length, most] = [length, LONGEST_HOOK].map(|bytes| bytes.div_ceil(1 << 10));
            let message = format!("the hook has {length} kB, and a hook may have {most} kB");
            return Err(StoreError::invalid("", message, "make several of it"));
        }
        let (body, mut mistakes) = self.lower(body);
        let (mut rest, mut is_whole) = (body.clone(), true);
        while rest.is_object() && mistakes.len() <= MOST {
            let checked = self.check_hook(&mut self.engine(), &rest).await;
            // What is missing in a part of the hook is not a mistake of the hook.
            let is_new = |found: &Mistake| {
                let below = format!("{}/", found.path);
                let mut known = mistakes.iter().map(|known| &known.path);
                !known.any(|known| *known == found.path || (!is_whole && known.starts_with(&below)))
            };
            let mut found = StoreError::mistakes(checked)?;
            found.retain(is_new);
            // The loader stops at values of a wrong type. Without them, it finds what else there is.
            let removed = found
                .iter()
                .filter_map(|found| remove(&mut rest, &found.path));
            let goes_on = removed.count() > 0;
            mistakes.extend(found);
            if !goes_on {
                break;
            }
            is_whole = false;
        }
        StoreError::all(mistakes)?;
        Ok(body)
    }

    /// A hook in the form that the runtime reads, whose scope is a table, and what is wrong with its scope.
    pub(crate) fn lower(&self, body: &Value) -> (Value, Vec<Mistake>) {
        let Value::Object(body) = body else {
            let help = "write `{\"event\": \"BeforeToolCall\", …}`";
            let mistake = Mistake::new("", "a hook is an object", help);
            return (Value::Null, vec![mistake]);
        };
        let mut body = body.clone();
        let mut mistakes = Vec::new();
        let mut wrong = |path: &str, message: &str, help: &str| {
            mistakes.push(Mistake::new(path, message, help));
        };
        // The store says which version it is.
        body.remove("version");
        if body
            .remove("tenant")
            .is_some_and(|tenant| tenant != self.id)
        {
            let message = "the tenant of a hook is that of who saves it";
            wrong("/tenant", message, "leave `tenant` out");
        }
        let said = body.get("scope").and_then(Value::as_str).map(str::to_owned);
        if said.is_some() {
            body.remove("scope");
        }
        let own = HookScope::of(self.is_global(), &Value::Null).as_str();
        let is_for_agents = said.as_deref() == Some("agent");
        if let Some(said) = said
            && !is_for_agents
            && said != own
        {
            let message = format!("scope `{said}` is not allowed here");
            wrong("/scope", &message, &format!("use `{own}` or `agent`"));
        }
        let agents = body.remove("agents");
        let named = agents.as_ref().and_then(Value::as_array);
        let names_some = named.is_some_and(|named| !named.is_empty());
        if (is_for_agents && !names_some) || (!is_for_agents && agents.is_some()) {
            let message = "a hook with the scope `agent` names agents, and no other does";
            let help = "write `\"scope\": \"agent\", \"agents\": [\"…\"]`";
            wrong("/agents", message, help);
        }
        if let Some(agents) = agents {
            body.insert("scope".to_owned(), json!({ "agents": agents }));
        }
        let body = Value::Object(body);
        let tenants = body["scope"]["tenants"].as_array();
        if !self.is_global()
            && tenants
                .into_iter()
                .flatten()
                .any(|tenant| *tenant != self.id)
        {
            let message = "a tenant's hook is for this tenant alone";
            wrong("/scope/tenants", message, "leave `tenants` out");
        }
        if !self.is_global() && body["mandatory"] == true {
            let message = "only a hook of the global tenant can be mandatory";
            wrong("/mandatory", message, "leave `mandatory` out");
        }
        mistakes.extend(secret::mistakes(&body));
        (body, mistakes)
    }
}

/// Removes the value at a pointer from its table: of a list, the whole.
fn remove(hook: &mut Value, pointer: &str) -> Option<Value> {
    let (table, key) = pointer.rsplit_once('/')?;
    match hook.pointer_mut(table) {
        Some(Value::Object(fields)) => fields.remove(key),
        _ => remove(hook, table),
    }
}
