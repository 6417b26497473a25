//! The hooks of each tenant, which are loaded when its first event comes.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::join_all;
use hooks_runtime::Runtime;
use hooks_runtime::bridge::LeftToAgent;
use hooks_store::{NodeReport, StoreRecorder, Tenant};
use ring::digest::{SHA256, digest};
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout};

use super::Api;
use super::problem::Problem;
use crate::limits::LAST_WORK;

/// How often the daemon looks whether there is something to report of the tenants' hooks.
const REPORTS: Duration = Duration::from_secs(5);

/// How often it reports what has not changed. With a thousand tenants, more often would be most of what the store does.
const UNCHANGED: Duration = Duration::from_mins(1);

/// A runtime for each tenant.
pub(crate) struct Tenants {
    pub(crate) recorder: StoreRecorder,
    /// The name of this process among the nodes.
    pub(crate) node: String,
    loaded: Mutex<HashMap<String, Arc<OnceCell<Runtime>>>>,
    /// Those whose hooks could not be loaded when they were last asked for.
    broken: Mutex<HashSet<String>>,
}

impl Tenants {
    pub(crate) fn new(recorder: StoreRecorder, node: String) -> Self {
        Tenants {
            recorder,
            node,
            loaded: Mutex::default(),
            broken: Mutex::default(),
        }
    }

    /// The name of this process for a tenant: on which machine it runs is for the owner of all alone.
    fn name_for(&self, tenant: &str) -> String {
        let digest = digest(&SHA256, self.node.as_bytes());
        let short = hex::encode(&digest.as_ref()[..4]);
        match tenant {
            "" => format!("{} ({short})", self.node),
            _ => format!("daemon {short}"),
        }
    }

    fn cell(&self, tenant: &str) -> Arc<OnceCell<Runtime>> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(loaded.entry(tenant.to_owned()).or_default())
    }

    fn broken(&self) -> MutexGuard<'_, HashSet<String>> {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many tenants there are whose hooks cannot be loaded.
    pub(crate) fn broken_count(&self) -> usize {
        self.broken().len()
    }

    /// The tenants whose hooks are loaded.
    pub(crate) fn all(&self) -> Vec<(String, Runtime)> {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let runtimes = loaded
            .iter()
            .filter_map(|(id, cell)| Some((id.clone(), cell.get()?.clone())));
        runtimes.collect()
    }
}

impl Api {
    /// The hooks of a tenant, as they are in force. They follow what is published.
    pub(crate) async fn hooks(&self, tenant: &Tenant) -> Result<Runtime, Problem> {
        let cell = self.tenants.cell(tenant.id());
        let load = async || {
            let builder = (self.complete)(Runtime::builder()).source(tenant.source());
            let runtime = builder
                .shared(true)
                .secrets(tenant.secret_values().await?)
                .recorder(self.tenants.recorder.clone())
                .budget(self.store.budget())
                .approver(LeftToAgent)
                .build()
                .await
                .map_err(|error| {
                    tracing::error!(%error, tenant = tenant.id(), "cannot load the hooks");
                    Problem::at("", "the hooks cannot be loaded: the daemon's log says why")
                })?;
            if let Err(error) = runtime.watch() {
                tracing::error!(%error, tenant = tenant.id(), "cannot follow the hooks");
            }
            self.tenants.broken().remove(tenant.id());
            Ok::<_, Problem>(runtime)
        };
        let loaded = cell.get_or_try_init(load).await.cloned();
        if loaded.is_err() {
            self.tenants.broken().insert(tenant.id().to_owned());
        }
        loaded
    }

    /// Writes which tokens were used: all together, because of a fleet there are many.
    async fn note_used(&self) {
        let used = std::mem::take(&mut *self.used.lock().unwrap_or_else(PoisonError::into_inner));
        if let Err(error) = self.store.tokens_used(&used).await {
            tracing::warn!(%error, "cannot write which tokens were used");
        }
    }

    /// Says again and again which revisions this process runs, and tries hooks again if an operator asks for it: where
    /// a breaker is open, the answer tells.
    pub(crate) async fn report(&self) {
        let mut told: HashMap<String, (NodeReport, Instant)> = HashMap::new();
        loop {
            // Who has asked nothing for a while is forgotten.
            self.rate.retain_recent();
            self.noted.retain_recent();
            self.note_used().await;
            for (id, runtime) in self.tenants.all() {
                let report = NodeReport::from(&runtime.troubled());
                let is_known = told
                    .get(&id)
                    .is_some_and(|(known, at)| *known == report && at.elapsed() < UNCHANGED);
                if is_known && report.breakers.is_empty() {
                    continue;
                }
                let tenant = self.store.tenant(&id);
                let node = self.tenants.name_for(&id);
                match tenant.report(&node, &report).await {
                    Ok(answer) => {
                        answer.reset.iter().for_each(|hook| {
                            runtime.reset_breaker(hook);
                        });
                        told.insert(id, (report, Instant::now()));
                    }
                    Err(error) => tracing::warn!(%error, tenant = id, "cannot report"),
                }
            }
            tokio::time::sleep(REPORTS).await;
        }
    }

    /// Ends what the hooks of all tenants have begun, and writes what they did. Returns whether nothing of it is lost.
    pub(crate) async fn end(&self) -> bool {
        let recorder = &self.tenants.recorder;
        let dropped = recorder.dropped();
        let runtimes = self.tenants.all();
        let ends = join_all(runtimes.iter().map(|(_, runtime)| runtime.shutdown()));
        let have_ended = timeout(LAST_WORK, ends).await.is_ok();
        if !have_ended {
            tracing::error!("hooks have not ended in time");
        }
        let _ = timeout(LAST_WORK, self.note_used()).await;
        match timeout(LAST_WORK, recorder.flush()).await {
            Ok(Ok(())) => return have_ended && recorder.dropped() == dropped,
            Ok(Err(error)) => tracing::error!(%error, "the last executions are lost"),
            Err(_) => tracing::error!("the store does not take the last executions"),
        }
        false
    }
}
