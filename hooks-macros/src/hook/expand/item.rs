//! The user's item, and what it becomes.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{
    Attribute, Expr, ExprLit, Generics, ImplItem, ItemFn, ItemImpl, Lit, Meta, MetaNameValue, Type,
    parse_quote,
};

use crate::driver;
use crate::hook::parse::{core_path, is_handler, is_hook};

/// The item for a hook function. Each attribute goes where it applies: docs to the hook, `cfg`s and lints to
/// everything, the rest to the function.
pub(super) fn unit_struct(function: &ItemFn, line: Option<&str>) -> TokenStream {
    let is =
        |attr: &&Attribute, names: &[&str]| names.iter().any(|name| attr.path().is_ident(name));
    let attrs = &function.attrs;
    let cfgs: Vec<_> = attrs.iter().filter(|attr| is(attr, &["cfg"])).collect();
    let lints = ["cfg", "allow", "warn", "deny", "forbid", "deprecated"];
    let on_struct = attrs.iter().filter(|attr| is(attr, &lints));
    // Our line is the second paragraph.
    let docs: Vec<_> = attrs.iter().filter(|attr| is(attr, &["doc"])).collect();
    let first = docs.iter().position(|attr| is_blank(attr));
    let (first, rest) = docs.split_at(first.unwrap_or(docs.len()));
    let line = line.map(|line| {
        let blank = (!first.is_empty()).then(|| quote!(#[doc = ""]));
        quote!(#blank #[doc = #line])
    });
    let on_function = attrs
        .iter()
        .filter(|attr| !is(attr, &["doc", "cfg", "deprecated"]) && !is_hook(attr));

    let inline = inline(&function.attrs);
    let visibility = &function.vis;
    let ident = &function.sig.ident;
    let body = &function.block;
    let mut signature = function.sig.clone();
    signature.ident = Ident::new("call", ident.span());
    // rustc warns about the user's dead code, but not a macro's. If a hook is in no list, its struct is dead, and so
    // is the function. So the struct takes the span of the user's `fn`, and the function takes ours, for one warning.
    let keyword = signature.fn_token.span;
    signature.fn_token.span = driver::at(keyword);
    if let Some(token) = &mut signature.asyncness {
        token.span = driver::at(token.span);
    }
    let declared = quote_spanned!(keyword=> struct #ident;);
    let doc = format!(
        " Calls the hook `{}` as the function that it is.",
        driver::text_of(ident)
    );
    quote! {
        #(#first)*
        #line
        #(#rest)*
        #(#on_struct)*
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug)]
        #visibility #declared

        #(#cfgs)*
        impl #ident {
            #[doc = #doc]
            #(#on_function)*
            #inline
            #[allow(clippy::missing_errors_doc, clippy::needless_pass_by_value, clippy::trivially_copy_pass_by_ref)]
            #visibility #signature #body
        }
    }
}

/// Whether a line of docs is empty.
fn is_blank(attr: &Attribute) -> bool {
    matches!(&attr.meta, Meta::NameValue(MetaNameValue { value: Expr::Lit(ExprLit { lit: Lit::Str(text), .. }), .. })
        if text.value().trim().is_empty())
}

/// A hook's function is compiled in the codegen unit of the dispatch, as if its body were there, and not in that of
/// its module. Otherwise a list of hooks would be a list of calls.
fn inline(attrs: &[Attribute]) -> Option<Attribute> {
    let decided = ["inline", "cold", "no_mangle", "unsafe"];
    let is_decided = |attr: &Attribute| decided.iter().any(|name| attr.path().is_ident(name));
    (!attrs.iter().any(is_decided)).then(|| parse_quote!(#[inline]))
}

/// The block, without `#[hook(…)]` on it or its methods.
pub(super) fn without_options(block: &ItemImpl) -> ItemImpl {
    let mut block = block.clone();
    block.attrs.retain(|attr| !is_hook(attr));
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item {
            method.attrs.retain(|attr| !is_hook(attr));
            method.attrs.extend(inline(&method.attrs));
            // The hook's rules say how it takes the event.
            if is_handler(&method.sig) {
                let allow = parse_quote!(#[allow(clippy::needless_pass_by_value, clippy::trivially_copy_pass_by_ref)]);
                method.attrs.push(allow);
            }
        }
    }
    block
}

/// A hook that handles nothing.
pub(super) fn inert(ty: &Type, generics: &Generics) -> TokenStream {
    // Without a path to the core, there is no hook to implement.
    let Ok(core) = core_path(None) else {
        return TokenStream::new();
    };
    let (of, _, bounds) = generics.split_for_impl();
    let hook = quote! {
        #[diagnostic::do_not_recommend]
        impl #of ::hooks_core::Hook for #ty #bounds {
            type Vocabulary = ::hooks_core::AnyVocabulary;
            type Rank = ::hooks_core::__private::rank!(0);
            type Answers = ();
            type Exact = ();
            type Wraps = ();

            fn describe(&self, _: &mut ::hooks_core::__private::Planner) {}
        }
    };
    driver::with_core(hook, core.as_ref())
}
