//! What is fuzzed, a file each: the properties that hold for any text.

mod config;
mod glob;
mod redact;
mod shell;
mod url;

pub use self::config::config;
pub use self::glob::glob;
pub use self::redact::redact;
pub use self::shell::shell;
pub use self::url::url;
