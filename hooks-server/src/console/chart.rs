//! Charts, drawn where the data is: numbers become the shapes of a picture, and each bar has a name.

use hooks_runtime::RecordOutcome;
use hooks_store::{Activity, Execution, Revision};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::executions::outcome;

pub(super) const WIDTH: u64 = 960;
pub(super) const HEIGHT: u64 = 160;
/// The room above the bars, for what the highest one means, and below them, for the times.
const HEAD: u64 = 16;
const FOOT: u64 = 18;

/// What outcomes look the same.
pub(super) const KINDS: [&str; 5] = ["continue", "change", "block", "fault", "would block"];

/// How often, by what looks the same.
pub(super) type KindCounts = [u64; KINDS.len()];

/// The kind of what was counted. What a hook in shadow mode would have changed counts as unchanged.
pub(super) fn kind(one: &Activity) -> usize {
    kind_of(one.outcome, one.shadow)
}

fn kind_of(outcome: RecordOutcome, shadow: bool) -> usize {
    match outcome {
        RecordOutcome::Continue | RecordOutcome::Approve | RecordOutcome::Skipped => 0,
        RecordOutcome::Fault => 3,
        RecordOutcome::Block | RecordOutcome::AbortTurn | RecordOutcome::AbortRun if shadow => 4,
        RecordOutcome::Block | RecordOutcome::AbortTurn | RecordOutcome::AbortRun => 2,
        _ => usize::from(!shadow),
    }
}

/// The kind of an outcome, by its word.
pub(super) fn named(word: &str) -> &'static str {
    let outcome = outcome(word);
    outcome.map_or("", |outcome| KINDS[kind_of(outcome, false)])
}

/// A share in percent. What happens once is still seen.
pub(super) fn share(count: u64, of: u64) -> u64 {
    (count * 100 / of.max(1)).max(count.min(1))
}

/// A part of a bar.
pub(super) struct Rect {
    pub(super) kind: &'static str,
    pub(super) x: u64,
    pub(super) y: u64,
    pub(super) width: u64,
    pub(super) height: u64,
    /// What it says: the time, what, and how often.
    pub(super) name: String,
}

/// Bars over time.
#[derive(Default)]
pub(super) struct Chart {
    pub(super) rects: Vec<Rect>,
    /// Times below the bars, by where they stand.
    pub(super) times: Vec<(u64, String)>,
    /// The most in a bar.
    pub(super) most: u64,
    /// What each bar counts, by the kinds: its time, its end, and how often.
    pub(super) bars: Vec<(Timestamp, Timestamp, KindCounts)>,
    /// Lines at what was published: where, and which revision.
    pub(super) marks: Vec<(u64, u64)>,
    begin: Timestamp,
    step: SignedDuration,
}

impl Chart {
    /// Draws counts as bars that begin at `begin` and are `step` long each.
    pub(super) fn of(
        counted: &[Activity],
        begin: Timestamp,
        step: SignedDuration,
        bars: u64,
    ) -> Self {
        let mut counts = vec![KindCounts::default(); usize::try_from(bars).unwrap_or(0)];
        for one in counted {
            let after = one.at.duration_since(begin).as_secs();
            let bar = usize::try_from(after.div_euclid(step.as_secs()));
            if let Some(bar) = bar.ok().and_then(|bar| counts.get_mut(bar)) {
                bar[kind(one)] += one.count;
            }
        }
        let most = counts.iter().map(|bar| bar.iter().sum()).max().unwrap_or(0);
        let room = HEIGHT - HEAD - FOOT;
        let wide = WIDTH / bars.max(1);
        let (mut rects, mut times) = (Vec::new(), Vec::new());
        let mut told = Vec::new();
        for (index, bar) in (0..).zip(&counts) {
            let at = begin + step * i32::try_from(index).unwrap_or(0);
            let time = at.to_zoned(TimeZone::UTC).strftime("%H:%M").to_string();
            told.push((at, at + step, *bar));
            let x = index * wide;
            if index % (bars / 6).max(1) == 0 {
                times.push((x, time.clone()));
            }
            let mut top = HEIGHT - FOOT;
            for (kind, &count) in KINDS.into_iter().zip(bar).filter(|(_, count)| **count > 0) {
                // What happened once is still seen.
                let height = (count * room / most.max(1)).max(1);
                top = top.saturating_sub(height);
                let name = format!("{time}: {count} {kind}");
                rects.push(Rect {
                    kind,
                    x,
                    y: top,
                    width: wide.saturating_sub(2).max(1),
                    height,
                    name,
                });
            }
        }
        Chart {
            rects,
            times,
            most,
            bars: told,
            marks: Vec::new(),
            begin,
            step,
        }
    }
}

/// A session as a time line: a bar for each tool call, from the event before it to the one after it, and a mark for each
/// other event.
pub(super) struct SessionChart {
    pub(super) rects: Vec<Rect>,
    pub(super) height: u64,
}

impl SessionChart {
    /// Draws executions of a session, oldest first.
    pub(super) fn of(rows: &[Execution]) -> Self {
        const LANE: u64 = 18;
        let at = |row: &Execution| row.record.at.as_microsecond();
        let (first, last) = (rows.first().map_or(0, at), rows.last().map_or(0, at));
        let long = (last - first).max(1).unsigned_abs();
        let x = |time: i64| (time - first).unsigned_abs() * (WIDTH - 4) / long;
        let mut rects = Vec::new();
        let mut ends: Vec<u64> = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            let record = &row.record;
            let begin = x(at(row));
            let call = record.tool_call_id.as_ref();
            let is_end = |later: &&Execution| later.record.tool_call_id.as_ref() == call;
            let end = call.and_then(|_| rows[index + 1..].iter().rev().find(is_end));
            if call.is_some()
                && record.event != "BeforeToolCall"
                && record.outcome == RecordOutcome::Continue
            {
                continue;
            }
            let width = end.map_or(3, |end| (x(at(end)) - begin).max(3));
            // What overlaps is below.
            let lane = ends.iter().position(|end| *end <= begin);
            let lane = lane.unwrap_or(ends.len()).min(5);
            if lane == ends.len() {
                ends.push(0);
            }
            ends[lane] = begin + width;
            let what = record.subject.as_deref().unwrap_or(&record.event);
            rects.push(Rect {
                kind: KINDS[kind_of(record.outcome, false)],
                x: begin,
                y: 2 + u64::try_from(lane).unwrap_or(0) * LANE,
                width,
                height: LANE - 4,
                name: format!("{what}: {}", record.outcome),
            });
        }
        let lanes = u64::try_from(ends.len()).unwrap_or(1).max(1);
        SessionChart {
            rects,
            height: lanes * LANE + 2,
        }
    }
}

impl Chart {
    /// What a bar counts in.
    pub(super) fn unit(&self) -> String {
        match self.step.as_mins() {
            1 => "min".to_owned(),
            60 => "h".to_owned(),
            minutes => format!("{minutes} min"),
        }
    }

    /// Marks when revisions were published.
    pub(super) fn marked<'a>(mut self, revisions: impl IntoIterator<Item = &'a Revision>) -> Self {
        let wide = WIDTH / u64::try_from(self.bars.len()).unwrap_or(1).max(1);
        for revision in revisions {
            let after = revision.at.duration_since(self.begin).as_micros();
            let place = after * i128::from(wide) / self.step.as_micros().max(1);
            if let Ok(x) = u64::try_from(place)
                && x < WIDTH
            {
                self.marks.push((x, revision.number));
            }
        }
        self
    }

    /// The bars that count something: what a table shows.
    pub(super) fn told(&self) -> Vec<&(Timestamp, Timestamp, KindCounts)> {
        let bars = self.bars.iter();
        bars.filter(|(_, _, counts)| counts.iter().any(|count| *count > 0))
            .collect()
    }

    /// The points of a line of what was counted: a picture of a word's size.
    pub(super) fn spark(&self) -> String {
        let points = (0..).zip(&self.bars).map(|(index, (_, _, counts))| {
            let count: u64 = counts.iter().sum();
            format!("{},{}", index * 4, 16 - count * 14 / self.most.max(1))
        });
        points.collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bar_stands_where_its_time_is_and_says_what_it_means() {
        let begin: Timestamp = "2026-11-24T12:00:00Z".parse().unwrap();
        let count = |minutes: i64, outcome, count| Activity {
            hook: String::new(),
            at: begin + SignedDuration::from_mins(minutes),
            outcome,
            shadow: minutes == 30,
            failed_open: false,
            less_than: Duration::from_micros(8),
            count,
        };
        let counted = [
            count(-1, RecordOutcome::Block, 99),
            count(0, RecordOutcome::Continue, 3),
            count(0, RecordOutcome::Block, 1),
            count(30, RecordOutcome::Block, 1),
            count(30, RecordOutcome::Modify, 2),
            count(59, RecordOutcome::Fault, 2),
            count(60, RecordOutcome::Block, 99),
        ];
        let chart = Chart::of(&counted, begin, SignedDuration::from_mins(1), 60);
        let names: Vec<_> = chart.rects.iter().map(|rect| &*rect.name).collect();
        assert_eq!(
            names,
            [
                "12:00: 3 continue",
                "12:00: 1 block",
                "12:30: 2 continue",
                "12:30: 1 would block",
                "12:59: 2 fault"
            ]
        );
        assert_eq!((chart.most, chart.rects[4].x), (4, 59 * 16));
        let bar = &chart.rects[..2];
        assert_eq!(bar[1].y + bar[1].height, bar[0].y);
        assert_eq!(bar[0].y + bar[0].height, HEIGHT - FOOT);
    }
}
