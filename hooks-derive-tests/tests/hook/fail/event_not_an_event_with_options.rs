use hooks_core::hook;

struct Cart;

#[hook(only("shell"), when = |_| true, on_panic = skip)]
fn look(_: &mut Cart) {}

fn main() {}
