//! A priority as a type, for `hooks_core` to compare.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Lit, UnOp};

use crate::driver::Errors;

/// The type of the priority in the constant `__PRIORITY`, whose value is `expr`, by the path of `hooks_core::__private`.
///
/// A small number is written as its digits. For any other expression, rustc evaluates each digit as a constant, and
/// there are twice as many to compare.
///
/// The constants have the span of the user's expression: see `hook::expand`.
pub(crate) fn of(core: &TokenStream, expr: &Expr) -> TokenStream {
    let span = expr.span();
    let Some(number @ -0x1000..=0xFFF) = literal(expr) else {
        let places = (0..8_u32).rev();
        return quote_spanned! {span=>
            #core::Digits<
                #(#core::Nibble<{ #core::nibble(__PRIORITY, #places) }>),*
            >
        };
    };
    let first = if number < 0 { 7 } else { 8 };
    let digits = [first, number >> 8 & 0xF, number >> 4 & 0xF, number & 0xF];
    let digits = digits.map(Literal::i32_unsuffixed);
    quote!(#core::Few<#(#core::Nibble<#digits>),*>)
}

/// Checks a priority as far as its tokens show it.
pub(crate) fn check(priority: &Expr, errors: &mut Errors) {
    let is_wrong = match priority {
        Expr::Lit(lit) => !matches!(lit.lit, Lit::Int(_)),
        other => is_variable(other),
    };
    if is_wrong {
        errors.at(
            priority.span(),
            "a priority is a whole number, known when the program is compiled: write `50`, or a constant as \
             `priority::HIGH`",
        );
    }
}

/// Whether an expression is a name with a small letter, which a constant does not have.
pub(crate) fn is_variable(expr: &Expr) -> bool {
    let Expr::Path(path) = expr else { return false };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident.to_string().contains(char::is_lowercase))
}

/// The value of the expression, if it is a literal.
fn literal(expr: &Expr) -> Option<i32> {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(int) if matches!(int.suffix(), "" | "i32") => int.base10_parse().ok(),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            literal(&unary.expr)?.checked_neg()
        }
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_written_as_digits() {
        let written = |expr: &str| {
            let expr = syn::parse_str(expr).unwrap();
            of(&quote!(core), &expr).to_string().replace(' ', "")
        };
        assert_eq!(
            written("0"),
            "core::Few<core::Nibble<8>,core::Nibble<0>,core::Nibble<0>,core::Nibble<0>>"
        );
        assert_eq!(
            written("0xABC"),
            "core::Few<core::Nibble<8>,core::Nibble<10>,core::Nibble<11>,core::Nibble<12>>"
        );
        assert_eq!(
            written("-1_i32"),
            "core::Few<core::Nibble<7>,core::Nibble<15>,core::Nibble<15>,core::Nibble<15>>"
        );
        assert_eq!(
            written("-4096"),
            "core::Few<core::Nibble<7>,core::Nibble<0>,core::Nibble<0>,core::Nibble<0>>"
        );
        for other in [
            "4096",
            "-4097",
            "1u8",
            "1 + 1",
            "FIRST",
            "'a'",
            "9999999999",
        ] {
            let start = "core::Digits<";
            assert!(written(other).starts_with(start), "{other}");
        }
    }
}
