//! The object-safe form of a vocabulary: a trait for hooks that exist only at run time.
//!
//! The trait looks as `#[async_trait]` would write it, so that users can implement it with `#[async_trait]`. There is
//! one difference: all methods call `handle_any` by default, whose default returns a future without size, and boxing
//! that allocates nothing.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Lifetime;
use syn::spanned::Spanned;

use super::views::said_of;
use crate::driver;
use crate::hook_event::parse::{Event, Kind, Vocabulary};

pub(super) fn handler(vocabulary: &Vocabulary) -> TokenStream {
    let the_trait = the_trait(vocabulary);
    let pointers = pointers(vocabulary);
    let hooks = [of_pipeline(vocabulary), of_hooks(vocabulary)];
    let run_time = run_time(vocabulary);
    quote!(#the_trait #pointers #(#hooks)* #run_time)
}

fn the_trait(vocabulary: &Vocabulary) -> TokenStream {
    let Vocabulary {
        core,
        visibility,
        ident,
        handler,
        mutable,
        said,
        events,
        ..
    } = vocabulary;
    let methods = events.iter().map(|event| {
        let Method {
            signature, payload, ..
        } = Method::of(vocabulary, event);
        let Event { docs, variant, .. } = event;
        quote! {
            #(#docs)*
            #[allow(missing_docs)]
            #signature {
                #core::__private::fall_back::<#payload>(
                    self.handle_any(cx, #mutable::#variant(event)),
                )
            }
        }
    });
    let decided = decided(vocabulary);
    let [listens, registry, listen, told] = witnesses(vocabulary);
    let handle_any = handle_any(vocabulary);
    let doc = format!(
        "A handler for events of [`{ident}`] that is added at run time: see `HookRegistry`.\n\n\
         Implement this trait under `#[async_trait]`. Write one `async fn` for each event that you handle. \
         The method of every other event calls `handle_any`, which does nothing by default. Override \
         `handle_any` to handle every event.",
    );
    quote! {
        #[doc = #doc]
        #visibility trait #handler: ::core::marker::Send + ::core::marker::Sync {
            /// The name of the handler in plans and in `cancel.hook`. By default, it is the name of the type.
            fn name(&self) -> &str {
                ::core::any::type_name::<Self>()
            }

            /// The priority of the handler in a registry. A higher priority runs first. The default is 0.
            fn priority(&self) -> i32 {
                0
            }

            /// The events that the handler wants. The default is all of them. A registry does not call the handler
            /// for any other event.
            fn events(&self) -> #core::EventSet {
                #core::EventSet::ALL
            }

            /// The subjects that the handler wants, such as the names of tools. The default, `None`, is all of them. A
            /// registry does not call the handler for an event about any other subject.
            fn only(&self) -> ::core::option::Option<&dyn #core::Only> {
                ::core::option::Option::None
            }

            #[doc(hidden)]
            fn wraps_around(&self) -> #core::EventSet {
                #core::EventSet::NONE
            }

            /// Handles every event whose own method is not overridden. By default, it does nothing.
            #[allow(unused_variables)]
            #handle_any {
                #core::__private::GoOn::<#said>::boxed()
            }

            /// Receives an event that an earlier hook or handler has blocked or answered. This handler does not get
            /// to handle that event. Use this method for logs. By default, it does nothing.
            #[allow(unused_variables)]
            #decided {}

            #[doc(hidden)]
            #listens {
                false
            }

            #[doc(hidden)]
            #registry {
                ::core::option::Option::None
            }

            #[doc(hidden)]
            #[allow(unused_variables)]
            #listen {}

            #[doc(hidden)]
            #told {
                self.decided(cx, event, told.decision());
            }

            #(#methods)*
        }
    }
}

/// The method for any event, as `#[async_trait]` writes it.
fn handle_any(vocabulary: &Vocabulary) -> TokenStream {
    let Vocabulary {
        core,
        context,
        mutable,
        said,
        ..
    } = vocabulary;
    quote! {
        fn handle_any<'life0, 'life1, 'life2, 'async_trait>(
            &'life0 self,
            cx: &'life1 #context,
            event: #mutable<'life2>,
        ) -> #core::__private::BoxFuture<'async_trait, #said>
        where
            'life0: 'async_trait,
            'life1: 'async_trait,
            'life2: 'async_trait,
            Self: 'async_trait
    }
}

/// The method for the decisions of others.
fn decided(vocabulary: &Vocabulary) -> TokenStream {
    let Vocabulary {
        core,
        ident,
        context,
        ..
    } = vocabulary;
    quote! {
        fn decided(&self, cx: &#context, event: #ident<'_>, decision: #core::Decision<'_>)
    }
}

/// The methods for witnesses: whether the handler asks for them, the handlers of the registry that it is, how the handler
/// asks, and what it is told.
fn witnesses(vocabulary: &Vocabulary) -> [TokenStream; 4] {
    let Vocabulary {
        core,
        ident,
        context,
        ..
    } = vocabulary;
    let private = quote!(#core::__private);
    [
        quote!(fn listens(&self) -> ::core::primitive::bool),
        quote!(fn registry(&self) -> ::core::option::Option<[&dyn ::core::any::Any; 2]>),
        quote!(fn listen(&self, witnesses: &mut #private::Witnesses<#ident<'static>>)),
        quote!(fn told(&self, cx: &#context, event: #ident<'_>, told: #private::Told<'_, #ident<'static>>)),
    ]
}

/// Implements the trait for pointers to a handler.
fn pointers(vocabulary: &Vocabulary) -> TokenStream {
    let Vocabulary {
        core,
        handler,
        events,
        ..
    } = vocabulary;
    let decided = decided(vocabulary);
    let [listens, registry, listen, told] = witnesses(vocabulary);
    let handle_any = handle_any(vocabulary);
    let forwarded: Vec<_> = events
        .iter()
        .map(|event| {
            let signature = Method::of(vocabulary, event).signature;
            let method = &event.method;
            quote!(#signature { (**self).#method(cx, event) })
        })
        .collect();
    // Not for a pipeline: the registry must take it as hooks, not as a handler. See `Pipeline`.
    let any = (quote!(<__H: #handler + ::core::marker::Unpin>), quote!(__H));
    let unsized_one = (quote!(), quote!(dyn #handler));
    [quote!(Box), quote!(Arc)]
        .into_iter()
        .flat_map(|pointer| {
            [
                (pointer.clone(), any.clone()),
                (pointer, unsized_one.clone()),
            ]
        })
        .map(|(pointer, (generics, held))| {
            quote! {
                #[automatically_derived]
                #[diagnostic::do_not_recommend]
                impl #generics #handler for #core::__private::#pointer<#held> {
                    fn name(&self) -> &str {
                        (**self).name()
                    }
                    fn priority(&self) -> i32 {
                        (**self).priority()
                    }
                    fn events(&self) -> #core::EventSet {
                        (**self).events()
                    }
                    fn only(&self) -> ::core::option::Option<&dyn #core::Only> {
                        (**self).only()
                    }
                    fn wraps_around(&self) -> #core::EventSet {
                        (**self).wraps_around()
                    }
                    #handle_any {
                        (**self).handle_any(cx, event)
                    }
                    #decided {
                        (**self).decided(cx, event, decision);
                    }
                    #listens {
                        (**self).listens()
                    }
                    #registry {
                        (**self).registry()
                    }
                    #listen {
                        (**self).listen(witnesses);
                    }
                    #told {
                        (**self).told(cx, event, told);
                    }
                    #(#forwarded)*
                }
            }
        })
        .collect()
}

/// Implements the trait for a pipeline, so that a `Box` of one can become a `Box<dyn ShopHandler>`.
fn of_pipeline(vocabulary: &Vocabulary) -> TokenStream {
    let Vocabulary { core, hooks, .. } = vocabulary;
    let pipeline = quote!(#core::Pipeline<__H>);
    let generics = quote!(<__H: #core::Hook>);
    static_hooks(
        vocabulary,
        &generics,
        &pipeline,
        &quote!(where #pipeline: #hooks),
        &quote!(self),
    )
}

/// Other static hooks become handlers through a type of ours.
fn of_hooks(vocabulary: &Vocabulary) -> TokenStream {
    let Vocabulary { core, hooks, .. } = vocabulary;
    let holder = quote!(#core::__private::AsHandler<__H>);
    static_hooks(
        vocabulary,
        &quote!(<__H: #hooks>),
        &holder,
        &quote!(),
        &quote!(&self.0),
    )
}

/// Static hooks as a handler.
fn static_hooks(
    vocabulary: &Vocabulary,
    generics: &TokenStream,
    holder: &TokenStream,
    bounds: &TokenStream,
    held: &TokenStream,
) -> TokenStream {
    let Vocabulary {
        core,
        ident,
        handler,
        mutable,
        events,
        ..
    } = vocabulary;
    let private = quote!(#core::__private);
    let decided = decided(vocabulary);
    let [listens, registry, listen, told] = witnesses(vocabulary);
    let handle_any = handle_any(vocabulary);
    let all_told = events.iter().map(|event| {
        let variant = &event.variant;
        match event.kind {
            Kind::Observe => quote!(#ident::#variant(_) => {}),
            Kind::Intercept(_) => {
                quote!(#ident::#variant(event) => #private::decided(#held, cx, event, told),)
            }
        }
    });
    let dispatched = events.iter().map(|event| {
        let Method {
            signature, payload, ..
        } = Method::of(vocabulary, event);
        let dispatch = match event.kind {
            Kind::Observe => quote!(observe_boxed),
            Kind::Intercept(_) => quote!(intercept_boxed),
        };
        quote!(#signature { #private::#dispatch::<_, #payload>(#held, cx, event) })
    });
    // A hook that asks for witnesses handles every event, so it is asked with any event that it can change.
    let witnessed = events
        .iter()
        .find(|event| event.intercept().is_some())
        .map(|event| {
            let payload = event.payload.for_static();
            quote! {
                #listens {
                    #private::listens::<_, #payload>(#held)
                }
                #listen {
                    #private::listen::<_, #payload>(#held, witnesses);
                }
            }
        });
    let any = events.iter().map(|event| {
        let variant = &event.variant;
        let said = said_of(vocabulary, event, held, &quote!(cx), &quote!(event));
        quote!(#mutable::#variant(event) => #private::Box::pin(async move { #said }),)
    });
    quote! {
        /// One hook has its own name and priority.
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #generics #handler for #holder #bounds {
            fn name(&self) -> &str {
                let only = #core::Hook::plan(#held).only_hook();
                only.map_or("Pipeline", |(name, _)| name)
            }
            fn priority(&self) -> i32 {
                let only = #core::Hook::plan(#held).only_hook();
                only.map_or(0, |(_, priority)| priority)
            }
            fn events(&self) -> #core::EventSet {
                #private::events_of(#held)
            }
            fn wraps_around(&self) -> #core::EventSet {
                #core::Hook::wrapped(#held)
            }
            #handle_any {
                match event {
                    #(#any)*
                }
            }
            #decided {
                #handler::told(self, cx, event, decision.into());
            }
            #registry {
                #core::Hook::registry(#held)
            }
            #witnessed
            #told {
                match event {
                    #(#all_told)*
                }
            }
            #(#dispatched)*
        }
    }
}

/// How a handler is asked about each event.
fn asked(vocabulary: &Vocabulary) -> TokenStream {
    let Vocabulary {
        core,
        handler,
        context,
        events,
        ..
    } = vocabulary;
    let private = quote!(#core::__private);
    let asked = events.iter().map(|event| {
        let Event {
            payload, method, ..
        } = event;
        let (ty, lifetimes) = (&payload.ty, &payload.lifetimes);
        let mutability = event.intercept().map(|_| quote!(mut));
        let said = super::views::said_of_one(core, event);
        let subject = event.subject.as_ref().map(|_| {
            quote! {
                fn subject(&self) -> ::core::option::Option<&str> {
                    ::core::option::Option::Some(#core::Subject::subject(self))
                }
            }
        });
        // A mistake in a payload is reported at the payload, and equal messages only once.
        quote_spanned! {driver::at(ty.span())=>
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl<#(#lifetimes),*> #private::Handled for #ty {
                fn ask<'__a>(
                    __handler: &'__a (dyn #handler + 'static),
                    __cx: &'__a #context,
                    __event: &'__a #mutability Self,
                ) -> #private::BoxFuture<'__a, #said> {
                    __handler.#method(__cx, __event)
                }

                #subject
            }
        }
    });
    quote!(#(#asked)*)
}

/// How a registry holds and runs the handlers.
fn run_time(vocabulary: &Vocabulary) -> TokenStream {
    let Vocabulary {
        core,
        ident,
        hooks,
        handler,
        ..
    } = vocabulary;
    let private = quote!(#core::__private);
    let asked = asked(vocabulary);
    quote! {
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #core::RunTime for #ident<'_> {
            type Handler = dyn #handler;

            fn name(__handler: &Self::Handler) -> &str {
                __handler.name()
            }

            fn priority(__handler: &Self::Handler) -> i32 {
                __handler.priority()
            }

            fn events(__handler: &Self::Handler) -> #core::EventSet {
                __handler.events()
            }

            fn wrapped(__handler: &Self::Handler) -> #core::EventSet {
                __handler.wraps_around()
            }

            fn only(
                __handler: &Self::Handler,
            ) -> ::core::option::Option<&dyn #core::Only> {
                __handler.only()
            }

            fn listens(__handler: &Self::Handler) -> ::core::primitive::bool {
                __handler.listens()
            }

            fn registry(
                __handler: &Self::Handler,
            ) -> ::core::option::Option<[&dyn ::core::any::Any; 2]> {
                __handler.registry()
            }

            fn listen(__handler: &Self::Handler, __witnesses: &mut #private::Witnesses<Self>)
            where
                Self: 'static,
            {
                __handler.listen(__witnesses);
            }

            fn told(
                __handler: &Self::Handler,
                __cx: &Self::Context,
                __view: Self::View<'_>,
                __told: #private::Told<'_, Self>,
            ) where
                Self: 'static,
            {
                __handler.told(__cx, __view, __told);
            }
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<__H: #handler + ::core::marker::Unpin + 'static> #core::Handles<__H, #core::ByHandler>
            for #ident<'_>
        {
            fn handler(__handler: __H) -> #private::Arc<dyn #handler> {
                #private::Arc::new(__handler)
            }
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<__H: #hooks + 'static> #core::Handles<__H, #core::ByHooks> for #ident<'_> {
            fn handler(__hooks: __H) -> #private::Arc<dyn #handler> {
                #private::Arc::new(#private::AsHandler(__hooks))
            }
        }

        #asked
    }
}

/// A handler's method for one event.
struct Method {
    /// As `#[async_trait]` writes it: lifetimes of the receiver, the context, the event, and what is elided in the
    /// event's type, in that order, and that of the future. A return type that names the event's type cannot elide
    /// its lifetimes, so they have names then, and `#[async_trait]` writes names first:
    /// `async fn ask<'a>(&self, cx: &Context, event: &mut Ask<'a>) -> HookAction<Ask<'a>>`.
    signature: TokenStream,
    /// The payload's type in the signature.
    payload: TokenStream,
}

impl Method {
    fn of(vocabulary: &Vocabulary, event: &Event) -> Self {
        let Vocabulary { core, context, .. } = vocabulary;
        let private = quote!(#core::__private);
        let Event {
            payload,
            method,
            kind,
            ..
        } = event;
        let life = |nth: usize| Lifetime::new(&format!("'life{nth}"), Span::call_site());
        let all: Vec<_> = (0..3 + payload.lifetimes.len()).map(life).collect();
        let (the_self, the_context, the_event) = (&all[0], &all[1], &all[2]);
        let payload =
            crate::lifetimes::AnyLifetime::renamed(payload, &all[3..]).into_token_stream();
        let (mutability, said) = match kind {
            Kind::Observe => (None, quote!(())),
            Kind::Intercept(_) => (Some(quote!(mut)), quote!(#core::HookAction<#payload>)),
        };
        let (own, of_payload) = all.split_at(3);
        let in_order = match kind {
            Kind::Observe => [own, of_payload].concat(),
            Kind::Intercept(_) => [of_payload, own].concat(),
        };
        let signature = quote! {
            fn #method<#(#in_order,)* 'async_trait>(
                &#the_self self,
                cx: &#the_context #context,
                event: &#the_event #mutability #payload,
            ) -> #private::BoxFuture<'async_trait, #said>
            where
                #(#all: 'async_trait,)*
                Self: 'async_trait
        };
        Method { signature, payload }
    }
}
