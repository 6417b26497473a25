//! The impl that a dispatch calls for one event.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericParam, Generics, LifetimeParam, parse_quote};

use super::body::Parts;
use super::types::every_vocabulary;
use crate::driver;
use crate::hook::options::Choice;
use crate::hook::parse::{Handled, Handler, Hook};

/// The handler's impl for its event.
pub(super) fn handle(hook: &Hook, handler: &Handler) -> TokenStream {
    let Hook { core, ty, .. } = hook;
    let private = quote!(#core::__private);
    let mut generics = hook.generics.clone();
    let event = match &handler.event {
        Handled::One { ty, .. } => {
            for (nth, lifetime) in ty.lifetimes.iter().enumerate() {
                let lifetime = LifetimeParam::new(lifetime.clone());
                generics
                    .params
                    .insert(nth, GenericParam::Lifetime(lifetime));
            }
            driver::moved(&ty.ty.to_token_stream(), handler.event.span())
        }
        Handled::Every { view, vocabulary } => {
            let vocabulary = every_vocabulary(core, view, vocabulary.as_ref());
            generics.params.push(
                parse_quote!(__E: #private::AnyEvent + #core::Event<Vocabulary = #vocabulary>),
            );
            quote!(__E)
        }
    };
    if handler.takes_decision {
        return told(hook, handler, &generics);
    }
    if handler.is_around() {
        return around(hook, handler, &generics, &event);
    }
    let (of, _, bounds) = generics.split_for_impl();
    let parts = Parts {
        core,
        private: &private,
        handler,
        event: &event,
    };
    let span = handler.event.span();
    let held = held(handler).into_token_stream();
    let at_event = driver::respanned(&private, span);
    let context_type = driver::respanned(&quote!(#core::Context), span);
    let context_type = quote_spanned!(span=> #context_type<#event>);
    let access = quote_spanned!(span=> #at_event::Access<'__a, #event>);
    let outcome = quote_spanned!(span=> #at_event::Outcome<#event>);
    let future = quote!(::core::future::Future);
    let send = quote!(::core::marker::Send);
    // A plain handler returns the future of the user's function. Its return type must have a name for that.
    let plain = handler.said.as_ref().filter(|_| parts.is_plain());
    let mutable = (!handler.is_async || plain.is_none()).then(|| quote!(mut));
    let said = plain.map_or_else(|| outcome.clone(), ToTokens::to_token_stream);
    let said = quote!(type Said = #said;);
    let (trait_name, said, outcome, body) = if handler.is_async {
        let body = if let Some(said) = plain {
            let future = parts.future(&held);
            let span = handler.output;
            let at_output = driver::respanned(core, span);
            let said = driver::moved(&said.to_token_stream(), span);
            let check = quote_spanned!(span=> <#said as #at_output::Return<#event>>::said);
            quote! {
                let _ = #check;
                #future
            }
        } else {
            let body = parts.body();
            quote!(async move { #body })
        };
        let outcome = driver::respanned(&quote!(impl #future<Output = Self::Said> + #send), span);
        (format_ident!("HandleAsync"), Some(said), outcome, body)
    } else {
        (format_ident!("Handle"), None, outcome, parts.body())
    };
    let context = if handler.uses_context() {
        quote!(__cx)
    } else {
        quote!(_)
    };
    let cfgs = &handler.cfgs;
    let of_event = written(handler, &event);
    let trait_ref = quote_spanned!(span=> #at_event::#trait_name<#of_event>);
    let the_self = quote!(self);
    let changes = changes(core, handler);
    let signature = quote_spanned! {span=>
        fn handle<'__a>(
            &'__a #the_self,
            #context: &'__a #context_type,
            #mutable #held: #access,
        ) -> #outcome
    };
    quote! {
        #(#cfgs)*
        #[automatically_derived]
        impl #of #trait_ref for #ty #bounds {
            #changes
            #said

            #[inline(always)]
            #signature {
                #body
            }
        }
    }
}

/// Whether the handler can change the event. By default it can: it returns something, or takes the event by `&mut`.
fn changes(core: &TokenStream, handler: &Handler) -> Option<TokenStream> {
    let lends = match &handler.event {
        _ if handler.returns() => return None,
        Handled::One { is_mut: true, .. }
        | Handled::Every {
            vocabulary: Some(_),
            ..
        } => return None,
        Handled::One { .. } => quote!(false),
        Handled::Every { view, .. } => {
            let span = view.span();
            let core = driver::respanned(core, span);
            let view = driver::moved(&view.to_token_stream(), span);
            quote_spanned!(span=> <#view as #core::Viewed>::LENDS)
        }
    };
    Some(quote!(const CHANGES: ::core::primitive::bool = #lends;))
}

/// The impl of a handler with `every` that receives decisions: the same function runs when the event reaches the
/// hook, and when an earlier hook has decided.
fn told(hook: &Hook, handler: &Handler, generics: &Generics) -> TokenStream {
    let Hook { core, ty, .. } = hook;
    let private = quote!(#core::__private);
    let Handler {
        function,
        context,
        witness,
        options,
        cfgs,
        ..
    } = handler;
    let (of, _, bounds) = generics.split_for_impl();
    let receiver = handler.takes_self.then(|| quote!(self,));
    let context = context.as_ref().map(|context| {
        quote_spanned! {driver::at(context.span())=>
            <#context as #core::ContextOf<<__E as #core::Event>::Vocabulary>>::of(__cx),
        }
    });
    let seen = witness
        .as_ref()
        .map(|witness| quote_spanned!(driver::at(witness.span())=> __told.witness::<#witness>()));
    let listens = witness.as_ref().map(|witness| {
        let ask_for = quote_spanned!(driver::at(witness.span())=> ask_for::<#witness>);
        quote! {
            fn listen(&self, __witnesses: &mut #private::WitnessesOf<__E>) {
                __witnesses.#ask_for();
            }

            fn witnessed<'__a>(
                &'__a self,
                __cx: &'__a #core::Context<__E>,
                __event: #private::Access<'__a, __E>,
                __witnesses: &'__a mut #private::WitnessesOf<__E>,
            ) -> #private::Outcome<__E> {
                #private::Handle::<__E>::decided(
                    self,
                    __cx,
                    <__E as #core::Event>::look(__event),
                    __witnesses.told(#core::Decision::Continue),
                );
                #private::go_on::<__E>()
            }
        }
    });
    let call = quote! {
        let __span = #private::enter(__NAME, <__E as #core::Event>::NAME);
        let () = Self::#function(
            #receiver #context <__E as #core::Event>::view(__event), __told.decision(), #seen
        );
    };
    let skips = options
        .on_panic
        .filter(|policy| policy.choice == Choice::Skip);
    let call = match skips {
        None => call,
        Some(policy) => {
            let require = quote_spanned!(driver::at(policy.option)=> #private::require_std!(););
            quote! {
                #require
                if let ::core::result::Result::Err(__failure) = #private::catch(|| { #call }) {
                    #private::skipped::<__E>(__NAME, __failure);
                }
            }
        }
    };
    quote! {
        #(#cfgs)*
        #[automatically_derived]
        impl #of #private::Handle<__E> for #ty #bounds {
            const CHANGES: ::core::primitive::bool = false;

            #[inline(always)]
            fn handle<'__a>(
                &'__a self,
                __cx: &'__a #core::Context<__E>,
                __event: #private::Access<'__a, __E>,
            ) -> #private::Outcome<__E> {
                #private::Handle::<__E>::decided(
                    self,
                    __cx,
                    <__E as #core::Event>::look(__event),
                    #core::Decision::Continue.into(),
                );
                #private::go_on::<__E>()
            }

            #listens

            #[inline]
            fn decided<'__a>(
                &'__a self,
                __cx: &'__a #core::Context<__E>,
                __event: &'__a __E,
                __told: #private::Told<'__a, <__E as #core::Event>::Vocabulary>,
            ) {
                #call
            }
        }
    }
}

/// The impl of a handler that wraps the work of its event.
fn around(hook: &Hook, handler: &Handler, generics: &Generics, event: &TokenStream) -> TokenStream {
    let Hook { core, ty, .. } = hook;
    let private = quote!(#core::__private);
    let (of, _, bounds) = generics.split_for_impl();
    let parts = Parts {
        core,
        private: &private,
        handler,
        event,
    };
    let span = handler.event.span();
    let event_name = parts.event_name();
    let call = parts.around();
    let said = {
        let core = driver::respanned(core, handler.output);
        let event = driver::moved(event, handler.output);
        let said = quote!(__said);
        quote_spanned!(handler.output=> <_ as #core::WorkOf<#event>>::work(#said))
    };
    let next = next(handler);
    let filter = parts.filter().map(|filter| {
        quote! {
            if !(#filter) {
                return #next.run().await;
            }
        }
    });
    let require = handler
        .options
        .around
        .map(|around| quote_spanned!(driver::at(around.span)=> #private::require_std!(around);));
    let at_event = driver::respanned(&private, span);
    let at_core = driver::respanned(core, span);
    let context = if handler.uses_context() {
        quote!(__cx)
    } else {
        quote!(_)
    };
    let work = quote_spanned!(handler.output=> <#event as #core::Wrapped>::Work);
    let mutable = filter.is_some().then(|| quote!(mut));
    let held = held(handler);
    let of_event = written(handler, event);
    let trait_ref = quote_spanned!(span=> #at_event::Around<#of_event>);
    let cfgs = &handler.cfgs;
    quote! {
        #(#cfgs)*
        #[automatically_derived]
        impl #of #trait_ref for #ty #bounds {
            async fn around<'__a>(
                &'__a self,
                #context: &'__a #at_core::Context<#event>,
                #held: &'__a #event,
                #mutable #next: #at_core::Next<'__a, #event>,
            ) -> #work {
                #require
                #filter
                let __said = #private::traced(__NAME, #event_name, #call).await;
                #said
            }
        }
    }
}

/// The last parameter of an `around` handler. If it belongs to another event, the error is at its type.
pub(super) fn next(handler: &Handler) -> Ident {
    Ident::new("__next", handler.next.unwrap_or(handler.output))
}

/// The event as written, for the head of an impl, where the lifetimes of an alias would not be found.
fn written(handler: &Handler, event: &TokenStream) -> TokenStream {
    match &handler.event {
        Handled::One { written, .. } => {
            driver::moved(&written.ty.to_token_stream(), handler.event.span())
        }
        Handled::Every { .. } => event.clone(),
    }
}

/// The event that the dispatch passes, as `&E` or `&mut E`.
pub(super) fn held(handler: &Handler) -> Ident {
    Ident::new("__event", handler.event.span())
}
