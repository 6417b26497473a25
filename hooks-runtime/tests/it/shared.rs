//! Hooks of people who may not act as the process: what they may not name, write or start.

use crate::common::{Reply, Server};
use hooks_builtin::ssrf::Guard;
use hooks_core::agent::AgentContext;
use hooks_runtime::{Decided, DryRun, OwnedEvent, Runtime, RuntimeBuilder};
use serde_json::json;

fn shared(text: &str) -> RuntimeBuilder {
    Runtime::builder().shared(true).text(text)
}

/// The places of the mistakes, and what they say.
async fn mistakes(builder: RuntimeBuilder) -> Vec<String> {
    let error = builder.build().await.unwrap_err();
    let mistakes = error.mistakes();
    let shown = mistakes.map(|mistake| format!("{}: {}", mistake.path(), mistake.message()));
    shown.collect()
}

#[tokio::test]
async fn what_only_the_process_may_do_is_a_mistake_at_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let other = folder.path().join("other.toml");
    std::fs::write(&other, "[[hooks.on]]\nevent = 'BeforeStop'\nblock = 'no'").unwrap();
    let (log, other) = (log.display(), other.display());
    let text = format!(
        "[hooks.builtin]\nredact = true\njsonl_log = {{ path = '{log}' }}\n\
         webhook_audit = {{ url = 'http://localhost:1/x', allow_loopback = ['localhost'] }}\n\
         [[hooks.chain]]\ntype = 'webhook_audit'\n\
         config = {{ url = 'http://localhost:1/x', allow_loopback = ['localhost'] }}\n\
         [hooks.builtins.shell_hook]\nenabled = true\nconfig = {{ command = 'true' }}\n\
         [hooks.processes.gate]\ncommand = ['cat']\nintercept = ['before_tool']\n\
         [[hooks.import]]\nhooks = '{other}'\n\
         [[hooks.on]]\nevent = 'BeforeToolCall'\n\
         http = {{ url = 'https://example.com', headers = {{ X-Home = 'at ${{HOME}}' }} }}\n\
         [[hooks.on]]\nevent = 'BeforeToolCall'\nhttp = {{ url = 'https://example.com', secret = '$PATH' }}\n\
         [[hooks.on]]\nevent = 'BeforeToolCall'\n\
         http = {{ url = 'http://localhost:1', allow_loopback = ['localhost'] }}\n"
    );
    for dry in [false, true] {
        let mut builder = shared(&text);
        if dry {
            builder = builder.dry_run(DryRun::new());
        }
        let mut found = mistakes(builder).await;
        found.sort();
        let expected = [
            "hooks.builtin.jsonl_log: `jsonl_log` writes files",
            "hooks.builtin.webhook_audit.allow_loopback: ",
            "hooks.builtins.shell_hook: `shell_hook` runs programs",
            "hooks.chain[0].config.allow_loopback: ",
            "hooks.import[0]: no file",
            "hooks.on[0].http.headers.X-Home: the environment variable `HOME`",
            "hooks.on[1].http.secret: the environment variable `PATH`",
            "hooks.on[2].http.allow_loopback: ",
            "hooks.processes.gate: the process `gate` runs a program",
        ];
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}");
        }
    }
    assert!(!folder.path().join("log.jsonl").exists());
}

#[tokio::test]
async fn an_entry_of_another_system_cannot_name_the_environment_either() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    let settings = json!({ "hooks": { "PreToolUse": [{ "hooks": [{
        "type": "http", "url": "https://example.com", "headers": { "X-Home": "$HOME" }, "allowedEnvVars": ["HOME"],
    }] }] } });
    std::fs::write(&file, settings.to_string()).unwrap();
    let builder = || {
        let builder = Runtime::builder().shared(true);
        builder.file_as(hooks_runtime::Dialect::Claude, &file)
    };
    let found = mistakes(builder().strict(true)).await;
    assert!(
        found[0].contains("`HOME` is not for this hook"),
        "{found:?}"
    );
    let runtime = builder().build().await.unwrap();
    let mut call = OwnedEvent::from_json("BeforeToolCall", json!({ "name": "ls" })).unwrap();
    let outcome = runtime.fire(&AgentContext::new("s1"), &mut call).await;
    assert_eq!(outcome.decision, Decided::Block);
}

#[tokio::test]
async fn the_deployment_names_hosts_of_its_machine_and_knows_the_secrets() {
    struct Known;
    impl hooks_runtime::Secrets for Known {
        fn secret(&self, name: &str) -> Option<String> {
            (name == "key").then(|| "s3cret".to_owned())
        }
    }
    let server = Server::always(Reply::json(&json!({ "decision": "block" }))).await;
    let text = format!(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\n\
         http = {{ url = '{}', headers = {{ X-Key = 'k ${{secret:key}}' }} }}",
        server.url()
    );
    assert!(shared(&text).secrets(Known).build().await.is_err());
    let guard = Guard::new().allow_loopback(["127.0.0.1".parse().unwrap()]);
    let runtime = shared(&text)
        .secrets(Known)
        .guard(guard)
        .build()
        .await
        .unwrap();
    let mut call = OwnedEvent::from_json("BeforeToolCall", json!({ "name": "ls" })).unwrap();
    let outcome = runtime.fire(&AgentContext::new("s1"), &mut call).await;
    assert_eq!(outcome.decision, Decided::Block);
}

#[tokio::test]
async fn a_dry_run_checks_what_it_leaves_out() {
    let builder = Runtime::builder().text("[hooks.builtin]\nrate_limit = {}");
    let found = mistakes(builder.dry_run(DryRun::new())).await;
    assert!(
        found[0].starts_with("hooks.builtin.rate_limit"),
        "{found:?}"
    );
}
