//! Writes the expansion of `#[hook]`: the item and, in its own `const _` block, the impls that make it a hook.
//!
//! | file | writes |
//! | --- | --- |
//! | `item` | the function or the block itself, without our attributes |
//! | `signature` | the events in its signature, checked once |
//! | `docs` | the line in its docs that says what it hooks |
//! | `types` | what the hook is, and which events it handles, as types |
//! | `handle` | the impl for one event |
//! | `body` | what runs there: the filter, the call, and what happens after a failure |
//!
//! Generated code that a user's mistake can break has the span of the token to blame: the event's type, the return
//! type, an option's value. The compiler reports the mistake there.
//!
//! A constant inside a type, as in `Nibble<{ … }>`, has the span of a user's token for another reason, and so has all
//! of the item that contains it. In an incremental build, rustc checks a list again when such a constant of one of
//! its hooks has changed, and its spans are part of it. A span of ours contains the place of the attribute in the
//! file, which changes with every line that is added above. A user's span is relative to its item.
//!
//! A dispatch is inlined only where it is optimised: in a debug build, `inline(always)` would copy the hook, with its
//! line numbers, into the module of the list, which would then be generated again.

mod body;
mod docs;
mod handle;
mod item;
mod signature;
mod types;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Generics, ImplItem, ItemFn, ItemImpl, parse_quote};

use self::item::{inert, unit_struct, without_options};
use self::types::the_hook;
use super::parse::ParsedHook;
use crate::driver;

/// A function: the unit struct of its name, the function as `call`, and the hook.
pub(super) fn function(mut hook: ParsedHook, mut function: ItemFn) -> TokenStream {
    for handler in &mut hook.handlers {
        let (visibility, signature) = (&function.vis, &mut function.sig);
        signature::checked(handler, &Generics::default(), visibility, signature);
    }
    let item = unit_struct(&function, Some(&docs::line(&hook)));
    let impls = the_hook(&hook, None);
    driver::with_core(quote!(#item #impls), hook.core.as_ref())
}

/// A function that is not a valid hook: still defines the item, so that lists that name it do not fail too.
///
/// A method is left out: an `impl` block cannot contain a struct.
pub(super) fn function_in_error(function: &ItemFn) -> TokenStream {
    if function.sig.receiver().is_some() {
        return TokenStream::new();
    }
    let mut function = function.clone();
    function.attrs.push(parse_quote!(#[allow(unused)]));
    let item = unit_struct(&function, None);
    let ident = &function.sig.ident;
    let hook = inert(&parse_quote!(#ident), &Generics::default());
    quote!(#item #hook)
}

/// An `impl` block: the unchanged block, and the hook.
pub(super) fn block(mut hook: ParsedHook, mut block: ItemImpl) -> TokenStream {
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item
            && let Some(handler) = hook
                .handlers
                .iter_mut()
                .find(|handler| handler.function == method.sig.ident)
        {
            let (visibility, signature) = (&method.vis, &mut method.sig);
            signature::checked(handler, &block.generics, visibility, signature);
        }
    }
    let item = without_options(&block);
    let impls = the_hook(&hook, Some(&docs::line(&hook)));
    driver::with_core(quote!(#item #impls), hook.core.as_ref())
}

/// An `impl` block that is not a valid hook: see [`function_in_error`].
pub(super) fn block_in_error(block: &ItemImpl) -> TokenStream {
    let mut block = block.clone();
    block.attrs.push(parse_quote!(#[allow(unused)]));
    let item = without_options(&block);
    let hook = block
        .trait_
        .is_none()
        .then(|| inert(&block.self_ty, &block.generics));
    quote!(#item #hook)
}
