//! Checks a vocabulary. Reports mistakes at the user's own token, with what to write instead.

use std::collections::HashMap;

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, GenericParam, Type, Variant};

use super::parse::Event;
use crate::driver::Errors;

pub(super) fn not_an_enum(item: &DeriveInput) -> syn::Error {
    let at = match &item.data {
        Data::Struct(data) => data.struct_token.span,
        Data::Union(data) => data.union_token.span,
        Data::Enum(data) => data.enum_token.span,
    };
    syn::Error::new(
        at,
        "a vocabulary is an enum with a variant for each event: write \
         `enum MyEvent<'a> { #[observe] Done(&'a Done) }`; the payloads are structs, and derive nothing \
         of ours",
    )
}

pub(super) fn no_variants(item: &DeriveInput, errors: &mut Errors) {
    errors.at(
        item.ident.span(),
        "a vocabulary has at least one event: write a variant, as `#[observe] Done(&'a Done)`",
    );
}

/// An enum without its one lifetime cannot be right, so nothing else is reported.
pub(super) fn generics(item: &DeriveInput) -> syn::Result<()> {
    let parameters = &item.generics.params;
    let at = match parameters.first() {
        Some(GenericParam::Lifetime(_)) if parameters.len() == 1 => return Ok(()),
        // Without variants there is nothing to borrow; `no_variants` reports that.
        None if matches!(&item.data, Data::Enum(data) if data.variants.is_empty()) => return Ok(()),
        None => item.ident.span(),
        Some(_) => parameters.span(),
    };
    let name = &item.ident;
    Err(syn::Error::new(
        at,
        format!(
            "a vocabulary borrows its payloads for one lifetime, and has no other parameter: write \
             `enum {name}<'a>`"
        ),
    ))
}

pub(super) fn events_twice(second: &Attribute, errors: &mut Errors) {
    errors.at(
        second.path().span(),
        "`#[events(…)]` stands twice: write its options in one",
    );
}

pub(super) fn not_one_kind<'a>(
    variant: &Variant,
    mut kinds: impl Iterator<Item = &'a Attribute>,
    errors: &mut Errors,
) {
    match kinds.nth(1) {
        Some(second) => errors.at(
            second.path().span(),
            "an event has one kind: `#[observe]`, or `#[intercept]`, once",
        ),
        None => errors.at(
            variant.ident.span(),
            "an event has a kind: write `#[observe]` before it if hooks only look, or `#[intercept]` if \
             they may change or stop it",
        ),
    }
}

pub(super) fn not_one_payload(variant: &Variant, errors: &mut Errors) {
    let name = &variant.ident;
    errors.at(
        name.span(),
        format!("an event has one payload, by reference: write `{name}(&'a {name})`, with its data in `struct {name}`"),
    );
}

/// The payload's type, without its `&'a`.
pub(super) fn payload<'t>(ty: &'t Type, errors: &mut Errors) -> Option<&'t Type> {
    match ty {
        Type::Group(group) => payload(&group.elem, errors),
        Type::Reference(reference) if reference.mutability.is_none() => {
            named(&reference.elem, errors)
        }
        Type::Reference(reference) => {
            errors.at(
                reference.mutability.span(),
                "the enum is a view of the event, so it borrows its payload by `&`: hooks change it \
                 through the dispatch",
            );
            None
        }
        other => {
            let ty = other.to_token_stream().to_string().replace(' ', "");
            errors.at(
                other.span(),
                format!("an event's payload is borrowed, so that nothing is moved or cloned to raise it: write `&'a {ty}`"),
            );
            None
        }
    }
}

/// The borrowed type, which must be usable as the event of only one vocabulary.
fn named<'t>(ty: &'t Type, errors: &mut Errors) -> Option<&'t Type> {
    let is_text = matches!(ty, Type::Path(path) if path.path.is_ident("str"));
    match ty {
        Type::Group(group) => named(&group.elem, errors),
        Type::Path(_) | Type::Macro(_) if !is_text => Some(ty),
        other => {
            errors.at(
                other.span(),
                "an event's payload is a struct or an enum of this crate, as its type tells which event it \
                 is: write `struct Done<'a> { text: &'a str }`, and `&'a Done<'a>` here",
            );
            None
        }
    }
}

/// Checks the events against each other.
pub(super) fn events(events: &[Event], errors: &mut Errors) {
    let mut payloads = HashMap::new();
    let mut methods = HashMap::new();
    for event in events {
        let payload = event.payload.for_static().to_token_stream().to_string();
        if let Some(first) = payloads.insert(payload, &event.variant) {
            errors.at(
                event.payload.ty.span(),
                format!(
                    "`{first}` has this payload already: the payload tells which event it is, so each \
                     has a type of its own"
                ),
            );
        }
        let method = &event.method;
        if let Some(first) = methods.insert(method.to_string(), &event.variant) {
            errors.at(
                event.variant.span(),
                format!(
                    "the handler trait would have two methods `{method}`, since `{first}` has one \
                     already: name the event otherwise"
                ),
            );
        }
        if event.variant == "Continue" || event.variant == "Cancel" {
            errors.at(
                event.variant.span(),
                format!(
                    "what a hook on every event says is `{}` already: name the event otherwise",
                    event.variant
                ),
            );
        }
        for taken in [
            "name",
            "priority",
            "events",
            "wraps_around",
            "decided",
            "listens",
            "registry",
            "listen",
            "told",
            "handle_any",
        ] {
            if event.method == taken {
                reserved(event.variant.span(), taken, errors);
            }
        }
    }
}

fn reserved(at: Span, name: &str, errors: &mut Errors) {
    errors.at(
        at,
        format!("the handler trait has a method `{name}()` of its own: name the event otherwise"),
    );
}
