/// Hook on `BeforeToolCall`, priority 0.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
struct check;
impl check {
    /// Calls the hook `check` as the function that it is.
    #[inline]
    #[allow(
        clippy::missing_errors_doc,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref
    )]
    async fn call(
        call: &BeforeToolCall,
    ) -> HookAction<
        <BeforeToolCall as ::hooks_core::__private::If<
            {
                <<BeforeToolCall as ::hooks_core::Event>::Kind as ::hooks_core::__private::Decisive>::DECIDES
            },
        >>::Event,
    > {
        ask(call).await
    }
}
const _: () = {
    const __PRIORITY: i32 = 0;
    const __NAME: &'static str = "check";
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
    impl ::hooks_core::Hook for check {
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
                                ::hooks_core::__private::Runs::Async,
                            )
                            .changes(true),
                    ],
                );
        }
    }
    #[automatically_derived]
    impl ::hooks_core::__private::Leaf<BeforeToolCall> for check {
        type Said = ::hooks_core::__private::ActionOn<__Event_call>;
        type Timing = ::hooks_core::__private::Asynchronous;
        type Facts = ::hooks_core::__private::Changes;
        const MUTATES: ::core::primitive::bool = <::hooks_core::__private::Looks as ::hooks_core::__private::Facts>::CHANGES;
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn call<'__a>(
            &'__a self,
            _: &'__a ::hooks_core::Context<__Event_call>,
            mut __event: ::hooks_core::__private::Access<'__a, __Event_call>,
        ) -> impl ::core::future::Future<Output = Self::Said> + ::core::marker::Send {
            async move {
                let __attempt = {
                    ::hooks_core::__private::require_std!();
                    ::hooks_core::__private::catch_async({
                        ::hooks_core::__private::require_tokio!();
                        ::hooks_core::__private::deadline(
                            ::core::time::Duration::new(1u64, 500000000u32),
                            async {
                                let __said = ::hooks_core::__private::traced(
                                        __NAME,
                                        <__Event_call as ::hooks_core::Event>::NAME,
                                        Self::call(
                                            <__Event_call as ::hooks_core::Event>::look(
                                                <__Event_call as ::hooks_core::Event>::lend(&mut __event),
                                            ),
                                        ),
                                    )
                                    .await;
                                ::core::option::Option::Some(
                                    <_ as ::hooks_core::Return<__Event_call>>::action(__said),
                                )
                            },
                        )
                    })
                }
                    .await;
                let __attempt = match __attempt {
                    ::core::result::Result::Ok(__attempt) => __attempt,
                    ::core::result::Result::Err(__failure) => {
                        return <__Event_call as ::hooks_core::CanBlock>::blocked(
                            __NAME,
                            __failure,
                        );
                    }
                };
                let __attempt = match __attempt {
                    ::core::result::Result::Ok(__attempt) => __attempt,
                    ::core::result::Result::Err(__failure) => {
                        return ::hooks_core::__private::skipped::<
                            __Event_call,
                        >(__NAME, __failure);
                    }
                };
                match __attempt {
                    ::core::option::Option::Some(__action) => __action,
                    ::core::option::Option::None => {
                        ::hooks_core::__private::nothing::<__Event_call>()
                    }
                }
            }
        }
    }
};
