use hooks_core::hook;

#[hook]
fn look() {}

fn main() {}
