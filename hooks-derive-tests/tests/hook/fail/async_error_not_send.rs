use std::error::Error;

use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
use hooks_core::{HookRegistry, hook, hooks};

type Checked<T> = Result<T, Box<dyn Error>>;

#[hook]
async fn numbers(call: &BeforeToolCall) -> Checked<()> {
    let _: u32 = call.name.parse()?;
    Ok(())
}

async fn run(cx: AgentContext, mut call: BeforeToolCall) {
    let _ = hooks![numbers].intercept(&cx, &mut call).await;
    let _ = HookRegistry::<AgentEvent>::new().register(numbers);
}

fn main() {}
