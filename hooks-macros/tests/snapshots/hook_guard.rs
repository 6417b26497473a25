/// Hook on `BeforeToolCall`, priority 0, guard, only `shell`.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
struct no_force;
impl no_force {
    /// Calls the hook `no_force` as the function that it is.
    #[inline]
    #[allow(
        clippy::missing_errors_doc,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref
    )]
    fn call(
        call: &BeforeToolCall,
    ) -> HookAction<
        <BeforeToolCall as ::hooks_core::__private::If<
            {
                <<BeforeToolCall as ::hooks_core::Event>::Kind as ::hooks_core::__private::Decisive>::DECIDES
            },
        >>::Event,
    > {
        judge(call)
    }
}
const _: () = {
    const __PRIORITY: i32 = 0;
    const __NAME: &'static str = "no_force";
    #[allow(non_upper_case_globals)]
    const __IS___Event_call: ::core::primitive::bool = <BeforeToolCall as ::hooks_core::Event>::IS_EVENT;
    #[allow(non_camel_case_types)]
    type __Event_call = <<fn(
        &'static (),
    ) -> BeforeToolCall as ::hooks_core::__private::Returned>::Type as ::hooks_core::__private::If<
        { __IS___Event_call },
    >>::Event;
    #[automatically_derived]
    #[diagnostic::do_not_recommend]
    impl ::hooks_core::Hook for no_force {
        #[doc(hidden)]
        type Vocabulary = <__Event_call as ::hooks_core::Event>::Vocabulary;
        type Rank = ::hooks_core::__private::Few<
            ::hooks_core::__private::Nibble<8>,
            ::hooks_core::__private::Nibble<0>,
            ::hooks_core::__private::Nibble<0>,
            ::hooks_core::__private::Nibble<0>,
        >;
        type Answers = ::hooks_core::__private::On<__Event_call>;
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
                                    <__Event_call as ::hooks_core::Event>::INFO,
                                ),
                                ::hooks_core::__private::Runs::Sync,
                            )
                            .changes(false)
                            .guard(),
                    ],
                );
        }
    }
    #[automatically_derived]
    impl ::hooks_core::__private::Leaf<BeforeToolCall> for no_force {
        type Said = ::hooks_core::__private::ActionOn<__Event_call>;
        type Timing = ::hooks_core::__private::Synchronous;
        type Facts = ::hooks_core::__private::Guards;
        const MUTATES: ::core::primitive::bool = <::hooks_core::__private::Looks as ::hooks_core::__private::Facts>::CHANGES;
        fn is_guard(&self) -> ::core::primitive::bool {
            ::hooks_core::__private::judges::<
                <__Event_call as ::hooks_core::__private::If<
                    {
                        <<BeforeToolCall as ::hooks_core::Event>::Kind as ::hooks_core::__private::Decisive>::DECIDES
                    },
                >>::Event,
            >()
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn wants(
            &self,
            _: &::hooks_core::Context<__Event_call>,
            __event: &__Event_call,
        ) -> ::core::primitive::bool {
            {
                let __subject = <__Event_call as ::hooks_core::Subject>::subject(
                    __event,
                );
                __subject == "shell"
            }
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn call_now<'__a>(
            &'__a self,
            _: &'__a ::hooks_core::Context<__Event_call>,
            mut __event: ::hooks_core::__private::Access<'__a, __Event_call>,
        ) -> Self::Said {
            let __said = {
                let __span = ::hooks_core::__private::enter(
                    __NAME,
                    <__Event_call as ::hooks_core::Event>::NAME,
                );
                Self::call(
                    <__Event_call as ::hooks_core::Event>::look(
                        <__Event_call as ::hooks_core::Event>::lend(&mut __event),
                    ),
                )
            };
            <_ as ::hooks_core::Return<__Event_call>>::action(__said)
        }
    }
};
