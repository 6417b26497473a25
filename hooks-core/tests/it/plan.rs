//! Who runs when, as a table, as rows, and as a pipeline's `Debug`.

use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall, HeartbeatTick, ToolCallEnd};
use hooks_core::{Hook, hook, hooks, observe_fn, priority};

use crate::common::{Registry, plugin};

#[hook(priority = priority::SECURITY)]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

#[hook(priority = 7, name = "two faces")]
impl Both {
    fn first(&self, _cx: &AgentContext, _: &BeforeToolCall) {}
    async fn second(&self, _: &ToolCallEnd<'_>) {}
}
struct Both;

#[hook(every, priority = priority::LAST)]
fn r#trace(event: AgentEvent<'_>) {
    let _ = event;
}

#[test]
fn the_table_shows_hooks_in_order_with_what_they_handle() {
    let inner = hooks![observe_fn::<HeartbeatTick, _>(|_, _| {}).named("tick") @ 2];
    let registry = Registry::new().with(plugin("plugin", 3));
    let hooks = hooks![
        trace,
        inner @ 1,
        Some(Both),
        None::<Both>,
        registry @ -10,
        lower,
    ];
    let table = "\
order  hook          priority  event           runs
1      lower             1000  BeforeToolCall  sync
2      two faces            7  BeforeToolCall  sync
2      two faces            7  ToolCallEnd     async
3      tick                 1  HeartbeatTick   sync
4      HookRegistry       -10  every event     async
5        plugin             3  every event     async
6      trace         -1000000  every event     sync
";
    assert_eq!(hooks.plan().to_string(), table);
    assert_eq!(
        format!("{hooks:?}"),
        "[lower, two faces, tick, HookRegistry, plugin, trace]"
    );
}

#[test]
fn the_rows_can_be_looked_through() {
    let hooks = hooks![Both, lower @ 5];
    let last = hooks.plan().last().unwrap();
    assert_eq!((last.order, &*last.hook, last.priority), (2, "lower", 5));
    assert_eq!((last.event, last.depth), (Some("BeforeToolCall"), 0));
    assert!(!last.is_async && !last.is_guard && last.may_change);
    let handlers = hooks
        .plan()
        .filter(|row| row.event == Some("BeforeToolCall"));
    assert_eq!(
        handlers.map(|row| row.hook).collect::<Vec<_>>(),
        ["two faces", "lower"]
    );
    let mut rows = hooks.plan();
    assert_eq!(rows.by_ref().count(), 3);
    assert_eq!(rows.next(), None);
}

#[test]
fn an_empty_pipeline_has_no_plan() {
    assert_eq!(hooks![].plan().to_string(), "no hooks\n");
    assert_eq!(format!("{:?}", hooks![]), "[]");
}
