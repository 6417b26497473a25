use hooks_core::agent::ToolCallEnd;
use hooks_core::hook;

#[hook]
fn report(done: &ToolCallEnd<'static>) {
    println!("{}", done.name);
}

fn main() {}
