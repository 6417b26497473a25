//! Globs, parsed when the macro expands: a mistake in one is a compile error, and a simple one becomes a comparison.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// A part of a glob.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
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
pub(crate) struct Glob(Vec<Part>);

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
    pub(crate) fn comparison(&self, text: &TokenStream, private: &TokenStream) -> TokenStream {
        use Part::{AnyText, Text};
        match self.0.as_slice() {
            [AnyText] => quote!(true),
            [Text(all)] => quote!(#text == #all),
            [Text(start), AnyText] => quote!(#text.starts_with(#start)),
            [AnyText, Text(end)] => quote!(#text.ends_with(#end)),
            [AnyText, Text(part), AnyText] => quote!(#text.contains(#part)),
            parts => {
                let tokens = parts.iter().map(|part| part.token(private));
                quote!(#private::matches(&[#(#tokens),*], #text))
            }
        }
    }
}

impl Part {
    fn token(&self, private: &TokenStream) -> TokenStream {
        match self {
            Part::Text(text) => quote!(#private::Token::Text(#text)),
            Part::AnyChar => quote!(#private::Token::AnyChar),
            Part::AnyText => quote!(#private::Token::AnyText),
            Part::Class { negated, ranges } => {
                let which = if *negated {
                    quote!(NoneOf)
                } else {
                    quote!(OneOf)
                };
                let ranges = ranges
                    .iter()
                    .map(|(a, z)| quote!((#a, #z)).into_token_stream());
                quote!(#private::Token::#which(&[#(#ranges),*]))
            }
        }
    }
}

/// Expands `{a,b}`: `x{a,b}y` becomes `xay` and `xby`.
fn alternatives(glob: &str) -> Result<Vec<String>, String> {
    let mut escaped = false;
    let mut open = None;
    for (at, c) in glob.char_indices() {
        match (c, open) {
            _ if escaped => escaped = false,
            ('\\', _) => escaped = true,
            ('{', None) => open = Some(at),
            ('{', Some(_)) => {
                return Err("`{` within `{…}`: write the alternatives side by side".into());
            }
            ('}', None) => return Err("`}` without `{`: write `\\}` for the character".into()),
            ('}', Some(start)) => {
                let (before, after) = (&glob[..start], &glob[at + 1..]);
                let mut all = Vec::new();
                for choice in glob[start + 1..at].split(',') {
                    all.extend(alternatives(&format!("{before}{choice}{after}"))?);
                }
                return Ok(all);
            }
            _ => {}
        }
    }
    match open {
        Some(_) => Err("`{` is not closed: write `{a,b}`, or `\\{` for the character".into()),
        None => Ok(vec![glob.to_owned()]),
    }
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

/// Parses `[a-z_]` or `[!a-z_]`, after its `[`.
fn class(chars: &mut std::str::Chars<'_>) -> Result<Part, String> {
    const UNCLOSED: &str = "`[` is not closed: write `[a-z]`, or `\\[` for the character";
    let negated = chars.clone().next() == Some('!');
    if negated {
        chars.next();
    }
    let mut ranges = Vec::new();
    loop {
        let first = match chars.next().ok_or(UNCLOSED)? {
            ']' if ranges.is_empty() => {
                return Err(
                    "`[]` holds no character: write `[a-z]`, or `\\[` for the character".into(),
                );
            }
            ']' => return Ok(Part::Class { negated, ranges }),
            '\\' => chars.next().ok_or(UNCLOSED)?,
            c => c,
        };
        let mut ahead = chars.clone();
        let is_range = ahead.next() == Some('-') && ahead.next().is_some_and(|c| c != ']');
        if !is_range {
            ranges.push((first, first));
            continue;
        }
        chars.next();
        let last = match chars.next().ok_or(UNCLOSED)? {
            '\\' => chars.next().ok_or(UNCLOSED)?,
            c => c,
        };
        if first > last {
            return Err(format!(
                "`{first}-{last}` is the wrong way round: write `{last}-{first}`"
            ));
        }
        ranges.push((first, last));
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
            .map(|glob| glob.comparison(&quote!(s), &quote!(p)).to_string());
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
    fn any_other_glob_becomes_a_constant() {
        assert_eq!(
            code("a*b[!x-z_]?"),
            "p :: matches (& [p :: Token :: Text (\"a\") , p :: Token :: AnyText , \
             p :: Token :: Text (\"b\") , p :: Token :: NoneOf (& [('x' , 'z') , ('_' , '_')]) , \
             p :: Token :: AnyChar] , s)"
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
        ] {
            let error = Glob::parse(glob).unwrap_err();
            assert!(error.contains(message), "{glob}: {error}");
        }
    }
}
