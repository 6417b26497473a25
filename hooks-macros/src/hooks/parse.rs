//! A list of hooks: `hook, hook @ PRIORITY, #[cfg(…)] hook`.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, Path, Token};

/// `path_of_core, hook, …`
pub(super) struct HookList {
    /// The path of `hooks_core`: `$crate`, which `hooks![…]` adds in front.
    pub(super) core: TokenStream,
    pub(super) items: Vec<HookItem>,
    /// `..source`, last in the list.
    pub(super) spread: Option<Expr>,
    /// What the rules of files need.
    pub(super) included: TokenStream,
}

pub(super) struct HookItem {
    pub(super) attrs: Vec<Attribute>,
    pub(super) hook: Expr,
    /// `@ PRIORITY`
    pub(super) priority: Option<Expr>,
}

impl HookItem {
    /// The hook's path, if it is listed by name, always or under a condition. With a `cfg`, only one of two may remain.
    pub(super) fn path(&self) -> Option<&Path> {
        let hook = match &self.hook {
            Expr::MethodCall(call) if call.method == "then_some" => call.args.first()?,
            hook => hook,
        };
        match hook {
            Expr::Path(path) if self.attrs.is_empty() => Some(&path.path),
            _ => None,
        }
    }
}

impl Parse for HookList {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let core = input.parse::<TokenTree>()?.into_token_stream();
        let mut items = Vec::new();
        let mut spread = None;
        let mut included = TokenStream::new();
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
            if let Some(dots) = input.parse::<Option<Token![..]>>()? {
                if input.is_empty() || input.peek(Token![,]) {
                    return Err(syn::Error::new(
                        dots.spans[0],
                        "expected a source of hooks after `..`: write `..registry`",
                    ));
                }
                spread = Some(input.parse()?);
                at_the_end(input)?;
                break;
            }
            let item = input.parse()?;
            taken(item, &core, &mut items, &mut included)?;
        }
        Ok(HookList {
            core,
            items,
            spread,
            included,
        })
    }
}

/// Takes an item into the list. A file of rules is several.
#[cfg(feature = "include")]
fn taken(
    item: HookItem,
    core: &TokenStream,
    items: &mut Vec<HookItem>,
    included: &mut TokenStream,
) -> syn::Result<()> {
    let Some(file) = crate::include::read(&item.hook, items.len())? else {
        items.push(item);
        return Ok(());
    };
    if let Some(priority) = &item.priority {
        return Err(syn::Error::new_spanned(
            priority,
            "rules have priorities of their own, in their file: write `include!(\"…\")` without `@`",
        ));
    }
    if included.is_empty() {
        included.extend(crate::include::names(core)?);
    }
    included.extend(file.items);
    items.extend(file.hooks.into_iter().map(|hook| HookItem {
        attrs: item.attrs.clone(),
        hook,
        priority: None,
    }));
    Ok(())
}

/// Takes an item into the list.
#[cfg(not(feature = "include"))]
fn taken(
    item: HookItem,
    _: &TokenStream,
    items: &mut Vec<HookItem>,
    _: &mut TokenStream,
) -> syn::Result<()> {
    if let Expr::Macro(call) = &item.hook
        && call.mac.path.is_ident("include")
    {
        return Err(syn::Error::new_spanned(
            &call.mac.path,
            "to compile the rules of a file, write `features = [\"include\"]` for `hooks-core` in Cargo.toml",
        ));
    }
    items.push(item);
    Ok(())
}

/// After a spread, only a comma may follow.
fn at_the_end(input: ParseStream<'_>) -> syn::Result<()> {
    if input.peek(Token![@]) {
        return Err(input.error(
            "the hooks of a source have priorities of their own: write `..source` without `@`, or \
             `source @ 10` to run them all at one place",
        ));
    }
    input.parse::<Option<Token![,]>>()?;
    if input.is_empty() {
        return Ok(());
    }
    let message = if input.peek(Token![..]) {
        "a list has one spread: put the hooks of both sources into one, or write `source @ 10` for one of them"
    } else {
        "`..source` goes last in a list: its hooks find their places between all hooks"
    };
    Err(input.error(message))
}

impl Parse for HookItem {
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
        Ok(HookItem {
            attrs,
            hook,
            priority,
        })
    }
}
