//! The plan of hooks: which one runs when, as a table.
//!
//! Hooks describe themselves, in order, to a [`Planner`], which collects the rows.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::{self, Vec};
use core::fmt;

use super::{Hook, RuleRow};
use crate::event::{EventInfo, EventSet};

/// One row of a [`Plan`]: a hook, and an event that it handles.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a column, which a test reads"
)]
pub struct PlanRow {
    /// The hook's position in the order, from 1. A hook that handles several events has one row per event, all with
    /// the same position.
    pub order: usize,
    /// The hook's name.
    pub hook: Cow<'static, str>,
    /// Its priority within its own list: the one given in the list (`hook @ 10`), or else its own.
    pub priority: i32,
    /// Whether this is a block: several hooks that run at one place, because the list gives them one (`hooks @ 10`). Its
    /// hooks are the rows below it, one deeper.
    pub is_block: bool,
    /// The event, or `None` for a hook that receives every event of its vocabulary.
    pub event: Option<&'static str>,
    /// Whether the hook is asynchronous on this event.
    pub is_async: bool,
    /// How deep it is nested: 0 for the hooks of the pipeline itself, 1 for those of a block or a registry in it,
    /// whose priorities only order them among themselves.
    pub depth: usize,
    /// Whether it is a guard.
    pub is_guard: bool,
    /// For a guard: the first hook after it that may change the event, so that the guard judges it again.
    pub judges_again_after: Option<Cow<'static, str>>,
    /// Whether it may change the event.
    pub may_change: bool,
    /// For a rule of a file: the file and the line, as `hooks.toml:7`.
    pub source: Option<&'static str>,
    runs: Runs,
}

/// Who runs when: iterates over rows, and prints as a table.
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
pub struct Plan {
    rows: vec::IntoIter<PlanRow>,
    /// The names of the events that the agent raises, if known.
    raised: Option<&'static [&'static str]>,
}

impl Plan {
    pub(crate) fn of(hooks: &impl Hook) -> Self {
        let mut planner = Planner::default();
        hooks.describe(&mut planner);
        Plan::made(planner.rows)
    }

    fn made(mut rows: Vec<PlanRow>) -> Self {
        for nth in 0..rows.len() {
            if rows[nth].is_guard {
                let (row, rest) = (&rows[nth], &rows[nth + 1..]);
                let changer = rest.iter().find(|later| {
                    later.may_change
                        && !later.is_guard
                        && later.order > row.order
                        && (later.event.is_none() || later.event == row.event)
                });
                rows[nth].judges_again_after = changer.map(|changer| changer.hook.clone());
            }
        }
        Plan {
            rows: rows.into_iter(),
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
    pub const fn raising(mut self, events: &'static [&'static str]) -> Self {
        self.raised = Some(events);
        self
    }

    /// The rows of hooks on events that the agent never raises, after [`raising`](Self::raising). A test can assert
    /// that there are none.
    pub fn never_raised(self) -> impl Iterator<Item = PlanRow> {
        let raised = self.raised;
        self.filter(move |row| !is_raised(raised, row))
    }

    /// The names of the hooks, in the order in which they run.
    pub(crate) fn names(self) -> impl fmt::Debug {
        let mut rows: Vec<_> = self.filter(|row| !row.is_block).collect();
        rows.dedup_by_key(|row| row.order);
        fmt::from_fn(move |f| {
            let names = rows.iter().map(|row| &row.hook);
            f.debug_list()
                .entries(names.map(|name| fmt::from_fn(move |f| f.write_str(name))))
                .finish()
        })
    }
}

/// The event of a row, for the table.
fn event_of(row: &PlanRow) -> &'static str {
    match row.event {
        _ if row.is_block => "",
        event => event.unwrap_or("every event"),
    }
}

/// Whether the agent raises the event of a row. For a hook on every event, it always does.
fn is_raised(raised: Option<&[&str]>, row: &PlanRow) -> bool {
    match (raised, row.event) {
        (Some(raised), Some(event)) => raised.contains(&event),
        _ => true,
    }
}

impl Iterator for Plan {
    type Item = PlanRow;

    fn next(&mut self) -> Option<PlanRow> {
        self.rows.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl ExactSizeIterator for Plan {}
impl core::iter::FusedIterator for Plan {}

/// The table; an empty plan prints as `no hooks`.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.rows.as_slice();
        if rows.is_empty() {
            return f.write_str("no hooks\n");
        }
        let width = |of: fn(&PlanRow) -> usize, title: &str| {
            rows.iter().map(of).max().unwrap_or(0).max(title.len())
        };
        let hook = width(|row| row.hook.chars().count() + 2 * row.depth, "hook");
        let event = width(|row| event_of(row).len(), "event");

        writeln!(
            f,
            "{:<5}  {:<hook$}  priority  {:<event$}  runs",
            "order", "hook", "event"
        )?;
        for row in rows {
            let indent = 2 * row.depth;
            let hook = hook - indent;
            write!(
                f,
                "{:<5}  {:indent$}{:<hook$}  {:>8}  {:<event$}  {}",
                row.order,
                "",
                row.hook,
                row.priority,
                event_of(row),
                match row.runs {
                    _ if row.is_block => "one after the other",
                    Runs::Sync => "sync",
                    Runs::Async => "async",
                    Runs::Around => "around",
                },
            )?;
            if row.is_guard {
                f.write_str(", guard")?;
            }
            if let Some(changer) = &row.judges_again_after {
                write!(f, ", judges again after `{changer}`")?;
            }
            if let Some(source) = row.source {
                write!(f, ", {source}")?;
            }
            if !is_raised(self.raised, row) {
                f.write_str(", but the agent never raises it")?;
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.rows.as_slice()).finish()
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

/// What a hook says of itself on one event.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Row {
    event: Option<&'static EventInfo>,
    runs: Runs,
    is_guard: bool,
    may_change: bool,
}

impl Row {
    #[must_use]
    pub const fn new(event: Option<&'static EventInfo>, runs: Runs) -> Self {
        Row {
            event,
            runs,
            is_guard: false,
            may_change: false,
        }
    }

    #[must_use]
    pub const fn guard(mut self) -> Self {
        self.is_guard = true;
        self
    }

    #[must_use]
    pub const fn changes(mut self, may_change: bool) -> Self {
        self.may_change = may_change;
        self
    }
}

/// Collects the rows of a plan.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Planner {
    rows: Vec<PlanRow>,
    order: usize,
    depth: usize,
    /// The priority given at the list, over the hook's own.
    priority: Option<i32>,
    /// The name given at the list, over the hook's own.
    name: Option<Cow<'static, str>>,
    /// Hooks of a source that have yet to find their places, the next one last, and the depth of their list.
    waiting: Vec<(i32, Planner)>,
    spread_depth: usize,
}

impl Planner {
    /// One hook, and the events that it handles.
    pub fn hook(&mut self, hook: impl Into<Cow<'static, str>>, priority: i32, rows: &[Row]) {
        self.order += 1;
        let hook = self.name.take().unwrap_or_else(|| hook.into());
        for row in rows {
            self.rows.push(PlanRow {
                order: self.order,
                hook: hook.clone(),
                priority: self.priority.unwrap_or(priority),
                is_block: false,
                event: row.event.map(|event| event.name),
                is_async: row.runs != Runs::Sync,
                depth: self.depth,
                is_guard: row.is_guard,
                judges_again_after: None,
                may_change: row.may_change && row.event.is_none_or(|event| event.is_intercepted),
                source: None,
                runs: row.runs,
            });
        }
    }

    /// A rule of a file.
    pub(super) fn rule(&mut self, rule: &RuleRow, priority: i32) {
        let before = self.rows.len();
        self.hook(rule.name, priority, rule.rows);
        let rows = self.rows[before..].iter_mut();
        rows.for_each(|row| row.source = Some(rule.source));
    }

    /// A hook with a priority of its place in the list.
    pub(crate) fn at(&mut self, priority: i32, hook: &impl Hook) {
        self.sourced_above(Some(priority));
        let outer = self.priority.replace(priority);
        hook.describe(self);
        self.priority = outer;
    }

    /// A hook with a name of its place in the list. A pipeline keeps the names of its hooks.
    pub(crate) fn named(&mut self, name: Cow<'static, str>, hook: &impl Hook) {
        let outer = self.name.replace(name);
        hook.describe(self);
        self.name = outer;
    }

    /// A list within a hook.
    pub(crate) fn list(&mut self, hooks: impl FnOnce(&mut Self)) {
        match self.priority {
            Some(priority) => self.block(priority, hooks),
            None => self.nested(hooks),
        }
    }

    /// Two hooks, one after the other.
    pub(crate) fn both(&mut self, hooks: impl FnOnce(&mut Self)) {
        match self.priority {
            Some(priority) => self.block(priority, hooks),
            None => hooks(self),
        }
    }

    /// Hooks that a list gives one place. A single hook has that priority; several are a block.
    fn block(&mut self, priority: i32, hooks: impl FnOnce(&mut Self)) {
        let mut block = Planner::default();
        hooks(&mut block);
        if block.order == 1 {
            block
                .rows
                .iter_mut()
                .for_each(|row| row.priority = priority);
        } else if block.order > 1 {
            self.hook(super::NAMELESS, priority, &[Row::new(None, Runs::Sync)]);
            self.rows.last_mut().expect("the row is there").is_block = true;
            block.rows.iter_mut().for_each(|row| row.depth += 1);
        }
        self.insert(block);
    }

    /// Hooks within a hook.
    fn nested(&mut self, hooks: impl FnOnce(&mut Self)) {
        let (outer, name) = (self.priority.take(), self.name.take());
        self.depth += 1;
        hooks(self);
        self.depth -= 1;
        (self.priority, self.name) = (outer, name);
    }

    /// A hook in a box, whose events are known at run time.
    pub fn given(
        &mut self,
        hook: &str,
        priority: i32,
        wanted: EventSet,
        is_guard: bool,
        all: &'static [EventInfo],
    ) {
        let row = |event| {
            let row = Row::new(event, Runs::Async).changes(!is_guard);
            if is_guard { row.guard() } else { row }
        };
        let wants = |event: &&'static EventInfo| wanted.has(event);
        let rows: Vec<_> = if all.iter().all(|event| wanted.has(event)) {
            [row(None)].into()
        } else {
            all.iter()
                .filter(wants)
                .map(|event| row(Some(event)))
                .collect()
        };
        self.hook(String::from(hook), priority, &rows);
    }

    /// What holds hooks that may come and go, and those that it holds now.
    #[cfg(feature = "std")]
    pub(crate) fn holder(&mut self, name: &'static str, held: Vec<(i32, Planner)>) {
        self.hook(name, 0, &[Row::new(None, Runs::Async)]);
        self.nested(|plan| {
            for (_, held) in held {
                plan.insert(held);
            }
        });
    }

    /// A hook of a registry, with the name and the priority that it has there.
    #[cfg(feature = "std")]
    pub(crate) fn of_registry(
        &mut self,
        name: Cow<'static, str>,
        priority: i32,
        describe: impl FnOnce(&mut Self),
    ) {
        self.priority = Some(priority);
        describe(self);
        if self.rows.is_empty() {
            self.hook(name, priority, &[]);
        }
    }

    /// The rows of hooks that have described themselves.
    fn insert(&mut self, held: Planner) {
        let (order, depth) = (self.order, self.depth);
        self.order += held.order;
        self.rows.extend(held.rows.into_iter().map(|mut row| {
            row.order += order;
            row.depth += depth;
            row
        }));
    }

    /// Hooks with those of a source in their places between them.
    #[cfg(feature = "std")]
    pub(crate) fn spread(
        &mut self,
        mut sourced: Vec<(i32, Planner)>,
        hooks: impl FnOnce(&mut Self),
    ) {
        sourced.reverse();
        let outer = core::mem::replace(&mut self.waiting, sourced);
        let outer_depth = core::mem::replace(&mut self.spread_depth, self.depth);
        hooks(self);
        self.sourced_above(None);
        self.waiting = outer;
        self.spread_depth = outer_depth;
    }

    /// The hooks of a source that run before a hook of this priority, or all that are left.
    fn sourced_above(&mut self, priority: Option<i32>) {
        if self.depth != self.spread_depth {
            return;
        }
        while let Some((_, sourced)) = self
            .waiting
            .pop_if(|next| priority.is_none_or(|priority| next.0 > priority))
        {
            self.insert(sourced);
        }
    }
}
