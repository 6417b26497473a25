use hooks_core::hook;

#[hook]
const LIMIT: u32 = 60;

fn main() {}
