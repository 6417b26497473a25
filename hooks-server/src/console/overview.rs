//! The overview: what hooks decide, how long they take, what does not work, and who runs which revision.

use std::collections::BTreeMap;
use std::time::Duration;

use askama::Template;
use hooks_runtime::FailedOpen;
use hooks_store::{Activity, Breaker, BudgetUse, Hook, Node, Role, Tenant};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

use super::chart::{Chart, Counts, kind};
use super::frame::{Answer, Frame, done, page};
use super::sent::Form;
use super::session::Visitor;
use super::when::{When, took};
use crate::api::problem::Problem;

/// How many minutes the chart has.
const MINUTES: i64 = 60;

/// How many hooks the page lists: those that ran most often.
const HOOKS: u32 = 50;

/// What one hook did.
#[derive(Default)]
pub(super) struct Of {
    hook: String,
    pub(super) count: u64,
    /// By the kinds of the chart.
    kinds: Counts,
    /// How often it took less than a time.
    times: BTreeMap<Duration, u64>,
}

impl Of {
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

fn by_hook(counted: Vec<Activity>) -> Vec<Of> {
    let mut hooks: BTreeMap<String, Of> = BTreeMap::new();
    for one in counted {
        let hook = hooks.entry(one.hook.clone()).or_default();
        hook.count += one.count;
        hook.kinds[kind(&one)] += one.count;
        *hook.times.entry(one.less_than).or_default() += one.count;
    }
    let mut hooks: Vec<_> = hooks
        .into_iter()
        .map(|(hook, of)| Of { hook, ..of })
        .collect();
    hooks.sort_by_key(|hook| std::cmp::Reverse(hook.count));
    hooks
}

/// What a hook did in the last day, hour by hour, and how long it took.
pub(super) async fn day(tenant: &Tenant, hook: Option<&Hook>) -> Result<(Chart, Of), Problem> {
    let now = Timestamp::now().as_second();
    let begin = now - now.rem_euclid(3600) - 23 * 3600;
    let begin = Timestamp::from_second(begin).unwrap_or(Timestamp::UNIX_EPOCH);
    let counted = match hook {
        Some(hook) => tenant.activity_of(Some(&hook.name), begin).await?,
        None => Vec::new(),
    };
    let chart = Chart::of(&counted, begin, SignedDuration::from_hours(1), 24);
    Ok((chart, by_hook(counted).pop().unwrap_or_default()))
}

#[derive(Template)]
#[template(path = "overview.html")]
struct Page {
    frame: Frame,
    chart: Chart,
    /// How often in the last hour, by the kinds of the chart.
    totals: Counts,
    hooks: Vec<Of>,
    failed_open: Vec<FailedOpen>,
    breakers: Vec<Breaker>,
    budgets: Vec<BudgetUse>,
    nodes: Vec<Node>,
    /// The revision that nodes should run.
    newest: u64,
}

/// Shows the overview.
pub(super) async fn get(visitor: Visitor) -> Answer {
    let tenant = visitor.tenant();
    let now = Timestamp::now().as_second();
    let begin = now - now.rem_euclid(60) - (MINUTES - 1) * 60;
    let begin = Timestamp::from_second(begin).unwrap_or(Timestamp::UNIX_EPOCH);
    let minutes = tenant.activity(begin).await?;
    let mut totals = Counts::default();
    for one in &minutes {
        totals[kind(one)] += one.count;
    }
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
        frame: Frame::new(&visitor, "/overview", "Overview").await?,
        chart: Chart::of(
            &minutes,
            begin,
            SignedDuration::from_mins(1),
            MINUTES.unsigned_abs(),
        ),
        totals,
        hooks: by_hook(tenant.activity_of_busiest(HOOKS, begin).await?),
        failed_open: runtime.status().failed_open,
        breakers: tenant.breakers().await?,
        budgets: tenant.budgets().await?,
        newest,
        nodes,
    }))
}

#[derive(Deserialize)]
pub(super) struct Reset {
    hook: String,
}

/// Lets a hook be asked again.
pub(super) async fn reset(visitor: Visitor, Form(reset): Form<Reset>) -> Answer {
    let by = visitor.at_least(Role::Operator)?;
    visitor.tenant().reset_breaker(&reset.hook, &by).await?;
    Ok(done("/overview", "kept"))
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
            less_than: Duration::from_micros(micros),
            count,
        };
        let hooks = by_hook(vec![
            count("a", 8, 1),
            count("b", 8, 90),
            count("b", 2048, 10),
        ]);
        assert_eq!([&hooks[0].hook, &hooks[1].hook], ["b", "a"]);
        let times = [50, 90, 91, 100].map(|percent| hooks[0].below(percent));
        assert_eq!(times, ["< 8 µs", "< 8 µs", "< 2.0 ms", "< 2.0 ms"]);
        assert_eq!(hooks[0].kinds, [0, 0, 90, 0, 10]);
    }
}
