#[allow(unused)]
impl<T> Count<T> {
    #[inline]
    #[allow(clippy::needless_pass_by_value, clippy::trivially_copy_pass_by_ref)]
    fn note(&mut self, _: &BeforeToolCall) {}
}
#[diagnostic::do_not_recommend]
impl<T> ::hooks_core::Hook for Count<T> {
    type Vocabulary = ::hooks_core::AnyVocabulary;
    type Rank = ::hooks_core::__private::rank!(0);
    type Answers = ();
    type Exact = ();
    type Wraps = ();
    fn describe(&self, _: &mut ::hooks_core::__private::Planner) {}
}
::core::compile_error! {
    "a hook is shared by all that use the pipeline: take `&self`, and keep what changes in an atomic or a `Mutex`; a method that is not a hook goes in an `impl` block without `#[hook]`"
}
