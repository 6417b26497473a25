fn pipeline() {
    {
        let __agreed = hooks_core::__private::Agreed::NOTHING_YET;
        let (__hook0, __vocabulary) = <_ as hooks_core::__private::Listing>::listed::<
            (hooks_core::__private::Nibble<0>, hooks_core::__private::Nibble<0>),
        >(deny_rm);
        let __agreed = <_ as hooks_core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook1, __vocabulary) = <_ as hooks_core::__private::Listing>::listed::<
            (hooks_core::__private::Nibble<0>, hooks_core::__private::Nibble<1>),
        >(RateLimit::per_minute(60));
        let __agreed = <_ as hooks_core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook2, __vocabulary) = <_ as hooks_core::__private::Listing>::listed::<
            (hooks_core::__private::Nibble<0>, hooks_core::__private::Nibble<2>),
        >(trace);
        let __agreed = <_ as hooks_core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook0, __hook1) = hooks_core::__private::order(__hook0, __hook1);
        let (__hook0, __hook2) = hooks_core::__private::order(__hook0, __hook2);
        let (__hook1, __hook2) = hooks_core::__private::order(__hook1, __hook2);
        let __hooks = (__hook0, __hook1, __hook2);
        let __order = hooks_core::__private::order_of(&__hooks);
        hooks_core::Pipeline::new(
            <_ as hooks_core::__private::Arrange<
                _,
                hooks_core::__private::Plain,
                _,
            >>::arrange(__order, &__agreed, __hooks),
        )
    }
}
