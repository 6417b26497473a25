//! The order: what runs when. The list is the order of execution.

use askama::Template;
use axum::extract::{Path, Query};
use hooks_core::agent::AgentEvent;
use hooks_runtime::Ordered;
use hooks_runtime::entry::Mode;
use hooks_store::{Node, Role, StoreError};
use serde::Deserialize;

use super::frame::{Answer, Frame, done, page, undo};
use super::sent::Form;
use super::session::Visitor;
use super::versions;
use crate::api::order::Whose;
use crate::api::problem::Problem;

/// How many hooks a page has.
const PAGE: usize = 200;

#[derive(Deserialize)]
pub(super) struct Asked {
    /// The event; by default the one that most hooks are for.
    event: Option<String>,
    /// Whose order: what is in force, the `draft`, or that of a node, as `node:NAME`.
    #[serde(default)]
    of: String,
    /// A part of the name.
    #[serde(default)]
    q: String,
    /// How many hooks are on the pages before.
    #[serde(default)]
    from: usize,
}

/// What stands before the name of a node.
const NODE: &str = "node:";

/// Whose order can be chosen besides those of nodes.
const CHOICES: &[(&str, &str)] = &[("", "in force"), ("draft", "the draft")];

struct Row {
    hook: Ordered,
    /// The id and the version in the draft, if it is there: it has a page, and its priority can be changed.
    stored: Option<(String, u64)>,
}

/// Whether its code alone says when it runs, and nobody can change it here.
fn is_code(hook: &Ordered) -> bool {
    matches!(&*hook.handler, "compiled" | "built-in")
}

impl Row {
    fn is_code(&self) -> bool {
        is_code(&self.hook)
    }

    fn is_off(&self) -> bool {
        self.hook.mode == Mode::Off
    }

    fn is_shadow(&self) -> bool {
        self.hook.mode == Mode::Shadow
    }

    fn events(&self) -> String {
        match self.hook.events.len() {
            count if count == AgentEvent::NAMES.len() => "all events".to_owned(),
            0..=3 => self.hook.events.join(", "),
            count => format!("{}, … ({count})", self.hook.events[..2].join(", ")),
        }
    }
}

#[derive(Template)]
#[template(path = "order.html")]
struct Page {
    frame: Frame,
    nodes: Vec<Node>,
    event: String,
    of: String,
    q: String,
    notices: Vec<String>,
    rows: Vec<Row>,
    /// How many hooks there are, and how many are asked for.
    total: usize,
    count: usize,
    next: Option<String>,
}

impl Page {
    fn is_of(&self, node: &Node) -> bool {
        self.of.strip_prefix(NODE) == Some(&*node.name)
    }
}

/// Shows the order.
pub(super) async fn get(visitor: Visitor, Query(asked): Query<Asked>) -> Answer {
    let tenant = visitor.tenant();
    let event = asked.event.unwrap_or_else(|| "BeforeToolCall".to_owned());
    let whose = match asked.of.strip_prefix(NODE) {
        Some(node) => Whose::Node(node),
        None if asked.of == "draft" => Whose::Draft,
        None => Whose::InForce,
    };
    let order = visitor.api.order(tenant, whose).await?;
    let mut stored = tenant.ids().await?;
    let is_asked = |hook: &&Ordered| {
        (event.is_empty() || hook.events.contains(&event)) && hook.hook.contains(&asked.q)
    };
    let found: Vec<&Ordered> = order.items.iter().filter(is_asked).collect();
    let rows = found.iter().skip(asked.from).take(PAGE).map(|hook| Row {
        hook: (*hook).clone(),
        // A compiled or built-in hook may have the name of a stored one.
        stored: (!is_code(hook))
            .then(|| stored.remove(&hook.hook))
            .flatten(),
    });
    let next = asked.from.saturating_add(PAGE);
    let query = |from: usize| {
        let mut query = url::form_urlencoded::Serializer::new(String::from("/?"));
        query
            .append_pair("event", &event)
            .append_pair("of", &asked.of)
            .append_pair("q", &asked.q);
        query.append_pair("from", &from.to_string()).finish()
    };
    Ok(page(&Page {
        frame: Frame::new(&visitor, "/", "Order").await?,
        nodes: tenant.nodes().await?,
        notices: order.notices.clone(),
        rows: rows.collect(),
        total: order.items.len(),
        count: found.len(),
        next: (next < found.len()).then(|| query(next)),
        event,
        of: asked.of,
        q: asked.q,
    }))
}

#[derive(Deserialize)]
pub(super) struct Changed {
    version: u64,
    priority: Option<i32>,
    mode: Option<String>,
    #[serde(default)]
    next: String,
}

/// Gives a hook of the draft another priority, or another mode.
pub(super) async fn change(
    visitor: Visitor,
    Path(id): Path<String>,
    Form(changed): Form<Changed>,
) -> Answer {
    let by = visitor.at_least(Role::Author)?;
    let tenant = visitor.tenant();
    let hook = tenant
        .hook(&id)
        .await?
        .ok_or_else(|| Problem::no("hook", &id))?;
    let mut body = hook.body;
    let (key, value) = match (changed.priority, changed.mode) {
        (Some(priority), _) => ("priority", priority.into()),
        (None, mode) => ("mode", mode.unwrap_or_default().into()),
    };
    let by = by.comment(format!("another {key}"));
    body[key] = value;
    let saved = match tenant.update(&id, changed.version, &body, &by).await {
        Err(StoreError::Conflict { .. }) => {
            let yours = (key, &body[key]);
            return versions::conflict(&visitor, &id, changed.version, yours, changed.next).await;
        }
        saved => saved?,
    };
    Ok(done(&changed.next, &undo("saved", &id, saved.version)))
}
