//! Rows of GoClaw, kept whole as `{ "name": …, "goclaw": {row} }`: what is a secret in them is moved out.

use serde_json::Value;

/// Where a row has its headers.
const HEADERS: &str = "/goclaw/config/headers";

/// Returns the headers of a hook whose values are no names of secrets yet, with these values.
pub(crate) fn plain_headers(hook: &Value) -> Vec<(String, String)> {
    let headers = hook.pointer(HEADERS).and_then(Value::as_object);
    let texts = headers
        .into_iter()
        .flatten()
        .filter_map(|(header, value)| Some((header.clone(), value.as_str()?.to_owned())));
    texts
        .filter(|(_, value)| !value.starts_with("secret:"))
        .collect()
}

/// The name of the secret that a header has as its value.
pub(crate) fn secret_of<'a>(hook: &'a Value, header: &str) -> Option<&'a str> {
    let headers = hook.pointer(HEADERS)?;
    headers.get(header)?.as_str()?.strip_prefix("secret:")
}

/// Puts the name of a secret in the place of the value of a header.
pub(crate) fn name_secret(hook: &mut Value, header: &str, secret: &str) {
    let headers = hook.pointer_mut(HEADERS).and_then(Value::as_object_mut);
    if let Some(value) = headers.and_then(|headers| headers.get_mut(header)) {
        *value = format!("secret:{secret}").into();
    }
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
