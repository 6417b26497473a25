//! Globs, parsed when the macro expands: a mistake in one is a compile error, and a simple one becomes a comparison.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// A part of a glob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Text(String),
    AnyChar,
    AnyText,
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

/// One glob without alternatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glob(pub(crate) Vec<Part>);

impl Glob {
    /// Parses a glob; `{a,b}` yields several.
    ///
    /// # Errors
    ///
    /// If the glob is wrong. The error says why, and what to write instead.
    pub(crate) fn parse(glob: &str) -> Result<Vec<Glob>, String> {
        if glob.is_empty() {
            return Err("an empty glob matches nothing: write `*` for everything".into());
        }
        alternatives(glob)?.iter().map(|one| parts(one)).collect()
    }

    /// An expression for whether `text` matches.
    pub(crate) fn comparison(&self, text: &TokenStream) -> TokenStream {
        use Part::{AnyText, Text};
        match self.0.as_slice() {
            [AnyText] => quote!(true),
            [Text(all)] => quote!(#text == #all),
            [Text(start), AnyText] => quote!(#text.starts_with(#start)),
            [AnyText, Text(end)] => quote!(#text.ends_with(#end)),
            [AnyText, Text(part), AnyText] => quote!(#text.contains(#part)),
            parts => {
                let tokens = parts.iter().map(Part::token);
                quote!(::hooks_core::__private::matches(&[#(#tokens),*], #text))
            }
        }
    }
}

impl Part {
    fn token(&self) -> TokenStream {
        match self {
            Part::Text(text) => quote!(::hooks_core::__private::Token::Text(#text)),
            Part::AnyChar => quote!(::hooks_core::__private::Token::AnyChar),
            Part::AnyText => quote!(::hooks_core::__private::Token::AnyText),
            Part::Class { negated, ranges } => {
                let which = if *negated {
                    quote!(NoneOf)
                } else {
                    quote!(OneOf)
                };
                let ranges = ranges
                    .iter()
                    .map(|(a, z)| quote!((#a, #z)).into_token_stream());
                quote!(::hooks_core::__private::Token::#which(&[#(#ranges),*]))
            }
        }
    }
}

/// Expands `{a,b}`: `x{a,b}y` becomes `xay` and `xby`.
fn alternatives(glob: &str) -> Result<Vec<String>, String> {
    // Where each choice of the open `{` begins.
    let mut choices = Vec::new();
    let mut chars = glob.chars();
    while let Some(c) = chars.next() {
        let next = glob.len() - chars.as_str().len();
        match c {
            '\\' => drop(chars.next()),
            '[' => drop(class(&mut chars)?),
            '{' if choices.is_empty() => choices.push(next),
            '{' => return Err("`{` within `{…}`: write the alternatives side by side".into()),
            ',' if !choices.is_empty() => choices.push(next),
            '}' if choices.is_empty() => {
                return Err("`}` without `{`: write `\\}` for the character".into());
            }
            '}' => {
                let (before, after) = (&glob[..choices[0] - 1], &glob[next..]);
                choices.push(next);
                let mut all = Vec::new();
                for [start, next] in choices.array_windows() {
                    let choice = &glob[*start..next - 1];
                    all.extend(alternatives(&format!("{before}{choice}{after}"))?);
                }
                return Ok(all);
            }
            _ => {}
        }
    }
    if choices.is_empty() {
        return Ok(vec![glob.to_owned()]);
    }
    Err("`{` is not closed: write `{a,b}`, or `\\{` for the character".into())
}

fn parts(glob: &str) -> Result<Glob, String> {
    let mut parts = Vec::new();
    let mut chars = glob.chars();
    let text = |parts: &mut Vec<Part>, c| match parts.last_mut() {
        Some(Part::Text(text)) => text.push(c),
        _ => parts.push(Part::Text(c.into())),
    };
    while let Some(c) = chars.next() {
        match c {
            '*' if parts.last() == Some(&Part::AnyText) => {
                return Err("`**` says no more than `*`: write `*`".into());
            }
            '*' => parts.push(Part::AnyText),
            '?' => parts.push(Part::AnyChar),
            '[' => parts.push(class(&mut chars)?),
            ']' => return Err("`]` without `[`: write `\\]` for the character".into()),
            '\\' => match chars.next() {
                Some(c) => text(&mut parts, c),
                None => return Err("`\\` at the end: write `\\\\` for the character".into()),
            },
            c => text(&mut parts, c),
        }
    }
    Ok(Glob(parts))
}

/// Parses `[a-z_]` or `[!a-z_]`, after its `[`. What the globs of configurations read in another way is an error.
fn class(chars: &mut std::str::Chars<'_>) -> Result<Part, String> {
    const UNCLOSED: &str = "`[` is not closed: write `[a-z]`, or `\\[` for the character";
    let negated = chars.clone().next() == Some('!');
    if negated {
        chars.next();
    } else if chars.clone().next() == Some('^') {
        return Err("`[^…]` is not supported: write `[!…]`".into());
    }
    let mut ranges = Vec::new();
    let mut is_after_range = false;
    loop {
        let first = match member(chars, UNCLOSED)? {
            ']' if ranges.is_empty() => {
                return Err(
                    "`[]` holds no character: write `[a-z]`, or `\\[` for the character".into(),
                );
            }
            ']' => return Ok(Part::Class { negated, ranges }),
            c => c,
        };
        let mut ahead = chars.clone();
        if is_after_range && first == '-' && ahead.next() != Some(']') {
            return Err("a `-` after a range: write it at the end, as in `[a-z-]`".into());
        }
        let mut ahead = chars.clone();
        is_after_range = ahead.next() == Some('-') && ahead.next().is_some_and(|c| c != ']');
        if !is_after_range {
            ranges.push((first, first));
            continue;
        }
        chars.next();
        let last = member(chars, UNCLOSED)?;
        if first > last {
            return Err(format!(
                "`{first}-{last}` is the wrong way round: write `{last}-{first}`"
            ));
        }
        ranges.push((first, last));
    }
}

/// The next character of a class.
fn member(chars: &mut std::str::Chars<'_>, unclosed: &str) -> Result<char, String> {
    match chars.next() {
        Some('\\') => Err("`\\` within `[…]`: write `{a,\\]}` for one of some characters".into()),
        Some(c) => Ok(c),
        None => Err(unclosed.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;
    use quote::quote;

    fn code(glob: &str) -> String {
        let globs = Glob::parse(glob).unwrap();
        let all = globs
            .iter()
            .map(|glob| glob.comparison(&quote!(s)).to_string());
        all.collect::<Vec<_>>().join(" || ")
    }

    #[test]
    fn a_simple_glob_becomes_a_comparison() {
        assert_eq!(code("shell"), r#"s == "shell""#);
        assert_eq!(code("mcp__*"), r#"s . starts_with ("mcp__")"#);
        assert_eq!(code("*_file"), r#"s . ends_with ("_file")"#);
        assert_eq!(code("*edit*"), r#"s . contains ("edit")"#);
        assert_eq!(code("*"), "true");
        assert_eq!(code(r"a\*b"), r#"s == "a*b""#);
        assert_eq!(
            code("{read,write}_file"),
            r#"s == "read_file" || s == "write_file""#
        );
    }

    #[test]
    fn a_mark_in_a_class_or_behind_a_backslash_is_a_character() {
        let class = |glob: &str| code(glob).contains("OneOf");
        assert!(class("[{,}]") && class("[a,b]{c,d}") && class("{[,],x}"));
        assert_eq!(code(r"{a\,b,c}"), r#"s == "a,b" || s == "c""#);
        assert_eq!(code("file{,_read}"), r#"s == "file" || s == "file_read""#);
    }

    #[test]
    fn any_other_glob_becomes_a_constant() {
        assert_eq!(
            code("a*b[!x-z_]?"),
            ":: hooks_core :: __private :: matches (& [:: hooks_core :: __private :: Token :: Text (\"a\") , :: hooks_core :: __private :: Token :: AnyText , \
             :: hooks_core :: __private :: Token :: Text (\"b\") , :: hooks_core :: __private :: Token :: NoneOf (& [('x' , 'z') , ('_' , '_')]) , \
             :: hooks_core :: __private :: Token :: AnyChar] , s)"
        );
    }

    #[test]
    fn a_malformed_glob_says_what_to_write() {
        for (glob, message) in [
            ("", "an empty glob"),
            ("a[b", "`[` is not closed"),
            ("a[]", "`[]` holds no character"),
            ("a]", "`]` without `[`"),
            ("a{b", "`{` is not closed"),
            ("a}", "`}` without `{`"),
            ("{a,{b}}", "`{` within"),
            ("[z-a]", "the wrong way round: write `a-z`"),
            ("a\\", "`\\` at the end"),
            ("a**", "`**` says no more"),
            ("[^a]", "write `[!…]`"),
            ("[a\\]]", "`\\` within `[…]`"),
            ("[a-b-c]", "a `-` after a range"),
        ] {
            let error = Glob::parse(glob).unwrap_err();
            assert!(error.contains(message), "{glob}: {error}");
        }
    }
}
