//! What the macros share: finding `hooks_core`, reading options, reporting errors.

use darling::FromMeta;
use darling::ast::NestedMeta;
use proc_macro_crate::{Error, FoundCrate, crate_name};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Meta, MetaNameValue, Path, Token, Type};

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

    pub(crate) fn finish(self) -> syn::Result<()> {
        self.0.map_or(Ok(()), Err)
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
    match crate_name("hooks-core") {
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

/// Reads a list of options. For each mistake, the error lists the allowed options.
pub(crate) fn options<T: FromMeta>(tokens: TokenStream, allowed: &str) -> syn::Result<T> {
    let written = parsed(list, tokens)?;
    T::from_list(&written).map_err(|error| {
        let mut errors = Errors::default();
        for error in error.flatten() {
            // The message of a `syn::Error` holds only the mistake; its span holds the location.
            let error = syn::Error::from(error);
            errors.at(error.span(), in_our_words(&error.to_string(), allowed));
        }
        errors.finish().expect_err("an error that is none")
    })
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

/// The options as written. A value may also be a type, such as `Vec<Receipt>`, which is not an expression.
fn list(input: ParseStream<'_>) -> syn::Result<Vec<NestedMeta>> {
    let mut options = Vec::new();
    while !input.is_empty() {
        options.push(match type_option(&input.fork()) {
            Ok(option) => {
                type_option(input)?;
                NestedMeta::Meta(Meta::NameValue(option))
            }
            Err(_) => input.parse()?,
        });
        if !input.is_empty() && !input.peek(Token![,]) {
            return Err(input.error("an option is written `key = value`, and then a comma"));
        }
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(options)
}

/// `key = Type`, up to the next option.
fn type_option(input: ParseStream<'_>) -> syn::Result<MetaNameValue> {
    let path = input.call(Path::parse_mod_style)?;
    let eq_token = input.parse()?;
    let ty: Type = input.parse()?;
    if !input.is_empty() && !input.peek(Token![,]) {
        return Err(input.error("more than a type"));
    }
    // A path stays an expression, for the options that take one.
    let value = syn::parse2(ty.to_token_stream()).unwrap_or(Expr::Verbatim(ty.to_token_stream()));
    Ok(MetaNameValue {
        path,
        eq_token,
        value,
    })
}

/// Rewrites darling's message in this project's words.
fn in_our_words(message: &str, allowed: &str) -> String {
    if let Some(rest) = message.strip_prefix("Unknown field: ") {
        let (option, hint) = rest.split_once(". ").unwrap_or((rest, ""));
        return match hint.strip_prefix("Did you mean ") {
            Some(nearest) => {
                let nearest = nearest.split('?').next().unwrap_or(nearest);
                format!(
                    "unknown option {option}: did you mean {nearest}? The options are {allowed}"
                )
            }
            None => format!("unknown option {option}: the options are {allowed}"),
        };
    }
    if let Some(rest) = message.strip_prefix("Duplicate field ") {
        return format!("the option {rest} is written twice: remove one");
    }
    if message.starts_with("Unexpected meta-item format") || message.starts_with("Unexpected type")
    {
        return format!("this option is written differently: the options are {allowed}");
    }
    if message.starts_with("Unexpected literal") {
        return format!("an option has a name: the options are {allowed}");
    }
    message.to_owned()
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

/// An option that stands alone: `key`.
pub(crate) fn flag(meta: &Meta) -> darling::Result<bool> {
    if matches!(meta, Meta::Path(_)) {
        return Ok(true);
    }
    let how = format!(
        "`{}` takes no value: write it alone, or leave it out",
        name_of(meta.path())
    );
    Err(darling::Error::custom(how).with_span(meta.path()))
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

/// A path as it was written.
pub(crate) fn name_of(path: &Path) -> String {
    path.segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect::<Vec<_>>()
        .join("::")
}

/// Code as its user wrote it.
pub(crate) fn text(code: &impl ToTokens) -> String {
    code.to_token_stream().to_string().replace(' ', "")
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
