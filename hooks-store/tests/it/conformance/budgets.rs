//! Budgets, which many callers share.

use hooks_runtime::{Budget as _, BudgetError};

use crate::common::{Clock, Place, ada, mistakes};

pub(crate) async fn callers_at_once_never_exceed_the_limit(place: Place) {
    let store = place.open().await;
    let callers = (0..64).map(|_| {
        let budget = store.budget();
        tokio::spawn(async move { budget.reserve("acme", 10, 200).await })
    });
    let mut reserved = 0;
    for caller in callers.collect::<Vec<_>>() {
        match caller.await.unwrap() {
            Ok(_) => reserved += 1,
            Err(BudgetError::Spent { left }) => assert_eq!(left, 0),
            Err(other) => panic!("{other}"),
        }
    }
    let uses = store.tenant("acme").budgets().await.unwrap();
    assert_eq!((reserved, uses.len(), uses[0].taken), (20, 1, 200));
}

pub(crate) async fn the_smaller_limit_holds(place: Place) {
    let clock = Clock::at("2026-11-30T23:59:59Z");
    let store = place.builder().clock(clock.read()).open().await.unwrap();
    let (acme, budget) = (store.tenant("acme"), store.budget());
    acme.set_budget(None, Some(100), &ada()).await.unwrap();
    acme.set_budget(Some("2026-12"), Some(10), &ada())
        .await
        .unwrap();
    assert_eq!(
        budget.reserve("acme", 101, 1000).await,
        Err(BudgetError::Spent { left: 100 })
    );
    assert_eq!(
        budget.reserve("acme", 60, 50).await,
        Err(BudgetError::Spent { left: 50 })
    );
    assert_eq!(budget.reserve("acme", 60, 1000).await.unwrap().limit, 100);
    assert_eq!(
        budget.reserve("acme", 60, 1000).await,
        Err(BudgetError::Spent { left: 40 })
    );
    budget.reserve("other", 1000, 1000).await.unwrap();
    clock.set("2026-12-01T00:00:00Z");
    assert_eq!(
        budget.reserve("acme", 11, 1000).await,
        Err(BudgetError::Spent { left: 10 })
    );
    budget.reserve("acme", 10, 1000).await.unwrap();
    let uses: Vec<_> = acme
        .budgets()
        .await
        .unwrap()
        .into_iter()
        .map(|one| (one.month, one.taken, one.limit))
        .collect();
    let expected = [
        ("2026-12", 10, Some(10)),
        ("2026-11", 60, Some(100)),
        ("", 0, Some(100)),
    ];
    assert_eq!(
        uses,
        expected.map(|(month, taken, limit)| (month.to_owned(), taken, limit))
    );
    acme.set_budget(Some("2026-12"), None, &ada())
        .await
        .unwrap();
    budget.reserve("acme", 90, 1000).await.unwrap();
    let told = mistakes(acme.set_budget(None, Some(u64::MAX), &ada()).await);
    assert_eq!(told[0].path, "/limit");
    let much = budget.reserve("acme", u64::MAX, u64::MAX).await;
    assert!(
        matches!(&much, Err(BudgetError::Failed(why)) if why.contains("is more than")),
        "{much:?}"
    );
    assert_eq!(
        mistakes(acme.set_budget(Some("soon"), None, &ada()).await)[0].path,
        "/month"
    );
}

pub(crate) async fn a_settlement_and_a_refund_give_tokens_back(place: Place) {
    let clock = Clock::at("2026-11-30T23:59:59Z");
    let store = place.builder().clock(clock.read()).open().await.unwrap();
    let budget = store.budget();
    let one = budget.reserve("acme", 60, 100).await.unwrap();
    let two = budget.reserve("acme", 40, 100).await.unwrap();
    assert_eq!(budget.settle(one, 10).await, Ok(50));
    budget.refund(two).await.unwrap();
    let three = budget.reserve("acme", 90, 100).await.unwrap();
    // What a call used counts in the month in which it was reserved.
    clock.set("2026-12-01T00:00:00Z");
    assert_eq!(budget.settle(three, 500).await, Ok(0));
    let uses = store.tenant("acme").budgets().await.unwrap();
    assert_eq!((uses.len(), uses[0].taken), (1, 510));
}
