use hooks_core::agent::AgentHooks;
use hooks_core::hooks;

fn both(ours: impl AgentHooks, theirs: impl AgentHooks) -> impl AgentHooks {
    hooks![ours, theirs]
}

fn main() {}
