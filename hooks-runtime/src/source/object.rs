//! Bundles in an object store: S3, GCS, Azure, a folder, or whatever the crate `object_store` reaches.

use std::sync::Arc;

use async_trait::async_trait;
use object_store::path::Path;
use object_store::{Error, GetOptions, ObjectStore};

use super::polled::{self, BundlePlace, BundleText, Polled};
use super::{Source, SourceError};
use crate::bundle::{Bundle, BundleError, PublicKey};

/// A bundle that is an object of a store, such as one in S3. It needs the feature `object-store`.
///
/// You choose the store by the crate [`object_store`], with its feature `aws`, `gcp` or `azure`; this crate turns none of
/// them on. The source asks with the `ETag` of the bundle that it has, about twice a minute. After failures the pauses
/// grow, and no two agents ask at the same time.
///
/// ```
/// use std::sync::Arc;
///
/// use hooks_runtime::{Bundle, ObjectBundle, Runtime};
/// use object_store::memory::InMemory;
/// use object_store::{ObjectStoreExt as _, path::Path};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Arc::new(InMemory::new());
/// let bundle = Bundle::of_toml("[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'")?;
/// store.put(&Path::from("acme/hooks.json"), bundle.to_json().into()).await?;
///
/// let source = ObjectBundle::new(store, "acme/hooks.json");
/// let runtime = Runtime::builder().source(source).build().await?;
/// assert_eq!(runtime.status().hooks.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ObjectBundle {
    object: Object,
    polled: Polled,
}

#[derive(Debug)]
struct Object {
    store: Arc<dyn ObjectStore>,
    path: Path,
}

impl ObjectBundle {
    /// The object at this path of a store.
    #[must_use]
    pub fn new(store: Arc<dyn ObjectStore>, path: impl Into<Path>) -> Self {
        let path = path.into();
        ObjectBundle {
            object: Object { store, path },
            polled: Polled::default(),
        }
    }

    /// Takes only bundles that this key has signed. If you name several, one is enough.
    #[must_use]
    pub fn verify(mut self, key: PublicKey) -> Self {
        self.polled.verify(key);
        self
    }
}

#[async_trait]
impl BundlePlace for Object {
    async fn get(&self, tag: Option<&str>, _: u64) -> Result<Option<BundleText>, SourceError> {
        let options = GetOptions::new().with_if_none_match(tag);
        let found = match self.store.get_opts(&self.path, options).await {
            Ok(found) => found,
            Err(Error::NotModified { .. }) => return Ok(None),
            Err(error) => return Err(self.unreachable(&error)),
        };
        // What does not fit into a `usize` is too long.
        polled::check_length(usize::try_from(found.meta.size).unwrap_or(usize::MAX))?;
        let tag = found.meta.e_tag.clone();
        let bytes = found.bytes().await;
        let bytes = bytes.map_err(|error| self.unreachable(&error))?;
        let text = polled::text(bytes.into())?;
        Ok(Some(BundleText { text, tag }))
    }
}

impl Object {
    fn unreachable(&self, error: &Error) -> SourceError {
        let path = &self.path;
        SourceError::Unreachable(match error {
            Error::NotFound { .. } => format!("the bucket has no object `{path}`"),
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
                format!("the bucket refuses `{path}`: check the credentials and their rights")
            }
            error => format!("the bucket cannot be reached: {error}"),
        })
    }
}

#[async_trait]
impl Source for ObjectBundle {
    /// The store and the path.
    fn name(&self) -> String {
        format!("{}: {}", self.object.store, self.object.path)
    }

    async fn fetch(&self, seen: Option<&str>) -> Result<Option<Bundle>, SourceError> {
        self.polled.fetch(&self.object, seen).await
    }

    fn check(&self, kept: &Bundle) -> Result<(), BundleError> {
        self.polled.check(kept)
    }

    async fn changed(&self) {
        self.polled.changed(&self.object, &self.name()).await;
    }
}
