/// Lower-cases the name.
#[allow(clippy::ptr_arg)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct lower;
impl lower {
    /// Calls the hook `lower` as the function that it is.
    #[allow(clippy::ptr_arg)]
    #[inline]
    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub fn call(call: &mut BeforeToolCall) {
        call.name.make_ascii_lowercase();
    }
}
const _: () = {
    const __PRIORITY: i32 = 0;
    const __NAME: &'static str = "lower";
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
    impl ::hooks_core::Hook for lower {
        type Vocabulary = <__Event_call as ::hooks_core::Event>::Vocabulary;
        const NAME: &'static str = __NAME;
        type Rank = ::hooks_core::__private::Few<
            ::hooks_core::__private::Nibble<8>,
            ::hooks_core::__private::Nibble<0>,
            ::hooks_core::__private::Nibble<0>,
            ::hooks_core::__private::Nibble<0>,
        >;
        type Answers = ::hooks_core::__private::On<
            __Event_call,
            ::hooks_core::__private::Now,
        >;
        type Wraps = ();
        type Listens = ::hooks_core::__private::Never;
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
                                <__Event_call as ::hooks_core::Event>::NAME,
                            ),
                            ::hooks_core::__private::Runs::Sync,
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
            _: &'__a ::hooks_core::Context<__Event_call>,
            mut __event: ::hooks_core::__private::Access<'__a, __Event_call>,
        ) -> ::hooks_core::__private::Outcome<__Event_call> {
            let __said = {
                let __span = ::hooks_core::__private::enter(
                    __NAME,
                    <__Event_call as ::hooks_core::Event>::NAME,
                );
                Self::call(
                    <__Event_call as ::hooks_core::Intercepted>::change(
                        <__Event_call as ::hooks_core::Event>::lend(&mut __event),
                    ),
                )
            };
            {
                let __said = <_ as ::hooks_core::Return<__Event_call>>::said(__said);
                ::hooks_core::__private::settle::<__Event_call>(__event, __said, __NAME)
            }
        }
    }
};
