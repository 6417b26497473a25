use hooks_core::hook;

struct Cart;

#[hook]
async fn look(_: &Cart) {}

fn main() {}
