//! Rules of files take their places among other hooks, and what is not a rule may be left out.

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::{hook, hooks};

#[hook(priority = 50)]
fn mine(_: &BeforeToolCall) {}

macro_rules! guarded {
    ($($hook:tt)*) => {
        hooks![$($hook)*, include!("others.toml", rules)]
    };
}

mod inner {
    pub fn agent() -> impl hooks_core::agent::AgentHooks {
        hooks_core::hooks![include!("../pass/first.toml"), include!("others.toml", rules)]
    }
}

fn main() {
    let hooks = guarded![mine, include!("first.toml")];
    assert_eq!(
        hooks.plan().map(|row| row.hook).collect::<Vec<_>>(),
        ["first", "mine", "other"]
    );
    let mut call = BeforeToolCall::new("1", "deploy", serde_json::json!({}));
    let result = hooks.intercept_now(&AgentContext::new("s"), &mut call);
    assert_eq!(result.as_cancel().unwrap().hook, "other");
    let _ = inner::agent();
}
