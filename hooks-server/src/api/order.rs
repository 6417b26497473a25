//! `/order`: which hooks run when, in their order.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use hooks_runtime::Ordered;
use hooks_store::{By, Tenant};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::caller::ApiCaller;
use super::extract::Query;
use super::problem::Problem;
use super::simulate::built;
use super::{Api, ApiAnswer};

/// Whose order, and which part of it.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OrderQuery {
    /// Only hooks on this event.
    pub(crate) event: Option<String>,
    /// The order that the draft would have, instead of the one in force.
    #[serde(default)]
    pub(crate) draft: bool,
    /// The order that this node has reported, with the hooks of the agent's own code.
    pub(crate) node: Option<String>,
}

/// Whose order.
pub(crate) enum OrderSource<'a> {
    /// What is in force.
    InForce,
    /// What the draft would have.
    Draft,
    /// What a node has reported.
    Node(&'a str),
}

/// Hooks in their order.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Order {
    /// The hooks, also those that are off, with the order 0: `order`, `hook`, `priority`, `events`, `handler`, `filter`, `mode`, `guard`, and, where there is something
    /// to say, `judges_again_after`, `never` and `version`.
    #[schema(value_type = Vec<Object>)]
    pub(crate) items: Vec<Ordered>,
    /// What else there is to tell, such as hooks that do not run here.
    pub(crate) notices: Vec<String>,
}

/// Lists the hooks in the order in which they run.
#[utoipa::path(get, path = "/order", params(OrderQuery), responses((status = 200, body = Order)))]
pub(super) async fn get(
    State(api): State<Arc<Api>>,
    caller: ApiCaller,
    Query(of): Query<OrderQuery>,
) -> ApiAnswer<Order> {
    let whose = match (of.draft, &of.node) {
        (false, None) => OrderSource::InForce,
        (true, None) => OrderSource::Draft,
        (false, Some(node)) => OrderSource::Node(node),
        (true, Some(_)) => {
            let why = "no node runs the draft: ask for `draft` or for `node`";
            return Err(Problem::bad(why));
        }
    };
    let mut order = Order::clone(&*api.order(&caller.tenant, whose).await?);
    if let Some(event) = &of.event {
        order.items.retain(|hook| hook.events.contains(event));
    }
    Ok(axum::Json(order))
}

impl Api {
    /// The order of a tenant's hooks. That of the draft is read once after each change.
    pub(crate) async fn order(
        &self,
        tenant: &Tenant,
        whose: OrderSource<'_>,
    ) -> Result<Arc<Order>, Problem> {
        match whose {
            OrderSource::InForce => {
                let runtime = self.hooks(tenant).await?;
                let news = tenant.news().in_force;
                let left_out = async { tenant.notices().await.map(Arc::new) };
                let mut notices =
                    Vec::clone(&*self.notices.get(tenant.id(), news, left_out).await?);
                let idle = runtime.status().not_allowed.into_iter();
                let idle =
                    idle.map(|one| format!("the hook `{}` does not run: {}", one.hook, one.why));
                notices.extend(idle.chain(runtime.notices()));
                let items = runtime.order();
                Ok(Arc::new(Order { items, notices }))
            }
            OrderSource::Draft => {
                let news = tenant.news().of_hooks();
                let order = self.order_of_draft(tenant);
                self.drafted.get(tenant.id(), news, order).await
            }
            OrderSource::Node(name) => {
                let items = tenant.node_order(name).await?;
                let (items, notices) = (items.ok_or_else(|| unreported(name))?, Vec::new());
                Ok(Arc::new(Order { items, notices }))
            }
        }
    }

    async fn order_of_draft(&self, tenant: &Tenant) -> Result<Arc<Order>, Problem> {
        let set = tenant.preview(&tenant.draft().await?).await?;
        let runtime = built(self.builder_of(tenant, set).await?).await?;
        let mut notices = runtime.notices();
        let warnings = runtime.warnings().into_iter();
        notices.extend(warnings.map(|one| format!("the hook `{}`: {}", one.hook, one.text)));
        let items = runtime.order();
        runtime.shutdown().await;
        Ok(Arc::new(Order { items, notices }))
    }
}

/// Where a hook is moved, among those that are asked about the same event.
pub(crate) enum To<'a> {
    /// Before the hook that is before it.
    Up,
    /// Behind the hook that is behind it.
    Down,
    /// To the place of the hook with this name.
    Hook(&'a str),
}

/// Whether its code alone says when it runs, so that it cannot be changed here.
pub(crate) fn is_code(hook: &Ordered) -> bool {
    matches!(&*hook.handler, "compiled" | "built-in")
}

impl Api {
    /// Moves a hook of the draft by new priorities, of as few hooks as it needs. Returns where it went: `up` or `down`, and
    /// nothing if it is there already.
    pub(crate) async fn shift(
        &self,
        tenant: &Tenant,
        (name, event): (&str, &str),
        to: To<'_>,
        by: &By,
    ) -> Result<&'static str, Problem> {
        let (mut draft, order) = (
            tenant.draft().await?,
            self.order(tenant, OrderSource::Draft).await?,
        );
        let names = draft.hooks.iter().map(|hook| hook["name"].as_str());
        let names = names.map(|name| name.unwrap_or_default().to_owned());
        let places: HashMap<String, usize> = names.zip(0..).collect();
        let place = |hook: &Ordered| places.get(&hook.hook).copied().filter(|_| !is_code(hook));
        let is_asked =
            |hook: &Ordered| event.is_empty() || hook.events.iter().any(|on| on == event);
        let shown = (0..).zip(&order.items).filter(|(_, hook)| is_asked(hook));
        let shown: Vec<usize> = shown.map(|(at, _)| at).collect();
        let find = |name: &str| shown.iter().position(|at| order.items[*at].hook == name);
        let at = find(name).filter(|at| place(&order.items[shown[*at]]).is_some());
        let target = at.and_then(|at| match to {
            To::Up => at.checked_sub(1),
            To::Down => Some(at + 1),
            To::Hook(name) => find(name),
        });
        let Some((at, target)) = at.zip(target.filter(|to| *to < shown.len() && Some(*to) != at))
        else {
            return Ok("");
        };
        let mut list: Vec<&Ordered> = order.items.iter().collect();
        let moved = list.remove(shown[at]);
        list.insert(shown[target], moved);
        let changed = priorities(&list, shown[target], place).ok_or_else(|| {
            let why = "what is there is in code: nothing that you can change goes between";
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, why)
        })?;
        let (read, word) = (draft.sha256(), if target < at { "up" } else { "down" });
        for (place, priority) in changed {
            draft.hooks[place]["priority"] = priority.into();
        }
        let by = by.clone().comment(format!("moved {word}: {name}"));
        tenant.put_draft(&draft, &by.after(read)).await?;
        Ok(word)
    }
}

/// The priorities that put the hook at `at` of a list where it is: those of this hook alone, or also of those that stand
/// above it or below it, whichever are fewer. Hooks with one priority run in the order of their places.
fn priorities(
    list: &[&Ordered],
    at: usize,
    place: impl Fn(&Ordered) -> Option<usize>,
) -> Option<Vec<(usize, i32)>> {
    // Above what follows with the sign 1, and below what goes before with the sign -1.
    let pushed = |sign: i32| {
        let step = |at: usize, by: i32| list.get(at.checked_add_signed(by as isize)?).copied();
        let (mut near, mut changed) = (step(at, sign), Vec::new());
        let mut events = HashSet::new();
        let mut bound = near.map_or(list.get(at)?.priority, |near| near.priority);
        for by in 0.. {
            let Some(hook) = step(at, -sign * by) else {
                break;
            };
            // What is asked about none of their events may stand anywhere.
            if by > 0 && !hook.events.iter().any(|event| events.contains(event)) {
                continue;
            }
            let ties = near.and_then(|near| Some((place(hook)? < place(near)?) == (sign > 0)));
            if near.is_some() && ties != Some(true) {
                bound = bound.checked_add(sign)?;
            }
            if by > 0 && (i64::from(hook.priority) - i64::from(bound)) * i64::from(sign) >= 0 {
                break;
            }
            if hook.priority != bound {
                changed.push((place(hook)?, bound));
            }
            events.extend(&hook.events);
            near = Some(hook);
        }
        Some(changed)
    };
    // Of as many, rather the hook that moves.
    let own = list.get(at).and_then(|hook| place(hook));
    let cost = |all: &[(usize, i32)]| (all.len(), all.first().map(|one| one.0) != own);
    match (pushed(1), pushed(-1)) {
        (Some(up), Some(down)) => Some(match (&*up, &*down) {
            // There is room, which the next hook finds, too.
            ([(one, low)], [(other, high)]) if one == other => {
                vec![(*one, i32::midpoint(*low, *high))]
            }
            _ if cost(&up) > cost(&down) => down,
            _ => up,
        }),
        (up, down) => up.or(down),
    }
}

/// The answer for a node that has not reported its order.
fn unreported(name: &str) -> Problem {
    let why = format!(
        "there is no order of a node `{name}`: it sends one as `order` to `POST /nodes`, and is forgotten when it has not \
         reported for ten minutes. In `GET /nodes`, `has_order` says which nodes have an order"
    );
    Problem::new(StatusCode::NOT_FOUND, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(name: &str, priority: i32) -> Ordered {
        serde_json::from_value(serde_json::json!({
            "order": 1, "hook": name, "priority": priority, "events": [if name == "other" { "F" } else { "E" }], "filter": "", "mode": "enforce", "guard": false,
            "handler": if name == "code" { "built-in" } else { "rule: block" }, "source": "",
        }))
        .unwrap()
    }

    /// Moves a hook within a list whose hooks were made in the order of their letters.
    fn moved(list: &[(&str, i32)], at: usize, to: usize) -> Option<Vec<(&'static str, i32)>> {
        const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "other"];
        let hooks: Vec<_> = list
            .iter()
            .map(|(name, priority)| hook(name, *priority))
            .collect();
        let mut list: Vec<_> = hooks.iter().collect();
        let moved = list.remove(at);
        list.insert(to, moved);
        let place = |hook: &Ordered| NAMES.iter().position(|name| *name == hook.hook);
        let changed = priorities(&list, to, place)?;
        let mut now: Vec<_> = list
            .iter()
            .map(|hook| (place(hook), hook.priority))
            .collect();
        for (place, priority) in &changed {
            now.iter_mut()
                .find(|(known, _)| known == &Some(*place))
                .unwrap()
                .1 = *priority;
        }
        now.retain(|(known, _)| *known != Some(5));
        let is_there = now
            .windows(2)
            .all(|two| two[0].1 > two[1].1 || (two[0].1 == two[1].1 && two[0].0 < two[1].0));
        assert!(is_there, "{now:?}");
        Some(
            changed
                .into_iter()
                .map(|(place, priority)| (NAMES[place], priority))
                .collect(),
        )
    }

    #[test]
    fn a_move_changes_as_few_priorities_as_it_needs() {
        let equal = [("a", 0), ("b", 0), ("c", 0), ("d", 0), ("e", 0)];
        assert_eq!(moved(&equal, 4, 3).unwrap(), [("d", -1)]);
        assert_eq!(moved(&equal, 1, 0).unwrap(), [("b", 1)]);
        assert_eq!(moved(&equal, 0, 4).unwrap(), [("a", -1)]);
        assert_eq!(moved(&equal, 0, 1).unwrap(), [("b", 1)]);
        assert_eq!(moved(&equal[..2], 0, 1).unwrap(), [("a", -1)]);
        let other = [("a", 0), ("b", 0), ("c", 0), ("other", 0)];
        assert_eq!(moved(&other, 2, 1).unwrap(), [("b", -1)]);
        let room = [("a", 100), ("b", 0), ("c", -9)];
        assert_eq!(moved(&room, 2, 1).unwrap(), [("c", 50)]);
        let none = [("a", 2), ("b", 1), ("c", 1), ("d", 0)];
        assert_eq!(moved(&none, 3, 1).unwrap(), [("d", 2)]);
        let most = [("a", i32::MAX), ("b", i32::MAX), ("c", 1)];
        assert_eq!(moved(&most, 1, 0).unwrap(), [("a", i32::MAX - 1)]);
        assert_eq!(moved(&[("code", 0), ("a", 0)], 1, 0).unwrap(), [("a", 1)]);
        let code = [("code", 1), ("code", 0), ("a", 0)];
        assert_eq!(moved(&code, 2, 1), None);
    }
}
