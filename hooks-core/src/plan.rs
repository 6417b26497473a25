//! Who runs when, as a table.
//!
//! Hooks describe themselves, in order, to a [`Planner`]; a [`Plan`] asks them again for every row that
//! it is asked for. That is quadratic, and allocates nothing: a plan is printed once, by a person.

use core::fmt;
use core::iter::FusedIterator;

/// One row of a [`Plan`]: a hook, and an event that it handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanRow<'a> {
    /// The hook's place in the order, from 1. A hook that handles several events has as many rows,
    /// with one place.
    pub order: usize,
    /// The hook's name.
    pub hook: &'a str,
    /// Its priority among those of its own list: the one written there (`hook @ 10`), or else its own. A
    /// pipeline in a list runs at one place, and its hooks are ordered within that.
    pub priority: i32,
    /// The event, or `None` for a hook that is given every event of its vocabulary.
    pub event: Option<&'static str>,
    /// Whether the hook is asynchronous here.
    pub is_async: bool,
    /// How deep it is nested: 0 for the hooks of the pipeline itself, 1 for those of a pipeline or a
    /// registry in it, whose priorities order them among themselves.
    pub depth: usize,
}

/// Who runs when: prints as a table, and iterates over its rows, without allocating.
///
/// None of the five systems can say it.
///
/// ```
/// use hooks_core::agent::{BeforeToolCall, ToolCallEnd};
/// use hooks_core::{hook, hooks};
///
/// #[hook(priority = 50)]
/// fn absolute(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// #[hook(priority = -50)]
/// async fn report(_: &ToolCallEnd<'_>) {}
///
/// let hooks = hooks![report, absolute];
/// assert_eq!(hooks.plan().to_string(), "\
/// order  hook      priority  event           runs
/// 1      absolute        50  BeforeToolCall  sync
/// 2      report         -50  ToolCallEnd     async
/// ");
/// assert_eq!(hooks.plan().filter(|row| row.is_async).count(), 1);
/// ```
#[derive(Clone)]
pub struct Plan<'a> {
    hooks: &'a dyn Describe,
    next: usize,
}

impl<'a> Plan<'a> {
    pub(crate) fn of(hooks: &'a dyn Describe) -> Self {
        Plan { hooks, next: 0 }
    }
}

impl<'a> Iterator for Plan<'a> {
    type Item = PlanRow<'a>;

    fn next(&mut self) -> Option<PlanRow<'a>> {
        let mut index = 0;
        let mut found = None;
        Planner::walk(self.hooks, &mut |row| {
            if index == self.next {
                found = Some(row);
            }
            index += 1;
        });
        self.next += usize::from(found.is_some());
        found
    }
}

impl FusedIterator for Plan<'_> {}

impl<'a> Plan<'a> {
    /// The name and the priority of the only hook, if there is just one.
    #[doc(hidden)]
    #[must_use]
    pub fn only_hook(&self) -> Option<(&'a str, i32)> {
        let mut rows = Plan::of(self.hooks);
        let first = rows.next()?;
        rows.all(|row| row.order == first.order)
            .then_some((first.hook, first.priority))
    }
}

/// The table; an empty plan prints as `no hooks`.
impl fmt::Display for Plan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const EVERY: &str = "every event";
        let rows = || Plan::of(self.hooks);
        if rows().next().is_none() {
            return f.write_str("no hooks\n");
        }
        let width = |of: fn(&PlanRow<'_>) -> usize, title: &str| {
            rows()
                .map(|row| of(&row))
                .max()
                .unwrap_or(0)
                .max(title.len())
        };
        let hook = width(|row| row.hook.chars().count() + 2 * row.depth, "hook");
        let event = width(|row| row.event.unwrap_or(EVERY).len(), "event");

        writeln!(
            f,
            "{:<5}  {:<hook$}  priority  {:<event$}  runs",
            "order", "hook", "event"
        )?;
        for row in rows() {
            let indent = 2 * row.depth;
            let hook = hook - indent;
            writeln!(
                f,
                "{:<5}  {:indent$}{:<hook$}  {:>8}  {:<event$}  {}",
                row.order,
                "",
                row.hook,
                row.priority,
                row.event.unwrap_or(EVERY),
                if row.is_async { "async" } else { "sync" },
            )?;
        }
        Ok(())
    }
}

impl fmt::Debug for Plan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(Plan::of(self.hooks)).finish()
    }
}

/// What can describe itself to a plan: every hook.
#[doc(hidden)]
pub trait Describe {
    fn describe<'d>(&'d self, plan: &mut Planner<'d, '_>);
}

/// Collects the rows of a plan.
#[doc(hidden)]
pub struct Planner<'d, 'v> {
    visit: &'v mut dyn FnMut(PlanRow<'d>),
    order: usize,
    depth: usize,
    /// The priority given at the list, over the hook's own.
    priority: Option<i32>,
}

impl fmt::Debug for Planner<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planner")
            .field("order", &self.order)
            .field("depth", &self.depth)
            .field("priority", &self.priority)
            .finish_non_exhaustive()
    }
}

impl<'d> Planner<'d, '_> {
    fn walk(hooks: &'d dyn Describe, visit: &mut dyn FnMut(PlanRow<'d>)) {
        hooks.describe(&mut Planner {
            visit,
            order: 0,
            depth: 0,
            priority: None,
        });
    }

    /// One hook, and the events that it handles, each with whether it does so asynchronously.
    pub fn hook(&mut self, hook: &'d str, priority: i32, events: &[(Option<&'static str>, bool)]) {
        self.order += 1;
        for &(event, is_async) in events {
            (self.visit)(PlanRow {
                order: self.order,
                hook,
                priority: self.priority.unwrap_or(priority),
                event,
                is_async,
                depth: self.depth,
            });
        }
    }

    /// A hook with a priority of its place in the list.
    pub(crate) fn at(&mut self, priority: i32, hook: &'d dyn Describe) {
        let outer = self.priority.replace(priority);
        hook.describe(self);
        self.priority = outer;
    }

    /// Hooks within a hook.
    pub(crate) fn nested(&mut self, hooks: impl FnOnce(&mut Self)) {
        let outer = self.priority.take();
        self.depth += 1;
        hooks(self);
        self.depth -= 1;
        self.priority = outer;
    }
}
