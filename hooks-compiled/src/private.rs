//! What the macro writes. Not for direct use.

pub use std::sync::LazyLock;

pub use hooks_rules::cel::compiled::PATTERN;
pub use hooks_rules::cel::{Type, Value};
#[cfg(feature = "regex")]
pub use regex::Regex;
pub use serde_json::Value as Json;

pub use crate::effect::Verdict;
#[cfg(feature = "shell")]
pub use crate::input::{InputRule, input_rule, is_input};
pub use crate::renamed::Renamed;
pub use crate::rule::*;
