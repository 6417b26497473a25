//! The names of hooks, which are unique within a tenant.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::SETTINGS;
use crate::bundle::name_of;
use crate::engine::{ReadsAs as _, RowReader, args, kept};
use crate::error::{Mistake, Result, StoreError};
use crate::store::Tenant;

/// Names that are taken.
#[derive(Default)]
pub(crate) struct TakenNames {
    taken: BTreeSet<String>,
    /// The number to try next, by what is before it.
    next: BTreeMap<String, u64>,
}

impl TakenNames {
    /// Takes a name. Returns whether it was free.
    pub(crate) fn take(&mut self, name: &str) -> bool {
        self.taken.insert(kept(name))
    }

    /// Returns the first free name that is this text and a number.
    pub(crate) fn numbered(&mut self, text: &str, first: u64) -> String {
        let next = self.next.entry(text.to_owned()).or_insert(first);
        loop {
            let name = format!("{text}{next}");
            *next += 1;
            if !self.taken.contains(&name) {
                return name;
            }
        }
    }

    /// Gives a hook without a name that of its event, and a number.
    pub(super) fn give(&mut self, body: &mut Value) {
        if body["name"].is_string() {
            return;
        }
        let event = match &body["event"] {
            Value::Array(events) => events.first().and_then(Value::as_str),
            event => event.as_str(),
        };
        let event = event.unwrap_or("hook");
        body["name"] = self.numbered(&format!("{event}-"), 1).into();
    }
}

impl Tenant {
    /// Checks that a hook may be in the draft: that there is room, no other one has its name, and none above is mandatory.
    /// Without a name, it gets one.
    pub(super) async fn expect_free(
        &self,
        reads: &mut dyn RowReader,
        id: &str,
        body: &mut Value,
    ) -> Result<()> {
        let sql =
            "SELECT name FROM hook WHERE tenant_id = $1 AND deleted = 0 AND id <> $2 AND id <> $3";
        let others: Vec<String> = reads.all(sql, args![&self.id, SETTINGS, id]).await?;
        self.expect_room(others.len() + 1)?;
        let mut names = TakenNames {
            taken: others.into_iter().collect(),
            ..TakenNames::default()
        };
        names.give(body);
        let name = name_of(body);
        let mut mistakes = Vec::new();
        if !names.take(name) {
            mistakes.push(taken(name));
        }
        if self.mandatory_above(reads).await?.contains(name) {
            mistakes.push(is_mandatory(name));
        }
        StoreError::all(mistakes)
    }

    /// The names of the global hooks in force whose place none of this tenant's may take.
    pub(super) async fn mandatory_above(
        &self,
        reads: &mut dyn RowReader,
    ) -> Result<BTreeSet<String>> {
        if self.is_global() {
            return Ok(BTreeSet::new());
        }
        let above = self.other("").newest(reads).await?;
        let hooks = above.iter().flat_map(|set| &set.hooks);
        let mandatory = hooks.filter(|hook| hook["mandatory"] == true);
        Ok(mandatory.map(|hook| name_of(hook).to_owned()).collect())
    }
}

pub(super) fn taken(name: &str) -> Mistake {
    let message = format!("the name `{name}` is taken already");
    Mistake::new("/name", message, "choose another name")
}

pub(super) fn is_mandatory(name: &str) -> Mistake {
    let message = format!("the global hook `{name}` is mandatory: none takes its place");
    Mistake::new("/name", message, "choose another name")
}
