//! The cost of prompts: calls per turn, and tokens per month.

use std::hash::{BuildHasher as _, RandomState};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::agent::AgentContext;
use lru::LruCache;

use crate::budget::{Budget, BudgetError, Reservation};
use crate::fault::HandlerFault;

/// How many turns, and how many tenants, are remembered.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

/// The state that all prompts of a runtime share.
pub(crate) struct Spending {
    /// How often models were asked in a turn, by all prompts together.
    turns: Mutex<LruCache<u64, u32>>,
    /// The tenants that were warned, with the month.
    warned: Mutex<LruCache<String, String>>,
}

impl Default for Spending {
    fn default() -> Self {
        Spending {
            turns: Mutex::new(LruCache::new(REMEMBERED)),
            warned: Mutex::new(LruCache::new(REMEMBERED)),
        }
    }
}

impl Spending {
    /// Returns a key that identifies a turn.
    pub(crate) fn turn(cx: &AgentContext) -> u64 {
        // The key is secret, so a session that shares the count of another cannot be chosen.
        static HASHER: std::sync::LazyLock<RandomState> =
            std::sync::LazyLock::new(RandomState::new);
        HASHER.hash_one((&cx.session_id, &cx.run_id, cx.turn))
    }

    /// Counts one call of a turn, unless the limit is reached.
    pub(crate) fn take(&self, turn: u64, most: u32) -> bool {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = turns.get_or_insert_mut(turn, || 0);
        let may = *calls < most;
        *calls += u32::from(may);
        may
    }

    /// Whether to warn about a budget that is nearly spent: once per tenant and month.
    fn is_first(&self, tenant: &str, month: &str) -> bool {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        warned
            .put(tenant.to_owned(), month.to_owned())
            .is_none_or(|before| before != month)
    }
}

/// Reserves and counts tokens for one prompt.
#[derive(Clone)]
pub(crate) struct Spender {
    pub(crate) budget: Arc<dyn Budget>,
    pub(crate) spending: Arc<Spending>,
    /// How many tokens a tenant may use per month.
    pub(crate) limit: u64,
}

impl Spender {
    /// Reserves tokens.
    pub(crate) async fn reserve(
        &self,
        tenant: &str,
        tokens: u64,
    ) -> Result<SpendingHold, HandlerFault> {
        match self.budget.reserve(tenant, tokens, self.limit).await {
            Ok(reservation) => Ok(SpendingHold {
                spender: self.clone(),
                reservation: Some(reservation),
            }),
            Err(error) => {
                let key = match error {
                    BudgetError::Spent { .. } => "security.hook.budget_exceeded",
                    BudgetError::Failed(_) => "security.hook.budget_precheck_failed",
                };
                tracing::warn!(key, tenant, tokens, %error, "a model is not asked");
                Err(HandlerFault::not_asked(error))
            }
        }
    }
}

/// Reserved tokens. If the call is dropped, they count as used, because the model may have used them.
pub(crate) struct SpendingHold {
    spender: Spender,
    reservation: Option<Reservation>,
}

impl SpendingHold {
    /// Counts the tokens that were used; all reserved tokens, if the number is unknown.
    pub(crate) async fn settle(mut self, used: Option<u64>) {
        let Some(reservation) = self.reservation.take() else {
            return;
        };
        let used = used.unwrap_or(reservation.tokens);
        let (tenant, month) = (reservation.tenant.clone(), reservation.month.clone());
        let limit = reservation.limit;
        match self.spender.budget.settle(reservation, used).await {
            Ok(left) if left < limit / 5 => {
                if self.spender.spending.is_first(&tenant, &month) {
                    tracing::warn!(
                        key = "security.hook.budget_low",
                        tenant,
                        left,
                        limit,
                        "less than 20 % of the tokens of this month are left"
                    );
                }
            }
            Ok(_) => {}
            Err(error) => failed(&error),
        }
    }

    pub(crate) async fn refund(mut self) {
        if let Some(reservation) = self.reservation.take()
            && let Err(error) = self.spender.budget.refund(reservation).await
        {
            failed(&error);
        }
    }
}

/// A call that takes too long is dropped while it waits.
impl Drop for SpendingHold {
    fn drop(&mut self) {
        if let Some(reservation) = self.reservation.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let budget = Arc::clone(&self.spender.budget);
            runtime.spawn(async move {
                let tokens = reservation.tokens;
                if let Err(error) = budget.settle(reservation, tokens).await {
                    failed(&error);
                }
            });
        }
    }
}

fn failed(error: &BudgetError) {
    tracing::warn!(key = "security.hook.budget_deduct_failed", %error, "a model's tokens are not counted");
}
