//! PicoClaw. Its hooks are processes: see `load::picoclaw` and `handler::process`.

use crate::system::hooks;
use crate::system::table::System;

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "picoclaw",
    title: "PicoClaw",
    ..hooks::SYSTEM
};
