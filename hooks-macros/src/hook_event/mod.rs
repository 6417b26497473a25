//! `#[derive(HookEvent)]`: turns an enum of borrowed payloads into a vocabulary.

mod check;
mod expand;
mod parse;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput};

use self::parse::EventEnum;
use crate::driver::{self, Errors};

/// Expands the derive on an enum. After an error, what is right of the enum is still a vocabulary, so that one mistake
/// yields one message.
pub(crate) fn expand(item: TokenStream) -> syn::Result<TokenStream> {
    let item: DeriveInput = syn::parse2(item)?;
    let mut errors = Errors::default();
    let mut vocabulary = EventEnum::of(&item, &mut errors)?;
    check::vocabulary(&item, &mut vocabulary, &mut errors);
    let is_whole = matches!(&item.data, Data::Enum(data)
        if data.variants.len() == vocabulary.events.len());
    if !is_whole {
        for (at, mistake) in vocabulary.events.iter().filter_map(|event| event.mistake) {
            errors.at(at, mistake);
        }
        return errors.finish().map(|()| TokenStream::new());
    }
    let core = &vocabulary.core;
    let vocabulary = driver::with_core(expand::vocabulary(&vocabulary), core.as_ref());
    let error = errors.finish().err().map(syn::Error::into_compile_error);
    Ok(quote!(#vocabulary #error))
}

#[cfg(test)]
mod tests;
