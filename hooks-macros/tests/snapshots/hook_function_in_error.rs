#[allow(unused)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
struct lower;
impl lower {
    /// Calls the hook `lower` as the function that it is.
    #[allow(unused)]
    #[inline]
    #[allow(
        clippy::missing_errors_doc,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref
    )]
    fn call(call: &mut BeforeToolCall) {
        call.name.make_ascii_lowercase();
    }
}
#[diagnostic::do_not_recommend]
impl ::hooks_core::Hook for lower {
    type Vocabulary = ::hooks_core::AnyVocabulary;
    type Rank = ::hooks_core::__private::rank!(0);
    type Answers = ();
    type Exact = ();
    type Wraps = ();
    fn describe(&self, _: &mut ::hooks_core::__private::Planner) {}
}
::core::compile_error! {
    "unknown option `prioritty`: did you mean `priority`? The options are `priority`, `name`, `only(…)`, `tool(…)`, `when`, `timeout`, `on_timeout`, `on_panic`, `around`, `guard`, `every`, `vocabulary` and `crate`"
}
