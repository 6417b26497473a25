//! Tests what the example prints.

#[path = "../../../examples/tests/it/common.rs"]
mod common;

#[test]
fn rig_agent_blocks_rewrites_answers_redacts_and_goes_on() {
    let printed = common::run("rig_agent", &[], "").stdout;
    common::assert_lines(
        &printed,
        &[
            r#"model: shell {"command":"sudo reboot"}"#,
            r#"model: read {"path":"/notes.txt"}"#,
            r#"tool: read {"path":"/work/notes.txt"} -> "/work/notes.txt" says: write to [mail] today"#,
            r#"model: weather {"city":"Oslo"}"#,
            r#"tool: weather {"city":"Oslo"} -> rain, says the cache"#,
            "model: Take an umbrella.",
            "model: Take an umbrella, please.",
            "answer: Take an umbrella, please.",
            "5 answers of the model, 2 tool calls that ran or were answered",
        ],
    );
    assert!(!printed.contains("rebooting"), "{printed}");
}
