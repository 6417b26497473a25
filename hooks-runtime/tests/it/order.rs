//! The order of a pipeline with the hooks of a runtime in it.

use hooks_core::agent::{BeforeStop, BeforeToolCall};
use hooks_core::{hook, hooks};
use hooks_runtime::Runtime;

#[hook(priority = 50)]
fn gate(_: &BeforeToolCall) {}

#[hook]
fn closed(_: &BeforeStop) {}

#[tokio::test]
async fn a_compiled_hook_may_have_the_name_of_a_definition() {
    let text = "[[hooks.on]]\nname = 'gate'\nevent = 'BeforeToolCall'\nblock = 'no'\n\
                [[hooks.on]]\nname = 'closed'\nevent = 'BeforeToolCall'\nblock = 'no'\n\
                [hooks.builtin]\nredact = true";
    let runtime = Runtime::builder().text(text).build().await.unwrap();
    let order = runtime.order_in(hooks![gate, closed, ..runtime.clone()].plan());
    let shown: Vec<_> = order
        .iter()
        .map(|hook| (&*hook.hook, &*hook.handler, &*hook.events[0]))
        .collect();
    assert_eq!(
        shown,
        [
            ("gate", "compiled", "BeforeToolCall"),
            ("closed", "compiled", "BeforeStop"),
            ("gate", "rule: block", "BeforeToolCall"),
            ("closed", "rule: block", "BeforeToolCall"),
            ("Redact", "built-in", "AfterToolCall"),
        ]
    );
    let alone = runtime.order();
    assert_eq!(
        alone.iter().map(|hook| &*hook.hook).collect::<Vec<_>>(),
        ["gate", "closed", "Redact"]
    );
}

#[tokio::test]
async fn a_hook_that_is_off_is_listed_where_it_would_run() {
    let hook = |name, rest| {
        format!("[[hooks.on]]\nname = '{name}'\nevent = 'BeforeToolCall'\nblock = 'no'\n{rest}\n")
    };
    let text = [
        hook("last", "priority = -1"),
        hook("first", ""),
        hook("off", "mode = 'off'"),
        hook("second", "tools = ['a']"),
    ];
    let runtime = Runtime::builder()
        .text(text.concat())
        .build()
        .await
        .unwrap();
    let order = runtime.order();
    let shown: Vec<_> = order.iter().map(|hook| (&*hook.hook, hook.order)).collect();
    assert_eq!(
        shown,
        [("first", 1), ("off", 0), ("second", 2), ("last", 3)]
    );
    assert_eq!(order[1].events, ["BeforeToolCall"]);
}
