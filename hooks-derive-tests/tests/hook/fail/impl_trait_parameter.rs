use hooks_core::{Event, hook};

#[hook]
fn look(_: &impl Event) {}

fn main() {}
