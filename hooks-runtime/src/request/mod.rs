//! What the HTTP requests of hooks and of evaluators share.

mod allowed;
mod answer;

use std::time::Duration;

use reqwest::header::HeaderValue;

pub(crate) use self::allowed::{loopback, matches};
pub(crate) use self::answer::read;

/// Longer than any hook may take: the definition's timeout ends a request earlier.
pub(crate) const LONGEST: Duration = Duration::from_hours(1);

/// Returns a header value that is never shown.
pub(crate) fn header_value(text: &str) -> Result<HeaderValue, &'static str> {
    let mut value = HeaderValue::from_str(text)
        .map_err(|_| "the value has characters that are not allowed in a header")?;
    value.set_sensitive(true);
    Ok(value)
}
