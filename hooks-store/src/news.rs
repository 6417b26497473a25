//! What has changed, and whom it concerns: what people write wakes only those who keep what was written.
//!
//! Each write has a number, which its transaction counts, and a row that says which tenant it concerns and what it may have
//! changed. A write of this process tells the [`Ledger`] as soon as it is durable. Those of other processes are read from their
//! rows. Where a row is missing, because an older version has written, or the database was restored, everything counts as new.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::engine::{ReadsAs as _, RowReader, args, of_row};
use crate::error::Result;

/// A bit for each of what a write may change.
pub(crate) mod topics {
    pub(crate) const IN_FORCE: u64 = 1;
    pub(crate) const DRAFT: u64 = 2;
    pub(crate) const SECRETS: u64 = 4;
    pub(crate) const TOKENS: u64 = 8;
    const ALL: [(&str, u64); 4] = [
        ("revision", IN_FORCE),
        ("hook", DRAFT),
        ("secret", SECRETS),
        ("token", TOKENS),
    ];

    /// What a write changes with such an entry in the admin log.
    pub(crate) fn of(action: &str) -> u64 {
        let what = action.split('.').next().unwrap_or_default();
        let found = ALL.iter().find(|(prefix, _)| *prefix == what);
        found.map_or(0, |(_, topic)| *topic)
    }
}

/// The numbers of the newest changes that concern a tenant, in this process: of its own, and of the global tenant's.
///
/// What was read while a number was the same has not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct News {
    /// Something was published.
    pub in_force: u64,
    /// A hook of the draft was saved.
    pub draft: u64,
    /// A secret has another value.
    pub secrets: u64,
    /// A token was made or revoked.
    pub tokens: u64,
}

impl News {
    fn of(number: u64) -> Self {
        News {
            in_force: number,
            draft: number,
            secrets: number,
            tokens: number,
        }
    }

    /// The newest change of what hooks do: of what is in force, of the draft, or of a secret.
    #[must_use]
    pub fn of_hooks(self) -> u64 {
        self.in_force.max(self.draft).max(self.secrets)
    }

    /// Takes a change. Returns whether it is new.
    fn take(&mut self, number: u64, topics: u64) -> bool {
        let before = *self;
        let fields = [
            (topics::IN_FORCE, &mut self.in_force),
            (topics::DRAFT, &mut self.draft),
            (topics::SECRETS, &mut self.secrets),
            (topics::TOKENS, &mut self.tokens),
        ];
        for (topic, newest) in fields {
            if topics & topic != 0 {
                *newest = number.max(*newest);
            }
        }
        before != *self
    }
}

/// What this process knows of changes.
pub(crate) struct Ledger(Mutex<NewsState>);

struct NewsState {
    newest: u64,
    /// What is added to the numbers of the database, because it was restored, and counts again from a lower one.
    ahead: u64,
    tenants: HashMap<String, watch::Sender<News>>,
}

impl Ledger {
    pub(crate) fn new(newest: u64) -> Self {
        Ledger(Mutex::new(NewsState {
            newest,
            ahead: 0,
            tenants: HashMap::new(),
        }))
    }

    fn known(&self) -> MutexGuard<'_, NewsState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn newest(&self) -> u64 {
        self.known().newest
    }

    /// The newest number, as the database counts. What the database has counted since is never lower, unless it was restored.
    pub(crate) fn newest_there(&self) -> u64 {
        let known = self.known();
        known.newest - known.ahead
    }

    /// The newest change of what decides about agents, for each tenant that was asked for or has changed.
    pub(crate) fn newest_of_judging(&self) -> Vec<(String, u64)> {
        let known = self.known();
        let tenants = known.tenants.iter().map(|(tenant, news)| {
            let News {
                in_force,
                secrets,
                tokens,
                ..
            } = *news.borrow();
            (tenant.clone(), in_force.max(secrets).max(tokens))
        });
        tenants.collect()
    }

    pub(crate) fn of(&self, tenant: &str) -> watch::Receiver<News> {
        let mut known = self.known();
        let newest = known.newest;
        if let Some(news) = known.tenants.get(tenant) {
            return news.subscribe();
        }
        let (news, receiver) = watch::channel(News::of(newest));
        known.tenants.insert(tenant.to_owned(), news);
        receiver
    }

    /// Takes a change that is durable.
    pub(crate) fn tell(
        &self,
        Change {
            number,
            tenant_id,
            topics,
        }: &Change,
    ) {
        let mut known = self.known();
        let number = number + known.ahead;
        let before = known.newest;
        known.newest = before.max(number);
        if !tenant_id.is_empty() && !known.tenants.contains_key(tenant_id) {
            let (news, _) = watch::channel(News::of(before));
            known.tenants.insert(tenant_id.clone(), news);
        }
        for (tenant, news) in &known.tenants {
            if tenant_id.is_empty() || tenant == tenant_id {
                news.send_if_modified(|news| news.take(number, *topics));
            }
        }
    }

    /// Takes that anything may have changed.
    pub(crate) fn tell_all(&self, number: u64) {
        let mut known = self.known();
        if number + known.ahead <= known.newest {
            known.ahead = known.newest + 1;
        }
        known.newest = number + known.ahead;
        for news in known.tenants.values() {
            news.send_replace(News::of(known.newest));
        }
    }
}

/// The number of the newest write in the database.
pub(crate) async fn newest(reads: &mut dyn RowReader) -> Result<u64> {
    let sql = "SELECT value FROM counter WHERE name = 'change'";
    Ok(reads.one(sql, args![]).await?.unwrap_or_default())
}

of_row! {
    /// Whom a write concerns.
    #[derive(Debug)]
    pub(crate) struct Change {
        pub(crate) number: u64,
        pub(crate) tenant_id: String,
        pub(crate) topics: u64,
    }
}

/// A number of the news that a reader waits for.
#[derive(Debug)]
pub struct Followed {
    news: watch::Receiver<News>,
    what: fn(&News) -> u64,
    seen: u64,
}

impl Followed {
    pub(crate) fn of(news: watch::Receiver<News>, what: fn(&News) -> u64) -> Self {
        let seen = what(&news.borrow());
        Followed { news, what, seen }
    }

    /// Waits until the number is another one than the last time. Returns `false` when the store is gone, and nothing will
    /// change any more. To drop it before it ends loses nothing.
    pub async fn next(&mut self) -> bool {
        let Followed { news, what, seen } = self;
        let new = news.wait_for(|news| what(news) != *seen).await;
        new.map(|news| *seen = what(&news)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(number: u64, tenant: &str, topics: u64) -> Change {
        Change {
            number,
            tenant_id: tenant.to_owned(),
            topics,
        }
    }

    #[test]
    fn a_change_concerns_its_tenant_and_a_global_one_all() {
        let ledger = Ledger::new(7);
        let (acme, zen) = (ledger.of("acme"), ledger.of("zen"));
        ledger.tell(&change(8, "acme", topics::DRAFT | topics::SECRETS));
        let expected = News {
            draft: 8,
            secrets: 8,
            ..News::of(7)
        };
        assert_eq!((*acme.borrow(), *zen.borrow()), (expected, News::of(7)));
        ledger.tell(&change(9, "", topics::IN_FORCE));
        assert_eq!((acme.borrow().in_force, zen.borrow().in_force), (9, 9));
        // Told once more, from its row.
        ledger.tell(&change(8, "acme", topics::DRAFT));
        assert_eq!(acme.borrow().draft, 8);
        assert_eq!(*ledger.of("new").borrow(), News::of(9));
    }

    #[test]
    fn after_a_restore_each_number_is_higher_than_all_before() {
        let ledger = Ledger::new(7);
        let acme = ledger.of("acme");
        ledger.tell_all(3);
        assert_eq!(ledger.newest_there(), 3);
        let restored = *acme.borrow();
        assert!(restored.in_force > 7);
        ledger.tell(&change(4, "acme", topics::TOKENS));
        assert_eq!(ledger.newest_there(), 4);
        assert!(acme.borrow().tokens > restored.tokens);
        assert_eq!(acme.borrow().tokens, ledger.newest());
    }
}
