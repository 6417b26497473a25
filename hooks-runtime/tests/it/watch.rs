//! Files that are followed while agents run: what loads them again, and what does not.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hooks_runtime::Runtime;
use tracing::{Event, Level, Metadata, Subscriber, span};

/// Waits until the runtime has done what is expected of it.
async fn eventually(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..15_000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{what}");
}

#[tokio::test]
async fn a_file_that_is_watched_is_loaded_again_when_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.toml");
    std::fs::write(
        &path,
        "[[hooks.on]]\nname = 'a'\nevent = 'BeforeToolCall'\nblock = 'a'",
    )
    .unwrap();
    let runtime = Runtime::load(&path).await.unwrap();
    runtime.watch().unwrap();
    runtime.watch().unwrap();

    // As an editor does: another file, which is renamed.
    let new = folder.path().join("hooks.toml.new");
    std::fs::write(
        &new,
        "[[hooks.on]]\nname = 'b'\nevent = 'BeforeToolCall'\nblock = 'b'",
    )
    .unwrap();
    std::fs::rename(&new, &path).unwrap();
    eventually("the new file is in force", || {
        runtime.status().hooks[0].name == "b"
    })
    .await;

    // Half of a file.
    std::fs::write(&path, "[[hooks.on]]\nname = 'c'\nevent = 'BeforeTo").unwrap();
    eventually("the half file is refused", || {
        runtime.status().refused.is_some()
    })
    .await;
    assert_eq!(runtime.status().hooks[0].name, "b");

    std::fs::write(
        &path,
        "[[hooks.on]]\nname = 'c'\nevent = 'BeforeToolCall'\nblock = 'c'",
    )
    .unwrap();
    eventually("the whole file is in force", || {
        runtime.status().hooks[0].name == "c"
    })
    .await;
    assert!(runtime.status().refused.is_none());
}

#[tokio::test]
async fn a_wrong_file_is_followed_also_if_it_is_new() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.toml");
    let rule = |name: &str| {
        format!("[[hooks.on]]\nname = '{name}'\nevent = 'BeforeToolCall'\nblock = 'no'\n")
    };
    std::fs::write(&path, rule("a")).unwrap();
    let runtime = Runtime::load(&path).await.unwrap();
    runtime.watch().unwrap();

    let other = folder.path().join("other/more.toml");
    std::fs::create_dir(other.parent().unwrap()).unwrap();
    std::fs::write(&other, "[[hooks.on]]\nevent =").unwrap();
    let import = "[[hooks.import]]\nhooks = 'other/more.toml'\n";
    std::fs::write(&path, rule("a") + import).unwrap();
    eventually("the import is refused", || {
        runtime.status().refused.is_some()
    })
    .await;
    std::fs::write(&other, rule("b")).unwrap();
    eventually("the import is in force", || {
        runtime.status().hooks.len() == 2
    })
    .await;

    // The folder goes, and comes again.
    std::fs::remove_dir_all(other.parent().unwrap()).unwrap();
    eventually("the import is missed", || {
        runtime.status().refused.is_some()
    })
    .await;
    std::fs::create_dir(other.parent().unwrap()).unwrap();
    std::fs::write(&other, rule("c")).unwrap();
    eventually("the new folder is followed", || {
        let status = runtime.status();
        status.refused.is_none() && status.hooks.iter().any(|hook| hook.name == "c")
    })
    .await;
    std::fs::write(&other, rule("d")).unwrap();
    eventually("the new folder is still followed", || {
        runtime.status().hooks.iter().any(|hook| hook.name == "d")
    })
    .await;
}

fn rule(name: &str) -> String {
    format!("[[hooks.on]]\nname = '{name}'\nevent = 'BeforeToolCall'\nblock = 'no'\n")
}

fn names(runtime: &Runtime) -> Vec<String> {
    let hooks = runtime.status().hooks.into_iter();
    hooks.map(|hook| hook.name).collect()
}

async fn watched(path: &Path) -> Runtime {
    let runtime = Runtime::load(path).await.unwrap();
    runtime.watch().unwrap();
    runtime
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_file_that_is_still_written_is_not_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.toml");
    std::fs::write(&path, rule("a") + &rule("guard")).unwrap();
    let runtime = watched(&path).await;

    let mut file = File::create(&path).unwrap();
    file.write_all(rule("b").as_bytes()).unwrap();
    for _ in 0..45 {
        tokio::time::sleep(Duration::from_millis(20)).await;
        // However long a busy machine makes of that, the file still changes.
        file.write_all(b"#\n").unwrap();
        assert_eq!(names(&runtime), ["a", "guard"], "half of the file");
    }
    file.write_all(rule("guard").as_bytes()).unwrap();
    drop(file);
    eventually("the whole file is in force", || {
        names(&runtime) == ["b", "guard"]
    })
    .await;
    assert_eq!(runtime.revision().number, 2, "it was loaded once");
}

#[tokio::test]
async fn a_file_that_nobody_closes_is_loaded_when_nothing_more_comes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.toml");
    std::fs::write(&path, rule("a")).unwrap();
    let runtime = watched(&path).await;

    let mut file = File::create(&path).unwrap();
    file.write_all(rule("b").as_bytes()).unwrap();
    eventually("it is in force", || names(&runtime) == ["b"]).await;
    drop(file);
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_behind_links_is_followed_through_each_of_them() {
    use std::os::unix::fs::symlink;

    // As Kubernetes mounts a ConfigMap.
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    let version = |number: u32, name: &str| {
        std::fs::create_dir_all(at(&format!("etc/..v{number}"))).unwrap();
        std::fs::write(at(&format!("etc/..v{number}/hooks.toml")), rule(name)).unwrap();
    };
    version(1, "one");
    symlink("..v1", at("etc/..data")).unwrap();
    symlink("..data/hooks.toml", at("etc/hooks.toml")).unwrap();
    symlink("etc", at("current")).unwrap();
    let runtime = watched(&at("current/hooks.toml")).await;
    assert_eq!(names(&runtime), ["one"]);

    for number in 2..4 {
        let name = format!("version {number}");
        version(number, &name);
        symlink(format!("..v{number}"), at("etc/..data_tmp")).unwrap();
        std::fs::rename(at("etc/..data_tmp"), at("etc/..data")).unwrap();
        std::fs::remove_dir_all(at(&format!("etc/..v{}", number - 1))).unwrap();
        eventually("the new version is in force", || {
            names(&runtime) == [&*name]
        })
        .await;
    }

    std::fs::write(at("etc/..v3/hooks.toml"), rule("behind the links")).unwrap();
    eventually("a change of the file itself is seen", || {
        names(&runtime) == ["behind the links"]
    })
    .await;

    std::fs::create_dir(at("other")).unwrap();
    std::fs::write(at("other/hooks.toml"), rule("another folder")).unwrap();
    symlink("other", at("next")).unwrap();
    std::fs::rename(at("next"), at("current")).unwrap();
    eventually("a link of a folder is seen", || {
        names(&runtime) == ["another folder"]
    })
    .await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_change_that_the_system_does_not_tell_of_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.toml");
    std::fs::write(&path, rule("a")).unwrap();
    let runtime = watched(&path).await;

    // A folder hears nothing of what is written by a name in another folder, as a client hears nothing of a server.
    std::fs::create_dir(folder.path().join("other")).unwrap();
    let other = folder.path().join("other/name");
    std::fs::hard_link(&path, &other).unwrap();
    std::fs::write(&other, rule("b")).unwrap();
    eventually("it is in force", || names(&runtime) == ["b"]).await;
}

/// A log that fails once, at the first warning.
struct FailsOnce(Arc<AtomicBool>);

impl Subscriber for FailsOnce {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("hooks_runtime") && *metadata.level() == Level::WARN
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, _: &Event<'_>) {
        assert!(self.0.swap(true, Ordering::Relaxed), "the log is broken");
    }

    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

#[tokio::test]
async fn files_are_still_followed_after_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.toml");
    std::fs::write(&path, rule("a")).unwrap();
    let runtime = watched(&path).await;

    let has_failed = Arc::<AtomicBool>::default();
    // If there is only one log, `tracing` asks the threads of the other tests whether anybody listens.
    let _other = tracing::Dispatch::new(FailsOnce(Arc::default()));
    let _log = tracing::subscriber::set_default(FailsOnce(Arc::clone(&has_failed)));
    std::fs::write(&path, "[[hooks.on]]\nevent =").unwrap();
    eventually("loading panicked", || has_failed.load(Ordering::Relaxed)).await;
    std::fs::write(&path, rule("b")).unwrap();
    eventually("the next file is in force", || names(&runtime) == ["b"]).await;
}

/// Linux has 128 watchers of files for a user, and a daemon has a runtime for each tenant.
#[tokio::test]
async fn a_runtime_without_files_takes_no_watcher_of_the_system() {
    let mut runtimes = Vec::new();
    for _ in 0..300 {
        let runtime = Runtime::builder().text("hooks = {}").build().await.unwrap();
        runtime.watch().unwrap();
        runtimes.push(runtime);
    }
}
