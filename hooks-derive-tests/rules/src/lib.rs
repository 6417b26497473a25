//! Rules that are compiled, in a doctest, too:
//!
//! ```
//! use hooks_core::agent::{AgentContext, BeforeToolCall};
//! use hooks_core::hooks;
//!
//! let hooks = hooks![include!("../tests/limits.toml")];
//! let mut call = BeforeToolCall::new("1", "shell", serde_json::json!({ "command": "rm -r x" }));
//! assert!(!hooks.intercept_now(&AgentContext::new("s"), &mut call).is_continue());
//! ```
