#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
struct guard;
impl guard {
    /// Calls the hook `guard` as the function that it is.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    fn call(
        cx: &AgentContext,
        call: &mut BeforeToolCall,
    ) -> Result<HookAction<BeforeToolCall>, Denied> {
        judge(cx, call)
    }
}
const _: () = {
    const __PRIORITY: i32 = priority::HIGH + 1;
    const __NAME: &'static str = "guard";
    #[automatically_derived]
    #[diagnostic::do_not_recommend]
    impl hooks::Hook for guard {
        type Vocabulary = <BeforeToolCall as hooks::Event>::Vocabulary;
        const NAME: &'static str = __NAME;
        type Rank = hooks::__private::rank!(__PRIORITY);
        type Answers = hooks::__private::On<BeforeToolCall, hooks::__private::Now>;
    }
    #[automatically_derived]
    impl hooks::__private::Describe for guard {
        fn describe<'__d>(&'__d self, __plan: &mut hooks::__private::Planner<'__d, '_>) {
            __plan
                .hook(
                    __NAME,
                    __PRIORITY,
                    &[
                        (
                            ::core::option::Option::Some(
                                <BeforeToolCall as hooks::Event>::NAME,
                            ),
                            false,
                        ),
                    ],
                );
        }
    }
    #[automatically_derived]
    impl hooks::__private::Handle<BeforeToolCall> for guard {
        #[inline(always)]
        fn handle<'__a>(
            &'__a self,
            __cx: &'__a hooks::Context<BeforeToolCall>,
            mut __event: hooks::__private::Access<'__a, BeforeToolCall>,
        ) -> hooks::__private::Outcome<BeforeToolCall> {
            let mut __before = ::core::option::Option::None;
            let __attempt = {
                hooks::__private::require_std!();
                hooks::__private::catch(|| {
                    if !({
                        let __subject = <BeforeToolCall as hooks::Subject>::subject(
                            <BeforeToolCall as hooks::Event>::look(
                                <BeforeToolCall as hooks::Event>::lend(&mut __event),
                            ),
                        );
                        __subject == "shell" || __subject.starts_with("file_")
                    }
                        && {
                            let __when: fn(&BeforeToolCall) -> bool = is_remote;
                            __when(
                                <BeforeToolCall as hooks::Event>::look(
                                    <BeforeToolCall as hooks::Event>::lend(&mut __event),
                                ),
                            )
                        })
                    {
                        return ::core::option::Option::None;
                    }
                    __before = ::core::option::Option::Some(
                        <BeforeToolCall as hooks::Restorable>::saved(
                            <BeforeToolCall as hooks::Event>::look(
                                <BeforeToolCall as hooks::Event>::lend(&mut __event),
                            ),
                        ),
                    );
                    let __said = {
                        let __span = hooks::__private::enter(
                            __NAME,
                            <BeforeToolCall as hooks::Event>::NAME,
                        );
                        Self::call(
                            <AgentContext as hooks::ContextOf<
                                <BeforeToolCall as hooks::Event>::Vocabulary,
                            >>::of(__cx),
                            <BeforeToolCall as hooks::Intercepted>::change(
                                <BeforeToolCall as hooks::Event>::lend(&mut __event),
                            ),
                        )
                    };
                    ::core::option::Option::Some({
                        let __said = <_ as hooks::Return<BeforeToolCall>>::said(__said);
                        <BeforeToolCall as hooks::Event>::settle(
                            <BeforeToolCall as hooks::Event>::lend(&mut __event),
                            __said,
                            __NAME,
                        )
                    })
                })
            };
            let __attempt = match __attempt {
                ::core::result::Result::Ok(__attempt) => __attempt,
                ::core::result::Result::Err(__failure) => {
                    if let ::core::option::Option::Some(__before) = __before {
                        *<BeforeToolCall as hooks::Intercepted>::change(
                            <BeforeToolCall as hooks::Event>::lend(&mut __event),
                        ) = __before;
                    }
                    return hooks::__private::skipped::<
                        BeforeToolCall,
                    >(__NAME, __failure);
                }
            };
            match __attempt {
                ::core::option::Option::Some(__outcome) => __outcome,
                ::core::option::Option::None => <BeforeToolCall as hooks::Event>::go_on(),
            }
        }
    }
};
