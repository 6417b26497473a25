//! The bars: what the figures must be, whatever the machine.

use crate::figures::{Figures, rounded};

/// A bound on a figure.
enum Bar {
    AtMost(f64),
    AtLeast(f64),
}
use Bar::{AtLeast, AtMost};

const BARS: &[(&str, Bar)] = &[
    ("sync_8 static/hand", AtMost(1.15)),
    ("sync_8 static_now/hand", AtMost(1.15)),
    ("sync_8 instructions static/hand", AtMost(1.0)),
    ("sync_8 instructions static_now/hand", AtMost(1.0)),
    ("observe_8 instructions static/hand", AtMost(1.0)),
    ("observe_8 instructions static_now/hand", AtMost(1.0)),
    ("scaling_1 instructions static/hand", AtMost(1.0)),
    ("scaling_1 instructions static_now/hand", AtMost(1.0)),
    ("scaling_4 instructions static/hand", AtMost(1.0)),
    ("scaling_4 instructions static_now/hand", AtMost(1.0)),
    ("scaling_16 instructions static/hand", AtMost(1.0)),
    ("scaling_16 instructions static_now/hand", AtMost(1.0)),
    ("scaling_64 instructions static/hand", AtMost(1.0)),
    ("scaling_64 instructions static_now/hand", AtMost(1.0)),
    ("async_pending_8 instructions static/hand", AtMost(1.2)),
    ("sync_8 instructions boxed/static", AtLeast(90.0)),
    ("sync_8 instructions spread_empty-static", AtMost(8.0)),
    ("sync_8 instructions spread_others-static", AtMost(12.0)),
    ("sync_8 instructions in 16 units static/hand", AtMost(1.0)),
    (
        "sync_8 instructions in 16 units static_now/hand",
        AtMost(1.0),
    ),
    (
        "observe_8 instructions in 16 units static/hand",
        AtMost(1.0),
    ),
    (
        "observe_8 instructions in 16 units static_now/hand",
        AtMost(1.0),
    ),
    (
        "scaling_1 instructions in 16 units static/hand",
        AtMost(1.0),
    ),
    (
        "scaling_1 instructions in 16 units static_now/hand",
        AtMost(1.0),
    ),
    (
        "scaling_4 instructions in 16 units static/hand",
        AtMost(1.0),
    ),
    (
        "scaling_4 instructions in 16 units static_now/hand",
        AtMost(1.0),
    ),
    (
        "scaling_16 instructions in 16 units static/hand",
        AtMost(1.0),
    ),
    (
        "scaling_16 instructions in 16 units static_now/hand",
        AtMost(1.0),
    ),
    (
        "scaling_64 instructions in 16 units static/hand",
        AtMost(1.0),
    ),
    (
        "scaling_64 instructions in 16 units static_now/hand",
        AtMost(1.0),
    ),
    (
        "async_pending_8 instructions in 16 units static/hand",
        AtMost(1.2),
    ),
    (
        "sync_8 instructions in 16 units boxed/static",
        AtLeast(90.0),
    ),
    (
        "sync_8 instructions in 16 units spread_empty-static",
        AtMost(8.0),
    ),
    (
        "sync_8 instructions in 16 units spread_others-static",
        AtMost(12.0),
    ),
    ("sync_8 dyn/static", AtLeast(40.0)),
    ("sync_8 boxed/static", AtLeast(300.0)),
    ("async_pending_8 static/hand", AtMost(1.2)),
    ("async_pending_8 dyn/static", AtLeast(6.0)),
    ("observe_8 static/hand", AtMost(1.15)),
    ("observe_8 static_now/hand", AtMost(1.15)),
    ("scaling static rise", AtMost(1.3)),
    ("scaling static_now rise", AtMost(1.3)),
    ("allocations static", AtMost(0.0)),
    ("future bytes sync_8", AtMost(48.0)),
    ("future bytes async_ready_8", AtMost(128.0)),
    ("future bytes async_pending_8", AtMost(128.0)),
    ("builtin call ns", AtMost(5000.0)),
    ("builtin call without logs ns", AtMost(2500.0)),
    ("allocations builtin call", AtMost(3.0)),
    ("allocations builtin call without logs", AtMost(1.0)),
    ("builtin off ns/hook", AtMost(1.0)),
    ("builtin policy typical µs", AtMost(15.0)),
    ("builtin policy 64 KiB document µs", AtMost(10_000.0)),
    ("builtin policy 64 KiB list µs", AtMost(8000.0)),
    ("builtin redact MB/s", AtLeast(500.0)),
    ("builtin redact worst s/MiB", AtMost(0.6)),
    ("builtin hanging receiver p99 ns", AtMost(5000.0)),
    ("rig slope rig/ours", AtLeast(10.0)),
    ("rig slope rig/ours_async", AtLeast(10.0)),
    ("allocations run_tool_call alone", AtMost(0.0)),
    ("allocations run_tool_call eight hooks", AtMost(0.0)),
    ("run_tool_call instructions driver/hand", AtMost(1.05)),
    ("runtime empty ns", AtMost(5.0)),
    ("runtime 100 globs ns", AtMost(1000.0)),
    ("runtime 100 CEL ns", AtMost(20_000.0)),
    ("runtime block glob ns", AtMost(500.0)),
    ("runtime block CEL ns", AtMost(3000.0)),
    ("runtime reload 1000 ms", AtMost(50.0)),
    ("runtime swap seen ms", AtMost(1.0)),
    ("allocations runtime empty", AtMost(0.0)),
    ("allocations runtime 100 globs", AtMost(0.0)),
    ("runtime command/spawn", AtMost(1.3)),
    ("runtime process/pipe", AtMost(2.0)),
    ("runtime command/process", AtLeast(50.0)),
    ("runtime http/reqwest", AtMost(1.3)),
    ("runtime hooks run ms", AtMost(8.0)),
    ("runtime hooks run/python", AtMost(0.5)),
    ("memory filter bytes/event", AtMost(1.0)),
    ("memory rule bytes/event", AtMost(1.0)),
    ("memory prompt bytes/event", AtMost(1.0)),
    ("memory http bytes/event", AtMost(1.0)),
    ("memory process bytes/event", AtMost(1.0)),
    ("memory command bytes/event", AtMost(1.0)),
    ("memory background bytes/event", AtMost(1.0)),
];

/// Prints the figures that have a bar as a Markdown table; whether none is missed.
pub(crate) fn compare(figures: &Figures) -> bool {
    println!("\n| figure | bar | here | |\n| --- | --- | --- | --- |");
    let mut all_met = true;
    for (name, bar) in BARS {
        let Some(value) = figures.get(name) else {
            continue;
        };
        // What is shown is compared: a loop's few instructions of overhead are spread over all its rounds.
        let shown = rounded(value);
        let value = shown.parse().unwrap_or(value);
        let (bound, met) = match bar {
            AtMost(most) => (format!("≤ {most}"), value <= *most),
            AtLeast(least) => (format!("≥ {least}"), value >= *least),
        };
        let verdict = if met { "ok" } else { "MISSED" };
        println!("| {name} | {bound} | {shown} | {verdict} |");
        all_met &= met;
    }
    all_met
}
