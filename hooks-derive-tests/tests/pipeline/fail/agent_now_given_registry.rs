use hooks_core::agent::{AgentEvent, AgentHooksNow};
use hooks_core::{HookRegistry, hooks};

fn run(_: impl AgentHooksNow) {}

fn main() {
    let plugins = HookRegistry::<AgentEvent>::new();
    run(hooks![plugins]);
}
