//! What the macros share: finding `hooks_core`, reading options, reporting errors.

use proc_macro_crate::{Error, FoundCrate, crate_name};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::{Path, Type};

/// The code, or the error instead of it.
pub(crate) fn or_compile_error(code: syn::Result<TokenStream>) -> TokenStream {
    code.unwrap_or_else(syn::Error::into_compile_error)
}

/// Collects errors, so that one compilation reports all of them.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            none => *none = Some(error),
        }
    }

    /// Reports a mistake at a token.
    pub(crate) fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.push(syn::Error::new(span, message));
    }

    /// All errors until now, as one.
    pub(crate) fn finish(&mut self) -> syn::Result<()> {
        self.0.take().map_or(Ok(()), Err)
    }
}

/// The path of `hooks_core`, if it is not `::hooks_core`: the user's `crate = path`, or its name in the user's
/// `Cargo.toml`.
///
/// If another crate re-exports it, only the user knows the path; the error then says `how` to give it.
pub(crate) fn core_path(given: Option<&Path>, how: &str) -> syn::Result<Option<TokenStream>> {
    if let Some(path) = given {
        return Ok(Some(quote!(#path)));
    }
    // This crate's own tests expand for a crate that has it, and this one has not: hooks-core would be built twice.
    let found = if cfg!(test) {
        Ok(FoundCrate::Itself)
    } else {
        crate_name("hooks-core")
    };
    match found {
        Ok(FoundCrate::Name(name)) if name != "hooks_core" => {
            let name = Ident::new(&name, Span::call_site());
            Ok(Some(quote!(::#name)))
        }
        Err(Error::CrateNotFound { .. }) => Err(syn::Error::new(
            Span::call_site(),
            format!(
                "`hooks-core` is not a dependency in this crate's `Cargo.toml`: add it, or name the crate that \
                 re-exports it, as `{how}`"
            ),
        )),
        // In hooks-core itself, `extern crate self` defines the name. Without a readable manifest, rustc checks the
        // name.
        Ok(_) | Err(_) => Ok(None),
    }
}

/// Parses tokens. If something is missing at the end, the error is at the last token, not at the whole macro call.
pub(crate) fn parsed<P: Parser>(parser: P, tokens: TokenStream) -> syn::Result<P::Output> {
    let last = tokens.clone().into_iter().last();
    parser.parse2(tokens).map_err(|error| match last {
        Some(last) if error.to_string().starts_with("unexpected end of input") => {
            syn::Error::new(last.span(), error)
        }
        _ => error,
    })
}

/// The span of a user's token, for generated code that the user's mistake can break: the compiler reports the mistake
/// there. Names resolve as in all other generated code, even if the token came through a `macro_rules!`.
pub(crate) fn at(span: Span) -> Span {
    span.resolved_at(Span::call_site())
}

/// Generated code with the path of `hooks_core` in the place of `::hooks_core`, which all of it is written with.
///
/// Each path has the span of what it replaces, so that a mistake is reported at the same place whatever the path is.
pub(crate) fn with_core(tokens: TokenStream, core: Option<&TokenStream>) -> TokenStream {
    let Some(path) = core else { return tokens };
    let mut written: Vec<TokenTree> = Vec::new();
    for mut token in tokens {
        if let TokenTree::Group(group) = &token {
            let mut inner = Group::new(group.delimiter(), with_core(group.stream(), core));
            inner.set_span(group.span());
            token = inner.into();
        }
        let is_core = matches!(&token, TokenTree::Ident(ident) if ident == "hooks_core")
            && matches!(written.as_slice(), [.., one, two] if is_colon(one) && is_colon(two));
        if is_core {
            written.truncate(written.len() - 2);
            written.extend(path.clone().into_iter().map(|mut part| {
                part.set_span(token.span());
                part
            }));
        } else {
            written.push(token);
        }
    }
    written.into_iter().collect()
}

fn is_colon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':')
}

/// Moves the user's tokens to the span that is to blame. Names resolve as before.
pub(crate) fn moved(tokens: &TokenStream, to: Span) -> TokenStream {
    map_spans(tokens, &|span| to.resolved_at(span))
}

fn map_spans(tokens: &TokenStream, of: &dyn Fn(Span) -> Span) -> TokenStream {
    let map = |mut token: TokenTree| {
        let span = of(token.span());
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), map_spans(&group.stream(), of)).into();
        }
        token.set_span(span);
        token
    };
    tokens.clone().into_iter().map(map).collect()
}

/// The word that is most like another, if one is.
pub(crate) fn nearest<'w>(word: &str, all: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let all = all.map(|known| (strsim::jaro_winkler(known, word), known));
    let (likeness, known) = all.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (likeness > 0.8).then_some(known)
}

/// Code as its user wrote it.
pub(crate) fn text(code: &impl ToTokens) -> String {
    code.to_token_stream().to_string().replace(' ', "")
}

/// Whether a type is one of Rust's own, as far as its name shows it.
pub(crate) fn is_of_rust(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.len() == 1
        && ["str", "String", "Vec", "Option", "Box"].iter().any(|name| path.path.segments[0].ident == name))
}

/// The name of an item as text, without `r#`.
pub(crate) fn text_of(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// Generated code, formatted for snapshots.
#[cfg(test)]
pub(crate) fn pretty(code: TokenStream) -> String {
    prettyplease::unparse(&syn::parse2(code).expect("generated code is Rust"))
}
