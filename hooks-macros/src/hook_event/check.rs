//! Checks a vocabulary. Reports mistakes at the user's own token, with what to write instead.

use std::collections::HashMap;

use quote::ToTokens;
use syn::DeriveInput;
use syn::spanned::Spanned;

use super::parse::EventEnum;
use crate::driver::Errors;

/// How many events a vocabulary may have: a slot has two hexadecimal digits.
const MOST: usize = 256;

/// Checks the events against each other, and leaves out those that cannot stand beside the others.
pub(super) fn vocabulary(item: &DeriveInput, vocabulary: &mut EventEnum, errors: &mut Errors) {
    let mut attrs = item.attrs.iter();
    let is_second = |attr: &&syn::Attribute| attr.path().is_ident("events");
    if let Some(second) = attrs.by_ref().filter(is_second).nth(1) {
        errors.at(
            second.path().span(),
            "`#[events(…)]` is written twice: write its options in one",
        );
    }
    if let Some(last) = vocabulary.events.get(MOST) {
        errors.at(
            last.variant.span(),
            format!("a vocabulary has at most {MOST} events, and this is one more: put those of another subject into a vocabulary of their own"),
        );
        vocabulary.events.truncate(MOST);
    }
    let mut payloads = HashMap::new();
    vocabulary.events.retain(|event| {
        let payload = event.payload.for_static().to_token_stream().to_string();
        if let Some(first) = payloads.get(&payload) {
            errors.at(
                event.payload.ty.span(),
                format!(
                    "`{first}` has this payload already: the payload tells which event it is, so each \
                     has a type of its own"
                ),
            );
            return false;
        }
        payloads.insert(payload, event.variant.clone());
        let is_taken = event.variant == "Continue" || event.variant == "Cancel";
        if is_taken {
            errors.at(
                event.variant.span(),
                format!(
                    "what a hook on every event says is `{}` already: name the event otherwise",
                    event.variant
                ),
            );
        }
        !is_taken
    });
}
