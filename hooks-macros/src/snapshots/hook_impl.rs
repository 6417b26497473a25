impl<'s, S: Store + Send + Sync> RateLimit<'s, S> {
    #[inline]
    pub fn per_minute(calls: u32) -> Self {
        RateLimit { calls }
    }
    #[inline]
    fn check(
        &self,
        call: &BeforeToolCall,
    ) -> HookAction<
        <BeforeToolCall as ::hooks_core::__private::If<
            { <BeforeToolCall as ::hooks_core::Event>::IS_EVENT },
        >>::Event,
    > {
        self.store.check(call)
    }
    #[cfg(feature = "notes")]
    #[inline]
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
    type __Modes1 = ::hooks_core::__private::On<
        __Event_note<'static>,
        ::hooks_core::__private::Later,
    >;
    #[cfg(not(all(feature = "notes")))]
    type __Vocabulary1 = ::hooks_core::AnyVocabulary;
    #[cfg(not(all(feature = "notes")))]
    type __Modes1 = ();
    #[automatically_derived]
    #[diagnostic::do_not_recommend]
    impl<'s, S: Store + Send + Sync> ::hooks_core::Hook for RateLimit<'s, S> {
        type Vocabulary = <__Vocabulary1 as ::hooks_core::SharesVocabulary<
            <__Event_check as ::hooks_core::Event>::Vocabulary,
        >>::Common;
        const NAME: &'static str = __NAME;
        type Rank = ::hooks_core::__private::Few<
            ::hooks_core::__private::Nibble<8>,
            ::hooks_core::__private::Nibble<0>,
            ::hooks_core::__private::Nibble<12>,
            ::hooks_core::__private::Nibble<8>,
        >;
        type Answers = ::hooks_core::__private::Both<
            ::hooks_core::__private::On<__Event_check, ::hooks_core::__private::Now>,
            __Modes1,
        >;
        type Wraps = ();
        type Listens = ::hooks_core::__private::Never;
    }
    #[automatically_derived]
    impl<'s, S: Store + Send + Sync> ::hooks_core::__private::Describe
    for RateLimit<'s, S> {
        fn describe<'__d>(
            &'__d self,
            __plan: &mut ::hooks_core::__private::Planner<'__d, '_>,
        ) {
            __plan
                .hook(
                    __NAME,
                    __PRIORITY,
                    &[
                        (
                            ::core::option::Option::Some(
                                <__Event_check as ::hooks_core::Event>::NAME,
                            ),
                            ::hooks_core::__private::Runs::Sync,
                        ),
                        #[cfg(feature = "notes")]
                        (
                            ::core::option::Option::Some(
                                <__Event_note<'static> as ::hooks_core::Event>::NAME,
                            ),
                            ::hooks_core::__private::Runs::Async,
                        ),
                    ],
                );
        }
    }
    #[automatically_derived]
    impl<'s, S: Store + Send + Sync> ::hooks_core::__private::Handle<BeforeToolCall>
    for RateLimit<'s, S> {
        #[inline(always)]
        fn handle<'__a>(
            &'__a self,
            _: &'__a ::hooks_core::Context<__Event_check>,
            mut __event: ::hooks_core::__private::Access<'__a, __Event_check>,
        ) -> ::hooks_core::__private::Outcome<__Event_check> {
            if !({
                let __subject = <__Event_check as ::hooks_core::Subject>::subject(
                    <__Event_check as ::hooks_core::Event>::look(
                        <__Event_check as ::hooks_core::Event>::lend(&mut __event),
                    ),
                );
                __subject == "shell"
            }) {
                return ::hooks_core::__private::go_on::<__Event_check>();
            }
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
            {
                let __said = <_ as ::hooks_core::Return<__Event_check>>::said(__said);
                ::hooks_core::__private::settle::<__Event_check>(__event, __said, __NAME)
            }
        }
    }
    #[cfg(feature = "notes")]
    #[automatically_derived]
    impl<
        'event,
        's,
        S: Store + Send + Sync,
    > ::hooks_core::__private::HandleAsync<ToolCallEnd<'event>> for RateLimit<'s, S> {
        const CHANGES: ::core::primitive::bool = false;
        type Said = ();
        #[inline(always)]
        fn handle<'__a>(
            &'__a self,
            __cx: &'__a ::hooks_core::Context<__Event_note<'event>>,
            __event: ::hooks_core::__private::Access<'__a, __Event_note<'event>>,
        ) -> impl ::core::future::Future<Output = Self::Said> + ::core::marker::Send {
            let _ = <() as ::hooks_core::Return<__Event_note<'event>>>::said;
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
