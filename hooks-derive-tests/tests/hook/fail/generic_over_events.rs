use hooks_core::{Event, hook};

#[hook]
fn look<E: Event>(_: &E) {}

fn main() {}
