use hooks_core::HookAction;

fn deny() -> HookAction<String> {
    HookAction::Continue
}

fn main() {}
