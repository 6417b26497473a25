//! Elsewhere than on Linux, a process that holds the outputs is not found.

pub(super) fn kill_holders(_: &[super::End]) {}
