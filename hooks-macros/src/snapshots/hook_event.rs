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
    type View<'__a> = ShopEvent<'__a>;
    type Mut<'__a> = ShopEventMut<'__a>;
    const EVENTS: &'static [&'static str] = Self::NAMES;
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
::hooks_core::__private::sorts!(ShopEvent < 'static >);
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::ContextOf<ShopEvent<'_>> for ShopContext {
    fn of(__context: &ShopContext) -> &ShopContext {
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
    const BLOCKABLE: bool = true;
    const IS_APPROVAL: bool = false;
    type Slot = ::hooks_core::__private::Zero;
    type At<'__x> = Cart;
    fn view(&self) -> ShopEvent<'_> {
        ShopEvent::Checkout(self)
    }
    fn view_mut(
        __access: <::hooks_core::Intercept as ::hooks_core::Kind>::Access<'_, Self>,
    ) -> ShopEventMut<'_> {
        ShopEventMut::Checkout(__access)
    }
    fn saved(&self) -> ::core::option::Option<Self> {
        #[allow(unused_imports)]
        use ::hooks_core::__private::{CanSave as _, CannotSave as _};
        (&::hooks_core::__private::Saving(self)).save()
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
    const BLOCKABLE: bool = false;
    const IS_APPROVAL: bool = false;
    type Slot = ::hooks_core::__private::Succ<::hooks_core::__private::Zero>;
    type At<'__x> = Payment;
    fn view(&self) -> ShopEvent<'_> {
        ShopEvent::Paid(self)
    }
    fn view_mut(
        __access: <::hooks_core::Intercept as ::hooks_core::Kind>::Access<'_, Self>,
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
    const BLOCKABLE: bool = false;
    const IS_APPROVAL: bool = false;
    type Slot = ::hooks_core::__private::Succ<
        ::hooks_core::__private::Succ<::hooks_core::__private::Zero>,
    >;
    type At<'__x> = Parcel<'__x>;
    fn view(&self) -> ShopEvent<'_> {
        ShopEvent::Shipped(self)
    }
    fn view_mut(
        __access: <::hooks_core::Observe as ::hooks_core::Kind>::Access<'_, Self>,
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
    /**Runs other hooks on this event. A hook that wraps other hooks calls this method.

The other hooks change the event in place. The method returns what they decide. `hooks` is any [`ShopHooks`].*/
    pub async fn dispatch<__H: ShopHooks>(
        self,
        hooks: &__H,
        cx: &ShopContext,
    ) -> ShopSaid {
        match self {
            ShopEventMut::Checkout(event) => {
                let event = event;
                match ::hooks_core::Intercepts::intercept(hooks, cx, event).await {
                    ::hooks_core::HookResult::Continue => ShopSaid::Continue,
                    ::hooks_core::HookResult::Respond(response) => {
                        ShopSaid::Checkout(::hooks_core::HookAction::Respond(response))
                    }
                    ::hooks_core::HookResult::Cancel(cancel) => cancel.into(),
                }
            }
            ShopEventMut::Paid(event) => {
                let event = event;
                match ::hooks_core::Intercepts::intercept(hooks, cx, event).await {
                    ::hooks_core::HookResult::Continue => ShopSaid::Continue,
                    ::hooks_core::HookResult::Respond(response) => {
                        ShopSaid::Paid(::hooks_core::HookAction::Respond(response))
                    }
                    ::hooks_core::HookResult::Cancel(cancel) => cancel.into(),
                }
            }
            ShopEventMut::Shipped(event) => {
                ::hooks_core::Observes::observe(hooks, cx, event).await;
                ShopSaid::Continue
            }
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
        reason: impl ::core::convert::Into<::hooks_core::__private::Cow<'static, str>>,
    ) -> Self {
        <ShopEvent<
            'static,
        > as ::hooks_core::__private::Says>::cancelled(
            ::hooks_core::Scope::Event,
            reason.into(),
            ::core::option::Option::None,
        )
    }
    /// Ends the turn.
    pub fn abort_turn(
        reason: impl ::core::convert::Into<::hooks_core::__private::Cow<'static, str>>,
    ) -> Self {
        <ShopEvent<
            'static,
        > as ::hooks_core::__private::Says>::cancelled(
            ::hooks_core::Scope::Turn,
            reason.into(),
            ::core::option::Option::None,
        )
    }
    /// Ends the run.
    pub fn abort_run(
        reason: impl ::core::convert::Into<::hooks_core::__private::Cow<'static, str>>,
    ) -> Self {
        <ShopEvent<
            'static,
        > as ::hooks_core::__private::Says>::cancelled(
            ::hooks_core::Scope::Run,
            reason.into(),
            ::core::option::Option::None,
        )
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
            ShopSaid::Cancel { scope, reason, .. } => {
                ::core::fmt::Formatter::write_fmt(
                    __f,
                    ::core::format_args!("Cancel({scope:?}, {reason:?})"),
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
        <ShopEvent<
            'static,
        > as ::hooks_core::__private::Says>::cancelled(
            __cancel.scope,
            __cancel.reason,
            ::core::option::Option::Some(__cancel.hook),
        )
    }
}
#[automatically_derived]
impl ::core::convert::From<::hooks_core::HookAction<Cart>> for ShopSaid {
    fn from(__action: ::hooks_core::HookAction<Cart>) -> Self {
        match __action {
            ::hooks_core::HookAction::Continue => ShopSaid::Continue,
            ::hooks_core::HookAction::Cancel { scope, reason, hook, .. } => {
                ShopSaid::Cancel {
                    scope,
                    reason,
                    hook,
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
            ::hooks_core::HookAction::Cancel { scope, reason, hook, .. } => {
                ShopSaid::Cancel {
                    scope,
                    reason,
                    hook,
                }
            }
            __action => ShopSaid::Paid(__action),
        }
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::__private::Says for ShopEvent<'_> {
    type Said = ShopSaid;
    fn cancelled(
        scope: ::hooks_core::Scope,
        reason: ::hooks_core::__private::Cow<'static, str>,
        hook: ::core::option::Option<::hooks_core::__private::Cow<'static, str>>,
    ) -> ShopSaid {
        ShopSaid::Cancel {
            scope,
            reason,
            hook,
        }
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::Viewed for ShopEvent<'static> {
    type Vocabulary = ShopEvent<'static>;
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::Viewed for ShopEventMut<'static> {
    type Vocabulary = ShopEvent<'static>;
    const LENDS: ::core::primitive::bool = true;
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
    __E: ::hooks_core::__private::AnyEvent
        + ::hooks_core::Event<Vocabulary = ShopEvent<'static>>,
> ::hooks_core::EveryReturn<__E> for ShopSaid {
    fn said(self) -> ::hooks_core::__private::Said<__E> {
        <__E as ::hooks_core::__private::AnyEvent>::fit(self)
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::__private::AnyEvent for Cart {
    fn fit(__said: ShopSaid) -> ::hooks_core::HookAction<Self> {
        match __said {
            ShopSaid::Continue => ::hooks_core::HookAction::Continue,
            ShopSaid::Cancel { scope, reason, hook } => {
                ::hooks_core::__private::cancelled::<Self>(scope, reason, hook)
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
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::__private::AnyEvent for Payment {
    fn fit(__said: ShopSaid) -> ::hooks_core::HookAction<Self> {
        match __said {
            ShopSaid::Continue => ::hooks_core::HookAction::Continue,
            ShopSaid::Cancel { scope, reason, hook } => {
                ::hooks_core::__private::cancelled::<Self>(scope, reason, hook)
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
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<'event> ::hooks_core::__private::AnyEvent for Parcel<'event> {
    fn fit(__said: ShopSaid) -> () {
        let _ = __said;
    }
}
/**Hooks for every event of [`ShopEvent`]. An agent that is generic over its hooks takes this bound.

Every pipeline and every hook of this vocabulary implements it. A future that dispatches through this bound is `Send`. The methods are those of [`Hook`](::hooks_core::Hook), [`Observes`](::hooks_core::Observes) and [`Intercepts`](::hooks_core::Intercepts).*/
#[diagnostic::on_unimplemented(
    message = "these are no hooks of the vocabulary `ShopEvent`",
    label = "not hooks of this vocabulary",
    note = "an agent that is generic over `ShopHooks` takes `hooks![…]`, or one hook, of the events of `ShopEvent`"
)]
pub trait ShopHooks: ::hooks_core::Hook<
        Vocabulary: ::hooks_core::SharesVocabulary<ShopEvent<'static>>,
    > + for<> ::hooks_core::Intercepts<
        Cart,
    > + for<> ::hooks_core::Intercepts<
        Payment,
    > + for<'event> ::hooks_core::Observes<Parcel<'event>> {
    /// Runs these hooks only on the events for which the predicate returns `true`. The predicate takes the
    /// context and the event.
    fn when<__P>(self, predicate: __P) -> ::hooks_core::When<Self, __P>
    where
        Self: ::core::marker::Sized,
        __P: ::core::ops::Fn(&ShopContext, ShopEvent<'_>) -> bool + ::core::marker::Send
            + ::core::marker::Sync,
    {
        ::hooks_core::When::new(self, predicate)
    }
}
#[diagnostic::do_not_recommend]
impl<__H> ShopHooks for __H
where
    __H: ::hooks_core::Hook<
            Vocabulary: ::hooks_core::SharesVocabulary<ShopEvent<'static>>,
        > + for<> ::hooks_core::Intercepts<Cart>
        + for<> ::hooks_core::Intercepts<Payment>
        + for<'event> ::hooks_core::Observes<Parcel<'event>>,
{}
/**Synchronous hooks for every event of [`ShopEvent`]. An agent that is generic over its hooks, and runs without an executor, takes this bound.

The methods are those of [`ObservesNow`](::hooks_core::ObservesNow), [`InterceptsNow`](::hooks_core::InterceptsNow) and [`ShopHooks`].*/
#[diagnostic::on_unimplemented(
    message = "some of these hooks on `ShopEvent` must be awaited, or are no hooks of it",
    label = "not synchronous hooks of this vocabulary",
    note = "`ShopHooksNow` is for hooks that are plain `fn`s on every event: take `impl ShopHooks` and await the dispatches, or leave out the hooks that are `async`"
)]
pub trait ShopHooksNow: ShopHooks + for<> ::hooks_core::InterceptsNow<
        Cart,
    > + for<> ::hooks_core::InterceptsNow<
        Payment,
    > + for<'event> ::hooks_core::ObservesNow<Parcel<'event>> {}
#[diagnostic::do_not_recommend]
impl<__H> ShopHooksNow for __H
where
    __H: ShopHooks + for<> ::hooks_core::InterceptsNow<Cart>
        + for<> ::hooks_core::InterceptsNow<Payment>
        + for<'event> ::hooks_core::ObservesNow<Parcel<'event>>,
{}
/**A handler for events of [`ShopEvent`] that is added at run time: see `HookRegistry`.

Implement this trait under `#[async_trait]`. Write one `async fn` for each event that you handle. The method of every other event calls `handle_any`, which does nothing by default. Override `handle_any` to handle every event.*/
pub trait ShopHandler: ::core::marker::Send + ::core::marker::Sync {
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
    fn events(&self) -> ::hooks_core::EventSet {
        ::hooks_core::EventSet::ALL
    }
    /// The subjects that the handler wants, such as the names of tools. The default, `None`, is all of them. A
    /// registry does not call the handler for an event about any other subject.
    fn only(&self) -> ::core::option::Option<&dyn ::hooks_core::Only> {
        ::core::option::Option::None
    }
    #[doc(hidden)]
    fn wraps_around(&self) -> ::hooks_core::EventSet {
        ::hooks_core::EventSet::NONE
    }
    /// Handles every event whose own method is not overridden. By default, it does nothing.
    #[allow(unused_variables)]
    fn handle_any<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: ShopEventMut<'life2>,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ShopSaid>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        ::hooks_core::__private::GoOn::<ShopSaid>::boxed()
    }
    /// Receives an event that an earlier hook or handler has blocked or answered. This handler does not get
    /// to handle that event. Use this method for logs. By default, it does nothing.
    #[allow(unused_variables)]
    fn decided(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        decision: ::hooks_core::Decision<'_>,
    ) {}
    #[doc(hidden)]
    fn listens(&self) -> ::core::primitive::bool {
        false
    }
    #[doc(hidden)]
    fn registry(&self) -> ::core::option::Option<[&dyn ::core::any::Any; 2]> {
        ::core::option::Option::None
    }
    #[doc(hidden)]
    #[allow(unused_variables)]
    fn listen(
        &self,
        witnesses: &mut ::hooks_core::__private::Witnesses<ShopEvent<'static>>,
    ) {}
    #[doc(hidden)]
    fn told(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        told: ::hooks_core::__private::Told<'_, ShopEvent<'static>>,
    ) {
        self.decided(cx, event, told.decision());
    }
    /// Before the cart is paid for.
    #[allow(missing_docs)]
    fn checkout<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 mut Cart,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ::hooks_core::HookAction<Cart>>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        ::hooks_core::__private::fall_back::<
            Cart,
        >(self.handle_any(cx, ShopEventMut::Checkout(event)))
    }
    /// The cart is paid for.
    #[allow(missing_docs)]
    fn paid<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 mut Payment,
    ) -> ::hooks_core::__private::BoxFuture<
        'async_trait,
        ::hooks_core::HookAction<Payment>,
    >
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        ::hooks_core::__private::fall_back::<
            Payment,
        >(self.handle_any(cx, ShopEventMut::Paid(event)))
    }
    /// A parcel has left.
    #[allow(missing_docs)]
    fn shipped<'life0, 'life1, 'life2, 'life3, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 Parcel<'life3>,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ()>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        'life3: 'async_trait,
        Self: 'async_trait,
    {
        ::hooks_core::__private::fall_back::<
            Parcel<'life3>,
        >(self.handle_any(cx, ShopEventMut::Shipped(event)))
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<__H: ShopHandler + ::core::marker::Unpin> ShopHandler
for ::hooks_core::__private::Box<__H> {
    fn name(&self) -> &str {
        (**self).name()
    }
    fn priority(&self) -> i32 {
        (**self).priority()
    }
    fn events(&self) -> ::hooks_core::EventSet {
        (**self).events()
    }
    fn only(&self) -> ::core::option::Option<&dyn ::hooks_core::Only> {
        (**self).only()
    }
    fn wraps_around(&self) -> ::hooks_core::EventSet {
        (**self).wraps_around()
    }
    fn handle_any<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: ShopEventMut<'life2>,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ShopSaid>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        (**self).handle_any(cx, event)
    }
    fn decided(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        decision: ::hooks_core::Decision<'_>,
    ) {
        (**self).decided(cx, event, decision);
    }
    fn listens(&self) -> ::core::primitive::bool {
        (**self).listens()
    }
    fn registry(&self) -> ::core::option::Option<[&dyn ::core::any::Any; 2]> {
        (**self).registry()
    }
    fn listen(
        &self,
        witnesses: &mut ::hooks_core::__private::Witnesses<ShopEvent<'static>>,
    ) {
        (**self).listen(witnesses);
    }
    fn told(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        told: ::hooks_core::__private::Told<'_, ShopEvent<'static>>,
    ) {
        (**self).told(cx, event, told);
    }
    fn checkout<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 mut Cart,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ::hooks_core::HookAction<Cart>>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        (**self).checkout(cx, event)
    }
    fn paid<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 mut Payment,
    ) -> ::hooks_core::__private::BoxFuture<
        'async_trait,
        ::hooks_core::HookAction<Payment>,
    >
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        (**self).paid(cx, event)
    }
    fn shipped<'life0, 'life1, 'life2, 'life3, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 Parcel<'life3>,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ()>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        'life3: 'async_trait,
        Self: 'async_trait,
    {
        (**self).shipped(cx, event)
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ShopHandler for ::hooks_core::__private::Box<dyn ShopHandler> {
    fn name(&self) -> &str {
        (**self).name()
    }
    fn priority(&self) -> i32 {
        (**self).priority()
    }
    fn events(&self) -> ::hooks_core::EventSet {
        (**self).events()
    }
    fn only(&self) -> ::core::option::Option<&dyn ::hooks_core::Only> {
        (**self).only()
    }
    fn wraps_around(&self) -> ::hooks_core::EventSet {
        (**self).wraps_around()
    }
    fn handle_any<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: ShopEventMut<'life2>,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ShopSaid>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        (**self).handle_any(cx, event)
    }
    fn decided(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        decision: ::hooks_core::Decision<'_>,
    ) {
        (**self).decided(cx, event, decision);
    }
    fn listens(&self) -> ::core::primitive::bool {
        (**self).listens()
    }
    fn registry(&self) -> ::core::option::Option<[&dyn ::core::any::Any; 2]> {
        (**self).registry()
    }
    fn listen(
        &self,
        witnesses: &mut ::hooks_core::__private::Witnesses<ShopEvent<'static>>,
    ) {
        (**self).listen(witnesses);
    }
    fn told(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        told: ::hooks_core::__private::Told<'_, ShopEvent<'static>>,
    ) {
        (**self).told(cx, event, told);
    }
    fn checkout<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 mut Cart,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ::hooks_core::HookAction<Cart>>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        (**self).checkout(cx, event)
    }
    fn paid<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 mut Payment,
    ) -> ::hooks_core::__private::BoxFuture<
        'async_trait,
        ::hooks_core::HookAction<Payment>,
    >
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        (**self).paid(cx, event)
    }
    fn shipped<'life0, 'life1, 'life2, 'life3, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 Parcel<'life3>,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ()>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        'life3: 'async_trait,
        Self: 'async_trait,
    {
        (**self).shipped(cx, event)
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<__H: ShopHandler + ::core::marker::Unpin> ShopHandler
for ::hooks_core::__private::Arc<__H> {
    fn name(&self) -> &str {
        (**self).name()
    }
    fn priority(&self) -> i32 {
        (**self).priority()
    }
    fn events(&self) -> ::hooks_core::EventSet {
        (**self).events()
    }
    fn only(&self) -> ::core::option::Option<&dyn ::hooks_core::Only> {
        (**self).only()
    }
    fn wraps_around(&self) -> ::hooks_core::EventSet {
        (**self).wraps_around()
    }
    fn handle_any<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: ShopEventMut<'life2>,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ShopSaid>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        (**self).handle_any(cx, event)
    }
    fn decided(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        decision: ::hooks_core::Decision<'_>,
    ) {
        (**self).decided(cx, event, decision);
    }
    fn listens(&self) -> ::core::primitive::bool {
        (**self).listens()
    }
    fn registry(&self) -> ::core::option::Option<[&dyn ::core::any::Any; 2]> {
        (**self).registry()
    }
    fn listen(
        &self,
        witnesses: &mut ::hooks_core::__private::Witnesses<ShopEvent<'static>>,
    ) {
        (**self).listen(witnesses);
    }
    fn told(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        told: ::hooks_core::__private::Told<'_, ShopEvent<'static>>,
    ) {
        (**self).told(cx, event, told);
    }
    fn checkout<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 mut Cart,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ::hooks_core::HookAction<Cart>>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        (**self).checkout(cx, event)
    }
    fn paid<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 mut Payment,
    ) -> ::hooks_core::__private::BoxFuture<
        'async_trait,
        ::hooks_core::HookAction<Payment>,
    >
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        (**self).paid(cx, event)
    }
    fn shipped<'life0, 'life1, 'life2, 'life3, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 Parcel<'life3>,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ()>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        'life3: 'async_trait,
        Self: 'async_trait,
    {
        (**self).shipped(cx, event)
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ShopHandler for ::hooks_core::__private::Arc<dyn ShopHandler> {
    fn name(&self) -> &str {
        (**self).name()
    }
    fn priority(&self) -> i32 {
        (**self).priority()
    }
    fn events(&self) -> ::hooks_core::EventSet {
        (**self).events()
    }
    fn only(&self) -> ::core::option::Option<&dyn ::hooks_core::Only> {
        (**self).only()
    }
    fn wraps_around(&self) -> ::hooks_core::EventSet {
        (**self).wraps_around()
    }
    fn handle_any<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: ShopEventMut<'life2>,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ShopSaid>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        (**self).handle_any(cx, event)
    }
    fn decided(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        decision: ::hooks_core::Decision<'_>,
    ) {
        (**self).decided(cx, event, decision);
    }
    fn listens(&self) -> ::core::primitive::bool {
        (**self).listens()
    }
    fn registry(&self) -> ::core::option::Option<[&dyn ::core::any::Any; 2]> {
        (**self).registry()
    }
    fn listen(
        &self,
        witnesses: &mut ::hooks_core::__private::Witnesses<ShopEvent<'static>>,
    ) {
        (**self).listen(witnesses);
    }
    fn told(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        told: ::hooks_core::__private::Told<'_, ShopEvent<'static>>,
    ) {
        (**self).told(cx, event, told);
    }
    fn checkout<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 mut Cart,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ::hooks_core::HookAction<Cart>>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        (**self).checkout(cx, event)
    }
    fn paid<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 mut Payment,
    ) -> ::hooks_core::__private::BoxFuture<
        'async_trait,
        ::hooks_core::HookAction<Payment>,
    >
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        (**self).paid(cx, event)
    }
    fn shipped<'life0, 'life1, 'life2, 'life3, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 Parcel<'life3>,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ()>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        'life3: 'async_trait,
        Self: 'async_trait,
    {
        (**self).shipped(cx, event)
    }
}
/// One hook has its own name and priority.
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<__H: ::hooks_core::Hook> ShopHandler for ::hooks_core::Pipeline<__H>
where
    ::hooks_core::Pipeline<__H>: ShopHooks,
{
    fn name(&self) -> &str {
        let only = ::hooks_core::Hook::plan(self).only_hook();
        only.map_or("Pipeline", |(name, _)| name)
    }
    fn priority(&self) -> i32 {
        let only = ::hooks_core::Hook::plan(self).only_hook();
        only.map_or(0, |(_, priority)| priority)
    }
    fn events(&self) -> ::hooks_core::EventSet {
        ::hooks_core::__private::events_of(self)
    }
    fn wraps_around(&self) -> ::hooks_core::EventSet {
        ::hooks_core::Hook::wrapped(self)
    }
    fn handle_any<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: ShopEventMut<'life2>,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ShopSaid>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        match event {
            ShopEventMut::Checkout(event) => {
                ::hooks_core::__private::Box::pin(async move {
                    {
                        let event = event;
                        match ::hooks_core::Intercepts::intercept(self, cx, event).await
                        {
                            ::hooks_core::HookResult::Continue => ShopSaid::Continue,
                            ::hooks_core::HookResult::Respond(response) => {
                                ShopSaid::Checkout(
                                    ::hooks_core::HookAction::Respond(response),
                                )
                            }
                            ::hooks_core::HookResult::Cancel(cancel) => cancel.into(),
                        }
                    }
                })
            }
            ShopEventMut::Paid(event) => {
                ::hooks_core::__private::Box::pin(async move {
                    {
                        let event = event;
                        match ::hooks_core::Intercepts::intercept(self, cx, event).await
                        {
                            ::hooks_core::HookResult::Continue => ShopSaid::Continue,
                            ::hooks_core::HookResult::Respond(response) => {
                                ShopSaid::Paid(::hooks_core::HookAction::Respond(response))
                            }
                            ::hooks_core::HookResult::Cancel(cancel) => cancel.into(),
                        }
                    }
                })
            }
            ShopEventMut::Shipped(event) => {
                ::hooks_core::__private::Box::pin(async move {
                    ::hooks_core::Observes::observe(self, cx, event).await;
                    ShopSaid::Continue
                })
            }
        }
    }
    fn decided(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        decision: ::hooks_core::Decision<'_>,
    ) {
        ShopHandler::told(self, cx, event, decision.into());
    }
    fn registry(&self) -> ::core::option::Option<[&dyn ::core::any::Any; 2]> {
        ::hooks_core::Hook::registry(self)
    }
    fn listens(&self) -> ::core::primitive::bool {
        ::hooks_core::__private::listens::<_, Cart>(self)
    }
    fn listen(
        &self,
        witnesses: &mut ::hooks_core::__private::Witnesses<ShopEvent<'static>>,
    ) {
        ::hooks_core::__private::listen::<_, Cart>(self, witnesses);
    }
    fn told(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        told: ::hooks_core::__private::Told<'_, ShopEvent<'static>>,
    ) {
        match event {
            ShopEvent::Checkout(event) => {
                ::hooks_core::__private::decided(self, cx, event, told)
            }
            ShopEvent::Paid(event) => {
                ::hooks_core::__private::decided(self, cx, event, told)
            }
            ShopEvent::Shipped(_) => {}
        }
    }
    fn checkout<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 mut Cart,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ::hooks_core::HookAction<Cart>>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        ::hooks_core::__private::intercept_boxed::<_, Cart>(self, cx, event)
    }
    fn paid<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 mut Payment,
    ) -> ::hooks_core::__private::BoxFuture<
        'async_trait,
        ::hooks_core::HookAction<Payment>,
    >
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        ::hooks_core::__private::intercept_boxed::<_, Payment>(self, cx, event)
    }
    fn shipped<'life0, 'life1, 'life2, 'life3, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 Parcel<'life3>,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ()>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        'life3: 'async_trait,
        Self: 'async_trait,
    {
        ::hooks_core::__private::observe_boxed::<_, Parcel<'life3>>(self, cx, event)
    }
}
/// One hook has its own name and priority.
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<__H: ShopHooks> ShopHandler for ::hooks_core::__private::AsHandler<__H> {
    fn name(&self) -> &str {
        let only = ::hooks_core::Hook::plan(&self.0).only_hook();
        only.map_or("Pipeline", |(name, _)| name)
    }
    fn priority(&self) -> i32 {
        let only = ::hooks_core::Hook::plan(&self.0).only_hook();
        only.map_or(0, |(_, priority)| priority)
    }
    fn events(&self) -> ::hooks_core::EventSet {
        ::hooks_core::__private::events_of(&self.0)
    }
    fn wraps_around(&self) -> ::hooks_core::EventSet {
        ::hooks_core::Hook::wrapped(&self.0)
    }
    fn handle_any<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: ShopEventMut<'life2>,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ShopSaid>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        match event {
            ShopEventMut::Checkout(event) => {
                ::hooks_core::__private::Box::pin(async move {
                    {
                        let event = event;
                        match ::hooks_core::Intercepts::intercept(&self.0, cx, event)
                            .await
                        {
                            ::hooks_core::HookResult::Continue => ShopSaid::Continue,
                            ::hooks_core::HookResult::Respond(response) => {
                                ShopSaid::Checkout(
                                    ::hooks_core::HookAction::Respond(response),
                                )
                            }
                            ::hooks_core::HookResult::Cancel(cancel) => cancel.into(),
                        }
                    }
                })
            }
            ShopEventMut::Paid(event) => {
                ::hooks_core::__private::Box::pin(async move {
                    {
                        let event = event;
                        match ::hooks_core::Intercepts::intercept(&self.0, cx, event)
                            .await
                        {
                            ::hooks_core::HookResult::Continue => ShopSaid::Continue,
                            ::hooks_core::HookResult::Respond(response) => {
                                ShopSaid::Paid(::hooks_core::HookAction::Respond(response))
                            }
                            ::hooks_core::HookResult::Cancel(cancel) => cancel.into(),
                        }
                    }
                })
            }
            ShopEventMut::Shipped(event) => {
                ::hooks_core::__private::Box::pin(async move {
                    ::hooks_core::Observes::observe(&self.0, cx, event).await;
                    ShopSaid::Continue
                })
            }
        }
    }
    fn decided(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        decision: ::hooks_core::Decision<'_>,
    ) {
        ShopHandler::told(self, cx, event, decision.into());
    }
    fn registry(&self) -> ::core::option::Option<[&dyn ::core::any::Any; 2]> {
        ::hooks_core::Hook::registry(&self.0)
    }
    fn listens(&self) -> ::core::primitive::bool {
        ::hooks_core::__private::listens::<_, Cart>(&self.0)
    }
    fn listen(
        &self,
        witnesses: &mut ::hooks_core::__private::Witnesses<ShopEvent<'static>>,
    ) {
        ::hooks_core::__private::listen::<_, Cart>(&self.0, witnesses);
    }
    fn told(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        told: ::hooks_core::__private::Told<'_, ShopEvent<'static>>,
    ) {
        match event {
            ShopEvent::Checkout(event) => {
                ::hooks_core::__private::decided(&self.0, cx, event, told)
            }
            ShopEvent::Paid(event) => {
                ::hooks_core::__private::decided(&self.0, cx, event, told)
            }
            ShopEvent::Shipped(_) => {}
        }
    }
    fn checkout<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 mut Cart,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ::hooks_core::HookAction<Cart>>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        ::hooks_core::__private::intercept_boxed::<_, Cart>(&self.0, cx, event)
    }
    fn paid<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 mut Payment,
    ) -> ::hooks_core::__private::BoxFuture<
        'async_trait,
        ::hooks_core::HookAction<Payment>,
    >
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        ::hooks_core::__private::intercept_boxed::<_, Payment>(&self.0, cx, event)
    }
    fn shipped<'life0, 'life1, 'life2, 'life3, 'async_trait>(
        &'life0 self,
        cx: &'life1 ShopContext,
        event: &'life2 Parcel<'life3>,
    ) -> ::hooks_core::__private::BoxFuture<'async_trait, ()>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        'life3: 'async_trait,
        Self: 'async_trait,
    {
        ::hooks_core::__private::observe_boxed::<_, Parcel<'life3>>(&self.0, cx, event)
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::RunTime for ShopEvent<'_> {
    type Handler = dyn ShopHandler;
    fn name(__handler: &Self::Handler) -> &str {
        __handler.name()
    }
    fn priority(__handler: &Self::Handler) -> i32 {
        __handler.priority()
    }
    fn events(__handler: &Self::Handler) -> ::hooks_core::EventSet {
        __handler.events()
    }
    fn wrapped(__handler: &Self::Handler) -> ::hooks_core::EventSet {
        __handler.wraps_around()
    }
    fn only(
        __handler: &Self::Handler,
    ) -> ::core::option::Option<&dyn ::hooks_core::Only> {
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
    fn listen(
        __handler: &Self::Handler,
        __witnesses: &mut ::hooks_core::__private::Witnesses<Self>,
    )
    where
        Self: 'static,
    {
        __handler.listen(__witnesses);
    }
    fn told(
        __handler: &Self::Handler,
        __cx: &Self::Context,
        __view: Self::View<'_>,
        __told: ::hooks_core::__private::Told<'_, Self>,
    )
    where
        Self: 'static,
    {
        __handler.told(__cx, __view, __told);
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<
    __H: ShopHandler + ::core::marker::Unpin + 'static,
> ::hooks_core::Handles<__H, ::hooks_core::ByHandler> for ShopEvent<'_> {
    fn handler(__handler: __H) -> ::hooks_core::__private::Arc<dyn ShopHandler> {
        ::hooks_core::__private::Arc::new(__handler)
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<__H: ShopHooks + 'static> ::hooks_core::Handles<__H, ::hooks_core::ByHooks>
for ShopEvent<'_> {
    fn handler(__hooks: __H) -> ::hooks_core::__private::Arc<dyn ShopHandler> {
        ::hooks_core::__private::Arc::new(::hooks_core::__private::AsHandler(__hooks))
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::__private::Handled for Cart {
    fn ask<'__a>(
        __handler: &'__a (dyn ShopHandler + 'static),
        __cx: &'__a ShopContext,
        __event: &'__a mut Self,
    ) -> ::hooks_core::__private::BoxFuture<'__a, ::hooks_core::HookAction<Self>> {
        __handler.checkout(__cx, __event)
    }
    fn subject(&self) -> ::core::option::Option<&str> {
        ::core::option::Option::Some(::hooks_core::Subject::subject(self))
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::__private::Handled for Payment {
    fn ask<'__a>(
        __handler: &'__a (dyn ShopHandler + 'static),
        __cx: &'__a ShopContext,
        __event: &'__a mut Self,
    ) -> ::hooks_core::__private::BoxFuture<'__a, ::hooks_core::HookAction<Self>> {
        __handler.paid(__cx, __event)
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<'event> ::hooks_core::__private::Handled for Parcel<'event> {
    fn ask<'__a>(
        __handler: &'__a (dyn ShopHandler + 'static),
        __cx: &'__a ShopContext,
        __event: &'__a Self,
    ) -> ::hooks_core::__private::BoxFuture<'__a, ()> {
        __handler.shipped(__cx, __event)
    }
}
