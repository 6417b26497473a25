//! A hook in a box, of one method: a trait for hooks whose events are known only at run time. And what puts any hooks of
//! the vocabulary into a box.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::driver;
use crate::hook_event::parse::{EventEnum, EventVariant};

pub(super) fn handler(vocabulary: &EventEnum) -> TokenStream {
    let the_trait = the_trait(vocabulary);
    let hook = hook(vocabulary);
    let boxes = boxes(vocabulary);
    quote!(#the_trait #hook #boxes)
}

fn the_trait(vocabulary: &EventEnum) -> TokenStream {
    let EventEnum {
        visibility,
        ident,
        handler,
        mutable,
        said,
        context,
        ..
    } = vocabulary;
    let doc = format!(
        "A hook in a box, for events of [`{ident}`] that are known only at run time, such as those of a hook of a \
         file.\n\n\
         Implement this trait under `#[async_trait]`. A `Box<dyn {handler}>` is a hook: a list, a registry and every \
         wrapper takes it. A plugin that knows its events is a `#[hook] impl Plugin {{ … }}`."
    );
    quote! {
        #[doc = #doc]
        #visibility trait #handler: ::core::marker::Send + ::core::marker::Sync {
            /// Handles one event. The action has to fit it: an action on another event blocks this one.
            #[allow(clippy::type_complexity)]
            fn handle<'life0, 'life1, 'life2, 'async_trait>(
                &'life0 self,
                cx: &'life1 #context,
                event: #mutable<'life2>,
            ) -> ::core::pin::Pin<
                ::hooks_core::__private::Box<
                    dyn ::core::future::Future<Output = #said>
                        + ::core::marker::Send
                        + 'async_trait,
                >,
            >
            where
                'life0: 'async_trait,
                'life1: 'async_trait,
                'life2: 'async_trait,
                Self: 'async_trait;

            /// The name in plans and in `cancel.hook`. The default is the name of the type.
            fn name(&self) -> &str {
                ::core::any::type_name::<Self>()
            }

            /// The priority in a registry. A higher priority runs first. The default is 0.
            fn priority(&self) -> i32 {
                0
            }

            /// Whether the hook wants an event, about a subject such as the name of a tool. The default is to want all.
            ///
            /// The answer does not change. A registry asks without a subject when you register the hook, and once for
            /// each subject, and remembers the answers: a hook that returns `false` without a subject is never asked
            /// about that event again. What depends on more than the subject is [`matches`](Self::matches).
            fn wants(
                &self,
                _event: &::hooks_core::EventInfo,
                _subject: ::core::option::Option<&str>,
            ) -> bool {
                true
            }

            /// Whether the hook runs on this event, which it wants. The default is yes.
            ///
            /// It is asked for each event, and is cheap beside [`handle`](Self::handle): nothing is boxed for it, and
            /// the event is not copied.
            fn matches(&self, _cx: &#context, _event: &#ident<'_>) -> bool {
                true
            }

            /// Whether the hook is a guard, which only allows or cancels: it then judges the final form of the event
            /// as well. The default is no.
            fn is_guard(&self) -> bool {
                false
            }
        }
    }
}

/// The box as a hook.
fn hook(vocabulary: &EventEnum) -> TokenStream {
    let EventEnum { ident, handler, .. } = vocabulary;
    quote! {
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<'__h> ::hooks_core::Hook for dyn #handler + '__h {
            type Vocabulary = #ident<'static>;
            type Rank = ::hooks_core::__private::rank!(0);
            type Answers = ::hooks_core::__private::Every<::hooks_core::__private::One>;
            type Exact = Self::Answers;
            type Wraps = ();

            fn name(&self) -> ::hooks_core::__private::Name<'_> {
                ::hooks_core::__private::Name::Given(#handler::name(self))
            }

            fn wanted(&self) -> ::hooks_core::EventSet {
                let mut __wanted = ::hooks_core::EventSet::NONE;
                for __event in #ident::INFO {
                    if self.wants(__event, ::core::option::Option::None) {
                        __wanted = __wanted | ::hooks_core::EventSet::one(__event);
                    }
                }
                __wanted
            }

            fn is_wanted(&self, __event: &::hooks_core::EventInfo) -> ::core::primitive::bool {
                self.wants(__event, ::core::option::Option::None)
            }

            fn concerns(&self, __event: &::hooks_core::EventInfo, __subject: &::core::primitive::str) -> ::core::primitive::bool {
                self.wants(__event, ::core::option::Option::Some(__subject))
            }

            fn describe(&self, __plan: &mut ::hooks_core::__private::Planner) {
                __plan.given(
                    #handler::name(self),
                    #handler::priority(self),
                    ::hooks_core::Hook::wanted(self),
                    #handler::is_guard(self),
                    #ident::INFO,
                );
            }
        }

        // `call` repeats the bounds of the trait's method: without them, rustc does not see that the trait object
        // outlives its own future.
        #[automatically_derived]
        impl<'__h, __E: ::hooks_core::AnyEvent<Vocabulary = #ident<'static>>> ::hooks_core::__private::Leaf<__E> for dyn #handler + '__h {
            type Said = ::hooks_core::__private::ActionOn<__E>;
            type Timing = ::hooks_core::__private::Asynchronous;
            type Facts = ::hooks_core::__private::ChangesAndGuards;
            const MUTATES: ::core::primitive::bool = true;

            fn is_guard(&self) -> ::core::primitive::bool {
                #handler::is_guard(self)
            }

            fn wants(&self, __cx: &::hooks_core::Context<__E>, __event: &__E) -> ::core::primitive::bool {
                #handler::wants(self, __E::INFO, ::hooks_core::Event::subject_of(__event))
                    && #handler::matches(self, __cx, &::hooks_core::Event::view(__event))
            }

            async fn call<'__a>(
                &'__a self,
                __cx: &'__a ::hooks_core::Context<__E>,
                __event: ::hooks_core::__private::Access<'__a, __E>,
            ) -> ::hooks_core::__private::ActionOn<__E>
            where
                __E: ::hooks_core::AnyEvent,
                Self: ::core::marker::Sync,
            {
                let __said = self.handle(__cx, <__E as ::hooks_core::Event>::view_mut(__event));
                <__E as ::hooks_core::AnyEvent>::fit(
                    ::hooks_core::__private::traced(
                        #handler::name(self),
                        <__E as ::hooks_core::Event>::NAME,
                        __said,
                    )
                    .await,
                )
            }
        }
    }
}

/// What puts hooks of this vocabulary into a box.
fn boxes(vocabulary: &EventEnum) -> TokenStream {
    let EventEnum {
        ident,
        hooks,
        mutable,
        said,
        context,
        events,
        ..
    } = vocabulary;
    let payloads: Vec<_> = events
        .iter()
        .map(|event| {
            let span = driver::at(event.payload.ty.span());
            let payload = event.payload.with(&syn::Lifetime::new("'_", span));
            quote_spanned!(span=> #payload)
        })
        .collect();
    let statics: Vec<_> = events
        .iter()
        .map(|event| event.payload.for_static())
        .collect();
    let variants: Vec<_> = events.iter().map(|event| &event.variant).collect();
    let asked = events.iter().zip(&payloads).map(|(event, payload)| {
        let EventVariant { variant, .. } = event;
        let is_lent = event.intercept().is_none() || event.is_lent_mut();
        let ask = if is_lent {
            quote!(ask_boxed)
        } else {
            quote!(ask_boxed_copy)
        };
        quote! {
            #mutable::#variant(__event) => {
                <::hooks_core::__private::ExactOf<__H, #payload> as ::hooks_core::__private::Mode>::then(
                    move || ::hooks_core::__private::#ask::<__H, #payload>(__hooks, __cx, __event, __watch),
                )
            }
        }
    });
    quote! {
        ::hooks_core::__private::boxes! {
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl<__H: #hooks> ::hooks_core::__private::Boxes<__H> for #ident<'static> {
                const KNOWN: ::hooks_core::__private::BoxFacts = ::hooks_core::__private::BoxFacts::NONE
                    #(.on::<__H, #statics>())*;

                fn wants(
                    __hooks: &__H,
                    __cx: &#context,
                    __event: #ident<'_>,
                ) -> ::core::primitive::bool {
                    match __event {
                        #(#ident::#variants(__event) => {
                            <::hooks_core::__private::ExactOf<__H, #payloads> as ::hooks_core::__private::Mode>::then(
                                || ::hooks_core::__private::wants_boxed::<__H, #payloads>(__hooks, __cx, __event),
                            )
                        })*
                    }
                }

                fn call<'__w, '__a: '__w>(
                    __hooks: &'__w __H,
                    __cx: &'__w #context,
                    __event: #mutable<'__a>,
                    __watch: &'__w mut (dyn ::hooks_core::__private::AnyWatch<Self> + '__w),
                ) -> ::hooks_core::__private::Called<'__w, #said> {
                    match __event {
                        #(#asked)*
                    }
                }
            }
        }
    }
}
