/// Lower-cases the name.
#[allow(clippy::ptr_arg)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct lower;
impl lower {
    /// Calls the hook `lower` as the function that it is.
    #[allow(clippy::ptr_arg)]
    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub fn call(call: &mut BeforeToolCall) {
        call.name.make_ascii_lowercase();
    }
}
const _: () = {
    const __PRIORITY: i32 = 0;
    const __NAME: &'static str = "lower";
    #[automatically_derived]
    #[diagnostic::do_not_recommend]
    impl ::hooks_core::Hook for lower {
        type Vocabulary = <BeforeToolCall as ::hooks_core::Event>::Vocabulary;
        const NAME: &'static str = __NAME;
        type Rank = ::hooks_core::__private::rank!(__PRIORITY);
        type Answers = ::hooks_core::__private::On<
            BeforeToolCall,
            ::hooks_core::__private::Now,
        >;
    }
    #[automatically_derived]
    impl ::hooks_core::__private::Describe for lower {
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
                            false,
                        ),
                    ],
                );
        }
    }
    #[automatically_derived]
    impl ::hooks_core::__private::Handle<BeforeToolCall> for lower {
        #[inline(always)]
        fn handle<'__a>(
            &'__a self,
            _: &'__a ::hooks_core::Context<BeforeToolCall>,
            mut __event: ::hooks_core::__private::Access<'__a, BeforeToolCall>,
        ) -> ::hooks_core::__private::Outcome<BeforeToolCall> {
            let __said = {
                let __span = ::hooks_core::__private::enter(
                    __NAME,
                    <BeforeToolCall as ::hooks_core::Event>::NAME,
                );
                Self::call(
                    <BeforeToolCall as ::hooks_core::Intercepted>::change(
                        <BeforeToolCall as ::hooks_core::Event>::lend(&mut __event),
                    ),
                )
            };
            {
                let __said = <_ as ::hooks_core::Return<BeforeToolCall>>::said(__said);
                <BeforeToolCall as ::hooks_core::Event>::settle(__event, __said, __NAME)
            }
        }
    }
};
