//! The order: what runs when. The list is the order of execution, with what is live beside what the draft has.

use std::collections::{BTreeMap, HashMap};

use askama::Template;
use axum::extract::{Path, Query};
use hooks_core::agent::AgentEvent;
use hooks_runtime::entry::Mode;
use hooks_runtime::{Bundle, Ordered};
use hooks_store::{Node, Role, StoreError};
use serde::Deserialize;
use serde_json::Value;

use super::frame::{PageAnswer, PageFrame, PageRange, done, page, published, undo};
use super::name::{SafeName, Visible};
use super::sent::{FormBody, FormFields};
use super::session::Visitor;
use super::versions;
use crate::api::aside::aside;
use crate::api::changes::WHAT;
use crate::api::convert;
use crate::api::order::{OrderSource, To, is_code};
use crate::api::problem::found;

/// How many hooks the picture has.
const BOXES: usize = 30;

/// What a page of the order is of.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct OrderPageQuery {
    /// The event; by default calls of tools.
    event: Option<String>,
    /// Whose order: what is live, the `draft`, or that of a node, as `node:NAME`.
    of: String,
    /// A part of the name.
    q: String,
    /// By `name`, or what differs first, as `draft`; by default in the order of execution.
    sort: String,
    /// How many hooks are on the pages before.
    from: usize,
}

impl OrderPageQuery {
    fn event(&self) -> &str {
        self.event.as_deref().unwrap_or("BeforeToolCall")
    }

    fn is_about(&self, hook: &Ordered) -> bool {
        self.event().is_empty() || hook.events.iter().any(|event| event == self.event())
    }

    /// The query of whose order it is, without a part of the list.
    fn query(&self, of: &str) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("event", self.event());
        for (name, value) in [("of", of), ("q", &self.q), ("sort", &self.sort)] {
            if !value.is_empty() {
                query.append_pair(name, value);
            }
        }
        format!("?{}", query.finish())
    }
}

/// The word for the draft.
const DRAFT: &str = "draft";

/// What precedes the name of a node.
const NODE: &str = "node:";

/// Whose order can be chosen besides those of nodes.
const CHOICES: &[(&str, &str)] = &[("", "live"), (DRAFT, "draft")];

/// How the list can be sorted.
const SORTS: &[(&str, &str)] = &[
    ("", "order of execution"),
    (DRAFT, "what differs first"),
    ("name", "name"),
];

/// A hook, as it is and as the draft has it.
#[derive(Clone)]
struct OrderRow<'a> {
    /// As it is live, or on a node.
    live: Option<&'a Ordered>,
    draft: Option<&'a Ordered>,
    /// As the order that was chosen has it, or the other one.
    hook: &'a Ordered,
    /// The place within the event, if it runs in the order that was chosen.
    place: Option<usize>,
    /// What the draft makes of it: `new`, `changed` or `deleted`.
    change: &'static str,
    /// The id and the newest version, if people can change it: it has a page.
    stored: Option<&'a (String, u64)>,
}

impl<'a> OrderRow<'a> {
    /// What it is now, and what the draft has if that is another.
    fn both<T: PartialEq>(&self, of: impl Fn(&'a Ordered) -> T) -> (T, Option<T>) {
        let now = of(self.live.unwrap_or(self.hook));
        let draft = self.draft.map(of).filter(|draft| *draft != now);
        (now, draft)
    }

    /// The version that is live, if it is a stored one of this tenant.
    fn live_version(&self) -> Option<u64> {
        self.live.and_then(|live| live.version)
    }

    /// Whether it is live and of this tenant, so that it can be turned off at once.
    fn is_own_live(&self) -> bool {
        self.live_version().is_some() && (self.stored.is_some() || self.change == WHAT[2])
    }

    fn mode(&self) -> (Mode, Option<Mode>) {
        self.both(|hook| hook.mode)
    }

    fn priority(&self) -> (i32, Option<i32>) {
        self.both(|hook| hook.priority)
    }

    fn handler(&self) -> (&str, Option<&str>) {
        self.both(|hook| &*hook.handler)
    }

    fn filter(&self) -> (&str, Option<&str>) {
        self.both(|hook| &*hook.filter)
    }

    fn events(&self) -> String {
        match self.hook.events.len() {
            count if count == AgentEvent::NAMES.len() => "all events".to_owned(),
            0..=3 => self.hook.events.join(", "),
            count => format!("{}, … ({count})", self.hook.events[..2].join(", ")),
        }
    }
}

/// Puts what another order has besides into the first one, behind the hook that it follows there.
fn merged<'a>(
    first: &'a [Ordered],
    other: &'a [Ordered],
) -> Vec<(Option<&'a Ordered>, Option<&'a Ordered>)> {
    // A compiled or built-in hook may have the name of a stored one.
    let key = |hook: &'a Ordered| (is_code(hook), &*hook.hook);
    let places: HashMap<_, _> = first.iter().map(key).zip(1..).collect();
    let mut rows: Vec<_> = (1..)
        .zip(first)
        .map(|(at, hook)| (at, Some(hook), None))
        .collect();
    let mut at = 0;
    for hook in other {
        match places.get(&key(hook)) {
            Some(place) => {
                at = *place;
                rows[at - 1].2 = Some(hook);
            }
            None => rows.push((at, None, Some(hook))),
        }
    }
    rows.sort_by_key(|(at, ..)| *at);
    rows.into_iter()
        .map(|(_, first, other)| (first, other))
        .collect()
}

/// The settings of the built-in hooks of a set, by the names of the hooks: `block_tools` is `BlockTools`.
fn settings(set: &Bundle) -> HashMap<String, String> {
    let tables = set.tables().get("builtin").and_then(Value::as_object);
    let named = tables.into_iter().flatten().map(|(key, settings)| {
        let words = key.split('_').map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            first.to_uppercase() + rest
        });
        let text = convert::write(settings).unwrap_or_default();
        (words.collect(), text.trim().replace('\n', "; "))
    });
    named.collect()
}

#[derive(Template)]
#[template(path = "order.html")]
struct Page<'a> {
    frame: PageFrame,
    nodes: Vec<Node>,
    /// The events, and how many hooks each has.
    events: Vec<(&'static str, usize)>,
    asked: OrderPageQuery,
    notices: Vec<String>,
    rows: Vec<OrderRow<'a>>,
    part: PageRange,
    /// The first hooks of the event, for the picture, and how many it has.
    lane: Vec<OrderRow<'a>>,
    running: usize,
    /// How many hooks there are, and what the draft makes of some.
    total: usize,
    changes: [(&'static str, usize); 3],
    /// The hooks that were deleted, and their ids.
    deleted: BTreeMap<String, (String, u64)>,
    /// The settings of built-in hooks.
    settings: HashMap<String, String>,
    /// On which nodes hooks are not asked, because they have failed too often.
    paused: HashMap<String, Vec<String>>,
}

impl Page<'_> {
    /// Whether agents have told of an order of their own, and none of them shows.
    fn hides_agents(&self) -> bool {
        !self.asked.of.starts_with(NODE) && self.nodes.iter().any(|node| node.has_order)
    }
}

/// Shows the order.
pub(super) async fn get(visitor: Visitor, Query(asked): Query<OrderPageQuery>) -> PageAnswer {
    let (tenant, api) = (visitor.tenant(), &visitor.api);
    let (node, is_draft) = (asked.of.strip_prefix(NODE), asked.of == DRAFT);
    let live = api.order(tenant, node.map_or(OrderSource::InForce, OrderSource::Node));
    let (live, draft) = (live.await?, api.order(tenant, OrderSource::Draft).await);
    let mut notices = live.notices.clone();
    // A draft that does not load has no order. On Publish are its mistakes.
    let drafted = match &draft {
        Err(wrong) if is_draft => return Err(wrong.clone().into()),
        Err(_) => {
            notices.push("The draft has mistakes, so it has no order: see Publish".to_owned());
            &[]
        }
        Ok(draft) => {
            if is_draft {
                notices.clone_from(&draft.notices);
            }
            &*draft.items
        }
    };
    let changes = api.changes(tenant).await?;
    let items = changes.items.iter();
    let changes: HashMap<_, _> = items.map(|one| (&*one.hook, one.what())).collect();
    let (stored, deleted) = (tenant.ids().await?, tenant.deleted_ids().await?);
    let pairs = if is_draft {
        let pairs = merged(drafted, &live.items).into_iter();
        pairs.map(|(draft, live)| (live, draft)).collect()
    } else {
        merged(&live.items, drafted)
    };
    // What a node does not run has no row in its order.
    let pairs = pairs
        .into_iter()
        .filter(|(live, _)| node.is_none() || live.is_some());
    let (mut place, mut last) = (0, 0);
    let rows = pairs.filter_map(|(live, draft)| {
        let chosen = if is_draft { draft } else { live };
        let hook = chosen.or(live).or(draft)?;
        let runs = chosen.filter(|hook| hook.order > 0 && asked.is_about(hook));
        // The hooks of a file of another system have one place together.
        if runs.is_some() && hook.order != last {
            (place, last) = (place + 1, hook.order);
        }
        let own = Some(&*hook.hook).filter(|_| !is_code(hook));
        let change = own.and_then(|name| changes.get(name));
        Some(OrderRow {
            live,
            draft: draft.filter(|_| own.is_some()),
            hook,
            place: runs.map(|_| place),
            change: change.copied().unwrap_or_default(),
            stored: own.and_then(|name| stored.get(name)),
        })
    });
    let mut rows: Vec<_> = rows.collect();
    let (total, count) = (rows.len(), |name| {
        let on = |row: &&OrderRow<'_>| row.hook.events.iter().any(|event| event == name);
        rows.iter().filter(on).count()
    });
    let events = AgentEvent::NAMES.iter().map(|name| (*name, count(name)));
    let events = events.collect();
    rows.retain(|row| asked.is_about(row.hook));
    let running = rows.iter().filter(|row| row.place.is_some());
    let lane = running.clone().take(BOXES).cloned().collect();
    let running = running.count();
    rows.retain(|row| row.hook.hook.contains(&asked.q));
    match &*asked.sort {
        "name" => rows.sort_by_key(|row| &*row.hook.hook),
        DRAFT => rows.sort_by_key(|row| row.change.is_empty()),
        _ => {}
    }
    let mut paused: HashMap<String, Vec<String>> = HashMap::new();
    for open in tenant.breakers().await? {
        paused.entry(open.hook).or_default().push(open.node);
    }
    let address = format!("/{}&from=", asked.query(&asked.of));
    let (rows, part) = PageRange::of(rows, asked.from, &address);
    // Only built-in hooks have settings: without one, no set is read.
    let set = match rows.iter().any(|row| row.hook.handler == "built-in") {
        false => None,
        true if is_draft => Some(tenant.draft().await?),
        true => tenant.newest_set().await?,
    };
    let settings = set.as_ref().map(settings).unwrap_or_default();
    let count = |what| changes.values().filter(|one| **one == what).count();
    Ok(page(&Page {
        frame: PageFrame::new(&visitor, "/", "Order").await?,
        nodes: tenant.nodes().await?,
        changes: WHAT.map(|what| (what, count(what))),
        events,
        notices,
        rows,
        part,
        lane,
        running,
        total,
        deleted,
        paused,
        settings,
        asked,
    }))
}

/// Gives a hook of the draft another priority, or another mode.
pub(super) async fn change(
    visitor: Visitor,
    Path(id): Path<String>,
    FormBody(sent): FormBody<FormFields>,
) -> PageAnswer {
    let by = visitor.at_least(Role::Author)?;
    let (tenant, version, next) = (visitor.tenant(), sent.parsed("version")?, sent.text("next"));
    let mut body = found(tenant.hook(&id).await?, "hook", &id)?.body;
    let (key, what) = if let Some(mode) = sent.get("mode") {
        let what = format!("turned {}", if mode == "off" { "off" } else { "on" });
        body["mode"] = mode.into();
        ("mode", what)
    } else {
        let (old, new) = (
            body["priority"].as_i64().unwrap_or(0),
            sent.parsed::<i32>("priority")?,
        );
        body["priority"] = new.into();
        ("priority", format!("priority {old} → {new}"))
    };
    match tenant.update(&id, version, &body, &by.comment(what)).await {
        Err(StoreError::Conflict { .. }) => {
            versions::conflict(&visitor, &id, version, (key, &body[key]), next).await
        }
        saved => Ok(done(&next, &undo("saved", &id, saved?.version))),
    }
}

/// Moves a hook of the draft by one, or to the place of another.
pub(super) async fn shift(
    visitor: Visitor,
    Path(id): Path<String>,
    Query(asked): Query<OrderPageQuery>,
    FormBody(sent): FormBody<FormFields>,
) -> PageAnswer {
    let by = visitor.at_least(Role::Author)?;
    let tenant = visitor.tenant();
    let hook = found(tenant.hook(&id).await?, "hook", &id)?;
    let to = sent.text("to");
    let to = match &*to {
        "up" => To::Up,
        "down" => To::Down,
        name => To::Hook(name),
    };
    let of = (&*hook.name, asked.event());
    let shifted = visitor.api.shift(tenant, of, to, &by).await?;
    let next = format!("/{}&from={}#hook-{id}", asked.query(DRAFT), asked.from);
    Ok(done(&next, shifted))
}

#[derive(Deserialize)]
pub(super) struct Turned {
    hook: String,
    mode: Mode,
    #[serde(default)]
    comment: String,
}

#[derive(Template)]
#[template(path = "turn.html")]
struct Confirm {
    frame: PageFrame,
    turned: Turned,
    /// The id and the version in the draft.
    stored: Option<(String, u64)>,
    is_live: bool,
}

impl Confirm {
    fn word(&self) -> &'static str {
        if self.turned.mode == Mode::Off {
            "off"
        } else {
            "on"
        }
    }
}

/// Asks whether a hook is to be turned off at once, or on.
pub(super) async fn confirm(visitor: Visitor, Query(turned): Query<Turned>) -> PageAnswer {
    visitor.at_least(Role::Publisher)?;
    let live = visitor.tenant().newest_set().await?;
    Ok(page(&Confirm {
        is_live: live
            .is_some_and(|live| live.hooks.iter().any(|hook| hook["name"] == *turned.hook)),
        frame: PageFrame::new(&visitor, "/", "Turn a hook off or on").await?,
        stored: visitor.tenant().ids().await?.remove(&turned.hook),
        turned,
    }))
}

/// Publishes what is live with another mode of one hook.
pub(super) async fn turn(visitor: Visitor, FormBody(turned): FormBody<Turned>) -> PageAnswer {
    let by = visitor.at_least(Role::Publisher)?;
    let (tenant, by) = (visitor.tenant().clone(), by.comment(turned.comment));
    let new = async move { tenant.publish_mode(&turned.hook, turned.mode, &by).await };
    Ok(done("/", published(&aside(new).await?)))
}
