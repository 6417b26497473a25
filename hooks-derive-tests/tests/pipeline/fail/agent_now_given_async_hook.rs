use hooks_core::agent::{AgentHooksNow, BeforeToolCall};
use hooks_core::{hook, hooks};

#[hook]
async fn ask(_: &BeforeToolCall) {}

fn run(_: impl AgentHooksNow) {}

fn main() {
    run(hooks![ask]);
}
