impl<'s, S: Store + Send + Sync> RateLimit<'s, S> {
    pub fn per_minute(calls: u32) -> Self {
        RateLimit { calls }
    }
    fn check(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        self.store.check(call)
    }
    #[cfg(feature = "notes")]
    async fn note(&self, cx: &AgentContext, done: &ToolCallEnd<'_>) {
        self.store.note(cx, done).await
    }
}
const _: () = {
    const __PRIORITY: i32 = 200;
    const __NAME: &'static str = "RateLimit";
    #[cfg(feature = "notes")]
    type __Vocabulary1 = <ToolCallEnd<'static> as ::hooks_core::Event>::Vocabulary;
    #[cfg(feature = "notes")]
    type __Answers1 = ::hooks_core::__private::On<
        ToolCallEnd<'static>,
        ::hooks_core::__private::Later,
    >;
    #[cfg(not(all(feature = "notes")))]
    type __Vocabulary1 = ::hooks_core::AnyVocabulary;
    #[cfg(not(all(feature = "notes")))]
    type __Answers1 = ();
    #[automatically_derived]
    #[diagnostic::do_not_recommend]
    impl<'s, S: Store + Send + Sync> ::hooks_core::Hook for RateLimit<'s, S> {
        type Vocabulary = <__Vocabulary1 as ::hooks_core::SharesVocabulary<
            <BeforeToolCall as ::hooks_core::Event>::Vocabulary,
        >>::Common;
        const NAME: &'static str = __NAME;
        type Rank = ::hooks_core::__private::rank!(__PRIORITY);
        type Answers = ::hooks_core::__private::Both<
            ::hooks_core::__private::On<BeforeToolCall, ::hooks_core::__private::Now>,
            __Answers1,
        >;
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
                                <BeforeToolCall as ::hooks_core::Event>::NAME,
                            ),
                            false,
                        ),
                        #[cfg(feature = "notes")]
                        (
                            ::core::option::Option::Some(
                                <ToolCallEnd<'static> as ::hooks_core::Event>::NAME,
                            ),
                            true,
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
            _: &'__a ::hooks_core::Context<BeforeToolCall>,
            mut __event: ::hooks_core::__private::Access<'__a, BeforeToolCall>,
        ) -> ::hooks_core::__private::Outcome<BeforeToolCall> {
            if !({
                let __subject = <BeforeToolCall as ::hooks_core::Subject>::subject(
                    <BeforeToolCall as ::hooks_core::Event>::look(
                        <BeforeToolCall as ::hooks_core::Event>::lend(&mut __event),
                    ),
                );
                __subject == "shell"
            }) {
                return <BeforeToolCall as ::hooks_core::Event>::go_on();
            }
            let __said = {
                let __span = ::hooks_core::__private::enter(
                    __NAME,
                    <BeforeToolCall as ::hooks_core::Event>::NAME,
                );
                Self::check(
                    self,
                    <BeforeToolCall as ::hooks_core::Event>::look(
                        <BeforeToolCall as ::hooks_core::Event>::lend(&mut __event),
                    ),
                )
            };
            {
                let __said = <_ as ::hooks_core::Return<BeforeToolCall>>::said(__said);
                <BeforeToolCall as ::hooks_core::Event>::settle(__event, __said, __NAME)
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
        type Said = ();
        #[inline(always)]
        fn handle<'__a>(
            &'__a self,
            __cx: &'__a ::hooks_core::Context<ToolCallEnd<'event>>,
            __event: ::hooks_core::__private::Access<'__a, ToolCallEnd<'event>>,
        ) -> impl ::core::future::Future<Output = Self::Said> + ::core::marker::Send {
            let _ = <() as ::hooks_core::Return<ToolCallEnd<'event>>>::said;
            ::hooks_core::__private::traced(
                __NAME,
                <ToolCallEnd<'event> as ::hooks_core::Event>::NAME,
                Self::note(
                    self,
                    <AgentContext as ::hooks_core::ContextOf<
                        <ToolCallEnd<'event> as ::hooks_core::Event>::Vocabulary,
                    >>::of(__cx),
                    <ToolCallEnd<'event> as ::hooks_core::Event>::look(__event),
                ),
            )
        }
    }
};
