//! What a dry run leaves out of the built-in hooks: those that change, count or ask something.

use hooks_builtin::config::{HooksConfig, Switch};
use serde_json::Value;

/// The hooks that change nothing outside of themselves, and decide the same every time.
const HARMLESS: [&str; 4] = ["security_policy", "block_tools", "path_prefix", "redact"];

/// Switches the others off, and returns their names. `asks` says whether the program itself answers questions.
pub(super) fn leave_out(config: &mut HooksConfig, asks: bool) -> Vec<String> {
    let mut left_out = Vec::new();
    let builtin = &mut config.builtin;
    if let Switch::On(policy) = &mut builtin.security_policy
        && policy.max_actions_per_hour.take().is_some()
    {
        left_out.push("security_policy.max_actions_per_hour".to_owned());
    }
    if !asks {
        off("approval", &mut builtin.approval, &mut left_out);
    }
    off("rate_limit", &mut builtin.rate_limit, &mut left_out);
    off("shell_hook", &mut builtin.shell_hook, &mut left_out);
    off("tool_cache", &mut builtin.tool_cache, &mut left_out);
    off("command_logger", &mut builtin.command_logger, &mut left_out);
    off("webhook_audit", &mut builtin.webhook_audit, &mut left_out);
    off("event_log", &mut builtin.event_log, &mut left_out);
    off("jsonl_log", &mut builtin.jsonl_log, &mut left_out);
    let chain = config.chain.iter_mut();
    let chain = chain.map(|entry| (&*entry.hook_type, &mut entry.enabled, &mut entry.config));
    let named = config.builtins.iter_mut();
    let named = named.map(|(name, entry)| (&**name, &mut entry.enabled, &mut entry.config));
    for (hook_type, enabled, settings) in chain.chain(named) {
        let is_harmless = HARMLESS.contains(&hook_type) || (asks && hook_type == "approval");
        if *enabled && !is_harmless {
            *enabled = false;
            left_out.push(hook_type.to_owned());
        }
        if let Value::Object(settings) = settings {
            settings.remove("max_actions_per_hour");
        }
    }
    left_out
}

fn off<T>(name: &str, switch: &mut Switch<T>, left_out: &mut Vec<String>) {
    if switch.as_on().is_some() {
        *switch = Switch::Off;
        left_out.push(name.to_owned());
    }
}
