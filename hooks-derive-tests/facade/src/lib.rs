//! `hooks-core` is not a dependency of this crate: another one re-exports it. `#[hook]` and the derive take its path
//! as an option, and `hooks![…]` finds it by itself.
#![cfg(test)]

use hooks_derive_tests_other::hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
use hooks_derive_tests_other::hooks_core::{self as core_of_hooks, HookEvent, hook, hooks};

#[hook(crate = core_of_hooks, priority = -1)]
fn mark(call: &mut BeforeToolCall) {
    call.name.push('!');
}

#[hook(crate = ::hooks_derive_tests_other::hooks_core, every)]
fn trace(_: AgentEvent<'_>) {}

/// What is in the cart.
#[derive(Debug)]
pub struct Cart;

/// A vocabulary.
#[derive(HookEvent, Debug)]
#[events(crate = core_of_hooks)]
pub enum ShopEvent<'a> {
    /// The cart is paid for.
    #[observe]
    Checkout(&'a Cart),
}

#[test]
fn a_pipeline_runs() {
    let mut call = BeforeToolCall {
        name: "List".into(),
        ..BeforeToolCall::default()
    };
    let hooks = hooks![mark, trace, hooks_derive_tests_other::lower];
    assert!(
        hooks
            .intercept_now(&AgentContext::new("s1"), &mut call)
            .is_continue()
    );
    assert_eq!(call.name, "list!");
}

#[test]
fn a_vocabulary_has_its_events() {
    assert_eq!(ShopEvent::from(&Cart).name(), ShopEvent::NAMES[0]);
}
