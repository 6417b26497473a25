//! Limits how many tokens the hooks of a tenant may use per month.

pub(crate) mod spending;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Counts the tokens that the prompts of each tenant use per month.
///
/// Before a call, its caller reserves more tokens than the call can use. Afterwards, it [settles](Self::settle) the
/// tokens that the call used, or all of them if the number is unknown. If no model was reached, it
/// [refunds](Self::refund) them. So simultaneous calls never exceed the limit. The default, [`MemoryBudget`], loses all
/// counts when the program ends. To keep them in a store, implement this trait.
///
/// ```
/// use hooks_runtime::{Budget, BudgetError, MemoryBudget};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let budget = MemoryBudget::new();
/// let reserved = budget.reserve("acme", 600, 1_000).await.unwrap();
/// // Another call has to wait, or does without.
/// let spent = budget.reserve("acme", 600, 1_000).await.unwrap_err();
/// assert!(matches!(spent, BudgetError::Spent { left: 400 }));
///
/// assert_eq!(budget.settle(reserved, 100).await.unwrap(), 900);
/// # }
/// ```
#[async_trait]
pub trait Budget: Send + Sync {
    /// Reserves tokens for a call of a tenant, who may use `limit` per month. Without tenants, the tenant is `""`.
    ///
    /// # Errors
    ///
    /// If that would exceed the limit, or the store fails. Then the call is not made.
    async fn reserve(
        &self,
        tenant: &str,
        tokens: u64,
        limit: u64,
    ) -> Result<Reservation, BudgetError>;

    /// Replaces the reserved tokens of a call by the tokens that it used. Returns how many tokens are left.
    ///
    /// # Errors
    ///
    /// If the store fails.
    async fn settle(&self, reservation: Reservation, used: u64) -> Result<u64, BudgetError>;

    /// Returns the reserved tokens of a call that reached no model.
    ///
    /// # Errors
    ///
    /// If the store fails.
    async fn refund(&self, reservation: Reservation) -> Result<(), BudgetError>;
}

/// Tokens that are reserved for a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// The tenant.
    pub tenant: String,
    /// The month in UTC, such as `2026-11`.
    pub month: String,
    /// The number of tokens.
    pub tokens: u64,
    /// The tenant's limit for the month.
    pub limit: u64,
}

impl Reservation {
    /// Returns the month of a time, in UTC, as every budget counts it.
    ///
    /// ```
    /// use hooks_runtime::Reservation;
    ///
    /// assert_eq!(Reservation::month_of("2026-11-30T23:59:59Z".parse().unwrap()), "2026-11");
    /// ```
    #[must_use]
    pub fn month_of(time: Timestamp) -> String {
        time.to_zoned(TimeZone::UTC).strftime("%Y-%m").to_string()
    }

    /// Returns what the tenant has taken in the month when the call has used that many tokens. `taken` is what the tenant
    /// had taken before, with the reserved tokens.
    ///
    /// ```
    /// use hooks_runtime::Reservation;
    ///
    /// let reserved = Reservation { tenant: "acme".into(), month: "2026-11".into(), tokens: 60, limit: 100 };
    /// assert_eq!(reserved.settled(75, 10), 25);
    /// ```
    #[must_use]
    pub fn settled(&self, taken: u64, used: u64) -> u64 {
        taken.saturating_sub(self.tokens).saturating_add(used)
    }
}

/// Why no tokens can be reserved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// Too few tokens are left.
    #[error("the call needs more tokens than are left this month: {left}")]
    Spent {
        /// The number of tokens that are left.
        left: u64,
    },
    /// The store fails.
    #[error("the tokens of this month cannot be counted: {0}")]
    Failed(String),
}

/// Counts in memory, by months in UTC.
///
/// ```
/// use hooks_runtime::{MemoryBudget, Runtime};
///
/// // The same counts for several runtimes.
/// let budget = std::sync::Arc::new(MemoryBudget::new());
/// let builder = Runtime::builder().budget(budget.clone());
/// ```
pub struct MemoryBudget {
    now: Box<dyn Fn() -> Timestamp + Send + Sync>,
    counts: Mutex<MonthCounts>,
}

#[derive(Debug, Default)]
struct MonthCounts {
    month: String,
    /// The tokens that each tenant has used or reserved in this month.
    taken: HashMap<String, u64>,
}

impl MemoryBudget {
    /// Creates an unused budget.
    #[must_use]
    pub fn new() -> Self {
        MemoryBudget::with_clock(Timestamp::now)
    }

    /// Creates a budget with your own clock, for a test.
    ///
    /// ```
    /// use hooks_runtime::MemoryBudget;
    ///
    /// let budget = MemoryBudget::with_clock(|| "2026-11-30T23:59:59Z".parse().unwrap());
    /// ```
    #[must_use]
    pub fn with_clock(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        MemoryBudget {
            now: Box::new(now),
            counts: Mutex::default(),
        }
    }

    /// Calls `change` with the month, and the tokens that a tenant has taken in it.
    fn count<T>(&self, tenant: &str, change: impl FnOnce(&str, &mut u64) -> T) -> T {
        let month = Reservation::month_of((self.now)());
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.month != month {
            *counts = MonthCounts {
                month: month.clone(),
                taken: HashMap::new(),
            };
        }
        change(&month, counts.taken.entry(tenant.to_owned()).or_default())
    }

    /// Replaces the reserved tokens of a call by `used`. A reservation of another month is ignored.
    fn replace(&self, reservation: &Reservation, used: u64) -> u64 {
        self.count(&reservation.tenant, |month, taken| {
            if month == reservation.month {
                *taken = reservation.settled(*taken, used);
            }
            reservation.limit.saturating_sub(*taken)
        })
    }
}

impl Default for MemoryBudget {
    fn default() -> Self {
        MemoryBudget::new()
    }
}

impl fmt::Debug for MemoryBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryBudget")
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Budget for MemoryBudget {
    async fn reserve(
        &self,
        tenant: &str,
        tokens: u64,
        limit: u64,
    ) -> Result<Reservation, BudgetError> {
        self.count(tenant, |month, taken| {
            let left = limit.saturating_sub(*taken);
            if tokens > left {
                return Err(BudgetError::Spent { left });
            }
            *taken += tokens;
            Ok(Reservation {
                tenant: tenant.to_owned(),
                month: month.to_owned(),
                tokens,
                limit,
            })
        })
    }

    async fn settle(&self, reservation: Reservation, used: u64) -> Result<u64, BudgetError> {
        Ok(self.replace(&reservation, used))
    }

    async fn refund(&self, reservation: Reservation) -> Result<(), BudgetError> {
        self.replace(&reservation, 0);
        Ok(())
    }
}

#[async_trait]
impl<B: Budget + ?Sized> Budget for std::sync::Arc<B> {
    async fn reserve(
        &self,
        tenant: &str,
        tokens: u64,
        limit: u64,
    ) -> Result<Reservation, BudgetError> {
        (**self).reserve(tenant, tokens, limit).await
    }

    async fn settle(&self, reservation: Reservation, used: u64) -> Result<u64, BudgetError> {
        (**self).settle(reservation, used).await
    }

    async fn refund(&self, reservation: Reservation) -> Result<(), BudgetError> {
        (**self).refund(reservation).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn a_month_begins_with_nothing_used_and_knows_nothing_of_the_last() {
        let now = Arc::new(Mutex::new("2026-11-30T23:59:59Z".parse().unwrap()));
        let clock = Arc::clone(&now);
        let budget = MemoryBudget::with_clock(move || *clock.lock().unwrap());
        let old = budget.reserve("acme", 100, 100).await.unwrap();
        assert_eq!(old.month, "2026-11");
        assert_eq!(
            budget.reserve("acme", 1, 100).await,
            Err(BudgetError::Spent { left: 0 })
        );
        // Every tenant has its own count.
        budget.reserve("other", 100, 100).await.unwrap();
        *now.lock().unwrap() = "2026-12-01T00:00:00Z".parse().unwrap();
        let new = budget.reserve("acme", 60, 100).await.unwrap();
        assert_eq!(budget.settle(old, 70).await, Ok(40));
        budget.refund(new).await.unwrap();
        budget.reserve("acme", 100, 100).await.unwrap();
    }

    #[tokio::test]
    async fn what_was_used_counts_in_place_of_what_was_reserved() {
        let budget = MemoryBudget::new();
        let one = budget.reserve("", 60, 100).await.unwrap();
        let two = budget.reserve("", 40, 100).await.unwrap();
        assert_eq!(budget.settle(one, 10).await, Ok(50));
        budget.refund(two).await.unwrap();
        let three = budget.reserve("", 90, 100).await.unwrap();
        // If a model uses more than was reserved, nothing is left.
        assert_eq!(budget.settle(three, 500).await, Ok(0));
    }
}
