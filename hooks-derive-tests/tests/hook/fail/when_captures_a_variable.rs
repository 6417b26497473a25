use hooks_core::agent::BeforeToolCall;
use hooks_core::{hook, hooks};

fn main() {
    let forbidden = "shell";
    println!("{forbidden}");

    #[hook(when = |call| call.name == forbidden)]
    fn look(_: &BeforeToolCall) {}

    let _ = hooks![look];
}
