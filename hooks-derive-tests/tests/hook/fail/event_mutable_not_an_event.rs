use hooks_core::hook;

#[hook]
fn look(_: &mut String) {}

fn main() {}
