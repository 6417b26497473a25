//! What the macros share: where `hooks_core` is, how options are read, how errors are told.

use darling::FromMeta;
use darling::ast::NestedMeta;
use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::{Expr, Meta, Path};

/// The code, or the error in its place.
pub(crate) fn or_compile_error(code: syn::Result<TokenStream>) -> TokenStream {
    code.unwrap_or_else(syn::Error::into_compile_error)
}

/// Collects errors, so that one compilation tells them all.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            none => *none = Some(error),
        }
    }

    /// Says that something is wrong at a token.
    pub(crate) fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.push(syn::Error::new(span, message));
    }

    pub(crate) fn finish(self) -> syn::Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

/// The path of `hooks_core`: the user's `crate = path`, or its name in the user's `Cargo.toml`.
pub(crate) fn core_path(given: Option<&Path>) -> TokenStream {
    if let Some(path) = given {
        return quote!(#path);
    }
    let name = match crate_name("hooks-core") {
        Ok(FoundCrate::Name(name)) => Ident::new(&name, Span::call_site()),
        // In hooks-core itself, where `extern crate self` gives the name; or not a direct dependency,
        // when rustc says so, and `crate = path` helps.
        Ok(FoundCrate::Itself) | Err(_) => Ident::new("hooks_core", Span::call_site()),
    };
    quote!(::#name)
}

/// Reads a list of options, and says for each mistake which options there are.
pub(crate) fn options<T: FromMeta>(tokens: TokenStream, allowed: &str) -> syn::Result<T> {
    let written = NestedMeta::parse_meta_list(tokens)?;
    T::from_list(&written).map_err(|error| {
        let mut errors = Errors::default();
        for error in error.flatten() {
            errors.at(error.span(), in_our_words(&error.to_string(), allowed));
        }
        errors.finish().expect_err("an error that is none")
    })
}

/// Says what darling says in the words of this project.
fn in_our_words(message: &str, allowed: &str) -> String {
    if let Some(rest) = message.strip_prefix("Unknown field: ") {
        let rest = rest.replacen(". Did you mean ", ": did you mean ", 1);
        let rest = rest.trim_end_matches('?');
        let question = if rest.contains("did you mean") {
            "?"
        } else {
            ""
        };
        return format!("unknown option {rest}{question} The options are {allowed}")
            .replace("` The", "`; the");
    }
    if let Some(rest) = message.strip_prefix("Duplicate field ") {
        return format!("the option {rest} stands twice: remove one");
    }
    if message.starts_with("Unexpected meta-item format") || message.starts_with("Unexpected type")
    {
        return format!("this option is written differently: the options are {allowed}");
    }
    message.to_owned()
}

/// The place of a user's token, for generated code that a mistake of the user's can break: the compiler
/// reports it there. Names resolve as in all other generated code, also where the token was handed
/// through a `macro_rules!`.
pub(crate) fn at(span: Span) -> Span {
    span.resolved_at(Span::call_site())
}

/// An option that is any expression: `key = EXPR`.
pub(crate) fn expression(meta: &Meta) -> darling::Result<Option<Expr>> {
    if let Meta::NameValue(pair) = meta {
        return Ok(Some(pair.value.clone()));
    }
    let key = name_of(meta.path());
    let how = format!("`{key}` takes a value: write `{key} = …`");
    Err(darling::Error::custom(how).with_span(meta))
}

/// An option that is a path: `key = some::path`.
pub(crate) fn path(meta: &Meta) -> darling::Result<Option<Path>> {
    match expression(meta)? {
        Some(Expr::Path(path)) if path.qself.is_none() => Ok(Some(path.path)),
        other => {
            let key = name_of(meta.path());
            Err(
                darling::Error::custom(format!("`{key}` takes a path: write `{key} = some::path`"))
                    .with_span(&other),
            )
        }
    }
}

/// The words of a path, as they were written.
pub(crate) fn name_of(path: &Path) -> String {
    path.segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect::<Vec<_>>()
        .join("::")
}

/// The name of an item as text, without `r#`.
pub(crate) fn text_of(ident: &Ident) -> String {
    ident.unraw().to_string()
}
