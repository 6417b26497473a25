//! `hooks![…]`: a list of hooks, sorted by the type checker.

mod check;
mod expand;
mod parse;

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parse;

use crate::driver;

/// Expands `hooks!(path_of_core, hook, …)`.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    list(tokens).unwrap_or_else(|errors| {
        // A list is an expression, but several errors are not one expression.
        let errors = errors.into_compile_error();
        quote!({ #errors })
    })
}

fn list(tokens: TokenStream) -> syn::Result<TokenStream> {
    let list = driver::parsed(parse::HookList::parse, tokens)?;
    check::list(&list)?;
    Ok(expand::list(&list))
}

#[cfg(test)]
mod tests;
