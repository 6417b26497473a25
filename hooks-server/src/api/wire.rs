//! What the API answers with, apart from the tables of the store.

use std::time::Duration;

use hooks_runtime::entry::Expect;
use hooks_runtime::{BreakerState, RecordOutcome};
use hooks_store as store;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

/// Defines an answer, and makes it from what the store has.
macro_rules! wire {
    ($($(#[$doc:meta])* $name:ident from $from:ty { $($(#[$about:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Serialize, ToSchema)]
        pub(crate) struct $name { $($(#[$about])* pub(crate) $field: $type,)* }

        impl From<$from> for $name {
            fn from(of: $from) -> Self {
                $name { $($field: of.$field.into(),)* }
            }
        }
    )*};
}

/// Defines a part of an answer, and how it is made.
macro_rules! parts {
    ($($(#[$about:meta])* $name:ident($type:ty) from $($from:ty),* { $make:expr })*) => {$(
        #[derive(Debug, Serialize, ToSchema)]
        $(#[$about])*
        pub(crate) struct $name($type);

        $(impl From<$from> for $name {
            fn from(of: $from) -> Self {
                $name($make(of))
            }
        })*
    )*};
}

parts! {
    /// A time, as in `2026-11-24T12:00:00Z`.
    #[schema(value_type = String, format = DateTime)]
    Time(Timestamp) from Timestamp { std::convert::identity }
    /// A time, if there is one.
    #[schema(value_type = Option<String>, format = DateTime)]
    Used(Option<Timestamp>) from Option<Timestamp> { std::convert::identity }
    /// A word of a list.
    #[schema(value_type = String)]
    Word(Value) from store::HookScope, store::Role, BreakerState, RecordOutcome { json }
    /// A time that something takes, in microseconds.
    #[schema(value_type = u64)]
    Micros(u64) from Duration { micros }
}

fn json(of: impl Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}

fn micros(of: Duration) -> u64 {
    u64::try_from(of.as_micros()).unwrap_or(u64::MAX)
}

/// A list of objects.
#[derive(Debug, Serialize, ToSchema)]
#[schema(value_type = Vec<Object>)]
pub(crate) struct Things(Value);

impl<T: Serialize> From<Vec<T>> for Things {
    fn from(of: Vec<T>) -> Self {
        Things(json(of))
    }
}

wire! {
    /// A hook of the draft.
    Hook from store::Hook {
        /// The id, which stays the same.
        id: String,
        /// The name, which no other hook of the tenant has.
        name: String,
        /// The newest version. It is the `ETag`.
        version: u64,
        /// The SHA-256 of the canonical body.
        hash: String,
        /// `global`, `tenant` or `agent`.
        scope: Word,
        /// Whether a hook of a tenant cannot take its place.
        mandatory: bool,
        /// The hook, with the keys of `[[hooks.on]]`.
        body: Value,
        /// Who has saved this version.
        author: String,
        /// Why.
        comment: String,
        /// When.
        at: Time,
    }
    /// A version of a hook.
    HookVersion from store::HookVersion {
        /// Its number, from 1.
        version: u64,
        /// The version before; 0 for the first.
        parent: u64,
        /// The SHA-256 of the canonical body.
        hash: String,
        /// Whether it is the end of the hook.
        is_deleted: bool,
        /// Who has saved it.
        author: String,
        /// Why.
        comment: String,
        /// When.
        at: Time,
    }
    /// What a new draft has changed, by the names of hooks.
    DraftReport from store::DraftReport {
        /// What is new.
        created: Vec<String>,
        /// What is another.
        updated: Vec<String>,
        /// What is gone.
        deleted: Vec<String>,
    }
    /// A revision.
    Revision from store::Revision {
        /// Its number.
        #[serde(rename = "revision")]
        number: u64,
        /// Its SHA-256.
        sha256: String,
        /// The SHA-256 of the revision before.
        parent: Option<String>,
        /// Who has published it.
        author: String,
        /// Why.
        comment: String,
        /// When.
        at: Time,
    }
    /// A revision that is in force now.
    Published from store::Published {
        /// Its number.
        revision: u64,
        /// Its SHA-256.
        sha256: String,
        /// Whether anything differs from the revision before. If not, there is no new one.
        is_new: bool,
    }
    /// What an import has done.
    ImportReport from store::ImportReport {
        /// The names of new hooks.
        created: Vec<String>,
        /// The names of hooks that are others now.
        updated: Vec<String>,
        /// What differs from the system that the hooks come from.
        notes: Vec<String>,
    }
    /// Events, or what one hook did, counted together.
    Activity from store::Activity {
        /// The hook; empty for events, which all hooks together decided.
        hook: String,
        /// When its minute begins, or its hour if it is of one hook.
        at: Time,
        /// What the hooks decided.
        outcome: Word,
        /// Whether they ran in shadow mode, so that it had no effect.
        shadow: bool,
        /// Whether the hook failed and the event went on.
        failed_open: bool,
        /// How long they took, in microseconds: less than this, and at least half of it.
        less_than: Micros,
        /// How many events; of a hook, how often it ran.
        count: u64,
    }
    /// A process that runs hooks of the tenant.
    Node from store::Node {
        /// Its name.
        name: String,
        /// The revision that it runs.
        revision: u64,
        /// The hash of that revision.
        hash: String,
        /// Why it does not run a newer one.
        refused: Option<String>,
        /// When it has reported.
        seen_at: Time,
        /// Whether `GET /order?node=NAME` answers with its order.
        has_order: bool,
    }
    /// What a node does next.
    Told from store::Told {
        /// The hooks that it is to try again.
        reset: Vec<String>,
        /// Whether its order is known. If not, it says its order with the next report.
        has_order: bool,
    }
    /// Decisions of the past that would change.
    Changes from hooks_runtime::Replayed {
        /// How many events were asked about.
        asked: u64,
        /// How many decisions would be another than those that the hooks in force make now; if these are asked about, than
        /// those that were recorded.
        changed: u64,
        /// How many of the recorded decisions were others than those that the hooks in force make now.
        outdated: u64,
        /// How many of the recorded decisions a hook of an agent's own code made, which is not asked here.
        elsewhere: u64,
        /// These decisions: `hook`, `before`, `now`, `count` and `examples`; the most frequent first.
        groups: Things,
        /// How often each `decision` is made: `before` and `now`.
        decisions: Things,
        /// How often each `hook` would have run: `events`, `sessions`, and how often it `failed`.
        hooks: Things,
        /// The handlers that were not asked, because they may change something: `hook` and `count`.
        left_out: Things,
        /// What could not be read; at most 20 of them.
        unread: Vec<String>,
        /// How many could not be read.
        unread_count: u64,
        /// How many events no hook was asked about, because the time was over.
        late: u64,
    }
    /// A hook that a node does not ask, because it has failed too often.
    Breaker from store::Breaker {
        /// The node.
        node: String,
        /// The hook.
        hook: String,
        /// `open` or `half_open`.
        state: Word,
        /// Since when.
        since: Time,
        /// Whether an operator has asked for another try.
        reset: bool,
    }
    /// The tokens of a model that hooks have used in a month.
    Budget from store::BudgetUse {
        /// The month, as in `2026-11`.
        month: String,
        /// How many are used or reserved.
        taken: u64,
        /// The most that the tenant allows.
        limit: Option<u64>,
    }
    /// A secret, without its value.
    Secret from store::SecretInfo {
        /// The name, as in `secret:NAME`.
        name: String,
        /// How often it was set.
        version: u64,
        /// Who has set it.
        author: String,
        /// When.
        at: Time,
    }
    /// A token, without its text.
    Token from store::Token {
        /// The id.
        id: String,
        /// What it is for.
        name: String,
        /// `viewer`, `operator`, `author`, `publisher` or `owner`.
        role: Word,
        /// The agent that it is for.
        agent: Option<String>,
        /// Who has made it.
        author: String,
        /// When.
        at: Time,
        /// When it was last used, to a minute.
        used: Used,
        /// Through which door, and from which address, it was last used.
        used_from: String,
        /// From when on it is refused.
        ends: Used,
    }
    /// A write of a person.
    AdminEntry from store::AdminEntry {
        /// Its number.
        seq: u64,
        /// When.
        at: Time,
        /// Who: the name of the token.
        actor: String,
        /// The id of the token; empty if it was done without one.
        token: String,
        /// Through which door, and from which address.
        from: String,
        /// What was done.
        action: String,
        /// To what.
        entity: String,
        /// The hash of what was there before.
        before: String,
        /// The hash of what is there now.
        after: String,
        /// Why.
        comment: String,
    }
}

/// What a hook did with one event.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Execution {
    /// Its number, by which a stream goes on.
    pub(crate) seq: u64,
    /// The hash of this and of all before it.
    hash: String,
    /// Whether there is more than the record, such as a long reason, which is encrypted.
    has_detail: bool,
    /// The record.
    record: Value,
}

impl From<store::Execution> for Execution {
    fn from(of: store::Execution) -> Self {
        Execution {
            seq: of.seq,
            hash: of.hash,
            has_detail: of.has_detail,
            record: json(of.record),
        }
    }
}

/// A saved event, to try hooks on.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Sample {
    /// The id.
    id: String,
    /// Its name.
    name: String,
    /// The event.
    event: String,
    /// Where it happens.
    cx: Value,
    /// Its fields.
    body: Value,
    /// What hooks are expected to decide about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    expect: Option<Expect>,
    /// Who has saved it.
    author: String,
    /// When.
    at: Time,
}

impl From<store::Sample> for Sample {
    fn from(of: store::Sample) -> Self {
        Sample {
            id: of.id,
            name: of.saved.name,
            event: of.saved.event,
            cx: of.saved.cx,
            body: of.saved.body,
            expect: of.saved.expect,
            author: of.author,
            at: of.at.into(),
        }
    }
}

/// A list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct List<T> {
    /// The items.
    pub(crate) items: Vec<T>,
    /// Where the next page begins: the `cursor` of the next request. None if this is the last page.
    pub(crate) next: Option<u64>,
}

impl<T> List<T> {
    /// A list that is whole.
    pub(crate) fn whole(items: impl IntoIterator<Item: Into<T>>) -> Self {
        List {
            items: items.into_iter().map(Into::into).collect(),
            next: None,
        }
    }

    /// A page of a list.
    pub(crate) fn page<S: Into<T>>(page: store::Page<S>) -> Self {
        List {
            next: page.next,
            ..List::whole(page.items)
        }
    }
}

/// Which page of a list.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// Where the page begins: `next` of the page before.
    pub(crate) cursor: Option<u64>,
    /// How many items, at most 1000; 50 by default.
    #[param(maximum = 1000, minimum = 1)]
    limit: Option<u32>,
}

impl PageQuery {
    pub(crate) fn limit(self) -> u32 {
        self.limit.unwrap_or(50).clamp(1, 1000)
    }
}
