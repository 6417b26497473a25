//! Checks a list for mistakes that its tokens show.

use std::collections::HashSet;

use syn::Expr;
use syn::spanned::Spanned;

use super::parse::HookList;
use crate::driver::{Errors, text};
use crate::rank;

/// A position is two hexadecimal digits.
const MOST: usize = 256;

pub(super) fn list(list: &HookList) -> syn::Result<()> {
    let mut errors = Errors::default();
    if let Some(item) = list.items.get(MOST) {
        errors.at(
            item.hook.span(),
            format!(
                "a list holds at most {MOST} hooks: write some of them as a list with one place, \
                 `hooks![…] @ 10`"
            ),
        );
    }
    let mut names = HashSet::new();
    for item in &list.items {
        match &item.hook {
            Expr::Closure(closure) => errors.at(
                closure.span(),
                "a closure becomes a hook with `intercept_fn::<Event, _>(|cx, event| …)` or \
                 `observe_fn::<Event, _>(|cx, event| …)`",
            ),
            Expr::Assign(assign) => errors.at(
                assign.eq_token.span,
                "a priority in a list is written `hook @ 10`",
            ),
            _ => {}
        }
        if let Some(priority) = &item.priority {
            rank::check(priority, &mut errors);
        }
        for attr in &item.attrs {
            if !attr.path().is_ident("cfg") {
                errors.at(
                    attr.path().span(),
                    "only `#[cfg(…)]` may stand before a hook in a list",
                );
            }
        }
        // A call makes a new hook each time, but a name is always the same one.
        if let Some(path) = item.path() {
            let name = text(path);
            if !names.insert(name.clone()) {
                errors.at(
                    path.span(),
                    format!(
                        "`{name}` is written twice in this list, and would run twice: remove one"
                    ),
                );
            }
        }
    }
    errors.finish()
}
