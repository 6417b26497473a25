//! A guard against server-side request forgery: it decides which URLs a hook may call, and makes sure that the hook
//! calls no other.
//!
//! A URL in a configuration, or one that a model wrote, may lead into the network of the agent: to a neighbour without
//! a password, or to the cloud's metadata with its keys. A [`Guard`] allows only public hosts, and an [`Endpoint`] is a
//! client whose requests go only to its own URL. The one idea: an address is judged where it is used. A name is
//! resolved once for each connection, every address of it is judged, and the connection goes only to those addresses.
//! So there is no second look-up that could give another answer.
//!
//! A guard enforces these rules:
//!
//! - The scheme is `https`. Plain `http` is for loopback, and only for hosts that are [allowed by
//!   name](Guard::allow_loopback). These must really be on loopback.
//! - Every address of the host is [public](special_purpose), however it is spelt. One address that is not public
//!   refuses the whole host.
//! - Names of local networks and of clouds' metadata are refused before they are resolved.
//! - The URL contains no user or password, no white space, no backslash, and nothing that two programs might read
//!   differently.
//! - Redirects are not followed, and proxies of the environment are not used.
//!
//! From ZeroClaw (its webhook audit) and GoClaw (its `http` hooks).
//!
//! ```
//! use hooks_builtin::ssrf::Guard;
//!
//! let guard = Guard::new();
//! assert!(guard.check("https://audit.example.com/hook").is_ok());
//!
//! for url in ["http://audit.example.com/", "https://10.0.0.1/", "https://0x7f.1/", "https://[::ffff:a9fe:a9fe]/"] {
//!     println!("{}", guard.check(url).unwrap_err());
//! }
//!
//! let guard = guard.allow_loopback(["localhost".parse()?]);
//! assert!(guard.check("http://localhost:9000/hook").is_ok());
//! # Ok::<(), hooks_builtin::ssrf::Refused>(())
//! ```

#![cfg_attr(
    not(feature = "webhook-audit"),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        reason = "the policy only looks at the text of a URL"
    )
)]

#[cfg(feature = "webhook-audit")]
mod endpoint;
mod error;
#[cfg(feature = "webhook-audit")]
mod guard;
mod name;
#[cfg(feature = "webhook-audit")]
mod resolve;
mod url;

pub use hooks_sandbox::address::special_purpose;
#[cfg(feature = "webhook-audit")]
pub use reqwest;

#[cfg(feature = "webhook-audit")]
pub use self::endpoint::Endpoint;
pub use self::error::{GuardError, Refused};
#[cfg(feature = "webhook-audit")]
pub use self::guard::Guard;
pub use self::name::LoopbackHost;
pub use self::url::{CheckedUrl, HookUrl};

/// Parses a URL that has only one reading. It may lead anywhere.
#[cfg(feature = "security-policy")]
pub(crate) fn parse(url: &str) -> Result<CheckedUrl, Refused> {
    url::parse(url)
}

/// Refuses a URL whose host cannot be public.
#[cfg(feature = "security-policy")]
pub(crate) fn require_public(url: &CheckedUrl) -> Result<(), Refused> {
    url::require_public(url)
}
