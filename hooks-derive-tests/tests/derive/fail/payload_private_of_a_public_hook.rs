use hooks_core::{HookEvent, hook};

struct Order {
    total: u32,
}

#[derive(HookEvent)]
enum ShopEvent<'a> {
    #[observe]
    Ordered(&'a Order),
}

#[hook]
pub fn report(order: &Order) {
    println!("{}", order.total);
}

fn main() {}
