//! One mistake a file, and the one message that the compiler has for it.
//!
//! `TRYBUILD=overwrite cargo test -p hooks-derive-tests` writes the `.stderr` files anew. Read them as a
//! stranger would before they are committed.

/// The programs of `pass` compile and are run. Each of `fail` is told its mistake at its own token. They are one test,
/// because each `TestCases` builds a project of its own.
#[test]
fn what_is_right_compiles_and_runs_and_what_is_wrong_is_told_at_its_own_token() {
    let programs = trybuild::TestCases::new();
    programs.pass("tests/*/pass/*.rs");
    programs.compile_fail("tests/*/fail/*.rs");
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
