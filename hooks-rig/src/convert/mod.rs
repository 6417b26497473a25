//! Converts between rig's types and ours. What hooks do not change goes back to rig unchanged; what they change or
//! add is rebuilt from our types.

mod media;
mod message;
mod output;
mod request;
mod response;

pub(crate) use self::message::{messages, prompt, text_of, to_prompt};
pub(crate) use self::output::{changed, output, result};
pub(crate) use self::request::{apply, model_of, request, with_prompt};
pub(crate) use self::response::{changed_response, response, usage};

use serde_json::Value;

/// The arguments of a tool call; invalid JSON stays a string.
pub(crate) fn arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
