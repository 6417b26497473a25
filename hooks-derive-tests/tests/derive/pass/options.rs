#![deny(missing_docs)]
//! Every option of a vocabulary, with types that are no plain paths.

use std::collections::HashMap;

use hooks_core::{HookAction, HookEvent, HookResult, Patch, hook, hooks};

/// What every hook may read.
pub struct Shop<T>(pub T);

/// A cart.
#[derive(Debug, PartialEq)]
pub struct Cart {
    /// Its items.
    pub items: Vec<String>,
}

/// A change of a cart.
pub struct Change<T>(pub Vec<T>);

impl Patch<Cart> for Change<&'static str> {
    fn apply(self, cart: &mut Cart) {
        cart.items.extend(self.0.into_iter().map(String::from));
    }
}

/// A shop's life.
#[derive(HookEvent, Clone, Copy)]
#[events(context = Shop<HashMap<String, u32>>)]
pub enum ShopEvent<'shop> {
    /// Before the cart is paid for.
    #[intercept(respond = Vec<Option<u8>>, patch = Change<&'static str>)]
    Checkout(&'shop Cart),
}

#[hook(priority = 1)]
fn add(cx: &Shop<HashMap<String, u32>>, _: &Cart) -> HookAction<Cart> {
    assert!(cx.0.is_empty());
    HookAction::modify(Change(vec!["gift"]))
}

#[hook]
fn answer(cart: &Cart) -> HookAction<Cart> {
    assert_eq!(cart.items, ["gift"]);
    // What it turns into is known from the event.
    HookAction::respond(vec![None, Some(1)])
}

/// Hooks that are named as what generated code binds.
mod names {
    use hooks_core::{HookEvent, hook};

    #[derive(Clone)]
    struct Sale {
        name: String,
    }

    #[derive(HookEvent)]
    enum SaleEvent<'a> {
        #[intercept(respond = u8, around = u8, subject = name)]
        Sale(&'a Sale),
    }

    macro_rules! named {
        ($($name:ident)*) => {
            $(#[hook]
            fn $name(_: &Sale) {})*
        };
    }
    named!(access action cx event hook kind lent name predicate reason result said scope subject view);
}

fn main() {
    let mut cart = Cart { items: Vec::new() };
    let result = hooks![answer, add].intercept_now(&Shop(HashMap::new()), &mut cart);
    assert_eq!(result, HookResult::Respond(vec![None, Some(1)]));
}
