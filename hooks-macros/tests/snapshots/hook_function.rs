/// Lower-cases the name.
///
/// Hook on `BeforeToolCall`, priority 0.
#[allow(clippy::ptr_arg)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct lower;
impl lower {
    /// Calls the hook `lower` as the function that it is.
    #[allow(clippy::ptr_arg)]
    #[inline]
    #[allow(
        clippy::missing_errors_doc,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref
    )]
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
                            .changes(true),
                    ],
                );
        }
    }
    #[automatically_derived]
    impl ::hooks_core::__private::Leaf<BeforeToolCall> for lower {
        type Said = ::hooks_core::__private::ActionOn<__Event_call>;
        type Timing = ::hooks_core::__private::Synchronous;
        type Facts = ::hooks_core::__private::Changes;
        const MUTATES: ::core::primitive::bool = <::hooks_core::__private::Changes as ::hooks_core::__private::Facts>::CHANGES;
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
                    <__Event_call as ::hooks_core::Intercepted>::change(
                        <__Event_call as ::hooks_core::Event>::lend(&mut __event),
                    ),
                )
            };
            <_ as ::hooks_core::Return<__Event_call>>::action(__said)
        }
    }
};
