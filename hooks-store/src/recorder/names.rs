//! The hooks that did not run on an event: bits, against a list of names that is written once.
//!
//! A revision may have a thousand hooks, and an event says of each why it did not run. So a body has a bit for each name of
//! a list, and the hash of the list. The list of a tenant grows with its hooks; where it would not end, it begins anew.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indexmap::IndexSet;
use serde_json::Value;

use crate::engine::{Engine, JsonColumn, ReadsAs as _, RowReader, args};
use crate::error::{Result, StoreError};
use crate::text::sha256;

/// The lists of a record that are written as bits.
const LISTS: [&str; 2] = ["unmet", "unasked"];

/// The field of a body with the hash of the list.
pub(crate) const NAMES: &str = "names";

/// The longest list, unless a batch has more.
const MOST: usize = 4096;

/// How many lists are kept in memory.
const KEPT: usize = 256;

/// A list of names, in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct NameList {
    pub(crate) hash: String,
    names: IndexSet<String>,
}

impl NameList {
    fn of(names: IndexSet<String>) -> Self {
        let mut list = NameList {
            hash: String::new(),
            names,
        };
        list.hash = hex::encode(&sha256(list.body().as_bytes())[..16]);
        list
    }

    pub(crate) fn body(&self) -> String {
        self.names
            .iter()
            .map(String::as_str)
            .collect::<Value>()
            .to_string()
    }
}

/// The lists that are known: the newest of each tenant, and those that were read.
#[derive(Clone, Default)]
pub(crate) struct NameLists(Arc<Mutex<NameListIndex>>);

#[derive(Default)]
struct NameListIndex {
    newest: HashMap<String, Arc<NameList>>,
    read: HashMap<(String, String), Arc<NameList>>,
}

impl NameLists {
    fn known(&self) -> MutexGuard<'_, NameListIndex> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the lists of a tenant's records as bits. Returns the list of names, if any is needed.
    pub(crate) fn pack(&self, tenant: &str, records: &mut [Value]) -> Option<Arc<NameList>> {
        let mut list = self.known().newest.get(tenant).cloned().unwrap_or_default();
        let mut names = list.names.clone();
        for name in records.iter().flat_map(names_in) {
            if !names.contains(name) {
                names.insert(name.to_owned());
            }
        }
        if names.is_empty() {
            return None;
        }
        if names.len() > list.names.len() {
            // What is no longer needed goes when the list is too long.
            if names.len() > MOST && !list.names.is_empty() {
                self.known().newest.remove(tenant);
                return self.pack(tenant, records);
            }
            list = Arc::new(NameList::of(names));
        }
        for record in records {
            let mut is_packed = false;
            for key in LISTS {
                if let Some(value) = record.get_mut(key) {
                    *value =
                        bits(texts(value).filter_map(|name| list.names.get_index_of(name))).into();
                    is_packed = true;
                }
            }
            if is_packed {
                record[NAMES] = list.hash.clone().into();
            }
        }
        let newest = Arc::clone(&list);
        self.known().newest.insert(tenant.to_owned(), newest);
        Some(list)
    }

    /// Writes the names again where a body or a detail has bits. Reads the list, if it is not known.
    ///
    /// # Errors
    ///
    /// If the list is missing or was changed, or the database fails.
    pub(crate) async fn unpack(
        &self,
        engine: &dyn Engine,
        tenant: &str,
        record: &mut Value,
    ) -> Result<()> {
        let Some(hash) = record.get_mut(NAMES).map(Value::take) else {
            return Ok(());
        };
        let hash = hash.as_str().unwrap_or_default();
        let list = self.list(engine, tenant, hash).await?;
        for key in LISTS {
            if let Some(value) = record.get_mut(key) {
                let bits = hex::decode(value.as_str().unwrap_or_default()).unwrap_or_default();
                let named = list.names.iter().enumerate().filter(|(place, _)| {
                    let byte = bits.get(place / 8);
                    byte.is_some_and(|byte| byte >> (place % 8) & 1 == 1)
                });
                *value = named.map(|(_, name)| &**name).collect();
            }
        }
        if let Some(fields) = record.as_object_mut() {
            fields.remove(NAMES);
        }
        Ok(())
    }

    async fn list(&self, engine: &dyn Engine, tenant: &str, hash: &str) -> Result<Arc<NameList>> {
        let key = (tenant.to_owned(), hash.to_owned());
        if let Some(list) = self.known().read.get(&key) {
            return Ok(Arc::clone(list));
        }
        let list = Arc::new(NameLists::read(&mut { engine }, tenant, hash).await?);
        let mut known = self.known();
        if known.read.len() >= KEPT {
            known.read.clear();
        }
        known.read.insert(key, Arc::clone(&list));
        Ok(list)
    }

    /// Reads a list.
    ///
    /// # Errors
    ///
    /// If it is missing or was changed, or the database fails.
    pub(crate) async fn read(
        reads: &mut dyn RowReader,
        tenant: &str,
        hash: &str,
    ) -> Result<NameList> {
        let sql = "SELECT body FROM execution_names WHERE tenant_id = $1 AND hash = $2";
        let names: Option<JsonColumn<Value>> = reads.one(sql, args![tenant, hash]).await?;
        let names = names.map(|JsonColumn(names)| texts(&names).map(str::to_owned).collect());
        let list = NameList::of(names.unwrap_or_default());
        if list.hash != hash {
            let what = format!(
                "the table `execution_names` is damaged: row {hash:?} is missing or was changed"
            );
            return Err(StoreError::Inconsistent(what));
        }
        Ok(list)
    }
}

/// The texts of a list.
fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// The names in the lists of a record.
fn names_in(record: &Value) -> impl Iterator<Item = &str> {
    LISTS
        .into_iter()
        .filter_map(|key| record.get(key))
        .flat_map(texts)
}

/// Places as bits, in hexadecimal digits.
fn bits(places: impl Iterator<Item = usize>) -> String {
    let mut bytes = Vec::new();
    for place in places {
        if bytes.len() <= place / 8 {
            bytes.resize(place / 8 + 1, 0_u8);
        }
        bytes[place / 8] |= 1 << (place % 8);
    }
    hex::encode(bytes)
}
