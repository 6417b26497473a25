use hooks_core::hook;

struct Cart;

#[hook]
fn look(_: &Cart) {}

fn main() {}
