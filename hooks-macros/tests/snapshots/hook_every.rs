/// Hook on every event, as `AgentEvent`, priority `priority::LAST`.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
struct trace;
impl trace {
    /// Calls the hook `trace` as the function that it is.
    #[inline]
    #[allow(
        clippy::missing_errors_doc,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref
    )]
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
        #[doc(hidden)]
        type Vocabulary = <AgentEvent<'static> as ::hooks_core::Viewed>::Vocabulary;
        type Rank = ::hooks_core::__private::Digits<
            ::hooks_core::__private::Nibble<
                { ::hooks_core::__private::nibble(__PRIORITY, 7u32) },
            >,
            ::hooks_core::__private::Nibble<
                { ::hooks_core::__private::nibble(__PRIORITY, 6u32) },
            >,
            ::hooks_core::__private::Nibble<
                { ::hooks_core::__private::nibble(__PRIORITY, 5u32) },
            >,
            ::hooks_core::__private::Nibble<
                { ::hooks_core::__private::nibble(__PRIORITY, 4u32) },
            >,
            ::hooks_core::__private::Nibble<
                { ::hooks_core::__private::nibble(__PRIORITY, 3u32) },
            >,
            ::hooks_core::__private::Nibble<
                { ::hooks_core::__private::nibble(__PRIORITY, 2u32) },
            >,
            ::hooks_core::__private::Nibble<
                { ::hooks_core::__private::nibble(__PRIORITY, 1u32) },
            >,
            ::hooks_core::__private::Nibble<
                { ::hooks_core::__private::nibble(__PRIORITY, 0u32) },
            >,
        >;
        type Answers = ::hooks_core::__private::Every<::hooks_core::__private::One>;
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
                                ::core::option::Option::None,
                                ::hooks_core::__private::Runs::Sync,
                            )
                            .changes(
                                <<AgentEvent<
                                    'static,
                                > as ::hooks_core::Viewed>::Facts as ::hooks_core::__private::Facts>::CHANGES,
                            ),
                    ],
                );
        }
    }
    #[automatically_derived]
    impl<
        __E: ::hooks_core::AnyEvent<
                Vocabulary = <AgentEvent<'static> as ::hooks_core::Viewed>::Vocabulary,
            >,
    > ::hooks_core::__private::Leaf<__E> for trace {
        type Said = ::hooks_core::__private::ActionOn<__E>;
        type Timing = ::hooks_core::__private::Synchronous;
        type Facts = <AgentEvent<'static> as ::hooks_core::Viewed>::Facts;
        const MUTATES: ::core::primitive::bool = <<AgentEvent<
            'static,
        > as ::hooks_core::Viewed>::Facts as ::hooks_core::__private::Facts>::CHANGES;
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn call_now<'__a>(
            &'__a self,
            _: &'__a ::hooks_core::Context<__E>,
            mut __event: ::hooks_core::__private::Access<'__a, __E>,
        ) -> Self::Said {
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
            <_ as ::hooks_core::EveryReturn<__E, AgentEvent<'static>>>::action(__said)
        }
    }
};
