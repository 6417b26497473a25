use hooks_core::agent::*;
use hooks_core::{Hook, hooks};
use serde_json::json;

#[test]
fn some() {
    let hooks = hooks![include!("some.toml")];
    println!("{}", hooks.plan());
    let cx = AgentContext::new("s");
    for (tool, args) in [
        ("shell", json!({"command": "git push --force"})),
        ("Bash", json!({"command": "git push --force"})),
        ("shell", json!({"x": 1})),
        ("Write", json!({"file_path": "x"})),
        ("ask2", json!({"list": ["abbc"]})),
    ] {
        let mut call = BeforeToolCall::new("1", tool, args);
        let result = hooks.intercept_now(&cx, &mut call);
        println!("{result:?} {call:?}");
    }
}
