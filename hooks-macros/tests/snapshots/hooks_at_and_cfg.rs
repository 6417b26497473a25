fn pipeline() {
    {
        use hooks_core::__private as __core;
        let __agreed = __core::Agreed::NOTHING_YET;
        let (__hook0, __vocabulary) = {
            const __PRIORITY: ::core::primitive::i32 = -10;
            <_ as __core::Listing>::listed_at::<
                (__core::Nibble<0>, __core::Nibble<0>),
                __core::Few<
                    __core::Nibble<7>,
                    __core::Nibble<15>,
                    __core::Nibble<15>,
                    __core::Nibble<6>,
                >,
            >(plugins)
        };
        let __agreed = <_ as __core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        #[cfg(all(feature = "trace"))]
        let (__hook1, __agreed) = {
            let (__hook1, __vocabulary) = {
                const __PRIORITY: ::core::primitive::i32 = priority::LAST;
                <_ as __core::Listing>::listed_at::<
                    (__core::Nibble<0>, __core::Nibble<1>),
                    __core::Digits<
                        __core::Nibble<{ __core::nibble(__PRIORITY, 7u32) }>,
                        __core::Nibble<{ __core::nibble(__PRIORITY, 6u32) }>,
                        __core::Nibble<{ __core::nibble(__PRIORITY, 5u32) }>,
                        __core::Nibble<{ __core::nibble(__PRIORITY, 4u32) }>,
                        __core::Nibble<{ __core::nibble(__PRIORITY, 3u32) }>,
                        __core::Nibble<{ __core::nibble(__PRIORITY, 2u32) }>,
                        __core::Nibble<{ __core::nibble(__PRIORITY, 1u32) }>,
                        __core::Nibble<{ __core::nibble(__PRIORITY, 0u32) }>,
                    >,
                >(trace)
            };
            let __agreed = <_ as __core::SharesVocabulary<
                _,
            >>::joined(__vocabulary, __agreed);
            (__hook1, __agreed)
        };
        #[cfg(not(all(feature = "trace")))]
        let (__hook1, __agreed) = {
            let (__hook1, __vocabulary) = <_ as __core::Listing>::listed::<
                (__core::Nibble<0>, __core::Nibble<1>),
            >(__core::ABSENT);
            let __agreed = <_ as __core::SharesVocabulary<
                _,
            >>::joined(__vocabulary, __agreed);
            (__hook1, __agreed)
        };
        let (__hook0, __hook1) = __core::order(__hook0, __hook1);
        let __hooks = (__hook0, __hook1);
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
