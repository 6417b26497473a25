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

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Lifetime, Visibility};

use super::parse::{EventEnum, EventVariant, VariantKind};
use crate::driver;

pub(super) fn vocabulary(vocabulary: &EventEnum) -> TokenStream {
    let the_enum = the_enum(vocabulary);
    let events = vocabulary
        .events
        .iter()
        .enumerate()
        .map(|(slot, event)| the_event(vocabulary, slot, event));
    let views = views::views(vocabulary);
    let bounds = bounds(vocabulary);
    let handler = handler::handler(vocabulary);
    quote! {
        #the_enum
        #(#events)*
        #views
        #bounds
        #handler
    }
}

/// The enum as a vocabulary, for any lifetime. The vocabulary of an event is the enum for `'static`, but rustc
/// forgets the lifetime in the type of a future.
fn the_enum(vocabulary: &EventEnum) -> TokenStream {
    let EventEnum {
        ident,
        mutable,
        said,
        context,
        events,
        ..
    } = vocabulary;
    let rows = events
        .iter()
        .enumerate()
        .map(|(slot, event)| info(slot, event));
    let slots = 0..events.len();
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

            /// All events, in order: a row for each, from which tables, schemas and dialects are made.
            pub const INFO: &'static [::hooks_core::EventInfo] = &[#(#rows),*];

            /// The event's row in the table of all events.
            #[must_use]
            pub const fn info(&self) -> &'static ::hooks_core::EventInfo {
                match self {
                    #(#ident::#variants(_) => &Self::INFO[#slots],)*
                }
            }

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
        impl ::hooks_core::Vocabulary for #ident<'_> {
            type Context = #context;
            type Static = #ident<'static>;
            type View<'__a> = #ident<'__a>;
            type Mut<'__a> = #mutable<'__a>;
            type Said = #said;
            const EVENTS: &'static [::hooks_core::EventInfo] = Self::INFO;

            fn name_of(__view: &Self::View<'_>) -> &'static str {
                match __view {
                    #(#ident::#variants(__event) => #names,)*
                }
            }
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<'__a> ::hooks_core::SharesVocabulary<#ident<'__a>> for #ident<'_> {
            type Common = #ident<'static>;
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl ::hooks_core::SharesVocabulary<::hooks_core::AnyVocabulary> for #ident<'_> {
            type Common = #ident<'static>;
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<__V> ::hooks_core::Reads<__V> for #ident<'_> {
            type Context = #context;
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        // As for `Returned` in a hook: rustc reports a context without its lifetime once.
        impl ::hooks_core::ContextOf<#ident<'_>> for <fn(&'static ()) -> #context as ::hooks_core::__private::Returned>::Type {
            fn of(__context: &Self) -> &Self {
                __context
            }
        }
    }
}

/// An event's row.
fn info(slot: usize, event: &EventVariant) -> TokenStream {
    let name = driver::text_of(&event.variant);
    let index = u32::try_from(slot).unwrap_or(u32::MAX);
    let intercept = event.intercept();
    let is_intercepted = intercept.is_some();
    let can_block = intercept.is_some_and(|intercept| !intercept.no_block);
    let can_respond = intercept.is_some_and(|intercept| intercept.respond.is_some());
    let is_approval = intercept.is_some_and(|intercept| intercept.approval);
    let has_work = intercept.is_some_and(|intercept| intercept.around.is_some());
    let subject = if let Some(field) = &event.subject {
        let field = driver::text_of(field);
        quote!(::core::option::Option::Some(#field))
    } else {
        quote!(::core::option::Option::None)
    };
    let doc = table::raised(&event.docs);
    quote! {
        ::hooks_core::EventInfo::new(
            #name, #index, #is_intercepted, #can_block, #can_respond, #is_approval, #has_work,
            #subject, #doc,
        )
    }
}

/// One payload as an event.
fn the_event(vocabulary: &EventEnum, slot: usize, event: &EventVariant) -> TokenStream {
    let EventEnum { ident, mutable, .. } = vocabulary;
    let EventVariant {
        variant,
        payload,
        subject,
        ..
    } = event;
    let ty = &payload.ty;
    let lifetimes = &payload.lifetimes;
    let of = (!lifetimes.is_empty()).then(|| quote!(<#(#lifetimes),*>));
    let name = driver::text_of(variant);
    let index = slot;
    let [high, low] = [slot / 16, slot % 16].map(Literal::usize_unsuffixed);
    let slot =
        quote!((::hooks_core::__private::Nibble<#high>, ::hooks_core::__private::Nibble<#low>));
    let [at, view] =
        ["'__x", "'__a"].map(|lifetime| payload.with(&Lifetime::new(lifetime, ty.span())));
    let kind = kind(event);
    let respond = event.intercept().and_then(|may| may.respond.as_ref());
    let response = respond.map_or(
        quote!(::core::convert::Infallible),
        ToTokens::to_token_stream,
    );
    let patch = event.intercept().and_then(|may| may.patch.as_ref());
    let patch = patch.map_or(quote!(Self), ToTokens::to_token_stream);
    let rights = rights(event);
    let subject_of = subject.as_ref().map(|_| {
        quote! {
            fn subject_of(&self) -> ::core::option::Option<&str> {
                ::core::option::Option::Some(::hooks_core::Subject::subject(self))
            }
        }
    });
    quote_spanned! {driver::at(ty.span())=>
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #of ::hooks_core::Event for #ty {
            type Vocabulary = #ident<'static>;
            type Kind = #kind;
            type Response = #response;
            type Patch = #patch;
            const NAME: &'static str = #name;
            const INFO: &'static ::hooks_core::EventInfo = &#ident::INFO[#index];
            type Slot = #slot;
            type At<'__x> = #at;

            fn view(&self) -> #ident<'_> {
                #ident::#variant(self)
            }

            fn view_mut(__access: ::hooks_core::__private::Access<'_, Self>) -> #mutable<'_> {
                #mutable::#variant(__access)
            }

            fn saved(&self) -> ::core::option::Option<Self> {
                // Which of the two applies depends on whether the event is `Clone`.
                #[allow(unused_imports)]
                use ::hooks_core::__private::{CanSave as _, CannotSave as _};
                (&::hooks_core::__private::Saving(self)).save()
            }

            #subject_of
        }

        #(
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #of #rights
        )*

        #[automatically_derived]
        impl<'__a> ::core::convert::From<&'__a #view> for #ident<'__a> {
            fn from(__event: &'__a #view) -> Self {
                #ident::#variant(__event)
            }
        }
    }
}

/// Whether hooks observe or intercept the event. If that is not written, the type is an error: rustc reports what it
/// says, and nothing that follows from it.
fn kind(event: &EventVariant) -> TokenStream {
    let kind = match event.kind {
        VariantKind::Observe => quote!(::hooks_core::Observe),
        VariantKind::Intercept(_) => quote!(::hooks_core::Intercept),
    };
    match event.mistake {
        None => kind,
        Some((at, mistake)) => {
            let error = quote_spanned!(at=> ::core::compile_error!(#mistake));
            quote!(<#kind as ::hooks_core::__private::If<{ #error }>>::Event)
        }
    }
}

/// What hooks may do to the event: the traits that it implements, with their bodies.
fn rights(event: &EventVariant) -> Vec<TokenStream> {
    let ty = &event.payload.ty;
    let span = driver::at(ty.span());
    let mut rights = Vec::new();
    if let Some(may) = event.intercept() {
        rights.push(quote_spanned! {span=>
            ::hooks_core::Intercepted for #ty {
                fn patch_of(
                    __patch: <Self::At<'static> as ::hooks_core::Event>::Patch,
                ) -> <Self as ::hooks_core::Event>::Patch {
                    __patch
                }

                fn response_of(
                    __response: <Self::At<'static> as ::hooks_core::Event>::Response,
                ) -> <Self as ::hooks_core::Event>::Response {
                    __response
                }
            }
        });
        if let Some(work) = &may.around {
            rights.push(quote_spanned! {span=>
                ::hooks_core::HasWork for #ty {
                    type Work = #work;
                    ::hooks_core::__private::output!(#work);
                }
            });
        }
        if !may.no_block {
            rights.push(quote_spanned!(span=> ::hooks_core::Blockable for #ty {}));
        }
        if let Some(answer) = &may.respond {
            rights.push(
                quote_spanned!(span=> ::hooks_core::Respondable for #ty { type Answer = #answer; }),
            );
        }
    }
    if let Some(field) = &event.subject {
        rights.push(quote_spanned! {driver::at(field.span())=>
            ::hooks_core::Subject for #ty {
                fn subject(&self) -> &str {
                    &self.#field
                }
            }
        });
    }
    rights
}

/// The bounds that an agent author writes.
#[expect(clippy::too_many_lines, reason = "two traits, as they are written")]
fn bounds(vocabulary: &EventEnum) -> TokenStream {
    let EventEnum {
        ident,
        hooks,
        hooks_now,
        context,
        ..
    } = vocabulary;
    let path = vocabulary
        .core
        .as_ref()
        .map_or_else(|| "::hooks_core".to_owned(), driver::text);
    let any = quote!(::hooks_core::AnyEvent<Vocabulary = #ident<'static>>);
    let later = Bound {
        name: hooks,
        base: quote!(::hooks_core::Hook<Vocabulary: ::hooks_core::Speaks<#ident<'static>>>),
        all: [("Dispatch", false), ("Wraps", true)]
            .map(|(name, of_work)| on_all(vocabulary, name, of_work))
            .concat(),
        doc: format!(
            "Hooks for every event of [`{ident}`]. An agent that is generic over its hooks takes this bound.\n\n\
             Every pipeline and every hook of this vocabulary implements it. A future that dispatches through \
             this bound is `Send`. More methods are those of [`Hook`]({path}::Hook).",
        ),
        message: format!("these are not hooks of the vocabulary `{ident}`"),
        label: "not hooks of this vocabulary",
        note: format!(
            "an agent that is generic over `{hooks}` takes `hooks![…]`, or one hook, of the events of \
             `{ident}`"
        ),
        methods: quote! {
            /// Runs the hooks on an intercepted event in order, until one blocks, responds or aborts. Hooks change the
            /// event in place.
            #[inline]
            fn intercept<'__a, __E /* `.intercept(&cx, &mut event)` */, __K>(
                &'__a self,
                __cx: &'__a #context,
                __event: &'__a mut __E,
            ) -> __K::Of<impl ::core::future::Future<Output = ::hooks_core::HookResult<__E>> + ::core::marker::Send>
            where
                __E: #any + ::hooks_core::IsIntercepted<Self, __K>,
                __K: ::hooks_core::__private::Verdict,
            {
                __K::of(__E::ask(self, __cx, __event))
            }

            /// Runs all hooks on an observed event. Asynchronous hooks run concurrently, and no hook can stop another.
            #[inline]
            fn observe<'__a, __E, __K>(
                &'__a self,
                __cx: &'__a #context,
                __event: &'__a __E,
            ) -> __K::Of<impl ::core::future::Future<Output = ()> + ::core::marker::Send>
            where
                __E: #any + ::hooks_core::IsObserved<Self, __K>,
                __K: ::hooks_core::__private::Verdict,
            {
                __K::of(__E::ask(self, __cx, __event))
            }

            /// Runs these hooks only on the events for which the predicate returns `true`. The predicate takes the
            /// context and the event.
            fn when<__P>(self, __predicate: __P) -> ::hooks_core::When<Self, __P>
            where
                Self: ::core::marker::Sized,
                __P: ::core::ops::Fn(&#context, #ident<'_>) -> bool
                    + ::core::marker::Send
                    + ::core::marker::Sync,
            {
                ::hooks_core::When::new(self, __predicate)
            }
        },
    };
    let now = Bound {
        name: hooks_now,
        base: hooks.to_token_stream(),
        all: on_all(vocabulary, "DispatchNow", false),
        doc: format!(
            "Synchronous hooks for every event of [`{ident}`]. An agent that is generic over its hooks, and runs \
             without an executor, takes this bound.\n\n\
             More methods are those of [`{hooks}`] and [`Hook`]({path}::Hook).",
        ),
        message: format!(
            "some of these hooks on `{ident}` must be awaited, or are not hooks of it"
        ),
        label: "not synchronous hooks of this vocabulary",
        note: format!(
            "`{hooks_now}` is for hooks that are plain `fn`s on every event: take `impl {hooks}` and await the \
             dispatches, or leave out the hooks that are `async`"
        ),
        methods: quote! {
            /// Like `intercept`, without an executor.
            #[inline]
            fn intercept_now<'__a, __E /* `.intercept_now(&cx, &mut event)` */>(
                &'__a self,
                __cx: &'__a #context,
                __event: &'__a mut __E,
            ) -> ::hooks_core::HookResult<__E>
            where
                __E: #any + ::hooks_core::Intercepted,
                Self: ::hooks_core::DispatchNow<__E>,
            {
                ::hooks_core::DispatchNow::<__E>::at_once(self, __cx, __event)
            }

            /// Like `observe`, without an executor.
            #[inline]
            fn observe_now<'__a, __E>(&'__a self, __cx: &'__a #context, __event: &'__a __E)
            where
                __E: #any + ::hooks_core::Observed,
                Self: ::hooks_core::DispatchNow<__E>,
            {
                ::hooks_core::DispatchNow::<__E>::at_once(self, __cx, __event);
            }
        },
    };
    [later, now]
        .map(|bound| bound.written(&vocabulary.visibility))
        .into_iter()
        .collect()
}

/// The bound `hooks_core::name<Event>` for each event, or for each event with work.
fn on_all(vocabulary: &EventEnum, name: &str, of_work: bool) -> Vec<TokenStream> {
    let name = Ident::new(name, Span::call_site());
    let has_work =
        |event: &&EventVariant| event.intercept().is_some_and(|may| may.around.is_some());
    let events = vocabulary.events.iter();
    events
        .filter(|event| !of_work || has_work(event))
        .map(|event| {
            let (ty, lifetimes) = (&event.payload.ty, &event.payload.lifetimes);
            let any = (!lifetimes.is_empty()).then(|| quote!(for<#(#lifetimes),*>));
            quote!(#any ::hooks_core::#name<#ty>)
        })
        .collect()
}

/// A trait that stands for its bounds.
struct Bound<'v> {
    name: &'v Ident,
    base: TokenStream,
    all: Vec<TokenStream>,
    doc: String,
    message: String,
    label: &'static str,
    note: String,
    methods: TokenStream,
}

impl Bound<'_> {
    fn written(self, visibility: &Visibility) -> TokenStream {
        let Bound {
            name,
            base,
            all,
            doc,
            message,
            label,
            note,
            methods,
        } = self;
        quote! {
            #[doc = #doc]
            #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
            #visibility trait #name: #base #(+ #all)* {
                #methods
            }

            #[diagnostic::do_not_recommend]
            impl<__H> #name for __H where __H: #base #(+ #all)* {}
        }
    }
}
