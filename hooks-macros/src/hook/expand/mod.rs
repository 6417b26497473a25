//! What `#[hook]` writes: the item, and, in a `const _` block of its own, what makes it a hook.
//!
//! | file | writes |
//! | --- | --- |
//! | `item` | the function or the block itself, without our attributes |
//! | `signature` | the events in its signature, checked once |
//! | `types` | who the hook is, and which events it answers, as types |
//! | `handle` | the hook's answer to one event: the impl |
//! | `body` | what runs there: the filter, the call, and what becomes of a failure |
//!
//! Generated code that a mistake of the user's can break carries the span of the token that is to blame:
//! the event's type, the return type, an option's value. So the compiler reports it there.

mod body;
mod handle;
mod item;
mod signature;
mod types;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Generics, ImplItem, ItemFn, ItemImpl, parse_quote};

use self::item::{inert, unit_struct, without_options};
use self::types::the_hook;
use super::parse::Hook;

/// A function: the unit struct of its name, the function as `call`, and the hook.
pub(super) fn function(mut hook: Hook, mut function: ItemFn) -> TokenStream {
    for handler in &mut hook.handlers {
        let (visibility, signature) = (&function.vis, &mut function.sig);
        signature::checked(
            &hook.core,
            handler,
            &Generics::default(),
            visibility,
            signature,
        );
    }
    let item = unit_struct(&function);
    let hook = the_hook(&hook);
    quote!(#item #hook)
}

/// A function that is no hook: still the item, so that lists which name it do not fail as well.
///
/// A method is left out: where it stands, in an `impl` block, there can be no struct.
pub(super) fn function_in_error(function: &ItemFn) -> TokenStream {
    if function.sig.receiver().is_some() {
        return TokenStream::new();
    }
    let item = unit_struct(function);
    let ident = &function.sig.ident;
    let hook = inert(&parse_quote!(#ident), &Generics::default());
    quote!(#item #hook)
}

/// An `impl` block: as it was, and the hook.
pub(super) fn block(mut hook: Hook, mut block: ItemImpl) -> TokenStream {
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item
            && let Some(handler) = hook
                .handlers
                .iter_mut()
                .find(|handler| handler.function == method.sig.ident)
        {
            let (visibility, signature) = (&method.vis, &mut method.sig);
            signature::checked(&hook.core, handler, &block.generics, visibility, signature);
        }
    }
    let item = without_options(&block);
    let hook = the_hook(&hook);
    quote!(#item #hook)
}

/// An `impl` block that is no hook: see [`function_in_error`].
pub(super) fn block_in_error(block: &ItemImpl) -> TokenStream {
    let item = without_options(block);
    let hook = block
        .trait_
        .is_none()
        .then(|| inert(&block.self_ty, &block.generics));
    quote!(#item #hook)
}
