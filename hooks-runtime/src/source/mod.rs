//! Where bundles come from: a server, a store, or whatever you write.
//!
//! A dispatch never waits for a source. The last bundle that was put into force is kept in a file, so that an agent
//! starts and keeps deciding while its server is away.

mod directory;
mod held;
mod http;
#[cfg(feature = "object-store")]
mod object;
mod polled;

use std::path::PathBuf;

use async_trait::async_trait;

pub use self::directory::Directory;
pub(crate) use self::held::SourceState;
pub use self::http::HttpBundle;
#[cfg(feature = "object-store")]
pub use self::object::ObjectBundle;
use crate::bundle::{Bundle, BundleError};

/// Hands out bundles, one revision after another.
///
/// ```
/// use hooks_runtime::{Bundle, Runtime, Source, SourceError};
///
/// /// One bundle, compiled into the program.
/// struct Fixed;
///
/// #[async_trait::async_trait]
/// impl Source for Fixed {
///     fn name(&self) -> String {
///         "compiled in".into()
///     }
///
///     async fn fetch(&self, seen: Option<&str>) -> Result<Option<Bundle>, SourceError> {
///         let bundle = Bundle::of_toml("[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'")?;
///         Ok((seen != Some(&*bundle.sha256())).then_some(bundle))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().source(Fixed).build().await?;
/// assert_eq!(runtime.status().hooks.len(), 1);
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Source: Send + Sync {
    /// Returns what people call it, such as its address. It holds no secret.
    fn name(&self) -> String;

    /// Returns the bundle that is in force there, or `None` if it is the one with the hash `seen`.
    ///
    /// # Errors
    ///
    /// If there is none, or it cannot be had or trusted.
    async fn fetch(&self, seen: Option<&str>) -> Result<Option<Bundle>, SourceError>;

    /// Checks a bundle that was kept on disk, as one that is fetched. The default is to trust it.
    ///
    /// # Errors
    ///
    /// If the bundle is not to be trusted.
    fn check(&self, _kept: &Bundle) -> Result<(), BundleError> {
        Ok(())
    }

    /// Whether a bundle with a lower number than the last is taken. The default is no: an attacker may play an old one
    /// again.
    fn goes_back(&self) -> bool {
        false
    }

    /// Returns the files and folders whose changes mean another bundle. [`watch`](crate::Runtime::watch) follows them. The
    /// default is none.
    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Waits until there may be another bundle. The default is for ever.
    async fn changed(&self) {
        std::future::pending::<()>().await;
    }
}

/// A bundle that stays as it is.
///
/// ```
/// use hooks_runtime::{Bundle, Runtime};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bundle = Bundle::of_toml("[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'")?;
/// let runtime = Runtime::builder().source(bundle).build().await?;
/// assert_eq!(runtime.status().hooks.len(), 1);
/// # Ok(())
/// # }
/// ```
#[async_trait]
impl Source for Bundle {
    fn name(&self) -> String {
        "the bundle".to_owned()
    }

    async fn fetch(&self, seen: Option<&str>) -> Result<Option<Bundle>, SourceError> {
        let is_new = seen.is_none_or(|seen| self.sha256() != seen);
        Ok(is_new.then(|| self.clone()))
    }
}

/// Why a source has no bundle.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The source cannot be reached, or says no.
    #[error("{0}")]
    Unreachable(String),
    /// The bundle is refused.
    #[error("the bundle is refused: {0}")]
    Refused(#[from] BundleError),
    /// The bundle is an older one than was in force already.
    #[error(
        "the bundle is refused: it is revision {offered}, and revision {seen} was in force already; a bundle that is \
         meant to take its place has a higher number"
    )]
    Older {
        /// The revision that was in force.
        seen: u64,
        /// The revision of the bundle.
        offered: u64,
    },
}
