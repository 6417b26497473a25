//! What `#[derive(HookEvent)]` writes, beside the handler trait.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::Lifetime;
use syn::spanned::Spanned;

use super::handler;
use super::parse::{Event, Intercept, Kind, Vocabulary};
use crate::driver;
use crate::lifetimes::AnyLifetime;

pub(super) fn vocabulary(vocabulary: &Vocabulary) -> TokenStream {
    let the_enum = the_enum(vocabulary);
    let events = vocabulary
        .events
        .iter()
        .enumerate()
        .map(|(slot, event)| the_event(vocabulary, slot, event));
    let hooks = hooks(vocabulary);
    let handler = handler::handler(vocabulary);
    quote! {
        #the_enum
        #(#events)*
        #hooks
        #handler
    }
}

/// The enum as a vocabulary, for any lifetime: an event's vocabulary is that of `'static`, but in the type
/// of a future rustc forgets which lifetime it was.
fn the_enum(vocabulary: &Vocabulary) -> TokenStream {
    let Vocabulary {
        core,
        ident,
        handler,
        context,
        events,
        ..
    } = vocabulary;
    let private = quote!(#core::__private);
    let variants: Vec<_> = events.iter().map(|event| &event.variant).collect();
    let names: Vec<_> = variants
        .iter()
        .map(|variant| driver::text_of(variant))
        .collect();
    quote! {
        impl #ident<'_> {
            /// The names of all events, in order.
            pub const NAMES: &'static [&'static str] = &[#(#names),*];

            /// The event's name: that of the variant.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    #(#ident::#variants(_) => #names,)*
                }
            }
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #core::Vocabulary for #ident<'_> {
            type Context = #context;
            type View<'__a> = #ident<'__a>;
            type Handler = dyn #handler;
            const EVENTS: &'static [&'static str] = Self::NAMES;

            fn name_of(__view: &Self::View<'_>) -> &'static str {
                match __view {
                    #(#ident::#variants(__event) => #names,)*
                }
            }

            fn handler_name(__handler: &Self::Handler) -> &str {
                __handler.name()
            }

            fn handler_priority(__handler: &Self::Handler) -> i32 {
                __handler.priority()
            }

            fn handler_decided(
                __handler: &Self::Handler,
                __cx: &Self::Context,
                __view: Self::View<'_>,
                __decision: #core::Decision<'_>,
            ) {
                __handler.decided(__cx, __view, __decision);
            }
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<'__a> #core::SharesVocabulary<#ident<'__a>> for #ident<'_> {
            type Common = #ident<'static>;
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #core::SharesVocabulary<#core::AnyVocabulary> for #ident<'_> {
            type Common = #ident<'static>;
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #core::ContextOf<#ident<'_>> for #context {
            fn of(__context: &#context) -> &#context {
                __context
            }
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<__H: #handler + 'static> #core::Handles<__H> for #ident<'_> {
            fn boxed(__handler: __H) -> #private::Box<dyn #handler> {
                #private::Box::new(__handler)
            }
        }
    }
}

/// One payload as an event.
fn the_event(vocabulary: &Vocabulary, slot: usize, event: &Event) -> TokenStream {
    let Vocabulary { core, ident, .. } = vocabulary;
    let Event {
        variant,
        payload,
        kind,
        method,
        subject,
        ..
    } = event;
    let private = quote!(#core::__private);
    let (ty, lifetimes) = (&payload.ty, &payload.lifetimes);
    let name = driver::text_of(variant);
    let slot = (0..slot).fold(
        quote!(#private::Zero),
        |slot, _| quote!(#private::Succ<#slot>),
    );
    let of = |lifetime: &str| payload.with(&Lifetime::new(lifetime, ty.span()));
    let (at, view) = (of("'__x"), of("'__a"));
    let kind = kind_of(core, payload, kind);
    let Parts {
        name: kind_name,
        response,
        patch,
        markers,
    } = &kind;
    let subject = subject.as_ref().map(|field| {
        quote_spanned! {driver::at(field.span())=>
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl<#(#lifetimes),*> #core::Subject for #ty {
                fn subject(&self) -> &str {
                    &self.#field
                }
            }
        }
    });
    quote_spanned! {driver::at(ty.span())=>
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<#(#lifetimes),*> #core::Event for #ty {
            type Vocabulary = #ident<'static>;
            type Kind = #core::#kind_name;
            type Response = #response;
            type Patch = #patch;
            const NAME: &'static str = #name;
            type Slot = #slot;
            type At<'__x> = #at;

            fn view(&self) -> #ident<'_> {
                #ident::#variant(self)
            }

            fn ask<'__a>(
                __handler: &'__a #private::Handler<Self>,
                __cx: &'__a #core::Context<Self>,
                __event: #private::Access<'__a, Self>,
            ) -> #private::BoxFuture<'__a, #private::Said<Self>> {
                __handler.#method(__cx, __event)
            }
        }

        #markers
        #subject

        #[automatically_derived]
        impl<'__a> ::core::convert::From<&'__a #view> for #ident<'__a> {
            fn from(__event: &'__a #view) -> Self {
                #ident::#variant(__event)
            }
        }
    }
}

/// What the kind of an event says of it.
struct Parts {
    name: TokenStream,
    response: TokenStream,
    patch: TokenStream,
    /// The impls of the traits that say what its hooks may do.
    markers: TokenStream,
}

fn kind_of(core: &TokenStream, payload: &AnyLifetime, kind: &Kind) -> Parts {
    let (ty, lifetimes) = (&payload.ty, &payload.lifetimes);
    let never = quote!(::core::convert::Infallible);
    let Kind::Intercept(intercept) = kind else {
        return Parts {
            name: quote!(Observe),
            response: never,
            patch: quote!(Self),
            markers: quote!(),
        };
    };
    let Intercept {
        respond,
        patch,
        no_block,
    } = intercept.as_ref();
    let span = driver::at(ty.span());
    let blockable = (!no_block).then(|| {
        quote_spanned! {span=>
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl<#(#lifetimes),*> #core::Blockable for #ty {}
        }
    });
    let respondable = respond.as_ref().map(|respond| {
        quote_spanned! {span=>
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl<#(#lifetimes),*> #core::Respondable for #ty {
                type Answer = #respond;
            }
        }
    });
    Parts {
        name: quote!(Intercept),
        response: respond.as_ref().map_or(never, ToTokens::to_token_stream),
        patch: patch
            .as_ref()
            .map_or(quote!(Self), ToTokens::to_token_stream),
        markers: quote_spanned! {span=>
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl<#(#lifetimes),*> #core::Intercepted for #ty {
                fn shorten(__action: #core::HookAction<Self::At<'static>>) -> #core::HookAction<Self> {
                    __action.map(|__patch| __patch, |__response| __response)
                }
            }
            #blockable
            #respondable
        },
    }
}

/// The one bound that an agent author writes.
fn hooks(vocabulary: &Vocabulary) -> TokenStream {
    let Vocabulary {
        core,
        visibility,
        ident,
        hooks,
        events,
        ..
    } = vocabulary;
    let bounds: Vec<_> = events
        .iter()
        .map(|event| {
            let (ty, lifetimes) = (&event.payload.ty, &event.payload.lifetimes);
            let way_in = match event.kind {
                Kind::Observe => quote!(Observes),
                Kind::Intercept(_) => quote!(Intercepts),
            };
            quote!(for<#(#lifetimes),*> #core::#way_in<#ty>)
        })
        .collect();
    let doc = format!(
        "Hooks for every event of [`{ident}`]: the bound of an agent that is generic over its hooks.\n\n\
         Met by every pipeline of this vocabulary, and by a single hook. A future that dispatches through \
         it is `Send`. Its methods are those of [`Hook`]({core}::Hook), [`Observes`]({core}::Observes) and \
         [`Intercepts`]({core}::Intercepts).",
    )
    .replace(":: ", "::")
    .replace(" ::", "::");
    let message = format!("these are no hooks of the vocabulary `{ident}`");
    let note = format!(
        "an agent that is generic over `{hooks}` takes `hooks![…]`, or one hook, of the events of \
         `{ident}`"
    );
    quote! {
        #[doc = #doc]
        #[diagnostic::on_unimplemented(
            message = #message,
            label = "not hooks of this vocabulary",
            note = #note
        )]
        #visibility trait #hooks:
            #core::Hook<Vocabulary: #core::SharesVocabulary<#ident<'static>>>
            #(+ #bounds)*
        {}

        #[diagnostic::do_not_recommend]
        impl<__H> #hooks for __H
        where
            __H: #core::Hook<Vocabulary: #core::SharesVocabulary<#ident<'static>>>
                #(+ #bounds)*,
        {}
    }
}
