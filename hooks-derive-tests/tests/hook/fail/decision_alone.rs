use hooks_core::{Decision, hook};

#[hook(every)]
fn log(decision: Decision<'_>) {
    println!("{decision:?}");
}

fn main() {}
