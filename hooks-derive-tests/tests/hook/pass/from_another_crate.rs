use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::{HookAction, HookResult, hook, hooks};
use hooks_derive_tests_other::{Cart, Forbid, Parcel, ShopEvent, ShopHooks, lower};

/// A hook on an event of a vocabulary of another crate.
#[hook]
fn staff(cart: &Cart) -> HookAction<Cart> {
    if cart.total == 0 {
        return HookAction::respond(vec![0]);
    }
    HookAction::Continue
}

#[hook(only("here*"))]
fn near(_: &Parcel<'_>) {}

fn of_the_shop(_: &impl ShopHooks) {}

fn main() {
    let hooks = hooks![Forbid("shell"), lower];
    let mut call = BeforeToolCall {
        name: "Shell".into(),
        ..Default::default()
    };
    let result = hooks.intercept_now(&AgentContext::new("s1"), &mut call);
    assert_eq!(result.as_cancel().unwrap().hook, "forbid");

    let shop = hooks![staff, near];
    of_the_shop(&shop);
    let result = shop.intercept_now(&(), &mut Cart { total: 0 });
    assert!(matches!(result, HookResult::Respond(receipt) if receipt == [0]));
    shop.observe_now(&(), &Parcel { address: "here" });
    assert_eq!(ShopEvent::from(&Parcel { address: "here" }).name(), "Shipped");
}
