//! How long a text of a hook may be: a model, a user and a record read it.

pub(crate) use hooks_compiled::cut::{cut, cut_all};
