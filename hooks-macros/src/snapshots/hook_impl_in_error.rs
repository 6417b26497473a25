impl<T> Count<T> {
    #[inline]
    fn note(&mut self, _: &BeforeToolCall) {}
}
impl<T> ::hooks_core::__private::Describe for Count<T> {
    fn describe<'__d>(&'__d self, _: &mut ::hooks_core::__private::Planner<'__d, '_>) {}
}
#[diagnostic::do_not_recommend]
impl<T> ::hooks_core::Hook for Count<T> {
    type Vocabulary = ::hooks_core::AnyVocabulary;
    type Rank = ::hooks_core::__private::rank!(0);
    type Answers = ();
    type Wraps = ();
    type Listens = ::hooks_core::__private::Never;
}
::core::compile_error! {
    "a hook is shared by all that use the pipeline: take `&self`, and keep what changes in an atomic or a `Mutex`; a method that is no hook goes in an `impl` block without `#[hook]`"
}
