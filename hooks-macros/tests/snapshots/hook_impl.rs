impl<'s, S: Store + Send + Sync> RateLimit<'s, S> {
    #[inline]
    pub fn per_minute(calls: u32) -> Self {
        RateLimit { calls }
    }
    #[inline]
    #[allow(clippy::needless_pass_by_value, clippy::trivially_copy_pass_by_ref)]
    fn check(
        &self,
        call: &BeforeToolCall,
    ) -> HookAction<
        <BeforeToolCall as ::hooks_core::__private::If<
            {
                <<BeforeToolCall as ::hooks_core::Event>::Kind as ::hooks_core::__private::Decisive>::DECIDES
            },
        >>::Event,
    > {
        self.store.check(call)
    }
    #[cfg(feature = "notes")]
    #[inline]
    #[allow(clippy::needless_pass_by_value, clippy::trivially_copy_pass_by_ref)]
    async fn note(&self, cx: &AgentContext, done: &ToolCallEnd<'_>) {
        self.store.note(cx, done).await
    }
}
const _: () = {
    const __PRIORITY: i32 = 200;
    const __NAME: &'static str = "RateLimit";
    #[allow(non_upper_case_globals)]
    const __IS___Event_check: ::core::primitive::bool = <BeforeToolCall as ::hooks_core::Event>::IS_EVENT;
    #[allow(non_camel_case_types)]
    type __Event_check = <<fn(
        &'static (),
    ) -> BeforeToolCall as ::hooks_core::__private::Returned>::Type as ::hooks_core::__private::If<
        { __IS___Event_check },
    >>::Event;
    #[cfg(feature = "notes")]
    #[allow(non_upper_case_globals)]
    const __IS___Event_note: ::core::primitive::bool = <ToolCallEnd<
        'static,
    > as ::hooks_core::Event>::IS_EVENT;
    #[cfg(feature = "notes")]
    #[allow(non_camel_case_types)]
    type __Event_note<'event> = <<fn(
        &'static (),
    ) -> ToolCallEnd<
        'event,
    > as ::hooks_core::__private::Returned>::Type as ::hooks_core::__private::If<
        { __IS___Event_note },
    >>::Event;
    #[cfg(feature = "notes")]
    type __Vocabulary1 = <__Event_note<'static> as ::hooks_core::Event>::Vocabulary;
    #[cfg(feature = "notes")]
    type __Modes1 = ::hooks_core::__private::On<__Event_note<'static>>;
    #[cfg(not(all(feature = "notes")))]
    type __Vocabulary1 = ::hooks_core::AnyVocabulary;
    #[cfg(not(all(feature = "notes")))]
    type __Modes1 = ();
    /** Hook, priority 200:

- `check`: on `BeforeToolCall`, only `shell`
- `note`: on `ToolCallEnd`*/
    #[automatically_derived]
    #[diagnostic::do_not_recommend]
    impl<'s, S: Store + Send + Sync> ::hooks_core::Hook for RateLimit<'s, S> {
        #[doc(hidden)]
        type Vocabulary = <__Vocabulary1 as ::hooks_core::SharesVocabulary<
            <__Event_check as ::hooks_core::Event>::Vocabulary,
        >>::Common;
        type Rank = ::hooks_core::__private::Few<
            ::hooks_core::__private::Nibble<8>,
            ::hooks_core::__private::Nibble<0>,
            ::hooks_core::__private::Nibble<12>,
            ::hooks_core::__private::Nibble<8>,
        >;
        type Answers = ::hooks_core::__private::Both<
            ::hooks_core::__private::On<__Event_check>,
            __Modes1,
        >;
        type Exact = Self::Answers;
        type Wraps = ();
        const NAME: &'static str = __NAME;
        fn describe(&self, __plan: &mut ::hooks_core::__private::Planner) {
            __plan
                .hook(
                    __NAME,
                    __PRIORITY,
                    &[
                        ::hooks_core::__private::Row::new(
                                ::core::option::Option::Some(
                                    <__Event_check as ::hooks_core::Event>::INFO,
                                ),
                                ::hooks_core::__private::Runs::Sync,
                            )
                            .changes(true),
                        #[cfg(feature = "notes")]
                        ::hooks_core::__private::Row::new(
                                ::core::option::Option::Some(
                                    <__Event_note<'static> as ::hooks_core::Event>::INFO,
                                ),
                                ::hooks_core::__private::Runs::Async,
                            )
                            .changes(false),
                    ],
                );
        }
    }
    #[automatically_derived]
    impl<'s, S: Store + Send + Sync> ::hooks_core::__private::Leaf<BeforeToolCall>
    for RateLimit<'s, S> {
        type Said = ::hooks_core::__private::ActionOn<__Event_check>;
        type Timing = ::hooks_core::__private::Synchronous;
        type Facts = ::hooks_core::__private::Changes;
        const MUTATES: ::core::primitive::bool = <::hooks_core::__private::Looks as ::hooks_core::__private::Facts>::CHANGES;
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn wants(
            &self,
            _: &::hooks_core::Context<__Event_check>,
            __event: &__Event_check,
        ) -> ::core::primitive::bool {
            {
                let __subject = <__Event_check as ::hooks_core::Subject>::subject(
                    __event,
                );
                __subject == "shell"
            }
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn call_now<'__a>(
            &'__a self,
            _: &'__a ::hooks_core::Context<__Event_check>,
            mut __event: ::hooks_core::__private::Access<'__a, __Event_check>,
        ) -> Self::Said {
            let __said = {
                let __span = ::hooks_core::__private::enter(
                    __NAME,
                    <__Event_check as ::hooks_core::Event>::NAME,
                );
                Self::check(
                    self,
                    <__Event_check as ::hooks_core::Event>::look(
                        <__Event_check as ::hooks_core::Event>::lend(&mut __event),
                    ),
                )
            };
            <_ as ::hooks_core::Return<__Event_check>>::action(__said)
        }
    }
    #[cfg(feature = "notes")]
    #[automatically_derived]
    impl<
        'event,
        's,
        S: Store + Send + Sync,
    > ::hooks_core::__private::Leaf<ToolCallEnd<'event>> for RateLimit<'s, S> {
        type Said = ();
        type Timing = ::hooks_core::__private::Asynchronous;
        type Facts = ::hooks_core::__private::Looks;
        const MUTATES: ::core::primitive::bool = <::hooks_core::__private::Looks as ::hooks_core::__private::Facts>::CHANGES;
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn call<'__a>(
            &'__a self,
            __cx: &'__a ::hooks_core::Context<__Event_note<'event>>,
            __event: ::hooks_core::__private::Access<'__a, __Event_note<'event>>,
        ) -> impl ::core::future::Future<Output = Self::Said> + ::core::marker::Send {
            let _ = <() as ::hooks_core::Return<__Event_note<'event>>>::action;
            ::hooks_core::__private::traced(
                __NAME,
                <__Event_note<'event> as ::hooks_core::Event>::NAME,
                Self::note(
                    self,
                    <AgentContext as ::hooks_core::ContextOf<
                        <__Event_note<'event> as ::hooks_core::Event>::Vocabulary,
                    >>::of(__cx),
                    <__Event_note<'event> as ::hooks_core::Event>::look(__event),
                ),
            )
        }
    }
};
