//! Asks somebody before a tool runs.
