use hooks_core::agent::AgentHooks;

struct Config;

fn run(_: impl AgentHooks) {}

fn main() {
    run(Config);
}
