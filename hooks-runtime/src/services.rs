//! What handlers get from the program instead of a file.

use std::fmt;
use std::sync::Arc;

use hooks_builtin::ssrf::Guard;

use crate::budget::spending::Spending;
use crate::budget::{Budget, MemoryBudget};
use crate::evaluator::Evaluator;
use crate::secrets::{EnvironmentSecrets, Secrets};

/// The settings of a runtime's builder for its handlers. All revisions share them.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) secrets: Arc<dyn Secrets>,
    /// Which URLs may be called.
    pub(crate) guard: Guard,
    /// What asks models.
    pub(crate) evaluator: Option<Arc<dyn Evaluator>>,
    /// What counts and limits their tokens.
    pub(crate) budget: Arc<dyn Budget>,
    pub(crate) spending: Arc<Spending>,
    /// Whether people who may not act as this process write the hooks.
    pub(crate) is_shared: bool,
}

impl Default for Services {
    fn default() -> Self {
        Services {
            secrets: Arc::new(EnvironmentSecrets),
            guard: Guard::new(),
            evaluator: None,
            budget: Arc::new(MemoryBudget::new()),
            spending: Arc::default(),
            is_shared: false,
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
