//! What `#[hook]` writes: the item, and, in a `const _` block of its own, what makes it a hook.
//!
//! Generated code that a mistake of the user's can break carries the span of the token that is to blame:
//! the event's type, the return type, an option's value. So the compiler reports it there.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Attribute, GenericParam, Generics, ImplItem, ItemFn, ItemImpl, LifetimeParam, Type, parse_quote,
};

use super::options::{Choice, OnFailure};
use super::parse::{Handled, Handler, Hook, is_hook};
use crate::driver;

/// A function: the unit struct of its name, the function as `call`, and the hook.
pub(super) fn function(hook: &Hook, function: &ItemFn) -> TokenStream {
    let item = unit_struct(function, &quote!());
    let hook = the_hook(hook);
    quote!(#item #hook)
}

/// A function that is no hook: still the item, so that lists which name it do not fail as well.
///
/// A method is left out: where it stands, in an `impl` block, there can be no struct.
pub(super) fn function_in_error(function: &ItemFn) -> TokenStream {
    if function.sig.receiver().is_some() {
        return TokenStream::new();
    }
    let item = unit_struct(function, &quote!(#[allow(dead_code)]));
    let ident = &function.sig.ident;
    let hook = inert(&parse_quote!(#ident), &Generics::default());
    quote!(#item #hook)
}

/// An `impl` block: as it was, and the hook.
pub(super) fn block(hook: &Hook, block: &ItemImpl) -> TokenStream {
    let item = without_options(block);
    let hook = the_hook(hook);
    quote!(#item #hook)
}

/// An `impl` block that is no hook: see [`function_in_error`].
pub(super) fn block_in_error(block: &ItemImpl) -> TokenStream {
    let item = without_options(block);
    let hook = block
        .trait_
        .is_none()
        .then(|| inert(&block.self_ty, &block.generics));
    quote!(#item #hook)
}

/// The item that a hook function becomes. Attributes go where they mean something: docs to the hook,
/// `cfg`s and lints to all of it, the rest to the function.
fn unit_struct(function: &ItemFn, on_call: &TokenStream) -> TokenStream {
    let is =
        |attr: &&Attribute, names: &[&str]| names.iter().any(|name| attr.path().is_ident(name));
    let attrs = &function.attrs;
    let cfgs: Vec<_> = attrs.iter().filter(|attr| is(attr, &["cfg"])).collect();
    let on_struct = attrs.iter().filter(|attr| {
        is(
            attr,
            &[
                "doc",
                "cfg",
                "allow",
                "warn",
                "deny",
                "forbid",
                "deprecated",
            ],
        )
    });
    let on_function = attrs
        .iter()
        .filter(|attr| !is(attr, &["doc", "cfg", "deprecated"]) && !is_hook(attr));

    let visibility = &function.vis;
    let ident = &function.sig.ident;
    let body = &function.block;
    let mut signature = function.sig.clone();
    signature.ident = Ident::new("call", ident.span());
    let doc = format!(
        " Calls the hook `{}` as the function that it is.",
        driver::text_of(ident)
    );
    quote! {
        #(#on_struct)*
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug)]
        #visibility struct #ident;

        #(#cfgs)*
        #on_call
        impl #ident {
            #[doc = #doc]
            #(#on_function)*
            #[allow(clippy::trivially_copy_pass_by_ref)]
            #visibility #signature #body
        }
    }
}

/// The block without `#[hook(…)]` on it or its methods.
fn without_options(block: &ItemImpl) -> ItemImpl {
    let mut block = block.clone();
    block.attrs.retain(|attr| !is_hook(attr));
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item {
            method.attrs.retain(|attr| !is_hook(attr));
        }
    }
    block
}

/// A hook that handles nothing.
fn inert(ty: &Type, generics: &Generics) -> TokenStream {
    let core = driver::core_path(None);
    let (of, _, bounds) = generics.split_for_impl();
    quote! {
        impl #of #core::__private::Describe for #ty #bounds {
            fn describe<'__d>(&'__d self, _: &mut #core::__private::Planner<'__d, '_>) {}
        }
        #[diagnostic::do_not_recommend]
        impl #of #core::Hook for #ty #bounds {
            type Vocabulary = #core::AnyVocabulary;
            type Rank = ();
            type Answers = ();
        }
    }
}

/// What makes the item a hook.
fn the_hook(hook: &Hook) -> TokenStream {
    let Hook {
        core,
        ty,
        generics,
        priority,
        name,
        cfgs,
        handlers,
    } = hook;
    let private = quote!(#core::__private);
    let (of, _, bounds) = generics.split_for_impl();
    let vocabulary = vocabulary(core, handlers);
    let span = handlers
        .last()
        .map_or_else(Span::call_site, |last| last.event.span());
    let vocabulary = quote_spanned!(span=> type Vocabulary = #vocabulary;);
    let answers = answers(core, handlers);
    let aliases = handlers
        .iter()
        .enumerate()
        .filter_map(|(nth, handler)| aliases(core, nth, handler));
    let rows = handlers.iter().map(|handler| row(core, handler));
    let handles = handlers.iter().map(|handler| handle(hook, handler));
    let priority = constant(priority, "__PRIORITY", &quote!(i32));
    let name = constant(name, "__NAME", &quote!(&'static str));
    quote! {
        #(#cfgs)*
        const _: () = {
            #priority
            #name
            #(#aliases)*

            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #of #core::Hook for #ty #bounds {
                #vocabulary
                const NAME: &'static str = __NAME;
                type Rank = #private::rank!(__PRIORITY);
                type Answers = #answers;
            }

            #[automatically_derived]
            impl #of #private::Describe for #ty #bounds {
                fn describe<'__d>(&'__d self, __plan: &mut #private::Planner<'__d, '_>) {
                    __plan.hook(__NAME, __PRIORITY, &[#(#rows),*]);
                }
            }

            #(#handles)*
        };
    }
}

/// A constant of the user's expression, so that it is checked once, where it stands.
fn constant(value: &syn::Expr, name: &str, ty: &TokenStream) -> TokenStream {
    let name = Ident::new(name, driver::at(value.span()));
    quote_spanned!(driver::at(value.span())=> const #name: #ty = #value;)
}

/// What the `nth` handler adds to the hook's types, where it may be `cfg`'d out: a type cannot be `cfg`'d
/// in place, but an alias can, and then the event need not even exist.
fn aliases(core: &TokenStream, nth: usize, handler: &Handler) -> Option<TokenStream> {
    let predicate = cfg_predicate(&handler.cfgs)?;
    let cfgs = &handler.cfgs;
    let [vocabulary, answers] = alias_names(nth);
    let own_vocabulary = own_vocabulary(core, handler);
    let own_answers = own_answers(core, handler);
    Some(quote! {
        #(#cfgs)*
        type #vocabulary = #own_vocabulary;
        #(#cfgs)*
        type #answers = #own_answers;
        #[cfg(not(#predicate))]
        type #vocabulary = #core::AnyVocabulary;
        #[cfg(not(#predicate))]
        type #answers = ();
    })
}

fn alias_names(nth: usize) -> [Ident; 2] {
    [
        format_ident!("__Vocabulary{nth}"),
        format_ident!("__Answers{nth}"),
    ]
}

/// The vocabulary that all events share.
fn vocabulary(core: &TokenStream, handlers: &[Handler]) -> TokenStream {
    let all = handlers.iter().enumerate().map(|(nth, handler)| {
        if handler.cfgs.is_empty() {
            return (own_vocabulary(core, handler), handler);
        }
        let [vocabulary, _] = alias_names(nth);
        (vocabulary.to_token_stream(), handler)
    });
    let common = all.reduce(|(common, _), (own, handler)| {
        let span = handler.event.span();
        let core = driver::respanned(core, span);
        let common = quote_spanned!(span=> <#own as #core::SharesVocabulary<#common>>::Common);
        (common, handler)
    });
    common.map(|(common, _)| common).unwrap_or_default()
}

/// The vocabulary of a handler's event.
fn own_vocabulary(core: &TokenStream, handler: &Handler) -> TokenStream {
    match &handler.event {
        Handled::One { ty, .. } => {
            let span = handler.event.span();
            let event = driver::moved(&ty.for_static().to_token_stream(), span);
            let core = driver::respanned(core, span);
            quote_spanned!(span=> <#event as #core::Event>::Vocabulary)
        }
        Handled::Every(vocabulary) => vocabulary.to_token_stream(),
    }
}

/// The modes in which the handlers answer their events.
fn answers(core: &TokenStream, handlers: &[Handler]) -> TokenStream {
    let all = handlers.iter().enumerate().map(|(nth, handler)| {
        if handler.cfgs.is_empty() {
            return own_answers(core, handler);
        }
        let [_, answers] = alias_names(nth);
        answers.to_token_stream()
    });
    all.reduce(|all, own| quote!(#core::__private::Both<#all, #own>))
        .unwrap_or_else(|| quote!(()))
}

/// The mode in which a handler answers its event.
fn own_answers(core: &TokenStream, handler: &Handler) -> TokenStream {
    let span = handler.event.span();
    let private = driver::respanned(&quote!(#core::__private), span);
    let mode = Ident::new(if handler.is_async { "Later" } else { "Now" }, span);
    match &handler.event {
        Handled::One { ty, .. } => {
            let event = driver::moved(&ty.for_static().to_token_stream(), span);
            quote_spanned!(span=> #private::On<#event, #private::#mode>)
        }
        Handled::Every(_) => quote!(#private::Every<#private::#mode>),
    }
}

/// What the attributes `#[cfg(…)]` ask for together.
fn cfg_predicate(cfgs: &[Attribute]) -> Option<TokenStream> {
    let predicates = cfgs.iter().filter_map(|cfg| match &cfg.meta {
        syn::Meta::List(list) => Some(&list.tokens),
        _ => None,
    });
    (!cfgs.is_empty()).then(|| quote!(all(#(#predicates),*)))
}

/// The handler's row in a plan.
fn row(core: &TokenStream, handler: &Handler) -> TokenStream {
    let Handler { is_async, cfgs, .. } = handler;
    let event = match &handler.event {
        Handled::One { ty, .. } => {
            let span = handler.event.span();
            let event = driver::moved(&ty.for_static().to_token_stream(), span);
            let core = driver::respanned(core, span);
            let name = quote_spanned!(span=> <#event as #core::Event>::NAME);
            quote!(::core::option::Option::Some(#name))
        }
        Handled::Every(_) => quote!(::core::option::Option::None),
    };
    quote!(#(#cfgs)* (#event, #is_async))
}

/// The handler's answer to its event.
fn handle(hook: &Hook, handler: &Handler) -> TokenStream {
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
        Handled::Every(vocabulary) => {
            generics
                .params
                .push(parse_quote!(__E: #core::Event<Vocabulary = #vocabulary>));
            quote!(__E)
        }
    };
    if handler.takes_decision {
        return told(hook, handler, &generics);
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
    // Plain is the future of the user's function itself. What it says must have a name for that.
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
    let context = if handler.context.is_some() {
        quote!(__cx)
    } else {
        quote!(_)
    };
    let cfgs = &handler.cfgs;
    let trait_ref = quote_spanned!(span=> #at_event::#trait_name<#event>);
    let the_self = quote!(self);
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
            #said

            #[inline(always)]
            #signature {
                #body
            }
        }
    }
}

/// The answer of a handler with `every` that is told of decisions: the same function is called whether the
/// event came to the hook or a hook before it has decided.
fn told(hook: &Hook, handler: &Handler, generics: &Generics) -> TokenStream {
    let Hook { core, ty, .. } = hook;
    let private = quote!(#core::__private);
    let Handler {
        function,
        context,
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
    let call = quote! {
        let __span = #private::enter(__NAME, <__E as #core::Event>::NAME);
        let () = Self::#function(#receiver #context #core::Event::view(__event), __decision);
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
                    #core::Decision::Continue,
                );
                <__E as #core::Event>::go_on()
            }

            #[inline]
            fn decided<'__a>(
                &'__a self,
                __cx: &'__a #core::Context<__E>,
                __event: &'__a __E,
                __decision: #core::Decision<'__a>,
            ) {
                #call
            }
        }
    }
}

/// The event that the dispatch hands over, as `&E` or `&mut E`.
fn held(handler: &Handler) -> Ident {
    Ident::new("__event", handler.event.span())
}

/// What the body of an answer is put together from.
struct Parts<'a> {
    core: &'a TokenStream,
    private: &'a TokenStream,
    handler: &'a Handler,
    event: &'a TokenStream,
}

impl Parts<'_> {
    /// Whether the future of the user's function says all there is to say.
    fn is_plain(&self) -> bool {
        let is_one = matches!(self.handler.event, Handled::One { .. });
        is_one && self.filter().is_none() && self.policies().next().is_none()
    }

    /// What runs the user's function, and makes an outcome of what it says.
    fn body(&self) -> TokenStream {
        let go_on = self.on_event("go_on", &quote!());
        let call = self.call();
        let filter = self.filter();
        if self.policies().next().is_none() {
            let held = held(self.handler).into_token_stream();
            let conclude = self.conclude(&held);
            let filter = filter.map(|filter| quote!(if !(#filter) { return #go_on; }));
            return quote! {
                #filter
                let __said = #call;
                #conclude
            };
        }

        // The filter may panic as well, and so may the change or the error that the hook says: all of it
        // runs within what is caught.
        let conclude = self.conclude(&self.lent());
        let save = self.save();
        let declare = save
            .is_some()
            .then(|| quote!(let mut __before = ::core::option::Option::None;));
        let filter =
            filter.map(|filter| quote!(if !(#filter) { return ::core::option::Option::None; }));
        let attempt = quote!({
            #filter
            #save
            let __said = #call;
            ::core::option::Option::Some(#conclude)
        });
        let attempt = self.attempt(&attempt);
        let failures = self.policies().map(|policy| self.on_failure(policy));
        quote! {
            #declare
            let __attempt = #attempt;
            #(#failures)*
            match __attempt {
                ::core::option::Option::Some(__outcome) => __outcome,
                ::core::option::Option::None => #go_on,
            }
        }
    }

    /// Calls a function of the event's own.
    fn on_event(&self, name: &str, arguments: &TokenStream) -> TokenStream {
        self.blaming(self.handler.event.span(), "Event", name, arguments)
    }

    /// The event's name.
    fn event_name(&self) -> TokenStream {
        let (event, span) = (self.event, self.handler.event.span());
        let core = driver::respanned(self.core, span);
        quote_spanned!(span=> <#event as #core::Event>::NAME)
    }

    /// Calls a function of a trait that says what the event is, or what may be done to it. If it is not
    /// so, the token at `span` is to blame.
    fn blaming(
        &self,
        span: Span,
        trait_name: &str,
        name: &str,
        arguments: &TokenStream,
    ) -> TokenStream {
        let core = driver::respanned(self.core, span);
        let event = driver::moved(self.event, span);
        let [trait_name, name] = [trait_name, name].map(|name| Ident::new(name, span));
        quote_spanned!(span=> <#event as #core::#trait_name>::#name(#arguments))
    }

    /// Looks at the event that `access` holds.
    fn look(&self, access: &TokenStream) -> TokenStream {
        self.on_event("look", access)
    }

    /// Whether the handler takes the event by `&mut`.
    fn changes(&self) -> bool {
        matches!(self.handler.event, Handled::One { is_mut: true, .. })
    }

    /// The policies for what is caught, the outermost first: a panic is caught around the timeout.
    fn policies(&self) -> impl Iterator<Item = Caught> {
        let options = &self.handler.options;
        let panic = options
            .on_panic
            .filter(|policy| policy.choice != Choice::Propagate)
            .map(|policy| Caught {
                policy: Some(policy),
            });
        let timeout = (options.timeout.is_some() && self.handler.is_async).then_some(Caught {
            policy: options.on_timeout,
        });
        panic.into_iter().chain(timeout)
    }

    /// The event, lent out by the dispatch for a while.
    fn lent(&self) -> TokenStream {
        let held = held(self.handler);
        self.on_event("lend", &quote!(&mut #held))
    }

    /// The call of the user's function, awaited if it is asynchronous, in its span.
    fn call(&self) -> TokenStream {
        let private = self.private;
        let lent = self.lent();
        if self.handler.is_async {
            let future = self.future(&lent);
            return quote!(#future.await);
        }
        let call = self.called_with(&lent);
        let event_name = self.event_name();
        quote!({
            let __span = #private::enter(__NAME, #event_name);
            #call
        })
    }

    /// The future of the user's function, in its span.
    fn future(&self, access: &TokenStream) -> TokenStream {
        let private = self.private;
        let call = self.called_with(access);
        let event_name = self.event_name();
        quote!(#private::traced(__NAME, #event_name, #call))
    }

    /// The call of the user's function with the event that `access` gives.
    fn called_with(&self, access: &TokenStream) -> TokenStream {
        let Parts {
            core,
            handler,
            event,
            ..
        } = self;
        let Handler {
            function, context, ..
        } = handler;
        let receiver = handler.takes_self.then(|| quote!(self,));
        let context = context.as_ref().map(|context| {
            quote_spanned! {driver::at(context.span())=>
                <#context as #core::ContextOf<<#event as #core::Event>::Vocabulary>>::of(__cx),
            }
        });
        let argument = match &handler.event {
            Handled::One {
                is_mut: true, span, ..
            } => self.blaming(*span, "Intercepted", "change", access),
            Handled::One { .. } => self.look(access),
            Handled::Every(_) => {
                let event = self.look(access);
                quote!(#core::Event::view(#event))
            }
        };
        quote!(Self::#function(#receiver #context #argument))
    }

    /// What the function returned becomes the outcome, and is done to the event that `access` holds.
    fn conclude(&self, access: &TokenStream) -> TokenStream {
        let Parts { core, event, .. } = self;
        match &self.handler.event {
            Handled::One { .. } => {
                let span = self.handler.output;
                let core = driver::respanned(core, span);
                let returned = quote!(__said);
                let said = quote_spanned!(span=> <_ as #core::Return<#event>>::said(#returned));
                let settle = self.on_event("settle", &quote!(#access, __said, __NAME));
                // First what it says, which is free of the event; then the event is.
                quote!({
                    let __said = #said;
                    #settle
                })
            }
            Handled::Every(_) => {
                let go_on = self.on_event("go_on", &quote!());
                quote!({
                    let () = __said;
                    #go_on
                })
            }
        }
    }

    /// Whether the hook runs for this event: `only(…)` and `when`.
    fn filter(&self) -> Option<TokenStream> {
        let Parts {
            private,
            handler,
            event,
            ..
        } = self;
        let looked_at = self.look(&self.lent());
        let only = handler.options.only.as_ref().map(|only| {
            let text = quote!(__subject);
            let globs = only
                .globs
                .iter()
                .map(|glob| glob.comparison(&text, private));
            let subject = self.blaming(only.span, "Subject", "subject", &looked_at);
            quote!({
                let __subject = #subject;
                #(#globs)||*
            })
        });
        let when = handler.options.when.as_ref().map(|when| {
            quote_spanned! {driver::at(when.span())=> {
                let __when: fn(&#event) -> bool = #when;
                __when(#looked_at)
            }}
        });
        let all: Vec<_> = only.into_iter().chain(when).collect();
        (!all.is_empty()).then(|| quote!(#(#all)&&*))
    }

    /// Remembers the event, where a failure that is skipped might leave it half changed.
    fn save(&self) -> Option<TokenStream> {
        let looked_at = self.look(&self.lent());
        let skip = self
            .policies()
            .filter_map(|caught| caught.policy)
            .find(|policy| policy.choice == Choice::Skip)
            .filter(|_| self.changes())?;
        let saved = self.blaming(skip.span, "Restorable", "saved", &looked_at);
        Some(quote!(__before = ::core::option::Option::Some(#saved);))
    }

    /// The attempt, with its panics and its timeout caught.
    fn attempt(&self, attempt: &TokenStream) -> TokenStream {
        let Parts {
            private, handler, ..
        } = self;
        let options = &handler.options;
        let panic = options
            .on_panic
            .filter(|policy| policy.choice != Choice::Propagate);
        if !handler.is_async {
            let require = panic
                .map(|panic| quote_spanned!(driver::at(panic.option)=> #private::require_std!();));
            return quote!({
                #require
                #private::catch(|| #attempt)
            });
        }
        let mut future = quote!(async #attempt);
        if let Some(timeout) = &options.timeout {
            let (seconds, nanos) = (timeout.duration.as_secs(), timeout.duration.subsec_nanos());
            let require = quote_spanned!(driver::at(timeout.span)=> #private::require_tokio!(););
            future = quote!({
                #require
                #private::deadline(::core::time::Duration::new(#seconds, #nanos), #future)
            });
        }
        if let Some(panic) = panic {
            let require = quote_spanned!(driver::at(panic.option)=> #private::require_std!(););
            future = quote!({
                #require
                #private::catch_async(#future)
            });
        }
        quote!(#future.await)
    }

    /// Unwraps one layer of what was caught.
    fn on_failure(&self, caught: Caught) -> TokenStream {
        let Parts {
            core,
            private,
            event,
            ..
        } = self;
        let lent = self.lent();
        let changes = self.changes();
        // Without a policy of its own, a timeout that cannot block is to blame itself.
        let (choice, span) = match (caught.policy, &self.handler.options.timeout) {
            (Some(policy), _) => (Some(policy.choice), policy.span),
            (None, Some(timeout)) => (None, timeout.span),
            (None, None) => (None, self.handler.event.span()),
        };
        let is_every = matches!(self.handler.event, Handled::Every(_));
        let failure = quote!(__NAME, __failure);
        let outcome = match choice {
            Some(Choice::Block) => self.blaming(span, "Blockable", "blocked", &failure),
            None if !is_every => self.blaming(span, "DefaultPolicy", "timed_out", &failure),
            _ => quote!(#private::skipped::<#event>(#failure)),
        };
        let restore = (choice == Some(Choice::Skip) && changes).then(|| {
            quote! {
                if let ::core::option::Option::Some(__before) = __before {
                    *<#event as #core::Intercepted>::change(#lent) = __before;
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

/// A failure that is caught, and what is said of it.
#[derive(Clone, Copy)]
struct Caught {
    policy: Option<OnFailure>,
}
