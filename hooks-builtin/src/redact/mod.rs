//! Secrets and personal data, rewritten.
