fn pipeline() {
    {
        let __agreed = hooks_core::__private::Agreed::NOTHING_YET;
        let (__hook0, __vocabulary) = {
            const __PRIORITY: ::core::primitive::i32 = -10;
            <_ as hooks_core::__private::Listing>::listed_at::<
                (hooks_core::__private::Nibble<0>, hooks_core::__private::Nibble<0>),
                hooks_core::__private::Few<
                    hooks_core::__private::Nibble<7>,
                    hooks_core::__private::Nibble<15>,
                    hooks_core::__private::Nibble<15>,
                    hooks_core::__private::Nibble<6>,
                >,
            >(plugins)
        };
        let __agreed = <_ as hooks_core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        #[cfg(all(feature = "trace"))]
        let (__hook1, __agreed) = {
            let (__hook1, __vocabulary) = {
                const __PRIORITY: ::core::primitive::i32 = priority::LAST;
                <_ as hooks_core::__private::Listing>::listed_at::<
                    (hooks_core::__private::Nibble<0>, hooks_core::__private::Nibble<1>),
                    hooks_core::__private::Digits<
                        hooks_core::__private::Nibble<
                            { hooks_core::__private::nibble(__PRIORITY, 7u32) },
                        >,
                        hooks_core::__private::Nibble<
                            { hooks_core::__private::nibble(__PRIORITY, 6u32) },
                        >,
                        hooks_core::__private::Nibble<
                            { hooks_core::__private::nibble(__PRIORITY, 5u32) },
                        >,
                        hooks_core::__private::Nibble<
                            { hooks_core::__private::nibble(__PRIORITY, 4u32) },
                        >,
                        hooks_core::__private::Nibble<
                            { hooks_core::__private::nibble(__PRIORITY, 3u32) },
                        >,
                        hooks_core::__private::Nibble<
                            { hooks_core::__private::nibble(__PRIORITY, 2u32) },
                        >,
                        hooks_core::__private::Nibble<
                            { hooks_core::__private::nibble(__PRIORITY, 1u32) },
                        >,
                        hooks_core::__private::Nibble<
                            { hooks_core::__private::nibble(__PRIORITY, 0u32) },
                        >,
                    >,
                >(trace)
            };
            let __agreed = <_ as hooks_core::SharesVocabulary<
                _,
            >>::joined(__vocabulary, __agreed);
            (__hook1, __agreed)
        };
        #[cfg(not(all(feature = "trace")))]
        let (__hook1, __agreed) = {
            let (__hook1, __vocabulary) = <_ as hooks_core::__private::Listing>::listed::<
                (hooks_core::__private::Nibble<0>, hooks_core::__private::Nibble<1>),
            >(hooks_core::__private::ABSENT);
            let __agreed = <_ as hooks_core::SharesVocabulary<
                _,
            >>::joined(__vocabulary, __agreed);
            (__hook1, __agreed)
        };
        let (__hook0, __hook1) = hooks_core::__private::order(__hook0, __hook1);
        let __hooks = (__hook0, __hook1);
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
