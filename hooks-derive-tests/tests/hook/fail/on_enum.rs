use hooks_core::hook;

#[hook]
pub enum Policy {
    Deny,
}

fn main() {}
