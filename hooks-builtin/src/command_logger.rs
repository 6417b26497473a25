//! One line a tool call, for people.
