//! What the macros say where nobody tells them by what path `hooks-core` is to be found.

#[test]
fn a_core_that_is_only_re_exported_has_to_be_named() {
    trybuild::TestCases::new().compile_fail("tests/fail/*.rs");
}
