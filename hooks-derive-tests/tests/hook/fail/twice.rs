use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(priority = 1)]
#[hook(on_panic = skip)]
fn function(_: &BeforeToolCall) {}

struct State;

#[hook]
#[hook(priority = 1)]
impl State {
    #[hook(only("shell"))]
    #[hook(on_panic = skip)]
    fn method(&self, _: &BeforeToolCall) {}
}

fn main() {}
