//! Rows of GoClaw, kept whole as `{ "name": …, "goclaw": {row} }`: what is a secret in them is moved out.

use serde_json::Value;

use crate::secret::is_of_name;

/// A value that belongs among the secrets.
pub(crate) struct Moved {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// Puts the name of a secret in the place of each value of a header, and returns the values.
pub(crate) fn take_secrets(hook: &mut Value) -> Vec<Moved> {
    let name = hook["name"].as_str().unwrap_or("goclaw").to_owned();
    let headers = hook.pointer_mut("/goclaw/config/headers");
    let headers = headers.and_then(Value::as_object_mut);
    let mut moved = Vec::new();
    for (header, value) in headers.into_iter().flatten() {
        let plain = value.as_str().filter(|plain| !plain.starts_with("secret:"));
        if let Some(plain) = plain.map(str::to_owned) {
            let secret = format!("{name}-{header}").replace(|c| !is_of_name(c), "_");
            let secret: String = secret.chars().take(128).collect();
            *value = format!("secret:{secret}").into();
            moved.push(Moved {
                name: secret,
                value: plain,
            });
        }
    }
    moved
}

/// A row of GoClaw is here for the tenant whose hook it is, under the name that it has here. Its own id of a tenant is
/// another system's.
pub(crate) fn without_tenant(hook: &mut Value) {
    let name = hook["name"].clone();
    if let Some(Value::Object(row)) = hook.get_mut("goclaw")
        && row.contains_key("event")
    {
        row.retain(|key, _| key != "tenant_id" && key != "tenantId");
        row.insert("name".to_owned(), name);
    }
}
