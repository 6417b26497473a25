//! How often tools may be called.
