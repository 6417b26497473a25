//! One mistake a file, and the one message that the compiler has for it.
//!
//! `TRYBUILD=overwrite cargo test -p hooks-derive-tests` writes the `.stderr` files anew. Read them as a
//! stranger would before they are committed.

/// One test for each folder of mistakes.
macro_rules! mistakes {
    ($($(#[$attr:meta])* $test:ident: $folder:literal;)*) => { $(
        $(#[$attr])*
        #[test]
        fn $test() {
            trybuild::TestCases::new().compile_fail(concat!("tests/", $folder, "/fail/*.rs"));
        }
    )* };
}
mistakes! {
    a_wrong_hook_is_told_at_its_own_token: "hook";
    an_action_that_its_event_does_not_allow_does_not_compile: "action";
    a_wrong_list_is_told_at_its_own_token: "hooks";
    a_wrong_dispatch_does_not_compile: "pipeline";
    a_wrong_handler_does_not_compile: "registry";
    a_wrong_vocabulary_is_told_at_its_own_token: "derive";
}

/// Programs that compile, and that are run.
#[test]
fn what_is_right_compiles_and_runs() {
    trybuild::TestCases::new().pass("tests/*/pass/*.rs");
}
