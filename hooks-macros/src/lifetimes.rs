//! An event's type, for any lifetime.
//!
//! A user writes `ToolCallEnd<'_>`, or names a lifetime of the function. An `impl` must declare the lifetime, and the
//! type of a hook's answers must have none. So this module renames each lifetime in the type once. After that it can
//! be written by name, or as `'static`, as the place requires.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{
    FnArg, GenericParam, Generics, Lifetime, LifetimeParam, ReturnType, Signature, Type,
    TypeReference, parse_quote,
};

/// A type with its lifetimes, each of which stands for any lifetime.
#[derive(Clone)]
pub(crate) struct AnyLifetime {
    /// The type, with its lifetimes renamed.
    pub(crate) ty: Type,
    /// The renamed lifetimes, in order.
    pub(crate) lifetimes: Vec<Lifetime>,
    /// A literal `'static` in it.
    pub(crate) fixed: Option<Lifetime>,
}

impl AnyLifetime {
    /// Renames the lifetimes of `ty` to `'{prefix}`, `'{prefix}1`, ….
    pub(crate) fn new(mut ty: Type, prefix: &str) -> Self {
        let mut rename = Rename {
            prefix,
            lifetimes: Vec::new(),
            fixed: None,
        };
        rename.visit_type_mut(&mut ty);
        AnyLifetime {
            ty,
            lifetimes: rename.lifetimes,
            fixed: rename.fixed,
        }
    }

    /// The type with `lifetime` for all its lifetimes.
    pub(crate) fn with(&self, lifetime: &Lifetime) -> Type {
        let mut ty = self.ty.clone();
        let mut replace = Replace {
            lifetimes: &self.lifetimes,
            with: lifetime,
        };
        replace.visit_type_mut(&mut ty);
        ty
    }

    /// The same lifetimes on an alias of this type.
    pub(crate) fn named(&self, alias: &Ident) -> AnyLifetime {
        let lifetimes = &self.lifetimes;
        let span = alias.span();
        let parameters = (!lifetimes.is_empty()).then(|| quote_spanned!(span=> <#(#lifetimes),*>));
        AnyLifetime {
            ty: parse_quote!(#alias #parameters),
            lifetimes: lifetimes.clone(),
            fixed: None,
        }
    }

    /// The type with `'static` for all its lifetimes.
    pub(crate) fn for_static(&self) -> Type {
        self.with(&Lifetime::new("'static", self.ty.span()))
    }
}

struct Rename<'p> {
    prefix: &'p str,
    lifetimes: Vec<Lifetime>,
    fixed: Option<Lifetime>,
}

impl VisitMut for Rename<'_> {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "static" {
            self.fixed.get_or_insert_with(|| lifetime.clone());
            return;
        }
        let name = match self.lifetimes.len() {
            0 => format!("'{}", self.prefix),
            nth => format!("'{}{nth}", self.prefix),
        };
        *lifetime = Lifetime::new(&name, lifetime.span());
        self.lifetimes.push(lifetime.clone());
    }

    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        let elided = || Lifetime::new("'_", reference.and_token.span);
        reference.lifetime.get_or_insert_with(elided);
        syn::visit_mut::visit_type_reference_mut(self, reference);
    }
}

struct Replace<'l> {
    lifetimes: &'l [Lifetime],
    with: &'l Lifetime,
}

impl VisitMut for Replace<'_> {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if self.lifetimes.contains(lifetime) {
            *lifetime = self.with.clone();
        }
    }
}

/// Names the elided lifetimes of a hook's event if the function returns the same type, as in
/// `fn approve(call: &ApproveToolCall<'_>) -> HookAction<ApproveToolCall<'_>>`. rustc cannot elide the lifetime
/// there, because the reference to the event has one as well, but only the event's can be meant.
pub(crate) fn name_returned(signature: &mut Signature) {
    struct Named<'l>(&'l str, Vec<Lifetime>);

    impl VisitMut for Named<'_> {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            if lifetime.ident == "_" {
                let name = format!("'{}{}", self.0, self.1.len());
                *lifetime = Lifetime::new(&name, lifetime.span());
                self.1.push(lifetime.clone());
            }
        }
    }

    struct Swap<'t> {
        written: &'t Type,
        named: &'t Type,
        found: bool,
    }

    impl VisitMut for Swap<'_> {
        fn visit_type_mut(&mut self, ty: &mut Type) {
            if ty == self.written {
                *ty = self.named.clone();
                self.found = true;
            } else {
                syn::visit_mut::visit_type_mut(self, ty);
            }
        }
    }

    let prefix = free_prefix(&signature.generics, "event");
    let Some(FnArg::Typed(event)) = signature.inputs.last_mut() else {
        return;
    };
    let (Type::Reference(reference), ReturnType::Type(_, returned)) =
        (event.ty.as_mut(), &mut signature.output)
    else {
        return;
    };
    let written = (*reference.elem).clone();
    let mut named = written.clone();
    let mut lifetimes = Named(prefix, Vec::new());
    lifetimes.visit_type_mut(&mut named);
    let mut swap = Swap {
        written: &written,
        named: &named,
        found: false,
    };
    swap.visit_type_mut(returned);
    if !swap.found {
        return;
    }
    *reference.elem = named;
    for (nth, lifetime) in lifetimes.1.into_iter().enumerate() {
        let lifetime = GenericParam::Lifetime(LifetimeParam::new(lifetime));
        signature.generics.params.insert(nth, lifetime);
    }
}

/// Our lifetimes appear in messages, so they have a plain name if it is free.
pub(crate) fn free_prefix<'p>(generics: &Generics, plain: &'p str) -> &'p str {
    let is_taken = generics
        .lifetimes()
        .any(|known| known.lifetime.ident.to_string().starts_with(plain));
    if is_taken { "__event" } else { plain }
}

/// Whether a return type means the same outside its function: it has no `impl Trait`, and no lifetime but `'static`.
pub(crate) fn is_nameable(ty: &Type) -> bool {
    struct IsImpl(bool);

    impl VisitMut for IsImpl {
        fn visit_type_impl_trait_mut(&mut self, _: &mut syn::TypeImplTrait) {
            self.0 = true;
        }
    }

    let mut is_impl = IsImpl(false);
    let mut named = AnyLifetime::new(ty.clone(), "event");
    is_impl.visit_type_mut(&mut named.ty);
    named.lifetimes.is_empty() && !is_impl.0
}

/// Whether a type names `Self`, or a type or const parameter of the block.
pub(crate) fn is_generic(ty: &Type, block: &Generics) -> bool {
    let parameters = parameters(block);
    let is_parameter = |ident: &Ident| ident == "Self" || parameters.contains(&ident);
    first_ident(ty.to_token_stream(), &is_parameter).is_some()
}

/// The type and const parameters of a block.
pub(crate) fn parameters(block: &Generics) -> Vec<&Ident> {
    let parameters = block.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(ty) => Some(&ty.ident),
        GenericParam::Const(constant) => Some(&constant.ident),
        GenericParam::Lifetime(_) => None,
    });
    parameters.collect()
}

/// The first identifier, at any depth, for which a predicate holds.
pub(crate) fn first_ident(
    tokens: TokenStream,
    is_wanted: &dyn Fn(&Ident) -> bool,
) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) => is_wanted(&ident).then_some(ident),
        TokenTree::Group(group) => first_ident(group.stream(), is_wanted),
        _ => None,
    })
}

/// Whether a type names a lifetime.
pub(crate) fn mentions(ty: &Type, lifetime: &Lifetime) -> bool {
    first_ident(ty.to_token_stream(), &|ident| *ident == lifetime.ident).is_some()
}
