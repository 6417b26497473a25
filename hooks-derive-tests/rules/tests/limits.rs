//! What may be read of an event is asked of a condition that reads it, and only then.

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::{HookResult, hooks};
use hooks_runtime::Runtime;
use serde_json::{Value, json};

/// Why a call is blocked, by compiled rules and by loaded ones.
async fn reasons(tool: &str, args: Value) -> [Option<String>; 2] {
    let compiled = hooks![include!("limits.toml")];
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/limits.toml");
    let loaded = hooks![..Runtime::load(file).await.unwrap()];
    let cx = AgentContext::new("s");
    let call = || BeforeToolCall::new("1", tool, args.clone());
    let reason = |result: HookResult<BeforeToolCall>| {
        let cancel = result.into_result().err()?;
        Some(cancel.reason.to_string())
    };
    [
        reason(compiled.intercept(&cx, &mut call()).await),
        reason(loaded.intercept(&cx, &mut call()).await),
    ]
}

#[tokio::test]
async fn a_rule_that_fails_fails_for_the_same_reason() {
    let both = |reason: &str| [Some(reason.to_owned()), Some(reason.to_owned())];
    let large = json!({ "command": "x".repeat(300_000) });
    assert_eq!(
        reasons("search", large.clone()).await,
        both(
            "the hook `of commands` failed: the event is larger than the 256 KiB that an expression may read"
        )
    );
    assert_eq!(
        reasons("deploy", large).await,
        both(
            "the hook `of another tool` failed: the event is larger than the 256 KiB that an expression may read"
        )
    );
    let twins = json!({ "command": "ls", "cmd": "rm -r x" });
    assert_eq!(
        reasons("shell", twins.clone()).await,
        both(
            "the hook `of commands` failed: `command` and `cmd` are two names of one argument and have different values; keep one"
        )
    );
    assert_eq!(reasons("unknown", twins).await, [None, None]);
}

#[tokio::test]
async fn a_rule_for_the_input_knows_the_other_names_of_its_tool() {
    let both = [Some("no reviews".to_owned()), Some("no reviews".to_owned())];
    for tool in ["Task", "Agent"] {
        let review = json!({ "subagent_type": "review" });
        assert_eq!(reasons(tool, review).await, both, "{tool}");
        let other = json!({ "subagent_type": "other" });
        assert_eq!(reasons(tool, other).await, [None, None], "{tool}");
    }
}
