//! Everything that the macros write finds `hooks-core` under the name that `Cargo.toml` gives it.
#![cfg(test)]

use hooks::agent::{AgentContext, BeforeToolCall, ToolCallEnd};
use hooks::{HookAction, HookEvent, HookRegistry, async_trait, hook, hooks};

#[hook(priority = hooks::priority::HIGH, only("shell"), on_panic = block)]
fn no_shell(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::block("no shell here")
}

#[hook(when = |done: &ToolCallEnd<'_>| done.name != "noise", on_panic = skip)]
async fn report(done: &ToolCallEnd<'_>) {
    core::future::ready(done.duration).await;
}

/// What is in the cart.
#[derive(Debug)]
pub struct Cart {
    total: u32,
}

/// A vocabulary.
#[derive(HookEvent, Debug)]
pub enum ShopEvent<'a> {
    /// Before the cart is paid for.
    #[intercept]
    Checkout(&'a Cart),
}

struct Coupon;

#[async_trait]
impl ShopHandler for Coupon {
    async fn handle(&self, (): &(), event: ShopEventMut<'_>) -> ShopSaid {
        let ShopEventMut::Checkout(cart) = event;
        cart.total /= 2;
        ShopSaid::Continue
    }
}

#[test]
fn hooks_are_made_and_listed() {
    let hooks = hooks![report, no_shell];
    let mut call = BeforeToolCall {
        name: "shell".into(),
        ..BeforeToolCall::default()
    };
    let result = hooks.intercept_now(&AgentContext::new("s1"), &mut call);
    assert_eq!(result.as_cancel().unwrap().hook, "no_shell");
}

#[test]
fn a_vocabulary_is_made_and_handled() {
    let boxed: Box<dyn ShopHandler> = Box::new(Coupon);
    let registry = HookRegistry::<ShopEvent<'_>>::new().with(boxed);
    let mut cart = Cart { total: 200 };
    let cx = ();
    let mut asked = Box::pin(registry.intercept(&cx, &mut cart));
    let mut task = core::task::Context::from_waker(core::task::Waker::noop());
    assert!(asked.as_mut().poll(&mut task).is_ready());
    drop(asked);
    assert_eq!(cart.total, 100);
    assert_eq!(ShopEvent::from(&cart).name(), "Checkout");
}
