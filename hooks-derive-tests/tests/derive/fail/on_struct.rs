use hooks_core::HookEvent;

#[derive(HookEvent)]
pub struct Cart {
    pub total: u32,
}

fn main() {}
