//! What a hook is, and which events it handles, as types.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Type};

use super::handle::handle;
use crate::hook::parse::{Handled, Handler, Hook};
use crate::{driver, rank};

/// The impls that make the item a hook.
pub(super) fn the_hook(hook: &Hook) -> TokenStream {
    let Hook {
        core,
        ty,
        generics,
        priority,
        name,
        cfgs,
        handlers,
    } = hook;
    let private = quote!(#core::__private);
    let (of, _, bounds) = generics.split_for_impl();
    let vocabulary = vocabulary(core, handlers);
    let span = handlers
        .last()
        .map_or_else(Span::call_site, |last| last.event.span());
    let vocabulary = quote_spanned!(span=> type Vocabulary = #vocabulary;);
    let answers = modes(core, handlers, false);
    let wraps = modes(core, handlers, true);
    let listens = if handlers.iter().any(|handler| handler.witness.is_some()) {
        quote!(Listens)
    } else {
        quote!(Never)
    };
    let aliases = handlers
        .iter()
        .enumerate()
        .filter_map(|(nth, handler)| aliases(core, nth, handler));
    let events = handlers.iter().filter_map(|handler| event(core, handler));
    let rows = handlers.iter().map(|handler| row(core, handler));
    let handles = handlers.iter().map(|handler| handle(hook, handler));
    let rank = rank::of(&private, priority);
    let priority = constant(priority, "__PRIORITY", &quote!(i32));
    let name = constant(name, "__NAME", &quote!(&'static str));
    quote! {
        #(#cfgs)*
        const _: () = {
            #priority
            #name
            #(#events)*
            #(#aliases)*

            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #of #core::Hook for #ty #bounds {
                #vocabulary
                const NAME: &'static str = __NAME;
                type Rank = #rank;
                type Answers = #answers;
                type Wraps = #wraps;
                type Listens = #private::#listens;
            }

            #[automatically_derived]
            impl #of #private::Describe for #ty #bounds {
                fn describe<'__d>(&'__d self, __plan: &mut #private::Planner<'__d, '_>) {
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
fn event(core: &TokenStream, handler: &Handler) -> Option<TokenStream> {
    let Handled::One {
        written,
        alias: Some(alias),
        ..
    } = &handler.event
    else {
        return None;
    };
    let cfgs = &handler.cfgs;
    let is_so = is_event(core, handler, &written.for_static());
    let (ty, lifetimes) = (&written.ty, &written.lifetimes);
    let parameters = (!lifetimes.is_empty()).then(|| quote!(<#(#lifetimes),*>));
    let constant = format_ident!("__IS_{alias}", span = alias.span());
    Some(quote! {
        #(#cfgs)*
        #[allow(non_upper_case_globals)]
        const #constant: ::core::primitive::bool = #is_so;
        #(#cfgs)*
        #[allow(non_camel_case_types)]
        type #alias #parameters = <
            <fn(&'static ()) -> #ty as #core::__private::Returned>::Type
            as #core::__private::If<{ #constant }>
        >::Event;
    })
}

/// Checks that a type is an event as the handler needs it: otherwise it does not compile.
pub(super) fn is_event(core: &TokenStream, handler: &Handler, ty: &Type) -> TokenStream {
    let span = handler.event.span();
    let ty = driver::moved(&ty.to_token_stream(), span);
    let core = driver::respanned(core, span);
    if handler.is_around() {
        quote_spanned!(span=> <#ty as #core::Wrapped>::IS_WRAPPED)
    } else {
        quote_spanned!(span=> <#ty as #core::Event>::IS_EVENT)
    }
}

/// What the `nth` handler adds to the hook's types, if it has a `cfg`. A type cannot have a `cfg` in place, but an
/// alias can, and then the event need not even exist.
fn aliases(core: &TokenStream, nth: usize, handler: &Handler) -> Option<TokenStream> {
    let predicate = cfg_predicate(&handler.cfgs)?;
    let cfgs = &handler.cfgs;
    let [vocabulary, modes] = alias_names(nth);
    let own_vocabulary = own_vocabulary(core, handler);
    let own_modes = own_modes(core, handler);
    Some(quote! {
        #(#cfgs)*
        type #vocabulary = #own_vocabulary;
        #(#cfgs)*
        type #modes = #own_modes;
        #[cfg(not(#predicate))]
        type #vocabulary = #core::AnyVocabulary;
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
fn vocabulary(core: &TokenStream, handlers: &[Handler]) -> TokenStream {
    let all = handlers.iter().enumerate().map(|(nth, handler)| {
        if handler.cfgs.is_empty() {
            return (own_vocabulary(core, handler), handler);
        }
        let [vocabulary, _] = alias_names(nth);
        (vocabulary.to_token_stream(), handler)
    });
    let common = all.reduce(|(common, _), (own, handler)| {
        let span = handler.event.span();
        let core = driver::respanned(core, span);
        let common = quote_spanned!(span=> <#own as #core::SharesVocabulary<#common>>::Common);
        (common, handler)
    });
    common.map(|(common, _)| common).unwrap_or_default()
}

/// The vocabulary of the handler's event.
fn own_vocabulary(core: &TokenStream, handler: &Handler) -> TokenStream {
    match &handler.event {
        Handled::One { ty, .. } => {
            let span = handler.event.span();
            let event = driver::moved(&ty.for_static().to_token_stream(), span);
            let core = driver::respanned(core, span);
            quote_spanned!(span=> <#event as #core::Event>::Vocabulary)
        }
        Handled::Every { view, vocabulary } => every_vocabulary(core, view, vocabulary.as_ref()),
    }
}

/// The vocabulary of a hook with `every`: the named one, or that of the parameter's type.
pub(super) fn every_vocabulary(
    core: &TokenStream,
    view: &Type,
    named: Option<&Type>,
) -> TokenStream {
    named.map_or_else(
        || {
            let span = view.span();
            let core = driver::respanned(core, span);
            let view = driver::moved(&view.to_token_stream(), span);
            quote_spanned!(span=> <#view as #core::Viewed>::Vocabulary)
        },
        ToTokens::to_token_stream,
    )
}

/// The modes in which the handlers handle their events, or in which `around` handlers wrap their work.
fn modes(core: &TokenStream, handlers: &[Handler], around: bool) -> TokenStream {
    let handlers = handlers.iter().enumerate();
    let all = handlers
        .filter(|(_, handler)| handler.is_around() == around)
        .map(|(nth, handler)| {
            if handler.cfgs.is_empty() {
                return own_modes(core, handler);
            }
            let [_, modes] = alias_names(nth);
            modes.to_token_stream()
        });
    all.reduce(|all, own| quote!(#core::__private::Both<#all, #own>))
        .unwrap_or_else(|| quote!(()))
}

/// The mode in which a handler handles its event.
fn own_modes(core: &TokenStream, handler: &Handler) -> TokenStream {
    let span = handler.event.span();
    let private = driver::respanned(&quote!(#core::__private), span);
    let mode = Ident::new(if handler.is_async { "Later" } else { "Now" }, span);
    match &handler.event {
        Handled::One { ty, .. } => {
            let event = driver::moved(&ty.for_static().to_token_stream(), span);
            quote_spanned!(span=> #private::On<#event, #private::#mode>)
        }
        Handled::Every { .. } => quote!(#private::Every<#private::#mode>),
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
fn row(core: &TokenStream, handler: &Handler) -> TokenStream {
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
            let core = driver::respanned(core, span);
            let name = quote_spanned!(span=> <#event as #core::Event>::NAME);
            quote!(::core::option::Option::Some(#name))
        }
        Handled::Every { .. } => quote!(::core::option::Option::None),
    };
    quote!(#(#cfgs)* (#event, #core::__private::Runs::#runs))
}
