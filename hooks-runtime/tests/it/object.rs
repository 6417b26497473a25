//! Bundles in an object store: one in memory, and one that is a folder.

use std::sync::Arc;
use std::time::Duration;

use hooks_runtime::{Bundle, ObjectBundle, Runtime, SigningKey, Source};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _};

const PATH: &str = "acme/hooks.json";

fn bundle(revision: u64) -> Bundle {
    let text =
        format!("[[hooks.on]]\nname = 'r{revision}'\nevent = 'BeforeToolCall'\nblock = 'no'\n");
    let mut bundle = Bundle::of_toml(&text).unwrap();
    bundle.revision = revision;
    bundle
}

async fn publish(store: &dyn ObjectStore, bundle: &Bundle) {
    let path = Path::from(PATH);
    store.put(&path, bundle.to_json().into()).await.unwrap();
}

/// Asks a source until it has another bundle.
async fn next(source: &ObjectBundle, seen: &Bundle) -> Bundle {
    source.changed().await;
    let fetched = source.fetch(Some(&seen.sha256())).await.unwrap();
    fetched.expect("it has changed")
}

async fn follows(store: Arc<dyn ObjectStore>) {
    let source = ObjectBundle::new(Arc::clone(&store), PATH);
    let error = source.fetch(None).await.unwrap_err().to_string();
    assert!(error.contains("no object `acme/hooks.json`"), "{error}");

    let (one, two) = (bundle(1), bundle(2));
    publish(&*store, &one).await;
    let fetched = source.fetch(None).await.unwrap().unwrap();
    assert_eq!(fetched.sha256(), one.sha256());
    assert!(source.fetch(Some(&one.sha256())).await.unwrap().is_none());
    // With an `ETag` of an object that is gone, and without one.
    store.delete(&Path::from(PATH)).await.unwrap();
    assert!(source.fetch(Some(&one.sha256())).await.is_err());

    publish(&*store, &one).await;
    assert!(source.fetch(Some(&two.sha256())).await.unwrap().is_some());
    let later = async {
        tokio::time::sleep(Duration::from_secs(200)).await;
        publish(&*store, &two).await;
    };
    let (found, ()) = tokio::join!(next(&source, &one), later);
    assert_eq!(found.sha256(), two.sha256());
}

#[tokio::test(start_paused = true)]
async fn a_store_in_memory_is_followed() {
    follows(Arc::new(InMemory::new())).await;
}

#[tokio::test(start_paused = true)]
async fn a_folder_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let store = LocalFileSystem::new_with_prefix(folder.path()).unwrap();
    follows(Arc::new(store)).await;
}

#[tokio::test]
async fn what_is_not_signed_or_no_bundle_or_too_long_is_refused() {
    let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
    let (key, other) = (SigningKey::generate(), SigningKey::generate());
    let build = || {
        let source = ObjectBundle::new(Arc::clone(&store), PATH).verify(key.public());
        Runtime::builder().source(source).build()
    };
    let refused = async || build().await.unwrap_err().to_string();
    publish(&*store, &bundle(1)).await;
    assert!(refused().await.contains("the bundle has no signature"));
    let mut signed = bundle(2);
    signed.sign(&other);
    publish(&*store, &signed).await;
    let error = refused().await;
    assert!(error.contains("InMemory: acme/hooks.json"), "{error}");

    for (bytes, says) in [
        (b"hooks".to_vec(), "refused"),
        (vec![0xff], "the bytes are not UTF-8"),
        (vec![b' '; (16 << 20) + 1], "longer than 16 MiB"),
    ] {
        store.put(&Path::from(PATH), bytes.into()).await.unwrap();
        let error = refused().await;
        assert!(error.contains(says), "{error}");
    }

    signed.sign(&key);
    publish(&*store, &signed).await;
    let runtime = build().await.unwrap();
    assert_eq!(runtime.status().hooks[0].name, "r2");
}
