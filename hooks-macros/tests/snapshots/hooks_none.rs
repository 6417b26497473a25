fn pipeline() {
    {
        use hooks_core::__private as __core;
        let __agreed = __core::Agreed::NOTHING_YET;
        __core::Pipeline::new(__core::Group::new(&__agreed, ()))
    }
}
