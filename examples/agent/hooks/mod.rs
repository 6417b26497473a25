//! The hooks of the agent, and the one pipeline that they make.

mod cache;
mod guards;
mod plugin;
mod rewrites;
mod tracer;

use hooks_core::agent::{AgentHooks, AgentRegistry};
use hooks_core::{hooks, priority};

pub(crate) use self::tracer::Tracer;

/// All hooks. The order of the list does not matter here: each one's priority says when it runs.
///
/// The pipeline's type holds that order and cannot be written down, so it goes by its one bound.
pub(crate) fn pipeline(tracer: &Tracer) -> impl AgentHooks {
    // What a person installed is only known at run time. This example installs one thing itself.
    let plugins = AgentRegistry::new().with(plugin::Shorten { lines: 5 });
    hooks![
        guards::tripwire,
        guards::deny_rm,
        guards::RateLimit::per_minute(8),
        guards::approve,
        guards::RunBeforeStop::default(),
        rewrites::local_paths,
        rewrites::repair_names,
        rewrites::house_rules,
        rewrites::Redact { mask: "[redacted]" },
        cache::Cache::default(),
        plugins @ priority::LOW,
        tracer,
    ]
}

/// The commands of a shell line, each as its words. It knows no quotes: a guard that reads a command is
/// a help against mistakes, and no sandbox.
fn commands(line: &str) -> impl Iterator<Item = Vec<&str>> {
    line.split([';', '&', '|', '\n', '(', ')', '`'])
        .map(|command| command.split_whitespace().collect())
}

#[cfg(test)]
mod tests {
    use hooks_core::Hook;

    use super::*;

    #[test]
    fn guards_come_first_then_what_rewrites_then_what_answers_and_redaction_last() {
        let tracer = Tracer::default();
        let hooks = pipeline(&tracer);
        let mut order: Vec<_> = hooks.plan().map(|row| row.hook).collect();
        order.dedup();
        assert_eq!(
            order,
            [
                "Tracer",
                "tripwire",
                "deny_rm",
                "RateLimit",
                "local_paths",
                "approve",
                "RunBeforeStop",
                "repair_names",
                "house_rules",
                "Cache",
                "HookRegistry",
                "Shorten",
                "Redact",
            ]
        );
    }
}
