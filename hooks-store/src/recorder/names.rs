//! The hooks that did not run on an event: bits, against a list of names that is written once.
//!
//! A revision may have a thousand hooks, and an event says of each why it did not run. So a body has a bit for each name of
//! a list, and the hash of the list. The list of a tenant grows with its hooks; where it would not end, it begins anew.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value as Json, json};

use crate::engine::{Engine, args};
use crate::error::StoreError;
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
pub(crate) struct List {
    pub(crate) hash: String,
    pub(crate) names: Vec<String>,
}

impl List {
    fn of(names: Vec<String>) -> Self {
        let mut hash = hex::encode(sha256(json!(names).to_string().as_bytes()));
        hash.truncate(32);
        List { hash, names }
    }

    pub(crate) fn body(&self) -> String {
        json!(self.names).to_string()
    }
}

/// The lists that are known: the newest of each tenant, and those that were read.
#[derive(Clone, Default)]
pub(crate) struct Lists(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    newest: HashMap<String, Arc<List>>,
    read: HashMap<(String, String), Arc<List>>,
}

impl Lists {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the lists of a tenant's records as bits. Returns the list of names, if any is needed.
    pub(crate) fn pack(&self, tenant: &str, records: &mut [&mut Json]) -> Option<Arc<List>> {
        let before = self.known().newest.get(tenant).cloned().unwrap_or_default();
        let places = before.names.iter().zip(0..);
        let mut places: HashMap<&str, usize> =
            places.map(|(name, place)| (&**name, place)).collect();
        let mut added: BTreeMap<usize, &str> = BTreeMap::new();
        for name in records.iter().flat_map(|record| names_in(record)) {
            let next = places.len();
            if let std::collections::hash_map::Entry::Vacant(free) = places.entry(name) {
                free.insert(next);
                added.insert(next, name);
            }
        }
        if places.is_empty() {
            return None;
        }
        let added: Vec<String> = added.into_values().map(str::to_owned).collect();
        let list = match added.len() {
            0 => before,
            // What is no longer needed goes when the list is too long.
            more if before.names.len() + more > MOST && !before.names.is_empty() => {
                self.known().newest.remove(tenant);
                return self.pack(tenant, records);
            }
            _ => Arc::new(List::of([before.names.clone(), added].concat())),
        };
        let places: HashMap<&str, usize> = list
            .names
            .iter()
            .zip(0..)
            .map(|(name, place)| (&**name, place))
            .collect();
        for record in records.iter_mut() {
            let mut is_packed = false;
            for key in LISTS {
                if let Some(value) = record.get_mut(key) {
                    let bits = bits(texts(value).filter_map(|name| places.get(name).copied()));
                    *value = bits.into();
                    is_packed = true;
                }
            }
            if is_packed {
                record[NAMES] = list.hash.clone().into();
            }
        }
        self.known()
            .newest
            .insert(tenant.to_owned(), Arc::clone(&list));
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
        record: &mut Json,
    ) -> Result<(), StoreError> {
        let Some(hash) = record.get_mut(NAMES).map(Json::take) else {
            return Ok(());
        };
        let list = self
            .list(engine, tenant, hash.as_str().unwrap_or_default())
            .await?;
        for key in LISTS {
            if let Some(value) = record.get_mut(key) {
                let bits = hex::decode(value.as_str().unwrap_or_default()).unwrap_or_default();
                let is_set = |place: &usize| {
                    bits.get(place / 8)
                        .is_some_and(|byte| byte >> (place % 8) & 1 == 1)
                };
                let places = (0..list.names.len()).filter(is_set);
                *value = places.map(|place| &*list.names[place]).collect();
            }
        }
        if let Some(fields) = record.as_object_mut() {
            fields.remove(NAMES);
        }
        Ok(())
    }

    async fn list(
        &self,
        engine: &dyn Engine,
        tenant: &str,
        hash: &str,
    ) -> Result<Arc<List>, StoreError> {
        let key = (tenant.to_owned(), hash.to_owned());
        if let Some(list) = self.known().read.get(&key) {
            return Ok(Arc::clone(list));
        }
        let list = Arc::new(self.read(engine, tenant, hash).await?);
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
        &self,
        engine: &dyn Engine,
        tenant: &str,
        hash: &str,
    ) -> Result<List, StoreError> {
        let sql = "SELECT body FROM execution_names WHERE tenant_id = $1 AND hash = $2";
        let rows = engine.fetch(sql, args![tenant, hash]).await?;
        let names = rows
            .first()
            .map_or(Ok(Vec::new()), |row| row.json("body"))?;
        let list = List::of(names);
        if list.hash != hash {
            return Err(StoreError::Inconsistent {
                table: "execution_names".to_owned(),
                column: "body".to_owned(),
                row: hash.to_owned(),
                what: "is missing or was changed".to_owned(),
            });
        }
        Ok(list)
    }
}

/// The texts of a list.
fn texts(list: &Json) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
}

/// The names in the lists of a record.
fn names_in(record: &Json) -> impl Iterator<Item = &str> {
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
