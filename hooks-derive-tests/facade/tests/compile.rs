//! What the macros say where they are not told by what path `hooks-core` is to be found.
//!
//! These programs are not among those of `hooks-derive-tests`, because the manifest of that crate names `hooks-core`.

#[test]
fn a_core_that_is_only_re_exported_has_to_be_named() {
    trybuild::TestCases::new().compile_fail("tests/fail/*.rs");
}
