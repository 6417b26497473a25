//! The body of a hook: the filter, the call, and what happens after a failure.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Expr;
use syn::spanned::Spanned;

use super::handle::{held, next};
use crate::driver;
use crate::glob;
use crate::hook::options::{FailureChoice, OnFailure};
use crate::hook::parse::{Handled, HookFunction};

/// The parts of the body.
pub(super) struct BodyParts<'a> {
    pub(super) handler: &'a HookFunction,
    pub(super) event: &'a TokenStream,
}

impl BodyParts<'_> {
    /// What the user's function returns, if its future is all that the hook needs. The type must have a name for that.
    pub(super) fn plain(&self) -> Option<&syn::Type> {
        let is_one = matches!(self.handler.event, Handled::One { .. });
        let is_plain = self.handler.is_async && is_one && self.policies().next().is_none();
        self.handler.said.as_ref().filter(|_| is_plain)
    }

    /// Runs the user's function, and turns what it returns into an action.
    pub(super) fn body(&self) -> TokenStream {
        let call = self.call();
        let action = self.action();
        if self.policies().next().is_none() {
            return quote! {
                let __said = #call;
                #action
            };
        }

        // The predicate may panic too, and so may the hook's error: all of it runs inside the catch.
        let nothing = self.private_fn(self.handler.event.span(), "nothing", &quote!());
        let save = self.save();
        let declare = save
            .is_some()
            .then(|| quote!(let mut __before = ::core::option::Option::None;));
        let when = self
            .catches_panics()
            .then(|| self.when(&self.looked_at()))
            .flatten()
            .map(|when| quote!(if !(#when) { return ::core::option::Option::None; }));
        let attempt = quote!({
            #when
            #save
            let __said = #call;
            ::core::option::Option::Some(#action)
        });
        let attempt = self.attempt(&attempt);
        let keep = matches!(self.handler.event, Handled::Every { .. })
            .then(|| quote!(let __kept = ::hooks_core::__private::kept::<__E>(&__event);));
        let failures = self.policies().map(|policy| self.on_failure(policy));
        quote! {
            #declare
            #keep
            let __attempt = #attempt;
            #(#failures)*
            match __attempt {
                ::core::option::Option::Some(__action) => __action,
                ::core::option::Option::None => #nothing,
            }
        }
    }

    /// What a guard says of the final form of the event.
    pub(super) fn judgement(&self) -> TokenStream {
        let BodyParts { event, .. } = self;
        let held = held(self.handler).into_token_stream();
        let function = &self.handler.function;
        let receiver = self.handler.takes_self.then(|| quote!(self,));
        let context = self.context();
        let guard = self.handler.options.guard.map(|guard| {
            let event = driver::moved(event, guard);
            quote_spanned!(guard=> let _ = ::hooks_core::__private::judges::<#event>();)
        });
        let filter = self.filter_of(&held).map(
            |filter| quote!(if !(#filter) { return ::hooks_core::__private::nothing::<#event>(); }),
        );
        let action = self.action();
        quote! {
            #guard
            #filter
            let __said = Self::#function(#receiver #context #held);
            #action
        }
    }

    /// Whether the hook catches panics.
    fn catches_panics(&self) -> bool {
        let policy = self.handler.options.on_panic;
        policy.is_some_and(|policy| policy.choice != FailureChoice::Propagate)
    }

    /// Calls a function of ours that is generic over the event. If the event does not meet its bound, the error is at
    /// `span`.
    fn private_fn(&self, span: Span, name: &str, arguments: &TokenStream) -> TokenStream {
        let event = driver::moved(self.event, span);
        let name = Ident::new(name, span);
        quote_spanned!(span=> ::hooks_core::__private::#name::<#event>(#arguments))
    }

    /// Calls a function of the event itself.
    fn on_event(&self, name: &str, arguments: &TokenStream) -> TokenStream {
        self.blaming(self.handler.event.span(), "Event", name, arguments)
    }

    /// The event's name.
    pub(super) fn event_name(&self) -> TokenStream {
        let (event, span) = (self.event, self.handler.event.span());
        quote_spanned!(span=> <#event as ::hooks_core::Event>::NAME)
    }

    /// Calls a function of a trait that describes the event or what hooks may do to it. If the event does not
    /// implement the trait, the error is at `span`.
    fn blaming(
        &self,
        span: Span,
        trait_name: &str,
        name: &str,
        arguments: &TokenStream,
    ) -> TokenStream {
        let event = driver::moved(self.event, span);
        let [trait_name, name] = [trait_name, name].map(|name| Ident::new(name, span));
        quote_spanned!(span=> <#event as ::hooks_core::#trait_name>::#name(#arguments))
    }

    /// Reads the event that `access` holds.
    fn look(&self, access: &TokenStream) -> TokenStream {
        self.on_event("look", access)
    }

    /// Whether the handler takes the event by `&mut`.
    fn changes(&self) -> bool {
        matches!(self.handler.event, Handled::One { is_mut: true, .. })
    }

    /// The policies for caught failures, outermost first: the catch for a panic is around the timeout.
    fn policies(&self) -> impl Iterator<Item = Caught> {
        let options = &self.handler.options;
        let panic = options
            .on_panic
            .filter(|policy| policy.choice != FailureChoice::Propagate)
            .map(|policy| Caught {
                policy: Some(policy),
            });
        let timeout = (options.timeout.is_some() && self.handler.is_async).then_some(Caught {
            policy: options.on_timeout,
        });
        panic.into_iter().chain(timeout)
    }

    /// The event, lent by the dispatch.
    fn lent(&self) -> TokenStream {
        let held = held(self.handler);
        self.on_event("lend", &quote!(&mut #held))
    }

    /// A reference to the event, before the hook receives it.
    fn looked_at(&self) -> TokenStream {
        if self.handler.is_around() {
            return held(self.handler).into_token_stream();
        }
        self.look(&self.lent())
    }

    /// The call of the user's function around the work.
    pub(super) fn around(&self) -> TokenStream {
        let handler = self.handler;
        let function = &handler.function;
        let receiver = handler.takes_self.then(|| quote!(self,));
        let context = self.context();
        let held = held(handler);
        let next = next(handler);
        quote!(Self::#function(#receiver #context #held, #next))
    }

    /// The context, if the user's function takes it.
    fn context(&self) -> Option<TokenStream> {
        let BodyParts { event, .. } = self;
        self.handler.context.as_ref().map(|context| {
            quote_spanned! {driver::at(context.span())=>
                <#context as ::hooks_core::ContextOf<<#event as ::hooks_core::Event>::Vocabulary>>::of(__cx),
            }
        })
    }

    /// The call of the user's function, awaited if it is asynchronous, in its span.
    fn call(&self) -> TokenStream {
        let lent = self.lent();
        if self.handler.is_async {
            let future = self.future(&lent);
            return quote!(#future.await);
        }
        let call = self.called_with(&lent);
        let event_name = self.event_name();
        quote!({
            let __span = ::hooks_core::__private::enter(__NAME, #event_name);
            #call
        })
    }

    /// The future of the user's function, in its span.
    pub(super) fn future(&self, access: &TokenStream) -> TokenStream {
        let call = self.called_with(access);
        let event_name = self.event_name();
        quote!(::hooks_core::__private::traced(__NAME, #event_name, #call))
    }

    /// The call of the user's function with the event in `access`.
    fn called_with(&self, access: &TokenStream) -> TokenStream {
        let BodyParts { handler, .. } = self;
        let function = &handler.function;
        let receiver = handler.takes_self.then(|| quote!(self,));
        let context = self.context();
        let argument = match &handler.event {
            Handled::One {
                is_mut: true, span, ..
            } => self.blaming(*span, "Intercepted", "change", access),
            Handled::One { .. } => self.look(access),
            Handled::Every { view, .. } => {
                let span = view.span();
                quote_spanned!(span=> <_ as ::hooks_core::__private::EveryView<'_, __E>>::of(#access))
            }
        };
        quote!(Self::#function(#receiver #context #argument))
    }

    /// Turns what the function returned into an action.
    fn action(&self) -> TokenStream {
        let BodyParts { event, .. } = self;
        let span = self.handler.output;
        let returned = quote!(__said);
        match &self.handler.event {
            Handled::One { .. } => {
                quote_spanned!(span=> <_ as ::hooks_core::Return<#event>>::action(#returned))
            }
            Handled::Every { view, .. } => {
                let view = driver::moved(&view.to_token_stream(), span);
                quote_spanned!(span=> <_ as ::hooks_core::EveryReturn<__E, #view>>::action(#returned))
            }
        }
    }

    /// Whether the hook runs for the event: `only(…)` and `when`. A predicate whose panic is caught runs in the catch.
    pub(super) fn wanted(&self, event: &TokenStream) -> Option<TokenStream> {
        let when = (!self.catches_panics()).then(|| self.when(event)).flatten();
        both(self.only(event), when)
    }

    /// Whether the hook runs around the work of the event.
    pub(super) fn filter(&self) -> Option<TokenStream> {
        self.filter_of(&self.looked_at())
    }

    fn filter_of(&self, event: &TokenStream) -> Option<TokenStream> {
        both(self.only(event), self.when(event))
    }

    /// `only(…)` and `tool(…)`.
    fn only(&self, looked_at: &TokenStream) -> Option<TokenStream> {
        let options = &self.handler.options;
        let span = options.subjects().next()?.span;
        let text = quote!(__subject);
        let compared = options.subjects().map(|only| {
            let globs = only.globs.iter().map(|one| glob::comparison(one, &text));
            let names = &only.names;
            let names =
                (!names.is_empty()).then(|| quote!(|| ::core::matches!(#text, #(#names)|*)));
            quote!(#(#globs)||* #names)
        });
        let subject = self.blaming(span, "Subject", "subject", looked_at);
        Some(quote!({
            let __subject = #subject;
            #(#compared)||*
        }))
    }

    /// `when = …`.
    fn when(&self, looked_at: &TokenStream) -> Option<TokenStream> {
        let BodyParts { event, .. } = self;
        let when = self.handler.options.when.as_ref()?;
        let span = driver::at(when.span());
        Some(match when {
            // A closure gets the types of its parameters here; if it has two, the first is the context.
            Expr::Closure(closure) if closure.inputs.len() == 2 => quote_spanned! {span=> {
                let __when: fn(&::hooks_core::Context<#event>, &#event) -> bool = #when;
                __when(__cx, #looked_at)
            }},
            Expr::Closure(_) => quote_spanned! {span=> {
                let __when: fn(&#event) -> bool = #when;
                __when(#looked_at)
            }},
            // The whole call has the predicate's span, so that mistakes in it are reported there.
            _ => {
                let event = driver::moved(event, span);
                let arguments = quote!(&#when, __cx, #looked_at);
                quote_spanned!(span=> <_ as ::hooks_core::Predicate<#event, _>>::holds(#arguments))
            }
        })
    }

    /// Saves the event, if a skipped failure might leave it half changed.
    fn save(&self) -> Option<TokenStream> {
        let looked_at = self.look(&self.lent());
        let skip = self
            .policies()
            .filter_map(|caught| caught.policy)
            .find(|policy| policy.choice == FailureChoice::Skip)
            .filter(|_| self.changes())?;
        let saved = self.blaming(skip.span, "Restorable", "saved", &looked_at);
        Some(quote!(__before = ::core::option::Option::Some(#saved);))
    }

    /// The attempt, with its panics and its timeout caught.
    fn attempt(&self, attempt: &TokenStream) -> TokenStream {
        let BodyParts { handler, .. } = self;
        let options = &handler.options;
        let panic = options
            .on_panic
            .filter(|policy| policy.choice != FailureChoice::Propagate);
        if !handler.is_async {
            let require = panic
                .map(|panic| quote_spanned!(driver::at(panic.option)=> ::hooks_core::__private::require_std!();));
            return quote!({
                #require
                ::hooks_core::__private::catch(|| #attempt)
            });
        }
        let mut future = quote!(async #attempt);
        if let Some(timeout) = &options.timeout {
            let (seconds, nanos) = (timeout.duration.as_secs(), timeout.duration.subsec_nanos());
            let require = quote_spanned!(driver::at(timeout.span)=> ::hooks_core::__private::require_tokio!(););
            future = quote!({
                #require
                ::hooks_core::__private::deadline(::core::time::Duration::new(#seconds, #nanos), #future)
            });
        }
        if let Some(panic) = panic {
            let require =
                quote_spanned!(driver::at(panic.option)=> ::hooks_core::__private::require_std!(););
            future = quote!({
                #require
                ::hooks_core::__private::catch_async(#future)
            });
        }
        quote!(#future.await)
    }

    /// Unwraps one layer of the catch.
    fn on_failure(&self, caught: Caught) -> TokenStream {
        let BodyParts { event, .. } = self;
        let lent = self.lent();
        let changes = self.changes();
        // Without a policy, a timeout that cannot block is itself the mistake.
        let (choice, span) = match (caught.policy, &self.handler.options.timeout) {
            (Some(policy), _) => (Some(policy.choice), policy.span),
            (None, Some(timeout)) => (None, timeout.span),
            (None, None) => (None, self.handler.event.span()),
        };
        let is_every = matches!(self.handler.event, Handled::Every { .. });
        let failure = quote!(__NAME, __failure);
        let outcome = match choice {
            // A hook on every event blocks the events that can be blocked, and restores the others.
            _ if is_every => {
                let blocks = choice != Some(FailureChoice::Skip);
                quote!(::hooks_core::__private::restored::<__E>(__kept, #lent, #blocks, __NAME, __failure))
            }
            Some(FailureChoice::Block) => self.blaming(span, "CanBlock", "blocked", &failure),
            None => self.blaming(span, "DefaultPolicy", "timed_out", &failure),
            _ => quote!(::hooks_core::__private::skipped::<#event>(#failure)),
        };
        let restore = (choice == Some(FailureChoice::Skip) && changes).then(|| {
            quote! {
                if let ::core::option::Option::Some(__before) = __before {
                    *<#event as ::hooks_core::Intercepted>::change(#lent) = __before;
                }
            }
        });
        quote! {
            let __attempt = match __attempt {
                ::core::result::Result::Ok(__attempt) => __attempt,
                ::core::result::Result::Err(__failure) => {
                    #restore
                    return #outcome;
                }
            };
        }
    }
}

/// A caught failure, and its policy.
#[derive(Clone, Copy)]
struct Caught {
    policy: Option<OnFailure>,
}

/// Both conditions, as an expression that may stand first in a block.
fn both(first: Option<TokenStream>, second: Option<TokenStream>) -> Option<TokenStream> {
    match (first, second) {
        (Some(first), Some(second)) => Some(quote!((#first && #second))),
        (one, other) => one.or(other),
    }
}
