//! What a file may say about the hooks that the runtime runs, and its schema.

use std::fs;
use std::path::Path;

use hooks_config::{ConfigError, Document};
use hooks_runtime::entry::{FileConfig, json_schema_of_file};
use serde_json::Value;

fn read(document: Result<Document, ConfigError>) -> Result<FileConfig, ConfigError> {
    FileConfig::of(&document?)
}

#[test]
fn picoclaws_processes_load() {
    let text = r#"{ "hooks": { "enabled": true, "processes": { "py_review_gate": {
        "enabled": true,
        "priority": 100,
        "transport": "stdio",
        "command": ["python3", "/tmp/review_gate.py"],
        "dir": "/tmp",
        "observe": ["agent.tool.exec_start", "agent.tool.exec_end", "agent.tool.exec_skipped"],
        "intercept": ["before_tool", "approve_tool"],
        "env": { "PICOCLAW_HOOK_LOG_FILE": "/tmp/picoclaw-hook-review-gate.log" }
    } } } }"#;
    let config = read(Document::json(text)).unwrap();
    let process = &config.entries.processes["py_review_gate"];
    assert_eq!(
        (process.priority, process.command[1].as_str()),
        (100, "/tmp/review_gate.py")
    );
}

#[test]
fn mistakes_of_both_parts_of_a_file_are_told_in_its_order() {
    let text = "[[hooks.on]]\nevnt = 'BeforeToolCall'\n[hooks.builtin]\nredct = true\n[hooks.limits]\nstops = 1979-05-27";
    let error = read(Document::toml(text)).unwrap_err();
    let found: Vec<_> = error
        .mistakes()
        .map(|mistake| (mistake.line().unwrap(), mistake.path()))
        .collect();
    assert_eq!(
        found,
        [
            (2, "hooks.on[0].evnt"),
            (4, "hooks.builtin.redct"),
            (6, "hooks.limits.stops"),
        ]
    );
}

#[test]
fn every_mistake_in_an_entry_has_a_message_that_shows_and_teaches() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config_errors");
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension != "stderr")
        })
        .collect();
    paths.sort();
    assert_eq!(paths.len(), 4);
    for path in paths {
        let error = read(Document::load(&path)).unwrap_err();
        let shown = error
            .to_string()
            .replace(&format!("{}/", folder.display()), "");
        expect_test::expect_file![path.with_extension("stderr")].assert_eq(&format!("{shown}\n"));
    }
}

#[test]
fn the_schema_in_the_docs_is_up_to_date() {
    const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/hooks.schema.json");
    let schema = serde_json::to_value(json_schema_of_file()).unwrap();
    // In whatever order: with `preserve_order` of serde_json, which another crate may turn on, it is another one.
    let in_docs: Value = serde_json::from_str(&fs::read_to_string(PATH).unwrap()).unwrap();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let mut schema = schema;
        schema.sort_all_objects();
        let text = serde_json::to_string_pretty(&schema).unwrap();
        fs::write(PATH, format!("{text}\n")).unwrap();
    } else if let Some(first) = json_patch::diff(&in_docs, &schema).first() {
        let at = first.path();
        panic!("docs/hooks.schema.json differs at `{at}`: run this test with `UPDATE_EXPECT=1`");
    }
}

#[test]
fn the_schema_takes_what_is_read_and_refuses_what_is_not() {
    let schema = serde_json::to_value(json_schema_of_file()).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let value = |path: &Path| -> Value {
        let text = fs::read_to_string(path).unwrap();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            return serde_json::from_str(&text).unwrap_or_default();
        }
        toml::from_str(&text).unwrap_or_default()
    };
    for path in [
        "../hooks-builtin/tests/config_full.toml",
        "../examples/hooks.toml",
    ] {
        let path = root.join(path);
        let errors: Vec<_> = schema
            .iter_errors(&value(&path))
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
        read(Document::load(path)).unwrap();
    }
    for text in [
        "path_prefix = { prefix = '/tmp' }",
        "path_prefix = { prefix = '/tmp', enabled = false }",
        "jsonl_log = { log_file = '/tmp/log.jsonl' }",
        "jsonl_log = { path = '/tmp/log.jsonl', deltas = true }",
    ] {
        let text = format!("[hooks.builtin]\n{text}");
        read(Document::toml(&text)).unwrap();
        assert!(schema.is_valid(&toml::from_str(&text).unwrap()), "{text}");
    }
    for text in [
        "path_prefix = { prefix = '/tmp', root = '/tmp' }",
        "path_prefix = {}",
        "jsonl_log = { log_file = '/tmp/log.jsonl', path = '/tmp/log.jsonl' }",
        "jsonl_log = { deltas = true }",
    ] {
        let text = format!("[hooks.builtin]\n{text}");
        read(Document::toml(&text)).unwrap_err();
        assert!(!schema.is_valid(&toml::from_str(&text).unwrap()), "{text}");
    }
    for name in [
        "hook_typo",
        "key_typo",
        "top_level_extra",
        "duration_number",
        "autonomy_typo",
    ] {
        let path = root
            .join("../hooks-builtin/tests/config_errors")
            .join(name)
            .with_extension("toml");
        let value = value(&path);
        assert!(value.is_object() && !schema.is_valid(&value), "{name}");
    }
}

#[test]
fn no_secret_of_a_hook_is_shown_by_debug() {
    let config = read(Document::toml(
        r#"
        [[hooks.on]]
        event = "BeforeToolCall"
        command = { run = "check", env = { TOKEN = "hidden" } }

        [[hooks.on]]
        event = "BeforeToolCall"
        [hooks.on.http]
        url = "https://me:hidden@example.com/hidden?key=hidden"
        headers = { Authorization = "Bearer hidden" }
        secret = "hidden"

        [[hooks.on]]
        event = "BeforeToolCall"
        process = { argv = ["gate"], env = { TOKEN = "hidden" } }

        [hooks.processes.gate]
        command = ["gate"]
        env = { TOKEN = "hidden" }
        intercept = ["before_tool"]
        "#,
    ))
    .unwrap();
    let shown = format!("{config:?}");
    assert!(!shown.contains("hidden"), "{shown}");
    assert!(shown.contains("https://example.com/…") && shown.contains("{\"TOKEN\"}"));
}
