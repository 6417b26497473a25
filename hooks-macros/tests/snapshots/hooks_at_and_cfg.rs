fn pipeline() {
    {
        let __agreed = hooks_core::__private::Agreed::NOTHING_YET;
        let __known = hooks_core::Known;
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
        let (__known, __hook0, __vocabulary) = <_ as hooks_core::Sorts<
            _,
            _,
        >>::sorts(__known, __hook0, __vocabulary);
        let __agreed = <_ as hooks_core::SharesVocabulary<
            _,
        >>::joined(__vocabulary, __agreed);
        #[cfg(all(feature = "trace"))]
        let (__hook1, __agreed) = {
            let (__hook1, __vocabulary) = {
                const __PRIORITY: ::core::primitive::i32 = priority::LAST;
                <_ as hooks_core::__private::Listing>::listed_at::<
                    (hooks_core::__private::Nibble<0>, hooks_core::__private::Nibble<1>),
                    hooks_core::__private::rank!(__PRIORITY),
                >(trace)
            };
            let (__known, __hook1, __vocabulary) = <_ as hooks_core::Sorts<
                _,
                _,
            >>::sorts(__known, __hook1, __vocabulary);
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
            let (__known, __hook1, __vocabulary) = <_ as hooks_core::Sorts<
                _,
                _,
            >>::sorts(__known, __hook1, __vocabulary);
            let __agreed = <_ as hooks_core::SharesVocabulary<
                _,
            >>::joined(__vocabulary, __agreed);
            (__hook1, __agreed)
        };
        let (__hook0, __hook1) = hooks_core::__private::order(__hook0, __hook1);
        hooks_core::Pipeline::new(
            hooks_core::__private::Group::new(
                &__agreed,
                (__hook0.into_hook(), __hook1.into_hook()),
            ),
        )
    }
}
