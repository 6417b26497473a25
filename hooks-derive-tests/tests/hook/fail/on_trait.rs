use hooks_core::hook;

#[hook]
trait Guard {}

fn main() {}
