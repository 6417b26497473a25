//! Posts an audit event for every tool call.
