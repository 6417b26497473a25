//! `#[derive(HookEvent)]`: turns an enum of borrowed payloads into a vocabulary.

mod check;
mod expand;
mod parse;

use proc_macro2::TokenStream;

use self::parse::Vocabulary;

/// Expands the derive on an enum.
pub(crate) fn expand(item: TokenStream) -> syn::Result<TokenStream> {
    let item = syn::parse2(item)?;
    let vocabulary = Vocabulary::of(&item)?;
    Ok(expand::vocabulary(&vocabulary))
}

#[cfg(test)]
mod tests;
