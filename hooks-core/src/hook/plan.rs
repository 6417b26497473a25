//! Who runs when, as a table.
//!
//! Hooks describe themselves, in order, to a [`Planner`]. A [`Plan`] asks them again for every row. That is
//! quadratic, but allocates nothing if all hooks are static, and a plan is printed only once, for a person to read.

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;

use crate::event::{EventSet, Vocabulary};

/// One row of a [`Plan`]: a hook, and an event that it handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanRow<'a> {
    /// The hook's position in the order, from 1. A hook that handles several events has one row per event, all with
    /// the same position.
    pub order: usize,
    /// The hook's name.
    pub hook: &'a str,
    /// Its priority within its own list: the one given in the list (`hook @ 10`), or else its own. A pipeline in a
    /// list has one position, and its hooks are ordered within it.
    pub priority: i32,
    /// The event, or `None` for a hook that receives every event of its vocabulary.
    pub event: Option<&'static str>,
    /// Whether the hook is asynchronous on this event.
    pub is_async: bool,
    /// How deep it is nested: 0 for the hooks of the pipeline itself, 1 for those of a pipeline or registry in it,
    /// whose priorities only order them among themselves.
    pub depth: usize,
}

/// Who runs when: iterates over rows without allocating, and prints as a table.
///
/// None of the five systems offers this.
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
    /// A snapshot of the rows, if there are handlers, which may change.
    rows: Option<Vec<Row<'a>>>,
    /// The names of the events that the agent raises, if known.
    raised: Option<&'a [&'a str]>,
}

/// A row, and how its hook runs.
type Row<'a> = (PlanRow<'a>, Runs);

impl<'a> Plan<'a> {
    pub(crate) fn of(hooks: &'a dyn Describe) -> Self {
        let has_handlers = Planner::walk(hooks, &mut |_| {});
        let rows = has_handlers.then(|| {
            let mut rows = Vec::new();
            Planner::walk(hooks, &mut |row| rows.push(row));
            rows
        });
        Plan {
            hooks,
            next: 0,
            rows,
            raised: None,
        }
    }

    /// Sets the events that the agent raises, so that the table marks hooks on events that never occur.
    ///
    /// The drivers of the standard vocabulary have constants for this, such as
    /// [`TOOL_CALL`](crate::agent::raised::TOOL_CALL) for [`run_tool_call`](crate::agent::run_tool_call).
    ///
    /// ```
    /// use hooks_core::agent::{BeforeToolCall, MessageSent, raised};
    /// use hooks_core::{hook, hooks};
    ///
    /// #[hook(priority = 50)]
    /// fn check(_: &BeforeToolCall) {}
    ///
    /// #[hook]
    /// fn count(_: &MessageSent<'_>) {}
    ///
    /// let hooks = hooks![check, count];
    /// assert_eq!(hooks.plan().raising(raised::TOOL_CALL).to_string(), "\
    /// order  hook   priority  event           runs
    /// 1      check        50  BeforeToolCall  sync
    /// 2      count         0  MessageSent     sync, but the agent never raises it
    /// ");
    /// ```
    #[must_use]
    pub const fn raising(mut self, events: &'a [&'a str]) -> Self {
        self.raised = Some(events);
        self
    }

    /// The rows of hooks on events that the agent never raises, after [`raising`](Self::raising). A test can assert
    /// that there are none.
    pub fn never_raised(self) -> impl Iterator<Item = PlanRow<'a>> {
        let raised = self.raised;
        self.filter(move |row| !is_raised(raised, row))
    }

    /// The row at a position.
    fn row(&self, place: usize) -> Option<Row<'a>> {
        if let Some(rows) = &self.rows {
            return rows.get(place).copied();
        }
        let mut index = 0;
        let mut found = None;
        Planner::walk(self.hooks, &mut |row| {
            if index == place {
                found = Some(row);
            }
            index += 1;
        });
        found
    }

    /// All rows, from the first.
    fn rows(&self) -> impl Iterator<Item = Row<'a>> {
        (0..).map_while(|place| self.row(place))
    }

    /// The names of the hooks, in the order in which they run.
    pub(crate) fn names(&self) -> impl fmt::Debug {
        fmt::from_fn(move |f| {
            let mut shown = 0;
            let first_rows = self.rows().filter(|(row, _)| {
                let first = row.order != shown;
                shown = row.order;
                first
            });
            f.debug_list()
                .entries(first_rows.map(|(row, _)| fmt::from_fn(move |f| f.write_str(row.hook))))
                .finish()
        })
    }

    /// Whether handlers are among the hooks, or may be later: the wanted events may then change.
    #[doc(hidden)]
    #[must_use]
    pub const fn has_handlers(&self) -> bool {
        self.rows.is_some()
    }

    /// The name and the priority of the only hook, if there is exactly one.
    #[doc(hidden)]
    #[must_use]
    pub fn only_hook(&self) -> Option<(&'a str, i32)> {
        let mut rows = self.rows().map(|(row, _)| row);
        let first = rows.next()?;
        rows.all(|row| row.order == first.order)
            .then_some((first.hook, first.priority))
    }
}

/// Whether the agent raises the event of a row. For a hook on every event, it always does.
fn is_raised(raised: Option<&[&str]>, row: &PlanRow<'_>) -> bool {
    match (raised, row.event) {
        (Some(raised), Some(event)) => raised.contains(&event),
        _ => true,
    }
}

impl<'a> Iterator for Plan<'a> {
    type Item = PlanRow<'a>;

    fn next(&mut self) -> Option<PlanRow<'a>> {
        let (row, _) = self.row(self.next)?;
        self.next += 1;
        Some(row)
    }
}

impl FusedIterator for Plan<'_> {}

/// The table; an empty plan prints as `no hooks`.
impl fmt::Display for Plan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const EVERY: &str = "every event";
        if self.row(0).is_none() {
            return f.write_str("no hooks\n");
        }
        let width = |of: fn(&PlanRow<'_>) -> usize, title: &str| {
            let widths = self.rows().map(|(row, _)| of(&row));
            widths.max().unwrap_or(0).max(title.len())
        };
        let hook = width(|row| row.hook.chars().count() + 2 * row.depth, "hook");
        let event = width(|row| row.event.unwrap_or(EVERY).len(), "event");

        writeln!(
            f,
            "{:<5}  {:<hook$}  priority  {:<event$}  runs",
            "order", "hook", "event"
        )?;
        for (row, runs) in self.rows() {
            let indent = 2 * row.depth;
            let hook = hook - indent;
            let never = if is_raised(self.raised, &row) {
                ""
            } else {
                ", but the agent never raises it"
            };
            writeln!(
                f,
                "{:<5}  {:indent$}{:<hook$}  {:>8}  {:<event$}  {}{never}",
                row.order,
                "",
                row.hook,
                row.priority,
                row.event.unwrap_or(EVERY),
                match runs {
                    Runs::Sync => "sync",
                    Runs::Async => "async",
                    Runs::Around => "around",
                },
            )?;
        }
        Ok(())
    }
}

impl fmt::Debug for Plan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.rows().map(|(row, _)| row))
            .finish()
    }
}

/// How a hook runs on an event.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    Sync,
    Async,
    Around,
}

/// Every hook: a description for a plan.
#[doc(hidden)]
pub trait Describe {
    fn describe<'d>(&'d self, plan: &mut Planner<'d, '_>);
}

/// Collects the rows of a plan.
#[doc(hidden)]
pub struct Planner<'d, 'v> {
    visit: &'v mut dyn FnMut(Row<'d>),
    /// Whether handlers are among the hooks, or may be later.
    has_handlers: bool,
    order: usize,
    depth: usize,
    /// The priority given at the list, over the hook's own.
    priority: Option<i32>,
    /// Handlers that have yet to find their places, the next one last, and the depth of their list.
    handlers: Vec<Spread<'d>>,
    spread_depth: usize,
}

/// A handler of a spread: its name, its priority, and the events that it wants, with all their names.
struct Spread<'d> {
    name: &'d str,
    priority: i32,
    events: EventSet,
    row: fn(&mut Planner<'d, '_>, &'d str, i32, EventSet),
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
    /// Visits all rows; whether handlers are among the hooks.
    fn walk(hooks: &'d dyn Describe, visit: &mut dyn FnMut(Row<'d>)) -> bool {
        let mut planner = Planner {
            visit,
            has_handlers: false,
            order: 0,
            depth: 0,
            priority: None,
            handlers: Vec::new(),
            spread_depth: 0,
        };
        hooks.describe(&mut planner);
        planner.has_handlers
    }

    /// One hook, and the events that it handles, each with how it does so.
    pub fn hook(&mut self, hook: &'d str, priority: i32, events: &[(Option<&'static str>, Runs)]) {
        self.order += 1;
        for &(event, runs) in events {
            let row = PlanRow {
                order: self.order,
                hook,
                priority: self.priority.unwrap_or(priority),
                event,
                is_async: runs != Runs::Sync,
                depth: self.depth,
            };
            (self.visit)((row, runs));
        }
    }

    /// A hook with a priority of its place in the list.
    pub(crate) fn at(&mut self, priority: i32, hook: &'d dyn Describe) {
        self.handlers_above(Some(priority));
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

    /// What holds handlers, which may come and go, and those that it holds now.
    pub(crate) fn holder<V: Vocabulary>(
        &mut self,
        name: &'d str,
        describe: impl FnOnce(&mut dyn FnMut(&'d str, i32, EventSet)),
    ) {
        self.has_handlers = true;
        self.hook(name, 0, &[(None, Runs::Async)]);
        self.nested(|plan| {
            describe(&mut |name, priority, events| plan.handler::<V>(name, priority, events));
        });
    }

    /// A handler, and the events that it wants.
    fn handler<V: Vocabulary>(&mut self, name: &'d str, priority: i32, events: EventSet) {
        if events == EventSet::ALL {
            return self.hook(name, priority, &[(None, Runs::Async)]);
        }
        let wanted = V::EVENTS
            .iter()
            .filter(|event| events.contains_named::<V>(event))
            .map(|event| (Some(*event), Runs::Async));
        self.hook(name, priority, &wanted.collect::<Vec<_>>());
    }

    /// Hooks with handlers in their places between them.
    pub(crate) fn spread<V: Vocabulary>(
        &mut self,
        handlers: Vec<(&'d str, i32, EventSet)>,
        hooks: impl FnOnce(&mut Self),
    ) {
        self.has_handlers = true;
        let handlers = handlers.into_iter().rev();
        let handlers = handlers.map(|(name, priority, events)| Spread {
            name,
            priority,
            events,
            row: |plan, name, priority, events| plan.handler::<V>(name, priority, events),
        });
        let outer = core::mem::replace(&mut self.handlers, handlers.collect());
        let outer_depth = core::mem::replace(&mut self.spread_depth, self.depth);
        hooks(self);
        self.handlers_above(None);
        self.handlers = outer;
        self.spread_depth = outer_depth;
    }

    /// The handlers that run before a hook of this priority, or all that are left.
    fn handlers_above(&mut self, priority: Option<i32>) {
        if self.depth != self.spread_depth {
            return;
        }
        while let Some(handler) = self
            .handlers
            .pop_if(|next| priority.is_none_or(|priority| next.priority > priority))
        {
            (handler.row)(self, handler.name, handler.priority, handler.events);
        }
    }
}
