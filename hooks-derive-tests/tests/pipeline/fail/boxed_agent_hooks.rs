use hooks_core::agent::AgentHooks;

struct Agent {
    hooks: Box<dyn AgentHooks>,
}

fn main() {}
