use hooks_core::HookEvent;

#[derive(HookEvent)]
pub union Either {
    one: u32,
    other: i32,
}

fn main() {}
