use hooks_core::hook;

#[hook]
mod hooks {}

fn main() {}
