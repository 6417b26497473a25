//! Adds the other names of settings to their JSON Schemas.
//!
//! Use it for a struct, with `#[serde(alias = "…")]` on the field: `#[schemars(transform = Alias { … })]`.

use schemars::Schema;
use schemars::transform::Transform;
use serde_json::{Value, json};

/// A required setting, under one of its two names.
pub(crate) struct Alias {
    pub(crate) of: &'static str,
    pub(crate) name: &'static str,
}

impl Transform for Alias {
    fn transform(&mut self, schema: &mut Schema) {
        let Alias { of, name } = *self;
        let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
            return;
        };
        let mut setting = properties.get(of).cloned().unwrap_or_default();
        setting["description"] = format!("Another name of `{of}`.").into();
        properties.insert(name.into(), setting);
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|key| key != of);
            if required.is_empty() {
                schema.remove("required");
            }
        }
        let one = json!([{ "required": [of] }, { "required": [name] }]);
        schema.insert("oneOf".into(), one);
    }
}
