use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;

mod guards {
    use hooks_core::HookAction;
    use hooks_core::agent::BeforeToolCall;
    use hooks_core::hook;

    /// The documentation goes to the hook.
    #[hook(priority = 10)]
    pub fn no_shell(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        if call.name == "shell" {
            return HookAction::block("no shell here");
        }
        HookAction::Continue
    }

    pub mod inner {
        use super::BeforeToolCall;

        #[hooks_core::hook]
        pub(crate) fn lower(call: &mut BeforeToolCall) {
            call.name.make_ascii_lowercase();
        }
    }
}

use guards::inner::lower as small;

fn main() {
    let hooks = hooks![small, guards::no_shell];
    assert_eq!(format!("{hooks:?}"), "[no_shell, lower]");

    let mut call = BeforeToolCall {
        name: "Shell".into(),
        ..Default::default()
    };
    let cx = AgentContext::new("s1");
    assert!(hooks.intercept_now(&cx, &mut call).is_continue());
    assert!(!hooks.intercept_now(&cx, &mut call).is_continue());
    assert!(!guards::no_shell::call(&call).is_continue());
}
