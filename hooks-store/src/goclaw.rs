//! Rows of GoClaw, kept whole as `{ "name": …, "goclaw": {row} }`.

use serde_json::Value;

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
