//! A guard against server-side request forgery.
