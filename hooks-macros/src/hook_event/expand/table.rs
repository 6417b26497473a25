//! The table of all events in the docs of the vocabulary.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use crate::driver;
use crate::hook_event::parse::{EventEnum, EventVariant};

/// One row per event: its kind, what a hook may do, and when it is raised.
pub(super) fn of(vocabulary: &EventEnum) -> String {
    let mut table = String::from(
        "# Events\n\n| event | kind | a hook may | raised |\n| --- | --- | --- | --- |\n",
    );
    for event in &vocabulary.events {
        let kind = if event.intercept().is_some() {
            "intercept"
        } else {
            "observe"
        };
        let name = driver::text_of(&event.variant);
        let payload = driver::text(&event.payload.ty);
        let payload = payload.split('<').next().unwrap_or_default();
        let (may, raised) = (may(event), raised(&event.docs));
        let row = format!("| [`{name}`]({payload}) | {kind} | {may} | {raised} |\n");
        table.push_str(&row);
    }
    table
}

/// What a hook may do to the event.
fn may(event: &EventVariant) -> String {
    let Some(intercept) = event.intercept() else {
        return "look".into();
    };
    let mut may = vec!["change it".to_owned()];
    if let Some(answer) = &intercept.respond {
        let answer = driver::text(answer);
        may.push(format!("respond `{answer}`"));
    }
    if !intercept.no_block {
        may.push("block".into());
    }
    may.push("abort".into());
    if intercept.around.is_some() {
        may.push("stand around the work".into());
    }
    may.join(", ")
}

/// The first sentence of an event's docs.
pub(super) fn raised(docs: &[Attribute]) -> String {
    let mut text = String::new();
    for doc in docs {
        let Meta::NameValue(pair) = &doc.meta else {
            continue;
        };
        let Expr::Lit(ExprLit {
            lit: Lit::Str(line),
            ..
        }) = &pair.value
        else {
            continue;
        };
        let line = line.value();
        if line.trim().is_empty() && !text.is_empty() {
            break;
        }
        text += line.trim();
        text.push(' ');
    }
    let sentence = text.split_inclusive(". ").next().unwrap_or_default();
    sentence.trim().replace('|', "\\|")
}
