//! How much a store takes.

use hooks_runtime::Bundle;
use hooks_store::MOST_HOOKS;
use serde_json::{Map, json};

use crate::common::{Place, ada, mistakes};

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_takes_the_most_hooks_and_none_more() {
    let acme = Place::memory().open().await.tenant("acme");
    let unnamed = json!({ "event": "BeforeToolCall", "tools": ["deploy"], "block": "not today" });
    let mut set = Bundle::new(vec![unnamed.clone(); MOST_HOOKS], Map::new()).unwrap();
    let report = acme.put_draft(&set, &ada()).await.unwrap();
    assert_eq!(report.created.len(), MOST_HOOKS);
    let told = mistakes(acme.create(&unnamed, &ada()).await);
    assert!(told[0].message.contains("10001 hooks"), "{told:?}");
    set.hooks.push(unnamed.clone());
    let told = mistakes(acme.put_draft(&set, &ada()).await);
    assert!(
        told[0].path == "/hooks" && told[0].message.contains("at most 10000"),
        "{told:?}"
    );
    // A deleted hook comes back if there is room, and a new one stands behind all others.
    let hooks = acme.hooks().await.unwrap();
    assert_eq!(hooks[9_999].name, "BeforeToolCall-10000");
    acme.delete(&hooks[5].id, 1, &ada()).await.unwrap();
    let new = acme.create(&unnamed, &ada()).await.unwrap();
    assert_eq!(new.name, "BeforeToolCall-6");
    assert_eq!(acme.hooks().await.unwrap()[9_999].id, new.id);
    let told = mistakes(acme.restore(&hooks[5].id, 1, 2, &ada()).await);
    assert!(told[0].message.contains("10001 hooks"), "{told:?}");
}
