//! Where a hook has its secrets: the one place that decides it.

use serde_json::Value;

use super::foreign;

/// Calls `visit` with each text of a hook that names a secret or may do so, and with its path as a JSON pointer. No other
/// text is looked at: a tool may be called `secret:get`.
///
/// In a hook of ours these are the signing secret and the headers of `http`. In a hook that is kept whole for another system
/// they are all texts that [`foreign_secrets`] calls secrets.
///
/// ```
/// use hooks_runtime::secret_texts;
/// use serde_json::json;
///
/// let mut hook = json!({ "event": "BeforeToolCall", "tools": ["secret:get"],
///     "http": { "url": "https://gate.example.com/", "headers": { "X-Key": "secret:gate" } } });
/// let mut found = Vec::new();
/// secret_texts(&mut hook, &mut |path, text| found.push(format!("{path} {text}")));
/// assert_eq!(found, ["/http/headers/X-Key secret:gate"]);
/// ```
pub fn secret_texts(hook: &mut Value, visit: &mut dyn FnMut(&str, &mut String)) {
    for key in ["secret", "headers"] {
        if let Some(value) = hook.pointer_mut(&format!("/http/{key}")) {
            all(value, &format!("/http/{key}"), visit);
        }
    }
    foreign_secrets(hook, visit);
}

/// Calls `visit` with each text of a hook of another system that is a secret, or the name of one as `secret:NAME`.
///
/// These are all texts under a key `headers`, however deep and in whatever case, because each of these systems sends them to
/// an endpoint. A `config` that is one text is a secret as a whole, because what is in it is not known.
///
/// ```
/// use hooks_runtime::foreign_secrets;
/// use serde_json::json;
///
/// let mut hook = json!({ "name": "gate", "claude": { "hooks": { "PreToolUse": [{ "hooks": [
///     { "type": "http", "url": "https://gate.example.com/", "headers": { "Authorization": "Bearer s3cret" } }] }] } } });
/// foreign_secrets(&mut hook, &mut |_, text| *text = "***".to_owned());
/// assert!(!hook.to_string().contains("s3cret"));
/// ```
pub fn foreign_secrets(hook: &mut Value, visit: &mut dyn FnMut(&str, &mut String)) {
    let Some(system) = foreign(hook).map(|(system, _)| system) else {
        return;
    };
    if let Some(file) = hook.get_mut(system) {
        below(file, &format!("/{system}"), visit);
    }
}

/// Finds the secrets below a value.
fn below(value: &mut Value, path: &str, visit: &mut dyn FnMut(&str, &mut String)) {
    each(value, path, &mut |key, value, path| {
        let is = |name: &str| key.eq_ignore_ascii_case(name);
        if is("headers") || is("config") && value.is_string() {
            all(value, path, visit);
        } else {
            below(value, path, visit);
        }
    });
}

/// Every text of a value is a secret.
fn all(value: &mut Value, path: &str, visit: &mut dyn FnMut(&str, &mut String)) {
    match value {
        Value::String(text) => visit(path, text),
        value => each(value, path, &mut |_, value, path| all(value, path, visit)),
    }
}

/// Calls `visit` with each part of a value, its key and its path.
fn each(value: &mut Value, path: &str, visit: &mut dyn FnMut(&str, &mut Value, &str)) {
    match value {
        Value::Array(values) => {
            for (index, value) in values.iter_mut().enumerate() {
                visit("", value, &format!("{path}/{index}"));
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                let part = key.replace('~', "~0").replace('/', "~1");
                visit(key, value, &format!("{path}/{part}"));
            }
        }
        _ => {}
    }
}
