//! Import: other systems' hooks become hooks of the draft, and run by their systems' rules.

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::{Runtime, Secrets as _};
use hooks_store::ImportFormat;
use serde_json::{Value, json};

use crate::common::{Place, ada, block, mistakes, names};

pub(crate) async fn toml_becomes_hooks_of_the_draft(place: Place) {
    let acme = place.open().await.tenant("acme");
    acme.create(&block("a", "deploy"), &ada()).await.unwrap();
    acme.create(&block("kept", "deploy"), &ada()).await.unwrap();
    let toml = "[hooks.builtin]\nredact = true\n\
                [[hooks.on]]\nname = 'a'\nevent = 'BeforeToolCall'\nblock = 'no'\n\
                [[hooks.on]]\nname = 'b'\nevent = 'BeforeToolCall'\nblock = 'no'";
    let report = acme.import(toml, ImportFormat::Toml, &ada()).await.unwrap();
    assert_eq!(
        (report.created, report.updated),
        (vec!["b".into()], vec!["a".into(), "settings".into()])
    );
    let draft = acme.draft().await.unwrap();
    assert_eq!(names(&draft.hooks), ["a", "kept", "b"]);
    let other = place.open().await.tenant("other");
    let report = other
        .import(&draft.to_json(), ImportFormat::Bundle, &ada())
        .await
        .unwrap();
    assert_eq!(report.created, ["a", "kept", "b"]);
    assert!(
        acme.import("[[hooks.on]]\nevent = 'X'", ImportFormat::Toml, &ada())
            .await
            .is_err()
    );
}

fn row(name: &str, more: &Value) -> Value {
    let mut row = json!({
        "id": "0193a5b0-7000-7000-8000-000000000007",
        "tenant_id": "0193a5b0-7000-7000-8000-000000000001",
        "name": name,
        "event": "pre_tool_use",
        "handler_type": "command",
        "scope": "tenant",
        "matcher": "^exec$",
        "config": { "command": "echo no exec >&2; exit 2" },
        "enabled": true,
        "version": 3,
        "source": "ui",
        "metadata": { "tags": ["x"] },
    });
    row.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    row
}

pub(crate) async fn a_row_of_goclaw_is_kept_and_runs_by_its_rules(place: Place) {
    let store = place.open().await;
    let acme = store.tenant("acme");
    let http = json!({
        "handler_type": "http",
        "matcher": "^ship$",
        "config": { "url": "https://gate.example.com/", "headers": { "Authorization": "Bearer c4nary" } },
    });
    let rows = [
        row("gate", &json!({})),
        row("gate", &http),
        row("off", &json!({ "enabled": false })),
    ];
    let report = acme
        .import(
            &json!({ "hooks": rows }).to_string(),
            ImportFormat::Goclaw,
            &ada(),
        )
        .await
        .unwrap();
    assert_eq!(report.created, ["gate", "gate#2", "off"]);
    assert!(
        report.notes[0].contains("`Authorization` in \"gate#2\""),
        "{:?}",
        report.notes
    );
    // Letter for letter, but for the secret.
    let hooks = acme.hooks().await.unwrap();
    assert_eq!(hooks[0].body["goclaw"], rows[0]);
    let mut moved = rows[1].clone();
    let secret = format!("hook.{}.1.Authorization", hooks[1].id);
    moved["config"]["headers"]["Authorization"] = json!(format!("secret:{secret}"));
    assert_eq!(hooks[1].body["goclaw"], moved);
    let values = acme.secret_values().await.unwrap();
    assert_eq!(values.secret(&secret).as_deref(), Some("Bearer c4nary"));
    // Whoever saves a row by hand, its secrets are moved out, too.
    let body = json!({ "name": "by hand", "goclaw": rows[1] });
    let by_hand = acme.create(&body, &ada()).await.unwrap();
    assert!(!by_hand.body.to_string().contains("c4nary"));
    let mut wrong = rows[1].clone();
    wrong["config"]["url"] = json!("not a url");
    let body = json!({ "name": "wrong", "goclaw": wrong });
    let told = mistakes(acme.create(&body, &ada()).await);
    assert_eq!(told[0].path, "/goclaw/config/url");
    let body = json!({ "name": "by hand", "goclaw": { "event": "pre" } });
    let told = mistakes(acme.update(&by_hand.id, 1, &body, &ada()).await);
    assert_eq!(told[0].path, "/goclaw/event");
    acme.delete(&by_hand.id, 1, &ada()).await.unwrap();
    acme.publish(&ada()).await.unwrap();
    assert!(!acme.bundle().await.unwrap().to_json().contains("c4nary"));
    let runtime = Runtime::builder()
        .source(acme.source())
        .build()
        .await
        .unwrap();
    let hooks = hooks![..runtime.clone()];
    for (tool, blocked) in [("exec", true), ("ls", false)] {
        let mut call = BeforeToolCall::new("1", tool, json!({}));
        let cx = AgentContext::new("s1").with_tenant_id("acme");
        let result = hooks.intercept(&cx, &mut call).await;
        assert_eq!(result.as_cancel().is_some(), blocked, "{tool}");
    }
    let told = mistakes(acme.import("[{}]", ImportFormat::Goclaw, &ada()).await);
    assert_eq!(told[0].path, "/hooks/0/event");
    // Once more, nothing is new.
    let again = acme
        .import(&json!(rows).to_string(), ImportFormat::Goclaw, &ada())
        .await
        .unwrap();
    assert_eq!((again.created.len(), again.updated.len()), (0, 0));
}

pub(crate) async fn settings_of_claude_run_by_its_rules(place: Place) {
    let store = place.open().await;
    let acme = store.tenant("acme");
    let settings = json!({
        "env": { "API_KEY": "c4nary" },
        "hooks": { "PreToolUse": [
            { "matcher": "deploy", "hooks": [{ "type": "command", "command": "echo no deploy >&2; exit 2" }] },
        ] },
    });
    let report = acme
        .import(&settings.to_string(), ImportFormat::Claude, &ada())
        .await
        .unwrap();
    assert_eq!(
        (report.created.len(), report.notes.len()),
        (1, 1),
        "{:?}",
        report.notes
    );
    acme.publish(&ada()).await.unwrap();
    let bundle = acme.bundle().await.unwrap();
    assert!(!bundle.to_json().contains("c4nary"));
    let recorder = store.recorder();
    let runtime = Runtime::builder()
        .source(acme.source())
        .recorder(recorder.clone())
        .build()
        .await
        .unwrap();
    let mut call = BeforeToolCall::new("1", "deploy", json!({}));
    let result = hooks![..runtime.clone()]
        .intercept(&AgentContext::new("s1").with_tenant_id("acme"), &mut call)
        .await;
    assert!(result.as_cancel().unwrap().reason.contains("no deploy"));
    recorder.flush().await.unwrap();
    let record = acme.execution(1).await.unwrap().unwrap().record;
    assert_eq!(record.steps[0].hook_version, Some(1));
    let mut wrong = settings;
    wrong["hooks"]["PreToolUse"][0]["hooks"][0]["type"] = json!("comand");
    let body = json!({ "name": "wrong", "claude": wrong });
    let told = mistakes(acme.create(&body, &ada()).await);
    assert!(
        told[0].path.starts_with("/claude/hooks/PreToolUse/0"),
        "{told:?}"
    );
}
