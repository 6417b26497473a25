//! The object-safe face of a vocabulary: a trait for hooks that only exist at run time.
//!
//! It is written as `#[async_trait]` would write it, so that it is implemented under `#[async_trait]`,
//! with one difference: what a handler does not override returns a future without size, and boxing that
//! allocates nothing.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::Lifetime;

use super::parse::{Event, Kind, Vocabulary};

pub(super) fn handler(vocabulary: &Vocabulary) -> TokenStream {
    let the_trait = the_trait(vocabulary);
    let pointers = pointers(vocabulary);
    let pipeline = pipeline(vocabulary);
    quote!(#the_trait #pointers #pipeline)
}

fn the_trait(vocabulary: &Vocabulary) -> TokenStream {
    let Vocabulary {
        core,
        visibility,
        ident,
        handler,
        events,
        ..
    } = vocabulary;
    let methods = events.iter().map(|event| {
        let method = Method::of(vocabulary, event);
        let Method {
            signature, said, ..
        } = &method;
        let docs = &event.docs;
        quote! {
            #(#docs)*
            #[allow(missing_docs, unused_variables)]
            #signature {
                #core::__private::GoOn::<#said>::boxed()
            }
        }
    });
    let decided = decided(vocabulary);
    let doc = format!(
        "A hook on events of [`{ident}`] that only exists at run time: see `HookRegistry`.\n\n\
         Implement it under `#[async_trait]`, with the methods of the events that it handles as \
         `async fn`s; every method has a default that does nothing.",
    );
    quote! {
        #[doc = #doc]
        #visibility trait #handler: ::core::marker::Send + ::core::marker::Sync {
            /// Its name, for plans and for `cancel.hook`; by default that of its type.
            fn name(&self) -> &str {
                ::core::any::type_name::<Self>()
            }

            /// Its priority among the handlers of a registry: a higher one runs first; by default 0.
            fn priority(&self) -> i32 {
                0
            }

            /// Told of an event on which a handler or a hook before this one has decided, and which this
            /// one is therefore not asked about: for logs. By default it does nothing.
            #[allow(unused_variables)]
            #decided {}

            #(#methods)*
        }
    }
}

/// The method for what others have decided.
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

/// A pointer to a handler is one.
fn pointers(vocabulary: &Vocabulary) -> TokenStream {
    let Vocabulary {
        core,
        handler,
        events,
        ..
    } = vocabulary;
    let decided = decided(vocabulary);
    let forwarded: Vec<_> = events
        .iter()
        .map(|event| {
            let signature = Method::of(vocabulary, event).signature;
            let method = &event.method;
            quote!(#signature { (**self).#method(cx, event) })
        })
        .collect();
    [quote!(Box), quote!(Arc)]
        .into_iter()
        .map(|pointer| {
            quote! {
                #[automatically_derived]
                #[diagnostic::do_not_recommend]
                impl<__H: #handler + ?::core::marker::Sized> #handler
                    for #core::__private::#pointer<__H>
                {
                    fn name(&self) -> &str {
                        (**self).name()
                    }
                    fn priority(&self) -> i32 {
                        (**self).priority()
                    }
                    #decided {
                        (**self).decided(cx, event, decision);
                    }
                    #(#forwarded)*
                }
            }
        })
        .collect()
}

/// A pipeline is a handler.
fn pipeline(vocabulary: &Vocabulary) -> TokenStream {
    let Vocabulary {
        core,
        ident,
        hooks,
        handler,
        events,
        ..
    } = vocabulary;
    let private = quote!(#core::__private);
    let decided = decided(vocabulary);
    let told = events.iter().map(|event| {
        let variant = &event.variant;
        match event.kind {
            Kind::Observe => quote!(#ident::#variant(_) => {}),
            Kind::Intercept(_) => {
                quote!(#ident::#variant(event) => #private::decided(self, cx, event, decision),)
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
        quote!(#signature { #private::#dispatch::<_, #payload>(self, cx, event) })
    });
    quote! {
        /// Static hooks in a registry. A pipeline of one hook has that hook's name and priority.
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<__H: #core::Hook> #handler for #core::Pipeline<__H>
        where
            #core::Pipeline<__H>: #hooks,
        {
            fn name(&self) -> &str {
                self.plan().only_hook().map_or("Pipeline", |(name, _)| name)
            }
            fn priority(&self) -> i32 {
                self.plan().only_hook().map_or(0, |(_, priority)| priority)
            }
            #decided {
                match event {
                    #(#told)*
                }
            }
            #(#dispatched)*
        }
    }
}

/// A handler's method for one event.
struct Method {
    /// As `#[async_trait]` writes it: lifetimes of the receiver, the context, the event, and what is
    /// elided in the event's type, in that order, and that of the future.
    signature: TokenStream,
    /// What it returns in the future.
    said: TokenStream,
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
        let signature = quote! {
            fn #method<#(#all,)* 'async_trait>(
                &#the_self self,
                cx: &#the_context #context,
                event: &#the_event #mutability #payload,
            ) -> #private::BoxFuture<'async_trait, #said>
            where
                #(#all: 'async_trait,)*
                Self: 'async_trait
        };
        Method {
            signature,
            said,
            payload,
        }
    }
}
