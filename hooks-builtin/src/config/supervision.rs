//! What the hooks of a file must know about each other: who asks about the actions of a supervised agent.

use crate::{Approval, ApprovalConfig, Autonomy, Glob, Globs, SecurityPolicyConfig};

/// Which hook asks, and about which tools none does.
#[derive(Default)]
pub(super) struct Supervision {
    /// Whether `[hooks.builtin]` has an approval.
    pub(super) is_asked_in_builtin: bool,
    /// Whether the hooks that factories create include one.
    pub(super) is_asked_in_chain: bool,
    /// The tools that all policies with `supervised` declare read-only.
    read_only_tools: Option<Vec<Glob>>,
}

impl Supervision {
    /// Whether there is an approval anywhere.
    pub(super) fn is_asked(&self) -> bool {
        self.is_asked_in_builtin || self.is_asked_in_chain
    }

    /// Records a policy.
    pub(super) fn note(&mut self, policy: &SecurityPolicyConfig) {
        if policy.autonomy == Autonomy::Supervised {
            self.read_only_in(&policy.read_only_tools);
        }
    }

    /// A tool may act without a question only if every policy allows it.
    fn read_only_in(&mut self, tools: &Globs) {
        match &mut self.read_only_tools {
            None => self.read_only_tools = Some(tools.iter().cloned().collect()),
            Some(known) => known.retain(|tool| tools.iter().any(|other| other == tool)),
        }
    }

    /// Makes the first approval ask about every tool of a supervised agent, except those in its `except` and those that
    /// all policies declare read-only.
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
