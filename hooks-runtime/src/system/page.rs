//! The tables of `docs/agents.md`, made from the tables of the systems.
//!
//! `UPDATE_EXPECT=1 cargo test -p hooks-runtime --lib page` writes them anew.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use super::table::{FileOwner, System, SystemEvent, What};
use crate::system::Dialect;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/agents.md");
const BEGIN: &str = "<!-- The tables are made from the code. -->\n";
const END: &str = "<!-- The end of the tables. -->\n";

/// The events of the system that are ours, and on which it can be told something.
fn told<'s>(system: &'s System, ours: &str, what: What) -> Vec<&'s SystemEvent> {
    let events = system.events().iter().filter(|event| event.ours == ours);
    events
        .filter(|event| event.calls && event.tells(what).next().is_some())
        .collect()
}

fn calls(system: &System, ours: &str) -> usize {
    let events = system.events().iter();
    events
        .filter(|event| event.ours == ours && event.calls)
        .count()
}

/// A cell: whether the system can be told, on all of its events of ours or on some.
fn cell(system: &System, ours: &str, what: What, otherwise: &str) -> String {
    let told = told(system, ours, what);
    let all = calls(system, ours);
    if all == 0 {
        return "–".into();
    }
    if told.is_empty() {
        return otherwise.into();
    }
    let mut rows = told.iter().flat_map(|event| event.tells(what));
    if rows.any(|row| row.only_mcp) {
        return "of MCP tools".into();
    }
    let is_merged = what == What::Input && system.call.as_ref().is_some_and(|call| call.merges);
    // The failure of a tool has no output that could be changed.
    let is_all = told.len() == all || what == What::Output;
    match (is_merged, is_all) {
        (true, _) => "sets keys".into(),
        (_, true) => "yes".into(),
        _ => {
            let names: Vec<_> = told
                .iter()
                .map(|event| format!("`{}`", event.named))
                .collect();
            names.join(", ")
        }
    }
}

fn tables() -> String {
    let mut text = String::from(
        "| agent | `--as` | its files run here | block a call | ask | rewrite arguments | rewrite output | block a \
         prompt | rewrite prompt | continue | answer for the model |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let callers = || Dialect::callers().map(Dialect::system);
    for system in callers() {
        let files = if system.runs_hooks() { "yes" } else { "no" };
        let cells = [
            cell(system, "BeforeToolCall", What::Deny, "no"),
            cell(system, "BeforeToolCall", What::Ask, "denied"),
            cell(system, "BeforeToolCall", What::Input, "denied"),
            cell(system, "AfterToolCall", What::Output, "no"),
            cell(system, "MessageReceived", What::Deny, "no"),
            cell(system, "MessageReceived", What::Text, "no"),
            cell(system, "BeforeStop", What::Deny, "no"),
            cell(system, "BeforeLlmCall", What::Response, "no"),
        ];
        let _ = writeln!(
            text,
            "| {} | `{}` | {files} | {} |",
            system.title,
            system.name,
            cells.join(" | ")
        );
    }
    text.push_str("\n| agent | raises | adds context on |\n| --- | --- | --- |\n");
    for system in callers() {
        let raised = system.events().iter().filter(|event| event.calls);
        let raised: BTreeSet<_> = raised.map(|event| event.ours).collect();
        let with_context = raised
            .iter()
            .filter(|ours| !told(system, ours, What::Context).is_empty());
        let list = |names: Vec<&str>| {
            let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            if names.is_empty() {
                "–".into()
            } else {
                names.join(", ")
            }
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            system.title,
            list(raised.iter().copied().collect()),
            list(with_context.copied().collect())
        );
    }
    text
}

#[test]
fn the_page_says_what_the_tables_say() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let expected = format!("{before}{BEGIN}\n{}\n{END}{after}", tables());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(PAGE, expected).unwrap();
    } else {
        assert!(
            page == expected,
            "docs/agents.md differs from the tables: see the head of this file"
        );
    }
}

#[test]
fn the_settings_of_every_agent_are_protected() {
    for dialect in Dialect::ALL.iter().copied() {
        let found = dialect.system().files.found();
        let found = found.filter(|(whose, _)| *whose != FileOwner::Managed);
        let found = found.map(|(_, name)| PathBuf::from(name));
        let init = dialect.init().map(|init| init.path("".as_ref()));
        for file in found.chain(init) {
            let covering = hooks_sandbox::protected::covering(&file);
            assert!(covering.is_some(), "{dialect}: {}", file.display());
        }
    }
}
