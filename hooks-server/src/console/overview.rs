//! The overview: what hooks decide, how long they take, what does not work, and who runs which revision.

use std::collections::BTreeMap;
use std::time::Duration;

use askama::Template;
use axum::extract::Query;
use hooks_runtime::FailedOpen;
use hooks_store::{Activity, Breaker, BudgetUse, Hook, Node, Role, Tenant};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

use super::chart::{Chart, KindCounts, kind};
use super::frame::{PageAnswer, PageFrame, done, page, told};
use super::name::SafeName;
use super::sent::{FormBody, FormFields};
use super::session::Visitor;
use super::when::{TimeElement, took};
use crate::api::problem::Problem;

/// The ranges that can be chosen, in hours, each with the minutes of a bar.
const RANGES: [(i64, i64); 3] = [(1, 1), (6, 6), (24, 30)];

/// How many of the newest revisions are marked.
const REVISIONS: u32 = 20;

/// How many hooks the page lists: those that ran most often.
const HOOKS: u32 = 50;

/// What one hook did.
#[derive(Default)]
pub(super) struct HookActivity {
    hook: String,
    pub(super) count: u64,
    /// By the kinds of the chart.
    kinds: KindCounts,
    /// How often it failed while the event went on.
    failed_open: u64,
    /// The last day, hour by hour.
    day: Chart,
    /// How often it took less than a time.
    times: BTreeMap<Duration, u64>,
}

impl HookActivity {
    /// The time that `percent` of the executions stayed below.
    pub(super) fn below(&self, percent: u64) -> String {
        let mut left = (self.count * percent).div_ceil(100);
        let mut times = self.times.iter();
        let found = times.find(|(_, count)| {
            left = left.saturating_sub(**count);
            left == 0
        });
        found.map_or_else(String::new, |(time, _)| format!("< {}", took(*time)))
    }
}

/// What each hook did since `begin`, hour by hour: those first that fail.
fn by_hook(counted: Vec<Activity>, begin: Timestamp) -> Vec<HookActivity> {
    let mut hooks: BTreeMap<String, Vec<Activity>> = BTreeMap::new();
    for one in counted {
        hooks.entry(one.hook.clone()).or_default().push(one);
    }
    let of = |(hook, counted): (String, Vec<Activity>)| {
        let mut of = HookActivity {
            hook,
            day: Chart::of(&counted, begin, SignedDuration::from_hours(1), 24),
            ..HookActivity::default()
        };
        for one in counted {
            of.count += one.count;
            of.kinds[kind(&one)] += one.count;
            of.failed_open += if one.failed_open { one.count } else { 0 };
            *of.times.entry(one.less_than).or_default() += one.count;
        }
        of
    };
    let mut hooks: Vec<_> = hooks.into_iter().map(of).collect();
    hooks.sort_by_key(|hook| std::cmp::Reverse((hook.failed_open, hook.kinds[3], hook.count)));
    hooks
}

/// What a hook did in the last day, hour by hour, and how long it took.
pub(super) async fn day(
    tenant: &Tenant,
    hook: Option<&Hook>,
) -> Result<(Chart, HookActivity), Problem> {
    let begin = begin(3600, 24);
    let counted = match hook {
        Some(hook) => tenant.activity_of(Some(&hook.name), begin).await?,
        None => Vec::new(),
    };
    let chart = Chart::of(&counted, begin, SignedDuration::from_hours(1), 24);
    let revisions = tenant.revisions(None, REVISIONS).await?.items;
    let of = by_hook(counted, begin).pop().unwrap_or_default();
    Ok((chart.marked(&revisions), of))
}

/// When so many bars begin of so many seconds each, of which the last is now.
fn begin(seconds: i64, bars: i64) -> Timestamp {
    let now = Timestamp::now().as_second();
    let begin = now - now.rem_euclid(seconds) - (bars - 1) * seconds;
    Timestamp::from_second(begin).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[derive(Template)]
#[template(path = "overview.html")]
struct Page {
    frame: PageFrame,
    chart: Chart,
    /// How many hours the chart has.
    hours: i64,
    /// How many events, by the kinds of the chart.
    totals: KindCounts,
    /// How often hooks failed and the event went on, failed and blocked, and would have blocked, in the last day.
    failures: [u64; 3],
    hooks: Vec<HookActivity>,
    failed_open: Vec<FailedOpen>,
    breakers: Vec<Breaker>,
    /// The hooks that have a page, and their ids.
    ids: BTreeMap<String, (String, u64)>,
    budgets: Vec<BudgetUse>,
    nodes: Vec<Node>,
    /// The revision that nodes should run.
    newest: u64,
}

/// How long back the chart goes.
#[derive(Deserialize)]
pub(super) struct Range {
    hours: Option<i64>,
}

/// Shows the overview.
pub(super) async fn get(visitor: Visitor, Query(range): Query<Range>) -> PageAnswer {
    let tenant = visitor.tenant();
    let mut ranges = RANGES.iter();
    let chosen = ranges.find(|(hours, _)| Some(*hours) == range.hours);
    let (hours, minutes) = *chosen.unwrap_or(&RANGES[0]);
    let bars = hours * 60 / minutes;
    let first = begin(minutes * 60, bars);
    let counted = tenant.activity(first).await?;
    let mut totals = KindCounts::default();
    for one in &counted {
        totals[kind(one)] += one.count;
    }
    let day = begin(3600, 24);
    let hooks = by_hook(tenant.activity_of_busiest(HOOKS, day).await?, day);
    let sum = |of: fn(&HookActivity) -> u64| hooks.iter().map(of).sum();
    let failures = [
        sum(|of| of.failed_open),
        sum(|of| of.kinds[3] - of.failed_open),
        sum(|of| of.kinds[4]),
    ];
    let revisions = tenant.revisions(None, REVISIONS).await?.items;
    let runtime = visitor.api.hooks(tenant).await?;
    let nodes = tenant.nodes().await?;
    let mut newest = 0;
    for level in [tenant, &visitor.api.store.tenant("")] {
        let revisions = level.revisions(None, 1).await?.items;
        newest = revisions
            .first()
            .map_or(newest, |one| newest.max(one.number));
    }
    Ok(page(&Page {
        frame: PageFrame::new(&visitor, "/overview", "Overview").await?,
        chart: Chart::of(
            &counted,
            first,
            SignedDuration::from_mins(minutes),
            bars.unsigned_abs(),
        )
        .marked(&revisions),
        hours,
        totals,
        failures,
        hooks,
        failed_open: runtime.status().failed_open,
        breakers: tenant.breakers().await?,
        ids: tenant.ids().await?,
        budgets: tenant.budgets().await?,
        newest,
        nodes,
    }))
}

/// Lets a hook be asked again.
pub(super) async fn reset(visitor: Visitor, FormBody(sent): FormBody<FormFields>) -> PageAnswer {
    let by = visitor.at_least(Role::Operator)?;
    let (tenant, hook) = (visitor.tenant(), sent.text("hook"));
    let mut open = tenant.breakers().await?;
    open.retain(|breaker| breaker.hook == hook);
    tenant.reset_breaker(&hook, &by).await?;
    let nodes: Vec<_> = open.into_iter().map(|breaker| breaker.node).collect();
    let word = told("asked-again", "what", [hook, nodes.join(", ")]);
    Ok(done("/overview#breakers", &word))
}

#[cfg(test)]
mod tests {
    use hooks_runtime::RecordOutcome;

    use super::*;

    #[test]
    fn a_hooks_times_are_those_that_most_of_its_executions_stayed_below() {
        let count = |hook: &str, micros, count| Activity {
            hook: hook.to_owned(),
            at: Timestamp::UNIX_EPOCH,
            outcome: RecordOutcome::Block,
            shadow: micros == 2048,
            failed_open: false,
            less_than: Duration::from_micros(micros),
            count,
        };
        let counted = vec![count("a", 8, 1), count("b", 8, 90), count("b", 2048, 10)];
        let hooks = by_hook(counted, Timestamp::UNIX_EPOCH);
        assert_eq!([&hooks[0].hook, &hooks[1].hook], ["b", "a"]);
        let times = [50, 90, 91, 100].map(|percent| hooks[0].below(percent));
        assert_eq!(
            times,
            [
                "< 8\u{a0}µs",
                "< 8\u{a0}µs",
                "< 2.0\u{a0}ms",
                "< 2.0\u{a0}ms"
            ]
        );
        assert_eq!(hooks[0].kinds, [0, 0, 90, 0, 10]);
    }
}
