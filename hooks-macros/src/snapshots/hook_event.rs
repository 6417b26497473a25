impl ShopEvent<'_> {
    /// The names of all events, in order.
    pub const NAMES: &'static [&'static str] = &["Checkout", "Paid", "Shipped"];
    /// The event's name: that of the variant.
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
    type Handler = dyn ShopHandler;
    const EVENTS: &'static [&'static str] = Self::NAMES;
    fn name_of(__view: &Self::View<'_>) -> &'static str {
        match __view {
            ShopEvent::Checkout(__event) => "Checkout",
            ShopEvent::Paid(__event) => "Paid",
            ShopEvent::Shipped(__event) => "Shipped",
        }
    }
    fn handler_name(__handler: &Self::Handler) -> &str {
        __handler.name()
    }
    fn handler_priority(__handler: &Self::Handler) -> i32 {
        __handler.priority()
    }
    fn handler_decided(
        __handler: &Self::Handler,
        __cx: &Self::Context,
        __view: Self::View<'_>,
        __decision: ::hooks_core::Decision<'_>,
    ) {
        __handler.decided(__cx, __view, __decision);
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
impl ::hooks_core::ContextOf<ShopEvent<'_>> for ShopContext {
    fn of(__context: &ShopContext) -> &ShopContext {
        __context
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<__H: ShopHandler + 'static> ::hooks_core::Handles<__H> for ShopEvent<'_> {
    fn boxed(__handler: __H) -> ::hooks_core::__private::Box<dyn ShopHandler> {
        ::hooks_core::__private::Box::new(__handler)
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
    type Slot = ::hooks_core::__private::Zero;
    type At<'__x> = Cart;
    fn view(&self) -> ShopEvent<'_> {
        ShopEvent::Checkout(self)
    }
    fn ask<'__a>(
        __handler: &'__a ::hooks_core::__private::Handler<Self>,
        __cx: &'__a ::hooks_core::Context<Self>,
        __event: ::hooks_core::__private::Access<'__a, Self>,
    ) -> ::hooks_core::__private::BoxFuture<'__a, ::hooks_core::__private::Said<Self>> {
        __handler.checkout(__cx, __event)
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::Intercepted for Cart {
    fn shorten(
        __action: ::hooks_core::HookAction<Self::At<'static>>,
    ) -> ::hooks_core::HookAction<Self> {
        __action.map(|__patch| __patch, |__response| __response)
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
    type Slot = ::hooks_core::__private::Succ<::hooks_core::__private::Zero>;
    type At<'__x> = Payment;
    fn view(&self) -> ShopEvent<'_> {
        ShopEvent::Paid(self)
    }
    fn ask<'__a>(
        __handler: &'__a ::hooks_core::__private::Handler<Self>,
        __cx: &'__a ::hooks_core::Context<Self>,
        __event: ::hooks_core::__private::Access<'__a, Self>,
    ) -> ::hooks_core::__private::BoxFuture<'__a, ::hooks_core::__private::Said<Self>> {
        __handler.paid(__cx, __event)
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::hooks_core::Intercepted for Payment {
    fn shorten(
        __action: ::hooks_core::HookAction<Self::At<'static>>,
    ) -> ::hooks_core::HookAction<Self> {
        __action.map(|__patch| __patch, |__response| __response)
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
    type Slot = ::hooks_core::__private::Succ<
        ::hooks_core::__private::Succ<::hooks_core::__private::Zero>,
    >;
    type At<'__x> = Parcel<'__x>;
    fn view(&self) -> ShopEvent<'_> {
        ShopEvent::Shipped(self)
    }
    fn ask<'__a>(
        __handler: &'__a ::hooks_core::__private::Handler<Self>,
        __cx: &'__a ::hooks_core::Context<Self>,
        __event: ::hooks_core::__private::Access<'__a, Self>,
    ) -> ::hooks_core::__private::BoxFuture<'__a, ::hooks_core::__private::Said<Self>> {
        __handler.shipped(__cx, __event)
    }
}
#[automatically_derived]
impl<'__a> ::core::convert::From<&'__a Parcel<'__a>> for ShopEvent<'__a> {
    fn from(__event: &'__a Parcel<'__a>) -> Self {
        ShopEvent::Shipped(__event)
    }
}
/**Hooks for every event of [`ShopEvent`]: the bound of an agent that is generic over its hooks.

Met by every pipeline of this vocabulary, and by a single hook. A future that dispatches through it is `Send`. Its methods are those of [`Hook`](::hooks_core::Hook), [`Observes`](::hooks_core::Observes) and [`Intercepts`](::hooks_core::Intercepts).*/
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
    > + for<'event> ::hooks_core::Observes<Parcel<'event>> {}
#[diagnostic::do_not_recommend]
impl<__H> ShopHooks for __H
where
    __H: ::hooks_core::Hook<
            Vocabulary: ::hooks_core::SharesVocabulary<ShopEvent<'static>>,
        > + for<> ::hooks_core::Intercepts<Cart>
        + for<> ::hooks_core::Intercepts<Payment>
        + for<'event> ::hooks_core::Observes<Parcel<'event>>,
{}
/**A hook on events of [`ShopEvent`] that only exists at run time: see `HookRegistry`.

Implement it under `#[async_trait]`, with the methods of the events that it handles as `async fn`s; every method has a default that does nothing.*/
pub trait ShopHandler: ::core::marker::Send + ::core::marker::Sync {
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
    fn decided(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        decision: ::hooks_core::Decision<'_>,
    ) {}
    /// Before the cart is paid for.
    #[allow(missing_docs, unused_variables)]
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
        ::hooks_core::__private::GoOn::<::hooks_core::HookAction<Cart>>::boxed()
    }
    /// The cart is paid for.
    #[allow(missing_docs, unused_variables)]
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
        ::hooks_core::__private::GoOn::<::hooks_core::HookAction<Payment>>::boxed()
    }
    /// A parcel has left.
    #[allow(missing_docs, unused_variables)]
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
        ::hooks_core::__private::GoOn::<()>::boxed()
    }
}
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<__H: ShopHandler + ?::core::marker::Sized> ShopHandler
for ::hooks_core::__private::Box<__H> {
    fn name(&self) -> &str {
        (**self).name()
    }
    fn priority(&self) -> i32 {
        (**self).priority()
    }
    fn decided(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        decision: ::hooks_core::Decision<'_>,
    ) {
        (**self).decided(cx, event, decision);
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
impl<__H: ShopHandler + ?::core::marker::Sized> ShopHandler
for ::hooks_core::__private::Arc<__H> {
    fn name(&self) -> &str {
        (**self).name()
    }
    fn priority(&self) -> i32 {
        (**self).priority()
    }
    fn decided(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        decision: ::hooks_core::Decision<'_>,
    ) {
        (**self).decided(cx, event, decision);
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
/// Static hooks in a registry. A pipeline of one hook has that hook's name and priority.
#[automatically_derived]
#[diagnostic::do_not_recommend]
impl<__H: ::hooks_core::Hook> ShopHandler for ::hooks_core::Pipeline<__H>
where
    ::hooks_core::Pipeline<__H>: ShopHooks,
{
    fn name(&self) -> &str {
        self.plan().only_hook().map_or("Pipeline", |(name, _)| name)
    }
    fn priority(&self) -> i32 {
        self.plan().only_hook().map_or(0, |(_, priority)| priority)
    }
    fn decided(
        &self,
        cx: &ShopContext,
        event: ShopEvent<'_>,
        decision: ::hooks_core::Decision<'_>,
    ) {
        match event {
            ShopEvent::Checkout(event) => {
                ::hooks_core::__private::decided(self, cx, event, decision)
            }
            ShopEvent::Paid(event) => {
                ::hooks_core::__private::decided(self, cx, event, decision)
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
