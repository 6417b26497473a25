use hooks_core::agent::BeforeToolCall;
use hooks_core::{hook, hooks};

fn main() {
    let level = 10;

    #[hook(priority = level)]
    fn lower(call: &mut BeforeToolCall) {
        call.name.make_ascii_lowercase();
    }

    let _ = hooks![lower];
}
