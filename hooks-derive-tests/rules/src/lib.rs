//! Rules that are compiled.
