fn pipeline() {
    {
        use hooks_core::__private as __core;
        let __agreed = __core::Agreed::NOTHING_YET;
        let (__hook0, __vocabulary) = <_ as __core::Listing>::listed::<
            (__core::Nibble<0>, __core::Nibble<0>),
        >(a);
        let __agreed = <_ as __core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook1, __vocabulary) = <_ as __core::Listing>::listed::<
            (__core::Nibble<0>, __core::Nibble<1>),
        >(b);
        let __agreed = <_ as __core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook2, __vocabulary) = <_ as __core::Listing>::listed::<
            (__core::Nibble<0>, __core::Nibble<2>),
        >(c);
        let __agreed = <_ as __core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook3, __vocabulary) = <_ as __core::Listing>::listed::<
            (__core::Nibble<0>, __core::Nibble<3>),
        >(d);
        let __agreed = <_ as __core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook4, __vocabulary) = <_ as __core::Listing>::listed::<
            (__core::Nibble<0>, __core::Nibble<4>),
        >(e);
        let __agreed = <_ as __core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook5, __vocabulary) = <_ as __core::Listing>::listed::<
            (__core::Nibble<0>, __core::Nibble<5>),
        >(f);
        let __agreed = <_ as __core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook6, __vocabulary) = <_ as __core::Listing>::listed::<
            (__core::Nibble<0>, __core::Nibble<6>),
        >(g);
        let __agreed = <_ as __core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook7, __vocabulary) = <_ as __core::Listing>::listed::<
            (__core::Nibble<0>, __core::Nibble<7>),
        >(h);
        let __agreed = <_ as __core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook8, __vocabulary) = <_ as __core::Listing>::listed::<
            (__core::Nibble<0>, __core::Nibble<8>),
        >(i);
        let __agreed = <_ as __core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook0, __hook1) = __core::order(__hook0, __hook1);
        let (__hook2, __hook3) = __core::order(__hook2, __hook3);
        let (__hook4, __hook5) = __core::order(__hook4, __hook5);
        let (__hook6, __hook7) = __core::order(__hook6, __hook7);
        let (__hook0, __hook2) = __core::order(__hook0, __hook2);
        let (__hook1, __hook3) = __core::order(__hook1, __hook3);
        let (__hook4, __hook6) = __core::order(__hook4, __hook6);
        let (__hook5, __hook7) = __core::order(__hook5, __hook7);
        let (__hook1, __hook2) = __core::order(__hook1, __hook2);
        let (__hook5, __hook6) = __core::order(__hook5, __hook6);
        let (__hook0, __hook4) = __core::order(__hook0, __hook4);
        let (__hook1, __hook5) = __core::order(__hook1, __hook5);
        let (__hook2, __hook6) = __core::order(__hook2, __hook6);
        let (__hook3, __hook7) = __core::order(__hook3, __hook7);
        let (__hook2, __hook4) = __core::order(__hook2, __hook4);
        let (__hook3, __hook5) = __core::order(__hook3, __hook5);
        let (__hook1, __hook2) = __core::order(__hook1, __hook2);
        let (__hook3, __hook4) = __core::order(__hook3, __hook4);
        let (__hook5, __hook6) = __core::order(__hook5, __hook6);
        let (__hook0, __hook8) = __core::order(__hook0, __hook8);
        let (__hook4, __hook8) = __core::order(__hook4, __hook8);
        let (__hook2, __hook4) = __core::order(__hook2, __hook4);
        let (__hook3, __hook5) = __core::order(__hook3, __hook5);
        let (__hook6, __hook8) = __core::order(__hook6, __hook8);
        let (__hook1, __hook2) = __core::order(__hook1, __hook2);
        let (__hook3, __hook4) = __core::order(__hook3, __hook4);
        let (__hook5, __hook6) = __core::order(__hook5, __hook6);
        let (__hook7, __hook8) = __core::order(__hook7, __hook8);
        let __hooks = __core::Tuples((
            (__hook0, __hook1, __hook2, __hook3, __hook4, __hook5, __hook6, __hook7),
            (__hook8,),
        ));
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
