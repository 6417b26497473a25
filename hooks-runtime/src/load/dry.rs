//! What a dry run leaves out of the built-in hooks: those that change, count or ask something.

use hooks_builtin::config::{HooksConfig, Reach, Switch};
use serde_json::Value;

/// The hooks that change nothing outside of themselves, and decide the same every time.
const HARMLESS: [&str; 4] = ["security_policy", "block_tools", "path_prefix", "redact"];

/// Switches the others off, and returns their names. `asks` says whether the program itself answers questions.
pub(super) fn leave_out(config: &mut HooksConfig, asks: bool) -> Vec<String> {
    let mut left_out = Vec::new();
    if let Switch::On(policy) = &mut config.builtin.security_policy {
        policy.is_dry = true;
        if policy.max_actions_per_hour.take().is_some() {
            left_out.push("security_policy.max_actions_per_hour".to_owned());
        }
    }
    let off = config.switch_off(|hook_type| {
        let decides = HARMLESS.contains(&hook_type) || (asks && hook_type == "approval");
        !decides
    });
    left_out.extend(off.into_iter().map(|(hook_type, _)| hook_type));
    let chain = config.chain.iter_mut().map(|entry| &mut entry.config);
    let named = config.builtins.values_mut().map(|entry| &mut entry.config);
    for settings in chain.chain(named) {
        if let Value::Object(settings) = settings {
            settings.remove("max_actions_per_hour");
        }
    }
    left_out
}

/// What of the hooks can be made to check it: what stays inside of the agent, and is ours.
pub(super) fn inside(config: &HooksConfig) -> HooksConfig {
    let mut inside = config.clone();
    inside.switch_off(|hook_type| Reach::of(hook_type) != Some(Reach::Inside));
    inside
}
