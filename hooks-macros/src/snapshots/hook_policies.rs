#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
struct check;
impl check {
    /// Calls the hook `check` as the function that it is.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    async fn call(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        ask(call).await
    }
}
const _: () = {
    const __PRIORITY: i32 = 0;
    const __NAME: &'static str = "check";
    #[automatically_derived]
    #[diagnostic::do_not_recommend]
    impl ::hooks_core::Hook for check {
        type Vocabulary = <BeforeToolCall as ::hooks_core::Event>::Vocabulary;
        const NAME: &'static str = __NAME;
        type Rank = ::hooks_core::__private::rank!(__PRIORITY);
        type Answers = ::hooks_core::__private::On<
            BeforeToolCall,
            ::hooks_core::__private::Later,
        >;
    }
    #[automatically_derived]
    impl ::hooks_core::__private::Describe for check {
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
                            true,
                        ),
                    ],
                );
        }
    }
    #[automatically_derived]
    impl ::hooks_core::__private::HandleAsync<BeforeToolCall> for check {
        type Said = ::hooks_core::__private::Outcome<BeforeToolCall>;
        #[inline(always)]
        fn handle<'__a>(
            &'__a self,
            _: &'__a ::hooks_core::Context<BeforeToolCall>,
            mut __event: ::hooks_core::__private::Access<'__a, BeforeToolCall>,
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
                                        <BeforeToolCall as ::hooks_core::Event>::NAME,
                                        Self::call(
                                            <BeforeToolCall as ::hooks_core::Event>::look(
                                                <BeforeToolCall as ::hooks_core::Event>::lend(&mut __event),
                                            ),
                                        ),
                                    )
                                    .await;
                                ::core::option::Option::Some({
                                    let __said = <_ as ::hooks_core::Return<
                                        BeforeToolCall,
                                    >>::said(__said);
                                    <BeforeToolCall as ::hooks_core::Event>::settle(
                                        <BeforeToolCall as ::hooks_core::Event>::lend(&mut __event),
                                        __said,
                                        __NAME,
                                    )
                                })
                            },
                        )
                    })
                }
                    .await;
                let __attempt = match __attempt {
                    ::core::result::Result::Ok(__attempt) => __attempt,
                    ::core::result::Result::Err(__failure) => {
                        return <BeforeToolCall as ::hooks_core::Blockable>::blocked(
                            __NAME,
                            __failure,
                        );
                    }
                };
                let __attempt = match __attempt {
                    ::core::result::Result::Ok(__attempt) => __attempt,
                    ::core::result::Result::Err(__failure) => {
                        return ::hooks_core::__private::skipped::<
                            BeforeToolCall,
                        >(__NAME, __failure);
                    }
                };
                match __attempt {
                    ::core::option::Option::Some(__outcome) => __outcome,
                    ::core::option::Option::None => {
                        <BeforeToolCall as ::hooks_core::Event>::go_on()
                    }
                }
            }
        }
    }
};
