//! The times as a chart: a group of bars for each case, on a logarithmic scale, as SVG.
//!
//! Its ground is transparent and its colours are of middling brightness, so that it reads on a light page
//! and on a dark one.

use std::fmt::Write as _;

use crate::figures::{Figures, rounded};

const CASES: [(&str, &str); 4] = [
    ("sync_8", "eight hooks"),
    ("async_pending_8", "eight hooks that each wait"),
    ("observe_8", "eight observers"),
    ("one_of_eight_handles", "eight, of which one handles it"),
];
/// A way, its label and colour, and the place of its label in the legend.
const WAYS: [(&str, &str, &str, f64); 4] = [
    ("hand", "by hand", "#8b949e", 0.0),
    ("static", "hooks![…]", "#2da44e", 84.0),
    ("dyn", "HookRegistry, dyn", "#d29922", 180.0),
    ("boxed", "boxed, cloned, caught", "#e5534b", 322.0),
];

const TEXT: &str = "#7d8590";
const WIDTH: f64 = 760.0;
const LEFT: f64 = 220.0;
const RIGHT: f64 = 80.0;
const TOP: f64 = 64.0;
const BAR: f64 = 14.0;
const PITCH: f64 = 18.0;
const GAP: f64 = 20.0;
/// The scale goes from here up, in powers of ten.
const LEAST: f64 = 1.0;

/// Draws the times that were found.
pub(crate) fn draw(figures: &Figures) -> String {
    let time = |case: &str, way: &str| figures.get(&format!("{case} {way} ns"));
    let most = CASES
        .iter()
        .flat_map(|(case, _)| {
            WAYS.iter()
                .filter_map(|(way, ..)| time(case, way))
                .collect::<Vec<_>>()
        })
        .fold(LEAST, f64::max);
    let place = |time: f64| {
        let share = (time.max(LEAST) / LEAST).log10() / (most / LEAST).log10().max(1.0);
        LEFT + share * (WIDTH - LEFT - RIGHT)
    };
    let bottom = TOP + 4.0 * (4.0 * PITCH + GAP) - GAP + 4.0;
    let height = bottom + 44.0;

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"Time of one dispatch by hand, static, dyn, and boxed\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"{TEXT}\">\n"
    );
    for (_, label, colour, at) in WAYS {
        put(&mut svg, &rect(LEFT + at, 20.0, 10.0, 10.0, colour));
        put(&mut svg, &text(LEFT + at + 15.0, 29.0, "start", "", label));
    }

    let mut tick = LEAST;
    while tick <= most {
        let x = place(tick);
        put(&mut svg, &grid_line(x, TOP - 8.0, bottom));
        put(
            &mut svg,
            &text(x, bottom + 16.0, "middle", "", &tick.to_string()),
        );
        tick *= 10.0;
    }
    let middle = f64::midpoint(LEFT, WIDTH - RIGHT);
    let unit = "nanoseconds a dispatch, logarithmic: less is better";
    put(&mut svg, &text(middle, bottom + 34.0, "middle", "", unit));

    let mut y = TOP;
    for (case, label) in CASES {
        let middle = y + 2.0 * PITCH;
        let (bold, small) = (" font-weight=\"600\"", " font-size=\"11\"");
        put(
            &mut svg,
            &text(LEFT - 14.0, middle - 4.0, "end", bold, label),
        );
        put(
            &mut svg,
            &text(LEFT - 14.0, middle + 11.0, "end", small, case),
        );
        for (way, _, colour, _) in WAYS {
            if let Some(time) = time(case, way) {
                let end = place(time);
                put(&mut svg, &rect(LEFT, y, (end - LEFT).max(1.0), BAR, colour));
                let value = format!("{} ns", rounded(time));
                put(
                    &mut svg,
                    &text(end + 6.0, y + BAR - 3.0, "start", "", &value),
                );
            }
            y += PITCH;
        }
        y += GAP;
    }
    svg.push_str("</svg>\n");
    svg
}

fn put(svg: &mut String, element: &str) {
    let _ = writeln!(svg, "  {element}");
}

fn grid_line(x: f64, top: f64, bottom: f64) -> String {
    format!(
        "<line x1=\"{x:.1}\" y1=\"{top:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" stroke=\"{TEXT}\" \
         stroke-opacity=\"0.3\"/>"
    )
}

fn rect(x: f64, y: f64, width: f64, height: f64, colour: &str) -> String {
    format!(
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"2\" fill=\"{colour}\"/>"
    )
}

fn text(x: f64, y: f64, anchor: &str, more: &str, text: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{more}>{text}</text>")
}
