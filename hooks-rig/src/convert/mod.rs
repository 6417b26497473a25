//! What rig calls things, and what we do. What hooks leave alone goes back to rig as it was; what they change or
//! add is built anew from what our types hold.

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

/// The arguments of a tool call; what is no JSON stays text.
pub(crate) fn arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
