//! Nodes and their breakers.

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::{hook, hooks};
use hooks_runtime::{BreakerState, OwnedEvent, Records, Runtime};
use hooks_store::{NodeReport, StoreError};
use serde_json::json;

use crate::common::{Clock, Place, ada, block, mistakes};

pub(crate) async fn a_node_reports_and_learns_which_breakers_to_close(place: Place) {
    let store = place.open().await;
    let acme = store.tenant("acme");
    acme.create(&block("a", "deploy"), &ada()).await.unwrap();
    acme.publish(&ada()).await.unwrap();
    let runtime = Runtime::builder()
        .source(acme.source())
        .build()
        .await
        .unwrap();
    let mut report = NodeReport::from(&runtime.status());
    let told = acme.report("node 1", &report).await.unwrap();
    assert_eq!((told.reset.len(), told.has_order), (0, false));
    let nodes = acme.nodes().await.unwrap();
    assert_eq!(
        (&*nodes[0].name, nodes[0].refused.as_ref(), nodes.len()),
        ("node 1", None, 1)
    );
    let told = NodeReport {
        revision: u64::MAX,
        ..NodeReport::default()
    };
    let told = mistakes(acme.report("node 1", &told).await);
    assert_eq!(told[0].path, "/revision");
    for name in ["", &"n".repeat(201)] {
        let told = mistakes(acme.report(name, &report).await);
        assert_eq!(told[0].path, "/name");
    }
    let long = NodeReport {
        hash: "h".repeat(2000),
        refused: "é".repeat(2000),
        ..report.clone()
    };
    acme.report("node 1", &long).await.unwrap();
    let node = acme.nodes().await.unwrap().remove(0);
    let refused = node.refused.map(|refused| refused.len());
    assert_eq!((node.hash.len(), refused), (1024, Some(1024)));
    report.refused = "no such handler".into();
    report.breakers = vec![("a".into(), BreakerState::Open)];
    acme.report("node 1", &report).await.unwrap();
    acme.report("node 2", &report).await.unwrap();
    assert_eq!(
        acme.nodes().await.unwrap()[1].refused.as_deref(),
        Some("no such handler")
    );
    assert!(store.tenant("other").nodes().await.unwrap().is_empty());
    assert!(matches!(
        acme.reset_breaker("b", &ada()).await,
        Err(StoreError::NotFound(_))
    ));
    assert_eq!(acme.reset_breaker("a", &ada()).await.unwrap(), 2);
    assert!(
        acme.breakers()
            .await
            .unwrap()
            .iter()
            .all(|breaker| breaker.reset)
    );
    let told = acme.report("node 1", &report).await.unwrap();
    assert_eq!(told.reset, ["a"]);
    report.breakers[0].1 = BreakerState::HalfOpen;
    let told = acme.report("node 1", &report).await.unwrap();
    assert!(told.reset.is_empty());
    let breakers = acme.breakers().await.unwrap();
    assert_eq!(
        (breakers[0].state, breakers[0].reset, breakers[1].reset),
        (BreakerState::HalfOpen, false, true)
    );
    report.breakers.clear();
    let told = acme.report("node 2", &report).await.unwrap();
    assert_eq!(told.reset, ["a"]);
    assert_eq!(acme.breakers().await.unwrap().len(), 1);
}

pub(crate) async fn a_node_that_is_not_seen_is_removed(place: Place) {
    let clock = Clock::at("2026-01-01T00:00:00Z");
    let store = place.builder().clock(clock.read()).open().await.unwrap();
    let acme = store.tenant("acme");
    let report = NodeReport {
        breakers: vec![("a".into(), BreakerState::Open)],
        order: Some(Vec::new()),
        ..NodeReport::default()
    };
    acme.report("old", &report).await.unwrap();
    let left = async || {
        let nodes = acme.nodes().await.unwrap().into_iter();
        let breakers = acme.breakers().await.unwrap().into_iter();
        let nodes: Vec<_> = nodes.map(|node| node.name).collect();
        let breakers: Vec<_> = breakers.map(|breaker| breaker.node).collect();
        assert_eq!(nodes, breakers);
        nodes
    };
    clock.set("2026-01-01T00:10:00Z");
    acme.report("new", &report).await.unwrap();
    assert_eq!(left().await, ["new", "old"]);
    clock.set("2026-01-01T00:10:01Z");
    acme.report("new", &report).await.unwrap();
    assert_eq!(left().await, ["new"]);
    assert_eq!(acme.node_order("old").await.unwrap(), None);
}

#[hook(priority = 50)]
fn look(_: &BeforeToolCall) {}

pub(crate) async fn a_node_reports_the_order_with_its_compiled_hooks(place: Place) {
    let store = place.open().await;
    let acme = store.tenant("acme");
    acme.create(&block("no\u{0}", "deploy"), &ada())
        .await
        .unwrap();
    acme.publish(&ada()).await.unwrap();
    let runtime = Runtime::builder().source(acme.source());
    let runtime = runtime.build().await.unwrap();
    let order = runtime.order_in(hooks![look, ..runtime.clone()].plan());
    assert_eq!([&*order[0].hook, &order[1].hook], ["look", "no\u{0}"]);
    let mut report = NodeReport {
        order: Some(order.clone()),
        ..NodeReport::from(&runtime.status())
    };
    let known = async || {
        let node = acme.nodes().await.unwrap().remove(0);
        (node.has_order, acme.node_order("coder").await.unwrap())
    };
    let told = acme.report("coder", &report).await.unwrap();
    assert!(told.has_order);
    assert_eq!(known().await, (true, Some(order.clone())));
    // Without an order, it stays as it was reported last.
    report.order = None;
    assert!(acme.report("coder", &report).await.unwrap().has_order);
    assert_eq!(known().await, (true, Some(order.clone())));
    report.order = Some(order[1..].to_vec());
    acme.report("coder", &report).await.unwrap();
    assert_eq!(known().await.1, report.order);
    assert_eq!(acme.node_order("other").await.unwrap(), None);
    let other = store.tenant("other");
    assert_eq!(other.node_order("coder").await.unwrap(), None);
    // Neither too long an order nor a number that is not told exactly is taken.
    report.order = Some(vec![order[0].clone(); 10_000]);
    assert_eq!(
        mistakes(acme.report("coder", &report).await)[0].path,
        "/order"
    );
    let mut inexact = order.clone();
    inexact[1].version = Some(u64::MAX);
    report.order = Some(inexact);
    let told = mistakes(acme.report("coder", &report).await);
    assert_eq!(told[0].path, "/order/1/version");
    assert_eq!(known().await.1, Some(order[1..].to_vec()));
    report.order = Some(Vec::new());
    acme.report("coder", &report).await.unwrap();
    assert_eq!(known().await, (true, Some(Vec::new())), "no hook is left");
}

pub(crate) async fn records_and_reports_name_the_revision_that_was_published(place: Place) {
    let store = place.open().await;
    let acme = store.tenant("acme");
    for name in ["a", "b", "c"] {
        acme.create(&block(name, "deploy"), &ada()).await.unwrap();
        acme.publish(&ada()).await.unwrap();
    }
    let records = Records::latest(10);
    let runtime = Runtime::builder().source(acme.source());
    let runtime = runtime.recorder(records.clone()).build().await.unwrap();
    let deploy = json!({ "name": "deploy" });
    let mut call = OwnedEvent::from_json("BeforeToolCall", deploy).unwrap();
    runtime.fire(&AgentContext::new("s1"), &mut call).await;
    assert_eq!(records.take()[0].revision, 3);
    let report = NodeReport::from(&runtime.status());
    assert_eq!(
        (report.revision, report.hash, &*report.refused),
        (3, acme.bundle().await.unwrap().sha256(), "")
    );
}
