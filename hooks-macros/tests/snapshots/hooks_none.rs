fn pipeline() {
    {
        let __agreed = hooks_core::__private::Agreed::NOTHING_YET;
        hooks_core::Pipeline::new(hooks_core::__private::Group::new(&__agreed, ()))
    }
}
