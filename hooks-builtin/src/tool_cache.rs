//! Answers repeated calls from memory.
