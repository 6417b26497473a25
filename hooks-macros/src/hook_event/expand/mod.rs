//! Writes the expansion of `#[derive(HookEvent)]`.
//!
//! | file | writes |
//! | --- | --- |
//! | this one | the vocabulary, each of its events, and the bounds `ShopHooks` and `ShopHooksNow` |
//! | `views` | `ShopEventMut` and `ShopSaid`, for hooks on every event |
//! | `handler` | `ShopHandler`, for hooks that exist only at run time |
//! | `table` | the table of all events in the docs |

mod handler;
mod table;
mod views;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::Lifetime;
use syn::spanned::Spanned;

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
    let views = views::views(vocabulary);
    let hooks = hooks(vocabulary);
    let handler = handler::handler(vocabulary);
    quote! {
        #the_enum
        #(#events)*
        #views
        #hooks
        #handler
    }
}

/// The enum as a vocabulary, for any lifetime. The vocabulary of an event is the enum for `'static`, but rustc
/// forgets the lifetime in the type of a future.
fn the_enum(vocabulary: &Vocabulary) -> TokenStream {
    let Vocabulary {
        core,
        ident,
        mutable,
        context,
        events,
        ..
    } = vocabulary;
    let table = table::of(vocabulary);
    let variants: Vec<_> = events.iter().map(|event| &event.variant).collect();
    let names: Vec<_> = variants
        .iter()
        .map(|variant| driver::text_of(variant))
        .collect();
    quote! {
        #[doc = #table]
        impl #ident<'_> {
            /// The names of all events, in order.
            pub const NAMES: &'static [&'static str] = &[#(#names),*];

            /// The name of the event, which is the name of its variant.
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
            type Mut<'__a> = #mutable<'__a>;
            const EVENTS: &'static [&'static str] = Self::NAMES;

            fn name_of(__view: &Self::View<'_>) -> &'static str {
                match __view {
                    #(#ident::#variants(__event) => #names,)*
                }
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

        #core::__private::sorts!(#ident<'static>);

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #core::ContextOf<#ident<'_>> for #context {
            fn of(__context: &#context) -> &#context {
                __context
            }
        }
    }
}

/// One payload as an event.
fn the_event(vocabulary: &Vocabulary, slot: usize, event: &Event) -> TokenStream {
    let Vocabulary {
        core,
        ident,
        mutable,
        ..
    } = vocabulary;
    let Event {
        variant,
        payload,
        kind,
        subject,
        ..
    } = event;
    let is_blockable = event
        .intercept()
        .is_some_and(|intercept| !intercept.no_block);
    let is_approval = event
        .intercept()
        .is_some_and(|intercept| intercept.approval);
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
            const BLOCKABLE: bool = #is_blockable;
            const IS_APPROVAL: bool = #is_approval;
            type Slot = #slot;
            type At<'__x> = #at;

            fn view(&self) -> #ident<'_> {
                #ident::#variant(self)
            }

            fn view_mut(
                __access: <#core::#kind_name as #core::Kind>::Access<'_, Self>,
            ) -> #mutable<'_> {
                #mutable::#variant(__access)
            }

            fn saved(&self) -> ::core::option::Option<Self> {
                // Which of the two applies depends on whether the event is `Clone`.
                #[allow(unused_imports)]
                use #private::{CanSave as _, CannotSave as _};
                (&#private::Saving(self)).save()
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

/// The parts that depend on the kind of an event.
struct Parts {
    name: TokenStream,
    response: TokenStream,
    patch: TokenStream,
    /// The impls of the traits for what its hooks may do.
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
        around,
        approval: _,
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
    let wrapped = around.as_ref().map(|work| {
        quote_spanned! {span=>
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl<#(#lifetimes),*> #core::Wrapped for #ty {
                type Work = #work;
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
                fn patch_of(
                    __patch: <Self::At<'static> as #core::Event>::Patch,
                ) -> <Self as #core::Event>::Patch {
                    __patch
                }

                fn response_of(
                    __response: <Self::At<'static> as #core::Event>::Response,
                ) -> <Self as #core::Event>::Response {
                    __response
                }
            }
            #wrapped
            #blockable
            #respondable
        },
    }
}

/// The bounds that an agent author writes.
#[expect(clippy::too_many_lines, reason = "two traits, as they are written")]
fn hooks(vocabulary: &Vocabulary) -> TokenStream {
    let Vocabulary {
        core,
        visibility,
        ident,
        hooks,
        hooks_now,
        context,
        events,
        ..
    } = vocabulary;
    let bounds = |observe: &str, intercept: &str| -> Vec<TokenStream> {
        let bound = |event: &Event| {
            let (ty, lifetimes) = (&event.payload.ty, &event.payload.lifetimes);
            let way_in = match event.kind {
                Kind::Observe => observe,
                Kind::Intercept(_) => intercept,
            };
            let way_in = proc_macro2::Ident::new(way_in, proc_macro2::Span::call_site());
            quote!(for<#(#lifetimes),*> #core::#way_in<#ty>)
        };
        events.iter().map(bound).collect()
    };
    let (later, now) = (
        bounds("Observes", "Intercepts"),
        bounds("ObservesNow", "InterceptsNow"),
    );
    let wraps: Vec<_> = events
        .iter()
        .filter(|event| {
            event
                .intercept()
                .is_some_and(|intercept| intercept.around.is_some())
        })
        .map(|event| {
            let (ty, lifetimes) = (&event.payload.ty, &event.payload.lifetimes);
            quote!(for<#(#lifetimes),*> #core::Wraps<#ty>)
        })
        .collect();
    let path = core.to_string().replace(' ', "");
    let doc = format!(
        "Hooks for every event of [`{ident}`]. An agent that is generic over its hooks takes this bound.\n\n\
         Every pipeline and every hook of this vocabulary implements it. A future that dispatches through \
         this bound is `Send`. The methods are those of [`Hook`]({path}::Hook), \
         [`Observes`]({path}::Observes) and [`Intercepts`]({path}::Intercepts).",
    );
    let doc_now = format!(
        "Synchronous hooks for every event of [`{ident}`]. An agent that is generic over its hooks, and runs \
         without an executor, takes this bound.\n\n\
         The methods are those of [`ObservesNow`]({path}::ObservesNow), \
         [`InterceptsNow`]({path}::InterceptsNow) and [`{hooks}`].",
    );
    let message = format!("these are no hooks of the vocabulary `{ident}`");
    let note = format!(
        "an agent that is generic over `{hooks}` takes `hooks![…]`, or one hook, of the events of \
         `{ident}`"
    );
    let message_now =
        format!("some of these hooks on `{ident}` must be awaited, or are no hooks of it");
    let note_now = format!(
        "`{hooks_now}` is for hooks that are plain `fn`s on every event: take `impl {hooks}` and await the \
         dispatches, or leave out the hooks that are `async`"
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
            #(+ #later)*
            #(+ #wraps)*
        {
            /// Runs these hooks only on the events for which the predicate returns `true`. The predicate takes the
            /// context and the event.
            fn when<__P>(self, predicate: __P) -> #core::When<Self, __P>
            where
                Self: ::core::marker::Sized,
                __P: ::core::ops::Fn(&#context, #ident<'_>) -> bool
                    + ::core::marker::Send
                    + ::core::marker::Sync,
            {
                #core::When::new(self, predicate)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<__H> #hooks for __H
        where
            __H: #core::Hook<Vocabulary: #core::SharesVocabulary<#ident<'static>>>
                #(+ #later)*
                #(+ #wraps)*,
        {}

        #[doc = #doc_now]
        #[diagnostic::on_unimplemented(
            message = #message_now,
            label = "not synchronous hooks of this vocabulary",
            note = #note_now
        )]
        #visibility trait #hooks_now: #hooks #(+ #now)* {}

        #[diagnostic::do_not_recommend]
        impl<__H> #hooks_now for __H where __H: #hooks #(+ #now)* {}
    }
}
