//! Writes a glob into the code: a simple one as a comparison, any other as constant tokens.

use hooks_glob::{Glob, Token};
use proc_macro2::TokenStream;
use quote::quote;

/// An expression for whether `text` matches.
pub(crate) fn comparison(glob: &Glob, text: &TokenStream) -> TokenStream {
    let alternatives = glob.alternatives().iter();
    let alternatives = alternatives.map(|tokens| alternative(tokens, text));
    quote!(#(#alternatives)||*)
}

fn alternative(tokens: &[Token], text: &TokenStream) -> TokenStream {
    use Token::{AnyText, Text};
    match tokens {
        [AnyText] => quote!(true),
        [Text(all)] => quote!(#text == #all),
        [Text(start), AnyText] => quote!(#text.starts_with(#start)),
        [AnyText, Text(end)] => quote!(#text.ends_with(#end)),
        [AnyText, Text(part), AnyText] => quote!(#text.contains(#part)),
        tokens => {
            let tokens = tokens.iter().map(constant);
            quote!(::hooks_core::__private::matches(const { &[#(#tokens),*] }, #text))
        }
    }
}

fn constant(token: &Token) -> TokenStream {
    let token = match token {
        Token::Text(text) => quote!(text(#text)),
        Token::AnyChar => quote!(AnyChar),
        Token::AnyText => quote!(AnyText),
        Token::Class { negated, ranges } => {
            let ranges = ranges.iter().map(|(a, z)| quote!((#a, #z)));
            quote!(class(#negated, &[#(#ranges),*]))
        }
    };
    quote!(::hooks_core::__private::Token::#token)
}

#[cfg(test)]
mod tests {
    use hooks_glob::Glob;
    use quote::quote;

    fn code(glob: &str) -> String {
        super::comparison(&Glob::new(glob).unwrap(), &quote!(s)).to_string()
    }

    #[test]
    fn a_simple_glob_becomes_a_comparison() {
        assert_eq!(code("shell"), r#"s == "shell""#);
        assert_eq!(code("mcp__*"), r#"s . starts_with ("mcp__")"#);
        assert_eq!(code("*_file"), r#"s . ends_with ("_file")"#);
        assert_eq!(code("*edit*"), r#"s . contains ("edit")"#);
        assert_eq!(code("**"), "true");
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
            ":: hooks_core :: __private :: matches (const { & [:: hooks_core :: __private :: Token :: text (\"a\") , :: hooks_core :: __private :: Token :: AnyText , \
             :: hooks_core :: __private :: Token :: text (\"b\") , :: hooks_core :: __private :: Token :: class (true , & [('x' , 'z') , ('_' , '_')]) , \
             :: hooks_core :: __private :: Token :: AnyChar] } , s)"
        );
    }
}
