/// Hook on `ToolCallEnd`, priority 0.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
struct report;
impl report {
    /// Calls the hook `report` as the function that it is.
    #[inline]
    #[allow(
        clippy::missing_errors_doc,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref
    )]
    async fn call(done: &ToolCallEnd<'_>) {
        send(done).await
    }
}
const _: () = {
    const __PRIORITY: i32 = 0;
    const __NAME: &'static str = "report";
    #[allow(non_upper_case_globals)]
    const __IS___Event_call: ::core::primitive::bool = <ToolCallEnd<
        'static,
    > as ::hooks_core::Event>::IS_EVENT;
    #[allow(non_camel_case_types)]
    type __Event_call<'event> = <<fn(
        &'static (),
    ) -> ToolCallEnd<
        'event,
    > as ::hooks_core::__private::Returned>::Type as ::hooks_core::__private::If<
        { __IS___Event_call },
    >>::Event;
    #[automatically_derived]
    #[diagnostic::do_not_recommend]
    impl ::hooks_core::Hook for report {
        #[doc(hidden)]
        type Vocabulary = <__Event_call<'static> as ::hooks_core::Event>::Vocabulary;
        type Rank = ::hooks_core::__private::Few<
            ::hooks_core::__private::Nibble<8>,
            ::hooks_core::__private::Nibble<0>,
            ::hooks_core::__private::Nibble<0>,
            ::hooks_core::__private::Nibble<0>,
        >;
        type Answers = ::hooks_core::__private::On<__Event_call<'static>>;
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
                                    <__Event_call<'static> as ::hooks_core::Event>::INFO,
                                ),
                                ::hooks_core::__private::Runs::Async,
                            )
                            .changes(false),
                    ],
                );
        }
    }
    #[automatically_derived]
    impl<'event> ::hooks_core::__private::Leaf<ToolCallEnd<'event>> for report {
        type Said = ();
        type Timing = ::hooks_core::__private::Asynchronous;
        type Facts = ::hooks_core::__private::Looks;
        const MUTATES: ::core::primitive::bool = <::hooks_core::__private::Looks as ::hooks_core::__private::Facts>::CHANGES;
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn call<'__a>(
            &'__a self,
            _: &'__a ::hooks_core::Context<__Event_call<'event>>,
            __event: ::hooks_core::__private::Access<'__a, __Event_call<'event>>,
        ) -> impl ::core::future::Future<Output = Self::Said> + ::core::marker::Send {
            let _ = <() as ::hooks_core::Return<__Event_call<'event>>>::action;
            ::hooks_core::__private::traced(
                __NAME,
                <__Event_call<'event> as ::hooks_core::Event>::NAME,
                Self::call(<__Event_call<'event> as ::hooks_core::Event>::look(__event)),
            )
        }
    }
};
