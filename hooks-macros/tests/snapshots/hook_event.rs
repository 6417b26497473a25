/**# Events

| event | kind | a hook may | raised |
| --- | --- | --- | --- |
| [`Checkout`](Cart) | intercept | change it, respond `Vec<Receipt>`, block, abort | Before the cart is paid for. |
| [`Paid`](Payment) | intercept | change it, abort | The cart is paid for. |
| [`Shipped`](Parcel) | observe | look | A parcel has left. |
*/
impl ShopEvent<'_> {
    /// The names of all events, in order.
    pub const NAMES: &'static [&'static str] = &["Checkout", "Paid", "Shipped"];
    /// All events, in order: a row for each, from which tables, schemas and dialects are made.
    pub const INFO: &'static [::hooks_core::EventInfo] = &[
        ::hooks_core::EventInfo::new(
            "Checkout",
            0u32,
            true,
            true,
            true,
            false,
            false,
            ::core::option::Option::Some("owner"),
            "Before the cart is paid for.",
        ),
        ::hooks_core::EventInfo::new(
            "Paid",
            1u32,
            true,
            false,
            false,
            false,
            false,
            ::core::option::Option::None,
            "The cart is paid for.",
        ),
        ::hooks_core::EventInfo::new(
            "Shipped",
            2u32,
            false,
            false,
            false,
            false,
            false,
            ::core::option::Option::None,
            "A parcel has left.",
        ),
    ];
    /// The event's row in the table of all events.
    #[must_use]
    pub const fn info(&self) -> &'static ::hooks_core::EventInfo {
        match self {
            ShopEvent::Checkout(_) => &Self::INFO[0usize],
            ShopEvent::Paid(_) => &Self::INFO[1usize],
            ShopEvent::Shipped(_) => &Self::INFO[2usize],
        }
    }
    /// The name of the event, which is the name of its variant.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            ShopEvent::Checkout(_) => "Checkout",
            ShopEvent::Paid(_) => "Paid",
            ShopEvent::Shipped(_) => "Shipped",
        }
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::Vocabulary for ShopEvent<'_> {
    type Context = ShopContext;
    type Static = ShopEvent<'static>;
    type View<'__a> = ShopEvent<'__a>;
    type Mut<'__a> = ShopEventMut<'__a>;
    type Said = ShopSaid;
    const EVENTS: &'static [::hooks_core::EventInfo] = Self::INFO;
    fn name_of(__view: &Self::View<'_>) -> &'static str {
        match __view {
            ShopEvent::Checkout(__event) => "Checkout",
            ShopEvent::Paid(__event) => "Paid",
            ShopEvent::Shipped(__event) => "Shipped",
        }
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<'__a> ::hooks_core::SharesVocabulary<ShopEvent<'__a>> for ShopEvent<'_> {
    type Common = ShopEvent<'static>;
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::SharesVocabulary<::hooks_core::AnyVocabulary> for ShopEvent<'_> {
    type Common = ShopEvent<'static>;
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<__V> ::hooks_core::Reads<__V> for ShopEvent<'_> {
    type Context = ShopContext;
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::ContextOf<ShopEvent<'_>>
for <fn(&'static ()) -> ShopContext as ::hooks_core::__private::Returned>::Type {
    fn of(__context: &Self) -> &Self {
        __context
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::Event for Cart {
    type Vocabulary = ShopEvent<'static>;
    type Kind = ::hooks_core::Intercept;
    type Response = Vec<Receipt>;
    type Patch = Coupon;
    const NAME: &'static str = "Checkout";
    const INFO: &'static ::hooks_core::EventInfo = &ShopEvent::INFO[0usize];
    type Slot = (::hooks_core::__private::Nibble<0>, ::hooks_core::__private::Nibble<0>);
    type At<'__x> = Cart;
    fn view(&self) -> ShopEvent<'_> {
        ShopEvent::Checkout(self)
    }
    fn view_mut(
        __access: ::hooks_core::__private::Access<'_, Self>,
    ) -> ShopEventMut<'_> {
        ShopEventMut::Checkout(__access)
    }
    fn saved(&self) -> ::core::option::Option<Self> {
        #[allow(unused_imports)]
        use ::hooks_core::__private::{CanSave as _, CannotSave as _};
        (&::hooks_core::__private::Saving(self)).save()
    }
    fn subject_of(&self) -> ::core::option::Option<&str> {
        ::core::option::Option::Some(::hooks_core::Subject::subject(self))
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::Intercepted for Cart {
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
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::Blockable for Cart {}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::Respondable for Cart {
    type Answer = Vec<Receipt>;
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::Subject for Cart {
    fn subject(&self) -> &str {
        &self.owner
    }
}
#[automatically_derived]
impl<'__a> ::core::convert::From<&'__a Cart> for ShopEvent<'__a> {
    fn from(__event: &'__a Cart) -> Self {
        ShopEvent::Checkout(__event)
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::Event for Payment {
    type Vocabulary = ShopEvent<'static>;
    type Kind = ::hooks_core::Intercept;
    type Response = ::core::convert::Infallible;
    type Patch = Self;
    const NAME: &'static str = "Paid";
    const INFO: &'static ::hooks_core::EventInfo = &ShopEvent::INFO[1usize];
    type Slot = (::hooks_core::__private::Nibble<0>, ::hooks_core::__private::Nibble<1>);
    type At<'__x> = Payment;
    fn view(&self) -> ShopEvent<'_> {
        ShopEvent::Paid(self)
    }
    fn view_mut(
        __access: ::hooks_core::__private::Access<'_, Self>,
    ) -> ShopEventMut<'_> {
        ShopEventMut::Paid(__access)
    }
    fn saved(&self) -> ::core::option::Option<Self> {
        #[allow(unused_imports)]
        use ::hooks_core::__private::{CanSave as _, CannotSave as _};
        (&::hooks_core::__private::Saving(self)).save()
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::Intercepted for Payment {
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
#[automatically_derived]
impl<'__a> ::core::convert::From<&'__a Payment> for ShopEvent<'__a> {
    fn from(__event: &'__a Payment) -> Self {
        ShopEvent::Paid(__event)
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<'event> ::hooks_core::Event for Parcel<'event> {
    type Vocabulary = ShopEvent<'static>;
    type Kind = ::hooks_core::Observe;
    type Response = ::core::convert::Infallible;
    type Patch = Self;
    const NAME: &'static str = "Shipped";
    const INFO: &'static ::hooks_core::EventInfo = &ShopEvent::INFO[2usize];
    type Slot = (::hooks_core::__private::Nibble<0>, ::hooks_core::__private::Nibble<2>);
    type At<'__x> = Parcel<'__x>;
    fn view(&self) -> ShopEvent<'_> {
        ShopEvent::Shipped(self)
    }
    fn view_mut(
        __access: ::hooks_core::__private::Access<'_, Self>,
    ) -> ShopEventMut<'_> {
        ShopEventMut::Shipped(__access)
    }
    fn saved(&self) -> ::core::option::Option<Self> {
        #[allow(unused_imports)]
        use ::hooks_core::__private::{CanSave as _, CannotSave as _};
        (&::hooks_core::__private::Saving(self)).save()
    }
}
#[automatically_derived]
impl<'__a> ::core::convert::From<&'__a Parcel<'__a>> for ShopEvent<'__a> {
    fn from(__event: &'__a Parcel<'__a>) -> Self {
        ShopEvent::Shipped(__event)
    }
}
/**Any event of [`ShopEvent`], as a hook with `#[hook(every)]` takes it to change it or decide about it.

A variant holds an intercepted event by `&mut`. It holds an observed event, and an event that borrows its fields, by `&`. The hook returns [`ShopSaid`].*/
#[allow(missing_docs)]
pub enum ShopEventMut<'__a> {
    /// Before the cart is paid for.
    Checkout(&'__a mut Cart),
    /// The cart is paid for.
    Paid(&'__a mut Payment),
    /// A parcel has left.
    Shipped(&'__a Parcel<'__a>),
}
impl ShopEventMut<'_> {
    /// The name of the event, which is the name of its variant.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            ShopEventMut::Checkout(_) => "Checkout",
            ShopEventMut::Paid(_) => "Paid",
            ShopEventMut::Shipped(_) => "Shipped",
        }
    }
    /// Whether hooks may block the event.
    #[must_use]
    pub const fn can_block(&self) -> bool {
        match self {
            ShopEventMut::Checkout(_) => true,
            ShopEventMut::Paid(_) => false,
            ShopEventMut::Shipped(_) => false,
        }
    }
    /// The event as a read-only view.
    #[must_use]
    pub fn view(&self) -> ShopEvent<'_> {
        match self {
            ShopEventMut::Checkout(__event) => ShopEvent::Checkout(__event),
            ShopEventMut::Paid(__event) => ShopEvent::Paid(__event),
            ShopEventMut::Shipped(__event) => ShopEvent::Shipped(__event),
        }
    }
    /// Borrows the same event for a shorter time.
    #[must_use]
    pub fn reborrow(&mut self) -> ShopEventMut<'_> {
        match self {
            ShopEventMut::Checkout(__event) => ShopEventMut::Checkout(&mut *__event),
            ShopEventMut::Paid(__event) => ShopEventMut::Paid(&mut *__event),
            ShopEventMut::Shipped(__event) => ShopEventMut::Shipped(&*__event),
        }
    }
}
/// The name of the event.
impl ::core::fmt::Debug for ShopEventMut<'_> {
    fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Formatter::write_str(__f, self.name())
    }
}
/**What a hook with `#[hook(every)]` decides about an event that it takes as [`ShopEventMut`].

`block`, `abort_turn` and `abort_run` work on every event that allows them. An event that cannot be blocked, such as an observed one, continues. Every other action belongs to one event: convert it with `into()`. An action on the wrong event blocks the event.*/
#[must_use = "what a hook says does nothing until the hook returns it"]
#[derive(::core::default::Default)]
pub enum ShopSaid {
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
    ///An action on `Checkout`.
    Checkout(::hooks_core::HookAction<Cart>),
    ///An action on `Paid`.
    Paid(::hooks_core::HookAction<Payment>),
}
impl ShopSaid {
    /// Blocks this event, if it can be blocked.
    pub fn block(
        __reason: impl ::core::convert::Into<::hooks_core::__private::Cow<'static, str>>,
    ) -> Self {
        ShopSaid::Cancel {
            scope: ::hooks_core::Scope::Event,
            reason: __reason.into(),
            hook: ::core::option::Option::None,
        }
    }
    /// Ends the turn.
    pub fn abort_turn(
        __reason: impl ::core::convert::Into<::hooks_core::__private::Cow<'static, str>>,
    ) -> Self {
        ShopSaid::Cancel {
            scope: ::hooks_core::Scope::Turn,
            reason: __reason.into(),
            hook: ::core::option::Option::None,
        }
    }
    /// Ends the run.
    pub fn abort_run(
        __reason: impl ::core::convert::Into<::hooks_core::__private::Cow<'static, str>>,
    ) -> Self {
        ShopSaid::Cancel {
            scope: ::hooks_core::Scope::Run,
            reason: __reason.into(),
            hook: ::core::option::Option::None,
        }
    }
    /// Whether the event continues.
    #[must_use]
    pub const fn is_continue(&self) -> bool {
        ::core::matches!(self, ShopSaid::Continue)
    }
    /// The event that this action belongs to, if it belongs to one.
    #[must_use]
    pub const fn event(&self) -> ::core::option::Option<&'static str> {
        match self {
            ShopSaid::Continue | ShopSaid::Cancel { .. } => ::core::option::Option::None,
            ShopSaid::Checkout(_) => ::core::option::Option::Some("Checkout"),
            ShopSaid::Paid(_) => ::core::option::Option::Some("Paid"),
        }
    }
}
/// Shows what is cancelled, or the event that the action belongs to.
impl ::core::fmt::Debug for ShopSaid {
    fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self {
            ShopSaid::Continue => ::core::fmt::Formatter::write_str(__f, "Continue"),
            ShopSaid::Cancel { scope: __scope, reason: __reason, .. } => {
                ::core::fmt::Formatter::write_fmt(
                    __f,
                    ::core::format_args!("Cancel({__scope:?}, {__reason:?})"),
                )
            }
            ShopSaid::Checkout(_) => ::core::fmt::Formatter::write_str(__f, "Checkout"),
            ShopSaid::Paid(_) => ::core::fmt::Formatter::write_str(__f, "Paid"),
        }
    }
}
/// Keeps the name of the hook that decided.
impl ::core::convert::From<::hooks_core::Cancel> for ShopSaid {
    fn from(__cancel: ::hooks_core::Cancel) -> Self {
        ShopSaid::Cancel {
            scope: __cancel.scope,
            reason: __cancel.reason,
            hook: ::core::option::Option::Some(__cancel.hook),
        }
    }
}
#[automatically_derived]
impl ::core::convert::From<::hooks_core::HookAction<Cart>> for ShopSaid {
    fn from(__action: ::hooks_core::HookAction<Cart>) -> Self {
        match __action {
            ::hooks_core::HookAction::Continue => ShopSaid::Continue,
            ::hooks_core::HookAction::Cancel {
                scope: __scope,
                reason: __reason,
                hook: __hook,
                ..
            } => {
                ShopSaid::Cancel {
                    scope: __scope,
                    reason: __reason,
                    hook: __hook,
                }
            }
            __action => ShopSaid::Checkout(__action),
        }
    }
}
#[automatically_derived]
impl ::core::convert::From<::hooks_core::HookAction<Payment>> for ShopSaid {
    fn from(__action: ::hooks_core::HookAction<Payment>) -> Self {
        match __action {
            ::hooks_core::HookAction::Continue => ShopSaid::Continue,
            ::hooks_core::HookAction::Cancel {
                scope: __scope,
                reason: __reason,
                hook: __hook,
                ..
            } => {
                ShopSaid::Cancel {
                    scope: __scope,
                    reason: __reason,
                    hook: __hook,
                }
            }
            __action => ShopSaid::Paid(__action),
        }
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::Viewed for ShopEvent<'static> {
    type Vocabulary = ShopEvent<'static>;
    type Facts = ::hooks_core::__private::Looks;
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::Viewed for ShopEventMut<'static> {
    type Vocabulary = ShopEvent<'static>;
    type Facts = ::hooks_core::__private::Changes;
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<
    '__a,
    __E: ::hooks_core::Event<Vocabulary = ShopEvent<'static>> + '__a,
> ::hooks_core::__private::EveryView<'__a, __E> for ShopEvent<'__a> {
    fn of(__access: ::hooks_core::__private::Access<'__a, __E>) -> Self {
        ::hooks_core::Event::view(<__E as ::hooks_core::Event>::look(__access))
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<
    '__a,
    __E: ::hooks_core::Event<Vocabulary = ShopEvent<'static>> + '__a,
> ::hooks_core::__private::EveryView<'__a, __E> for ShopEventMut<'__a> {
    fn of(__access: ::hooks_core::__private::Access<'__a, __E>) -> Self {
        <__E as ::hooks_core::Event>::view_mut(__access)
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<
    __E: ::hooks_core::AnyEvent<Vocabulary = ShopEvent<'static>>,
    __V: ::hooks_core::Viewed,
> ::hooks_core::EveryReturn<__E, __V, ::hooks_core::__private::Changes> for ShopSaid {
    fn action(self) -> ::hooks_core::__private::ActionOn<__E> {
        <__E as ::hooks_core::AnyEvent>::fit(self)
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::AnyEvent for Cart {
    fn fit(__said: ShopSaid) -> ::hooks_core::HookAction<Self> {
        match __said {
            ShopSaid::Continue => ::hooks_core::HookAction::Continue,
            ShopSaid::Cancel { scope: __scope, reason: __reason, hook: __hook } => {
                ::hooks_core::__private::cancelled::<Self>(__scope, __reason, __hook)
            }
            ShopSaid::Checkout(__action) => ::hooks_core::HookAction::shortened(__action),
            #[allow(unreachable_patterns)]
            __other => {
                ::hooks_core::__private::misfit::<
                    Self,
                >(__other.event().unwrap_or_default())
            }
        }
    }
    fn say(__result: ::hooks_core::HookResult<Self>) -> ShopSaid {
        match __result {
            ::hooks_core::HookResult::Continue => ShopSaid::Continue,
            ::hooks_core::HookResult::Respond(__response) => {
                ShopSaid::Checkout(::hooks_core::HookAction::Respond(__response))
            }
            ::hooks_core::HookResult::Cancel(__cancel) => __cancel.into(),
        }
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::AnyEvent for Payment {
    fn fit(__said: ShopSaid) -> ::hooks_core::HookAction<Self> {
        match __said {
            ShopSaid::Continue => ::hooks_core::HookAction::Continue,
            ShopSaid::Cancel { scope: __scope, reason: __reason, hook: __hook } => {
                ::hooks_core::__private::cancelled::<Self>(__scope, __reason, __hook)
            }
            ShopSaid::Paid(__action) => ::hooks_core::HookAction::shortened(__action),
            #[allow(unreachable_patterns)]
            __other => {
                ::hooks_core::__private::misfit::<
                    Self,
                >(__other.event().unwrap_or_default())
            }
        }
    }
    fn say(__result: ::hooks_core::HookResult<Self>) -> ShopSaid {
        match __result {
            ::hooks_core::HookResult::Continue => ShopSaid::Continue,
            ::hooks_core::HookResult::Respond(__response) => {
                ShopSaid::Paid(::hooks_core::HookAction::Respond(__response))
            }
            ::hooks_core::HookResult::Cancel(__cancel) => __cancel.into(),
        }
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<'event> ::hooks_core::AnyEvent for Parcel<'event> {
    fn fit(__said: ShopSaid) -> () {
        let _ = __said;
    }
    fn say(__result: ()) -> ShopSaid {
        let () = __result;
        ShopSaid::Continue
    }
}
/**Hooks for every event of [`ShopEvent`]. An agent that is generic over its hooks takes this bound.

Every pipeline and every hook of this vocabulary implements it. A future that dispatches through this bound is `Send`. More methods are those of [`Hook`](::hooks_core::Hook).*/
#[diagnostic::on_unimplemented(
    message = "these are not hooks of the vocabulary `ShopEvent`",
    label = "not hooks of this vocabulary",
    note = "an agent that is generic over `ShopHooks` takes `hooks![…]`, or one hook, of the events of `ShopEvent`"
)]
pub trait ShopHooks: ::hooks_core::Hook<
        Vocabulary: ::hooks_core::Speaks<ShopEvent<'static>>,
    > + ::hooks_core::Dispatch<
        Cart,
    > + ::hooks_core::Dispatch<
        Payment,
    > + for<'event> ::hooks_core::Dispatch<Parcel<'event>> {
    /// Runs the hooks on an intercepted event in order, until one blocks, responds or aborts. Hooks change the
    /// event in place.
    #[inline]
    fn intercept<'__a, __E, __K>(
        &'__a self,
        __cx: &'__a ShopContext,
        __event: &'__a mut __E,
    ) -> __K::Of<
        impl ::core::future::Future<
            Output = ::hooks_core::HookResult<__E>,
        > + ::core::marker::Send,
    >
    where
        __E: ::hooks_core::AnyEvent<Vocabulary = ShopEvent<'static>>
            + ::hooks_core::IsIntercepted<Self, __K>,
        __K: ::hooks_core::__private::Verdict,
    {
        __K::of(__E::ask(self, __cx, __event))
    }
    /// Runs all hooks on an observed event. Asynchronous hooks run concurrently, and no hook can stop another.
    #[inline]
    fn observe<'__a, __E, __K>(
        &'__a self,
        __cx: &'__a ShopContext,
        __event: &'__a __E,
    ) -> __K::Of<impl ::core::future::Future<Output = ()> + ::core::marker::Send>
    where
        __E: ::hooks_core::AnyEvent<Vocabulary = ShopEvent<'static>>
            + ::hooks_core::IsObserved<Self, __K>,
        __K: ::hooks_core::__private::Verdict,
    {
        __K::of(__E::ask(self, __cx, __event))
    }
    /// Runs these hooks only on the events for which the predicate returns `true`. The predicate takes the
    /// context and the event.
    fn when<__P>(self, __predicate: __P) -> ::hooks_core::When<Self, __P>
    where
        Self: ::core::marker::Sized,
        __P: ::core::ops::Fn(&ShopContext, ShopEvent<'_>) -> bool + ::core::marker::Send
            + ::core::marker::Sync,
    {
        ::hooks_core::When::new(self, __predicate)
    }
}
#[diagnostic::do_not_recommend]
impl<__H> ShopHooks for __H
where
    __H: ::hooks_core::Hook<Vocabulary: ::hooks_core::Speaks<ShopEvent<'static>>>
        + ::hooks_core::Dispatch<Cart> + ::hooks_core::Dispatch<Payment>
        + for<'event> ::hooks_core::Dispatch<Parcel<'event>>,
{}
/**Synchronous hooks for every event of [`ShopEvent`]. An agent that is generic over its hooks, and runs without an executor, takes this bound.

More methods are those of [`ShopHooks`] and [`Hook`](::hooks_core::Hook).*/
#[diagnostic::on_unimplemented(
    message = "some of these hooks on `ShopEvent` must be awaited, or are not hooks of it",
    label = "not synchronous hooks of this vocabulary",
    note = "`ShopHooksNow` is for hooks that are plain `fn`s on every event: take `impl ShopHooks` and await the dispatches, or leave out the hooks that are `async`"
)]
pub trait ShopHooksNow: ShopHooks + ::hooks_core::DispatchNow<
        Cart,
    > + ::hooks_core::DispatchNow<
        Payment,
    > + for<'event> ::hooks_core::DispatchNow<Parcel<'event>> {
    /// Like `intercept`, without an executor.
    #[inline]
    fn intercept_now<'__a, __E>(
        &'__a self,
        __cx: &'__a ShopContext,
        __event: &'__a mut __E,
    ) -> ::hooks_core::HookResult<__E>
    where
        __E: ::hooks_core::AnyEvent<Vocabulary = ShopEvent<'static>>
            + ::hooks_core::Intercepted,
        Self: ::hooks_core::DispatchNow<__E>,
    {
        ::hooks_core::DispatchNow::<__E>::at_once(self, __cx, __event)
    }
    /// Like `observe`, without an executor.
    #[inline]
    fn observe_now<'__a, __E>(&'__a self, __cx: &'__a ShopContext, __event: &'__a __E)
    where
        __E: ::hooks_core::AnyEvent<Vocabulary = ShopEvent<'static>>
            + ::hooks_core::Observed,
        Self: ::hooks_core::DispatchNow<__E>,
    {
        ::hooks_core::DispatchNow::<__E>::at_once(self, __cx, __event);
    }
}
#[diagnostic::do_not_recommend]
impl<__H> ShopHooksNow for __H
where
    __H: ShopHooks + ::hooks_core::DispatchNow<Cart> + ::hooks_core::DispatchNow<Payment>
        + for<'event> ::hooks_core::DispatchNow<Parcel<'event>>,
{}
/**A hook in a box, for events of [`ShopEvent`] that are known only at run time, such as those of a hook of a file.

Implement this trait under `#[async_trait]`. A `Box<dyn ShopHandler>` is a hook: a list, a registry and every wrapper takes it. A plugin that knows its events is a `#[hook] impl Plugin { … }`.*/
pub trait ShopHandler: ::core::marker::Send + ::core::marker::Sync {
    /// Handles one event. The action has to fit it: an action on another event blocks this one.
    #[allow(clippy::type_complexity)]
    fn handle<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: ShopEventMut<'life2>,
    ) -> ::core::pin::Pin<
        ::hooks_core::__private::Box<
            dyn ::core::future::Future<
                Output = ShopSaid,
            > + ::core::marker::Send + 'async_trait,
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
    fn matches(&self, _cx: &ShopContext, _event: &ShopEvent<'_>) -> bool {
        true
    }
    /// Whether the hook is a guard, which only allows or cancels: it then judges the final form of the event
    /// as well. The default is no.
    fn is_guard(&self) -> bool {
        false
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<'__h> ::hooks_core::Hook for dyn ShopHandler + '__h {
    type Vocabulary = ShopEvent<'static>;
    type Rank = ::hooks_core::__private::rank!(0);
    type Answers = ::hooks_core::__private::Every<::hooks_core::__private::One>;
    type Exact = Self::Answers;
    type Wraps = ();
    fn name(&self) -> ::hooks_core::__private::Name<'_> {
        ::hooks_core::__private::Name::Given(ShopHandler::name(self))
    }
    fn wanted(&self) -> ::hooks_core::EventSet {
        let mut __wanted = ::hooks_core::EventSet::NONE;
        for __event in ShopEvent::INFO {
            if self.wants(__event, ::core::option::Option::None) {
                __wanted = __wanted | ::hooks_core::EventSet::one(__event);
            }
        }
        __wanted
    }
    fn is_wanted(&self, __event: &::hooks_core::EventInfo) -> ::core::primitive::bool {
        self.wants(__event, ::core::option::Option::None)
    }
    fn concerns(
        &self,
        __event: &::hooks_core::EventInfo,
        __subject: &::core::primitive::str,
    ) -> ::core::primitive::bool {
        self.wants(__event, ::core::option::Option::Some(__subject))
    }
    fn describe(&self, __plan: &mut ::hooks_core::__private::Planner) {
        __plan
            .given(
                ShopHandler::name(self),
                ShopHandler::priority(self),
                ::hooks_core::Hook::wanted(self),
                ShopHandler::is_guard(self),
                ShopEvent::INFO,
            );
    }
}
#[automatically_derived]
impl<
    '__h,
    __E: ::hooks_core::AnyEvent<Vocabulary = ShopEvent<'static>>,
> ::hooks_core::__private::Leaf<__E> for dyn ShopHandler + '__h {
    type Said = ::hooks_core::__private::ActionOn<__E>;
    type Timing = ::hooks_core::__private::Asynchronous;
    type Facts = ::hooks_core::__private::ChangesAndGuards;
    const MUTATES: ::core::primitive::bool = true;
    fn is_guard(&self) -> ::core::primitive::bool {
        ShopHandler::is_guard(self)
    }
    fn wants(
        &self,
        __cx: &::hooks_core::Context<__E>,
        __event: &__E,
    ) -> ::core::primitive::bool {
        ShopHandler::wants(self, __E::INFO, ::hooks_core::Event::subject_of(__event))
            && ShopHandler::matches(self, __cx, &::hooks_core::Event::view(__event))
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
                    ShopHandler::name(self),
                    <__E as ::hooks_core::Event>::NAME,
                    __said,
                )
                .await,
        )
    }
}
::hooks_core::__private::boxes! {
    #[automatically_derived] #[diagnostic::do_not_recommend] impl < __H : ShopHooks >
    ::hooks_core::__private::Boxes < __H > for ShopEvent < 'static > { const KNOWN :
    ::hooks_core::__private::BoxFacts = ::hooks_core::__private::BoxFacts::NONE.on:: <
    __H, Cart > ().on:: < __H, Payment > ().on:: < __H, Parcel < 'static > > (); fn
    wants(__hooks : & __H, __cx : & ShopContext, __event : ShopEvent < '_ >,) ->
    ::core::primitive::bool { match __event { ShopEvent::Checkout(__event) => { <
    ::hooks_core::__private::ExactOf < __H, Cart > as ::hooks_core::__private::Mode >
    ::then(|| ::hooks_core::__private::wants_boxed:: < __H, Cart > (__hooks, __cx,
    __event),) } ShopEvent::Paid(__event) => { < ::hooks_core::__private::ExactOf < __H,
    Payment > as ::hooks_core::__private::Mode > ::then(||
    ::hooks_core::__private::wants_boxed:: < __H, Payment > (__hooks, __cx, __event),) }
    ShopEvent::Shipped(__event) => { < ::hooks_core::__private::ExactOf < __H, Parcel <
    '_ > > as ::hooks_core::__private::Mode > ::then(||
    ::hooks_core::__private::wants_boxed:: < __H, Parcel < '_ > > (__hooks, __cx,
    __event),) } } } fn call < '__w, '__a : '__w > (__hooks : & '__w __H, __cx : & '__w
    ShopContext, __event : ShopEventMut < '__a >, __watch : & '__w mut (dyn
    ::hooks_core::__private::AnyWatch < Self > + '__w),) ->
    ::hooks_core::__private::Called < '__w, ShopSaid > { match __event {
    ShopEventMut::Checkout(__event) => { < ::hooks_core::__private::ExactOf < __H, Cart >
    as ::hooks_core::__private::Mode > ::then(move ||
    ::hooks_core::__private::ask_boxed:: < __H, Cart > (__hooks, __cx, __event,
    __watch),) } ShopEventMut::Paid(__event) => { < ::hooks_core::__private::ExactOf <
    __H, Payment > as ::hooks_core::__private::Mode > ::then(move ||
    ::hooks_core::__private::ask_boxed:: < __H, Payment > (__hooks, __cx, __event,
    __watch),) } ShopEventMut::Shipped(__event) => { < ::hooks_core::__private::ExactOf <
    __H, Parcel < '_ > > as ::hooks_core::__private::Mode > ::then(move ||
    ::hooks_core::__private::ask_boxed:: < __H, Parcel < '_ > > (__hooks, __cx, __event,
    __watch),) } } } }
}
