//! A list of hooks: `hook, hook @ PRIORITY, #[cfg(…)] hook`.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, Token};

/// `path_of_core, hook, …`
pub(super) struct List {
    /// The path of `hooks_core`: `$crate`, which `hooks![…]` puts in front.
    pub(super) core: TokenStream,
    pub(super) items: Vec<Item>,
}

pub(super) struct Item {
    pub(super) attrs: Vec<Attribute>,
    pub(super) hook: Expr,
    /// `@ PRIORITY`
    pub(super) priority: Option<Expr>,
}

impl Parse for List {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let core = input.parse::<TokenTree>()?.into_token_stream();
        let mut items = Vec::new();
        while !input.is_empty() {
            if !input.peek(Token![,]) {
                return Err(input.error(
                    "expected `,` or `@` after a hook: a list is written `hooks![first, second @ 10]`",
                ));
            }
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            if input.peek(Token![,]) {
                return Err(input.error("expected a hook before this `,`"));
            }
            items.push(input.parse()?);
        }
        Ok(List { core, items })
    }
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        if input.peek(Token![@]) {
            return Err(input.error("expected a hook before `@`: write `hook @ 10`"));
        }
        let hook = input.parse()?;
        let at: Option<Token![@]> = input.parse()?;
        let priority = match at {
            Some(at) if input.is_empty() || input.peek(Token![,]) => {
                return Err(syn::Error::new(
                    at.span,
                    "expected a priority after `@`: write `hook @ 10`",
                ));
            }
            Some(_) => Some(input.parse()?),
            None => None,
        };
        Ok(Item {
            attrs,
            hook,
            priority,
        })
    }
}
