//! Tools that may not be called at all.
