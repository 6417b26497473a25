//! Charts, drawn where the data is: numbers become the shapes of a picture, and each bar has a name.

use hooks_runtime::RecordOutcome;
use hooks_store::Activity;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

const WIDTH: u64 = 960;
const HEIGHT: u64 = 160;
/// The room above the bars, for what the highest one means, and below them, for the times.
const HEAD: u64 = 16;
const FOOT: u64 = 18;

/// What outcomes look the same.
const KINDS: [&str; 5] = ["continue", "change", "block", "fault", "would block"];

/// How often, by what looks the same.
pub(super) type Counts = [u64; KINDS.len()];

/// The kind of what was counted. What a hook in shadow mode would have changed, nobody has changed.
pub(super) fn kind(one: &Activity) -> usize {
    match one.outcome {
        RecordOutcome::Continue | RecordOutcome::Approve | RecordOutcome::Skipped => 0,
        RecordOutcome::Fault => 3,
        RecordOutcome::Block | RecordOutcome::AbortTurn | RecordOutcome::AbortRun => {
            if one.shadow {
                4
            } else {
                2
            }
        }
        _ => usize::from(!one.shadow),
    }
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
pub(super) struct Chart {
    pub(super) rects: Vec<Rect>,
    /// Times below the bars, by where they stand.
    pub(super) times: Vec<(u64, String)>,
    /// The most in a bar.
    pub(super) most: u64,
    pub(super) width: u64,
    pub(super) height: u64,
}

impl Chart {
    /// Draws counts as bars that begin at `begin` and are `step` long each.
    pub(super) fn of(
        counted: &[Activity],
        begin: Timestamp,
        step: SignedDuration,
        bars: u64,
    ) -> Self {
        let mut counts = vec![Counts::default(); usize::try_from(bars).unwrap_or(0)];
        for one in counted {
            let after = one
                .at
                .duration_since(begin)
                .as_secs()
                .div_euclid(step.as_secs());
            let bar = usize::try_from(after)
                .ok()
                .and_then(|bar| counts.get_mut(bar));
            if let Some(bar) = bar {
                bar[kind(one)] += one.count;
            }
        }
        let most = counts.iter().map(|bar| bar.iter().sum()).max().unwrap_or(0);
        let room = HEIGHT - HEAD - FOOT;
        let wide = WIDTH / bars.max(1);
        let (mut rects, mut times) = (Vec::new(), Vec::new());
        for (index, bar) in (0..).zip(&counts) {
            let at = begin + step * i32::try_from(index).unwrap_or(0);
            let time = at.to_zoned(TimeZone::UTC).strftime("%H:%M").to_string();
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
            width: WIDTH,
            height: HEIGHT,
        }
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
