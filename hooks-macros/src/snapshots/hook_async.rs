#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
struct report;
impl report {
    /// Calls the hook `report` as the function that it is.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    async fn call(done: &ToolCallEnd<'_>) {
        send(done).await
    }
}
const _: () = {
    const __PRIORITY: i32 = 0;
    const __NAME: &'static str = "report";
    #[automatically_derived]
    #[diagnostic::do_not_recommend]
    impl ::hooks_core::Hook for report {
        type Vocabulary = <ToolCallEnd<'static> as ::hooks_core::Event>::Vocabulary;
        const NAME: &'static str = __NAME;
        type Rank = ::hooks_core::__private::rank!(__PRIORITY);
        type Answers = ::hooks_core::__private::On<
            ToolCallEnd<'static>,
            ::hooks_core::__private::Later,
        >;
    }
    #[automatically_derived]
    impl ::hooks_core::__private::Describe for report {
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
                                <ToolCallEnd<'static> as ::hooks_core::Event>::NAME,
                            ),
                            true,
                        ),
                    ],
                );
        }
    }
    #[automatically_derived]
    impl<'event> ::hooks_core::__private::HandleAsync<ToolCallEnd<'event>> for report {
        type Said = ();
        #[inline(always)]
        fn handle<'__a>(
            &'__a self,
            _: &'__a ::hooks_core::Context<ToolCallEnd<'event>>,
            __event: ::hooks_core::__private::Access<'__a, ToolCallEnd<'event>>,
        ) -> impl ::core::future::Future<Output = Self::Said> + ::core::marker::Send {
            let _ = <() as ::hooks_core::Return<ToolCallEnd<'event>>>::said;
            ::hooks_core::__private::traced(
                __NAME,
                <ToolCallEnd<'event> as ::hooks_core::Event>::NAME,
                Self::call(<ToolCallEnd<'event> as ::hooks_core::Event>::look(__event)),
            )
        }
    }
};
