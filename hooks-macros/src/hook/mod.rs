//! `#[hook]`: turns a function, or a type's methods, into a hook.

mod check;
mod expand;
mod options;
mod parameters;
mod parse;
mod says;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{ImplItem, Item};

use self::options::HookOptions;
use self::parse::ParsedHook;
use crate::driver::{Errors, is_of_rust};
use crate::lifetimes;

/// Expands `#[hook(options)]` on `item`. After an error, the item is still defined, so that one mistake yields one
/// message.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let (item, error) = match syn::parse2(item.clone()) {
        Ok(Item::Fn(mut function)) => {
            lifetimes::name_returned(&mut function.sig);
            let options = HookOptions::read(options, &mut errors);
            let hook = errors.finish().and_then(|()| {
                let hook = ParsedHook::of_function(&options, &function, &mut errors)?;
                check::function(&mut function, &hook, &mut errors);
                check::hook(&hook, &options, &mut errors);
                errors.finish().map(|()| hook)
            });
            match hook {
                Ok(hook) => return expand::function(hook, function),
                Err(error) => (expand::function_in_error(&function), error),
            }
        }
        Ok(Item::Impl(block)) if is_of_rust(&block.self_ty) => {
            return check::not_a_type_of_yours(&block).into_compile_error();
        }
        Ok(Item::Impl(mut block)) => {
            for item in &mut block.items {
                if let ImplItem::Fn(method) = item {
                    lifetimes::name_returned(&mut method.sig);
                }
            }
            let options = HookOptions::read(options, &mut errors);
            let hook = errors.finish().and_then(|()| {
                let hook = ParsedHook::of_impl(&options, &block, &mut errors)?;
                check::block(&mut block, &hook, &mut errors);
                check::hook(&hook, &options, &mut errors);
                errors.finish().map(|()| hook)
            });
            match hook {
                Ok(hook) => return expand::block(hook, block),
                Err(error) => (expand::block_in_error(&block), error),
            }
        }
        Ok(other) => (item, check::not_a_hook(&other)),
        Err(error) => (item, error),
    };
    let error = error.into_compile_error();
    quote!(#item #error).into_token_stream()
}

#[cfg(test)]
mod tests;
