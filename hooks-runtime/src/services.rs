//! What handlers get from the program itself, and not from a file.

use std::fmt;
use std::sync::Arc;

use hooks_builtin::ssrf::Guard;

use crate::secrets::{EnvironmentSecrets, Secrets};

/// What the builder of a runtime has for its handlers. All revisions share it.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) secrets: Arc<dyn Secrets>,
    /// Which URLs may be called.
    pub(crate) guard: Guard,
}

impl Default for Services {
    fn default() -> Self {
        Services {
            secrets: Arc::new(EnvironmentSecrets),
            guard: Guard::new(),
        }
    }
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Services")
            .field("guard", &self.guard)
            .finish_non_exhaustive()
    }
}
