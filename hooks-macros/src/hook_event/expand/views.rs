//! The vocabulary for hooks on every event: the enum that lends events, and the decision about any event.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::super::parse::{EventEnum, EventVariant, VariantKind};
use crate::driver;

pub(super) fn views(vocabulary: &EventEnum) -> TokenStream {
    let mutable = mutable(vocabulary);
    let said = said(vocabulary);
    let traits = traits(vocabulary);
    let fits = vocabulary.events.iter().map(|event| fit(vocabulary, event));
    quote!(#mutable #said #traits #(#fits)*)
}

/// The enum that lends an event for changes.
fn mutable(vocabulary: &EventEnum) -> TokenStream {
    let EventEnum {
        visibility,
        ident,
        mutable,
        said,
        events,
        ..
    } = vocabulary;
    let variants: Vec<_> = events.iter().map(|event| &event.variant).collect();
    let names = variants.iter().map(|variant| driver::text_of(variant));
    let declared = events.iter().map(|event| {
        let EventVariant { variant, docs, .. } = event;
        let payload = event
            .payload
            .with(&syn::Lifetime::new("'__a", event.variant.span()));
        let mutability = event.is_lent_mut().then(|| quote!(mut));
        quote!(#(#docs)* #variant(&'__a #mutability #payload))
    });
    let reborrowed = events
        .iter()
        .map(|event| event.is_lent_mut().then(|| quote!(mut)));
    let blockable = events.iter().map(|event| {
        let variant = &event.variant;
        let is_blockable = event
            .intercept()
            .is_some_and(|intercept| !intercept.no_block);
        quote!(#mutable::#variant(_) => #is_blockable,)
    });
    let doc = format!(
        "Any event of [`{ident}`], as a hook with `#[hook(every)]` takes it to change it or decide about it.\n\n\
         A variant holds an intercepted event by `&mut`. It holds an observed event, and an event that \
         borrows its fields, by `&`. The hook returns [`{said}`]."
    );
    quote! {
        #[doc = #doc]
        #[allow(missing_docs)]
        #visibility enum #mutable<'__a> {
            #(#declared,)*
        }

        impl #mutable<'_> {
            /// The name of the event, which is the name of its variant.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    #(#mutable::#variants(_) => #names,)*
                }
            }

            /// Whether hooks may block the event.
            #[must_use]
            pub const fn can_block(&self) -> bool {
                match self {
                    #(#blockable)*
                }
            }

            /// The event as a read-only view.
            #[must_use]
            pub fn view(&self) -> #ident<'_> {
                match self {
                    #(#mutable::#variants(__event) => #ident::#variants(__event),)*
                }
            }

            /// Borrows the same event for a shorter time.
            #[must_use]
            pub fn reborrow(&mut self) -> #mutable<'_> {
                match self {
                    #(#mutable::#variants(__event) => #mutable::#variants(&#reborrowed *__event),)*
                }
            }
        }

        /// The name of the event.
        impl ::core::fmt::Debug for #mutable<'_> {
            fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Formatter::write_str(__f, self.name())
            }
        }
    }
}

/// The enum for the decision about any event.
#[expect(clippy::too_many_lines, reason = "one enum, as it is written")]
fn said(vocabulary: &EventEnum) -> TokenStream {
    let EventEnum {
        visibility,
        said,
        mutable,
        events,
        ..
    } = vocabulary;
    let intercepted: Vec<_> = events
        .iter()
        .filter(|event| event.intercept().is_some())
        .collect();
    let variants: Vec<_> = intercepted.iter().map(|event| &event.variant).collect();
    let payloads: Vec<_> = intercepted
        .iter()
        .map(|event| event.payload.for_static())
        .collect();
    let names: Vec<_> = variants
        .iter()
        .map(|variant| driver::text_of(variant))
        .collect();
    let docs = names.iter().map(|name| format!("An action on `{name}`."));
    let doc = format!(
        "What a hook with `#[hook(every)]` decides about an event that it takes as [`{mutable}`].\n\n\
         `block`, `abort_turn` and `abort_run` work on every event that allows them. An event that cannot be \
         blocked, such as an observed one, continues. Every other action belongs to one event: convert it \
         with `into()`. An action on the wrong event blocks the event."
    );
    let [cancels, scopes] = [
        ["block", "abort_turn", "abort_run"],
        ["Event", "Turn", "Run"],
    ]
    .map(|names| names.map(|name| Ident::new(name, Span::call_site())));
    let cancel_docs = [
        " Blocks this event, if it can be blocked.",
        " Ends the turn.",
        " Ends the run.",
    ];
    quote! {
        #[doc = #doc]
        #[must_use = "what a hook says does nothing until the hook returns it"]
        #[derive(::core::default::Default)]
        #visibility enum #said {
            /// The event continues. This is the default.
            #[default]
            Continue,
            /// The event is cancelled. `block`, `abort_turn` and `abort_run` make this.
            #[non_exhaustive]
            Cancel {
                /// What is cancelled: the event, the turn or the run.
                scope: ::hooks_core::Scope,
                /// The reason.
                reason: ::hooks_core::__private::Cow<'static, str>,
                /// The hook that decided this, if it is not the hook that returns it.
                hook: ::core::option::Option<::hooks_core::__private::Cow<'static, str>>,
            },
            #(#[doc = #docs] #variants(::hooks_core::HookAction<#payloads>),)*
        }

        impl #said {
            #(
                #[doc = #cancel_docs]
                pub fn #cancels(__reason: impl ::core::convert::Into<::hooks_core::__private::Cow<'static, str>>) -> Self {
                    #said::Cancel {
                        scope: ::hooks_core::Scope::#scopes,
                        reason: __reason.into(),
                        hook: ::core::option::Option::None,
                    }
                }
            )*

            /// Whether the event continues.
            #[must_use]
            pub const fn is_continue(&self) -> bool {
                ::core::matches!(self, #said::Continue)
            }

            /// The event that this action belongs to, if it belongs to one.
            #[must_use]
            pub const fn event(&self) -> ::core::option::Option<&'static str> {
                match self {
                    #said::Continue | #said::Cancel { .. } => ::core::option::Option::None,
                    #(#said::#variants(_) => ::core::option::Option::Some(#names),)*
                }
            }
        }

        /// Shows what is cancelled, or the event that the action belongs to.
        impl ::core::fmt::Debug for #said {
            fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self {
                    #said::Continue => ::core::fmt::Formatter::write_str(__f, "Continue"),
                    #said::Cancel { scope: __scope, reason: __reason, .. } => ::core::fmt::Formatter::write_fmt(
                        __f,
                        ::core::format_args!("Cancel({__scope:?}, {__reason:?})"),
                    ),
                    #(#said::#variants(_) => ::core::fmt::Formatter::write_str(__f, #names),)*
                }
            }
        }

        /// Keeps the name of the hook that decided.
        impl ::core::convert::From<::hooks_core::Cancel> for #said {
            fn from(__cancel: ::hooks_core::Cancel) -> Self {
                #said::Cancel {
                    scope: __cancel.scope,
                    reason: __cancel.reason,
                    hook: ::core::option::Option::Some(__cancel.hook),
                }
            }
        }

        #(
            #[automatically_derived]
            impl ::core::convert::From<::hooks_core::HookAction<#payloads>> for #said {
                fn from(__action: ::hooks_core::HookAction<#payloads>) -> Self {
                    match __action {
                        ::hooks_core::HookAction::Continue => #said::Continue,
                        ::hooks_core::HookAction::Cancel { scope: __scope, reason: __reason, hook: __hook, .. } => {
                            #said::Cancel { scope: __scope, reason: __reason, hook: __hook }
                        }
                        __action => #said::#variants(__action),
                    }
                }
            }
        )*
    }
}

/// The impls that let hooks on every event take and return the enums.
fn traits(vocabulary: &EventEnum) -> TokenStream {
    let EventEnum {
        ident,
        mutable,
        said,
        ..
    } = vocabulary;
    // `Viewed` only for `'static`, which is what the hooks write. An impl for every lifetime would put a region into
    // the bound on each of them. rustc 1.95 then proves the bound sometimes with that region and sometimes without,
    // and an incremental build that meets the other answer ends in an internal compiler error.
    let any_event = quote!(::hooks_core::AnyEvent<Vocabulary = #ident<'static>>);
    quote! {
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl ::hooks_core::Viewed for #ident<'static> {
            type Vocabulary = #ident<'static>;
            type Facts = ::hooks_core::__private::Looks;
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl ::hooks_core::Viewed for #mutable<'static> {
            type Vocabulary = #ident<'static>;
            type Facts = ::hooks_core::__private::Changes;
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<'__a, __E: ::hooks_core::Event<Vocabulary = #ident<'static>> + '__a> ::hooks_core::__private::EveryView<'__a, __E>
            for #ident<'__a>
        {
            fn of(__access: ::hooks_core::__private::Access<'__a, __E>) -> Self {
                ::hooks_core::Event::view(<__E as ::hooks_core::Event>::look(__access))
            }
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<'__a, __E: ::hooks_core::Event<Vocabulary = #ident<'static>> + '__a> ::hooks_core::__private::EveryView<'__a, __E>
            for #mutable<'__a>
        {
            fn of(__access: ::hooks_core::__private::Access<'__a, __E>) -> Self {
                <__E as ::hooks_core::Event>::view_mut(__access)
            }
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<__E: #any_event, __V: ::hooks_core::Viewed>
            ::hooks_core::EveryReturn<__E, __V, ::hooks_core::__private::Changes> for #said
        {
            fn action(self) -> ::hooks_core::__private::ActionOn<__E> {
                <__E as ::hooks_core::AnyEvent>::fit(self)
            }
        }
    }
}

/// What one hook decides about the event.
pub(super) fn said_of_one(event: &EventVariant) -> TokenStream {
    match event.kind {
        VariantKind::Observe => quote!(()),
        VariantKind::Intercept(_) => quote!(::hooks_core::HookAction<Self>),
    }
}

/// Converts the action on any event to one on this event, and the result of hooks on this event to one on any.
fn fit(vocabulary: &EventEnum, event: &EventVariant) -> TokenStream {
    let EventEnum { said, .. } = vocabulary;
    let EventVariant {
        variant, payload, ..
    } = event;
    let (ty, lifetimes) = (&payload.ty, &payload.lifetimes);
    let (fitted, result) = match event.kind {
        VariantKind::Observe => (quote!(let _ = __said;), quote!(#said::Continue)),
        VariantKind::Intercept(_) => (
            quote! {
                match __said {
                    #said::Continue => ::hooks_core::HookAction::Continue,
                    #said::Cancel { scope: __scope, reason: __reason, hook: __hook } => {
                        ::hooks_core::__private::cancelled::<Self>(__scope, __reason, __hook)
                    }
                    #said::#variant(__action) => ::hooks_core::HookAction::shortened(__action),
                    #[allow(unreachable_patterns)]
                    __other => ::hooks_core::__private::misfit::<Self>(__other.event().unwrap_or_default()),
                }
            },
            quote! {
                match __result {
                    ::hooks_core::HookResult::Continue => #said::Continue,
                    ::hooks_core::HookResult::Respond(__response) => {
                        #said::#variant(::hooks_core::HookAction::Respond(__response))
                    }
                    ::hooks_core::HookResult::Cancel(__cancel) => __cancel.into(),
                }
            },
        ),
    };
    let own_said = said_of_one(event);
    let own_result = match event.kind {
        VariantKind::Observe => quote!(()),
        VariantKind::Intercept(_) => quote!(::hooks_core::HookResult<Self>),
    };
    let unused = matches!(event.kind, VariantKind::Observe).then(|| quote!(let () = __result;));
    // A mistake in a payload is reported at the payload, and equal messages only once.
    quote_spanned! {driver::at(ty.span())=>
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<#(#lifetimes),*> ::hooks_core::AnyEvent for #ty {
            fn fit(__said: #said) -> #own_said {
                #fitted
            }

            fn say(__result: #own_result) -> #said {
                #unused
                #result
            }
        }
    }
}
