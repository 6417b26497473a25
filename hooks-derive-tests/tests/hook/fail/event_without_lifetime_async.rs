use hooks_core::agent::ToolCallEnd;
use hooks_core::hook;

#[hook]
async fn report(done: &ToolCallEnd) {
    println!("{}", done.name);
}

fn main() {}
