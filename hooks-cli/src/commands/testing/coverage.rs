//! What the tests cover, for people.

use std::path::Path;

use hooks_runtime::{CoveredPart, CoveredRule};

use crate::Failure;
use crate::paint::{BAD, DIM, Visible, painted, say};

/// What was never seen of a part.
fn never(part: &CoveredPart) -> &'static str {
    match (part.was_true, part.was_false) {
        (true, true) => "",
        (true, false) => "was never false",
        (false, true) => "was never true",
        (false, false) => "was never asked",
    }
}

/// How many rules were true, and how many parts were both true and false.
fn counts(rules: &[CoveredRule]) -> String {
    let parts = || rules.iter().flat_map(|rule| &rule.parts);
    let covered = parts().filter(|part| part.is_covered()).count();
    let true_rules = rules.iter().filter(|rule| rule.was_true).count();
    format!(
        "{true_rules} of {} rules were true, {covered} of {} parts of conditions were both true and false",
        rules.len(),
        parts().count()
    )
}

/// Prints what the tests leave out.
pub(super) fn show(rules: &[CoveredRule]) {
    for rule in rules {
        if !rule.was_true {
            let name = Visible(&rule.hook);
            say!(
                "{}: the rule {name} {}",
                rule.source,
                painted(BAD, "was never true")
            );
        }
        for part in rule.parts.iter().filter(|part| !part.is_covered()) {
            let text = Visible(&part.text);
            say!("{}: `{text}` {}", part.source, painted(BAD, never(part)));
        }
    }
    say!("{}\n", painted(DIM, format!("coverage: {}", counts(rules))));
}

/// Writes a page that needs no other file.
pub(super) fn write(page: &Path, files: &[(String, Vec<CoveredRule>)]) -> Result<(), Failure> {
    let mut html = HEAD.to_owned();
    for (file, rules) in files {
        let (file, counts) = (escaped(file), counts(rules));
        html.extend(["<h2>", &*file, "</h2>\n<p>", &*counts, ".</p>\n<table>\n"]);
        for rule in rules {
            let never = if rule.was_true { "" } else { "was never true" };
            html += &row(
                &rule.source,
                &format!("<b>{}</b>", escaped(&rule.hook)),
                never,
            );
            for part in &rule.parts {
                let text = format!("<code>{}</code>", escaped(&part.text));
                html += &row(&part.source, &text, self::never(part));
            }
        }
        html += "</table>\n";
    }
    let written = std::fs::write(page, html);
    written.map_err(|error| Failure::usage(format!("{}: {error}", page.display())))
}

/// What a page begins with.
const HEAD: &str = "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Coverage of rules</title>\n<style>body{font:1rem/1.5 \
    system-ui;margin:2rem auto;max-width:60rem;padding:0 1rem}td{padding:.1rem 1rem .1rem 0;vertical-align:top}.bad{color:#b00020}\
    .good{color:#00691f}@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}.bad{color:#ff8a8a}.good{color:#7ddb8f}}\
    </style>\n<h1>Coverage of rules</h1>\n";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn row(source: &str, text: &str, never: &str) -> String {
    let (class, word) = match never {
        "" => ("good", "covered"),
        never => ("bad", never),
    };
    let source = escaped(source);
    format!("<tr><td>{source}<td>{text}<td class=\"{class}\">{word}\n")
}
