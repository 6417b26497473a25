use hooks_core::agent::AgentHooks;
use hooks_core::{HookEvent, hook, hooks};

pub struct Parcel;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe]
    Shipped(&'a Parcel),
}

#[hook]
fn announce(_: &Parcel) {}

fn run(_: impl AgentHooks) {}

fn main() {
    run(hooks![announce]);
}
