//! Hooks and a vocabulary that other crates use, and a facade: `hooks_core` under another path.

pub use hooks_core;

use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookAction, HookEvent, hook};

/// Lower-cases a tool's name.
#[hook(priority = 10)]
pub fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

/// Forbids tools by name.
#[derive(Debug)]
pub struct Forbid(pub &'static str);

#[hook(name = "forbid")]
impl Forbid {
    fn check(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        if call.name == self.0 {
            return HookAction::block("forbidden");
        }
        HookAction::Continue
    }
}

/// What is in the cart.
#[derive(Debug, Clone)]
pub struct Cart {
    /// In cents.
    pub total: u32,
}

/// A parcel on its way.
#[derive(Debug)]
pub struct Parcel<'a> {
    /// Where it goes.
    pub address: &'a str,
}

/// A vocabulary of this crate.
#[derive(HookEvent, Debug, Clone, Copy)]
pub enum ShopEvent<'a> {
    /// Before the cart is paid for.
    #[intercept(respond = Vec<u32>)]
    Checkout(&'a Cart),
    /// A parcel has left.
    #[observe(subject = address)]
    Shipped(&'a Parcel<'a>),
}
