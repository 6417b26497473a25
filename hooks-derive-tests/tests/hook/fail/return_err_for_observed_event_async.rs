use hooks_core::agent::ToolCallEnd;
use hooks_core::hook;

#[hook]
async fn report(_: &ToolCallEnd<'_>) -> Result<(), std::io::Error> {
    Ok(())
}

fn main() {}
