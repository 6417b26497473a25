//! `#[hook]`: a function, or a type's methods, made a hook.

mod check;
mod expand;
mod options;
mod parse;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Item;

use self::parse::Hook;

/// Expands `#[hook(options)]` on `item`. After an error the item is still defined, so that one mistake
/// yields one message.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let (item, error) = match syn::parse2(item.clone()) {
        Ok(Item::Fn(function)) => match Hook::of_function(options, &function) {
            Ok(hook) => return expand::function(&hook, &function),
            Err(error) => (expand::function_in_error(&function), error),
        },
        Ok(Item::Impl(block)) => match Hook::of_impl(options, &block) {
            Ok(hook) => return expand::block(&hook, &block),
            Err(error) => (expand::block_in_error(&block), error),
        },
        Ok(other) => (item, check::not_a_hook(&other)),
        Err(error) => (item, error),
    };
    let error = error.into_compile_error();
    quote!(#item #error).into_token_stream()
}

#[cfg(test)]
mod tests;
