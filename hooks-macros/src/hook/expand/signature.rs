//! The user's signature, with its events checked once.
//!
//! `HookAction<Cart>` does not compile if `Cart` is not an event, and neither does anything in the body that uses it.
//! So the signature names the event in the same way as generated code does: see `types::event`.

use proc_macro2::Ident;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{
    FnArg, GenericArgument, Generics, Lifetime, PathArguments, PathSegment, Signature, Type,
    Visibility, parse_quote,
};

use super::types::{decides, is_event};
use crate::driver;
use crate::hook::parse::{Handled, HookFunction};
use crate::lifetimes::{self, AnyLifetime};

/// Checks the events in the types of a handler's signature. A public function keeps its signature for its docs.
pub(super) fn checked(
    handler: &mut HookFunction,
    block: &Generics,
    visibility: &Visibility,
    signature: &mut Signature,
) {
    if matches!(visibility, Visibility::Public(_)) {
        return;
    }
    let mut checked = SignatureCheck {
        handler,
        block,
        is_of_another: false,
    };
    checked.visit_return_type_mut(&mut signature.output);
    let is_of_another = checked.is_of_another;
    for input in &mut signature.inputs {
        if let FnArg::Typed(typed) = input {
            checked.visit_type_mut(&mut typed.ty);
        }
    }
    // Generated code is next to the aliases. An action on another event is usually a mistake.
    let said = handler.said.take().filter(|_| !is_of_another);
    handler.said = said.map(|mut said| {
        Aliased(&handler.event).visit_type_mut(&mut said);
        said
    });
}

/// Replaces the handler's own event by its alias.
struct Aliased<'a>(&'a Handled);

impl VisitMut for Aliased<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Handled::One {
            written, ty: named, ..
        } = self.0
            && written.for_static() == *ty
        {
            *ty = named.for_static();
        } else {
            syn::visit_mut::visit_type_mut(self, ty);
        }
    }
}

struct SignatureCheck<'a> {
    handler: &'a HookFunction,
    block: &'a Generics,
    /// Whether the signature names an event other than the handler's.
    is_of_another: bool,
}

impl SignatureCheck<'_> {
    /// The type, if it is the event.
    fn event(&mut self, of: &Ident, ty: &Type) -> Type {
        let named = AnyLifetime::new(ty.clone(), "event");
        let for_static = named.with(&Lifetime::new("'static", ty.span()));
        let is_own = matches!(&self.handler.event, Handled::One { written, .. }
            if written.for_static() == for_static);
        self.is_of_another |= !is_own;
        let is_so = if is_own && of != "Next" {
            decides(self.handler, &for_static)
        } else if is_own {
            is_event(self.handler, &for_static)
        } else {
            let span = ty.span();
            let ty = driver::moved(&for_static.to_token_stream(), span);
            if of == "Next" {
                quote_spanned!(span=> <#ty as ::hooks_core::HasWork>::IS_WRAPPED)
            } else {
                quote_spanned!(span=> <#ty as ::hooks_core::Event>::IS_EVENT)
            }
        };
        let checked = quote!(<#ty as ::hooks_core::__private::If<{ #is_so }>>::Event);
        parse_quote!(#checked)
    }
}

impl VisitMut for SignatureCheck<'_> {
    fn visit_path_segment_mut(&mut self, segment: &mut PathSegment) {
        syn::visit_mut::visit_path_segment_mut(self, segment);
        let of = segment.ident.clone();
        if !["HookAction", "HookResult", "Next"]
            .iter()
            .any(|name| of == name)
        {
            return;
        }
        if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments
            && let Some(GenericArgument::Type(ty)) = arguments.args.last_mut()
            && !matches!(ty, Type::Infer(_))
            && !lifetimes::is_generic(ty, self.block)
        {
            *ty = self.event(&of, ty);
        }
    }
}
