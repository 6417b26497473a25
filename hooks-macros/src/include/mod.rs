//! `include!("hooks.toml")` in a list: the rules of a file, each in its own place.
//!
//! | file | |
//! | --- | --- |
//! | `file` | the text, the places in it, and how a mistake is shown |
//! | `entry`, `load` | the tables of the file, and the checks of all of them |
//! | `rules` | a hook for each priority |
//! | `cel` | an expression as Rust |
//! | `tools` | for which tools a rule runs |
//! | `pattern`, `search` | regular expressions, in the program and while the macro runs |

mod cel;
mod entry;
mod file;
mod load;
mod pattern;
mod rules;
mod search;
mod tools;

use std::path::{Path, PathBuf};

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::parse::ParseStream;
use syn::{Expr, LitStr, Token};

use crate::driver::Errors;

/// What a file becomes: items, and hooks in a list.
pub(crate) struct Included {
    pub(crate) items: TokenStream,
    pub(crate) hooks: Vec<Expr>,
}

/// The argument of `include!`: a path, and whether only the rules of the file are taken.
struct IncludeArgument {
    path: LitStr,
    takes_rules_only: bool,
}

impl syn::parse::Parse for IncludeArgument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let path = input.parse()?;
        let comma: Option<Token![,]> = input.parse()?;
        let word: Option<Ident> = if comma.is_some() && !input.is_empty() {
            Some(input.parse()?)
        } else {
            None
        };
        match &word {
            Some(word) if word != "rules" => Err(syn::Error::new(
                word.span(),
                "expected `rules` here, or nothing: `include!(\"hooks.toml\", rules)` takes only the rules of the file",
            )),
            _ => Ok(IncludeArgument {
                path,
                takes_rules_only: word.is_some(),
            }),
        }
    }
}

/// Reads the rules of a file, if an item of a list is one. `nth` tells the files of a list apart.
pub(crate) fn read(item: &Expr, nth: usize) -> syn::Result<Option<Included>> {
    let Expr::Macro(call) = item else {
        return Ok(None);
    };
    if !call.mac.path.is_ident("include") {
        return Ok(None);
    }
    let IncludeArgument {
        path: literal,
        takes_rules_only,
    } = call.mac.parse_body()?;
    let span = literal.span();
    let wrong = |message: String| syn::Error::new(span, message);
    let path = folder(span).join(literal.value());
    let text = std::fs::read_to_string(&path)
        .map_err(|error| wrong(format!("`{}` cannot be read: {error}", path.display())))?;
    let name = literal.value();
    let compiled = match load::compiled(&name, &text, takes_rules_only, &format!("__Rules{nth}")) {
        Ok(compiled) => compiled,
        Err(mistakes) => {
            let mut errors = Errors::default();
            for mistake in &mistakes {
                errors.at(span, file::shown(&name, &text, mistake));
            }
            return Err(errors
                .finish()
                .err()
                .unwrap_or_else(|| wrong("the file cannot be read".into())));
        }
    };
    let whole = std::fs::canonicalize(&path).unwrap_or(path);
    let whole = whole.to_string_lossy();
    let items: TokenStream = compiled.items.parse()?;
    let hooks = compiled.hooks.iter().map(|hook| syn::parse_str(hook));
    Ok(Some(Included {
        // With this, a change of the file compiles the crate again. The constant is not in the program.
        items: quote! {
            const _: &[::core::primitive::u8] = ::core::include_bytes!(#whole);
            #items
        },
        hooks: hooks.collect::<syn::Result<_>>()?,
    }))
}

/// The `use` of what the code of rules calls.
pub(crate) fn names(core: &TokenStream) -> syn::Result<TokenStream> {
    let compiled = match crate_name("hooks-compiled") {
        Ok(FoundCrate::Name(name)) => Ident::new(&name, Span::call_site()),
        Err(proc_macro_crate::Error::CrateNotFound { .. }) => {
            return Err(syn::Error::new(
                Span::call_site(),
                "`hooks-compiled` is not a dependency in this crate's `Cargo.toml`: add it, because the rules of a file call it",
            ));
        }
        Ok(FoundCrate::Itself) | Err(_) => format_ident!("hooks_compiled"),
    };
    Ok(quote! {
        use #core as __hooks;
        use #core::agent as __agent;
        use ::#compiled::__private as __rt;
    })
}

/// Where paths begin: where the source file is, or the package.
fn folder(span: Span) -> PathBuf {
    let source = span.unwrap().local_file();
    let folder = source.filter(|file| file.exists());
    let folder = folder.as_deref().and_then(Path::parent).map(PathBuf::from);
    let package = || std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    folder.or_else(package).unwrap_or_default()
}
