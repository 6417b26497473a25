//! The order of execution as a list: hooks of files and of bundles, built-in hooks, and the compiled hooks around them.

use std::collections::{HashMap, HashSet};

use hooks_core::agent::AgentEvent;
use hooks_core::hooks;
use hooks_core::plan::{Plan, PlanRow};
use serde::{Deserialize, Serialize};

use super::{HookStatus, Runtime};
use crate::entry::Mode;

/// One hook, in the order in which hooks run.
///
/// None of the five systems shows it: theirs is in a list that only exists while the agent runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ordered {
    /// Its position, from 1. The hooks of another system's file have one position together. A hook that is off has none: 0.
    pub order: usize,
    /// The name.
    pub hook: String,
    /// The priority within its own list.
    pub priority: i32,
    /// The events on which it runs.
    pub events: Vec<String>,
    /// The kind of its handler and what it runs, `built-in`, or `compiled` for a hook of the agent's own code.
    pub handler: String,
    /// The conditions under which it runs, other than its events; empty if it always runs, and for compiled and built-in
    /// hooks, whose code has them.
    pub filter: String,
    /// Whether it enforces its decisions.
    pub mode: Mode,
    /// Whether it judges the final form of an event as well.
    pub guard: bool,
    /// The later hook because of which it judges again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judges_again_after: Option<String>,
    /// Why it never runs, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub never: Option<String>,
    /// The version, if it comes from a store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// The file or the bundle with its definition, and the line; empty for a compiled hook.
    pub source: String,
}

impl Runtime {
    /// Returns all hooks of the runtime, in the order in which they run. One that is off is where it would run.
    ///
    /// ```
    /// use hooks_runtime::Runtime;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let runtime = Runtime::builder()
    ///     .text("[[hooks.on]]\nname = 'no-tools'\nevent = 'BeforeToolCall'\nblock = 'no'")
    ///     .build()
    ///     .await?;
    /// assert_eq!(runtime.order()[0].hook, "no-tools");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn order(&self) -> Vec<Ordered> {
        self.listed(hooks![..self.clone()].plan(), |_| true)
    }

    /// Returns all hooks of a pipeline with this runtime in it, in the order in which they run.
    ///
    /// ```
    /// use hooks_core::agent::BeforeToolCall;
    /// use hooks_core::{hook, hooks};
    /// use hooks_runtime::Runtime;
    ///
    /// #[hook(priority = 50)]
    /// fn look(_: &BeforeToolCall) {}
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let runtime = Runtime::builder()
    ///     .text("[[hooks.on]]\nname = 'no-tools'\nevent = 'BeforeToolCall'\nblock = 'no'")
    ///     .build()
    ///     .await?;
    /// let order = runtime.order_in(hooks![look, ..runtime.clone()].plan());
    /// assert_eq!([&order[0].handler, &order[1].hook], ["compiled", "no-tools"]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn order_in(&self, plan: Plan) -> Vec<Ordered> {
        let own = hooks![..self.clone()].plan();
        // A compiled hook may have the name of one of ours.
        let mark = |row: &PlanRow| (row.hook.clone(), row.priority, row.event);
        let own: HashSet<_> = own.map(|row| mark(&row)).collect();
        self.listed(plan, |row| own.contains(&mark(row)))
    }

    fn listed(&self, plan: Plan, is_own: impl Fn(&PlanRow) -> bool) -> Vec<Ordered> {
        let status = self.status();
        let mut ordered: Vec<Ordered> = Vec::new();
        let mut shown = HashSet::new();
        let mut before = None;
        for row in plan {
            let is_own = is_own(&row);
            if is_own && shown.contains(&*row.hook) {
                continue;
            }
            let events = match &row.event {
                Some(event) => std::slice::from_ref(event),
                None => AgentEvent::NAMES,
            };
            let events = events.iter().map(|event| (*event).to_owned());
            if before == Some((row.order, row.depth, row.hook.clone())) {
                if let Some(last) = ordered.last_mut() {
                    last.events.extend(events);
                }
                continue;
            }
            before = Some((row.order, row.depth, row.hook.clone()));
            let at_place = |hook: &&HookStatus| is_own && hook.place == row.hook;
            let mut definitions = status.hooks.iter().filter(at_place);
            let place = Ordered {
                order: row.order,
                hook: row.hook.to_string(),
                priority: row.priority,
                events: events.collect(),
                handler: if is_own { "built-in" } else { "compiled" }.to_owned(),
                filter: String::new(),
                mode: Mode::Enforce,
                guard: row.is_guard,
                judges_again_after: row.judges_again_after.map(Into::into),
                never: None,
                version: None,
                source: String::new(),
            };
            match definitions.next() {
                None => ordered.push(place),
                // A file of another system is one place with several hooks.
                Some(first) => {
                    ordered.push(place.defined(first));
                    ordered.extend(definitions.map(|other| place.defined(other)));
                    // They know their events: the place's rows for other events say nothing new.
                    shown.insert(row.hook.to_string());
                }
            }
        }
        with_off(ordered, &status.hooks)
    }
}

/// Puts the hooks that are off behind those that would run before them: the definitions are in their order.
fn with_off(ordered: Vec<Ordered>, definitions: &[HookStatus]) -> Vec<Ordered> {
    let names = definitions.iter().map(|hook| &*hook.name);
    let places: HashMap<_, _> = names.zip(0..).collect();
    let mut at = 0;
    let rows = ordered.into_iter().map(|hook| {
        let is_defined = !hook.source.is_empty();
        let place = places.get(&*hook.hook).filter(|_| is_defined);
        at = place.map_or(at, |place| at.max(*place));
        (at, hook)
    });
    let mut rows: Vec<(usize, Ordered)> = rows.collect();
    // A file of another system lists its hooks that are off itself, and a compiled hook may have the name of one.
    let listed = rows
        .iter()
        .map(|(_, hook)| (hook.hook.clone(), hook.source.clone()));
    let listed: HashSet<_> = listed.collect();
    let key = |hook: &HookStatus| (hook.name.clone(), hook.source.clone());
    let is_off = |hook: &&HookStatus| hook.mode == Mode::Off && !listed.contains(&key(hook));
    let off = definitions.iter().filter(is_off);
    rows.extend(off.map(|hook| (places[&*hook.name], Ordered::off(hook))));
    rows.sort_by_key(|(at, _)| *at);
    rows.into_iter().map(|(_, hook)| hook).collect()
}

impl Ordered {
    /// A definition that does not run.
    fn off(definition: &HookStatus) -> Self {
        Ordered {
            order: 0,
            hook: definition.name.clone(),
            priority: definition.priority,
            events: definition.events.iter().map(|&on| on.to_owned()).collect(),
            handler: definition.handler.clone(),
            filter: definition.filter.clone(),
            mode: definition.mode,
            guard: false,
            judges_again_after: None,
            never: None,
            version: definition.version,
            source: definition.source.clone(),
        }
    }

    /// A definition at this place.
    fn defined(&self, definition: &HookStatus) -> Self {
        Ordered {
            hook: definition.name.clone(),
            priority: definition.priority,
            events: definition
                .events
                .iter()
                .map(|event| (*event).to_owned())
                .collect(),
            handler: definition.handler.clone(),
            filter: definition.filter.clone(),
            mode: definition.mode,
            never: definition.never.clone(),
            version: definition.version,
            source: definition.source.clone(),
            ..self.clone()
        }
    }
}
