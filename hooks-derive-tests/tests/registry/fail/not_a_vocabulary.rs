use hooks_core::HookRegistry;
use hooks_core::agent::BeforeToolCall;

fn main() {
    let _ = HookRegistry::<BeforeToolCall>::new();
}
