fn pipeline() {
    {
        let __agreed = hooks_core::__private::Agreed::NOTHING_YET;
        let (__hook0, __vocabulary) = <_ as hooks_core::__private::Listing>::listed::<
            (hooks_core::__private::Nibble<0>, hooks_core::__private::Nibble<0>),
        >(a);
        let __agreed = <_ as hooks_core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook1, __vocabulary) = <_ as hooks_core::__private::Listing>::listed::<
            (hooks_core::__private::Nibble<0>, hooks_core::__private::Nibble<1>),
        >(b);
        let __agreed = <_ as hooks_core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook2, __vocabulary) = <_ as hooks_core::__private::Listing>::listed::<
            (hooks_core::__private::Nibble<0>, hooks_core::__private::Nibble<2>),
        >(c);
        let __agreed = <_ as hooks_core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook3, __vocabulary) = <_ as hooks_core::__private::Listing>::listed::<
            (hooks_core::__private::Nibble<0>, hooks_core::__private::Nibble<3>),
        >(d);
        let __agreed = <_ as hooks_core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook4, __vocabulary) = <_ as hooks_core::__private::Listing>::listed::<
            (hooks_core::__private::Nibble<0>, hooks_core::__private::Nibble<4>),
        >(e);
        let __agreed = <_ as hooks_core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook5, __vocabulary) = <_ as hooks_core::__private::Listing>::listed::<
            (hooks_core::__private::Nibble<0>, hooks_core::__private::Nibble<5>),
        >(f);
        let __agreed = <_ as hooks_core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook6, __vocabulary) = <_ as hooks_core::__private::Listing>::listed::<
            (hooks_core::__private::Nibble<0>, hooks_core::__private::Nibble<6>),
        >(g);
        let __agreed = <_ as hooks_core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook7, __vocabulary) = <_ as hooks_core::__private::Listing>::listed::<
            (hooks_core::__private::Nibble<0>, hooks_core::__private::Nibble<7>),
        >(h);
        let __agreed = <_ as hooks_core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook8, __vocabulary) = <_ as hooks_core::__private::Listing>::listed::<
            (hooks_core::__private::Nibble<0>, hooks_core::__private::Nibble<8>),
        >(i);
        let __agreed = <_ as hooks_core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        let (__hook0, __hook1) = hooks_core::__private::order(__hook0, __hook1);
        let (__hook2, __hook3) = hooks_core::__private::order(__hook2, __hook3);
        let (__hook4, __hook5) = hooks_core::__private::order(__hook4, __hook5);
        let (__hook6, __hook7) = hooks_core::__private::order(__hook6, __hook7);
        let (__hook0, __hook2) = hooks_core::__private::order(__hook0, __hook2);
        let (__hook1, __hook3) = hooks_core::__private::order(__hook1, __hook3);
        let (__hook4, __hook6) = hooks_core::__private::order(__hook4, __hook6);
        let (__hook5, __hook7) = hooks_core::__private::order(__hook5, __hook7);
        let (__hook1, __hook2) = hooks_core::__private::order(__hook1, __hook2);
        let (__hook5, __hook6) = hooks_core::__private::order(__hook5, __hook6);
        let (__hook0, __hook4) = hooks_core::__private::order(__hook0, __hook4);
        let (__hook1, __hook5) = hooks_core::__private::order(__hook1, __hook5);
        let (__hook2, __hook6) = hooks_core::__private::order(__hook2, __hook6);
        let (__hook3, __hook7) = hooks_core::__private::order(__hook3, __hook7);
        let (__hook2, __hook4) = hooks_core::__private::order(__hook2, __hook4);
        let (__hook3, __hook5) = hooks_core::__private::order(__hook3, __hook5);
        let (__hook1, __hook2) = hooks_core::__private::order(__hook1, __hook2);
        let (__hook3, __hook4) = hooks_core::__private::order(__hook3, __hook4);
        let (__hook5, __hook6) = hooks_core::__private::order(__hook5, __hook6);
        let (__hook0, __hook8) = hooks_core::__private::order(__hook0, __hook8);
        let (__hook4, __hook8) = hooks_core::__private::order(__hook4, __hook8);
        let (__hook2, __hook4) = hooks_core::__private::order(__hook2, __hook4);
        let (__hook3, __hook5) = hooks_core::__private::order(__hook3, __hook5);
        let (__hook6, __hook8) = hooks_core::__private::order(__hook6, __hook8);
        let (__hook1, __hook2) = hooks_core::__private::order(__hook1, __hook2);
        let (__hook3, __hook4) = hooks_core::__private::order(__hook3, __hook4);
        let (__hook5, __hook6) = hooks_core::__private::order(__hook5, __hook6);
        let (__hook7, __hook8) = hooks_core::__private::order(__hook7, __hook8);
        let __hooks = hooks_core::__private::Tuples((
            (__hook0, __hook1, __hook2, __hook3, __hook4, __hook5, __hook6, __hook7),
            (__hook8,),
        ));
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
