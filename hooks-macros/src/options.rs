//! Reads the options of an attribute: `key`, `key = value` and `key(list)`.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Path, Token, Type, parenthesized, token};

use crate::driver::{Errors, nearest, text_of};

/// The options of an attribute, and what to say of others.
pub(crate) struct AttributeOptions {
    /// Each option as it is written: `guard`, `priority = 50`, `respond = Type` or `only("shell")`.
    pub(crate) examples: &'static [&'static str],
    /// What a message says after the list of them.
    pub(crate) rest: &'static str,
    /// What to write instead of a word that is not an option, or, for no word, instead of something else.
    pub(crate) instead: fn(&str) -> Option<&'static str>,
}

/// The options that are written.
pub(crate) struct Options<'e> {
    written: Vec<(Ident, OptionValue)>,
    pub(crate) errors: &'e mut Errors,
}

enum OptionValue {
    None,
    Expr(Expr),
    Type(Type),
    List(TokenStream),
}

impl<'e> Options<'e> {
    /// Reads options. A mistake in one is reported, and the next is read.
    pub(crate) fn read(
        tokens: TokenStream,
        known: &AttributeOptions,
        errors: &'e mut Errors,
    ) -> Self {
        let mut written: Vec<(Ident, OptionValue)> = Vec::new();
        let read = |input: ParseStream<'_>| {
            while !input.is_empty() {
                match known.option(input) {
                    Ok((key, _)) if written.iter().any(|(other, _)| *other == key) => {
                        let message = format!("the option `{key}` is written twice: remove one");
                        errors.at(key.span(), message);
                    }
                    Ok(option) => written.push(option),
                    Err(error) => errors.push(error),
                }
                while !input.is_empty() && !input.peek(Token![,]) {
                    input.parse::<TokenTree>()?;
                }
                input.parse::<Option<Token![,]>>()?;
            }
            Ok(())
        };
        if let Err(error) = Parser::parse2(read, tokens) {
            errors.push(error);
        }
        Options { written, errors }
    }

    fn take(&mut self, key: &str) -> Option<(Span, OptionValue)> {
        let nth = self.written.iter().position(|(other, _)| other == key)?;
        let (key, value) = self.written.swap_remove(nth);
        Some((key.span(), value))
    }

    /// An option without a value: where.
    pub(crate) fn flag(&mut self, key: &str) -> Option<Span> {
        self.take(key).map(|(span, _)| span)
    }

    /// `key = expr`, and where the key is.
    pub(crate) fn expr(&mut self, key: &str) -> Option<(Span, Expr)> {
        match self.take(key)? {
            (span, OptionValue::Expr(expr)) => Some((span, expr)),
            _ => None,
        }
    }

    /// `key = Type`
    pub(crate) fn ty(&mut self, key: &str) -> Option<Type> {
        match self.take(key)?.1 {
            OptionValue::Type(ty) => Some(ty),
            _ => None,
        }
    }

    /// `key = some::path`
    pub(crate) fn path(&mut self, key: &str) -> Option<Path> {
        match self.expr(key)?.1 {
            Expr::Path(path) if path.qself.is_none() => Some(path.path),
            other => {
                let message = format!("`{key}` takes a path: write `{key} = some::path`");
                self.errors.push(syn::Error::new_spanned(other, message));
                None
            }
        }
    }

    /// `key(list)`, and where the key is.
    pub(crate) fn list(&mut self, key: &str) -> Option<(Span, TokenStream)> {
        match self.take(key)? {
            (span, OptionValue::List(list)) => Some((span, list)),
            _ => None,
        }
    }
}

impl AttributeOptions {
    /// Reads one option.
    fn option(&self, input: ParseStream<'_>) -> syn::Result<(Ident, OptionValue)> {
        let Ok(key) = input.call(Ident::parse_any) else {
            let how = (self.instead)("").map_or_else(|| self.all(), str::to_owned);
            return Err(input.error(format!("an option has a name: {how}")));
        };
        let wrong = |message: String| Err(syn::Error::new(key.span(), message));
        let name = text_of(&key);
        let Some(example) = self.examples.iter().find(|known| name_in(known) == name) else {
            return wrong(self.unknown(&name));
        };
        let form = &example[name.len()..];
        let is_at_end = |input: ParseStream<'_>| input.is_empty() || input.peek(Token![,]);
        let has_value = input.parse::<Option<Token![=]>>()?.is_some() && !is_at_end(input);
        let value = match form {
            "" if !has_value && is_at_end(input) => OptionValue::None,
            "" => {
                return wrong(format!(
                    "`{name}` takes no value: write it alone, or leave it out"
                ));
            }
            " = Type" if has_value => {
                let wrong = input.error(format!("`{name}` takes a type: write `{example}`"));
                OptionValue::Type(input.parse().map_err(|_| wrong)?)
            }
            form if has_value && form.starts_with(" =") => OptionValue::Expr(input.parse()?),
            form if !has_value && form.starts_with('(') && input.peek(token::Paren) => {
                let list;
                parenthesized!(list in input);
                OptionValue::List(list.parse()?)
            }
            _ => return wrong(format!("`{name}` is written `{example}`")),
        };
        if !is_at_end(input) {
            return Err(input.error("expected `,` before the next option"));
        }
        Ok((key, value))
    }

    fn unknown(&self, name: &str) -> String {
        if let Some(instead) = (self.instead)(name) {
            return format!("unknown option `{name}`: {instead}");
        }
        let all = self.all();
        match nearest(name, self.examples.iter().map(|example| name_in(example))) {
            Some(known) => format!(
                "unknown option `{name}`: did you mean `{known}`? T{}",
                &all[1..]
            ),
            None => format!("unknown option `{name}`: {all}"),
        }
    }

    /// The list of all options.
    pub(crate) fn all(&self) -> String {
        let names = self.examples.iter().map(|example| match name_in(example) {
            name if example[name.len()..].starts_with('(') => format!("`{name}(…)`"),
            name => format!("`{name}`"),
        });
        let names: Vec<_> = names.collect();
        match &names[..] {
            [names @ .., last] if !names.is_empty() => {
                format!(
                    "the options are {} and {last}{}",
                    names.join(", "),
                    self.rest
                )
            }
            names => format!("the option is {}{}", names.concat(), self.rest),
        }
    }
}

/// The name of the option in an example.
fn name_in(example: &'static str) -> &'static str {
    let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    example
        .split(|letter| !is_of_name(letter))
        .next()
        .unwrap_or(example)
}
