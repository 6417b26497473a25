fn pipeline() {
    {
        use hooks_core::__private as __core;
        let __agreed = __core::Agreed::NOTHING_YET;
        let (__hook0, __vocabulary) = <_ as __core::Listing>::listed::<
            (__core::Nibble<0>, __core::Nibble<0>),
        >(deny_rm);
        let __agreed = <_ as __core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook1, __vocabulary) = <_ as __core::Listing>::listed::<
            (__core::Nibble<0>, __core::Nibble<1>),
        >(RateLimit::per_minute(60));
        let __agreed = <_ as __core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook2, __vocabulary) = <_ as __core::Listing>::listed::<
            (__core::Nibble<0>, __core::Nibble<2>),
        >(trace);
        let __agreed = <_ as __core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook0, __hook1) = __core::order(__hook0, __hook1);
        let (__hook0, __hook2) = __core::order(__hook0, __hook2);
        let (__hook1, __hook2) = __core::order(__hook1, __hook2);
        let __hooks = (__hook0, __hook1, __hook2);
        let __order = __core::order_of(&__hooks);
        __core::Pipeline::new(
            <_ as __core::Arrange<
                _,
                __core::Plain,
                _,
            >>::arrange(__order, &__agreed, __hooks),
        )
    }
}
