use hooks_core::hook;

#[hook]
struct DenyRm;

fn main() {}
