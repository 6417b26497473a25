//! What a hook is, and which events it handles, as types.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Type};

use super::handle::handle;
use crate::hook::parse::{Handled, HookFunction, ParsedHook};
use crate::{driver, rank};

/// The impls that make the item a hook.
pub(super) fn the_hook(hook: &ParsedHook, docs: Option<&str>) -> TokenStream {
    let ParsedHook {
        core: _,
        ty,
        generics,
        priority,
        name,
        cfgs,
        handlers,
    } = hook;
    let (of, _, bounds) = generics.split_for_impl();
    let vocabulary = vocabulary(handlers);
    let span = handlers
        .last()
        .map_or_else(Span::call_site, |last| last.event.span());
    let vocabulary = quote_spanned!(span=> type Vocabulary = #vocabulary;);
    let answers = modes(handlers, false);
    let answers = quote_spanned!(span=> type Answers = #answers; type Exact = Self::Answers;);
    let docs = docs.map(|docs| quote!(#[doc = #docs]));
    let wraps = modes(handlers, true);
    let aliases = handlers
        .iter()
        .enumerate()
        .filter_map(|(nth, handler)| aliases(nth, handler));
    let events = handlers.iter().filter_map(event);
    let rows = handlers.iter().map(row);
    let handles = handlers
        .iter()
        .filter(|handler| !hook.is_judge(handler))
        .map(|handler| handle(hook, handler));
    let rank = rank::of(&quote!(::hooks_core::__private), priority);
    let rank = quote_spanned!(priority.span()=> type Rank = #rank;);
    let priority = constant(priority, "__PRIORITY", &quote!(i32));
    let name = constant(name, "__NAME", &quote!(&'static str));
    quote! {
        #(#cfgs)*
        const _: () = {
            #priority
            #name
            #(#events)*
            #(#aliases)*

            #docs
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #of ::hooks_core::Hook for #ty #bounds {
                #[doc(hidden)]
                #vocabulary
                #rank
                #answers
                type Wraps = #wraps;

                const NAME: &'static str = __NAME;

                fn describe(&self, __plan: &mut ::hooks_core::__private::Planner) {
                    __plan.hook(__NAME, __PRIORITY, &[#(#rows),*]);
                }
            }

            #(#handles)*
        };
    }
}

/// A constant for the user's expression, so that it is checked once, at its place.
fn constant(value: &syn::Expr, name: &str, ty: &TokenStream) -> TokenStream {
    let name = Ident::new(name, driver::at(value.span()));
    quote_spanned!(driver::at(value.span())=> const #name: #ty = #value;)
}

/// The name of the event in generated code. If the type is not an event, or has no work to wrap, rustc reports it
/// here, and everything that uses the name is then already in error: see `If` in the core.
fn event(handler: &HookFunction) -> Option<TokenStream> {
    let Handled::One {
        written,
        alias: Some(alias),
        ..
    } = &handler.event
    else {
        return None;
    };
    let cfgs = &handler.cfgs;
    let span = handler.event.span();
    let is_so = is_event(handler, &written.for_static());
    let (ty, lifetimes) = (&written.ty, &written.lifetimes);
    let parameters = (!lifetimes.is_empty()).then(|| quote!(<#(#lifetimes),*>));
    let constant = format_ident!("__IS_{alias}", span = alias.span());
    Some(quote_spanned! {span=>
        #(#cfgs)*
        #[allow(non_upper_case_globals)]
        const #constant: ::core::primitive::bool = #is_so;
        #(#cfgs)*
        #[allow(non_camel_case_types)]
        type #alias #parameters = <
            <fn(&'static ()) -> #ty as ::hooks_core::__private::Returned>::Type
            as ::hooks_core::__private::If<{ #constant }>
        >::Event;
    })
}

/// Checks that a type is an event as the handler needs it: otherwise it does not compile.
pub(super) fn is_event(handler: &HookFunction, ty: &Type) -> TokenStream {
    let span = handler.event.span();
    let ty = driver::moved(&ty.to_token_stream(), span);
    if handler.is_around() {
        quote_spanned!(span=> <#ty as ::hooks_core::HasWork>::IS_WRAPPED)
    } else {
        quote_spanned!(span=> <#ty as ::hooks_core::Event>::IS_EVENT)
    }
}

/// Checks that hooks decide about an event: otherwise it does not compile.
pub(super) fn decides(handler: &HookFunction, ty: &Type) -> TokenStream {
    let span = handler.event.span();
    let ty = driver::moved(&ty.to_token_stream(), span);
    let kind = quote_spanned!(span=> <#ty as ::hooks_core::Event>::Kind);
    quote!(<#kind as ::hooks_core::__private::Decisive>::DECIDES)
}

/// What the `nth` handler adds to the hook's types, if it has a `cfg`. A type cannot have a `cfg` in place, but an
/// alias can, and then the event need not even exist.
fn aliases(nth: usize, handler: &HookFunction) -> Option<TokenStream> {
    let predicate = cfg_predicate(&handler.cfgs)?;
    let cfgs = &handler.cfgs;
    let [vocabulary, modes] = alias_names(nth);
    let own_vocabulary = own_vocabulary(handler);
    let own_modes = own_modes(handler);
    Some(quote! {
        #(#cfgs)*
        type #vocabulary = #own_vocabulary;
        #(#cfgs)*
        type #modes = #own_modes;
        #[cfg(not(#predicate))]
        type #vocabulary = ::hooks_core::AnyVocabulary;
        #[cfg(not(#predicate))]
        type #modes = ();
    })
}

fn alias_names(nth: usize) -> [Ident; 2] {
    [
        format_ident!("__Vocabulary{nth}"),
        format_ident!("__Modes{nth}"),
    ]
}

/// The vocabulary that all events share.
fn vocabulary(handlers: &[HookFunction]) -> TokenStream {
    let all = handlers.iter().enumerate().map(|(nth, handler)| {
        if handler.cfgs.is_empty() {
            return (own_vocabulary(handler), handler);
        }
        let [vocabulary, _] = alias_names(nth);
        (vocabulary.to_token_stream(), handler)
    });
    let common = all.reduce(|(common, _), (own, handler)| {
        let span = handler.event.span();
        let common =
            quote_spanned!(span=> <#own as ::hooks_core::SharesVocabulary<#common>>::Common);
        (common, handler)
    });
    common.map(|(common, _)| common).unwrap_or_default()
}

/// The vocabulary of the handler's event.
fn own_vocabulary(handler: &HookFunction) -> TokenStream {
    match &handler.event {
        Handled::One { ty, .. } => {
            let span = handler.event.span();
            let event = driver::moved(&ty.for_static().to_token_stream(), span);
            quote_spanned!(span=> <#event as ::hooks_core::Event>::Vocabulary)
        }
        Handled::Every { view, vocabulary } => every_vocabulary(view, vocabulary.as_ref()),
    }
}

/// The vocabulary of a hook with `every`: the named one, or that of the parameter's type.
pub(super) fn every_vocabulary(view: &Type, named: Option<&Type>) -> TokenStream {
    named.map_or_else(
        || {
            let span = view.span();
            let view = driver::moved(&view.to_token_stream(), span);
            quote_spanned!(span=> <#view as ::hooks_core::Viewed>::Vocabulary)
        },
        ToTokens::to_token_stream,
    )
}

/// The modes in which the handlers handle their events, or in which `around` handlers wrap their work.
fn modes(handlers: &[HookFunction], around: bool) -> TokenStream {
    let handlers = handlers.iter().enumerate();
    let all = handlers
        .filter(|(_, handler)| handler.is_around() == around)
        .map(|(nth, handler)| {
            if handler.cfgs.is_empty() {
                return own_modes(handler);
            }
            let [_, modes] = alias_names(nth);
            modes.to_token_stream()
        });
    all.reduce(|all, own| quote!(::hooks_core::__private::Both<#all, #own>))
        .unwrap_or_else(|| quote!(()))
}

/// The mode in which a handler handles its event.
fn own_modes(handler: &HookFunction) -> TokenStream {
    let span = handler.event.span();
    match &handler.event {
        Handled::One { ty, .. } => {
            let event = driver::moved(&ty.for_static().to_token_stream(), span);
            quote_spanned!(span=> ::hooks_core::__private::On<#event>)
        }
        Handled::Every { .. } => {
            quote!(::hooks_core::__private::Every<::hooks_core::__private::One>)
        }
    }
}

/// The conjunction of the attributes `#[cfg(…)]`.
fn cfg_predicate(cfgs: &[Attribute]) -> Option<TokenStream> {
    let predicates = cfgs.iter().filter_map(|cfg| match &cfg.meta {
        syn::Meta::List(list) => Some(&list.tokens),
        _ => None,
    });
    (!cfgs.is_empty()).then(|| quote!(all(#(#predicates),*)))
}

/// The handler's row in a plan.
fn row(handler: &HookFunction) -> TokenStream {
    let cfgs = &handler.cfgs;
    let runs = match (handler.is_around(), handler.is_async) {
        (true, _) => quote!(Around),
        (false, true) => quote!(Async),
        (false, false) => quote!(Sync),
    };
    let event = match &handler.event {
        Handled::One { ty, .. } => {
            let span = handler.event.span();
            let event = driver::moved(&ty.for_static().to_token_stream(), span);
            let info = quote_spanned!(span=> <#event as ::hooks_core::Event>::INFO);
            quote!(::core::option::Option::Some(#info))
        }
        Handled::Every { .. } => quote!(::core::option::Option::None),
    };
    let is_guard = handler.options.guard.is_some();
    let guard = is_guard.then(|| quote!(.guard()));
    let changes = match &handler.event {
        _ if is_guard || handler.is_around() => quote!(false),
        _ if handler.may_modify() => quote!(true),
        Handled::One { is_mut, .. } => quote!(#is_mut),
        Handled::Every { view, .. } => {
            quote!(<<#view as ::hooks_core::Viewed>::Facts as ::hooks_core::__private::Facts>::CHANGES)
        }
    };
    quote!(#(#cfgs)* ::hooks_core::__private::Row::new(#event, ::hooks_core::__private::Runs::#runs).changes(#changes) #guard)
}
