#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
struct trace;
impl trace {
    /// Calls the hook `trace` as the function that it is.
    #[inline]
    #[allow(clippy::trivially_copy_pass_by_ref)]
    fn call(event: AgentEvent<'_>) {
        println!("{}", event.name());
    }
}
const _: () = {
    const __PRIORITY: i32 = priority::LAST;
    const __NAME: &'static str = "trace";
    #[automatically_derived]
    #[diagnostic::do_not_recommend]
    impl ::hooks_core::Hook for trace {
        type Vocabulary = <AgentEvent<'static> as ::hooks_core::Viewed>::Vocabulary;
        const NAME: &'static str = __NAME;
        type Rank = ::hooks_core::__private::rank!(__PRIORITY);
        type Answers = ::hooks_core::__private::Every<::hooks_core::__private::Now>;
        type Wraps = ();
        type Listens = ::hooks_core::__private::Never;
    }
    #[automatically_derived]
    impl ::hooks_core::__private::Describe for trace {
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
    > ::hooks_core::__private::Handle<__E> for trace {
        const CHANGES: ::core::primitive::bool = <AgentEvent<
            'static,
        > as ::hooks_core::Viewed>::LENDS;
        #[inline(always)]
        fn handle<'__a>(
            &'__a self,
            _: &'__a ::hooks_core::Context<__E>,
            mut __event: ::hooks_core::__private::Access<'__a, __E>,
        ) -> ::hooks_core::__private::Outcome<__E> {
            let __said = {
                let __span = ::hooks_core::__private::enter(
                    __NAME,
                    <__E as ::hooks_core::Event>::NAME,
                );
                Self::call(
                    <_ as ::hooks_core::__private::EveryView<
                        '_,
                        __E,
                    >>::of(<__E as ::hooks_core::Event>::lend(&mut __event)),
                )
            };
            {
                let __said = <_ as ::hooks_core::EveryReturn<__E>>::said(__said);
                ::hooks_core::__private::settle::<__E>(__event, __said, __NAME)
            }
        }
    }
};
