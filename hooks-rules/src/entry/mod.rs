//! What a file says about a hook: `[[hooks.on]]`, and about all of them: `[hooks.limits]`.

mod limits;
mod on;
mod value;

pub use self::limits::{BreakerConfig, LimitsConfig};
pub use self::on::{Mode, OnEntry, OnFault, Scopes};
pub use self::value::OneOrMany;
#[doc(hidden)]
pub use self::value::{is_default, some_duration};
