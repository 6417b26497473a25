/// Hook on `BeforeToolCall`, priority `priority::HIGH+1`, only `deploy` or `file_*`, tool `web_search` or `mcp__*`, when `is_remote` holds.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
struct guard;
impl guard {
    /// Calls the hook `guard` as the function that it is.
    #[inline]
    #[allow(
        clippy::missing_errors_doc,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref
    )]
    fn call(
        cx: &AgentContext,
        call: &mut BeforeToolCall,
    ) -> Result<
        HookAction<
            <BeforeToolCall as hooks::__private::If<
                {
                    <<BeforeToolCall as hooks::Event>::Kind as hooks::__private::Decisive>::DECIDES
                },
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
        #[doc(hidden)]
        type Vocabulary = <__Event_call as hooks::Event>::Vocabulary;
        type Rank = hooks::__private::Digits<
            hooks::__private::Nibble<{ hooks::__private::nibble(__PRIORITY, 7u32) }>,
            hooks::__private::Nibble<{ hooks::__private::nibble(__PRIORITY, 6u32) }>,
            hooks::__private::Nibble<{ hooks::__private::nibble(__PRIORITY, 5u32) }>,
            hooks::__private::Nibble<{ hooks::__private::nibble(__PRIORITY, 4u32) }>,
            hooks::__private::Nibble<{ hooks::__private::nibble(__PRIORITY, 3u32) }>,
            hooks::__private::Nibble<{ hooks::__private::nibble(__PRIORITY, 2u32) }>,
            hooks::__private::Nibble<{ hooks::__private::nibble(__PRIORITY, 1u32) }>,
            hooks::__private::Nibble<{ hooks::__private::nibble(__PRIORITY, 0u32) }>,
        >;
        type Answers = hooks::__private::On<__Event_call>;
        type Exact = Self::Answers;
        type Wraps = ();
        const NAME: &'static str = __NAME;
        fn describe(&self, __plan: &mut hooks::__private::Planner) {
            __plan
                .hook(
                    __NAME,
                    __PRIORITY,
                    &[
                        hooks::__private::Row::new(
                                ::core::option::Option::Some(
                                    <__Event_call as hooks::Event>::INFO,
                                ),
                                hooks::__private::Runs::Sync,
                            )
                            .changes(true),
                    ],
                );
        }
    }
    #[automatically_derived]
    impl hooks::__private::Leaf<BeforeToolCall> for guard {
        type Said = hooks::__private::ActionOn<__Event_call>;
        type Timing = hooks::__private::Synchronous;
        type Facts = hooks::__private::Changes;
        const MUTATES: ::core::primitive::bool = <hooks::__private::Changes as hooks::__private::Facts>::CHANGES;
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn wants(
            &self,
            __cx: &hooks::Context<__Event_call>,
            __event: &__Event_call,
        ) -> ::core::primitive::bool {
            {
                let __subject = <__Event_call as hooks::Subject>::subject(__event);
                __subject == "deploy" || __subject.starts_with("file_")
                    || __subject == "web_search" || __subject.starts_with("mcp__")
                    || ::core::matches!(
                        __subject, "WebSearch" | "google_web_search" | "web_search" |
                        "search_web" | "websearch" | "web-search" | "GoogleSearch"
                    )
            }
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn call_now<'__a>(
            &'__a self,
            __cx: &'__a hooks::Context<__Event_call>,
            mut __event: hooks::__private::Access<'__a, __Event_call>,
        ) -> Self::Said {
            let mut __before = ::core::option::Option::None;
            let __attempt = {
                hooks::__private::require_std!();
                hooks::__private::catch(|| {
                    if !(<_ as hooks::Predicate<
                        __Event_call,
                        _,
                    >>::holds(
                        &is_remote,
                        __cx,
                        <__Event_call as hooks::Event>::look(
                            <__Event_call as hooks::Event>::lend(&mut __event),
                        ),
                    )) {
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
                    ::core::option::Option::Some(
                        <_ as hooks::Return<__Event_call>>::action(__said),
                    )
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
                ::core::option::Option::Some(__action) => __action,
                ::core::option::Option::None => {
                    hooks::__private::nothing::<__Event_call>()
                }
            }
        }
    }
};
