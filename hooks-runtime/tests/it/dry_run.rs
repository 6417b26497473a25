//! Dry runs: hooks decide, and nothing has an effect.

use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_runtime::{
    Decided, DryRun, Outcome, OwnedEvent, RecordOutcome, RecordStep, Records, Runtime,
};
use serde_json::{Value, json};

/// Fires a call of `shell` at the hooks of a text, in a dry run.
async fn fired(dry_run: DryRun, text: &str, command: &str) -> (Outcome, Vec<RecordStep>, Runtime) {
    let records = Records::latest(100);
    let builder = Runtime::builder().text(text).dry_run(dry_run);
    let runtime = builder.recorder(records.clone()).build().await.unwrap();
    let fields = json!({ "id": "1", "name": "shell", "args": { "command": command } });
    let mut event = OwnedEvent::from_json("BeforeToolCall", fields).unwrap();
    let outcome = runtime.fire(&AgentContext::new("s1"), &mut event).await;
    (outcome, records.steps(), runtime)
}

#[tokio::test]
async fn a_handler_is_left_out_unless_its_entry_says_that_it_is_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let command = format!("command = 'touch {}; exit 2'", trace.display());
    for (harmless, asked) in [(false, true), (true, false), (true, true)] {
        let text = format!(
            "[[hooks.on]]\nname = 'gate'\nevent = 'BeforeToolCall'\nharmless = {harmless}\nmust_audit = true\n{command}\n\
             [[hooks.on]]\nname = 'tell'\nevent = 'ToolCallEnd'\nharmless = {harmless}\n{command}\n"
        );
        let (dry_run, runs, decision) = match (harmless, asked) {
            (true, true) => (DryRun::new().running_harmless(), true, Decided::Block),
            (_, true) => (DryRun::new().running_harmless(), false, Decided::Continue),
            _ => (DryRun::new(), false, Decided::Continue),
        };
        let (outcome, records, runtime) = fired(dry_run, &text, "ls").await;
        assert_eq!((outcome.decision, trace.exists()), (decision, runs));
        let skipped = records[0].outcome == RecordOutcome::Skipped;
        assert_eq!((skipped, records[0].is_left_out()), (!runs, !runs));
        let mut end = OwnedEvent::from_json("ToolCallEnd", json!({ "name": "shell" })).unwrap();
        let _ = runtime.fire(&AgentContext::new("s1"), &mut end).await;
        runtime.shutdown().await;
        let last = runtime.status().hooks.pop().unwrap().last.unwrap();
        assert_eq!(
            (&*last.hook, last.outcome == RecordOutcome::Skipped),
            ("tell", !runs)
        );
    }
}

#[tokio::test]
async fn rules_and_built_in_guards_decide() {
    let text = "[hooks.builtin]\nsecurity_policy = { autonomy = 'full', max_actions_per_hour = 1 }\n\
                rate_limit = { max_per_minute = 1 }\nevent_log = true\n\
                [[hooks.chain]]\ntype = 'block_tools'\nconfig = { tools = ['shell'] }\n";
    let (outcome, _, runtime) = fired(DryRun::new(), text, "git status").await;
    assert_eq!(outcome.hook.as_deref(), Some("BlockTools"));
    let notices = runtime.status().notices;
    for left_out in [
        "security_policy.max_actions_per_hour",
        "rate_limit",
        "event_log",
    ] {
        let notice = format!("a dry run leaves out `{left_out}`");
        assert!(notices.contains(&notice), "{notices:?}");
    }
    assert_eq!(notices.len(), 3, "{notices:?}");
    let (outcome, ..) = fired(DryRun::new(), text, "rm -rf /").await;
    assert_eq!(outcome.hook.as_deref(), Some("SecurityPolicy"));
}

#[tokio::test]
async fn who_would_be_asked_is_not_and_the_policy_still_decides() {
    let policy = "[hooks.builtin]\nsecurity_policy = { autonomy = 'supervised' }\n";
    for (approval, decision) in [
        ("", Decided::Block),
        ("approval = true\n", Decided::Continue),
    ] {
        let text = format!("{policy}{approval}");
        let (_, _, runtime) = fired(DryRun::new(), &text, "git commit -m x").await;
        let fields = json!({ "name": "shell", "args": { "command": "git commit -m x" } });
        let mut asks = OwnedEvent::from_json("ApproveToolCall", fields).unwrap();
        let outcome = runtime.fire(&AgentContext::new("s1"), &mut asks).await;
        assert_eq!(outcome.decision, decision, "{outcome:?}");
    }
}

/// A record of `gate`, in an outcome.
fn known(outcome: RecordOutcome, change: Option<Value>) -> DryRun {
    DryRun::new().answering(move |hook, cx, event| {
        assert_eq!((hook, &*cx.session_id), ("gate", "s1"));
        assert!(matches!(event, AgentEvent::BeforeToolCall(call) if call.id == "1"));
        let mut step = RecordStep::new(hook, outcome);
        step.reason = Some("as it said".to_owned());
        step.change.clone_from(&change);
        Some(step)
    })
}

#[tokio::test]
async fn a_handler_gives_the_answer_of_its_record_again() {
    let text = "[[hooks.on]]\nname = 'gate'\nevent = 'BeforeToolCall'\ncommand = 'exit 1'\n";
    for (outcome, decision) in [
        (RecordOutcome::Continue, Decided::Continue),
        (RecordOutcome::Block, Decided::Block),
        (RecordOutcome::AbortRun, Decided::AbortRun),
        (RecordOutcome::Fault, Decided::Block),
        (RecordOutcome::Respond, Decided::Continue),
    ] {
        let (said, records, _) = fired(known(outcome, None), text, "ls").await;
        assert_eq!(said.decision, decision);
        let is_left_out = outcome == RecordOutcome::Respond;
        assert_eq!(records[0].outcome == RecordOutcome::Skipped, is_left_out);
    }
    let (said, ..) = fired(known(RecordOutcome::Ask, None), text, "ls").await;
    assert_eq!(
        said.change[0]["value"],
        json!({ "ask": { "reason": "as it said" } })
    );
    let change = json!([
        { "op": "replace", "path": "/args/command", "value": "ls -l" },
        { "op": "add", "path": "/context", "value": ["look"] },
    ]);
    let (said, records, _) = fired(
        known(RecordOutcome::Modify, Some(change.clone())),
        text,
        "ls",
    )
    .await;
    assert_eq!(records[0].outcome, RecordOutcome::Modify);
    let changes = said.change.as_array().unwrap();
    assert!(
        changes.contains(&change[0]) && changes.contains(&change[1]),
        "{changes:?}"
    );
    assert_eq!(changes.len(), 2, "{changes:?}");
}
