//! Times: the contestants of a case take turns, and what counts is the median of many rounds.

use std::time::{Duration, Instant};

use benches::{Case, Contestant, Way, cases};

use crate::figures::Found;

/// How much is measured.
struct Effort {
    rounds: usize,
    turn: Duration,
}

const THOROUGH: Effort = Effort {
    rounds: 101,
    turn: Duration::from_millis(2),
};
const QUICK: Effort = Effort {
    rounds: 5,
    turn: Duration::from_micros(500),
};

/// How many hooks the cases have that scale.
const SCALE: [(&str, f64); 4] = [
    ("scaling_1", 1.0),
    ("scaling_4", 4.0),
    ("scaling_16", 16.0),
    ("scaling_64", 64.0),
];

/// Times all cases.
pub(crate) fn measure(figures: &mut Found, quick: bool) {
    let effort = if quick { QUICK } else { THOROUGH };
    for case in &mut cases() {
        time(case, &effort, figures);
    }
    for way in Way::ALL {
        scaling(way.name(), figures);
    }
}

/// Times one case: nanoseconds of each way, and their ratios.
fn time(case: &mut Case, effort: &Effort, figures: &mut Found) {
    let name = case.name;
    let times: Vec<u64> = case
        .contestants
        .iter_mut()
        .map(|contestant| calibrated(contestant, effort.turn))
        .collect();
    let mut rounds = vec![Vec::with_capacity(effort.rounds); times.len()];
    for _ in 0..effort.rounds {
        for ((contestant, &times), round) in
            case.contestants.iter_mut().zip(&times).zip(&mut rounds)
        {
            round.push(nanoseconds(contestant, times));
        }
    }
    for (contestant, round) in case.contestants.iter().zip(&mut rounds) {
        round.sort_by(f64::total_cmp);
        let median = round[round.len() / 2];
        figures.measure(format!("{name} {} ns", contestant.way.name()), median);
    }
    for (way, other) in [
        ("static", "hand"),
        ("static_now", "hand"),
        ("dyn", "static"),
        ("boxed", "static"),
    ] {
        let median = |way: &str| figures.get(&format!("{name} {way} ns"));
        if let (Some(time), Some(other_time)) = (median(way), median(other)) {
            figures.measure(format!("{name} {way}/{other}"), time / other_time);
        }
    }
}

/// How many dispatches fill a turn.
fn calibrated(contestant: &mut Contestant, turn: Duration) -> u64 {
    let mut times = 1;
    loop {
        let start = Instant::now();
        contestant.run(times);
        if start.elapsed() >= turn {
            return times;
        }
        times *= 2;
    }
}

/// How long one dispatch takes.
#[expect(
    clippy::cast_precision_loss,
    reason = "a turn is far from 2^52 dispatches"
)]
fn nanoseconds(contestant: &mut Contestant, times: u64) -> f64 {
    let start = Instant::now();
    contestant.run(times);
    start.elapsed().as_secs_f64() * 1e9 / times as f64
}

/// How much dearer a hook gets as there are more of them: the most that its time rises from one length
/// of the list to a longer one. That it falls from one hook to four is the cost of the loop, shared.
fn scaling(way: &str, figures: &mut Found) {
    let mut least = f64::INFINITY;
    let mut rise = 0.0_f64;
    for (case, hooks) in SCALE {
        let Some(time) = figures.get(&format!("{case} {way} ns")) else {
            return;
        };
        let of_one = time / hooks;
        figures.measure(format!("{case} {way} ns/hook"), of_one);
        rise = rise.max(of_one / least);
        least = least.min(of_one);
    }
    figures.measure(format!("scaling {way} rise"), rise);
}
