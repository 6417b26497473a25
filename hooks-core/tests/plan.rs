//! Who runs when, as a table, as rows, and as a pipeline's `Debug`.

use hooks_core::agent::{
    AgentContext, AgentEvent, AgentHandler, BeforeToolCall, HeartbeatTick, ToolCallEnd,
};
use hooks_core::{HookRegistry, PlanRow, async_trait, hook, hooks, observe_fn, priority};

#[hook(priority = priority::SECURITY)]
fn guard(call: &mut BeforeToolCall) {
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

struct Plugin;
#[async_trait]
impl AgentHandler for Plugin {
    fn name(&self) -> &str {
        "plugin"
    }
    fn priority(&self) -> i32 {
        3
    }
}

#[test]
fn the_table_shows_hooks_in_order_with_what_they_handle() {
    let inner = hooks![observe_fn::<HeartbeatTick, _>(|_, _| {}).with_name("tick") @ 2];
    let registry = HookRegistry::<AgentEvent>::new().with(Plugin);
    let hooks = hooks![
        trace,
        inner @ 1,
        Some(Both),
        None::<Both>,
        registry @ -10,
        guard,
    ];
    let table = "\
order  hook          priority  event           runs
1      guard             1000  BeforeToolCall  sync
2      two faces            7  BeforeToolCall  sync
2      two faces            7  ToolCallEnd     async
3        tick               2  HeartbeatTick   sync
4      HookRegistry       -10  every event     async
5        plugin             3  every event     async
6      trace         -1000000  every event     sync
";
    assert_eq!(hooks.plan().to_string(), table);
    assert_eq!(
        format!("{hooks:?}"),
        "[guard, two faces, tick, HookRegistry, plugin, trace]"
    );
}

#[test]
fn the_rows_can_be_looked_through() {
    let hooks = hooks![Both, guard @ 5];
    let second = PlanRow {
        order: 2,
        hook: "guard",
        priority: 5,
        event: Some("BeforeToolCall"),
        is_async: false,
        depth: 0,
    };
    assert_eq!(hooks.plan().last(), Some(second));
    let handlers = hooks
        .plan()
        .filter(|row| row.event == Some("BeforeToolCall"));
    assert_eq!(
        handlers.map(|row| row.hook).collect::<Vec<_>>(),
        ["two faces", "guard"]
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
