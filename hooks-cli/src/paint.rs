//! Colours, tables and differences. Colours are dropped if the output is not a terminal.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};
/// Displays a text of a model or a file, with escapes instead of what would write to the terminal.
pub(crate) use hooks_builtin::__Visible as Visible;
use serde_json::Value;

/// Prints a line on standard output, with colours on a terminal. If the reader has closed it, the program ends.
macro_rules! say {
    ($($text:tt)*) => { $crate::paint::line(format_args!($($text)*)) };
}
pub(crate) use say;

/// See `say!`.
pub(crate) fn line(text: std::fmt::Arguments<'_>) {
    use std::io::Write as _;
    let mut out = anstream::stdout();
    if writeln!(out, "{text}").is_err() {
        std::process::exit(0);
    }
}

pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const BOLD: Style = Style::new().bold();

/// Returns a text in a style.
pub(crate) fn painted(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A text of a model or a file in its own lines, each of them [visible](Visible).
pub(crate) fn lines(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(|line| Visible(line).to_string()).collect();
    lines.join("\n")
}

/// Prints what is worth knowing about files beside the answer of a command.
pub(crate) fn notices(notices: &[String]) {
    for notice in notices {
        say!("{}: {}", painted(WARN, "notice"), lines(notice));
    }
}

/// The beginning of a long text, such as a command, for a cell.
pub(crate) fn short(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Prints rows under a title, each column as wide as its widest cell. `style` is that of a whole row.
pub(crate) fn table(titles: &[&str], rows: &[(Style, Vec<String>)]) {
    let visible_row = |(style, row): &(Style, Vec<String>)| {
        (
            *style,
            row.iter()
                .map(|cell| Visible(cell).to_string())
                .collect::<Vec<_>>(),
        )
    };
    let rows: Vec<_> = rows.iter().map(visible_row).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|(_, row)| row.get(column));
        let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
        widest.max(titles[column].len())
    };
    // Columns without any text are left out.
    let shown: Vec<usize> = (0..titles.len())
        .filter(|column| {
            let mut cells = rows.iter().filter_map(|(_, row)| row.get(*column));
            cells.any(|cell| !cell.is_empty())
        })
        .collect();
    let line = |cells: &dyn Fn(usize) -> String| {
        let cells: Vec<String> = shown
            .iter()
            .map(|column| format!("{:<1$}", cells(*column), width(*column)))
            .collect();
        cells.join("  ").trim_end().to_owned()
    };
    say!(
        "{}",
        painted(DIM, line(&|column| titles[column].to_owned()))
    );
    for (style, row) in &rows {
        let text = line(&|column| row.get(column).cloned().unwrap_or_default());
        say!("{}", painted(*style, text));
    }
}

/// Prints a JSON Patch as removed and added lines, with the values before it.
pub(crate) fn difference(before: &Value, change: &Value) {
    let Ok(operations) = serde_json::from_value::<json_patch::Patch>(change.clone()) else {
        return;
    };
    let mut document = before.clone();
    for operation in operations.0 {
        let path = operation.path().to_string();
        let old = document.pointer(&path).cloned();
        if json_patch::patch(&mut document, std::slice::from_ref(&operation)).is_err() {
            return;
        }
        let is_gone = matches!(operation, json_patch::PatchOperation::Remove(_));
        // An addition shifts the items of a list. It replaces nothing.
        let is_added = matches!(operation, json_patch::PatchOperation::Add(_));
        let shown = path.trim_start_matches('/').replace('/', ".");
        if let Some(old) = old.filter(|_| !is_added) {
            let line = format!("- {shown} = {old}");
            say!("  {}", painted(BAD, Visible(&line)));
        }
        let value = document.pointer(&path).filter(|_| !is_gone);
        if let Some(new) = value {
            let line = format!("+ {shown} = {new}");
            say!("  {}", painted(GOOD, Visible(&line)));
        } else if is_added {
            // The end of a list is named `-`.
            say!("  {}", painted(GOOD, Visible(&format!("+ {shown}"))));
        }
    }
}

/// Formats a duration for people.
pub(crate) fn time(duration: std::time::Duration) -> String {
    let micros = duration.as_micros();
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{:.1} ms", duration.as_secs_f64() * 1_000.0),
        _ => format!("{:.1} s", duration.as_secs_f64()),
    }
}

/// Prints JSON for programs, over several lines, so that people can read it too.
pub(crate) fn json(value: &Value) {
    say!("{value:#}");
}
