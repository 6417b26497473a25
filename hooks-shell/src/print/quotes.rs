//! Quotes that every shell reads alike.

/// Whether every shell reads a text literally.
pub(super) fn is_bare(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./:@%+,-=".contains(&byte);
    !text.is_empty() && text.bytes().all(is_plain) && !text.starts_with(['=', '%'])
}

/// Returns a text in single quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns a text, with quotes if it needs them.
pub(crate) fn written(text: &str) -> String {
    if is_bare(text) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// Escapes a text for double quotes, or for a here-document.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '$' | '`' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
