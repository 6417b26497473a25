//! Names that people gave, as pages show them.

use std::fmt;

use askama::filters::{Escaper as _, Html};
pub(super) use hooks_builtin::__Visible as Visible;

/// A name that cannot turn the text beside it: invisible characters are written out.
#[derive(Clone, Copy, Debug)]
pub(super) struct SafeName<'a>(pub(super) &'a str);

impl fmt::Display for SafeName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<bdi>")?;
        Html.write_escaped_str(&mut *f, &Visible(self.0).to_string())?;
        f.write_str("</bdi>")
    }
}

// The text is escaped above.
impl askama::filters::HtmlSafe for SafeName<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_element_and_turns_nothing() {
        let shown = SafeName("<b>\u{202e}txt\n").to_string();
        assert_eq!(shown, r"<bdi>&#60;b&#62;\u{202e}txt\n</bdi>");
    }
}
