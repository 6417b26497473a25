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
    a_wrong_agent_does_not_compile: "agent";
    a_wrong_vocabulary_is_told_at_its_own_token: "derive";
}

/// Programs that compile, and that are run.
#[test]
fn what_is_right_compiles_and_runs() {
    trybuild::TestCases::new().pass("tests/*/pass/*.rs");
}

/// A fenced block of a page names its file after `text`.
#[test]
fn the_pages_show_what_the_compiler_says() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for (page, least) in [("README.md", 1), ("docs/error-messages.md", 10)] {
        let text = std::fs::read_to_string(root.join("..").join(page)).unwrap();
        let mut shown = 0;
        for block in text.split("```text ").skip(1) {
            let (file, rest) = block.split_once('\n').unwrap();
            let (message, _) = rest.split_once("\n```").unwrap();
            let path = root.join("tests").join(file).with_extension("stderr");
            let stderr =
                std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("no {}", path.display()));
            assert!(stderr.contains(message), "{file} says:\n{stderr}");
            shown += 1;
        }
        assert!(shown >= least, "{page} has lost its messages: {shown}");
    }
}
