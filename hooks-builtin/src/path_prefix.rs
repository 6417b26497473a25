//! Relative paths of file tools, made absolute under a root.
