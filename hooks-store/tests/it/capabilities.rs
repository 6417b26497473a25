//! Capabilities: what a deployment does not allow does not run, and a guard that does not run blocks.

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::Runtime;
use hooks_store::{Capabilities, HookScope};
use serde_json::json;

use crate::common::{Place, ada, mistakes};

#[tokio::test]
async fn what_is_in_force_and_not_allowed_blocks_where_it_could_block() {
    let place = Place::file();
    let everything = place.open().await;
    let acme = everything.tenant("acme");
    let guard = json!({ "name": "guard", "event": ["BeforeToolCall", "ToolCallEnd"], "tools": ["deploy"], "command": "true" });
    let watch = json!({ "name": "watch", "event": "ToolCallEnd", "command": "true" });
    let rule = json!({ "name": "rule", "event": "BeforeToolCall", "tools": ["ship"], "block": "no ships" });
    for hook in [&guard, &watch, &rule] {
        acme.create(hook, &ada()).await.unwrap();
    }
    acme.publish(&ada()).await.unwrap();
    let capabilities = Capabilities::all().without_handlers(["command"]);
    for _ in 0..2 {
        let store = place
            .builder()
            .capabilities(capabilities.clone())
            .open()
            .await
            .unwrap();
        let acme = store.tenant("acme");
        let runtime = Runtime::builder()
            .source(acme.source())
            .build()
            .await
            .unwrap();
        let names: Vec<_> = runtime
            .status()
            .hooks
            .iter()
            .map(|hook| hook.name.clone())
            .collect();
        assert_eq!(names, ["guard", "rule"]);
        let hooks = hooks![..runtime.clone()];
        for (tool, reason) in [("deploy", "not allowed here"), ("ship", "no ships")] {
            let mut call = BeforeToolCall::new("1", tool, json!({}));
            let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
            let cancelled = result.as_cancel().unwrap();
            assert!(cancelled.reason.contains(reason), "{}", cancelled.reason);
        }
        let mut call = BeforeToolCall::new("1", "ls", json!({}));
        assert!(
            hooks
                .intercept(&AgentContext::new("s1"), &mut call)
                .await
                .as_cancel()
                .is_none()
        );
        assert_eq!(acme.notices().await.unwrap().len(), 2);
        // However often the store is opened, the log has it once.
        let log = acme.admin_log(None, 100).await.unwrap().items;
        let refused: Vec<_> = log
            .iter()
            .filter(|entry| entry.action == "hook.refused")
            .collect();
        assert_eq!((refused.len(), &*refused[1].entity), (2, "guard"));
        let told = mistakes(
            acme.create(
                &json!({ "name": "b", "event": "BeforeToolCall", "command": "true" }),
                &ada(),
            )
            .await,
        );
        assert_eq!(told[0].path, "/command");
    }
}

#[tokio::test]
async fn a_scope_can_be_forbidden() {
    let place = Place::memory();
    let capabilities = Capabilities::all().without_scopes([HookScope::Global]);
    let store = place
        .builder()
        .capabilities(capabilities)
        .open()
        .await
        .unwrap();
    let hook = crate::common::block("a", "deploy");
    assert_eq!(
        mistakes(store.tenant("").create(&hook, &ada()).await)[0].path,
        "/scope"
    );
    store.tenant("acme").create(&hook, &ada()).await.unwrap();
}
