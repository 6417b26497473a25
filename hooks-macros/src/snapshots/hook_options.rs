#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
struct guard;
impl guard {
    /// Calls the hook `guard` as the function that it is.
    #[inline]
    #[allow(clippy::trivially_copy_pass_by_ref)]
    fn call(
        cx: &AgentContext,
        call: &mut BeforeToolCall,
    ) -> Result<
        HookAction<
            <BeforeToolCall as hooks::__private::If<
                { <BeforeToolCall as hooks::Event>::IS_EVENT },
            >>::Event,
        >,
        Denied,
    > {
        judge(cx, call)
    }
}
const _: () = {
    const __PRIORITY: i32 = priority::HIGH + 1;
    const __NAME: &'static str = "guard";
    #[allow(non_upper_case_globals)]
    const __IS___Event_call: ::core::primitive::bool = <BeforeToolCall as hooks::Event>::IS_EVENT;
    #[allow(non_camel_case_types)]
    type __Event_call = <<fn(
        &'static (),
    ) -> BeforeToolCall as hooks::__private::Returned>::Type as hooks::__private::If<
        { __IS___Event_call },
    >>::Event;
    #[automatically_derived]
    #[diagnostic::do_not_recommend]
    impl hooks::Hook for guard {
        type Vocabulary = <__Event_call as hooks::Event>::Vocabulary;
        const NAME: &'static str = __NAME;
        type Rank = hooks::__private::rank!(__PRIORITY);
        type Answers = hooks::__private::On<__Event_call, hooks::__private::Now>;
        type Wraps = ();
        type Listens = hooks::__private::Never;
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
                                <__Event_call as hooks::Event>::NAME,
                            ),
                            hooks::__private::Runs::Sync,
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
            __cx: &'__a hooks::Context<__Event_call>,
            mut __event: hooks::__private::Access<'__a, __Event_call>,
        ) -> hooks::__private::Outcome<__Event_call> {
            let mut __before = ::core::option::Option::None;
            let __attempt = {
                hooks::__private::require_std!();
                hooks::__private::catch(|| {
                    if !({
                        let __subject = <__Event_call as hooks::Subject>::subject(
                            <__Event_call as hooks::Event>::look(
                                <__Event_call as hooks::Event>::lend(&mut __event),
                            ),
                        );
                        __subject == "shell" || __subject.starts_with("file_")
                    }
                        && <_ as hooks::Predicate<
                            __Event_call,
                            _,
                        >>::holds(
                            &is_remote,
                            __cx,
                            <__Event_call as hooks::Event>::look(
                                <__Event_call as hooks::Event>::lend(&mut __event),
                            ),
                        ))
                    {
                        return ::core::option::Option::None;
                    }
                    __before = ::core::option::Option::Some(
                        <__Event_call as hooks::Restorable>::saved(
                            <__Event_call as hooks::Event>::look(
                                <__Event_call as hooks::Event>::lend(&mut __event),
                            ),
                        ),
                    );
                    let __said = {
                        let __span = hooks::__private::enter(
                            __NAME,
                            <__Event_call as hooks::Event>::NAME,
                        );
                        Self::call(
                            <AgentContext as hooks::ContextOf<
                                <__Event_call as hooks::Event>::Vocabulary,
                            >>::of(__cx),
                            <__Event_call as hooks::Intercepted>::change(
                                <__Event_call as hooks::Event>::lend(&mut __event),
                            ),
                        )
                    };
                    ::core::option::Option::Some({
                        let __said = <_ as hooks::Return<__Event_call>>::said(__said);
                        hooks::__private::settle::<
                            __Event_call,
                        >(
                            <__Event_call as hooks::Event>::lend(&mut __event),
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
                        *<__Event_call as hooks::Intercepted>::change(
                            <__Event_call as hooks::Event>::lend(&mut __event),
                        ) = __before;
                    }
                    return hooks::__private::skipped::<__Event_call>(__NAME, __failure);
                }
            };
            match __attempt {
                ::core::option::Option::Some(__outcome) => __outcome,
                ::core::option::Option::None => hooks::__private::go_on::<__Event_call>(),
            }
        }
    }
};
