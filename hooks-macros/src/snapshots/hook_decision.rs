#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
struct log;
impl log {
    /// Calls the hook `log` as the function that it is.
    #[inline]
    #[allow(clippy::trivially_copy_pass_by_ref)]
    fn call(cx: &AgentContext, event: AgentEvent<'_>, decision: Decision<'_>) {
        write(cx, event, decision)
    }
}
const _: () = {
    const __PRIORITY: i32 = 0;
    const __NAME: &'static str = "log";
    #[automatically_derived]
    #[diagnostic::do_not_recommend]
    impl ::hooks_core::Hook for log {
        type Vocabulary = <AgentEvent<'static> as ::hooks_core::Viewed>::Vocabulary;
        const NAME: &'static str = __NAME;
        type Rank = ::hooks_core::__private::Few<
            ::hooks_core::__private::Nibble<8>,
            ::hooks_core::__private::Nibble<0>,
            ::hooks_core::__private::Nibble<0>,
            ::hooks_core::__private::Nibble<0>,
        >;
        type Answers = ::hooks_core::__private::Every<::hooks_core::__private::Now>;
        type Wraps = ();
        type Listens = ::hooks_core::__private::Never;
    }
    #[automatically_derived]
    impl ::hooks_core::__private::Describe for log {
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
                            ::core::option::Option::None,
                            ::hooks_core::__private::Runs::Sync,
                        ),
                    ],
                );
        }
    }
    #[automatically_derived]
    impl<
        __E: ::hooks_core::__private::AnyEvent
            + ::hooks_core::Event<
                Vocabulary = <AgentEvent<'static> as ::hooks_core::Viewed>::Vocabulary,
            >,
    > ::hooks_core::__private::Handle<__E> for log {
        const CHANGES: ::core::primitive::bool = false;
        #[inline(always)]
        fn handle<'__a>(
            &'__a self,
            __cx: &'__a ::hooks_core::Context<__E>,
            __event: ::hooks_core::__private::Access<'__a, __E>,
        ) -> ::hooks_core::__private::Outcome<__E> {
            ::hooks_core::__private::Handle::<
                __E,
            >::decided(
                self,
                __cx,
                <__E as ::hooks_core::Event>::look(__event),
                ::hooks_core::Decision::Continue.into(),
            );
            ::hooks_core::__private::go_on::<__E>()
        }
        #[inline]
        fn decided<'__a>(
            &'__a self,
            __cx: &'__a ::hooks_core::Context<__E>,
            __event: &'__a __E,
            __told: ::hooks_core::__private::Told<
                '__a,
                <__E as ::hooks_core::Event>::Vocabulary,
            >,
        ) {
            ::hooks_core::__private::require_std!();
            if let ::core::result::Result::Err(__failure) = ::hooks_core::__private::catch(||
            {
                let __span = ::hooks_core::__private::enter(
                    __NAME,
                    <__E as ::hooks_core::Event>::NAME,
                );
                let () = Self::call(
                    <AgentContext as ::hooks_core::ContextOf<
                        <__E as ::hooks_core::Event>::Vocabulary,
                    >>::of(__cx),
                    <__E as ::hooks_core::Event>::view(__event),
                    __told.decision(),
                );
            }) {
                ::hooks_core::__private::skipped::<__E>(__NAME, __failure);
            }
        }
    }
};
