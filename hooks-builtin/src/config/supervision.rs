//! What the hooks of a file have to know of each other: who asks about what a supervised agent does.

use crate::{Approval, ApprovalConfig, Autonomy, Glob, Globs, SecurityPolicyConfig};

/// Who asks, and about which tools nobody does.
#[derive(Default)]
pub(super) struct Supervision {
    /// Whether there is an approval in `[hooks.builtin]`.
    pub(super) is_asked_in_builtin: bool,
    /// Whether there is one among the hooks that factories make.
    pub(super) is_asked_in_chain: bool,
    /// What the policies that say `supervised` declare read-only, all of them.
    read_only_tools: Option<Vec<Glob>>,
}

impl Supervision {
    /// Whether there is an approval anywhere.
    pub(super) fn is_asked(&self) -> bool {
        self.is_asked_in_builtin || self.is_asked_in_chain
    }

    /// Takes note of a policy.
    pub(super) fn note(&mut self, policy: &SecurityPolicyConfig) {
        if policy.autonomy == Autonomy::Supervised {
            self.read_only_in(&policy.read_only_tools);
        }
    }

    /// A tool may act unasked if every policy lets it.
    fn read_only_in(&mut self, tools: &Globs) {
        match &mut self.read_only_tools {
            None => self.read_only_tools = Some(tools.iter().cloned().collect()),
            Some(known) => known.retain(|tool| tools.iter().any(|other| other == tool)),
        }
    }

    /// Has the first approval ask for every tool of a supervised agent, but for those that its settings except and those
    /// that all policies declare read-only.
    pub(super) fn supervising(
        &mut self,
        approval: Approval,
        settings: &ApprovalConfig,
    ) -> Approval {
        let Some(read_only_tools) = self.read_only_tools.take() else {
            return approval;
        };
        let except = settings.except.iter().chain(&read_only_tools);
        approval
            .with_tools(Globs::all())
            .with_except(except.cloned().collect())
    }
}
