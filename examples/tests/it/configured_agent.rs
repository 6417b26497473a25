//! Tests what the configured agent prints.

use crate::common::run;

#[test]
fn a_handler_of_every_kind_decides_and_a_changed_file_counts() {
    let printed = run("configured_agent", &[], "").stdout;
    for expected in [
        "and the model reads: the folder has 1 file",
        "hook `no-push` blocked the event: pushing is for people",
        "hook `judge` blocked the event: the command deletes a file",
        "hook `review` blocked the event: secrets stay where they are",
        "hook `no-push` blocked the event: pushing waits until Monday",
        "`BeforeToolcal` is not an event",
        "The endpoint has heard of 2 calls, the model was asked 2 times.",
    ] {
        assert!(printed.contains(expected), "{expected}\n---\n{printed}");
    }
    for handler in ["rule", "command", "http", "prompt", "process"] {
        let of_it = |line: &str| line.split_whitespace().nth(2) == Some(handler);
        assert!(printed.lines().any(of_it), "{handler}\n---\n{printed}");
    }
}
