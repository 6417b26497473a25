//! Bundles: the same hooks are the same document, whoever holds them.

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::{Bundle, BundleError, Change, Runtime, SigningKey, Source, SourceError};
use serde_json::{Value, json};

const FILE: &str = r#"
[hooks.builtin]
redact = true

[hooks.limits]
chain = "3s"
breaker = { faults = 5, within = "1m", retry_after = "30s" }

[[hooks.on]]
name = "no-deploy"
event = "BeforeToolCall"
tools = ["deploy"]
priority = 7
block = "not today"

[[hooks.on]]
event = ["BeforeToolCall", "AfterToolCall"]
if = 'size(args) > 3'
context = "ümlaut, \"quotes\" and a \u2028 line"
"#;

async fn decides(text: &str, name: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let runtime = Runtime::load(&path)
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    let mut call = BeforeToolCall::new("1", "deploy", json!({}));
    let result = hooks![..runtime]
        .intercept(&AgentContext::new("s"), &mut call)
        .await;
    result.as_cancel().map(|cancel| cancel.reason.to_string())
}

#[tokio::test]
async fn a_bundle_is_loaded_wherever_a_file_is() {
    let bundle = Bundle::of_toml(FILE).unwrap();
    let expected = Some("not today".to_owned());
    assert_eq!(decides(FILE, "hooks.toml").await, expected);
    assert_eq!(decides(&bundle.to_json(), "bundle.json").await, expected);
    assert_eq!(
        decides(&bundle.to_toml().unwrap(), "hooks.toml").await,
        expected
    );
}

#[test]
fn nothing_is_lost_on_the_way_to_a_bundle_and_back() {
    let bundle = Bundle::of_toml(FILE).unwrap();
    let from: Value = toml::from_str(FILE).unwrap();
    let back: Value = toml::from_str(&bundle.to_toml().unwrap()).unwrap();
    assert_eq!(from, back);
    assert_eq!(Bundle::of_toml(&bundle.to_toml().unwrap()).unwrap(), bundle);
}

#[test]
fn the_same_hooks_are_the_same_bundle_however_they_are_written() {
    let bundle = Bundle::of_toml(FILE).unwrap();
    let mut json: Value = serde_json::from_str(&bundle.to_json()).unwrap();
    // Another order of the keys, and other blanks.
    let fields = json.as_object_mut().unwrap();
    let hooks = fields.remove("hooks").unwrap();
    fields.insert("hooks".to_owned(), hooks);
    let again = Bundle::read(&serde_json::to_string_pretty(&json).unwrap()).unwrap();
    assert_eq!(
        (again.sha256(), again.to_json()),
        (bundle.sha256(), bundle.to_json())
    );
    let mut later = bundle.clone();
    later.revision = 1;
    assert_ne!(later.sha256(), bundle.sha256());
}

#[test]
fn one_changed_bit_breaks_a_signature() {
    let (key, stranger) = (SigningKey::generate(), SigningKey::generate());
    let mut bundle = Bundle::of_toml(FILE).unwrap();
    let unsigned = bundle.sha256();
    assert!(matches!(
        bundle.verify(&[key.public()]),
        Err(BundleError::Unsigned(_))
    ));
    bundle.sign(&key);
    bundle.sign(&key);
    assert_eq!((bundle.signatures.len(), bundle.sha256()), (1, unsigned));
    assert!(bundle.verify(&[stranger.public(), key.public()]).is_ok());
    assert!(bundle.verify(&[stranger.public()]).is_err());
    assert!(bundle.verify(&[]).is_err());

    let text = bundle.to_json();
    for (from, to) in [
        ("not today", "not todax"),
        ("\"chain\":\"3s\"", "\"chain\":\"4s\""),
    ] {
        let changed = Bundle::read(&text.replace(from, to)).unwrap();
        assert!(changed.verify(&[key.public()]).is_err(), "{to}");
    }
    let again = SigningKey::from_pem(&key.to_pem()).unwrap();
    assert_eq!(again.public(), key.public());
    assert!(!format!("{key:?}").contains(key.to_pem().lines().nth(1).unwrap()));
}

#[test]
fn what_is_no_bundle_is_refused() {
    for (text, why) in [
        ("{", "EOF"),
        ("[]", "the text is not a bundle"),
        (
            r#"{"format": "hooks-bundle/9"}"#,
            "this version reads `hooks-bundle/1`",
        ),
        (
            r#"{"format": "hooks-bundle/1", "hooks": [], "hooks": []}"#,
            "` twice",
        ),
        (
            r#"{"format": "hooks-bundle/1", "on": []}"#,
            "the hooks of a bundle are in `hooks`",
        ),
        (
            r#"{"format": "hooks-bundle/1", "hooks": {}}"#,
            "the text is not a bundle",
        ),
    ] {
        let error = Bundle::read(text).unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
    for table in ["on", "hooks", "revision", "signatures"] {
        let tables = serde_json::Map::from_iter([(table.to_owned(), json!(1))]);
        let error = Bundle::new(Vec::new(), tables).unwrap_err().to_string();
        assert!(error.contains("is not a table beside the hooks"), "{error}");
    }
    let foreign = json!({ "name": "gate", "goclaw": { "event": "pre_tool_use", "id": u64::MAX } });
    let error = Bundle::new(vec![foreign], serde_json::Map::new()).unwrap_err();
    assert!(error.to_string().contains("9007199254740991"), "{error}");
}

#[tokio::test]
async fn a_bundle_with_a_mistake_does_not_load() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bundle.json");
    for (text, why) in [
        (
            r#"{"format": "hooks-bundle/1", "hooks": [{"event": "BeforeToolCall", "blok": "x"}]}"#,
            "blok",
        ),
        (r#"{"format": "hooks-bundle/1", "revison": 3}"#, "revison"),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = Runtime::load(&path).await.unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_diff_names_each_hook_and_what_differs() {
    let old = Bundle::of_toml(FILE).unwrap();
    let new = FILE
        .replace("not today", "never")
        .replace(
            "name = \"no-deploy\"\n",
            "name = \"no-deploy\"\nmode = \"shadow\"\n",
        )
        .replace("[hooks.builtin]\nredact = true\n", "")
        + "[[hooks.on]]\nname = 'new'\nevent = 'MessageReceived'\nblock = 'x'\n";
    let diff = old.diff(&Bundle::of_toml(&new).unwrap());
    let shown: Vec<_> = diff
        .changes
        .iter()
        .map(|change| match change {
            Change::Changed { hook, keys, .. } => format!("{hook}: {}", keys.join(" ")),
            Change::Added { hook, .. } => format!("+{hook}"),
            Change::Removed { hook, .. } => format!("-{hook}"),
        })
        .collect();
    assert_eq!(shown, ["-[builtin]", "+new", "no-deploy: block mode"]);
    assert!(old.diff(&old).is_empty());
}

#[test]
fn a_diff_shows_no_secret_of_another_system() {
    let bundle = |value: &str| {
        let row = |headers: &str| json!({ "event": "pre_tool_use", "config": { headers: { "X-Key": value } } });
        let post = json!({ "type": "http", "headers": { "X-Key": value } });
        let hooks = [
            json!({ "name": "row", "goclaw": row("headers") }),
            json!({ "name": "upper", "goclaw": [row("Headers")] }),
            json!({ "name": "hooks", "goclaw": { "hooks": [row("headers")] } }),
            json!({ "name": "text", "goclaw": { "config": json!({ "headers": { "X-Key": value } }).to_string() } }),
            json!({ "name": "claude", "claude": { "hooks": { "PreToolUse": [{ "hooks": [post] }] } } }),
        ];
        Bundle::new(hooks.to_vec(), serde_json::Map::new()).unwrap()
    };
    let diff = bundle("c4nary-one").diff(&bundle("c4nary-two"));
    assert_eq!(diff.changes.len(), 5);
    let shown = format!("{diff:?} {}", json!(diff));
    assert!(!shown.contains("c4nary"), "{shown}");
    let named = bundle("secret:gate").diff(&bundle("secret:other"));
    assert!(json!(named).to_string().contains("secret:gate"));
}

#[test]
fn numbers_that_the_canonical_text_cannot_tell_apart_are_refused() {
    for number in ["9007199254740993", "-9007199254740993"] {
        let text = format!(r#"{{"format": "hooks-bundle/1", "hooks": [{{"a": [{number}]}}]}}"#);
        let error = Bundle::read(&text).unwrap_err().to_string();
        assert!(error.contains(number), "{error}");
    }
    assert!(Bundle::read(r#"{"format": "hooks-bundle/1", "revision": 9007199254740991}"#).is_ok());
}

#[test]
fn another_order_of_hooks_is_a_change() {
    let hook = |name: &str| {
        format!("[[hooks.on]]\nname = '{name}'\nevent = 'BeforeToolCall'\nblock = 'x'\n")
    };
    let bundle = |names: [&str; 3]| Bundle::of_toml(&names.map(hook).concat()).unwrap();
    let diff = bundle(["a", "b", "c"]).diff(&bundle(["b", "a", "c"]));
    let names: Vec<_> = diff.changes.iter().map(Change::hook).collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn what_toml_cannot_say_is_an_error() {
    let text = r#"{"format": "hooks-bundle/1", "hooks": [{"modify": {"a": null}}]}"#;
    assert!(Bundle::read(text).unwrap().to_toml().is_err());
}

#[tokio::test]
async fn a_hook_of_another_system_is_kept_whole_and_runs_by_its_rules() {
    struct Fixed(Bundle);

    #[async_trait::async_trait]
    impl Source for Fixed {
        fn name(&self) -> String {
            "fixed".into()
        }

        async fn fetch(&self, _: Option<&str>) -> Result<Option<Bundle>, SourceError> {
            Ok(Some(self.0.clone()))
        }
    }

    let hooks = json!([
        { "name": "own", "event": "BeforeToolCall", "tools": ["ship"], "block": "no ships" },
        { "name": "row", "goclaw": {
            "name": "row", "event": "pre_tool_use", "handler_type": "command", "scope": "global", "matcher": "^exec$",
            "config": { "command": "echo no exec >&2; exit 2" },
        } },
        { "name": "settings", "claude": { "hooks": { "PreToolUse": [
            { "matcher": "deploy", "hooks": [{ "type": "command", "command": "echo no deploy >&2; exit 2" }] },
        ] } } },
    ]);
    let hooks = hooks.as_array().unwrap().clone();
    let bundle = Bundle::new(hooks, serde_json::Map::new()).unwrap();
    let again = Bundle::read(&bundle.to_json()).unwrap();
    assert_eq!(again.hooks, bundle.hooks);
    assert!(bundle.to_toml().unwrap_err().to_string().contains("`row`"));
    // From a source, and as a file.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bundle.json");
    std::fs::write(&file, bundle.to_json()).unwrap();
    for builder in [
        Runtime::builder().source(Fixed(bundle)),
        Runtime::builder().file(file),
    ] {
        let runtime = builder.build().await.unwrap();
        let hooks = hooks![..runtime.clone()];
        for (tool, reason) in [
            ("ship", "no ships"),
            ("exec", "no exec"),
            ("deploy", "no deploy"),
            ("ls", ""),
        ] {
            let mut call = BeforeToolCall::new("1", tool, json!({}));
            let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
            let said = result
                .as_cancel()
                .map_or("", |cancelled| cancelled.reason.trim());
            assert!(
                said.contains(reason) && said.is_empty() == reason.is_empty(),
                "{tool}: {said}"
            );
        }
    }
}
