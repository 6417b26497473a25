use hooks_core::{HookAction, HookEvent, hook, hooks};

pub struct Order {
    pub total: u32,
}

pub struct Parcel;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    Ordered(&'a Order),
    #[observe]
    Shipped(&'a Parcel),
}

#[hook]
fn limit(order: &Order) -> HookAction<Order> {
    if order.total > 100 { HookAction::block("too much") } else { HookAction::Continue }
}

#[hook]
fn double(order: &mut Order) {
    order.total *= 2;
}

#[hook]
fn report(_: &Parcel) {}

#[hook(every)]
fn trace(event: ShopEvent<'_>) {
    println!("{}", event.name());
}

async fn run(hooks: &impl ShopHooks, order: &Order) {
    hooks.observe(&(), order).await;
    hooks.observe(&(), &Parcel).await;
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let hooks = hooks![limit, double, report, trace];
    let _ = hooks.intercept_now(&(), &mut Order { total: 1 });
    run(&hooks, &Order { total: 1 }).await;
}
