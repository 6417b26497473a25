use hooks_core::agent::*;

fn tick(hooks: impl AgentHooks, cx: &AgentContext) {
    hooks.observe_now(cx, &HeartbeatTick);
}

fn main() {}
