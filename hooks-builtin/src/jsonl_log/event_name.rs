//! The names of events in the configuration.

use std::borrow::Cow;

use hooks_core::agent::AgentEvent;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The name of an event of [`AgentEvent`].
///
/// ```
/// use hooks_builtin::EventName;
///
/// assert_eq!(EventName::new("ToolCallEnd").unwrap().as_str(), "ToolCallEnd");
/// assert!(EventName::new("tool_call_end").is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventName(&'static str);

impl EventName {
    /// Returns the event of that name, if there is one.
    #[must_use]
    pub fn new(name: &str) -> Option<Self> {
        let known = AgentEvent::NAMES.iter().find(|known| **known == name);
        known.map(|known| EventName(known))
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl Serialize for EventName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for EventName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        EventName::new(&name).ok_or_else(|| de::Error::unknown_variant(&name, AgentEvent::NAMES))
    }
}

impl JsonSchema for EventName {
    fn schema_name() -> Cow<'static, str> {
        "EventName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": AgentEvent::NAMES, "description": "The name of an event." })
    }
}
