//! The configuration that turns hooks on.
