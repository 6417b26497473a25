//! Sources of bundles: what an agent runs while its server publishes, lies, or is away.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::{BreakerState, Bundle, Directory, HttpBundle, Runtime, SigningKey};
use serde_json::json;

use crate::common::{Reply, Request, Server};

fn bundle(revision: u64, reason: &str) -> Bundle {
    let text = format!("[[hooks.on]]\nname = 'no'\nevent = 'BeforeToolCall'\nblock = '{reason}'");
    let mut bundle = Bundle::of_toml(&text).unwrap();
    bundle.revision = revision;
    bundle
}

/// A server that publishes a bundle, and waits with its answer as `?wait=` says.
#[derive(Clone, Default)]
struct Published {
    bundle: Arc<Mutex<Option<Bundle>>>,
    answers: Arc<AtomicU64>,
}

impl Published {
    fn publish(&self, bundle: Bundle) {
        *self.bundle.lock().unwrap() = Some(bundle);
    }

    fn answer(&self, request: &Request) -> Reply {
        self.answers.fetch_add(1, Ordering::Relaxed);
        let tag = request.header("if-none-match").map(str::to_owned);
        let waits = request.head.starts_with("GET /hook?wait=");
        for _ in 0..1000 {
            let bundle = self.bundle.lock().unwrap().clone();
            let Some(bundle) = bundle else {
                return Reply::Status(503, String::new());
            };
            let hash = format!("\"{}\"", bundle.sha256());
            if tag.as_deref() != Some(&*hash) {
                let body = bundle.to_json();
                let head = format!(
                    "HTTP/1.1 200 OK\r\netag: {hash}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                return Reply::Bytes((head + &body).into_bytes());
            }
            if !waits {
                break;
            }
            tokio::task::block_in_place(|| std::thread::sleep(Duration::from_millis(5)));
        }
        Reply::Status(304, String::new())
    }

    async fn serve(&self) -> Server {
        let published = self.clone();
        Server::start(move |_, request| published.answer(request)).await
    }
}

async fn reason(runtime: &Runtime) -> Option<String> {
    let mut call = BeforeToolCall::new("1", "shell", json!({}));
    let cx = AgentContext::new("s");
    let result = hooks![..runtime.clone()].intercept(&cx, &mut call).await;
    result.as_cancel().map(|cancel| cancel.reason.to_string())
}

async fn until(runtime: &Runtime, expected: &str) {
    for _ in 0..60_000 {
        if reason(runtime).await.as_deref() == Some(expected) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!(
        "`{expected}` is never in force: {:?}",
        runtime.status().refused
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_published_is_in_force_soon() {
    let published = Published::default();
    published.publish(bundle(1, "one"));
    let server = published.serve().await;
    let runtime = Runtime::builder()
        .source(HttpBundle::new(server.url()))
        .build()
        .await
        .unwrap();
    assert_eq!(reason(&runtime).await.as_deref(), Some("one"));
    runtime.watch().unwrap();
    published.publish(bundle(2, "two"));
    until(&runtime, "two").await;

    // A mistake, and an older bundle, change nothing.
    let mut wrong = bundle(3, "three");
    wrong.hooks[0]["blok"] = "x".into();
    published.publish(wrong);
    for _ in 0..60_000 {
        if runtime.status().refused.is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(
        runtime
            .status()
            .refused
            .unwrap()
            .error
            .to_string()
            .contains("blok")
    );
    assert_eq!(reason(&runtime).await.as_deref(), Some("two"));
    published.publish(bundle(4, "four"));
    until(&runtime, "four").await;
}

#[tokio::test]
async fn an_older_bundle_is_refused() {
    let published = Published::default();
    published.publish(bundle(5, "five"));
    let server = published.serve().await;
    let source = HttpBundle::new(server.url());
    let runtime = Runtime::builder().source(source).build().await.unwrap();
    published.publish(bundle(4, "four"));
    let error = runtime.reload().await.unwrap_err().to_string();
    assert!(
        error.contains("it is revision 4, and revision 5 was in force"),
        "{error}"
    );
    assert_eq!(reason(&runtime).await.as_deref(), Some("five"));
}

#[tokio::test]
async fn an_agent_starts_while_its_server_is_away_but_never_with_what_is_not_signed() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("kept/bundle.json");
    let key = SigningKey::generate();
    let published = Published::default();
    let server = published.serve().await;
    let build = || {
        let source = HttpBundle::new(server.url())
            .token("t0ken")
            .verify(key.public());
        Runtime::builder().source(source).cache(&cache).build()
    };
    let error = build().await.unwrap_err().to_string();
    assert!(error.contains("503"), "{error}");

    published.publish(bundle(1, "unsigned"));
    let error = build().await.unwrap_err().to_string();
    assert!(error.contains("the bundle has no signature"), "{error}");
    assert!(!cache.exists());

    let mut signed = bundle(2, "signed");
    signed.sign(&key);
    published.publish(signed);
    assert_eq!(
        reason(&build().await.unwrap()).await.as_deref(),
        Some("signed")
    );
    let request = server.requests().pop().unwrap();
    assert_eq!(request.header("authorization"), Some("Bearer t0ken"));

    *published.bundle.lock().unwrap() = None;
    let away = build().await.unwrap();
    assert_eq!(reason(&away).await.as_deref(), Some("signed"));
    let notices = away.status().notices.join("\n");
    assert!(
        notices.contains("the last good bundle is in force"),
        "{notices}"
    );

    // What was kept is as little trusted as what is fetched.
    let text = std::fs::read_to_string(&cache).unwrap();
    std::fs::write(&cache, text.replace("signed", "forged")).unwrap();
    assert!(build().await.is_err());
}

#[tokio::test]
async fn the_status_shows_the_bundle_of_a_source_and_why_another_was_refused() {
    let published = Published::default();
    published.publish(bundle(2, "two"));
    let server = published.serve().await;
    let runtime = Runtime::builder().source(HttpBundle::new(server.url()));
    let runtime = runtime.build().await.unwrap();
    let shown = || runtime.status().sources.remove(0).bundle.unwrap();
    assert_eq!(
        (shown().revision, shown().sha256),
        (2, bundle(2, "two").sha256())
    );
    assert_eq!((shown().source, shown().refused), (server.url(), None));
    published.publish(bundle(1, "one"));
    assert!(runtime.reload().await.is_err());
    assert_eq!(shown().revision, 2);
    let refused = shown().refused.unwrap();
    assert!(refused.contains("it is revision 1"), "{refused}");
    published.publish(bundle(3, "three"));
    runtime.reload().await.unwrap();
    assert_eq!((shown().revision, shown().refused), (3, None));
}

#[tokio::test]
async fn a_breaker_that_is_reset_lets_a_hook_be_asked_at_once() {
    let text = "[[hooks.on]]\nname = 'gate'\nevent = 'BeforeToolCall'\ncommand = 'exit 1'\n\
                [hooks.limits]\nbreaker = { faults = 1 }\n";
    let runtime = Runtime::builder().text(text).build().await.unwrap();
    let breaker = || runtime.status().hooks[0].breaker;
    assert!(reason(&runtime).await.is_some());
    assert_eq!(breaker(), BreakerState::Open);
    assert!(reason(&runtime).await.unwrap().contains("circuit breaker"));
    assert!(runtime.reset_breaker("gate") && !runtime.reset_breaker("other"));
    assert_eq!(breaker(), BreakerState::Closed);
    assert!(!reason(&runtime).await.unwrap().contains("circuit breaker"));
}

/// A file with one hook of this name.
fn file(folder: &Path, file: &str, name: &str) {
    let text =
        format!("[[hooks.on]]\nname = '{name}'\nevent = 'BeforeToolCall'\nblock = '{name}'\n");
    std::fs::write(folder.join(file), text).unwrap();
}

#[tokio::test]
async fn a_directory_is_one_set_of_hooks_that_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    file(path, "20.toml", "second");
    file(path, "10.toml", "first");
    file(path, ".hidden.toml", "hidden");
    std::fs::write(path.join("30.json"), bundle(7, "third").to_json()).unwrap();
    std::fs::write(path.join("README.md"), "# hooks").unwrap();
    let runtime = Runtime::builder()
        .source(Directory::new(path))
        .build()
        .await
        .unwrap();
    let names = || -> Vec<_> {
        let hooks = runtime.status().hooks.into_iter();
        hooks.map(|hook| hook.name).collect()
    };
    assert_eq!(names(), ["first", "second", "no"]);
    runtime.watch().unwrap();
    file(path, "15.toml", "new");
    for _ in 0..60_000 {
        if names().len() == 4 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(names(), ["first", "new", "second", "no"]);
}

#[tokio::test]
async fn a_directory_with_a_mistake_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    file(path, "10.toml", "first");
    std::fs::write(path.join("20.toml"), "[hooks.builtin]\nredact = true\n").unwrap();
    let runtime = Runtime::builder()
        .source(Directory::new(path))
        .build()
        .await
        .unwrap();
    for (text, says) in [
        (
            "[[hooks.on]]\nevent = 'BeforeToolCal'\nblock = 'no'\n",
            "`BeforeToolCal` is not an event",
        ),
        (
            "[[hooks.on]]\nevent = 'BeforeToolCall'\nblok = 'no'\n",
            "30.toml:3",
        ),
        (
            "[hooks.builtin]\nredact = true\n",
            "`builtin` is in another file",
        ),
        ("[[hooks.import]]\nhooks = '10.toml'\n", "imports no other"),
    ] {
        std::fs::write(path.join("30.toml"), text).unwrap();
        let error = runtime.reload().await.unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert_eq!(reason(&runtime).await.as_deref(), Some("first"));
    }
    assert!(
        Runtime::builder()
            .source(Directory::new(path.join("none")))
            .build()
            .await
            .is_err()
    );
}
