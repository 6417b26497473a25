//! The impl that a dispatch calls for one event.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericParam, Generics, LifetimeParam, parse_quote};

use super::body::BodyParts;
use super::types::{decides, every_vocabulary};
use crate::driver;
use crate::hook::parse::{Handled, HookFunction, ParsedHook};

/// The handler's impl for its event.
pub(super) fn handle(hook: &ParsedHook, handler: &HookFunction) -> TokenStream {
    let ParsedHook { ty, .. } = hook;
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
            let vocabulary = every_vocabulary(view, vocabulary.as_ref());
            generics
                .params
                .push(parse_quote!(__E: ::hooks_core::AnyEvent<Vocabulary = #vocabulary>));
            quote!(__E)
        }
    };
    if handler.is_around() {
        return around(hook, handler, &generics, &event);
    }
    let (of, _, bounds) = generics.split_for_impl();
    let parts = BodyParts {
        handler,
        event: &event,
    };
    let span = handler.event.span();
    let of_event = written(handler, &event);
    let trait_ref = quote_spanned!(span=> ::hooks_core::__private::Leaf<#of_event>);
    let cfgs = &handler.cfgs;
    let judge = hook.judge_of(handler);
    let types = types(&parts, judge.is_some());
    let judge = judge.map(|judge| judged(&parts, judge));
    let wants = wants(&parts);
    let guards = guards(&parts);
    let call = call(&parts);
    quote! {
        #(#cfgs)*
        #[automatically_derived]
        impl #of #trait_ref for #ty #bounds {
            #types
            #guards
            #wants
            #judge
            #call
        }
    }
}

/// What the guard of the same event says in the round of guards.
fn judged(parts: &BodyParts<'_>, judge: &HookFunction) -> TokenStream {
    let BodyParts { event, .. } = parts;
    let body = BodyParts {
        handler: judge,
        event,
    }
    .judgement();
    quote! {
        const JUDGES: ::core::primitive::bool = true;

        fn judge(
            &self,
            __cx: &::hooks_core::Context<#event>,
            __event: &#event,
        ) -> ::hooks_core::__private::ActionOn<#event> {
            #body
        }
    }
}

/// What the dispatch has to know of the handler.
fn types(parts: &BodyParts<'_>, is_judged: bool) -> TokenStream {
    let BodyParts { handler, event, .. } = parts;
    let span = handler.event.span();
    let said = parts.plain().map_or_else(
        || quote_spanned!(span=> ::hooks_core::__private::ActionOn<#event>),
        ToTokens::to_token_stream,
    );
    let timing = Ident::new(
        if handler.is_async {
            "Asynchronous"
        } else {
            "Synchronous"
        },
        Span::call_site(),
    );
    let is_guard = handler.options.guard.is_some();
    let lends = match &handler.event {
        Handled::One { is_mut, .. } => fact(if *is_mut { "Changes" } else { "Looks" }),
        Handled::Every { view, .. } => {
            let span = view.span();
            let view = driver::moved(&view.to_token_stream(), span);
            quote_spanned!(span=> <#view as ::hooks_core::Viewed>::Facts)
        }
    };
    let changes = handler.may_modify() && !is_guard;
    let facts = match (is_guard || is_judged, &handler.event) {
        (true, _) if changes => fact("ChangesAndGuards"),
        (false, _) if changes => fact("Changes"),
        (true, Handled::One { is_mut: false, .. }) => fact("Guards"),
        (true, _) => {
            quote!(<#lends as ::hooks_core::__private::Facts>::Then<::hooks_core::__private::Guards>)
        }
        (false, _) => lends.clone(),
    };
    let said = quote_spanned!(handler.output=> type Said = #said;);
    quote! {
        #said
        type Timing = ::hooks_core::__private::#timing;
        type Facts = #facts;
        const MUTATES: ::core::primitive::bool = <#lends as ::hooks_core::__private::Facts>::CHANGES;
    }
}

/// A fact about a hook, as a type.
fn fact(name: &str) -> TokenStream {
    let fact = Ident::new(name, Span::call_site());
    quote!(::hooks_core::__private::#fact)
}

/// A guard of an event that cannot be blocked does not compile.
fn guards(parts: &BodyParts<'_>) -> Option<TokenStream> {
    let BodyParts { handler, event, .. } = parts;
    let guard = handler.options.guard?;
    let mut event = driver::moved(event, guard);
    // The signature reports an observed event.
    if let Handled::One {
        written,
        alias: Some(_),
        ..
    } = &handler.event
    {
        let is_so = decides(handler, &written.for_static());
        event = quote_spanned!(guard=> <#event as ::hooks_core::__private::If<{ #is_so }>>::Event);
    }
    let judges = quote_spanned!(guard=> ::hooks_core::__private::judges::<#event>());
    Some(quote! {
        fn is_guard(&self) -> ::core::primitive::bool {
            #judges
        }
    })
}

/// Whether the handler runs for an event.
fn wants(parts: &BodyParts<'_>) -> Option<TokenStream> {
    let BodyParts { handler, event, .. } = parts;
    let span = handler.event.span();
    let held = held(handler);
    let filter = parts.wanted(&held.to_token_stream())?;
    let context = quote_spanned!(span=> ::hooks_core::Context);
    let cx = if handler.when_takes_context() {
        quote!(__cx)
    } else {
        quote!(_)
    };
    Some(quote! {
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn wants(&self, #cx: &#context<#event>, #held: &#event) -> ::core::primitive::bool {
            #filter
        }
    })
}

/// The call of the user's function.
fn call(parts: &BodyParts<'_>) -> TokenStream {
    let BodyParts { handler, event } = parts;
    let span = handler.event.span();
    let context_type = quote_spanned!(span=> ::hooks_core::Context);
    let context_type = quote_spanned!(span=> #context_type<#event>);
    let access = quote_spanned!(span=> ::hooks_core::__private::Access<'__a, #event>);
    let held = held(handler).into_token_stream();
    let plain = parts.plain();
    let mutable = plain.is_none().then(|| quote!(mut));
    let context = if handler.uses_context() {
        quote!(__cx)
    } else {
        quote!(_)
    };
    let the_self = quote!(self);
    if !handler.is_async {
        let body = parts.body();
        let signature = quote_spanned! {span=>
            fn call_now<'__a>(
                &'__a #the_self,
                #context: &'__a #context_type,
                mut #held: #access,
            ) -> Self::Said
        };
        return quote! {
            #[cfg_attr(not(debug_assertions), inline(always))]
            #signature {
                #body
            }
        };
    }
    let body = if let Some(said) = plain {
        let future = parts.future(&held);
        let span = handler.output;
        let said = driver::moved(&said.to_token_stream(), span);
        let check = quote_spanned!(span=> <#said as ::hooks_core::Return<#event>>::action);
        quote! {
            let _ = #check;
            #future
        }
    } else {
        let body = parts.body();
        quote!(async move { #body })
    };
    let output = quote_spanned!(span=> impl ::core::future::Future<Output = Self::Said> + ::core::marker::Send);
    let signature = quote_spanned! {span=>
        fn call<'__a>(
            &'__a #the_self,
            #context: &'__a #context_type,
            #mutable #held: #access,
        ) -> #output
    };
    quote! {
        #[cfg_attr(not(debug_assertions), inline(always))]
        #signature {
            #body
        }
    }
}

/// The impl of a handler that wraps the work of its event.
fn around(
    hook: &ParsedHook,
    handler: &HookFunction,
    generics: &Generics,
    event: &TokenStream,
) -> TokenStream {
    let ParsedHook { ty, .. } = hook;
    let (of, _, bounds) = generics.split_for_impl();
    let parts = BodyParts { handler, event };
    let span = handler.event.span();
    let event_name = parts.event_name();
    let call = parts.around();
    let said = {
        let event = driver::moved(event, handler.output);
        let said = quote!(__said);
        quote_spanned!(handler.output=> <_ as ::hooks_core::WorkOf<#event>>::work(#said))
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
        .map(|around| quote_spanned!(driver::at(around)=> ::hooks_core::__private::require_std!(around);));
    let context = if handler.uses_context() {
        quote!(__cx)
    } else {
        quote!(_)
    };
    let work = quote_spanned!(handler.output=> <#event as ::hooks_core::HasWork>::Work);
    let held = held(handler);
    let of_event = written(handler, event);
    let trait_ref = quote_spanned!(span=> ::hooks_core::__private::Around<#of_event>);
    let cfgs = &handler.cfgs;
    // Without `std`, there is no such impl, and only that is reported.
    quote! {
        #(#cfgs)*
        #require
        ::hooks_core::__private::boxes! {
        #(#cfgs)*
        #[automatically_derived]
        impl #of #trait_ref for #ty #bounds {
            async fn around<'__a>(
                &'__a self,
                #context: &'__a ::hooks_core::Context<#event>,
                #held: &'__a #event,
                mut #next: ::hooks_core::Next<'__a, #event>,
            ) -> #work {
                #filter
                let __running = #next.begins(__NAME);
                let __said = ::hooks_core::__private::traced(__NAME, #event_name, #call).await;
                __running.ends();
                #said
            }
        }
        }
    }
}

/// The last parameter of an `around` handler. If it belongs to another event, the error is at its type.
pub(super) fn next(handler: &HookFunction) -> Ident {
    Ident::new("__next", handler.next.unwrap_or(handler.output))
}

/// The event as written, for the head of an impl, where the lifetimes of an alias would not be found.
fn written(handler: &HookFunction, event: &TokenStream) -> TokenStream {
    match &handler.event {
        Handled::One { written, .. } => {
            driver::moved(&written.ty.to_token_stream(), handler.event.span())
        }
        Handled::Every { .. } => event.clone(),
    }
}

/// The event that the dispatch passes, as `&E` or `&mut E`.
pub(super) fn held(handler: &HookFunction) -> Ident {
    Ident::new("__event", handler.event.span())
}
