//! A command that runs before or after tool calls.
