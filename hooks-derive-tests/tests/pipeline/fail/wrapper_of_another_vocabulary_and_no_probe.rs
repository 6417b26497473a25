use hooks_core::agent::{AgentContext, BeforeToolCall, ToolCall, ToolOutput, run_tool_call};
use hooks_core::wrap::{Inner, No, ResultOf, Wrapper};
use hooks_core::{AnyEvent, Hook, HookEvent, hook, hooks};

pub struct Parcel;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe]
    Shipped(&'a Parcel),
}

struct Plain;

impl Wrapper<ShopEvent<'static>> for Plain {
    type Waits = No;

    async fn run<E: AnyEvent<Vocabulary = ShopEvent<'static>>>(
        &self,
        mut hooks: impl Inner<E>,
    ) -> ResultOf<E> {
        hooks.run().await
    }
}

struct Log;

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let cx = AgentContext::new("s1");
    let tool = async |_: &BeforeToolCall| ToolOutput::new("");
    let wrapped = hooks![lower.wrap(Plain)];
    let _ = run_tool_call(&wrapped, &cx, ToolCall::default(), tool).await;
    let probed = hooks![lower].with_probe(&Log);
    let _ = run_tool_call(&probed, &cx, ToolCall::default(), tool).await;
}
