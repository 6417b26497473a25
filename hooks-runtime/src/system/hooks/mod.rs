//! Our own: Claude Code's keys for all of our events.

use crate::entry::OnFault;
use crate::system::claude;
use crate::system::table::System;

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "hooks",
    title: "hooks",
    calls: None,
    events: &[],
    never: &[],
    fault: OnFault::Block,
    names_event: false,
    files: &[],
    takes_args: false,
    ..claude::SYSTEM
};
