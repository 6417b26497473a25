//! Rules: decisions that a file makes itself.

use hooks_core::agent::{
    AfterToolCall, AgentContext, Approval, ApproveToolCall, BeforePromptBuild, BeforeStop,
    BeforeToolCall, MessageReceived, SubagentStart, ToolAnnotations, ToolOutput,
};
use hooks_core::{HookResult, Scope, hooks};
use hooks_runtime::{RecordOutcome, Records, Runtime};
use serde_json::json;

async fn runtime(text: &str) -> Runtime {
    Runtime::builder()
        .text(text)
        .build()
        .await
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A call of `shell`.
fn shell(command: &str) -> BeforeToolCall {
    BeforeToolCall::new("call 1", "shell", json!({ "command": command }))
}

fn cx() -> AgentContext {
    AgentContext::new("s1")
        .with_tenant_id("acme")
        .with_agent_id("coder")
}

/// What the runtime says of a call.
async fn decide(runtime: &Runtime, call: &mut BeforeToolCall) -> HookResult<BeforeToolCall> {
    hooks![..runtime.clone()].intercept(&cx(), call).await
}

#[tokio::test]
async fn a_block_has_its_reason_with_expressions_filled_in() {
    let runtime = runtime(
        r#"
        [[hooks.on]]
        name = "no-rm"
        event = "BeforeToolCall"
        tools = ["shell"]
        if = 'args.command.startsWith("rm ")'
        block = "`{args.command}` by {cx.agent_id} in {{braces}}"
        "#,
    )
    .await;
    let result = decide(&runtime, &mut shell("rm -r x")).await;
    let cancel = result.as_cancel().unwrap();
    assert_eq!(cancel.hook, "no-rm");
    assert_eq!(cancel.reason, "`rm -r x` by coder in {braces}");
    assert!(decide(&runtime, &mut shell("ls")).await.is_continue());
}

#[tokio::test]
async fn a_reason_is_not_longer_than_a_model_can_use() {
    let runtime =
        runtime("[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'not {args.command}'").await;
    let result = decide(&runtime, &mut shell(&"x".repeat(200_000))).await;
    let reason = &result.as_cancel().unwrap().reason;
    assert!(reason.len() < 11_000, "{}", reason.len());
    assert!(reason.ends_with("(cut)"), "{reason}");
}

#[tokio::test]
async fn every_part_of_a_filter_has_to_match() {
    for (filter, matches) in [
        ("tools = ['shell']", true),
        ("tools = 'sh*'", true),
        ("tools = ['file_*', 'mcp__*']", false),
        ("matcher = '^(shell|exec)$'", true),
        ("matcher = 'hel'", true),
        ("matcher = '^hel'", false),
        ("scope = { tenants = ['acme'] }", true),
        ("scope = { tenants = ['other'] }", false),
        ("scope = { agents = ['coder', 'x'] }", true),
        ("scope = { agents = ['x'] }", false),
        ("if = 'cx.depth == 0 && name == \"shell\"'", true),
        ("if = 'size(args.command) > 10'", false),
        ("if = 'cx.tenant_id == \"acme\"'", true),
        ("if = 'has(args.cwd)'", false),
        ("tools = ['shell']\nif = 'false'", false),
    ] {
        let runtime = runtime(&format!(
            "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\n{filter}"
        ))
        .await;
        let result = decide(&runtime, &mut shell("ls")).await;
        assert_eq!(!result.is_continue(), matches, "{filter}");
        let call = shell("ls");
        let explained = runtime.explain(&cx(), &call).await;
        assert_eq!(explained[0].runs, matches, "{filter}: {}", explained[0].why);
    }
}

#[tokio::test]
async fn a_filter_that_cannot_be_evaluated_is_a_failure() {
    let text = "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\nif = 'args.missing == 1'";
    let runtime = runtime(text).await;
    let result = decide(&runtime, &mut shell("ls")).await;
    let reason = &result.as_cancel().unwrap().reason;
    assert!(
        reason.contains("`args.missing == 1` cannot be evaluated"),
        "{reason}"
    );
    let skips = self::runtime(&format!("{text}\non_failure = 'skip'")).await;
    assert!(decide(&skips, &mut shell("ls")).await.is_continue());
}

#[tokio::test]
async fn an_expression_reads_a_path_wherever_it_stands() {
    let args = json!({
        "a": { "b": 1 }, "x": 9, "none": null, "list": [{ "x": 1 }, { "x": 2 }],
        "k1": 1, "k2": 2, "k3": 3, "k4": 4, "k5": 5, "k6": 6,
    });
    for (expression, expected) in [
        ("args.a.b == 1 && args.k6 == 6", Ok(true)),
        ("args.a == {'b': 1}", Ok(true)),
        ("{'b': 1} == args.a", Ok(true)),
        ("args['a'].b == 1 && args.a['b'] == 1", Ok(true)),
        ("[args.a][0].b == 1 && {'k': args.a.b}.k == 1", Ok(true)),
        ("has(args.a) && has(args.a.b) && !has(args.a.c)", Ok(true)),
        ("args.none == null", Ok(true)),
        ("args.list.map(one, one.x + args.a.b)[1] == 3", Ok(true)),
        // The loop has an `args` of its own.
        ("args.list.exists(args, args.x == 2)", Ok(true)),
        ("args.list.exists(args, args.x == 9)", Ok(false)),
        ("args.a.b.c == 1 || true", Ok(true)),
        ("args.missing == 1 && false", Ok(false)),
        ("string(args.a.b) + name == '1shell'", Ok(true)),
        (
            "args.a.missing.more == 1",
            Err("the key `missing` does not exist"),
        ),
        (
            "args.list.all(one, one.missing == 1)",
            Err("the key `missing` does not exist"),
        ),
    ] {
        let runtime = runtime(&format!(
            "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'it holds'\nif = \"{expression}\""
        ))
        .await;
        let mut call = BeforeToolCall::new("1", "shell", args.clone());
        let result = decide(&runtime, &mut call).await;
        let reason = result.as_cancel().map(|cancel| &*cancel.reason);
        match expected {
            Ok(holds) => assert_eq!(reason, holds.then_some("it holds"), "{expression}"),
            Err(error) => {
                let reason = reason.unwrap_or_default();
                assert!(reason.ends_with(error), "{expression}: {reason}");
            }
        }
    }
}

/// A call of a tool by that name.
fn call(name: &str) -> BeforeToolCall {
    BeforeToolCall::new("1", name, json!({ "city": "Bonn", "dir": "src" }))
}

/// A runtime with this one rule on the event.
async fn rule(event: &str, rule: &str) -> Runtime {
    runtime(&format!("[[hooks.on]]\nevent = '{event}'\n{rule}")).await
}

#[tokio::test]
async fn respond_answers_in_place_of_the_tool() {
    for (responds, content) in [
        (
            "respond = { content = '{args.city} is sunny', is_error = false }",
            "Bonn is sunny",
        ),
        ("respond = 'it is sunny'", "it is sunny"),
    ] {
        let runtime = rule("BeforeToolCall", responds).await;
        let HookResult::Respond(output) = decide(&runtime, &mut call("weather")).await else {
            panic!("{responds}")
        };
        assert_eq!(output, ToolOutput::new(content));
    }
}

#[tokio::test]
async fn modify_changes_only_the_arguments_that_it_names() {
    for (modifies, args) in [
        (
            "modify = { timeout = 10, command = 'ls -l {args.dir}' }",
            json!({ "city": "Bonn", "dir": "src", "timeout": 10, "command": "ls -l src" }),
        ),
        (
            r#"modify = '{"dir": args.dir + "/x"}'"#,
            json!({ "city": "Bonn", "dir": "src/x" }),
        ),
    ] {
        let runtime = rule("BeforeToolCall", modifies).await;
        let mut modified = call("list");
        let result = decide(&runtime, &mut modified).await;
        assert!(result.is_continue(), "{modifies}: {result:?}");
        assert_eq!(modified.args, args, "{modifies}");
    }
}

#[tokio::test]
async fn ask_asks_for_approval() {
    let runtime = rule("BeforeToolCall", "ask = 'may it?'").await;
    let mut asked = call("shell");
    assert!(decide(&runtime, &mut asked).await.is_continue());
    assert_eq!(asked.approval, Approval::ask("may it?"));
}

#[tokio::test]
async fn defer_leaves_the_call_to_somebody_also_if_another_hook_asks_or_approves() {
    let lists = [
        ("defer = 'later'", "ask = 'now?'"),
        ("ask = 'now?'", "defer = 'later'"),
        ("defer = 'later'", "approve = 'me'"),
    ];
    for (first, second) in lists {
        let hook = |says| format!("[[hooks.on]]\nevent = 'BeforeToolCall'\n{says}\n");
        let text = hook(first) + &hook(second);
        let runtime = Runtime::builder().text(text).build().await.unwrap();
        let mut deferred = call("shell");
        assert!(decide(&runtime, &mut deferred).await.is_continue());
        assert_eq!(
            deferred.approval,
            Approval::defer("later"),
            "{first}, {second}"
        );
    }
}

#[tokio::test]
async fn a_condition_reads_what_is_known_about_a_tool() {
    let runtime = rule(
        "BeforeToolCall",
        "if = 'annotations.destructive == true'\nblock = 'it destroys'",
    )
    .await;
    let known = |destructive| ToolAnnotations {
        destructive,
        ..ToolAnnotations::default()
    };
    for (destructive, blocks) in [(Some(true), true), (Some(false), false), (None, false)] {
        let mut call = call("shell").with_annotations(known(destructive));
        assert_eq!(
            decide(&runtime, &mut call).await.is_continue(),
            !blocks,
            "{destructive:?}"
        );
    }
}

#[tokio::test]
async fn context_is_added_to_a_call() {
    let runtime = rule("BeforeToolCall", "context = 'be careful'").await;
    let mut careful = call("shell");
    assert!(decide(&runtime, &mut careful).await.is_continue());
    assert_eq!(careful.context, ["be careful"]);
}

#[tokio::test]
async fn an_abort_has_its_scope() {
    for (aborts, scope) in [
        ("abort_turn = 'enough'", Scope::Turn),
        ("abort_run = 'too much'", Scope::Run),
    ] {
        let runtime = rule("BeforeToolCall", aborts).await;
        let result = decide(&runtime, &mut call("shell")).await;
        assert_eq!(result.as_cancel().unwrap().scope, scope, "{aborts}");
    }
}

#[tokio::test]
async fn approve_approves_by_name() {
    let hooks = hooks![..rule("ApproveToolCall", "approve = 'policy'").await];
    let call = call("shell");
    let mut approve = ApproveToolCall::from(&call);
    let HookResult::Respond(approved) = hooks.intercept(&cx(), &mut approve).await else {
        panic!()
    };
    assert_eq!(approved.by.as_deref(), Some("policy"));
}

#[tokio::test]
async fn modify_keeps_the_other_keys_of_an_output() {
    let hooks = hooks![..rule("AfterToolCall", "modify = { content = 'changed' }").await];
    let mut after = AfterToolCall {
        output: ToolOutput::error("failed"),
        ..AfterToolCall::default()
    };
    assert!(hooks.intercept(&cx(), &mut after).await.is_continue());
    assert_eq!(after.output, ToolOutput::error("changed"));
}

#[tokio::test]
async fn modify_fills_in_the_text_of_a_message() {
    let hooks = hooks![..rule("MessageReceived", "modify = { content = '{content}!' }").await];
    let mut message = MessageReceived {
        content: "hello".into(),
        ..MessageReceived::default()
    };
    assert!(hooks.intercept(&cx(), &mut message).await.is_continue());
    assert_eq!(message.content, "hello!");
}

#[tokio::test]
async fn context_reaches_every_event_that_takes_it() {
    let runtime = runtime(
        "[[hooks.on]]\nevent = ['BeforePromptBuild', 'BeforeStop', 'SubagentStart']\ncontext = 'mind the tests'",
    )
    .await;
    let hooks = hooks![..runtime];
    let mut prompt = BeforePromptBuild {
        prompt: "You are a coder.".into(),
    };
    assert!(hooks.intercept(&cx(), &mut prompt).await.is_continue());
    assert_eq!(prompt.prompt, "You are a coder.\n\nmind the tests");
    let mut start = SubagentStart::new("1", "helper", "do it");
    assert!(hooks.intercept(&cx(), &mut start).await.is_continue());
    assert_eq!(start.context, ["mind the tests"]);
    let mut stop = BeforeStop::new("done", 0);
    let result = hooks.intercept(&cx(), &mut stop).await;
    assert_eq!(
        result.as_cancel().unwrap().reason,
        "mind the tests",
        "a reason to go on"
    );
}

#[tokio::test]
async fn definitions_run_by_priority_and_see_what_was_changed_before() {
    let runtime = runtime(
        r#"
        [[hooks.on]]
        name = "last"
        event = "BeforeToolCall"
        priority = -10
        if = 'args.command == "ls -l"'
        block = "{args.command}"

        [[hooks.on]]
        name = "first"
        event = "BeforeToolCall"
        priority = 10
        modify = { command = "ls -l" }
        "#,
    )
    .await;
    let result = decide(&runtime, &mut shell("ls")).await;
    assert_eq!(result.as_cancel().unwrap().hook, "last");
}

#[tokio::test]
async fn a_shadow_is_recorded_and_changes_nothing() {
    let records = Records::latest(10);
    let runtime = Runtime::builder()
        .text("[[hooks.on]]\nname = 'try'\nevent = 'BeforeToolCall'\nmode = 'shadow'\nblock = 'no'")
        .text("[[hooks.on]]\nname = 'off'\nevent = 'BeforeToolCall'\nmode = 'off'\nblock = 'no'")
        .recorder(records.clone())
        .build()
        .await
        .unwrap();
    assert!(decide(&runtime, &mut shell("ls")).await.is_continue());
    let records = records.take();
    assert_eq!(records.len(), 1);
    assert_eq!(
        (&*records[0].hook, records[0].outcome),
        ("", RecordOutcome::Continue)
    );
    let step = &records[0].steps[0];
    assert_eq!(
        (&*step.hook, step.outcome, step.shadow),
        ("try", RecordOutcome::Block, true)
    );
}

#[tokio::test]
async fn a_record_says_who_did_what_to_which_event() {
    let records = Records::latest(10);
    let runtime = Runtime::builder()
        .text("[[hooks.on]]\nname = 'm'\nevent = 'PreToolUse'\nmodify = { command = 'ls -l' }")
        .recorder(records.clone())
        .build()
        .await
        .unwrap();
    assert!(decide(&runtime, &mut shell("ls")).await.is_continue());
    let record = records.take().remove(0);
    assert_eq!(
        (record.revision, &*record.steps[0].handler, &*record.event),
        (1, "rule", "BeforeToolCall")
    );
    assert_eq!(
        (record.subject.as_deref(), record.tool_call_id.as_deref()),
        (Some("shell"), Some("call 1"))
    );
    assert_eq!(
        (
            &*record.session_id,
            &*record.agent_id,
            record.tenant_id.as_deref()
        ),
        ("s1", "coder", Some("acme"))
    );
    assert_eq!(record.outcome, RecordOutcome::Modify);
    assert_eq!(
        record.steps[0].change,
        Some(json!([{ "op": "replace", "path": "/args/command", "value": "ls -l" }]))
    );
}

#[tokio::test]
async fn an_event_is_compared_only_for_a_recorder() {
    let text = "[[hooks.on]]\nevent = 'BeforeToolCall'\nmodify = { command = '{args.command} -l' }";
    for records in [None, Some(Records::latest(1))] {
        let mut builder = Runtime::builder().text(text);
        if let Some(records) = &records {
            builder = builder.recorder(records.clone());
        }
        let runtime = builder.build().await.unwrap();
        let mut call = BeforeToolCall::new("1", "shell", json!({ "command": "ls" }));
        let hooks = hooks![..runtime.clone()];
        let _ = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
        assert_eq!(call.args["command"], "ls -l");
        let last = runtime.status().hooks.remove(0).last.unwrap();
        assert_eq!(last.outcome, RecordOutcome::Modify);
        assert_eq!(last.change.is_some(), records.is_some());
    }
}

#[tokio::test]
async fn hooks_do_not_send_an_agent_on_for_ever() {
    let runtime = runtime(
        "[hooks.limits]\nstops = 2\n[[hooks.on]]\nevent = 'BeforeStop'\nblock = 'go on'\nguard = false\n\
         [[hooks.on]]\nname = 'asked'\nevent = 'BeforeStop'\ncommand = 'exit 2'\npriority = 1",
    )
    .await;
    let hooks = hooks![..runtime.clone()];
    for (attempt, goes_on) in [(0, true), (1, true), (2, false)] {
        let result = hooks
            .intercept(&cx(), &mut BeforeStop::new("done", attempt))
            .await;
        assert_eq!(!result.is_continue(), goes_on, "attempt {attempt}");
    }
    // The agent stops although they did not let it: everybody can see that.
    let failed = runtime.status().failed_open;
    let counts: Vec<_> = failed.iter().map(|one| (&*one.hook, one.count)).collect();
    assert_eq!(counts, [("asked", 1), ("BeforeStop-1", 1)]);
    assert!(failed[0].reason.contains("as often as a turn allows"));
}

#[tokio::test]
async fn other_systems_names_of_events_mean_what_they_mean_there() {
    let runtime =
        runtime("[[hooks.on]]\nevent = 'PostToolUseFailure'\ncontext = 'try again'").await;
    let hooks = hooks![..runtime.clone()];
    for (output, expected) in [
        (ToolOutput::error("no"), vec!["try again"]),
        (ToolOutput::new("yes"), vec![]),
    ] {
        let mut done = AfterToolCall::of(shell("ls"), output, std::time::Duration::ZERO);
        assert!(hooks.intercept(&cx(), &mut done).await.is_continue());
        assert_eq!(done.context, expected);
    }
    let done = AfterToolCall::of(
        shell("ls"),
        ToolOutput::new("yes"),
        std::time::Duration::ZERO,
    );
    let why = &runtime.explain(&cx(), &done).await[0].why;
    assert_eq!(why, "only for tools that have failed");
}

#[tokio::test]
async fn a_rule_for_a_tool_reads_the_command_as_a_shell_does() {
    let runtime = runtime(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\nif = 'Bash(git push *)'\nblock = 'no pushing'\n\
         [[hooks.on]]\nevent = 'BeforeToolCall'\nif = 'Edit(.github/**)'\nblock = 'not the workflows'",
    )
    .await;
    for (tool, args, expected) in [
        (
            "shell",
            json!({ "command": "git push origin" }),
            Some("no pushing"),
        ),
        (
            "Bash",
            json!({ "command": "cd sub && X=1 git push" }),
            Some("no pushing"),
        ),
        (
            "run_shell_command",
            json!({ "command": "ls | xargs git push" }),
            Some("no pushing"),
        ),
        ("shell", json!({ "command": "echo git push" }), None),
        ("shell", json!({ "command": "git status" }), None),
        ("deploy", json!({ "command": "git push" }), None),
        (
            "file_write",
            json!({ "path": ".github/ci.yml" }),
            Some("not the workflows"),
        ),
        ("file_write", json!({ "path": "src/ci.yml" }), None),
        ("read_file", json!({ "path": ".github/ci.yml" }), None),
    ] {
        let result = decide(&runtime, &mut BeforeToolCall::new("1", tool, args.clone())).await;
        let reason = result.as_cancel().map(|cancel| &*cancel.reason);
        assert_eq!(reason, expected, "{tool} {args}");
    }
}

#[tokio::test]
async fn a_hook_in_another_systems_words_knows_tools_by_its_names() {
    let runtime = runtime(
        "[[hooks.on]]\nevent = 'PreToolUse'\ndialect = 'claude'\ntools = ['Bash']\ncommand = 'echo no >&2; exit 2'",
    )
    .await;
    for (tool, is_refused) in [("shell", true), ("Bash", true), ("deploy", false)] {
        let mut call = BeforeToolCall::new("1", tool, json!({ "command": "ls" }));
        assert_eq!(
            decide(&runtime, &mut call).await.is_continue(),
            !is_refused,
            "{tool}"
        );
    }
}

#[tokio::test]
async fn what_an_expression_makes_is_bounded_whatever_the_event_is() {
    let text = |condition: &str| {
        format!(
            "[[hooks.on]]\nname = 'x'\nevent = 'BeforeToolCall'\nif = {condition:?}\nblock = 'no'"
        )
    };
    let error = async |condition: &str| {
        let built = Runtime::builder().text(text(condition)).build().await;
        built.unwrap_err().to_string()
    };
    let by_variable = error("args.a.replace('x', args.b) == ''").await;
    assert!(
        by_variable.contains("must be text in quotes"),
        "{by_variable}"
    );
    let joined = error("args.list.join(args.b) == ''").await;
    assert!(joined.contains("the argument of `join`"), "{joined}");
    let nested = "args.a.replace('x', 'xxxxxxxxx').replace('x', 'xxxxxxxxx') == ''";
    assert!(error(nested).await.contains("64 times longer"));

    // What makes a text no longer may be written as often as one likes.
    let fine = "args.a.replace('\"', '').replace(args.b, ' ').lowerAscii() == 'b c'";
    let runtime = runtime(&text(fine)).await;
    let mut call = shell("ls");
    call.args = json!({ "a": "\"B_C\"", "b": "_" });
    assert!(decide(&runtime, &mut call).await.as_cancel().is_some());

    let runtime = self::runtime(&text("size(args.list.map(x, x + args.long)) == 1")).await;
    let with = |items: usize| {
        let list = vec!["a"; items];
        BeforeToolCall::new(
            "1",
            "shell",
            json!({ "list": list, "long": "x".repeat(100_000) }),
        )
    };
    assert!(decide(&runtime, &mut with(2)).await.is_continue());
    let result = decide(&runtime, &mut with(10_000)).await;
    let reason = &result.as_cancel().unwrap().reason;
    assert!(reason.contains("reads more than 32 MiB"), "{reason}");
}

/// The hooks of a file, of which the first judges before the second changes.
async fn judged(guard: &str, changes: &str) -> (Runtime, Records) {
    let hook = |priority: i32, lines: &str| {
        format!("[[hooks.on]]\nevent = 'BeforeToolCall'\npriority = {priority}\n{lines}\n")
    };
    let records = Records::latest(100);
    let runtime = Runtime::builder()
        .text(hook(100, guard) + &hook(0, changes))
        .recorder(records.clone())
        .build()
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    (runtime, records)
}

#[tokio::test]
async fn what_a_later_hook_changes_a_rule_that_blocks_judges_again() {
    let guard = "name = 'no-rm'\nif = 'args.command.contains(\"rm\")'\nblock = 'no rm'";
    let changes = "modify = { command = 'rm -r .' }";
    let (runtime, records) = judged(guard, changes).await;
    let cancelled = decide(&runtime, &mut shell("ls")).await;
    let cancel = cancelled.as_cancel().expect("the second verdict counts");
    assert_eq!((&*cancel.hook, &*cancel.reason), ("no-rm", "no rm"));
    let outcomes: Vec<_> = records
        .steps()
        .iter()
        .map(|record| record.outcome)
        .collect();
    assert_eq!(outcomes, [RecordOutcome::Modify, RecordOutcome::Block]);

    let (runtime, _) = judged(&format!("{guard}\nguard = false"), changes).await;
    assert!(decide(&runtime, &mut shell("ls")).await.is_continue());
}

#[tokio::test]
async fn a_command_that_is_a_guard_judges_each_form_once_and_does_nothing_else() {
    let script = r#"if grep -q danger; then echo '{"block": "seen"}'; fi"#;
    let guard = format!("name = 'g'\nguard = true\ncommand = {}", json!(script));
    let changes = "modify = { command = 'danger' }";
    let (runtime, records) = judged(&guard, changes).await;
    let cancelled = decide(&runtime, &mut shell("ls")).await;
    assert_eq!(&*cancelled.as_cancel().unwrap().reason, "seen");
    assert_eq!(records.steps().len(), 3, "the guard twice, the change once");

    // Nothing changes, so it judges once.
    let (runtime, records) = judged(&guard, "if = 'false'\nmodify = { command = 'danger' }").await;
    assert!(decide(&runtime, &mut shell("ls")).await.is_continue());
    assert_eq!(records.steps().len(), 1);
}

#[tokio::test]
async fn a_guard_that_changes_or_approves_does_not_get_its_way() {
    let says = |answer: serde_json::Value| {
        let script = format!("echo '{answer}'");
        format!("guard = true\ncommand = {}", json!(script))
    };
    for (answer, blocks) in [
        (json!({ "modify": { "command": "x" } }), true),
        (json!({ "respond": "done" }), true),
        (json!({ "context": "be careful" }), true),
        (json!({ "ask": "sure?" }), true),
        (json!({ "defer": "later" }), true),
        (json!({ "block": "no", "context": "be careful" }), true),
        (json!({ "approve": "me" }), false),
    ] {
        let is_refusal = ["ask", "defer", "block"]
            .iter()
            .any(|key| answer.get(key).is_some());
        let open = says(answer.clone()) + "\non_failure = 'skip'";
        let (runtime, _) = judged(&open, "if = 'false'\nblock = ''").await;
        let said = decide(&runtime, &mut shell("ls")).await;
        assert_eq!(
            said.is_continue(),
            !is_refusal,
            "a refusal counts: {answer}"
        );
        let (runtime, _) = judged(&says(answer.clone()), "if = 'false'\nblock = ''").await;
        let mut call = shell("ls");
        let said = decide(&runtime, &mut call).await;
        assert_eq!(said.is_continue(), !blocks, "{answer}: {said:?}");
        assert_eq!(call, shell("ls"), "{answer}");
    }
}

/// What is wrong with a file.
async fn refused(text: &str) -> String {
    let built = Runtime::builder().text(text).build().await;
    built.unwrap_err().to_string()
}

#[tokio::test]
async fn what_cannot_be_a_guard_is_a_mistake() {
    for (event, handler, wrong) in [
        (
            "BeforeToolCall",
            "modify = { a = 1 }",
            "a guard only allows or cancels, so it cannot `modify`",
        ),
        (
            "AfterToolCall",
            "command = 'true'",
            "a guard cannot cancel `AfterToolCall`",
        ),
    ] {
        let text = format!("[[hooks.on]]\nevent = '{event}'\nguard = true\n{handler}");
        let error = refused(&text).await;
        assert!(error.contains(wrong), "{error}");
    }
}

#[tokio::test]
async fn an_id_with_a_star_would_match_nobody() {
    for scope in ["agents = ['*']", "tenants = ['']"] {
        let hook = format!("scope = {{ {scope} }}\nblock = 'no'");
        let text = format!("[[hooks.on]]\nevent = 'BeforeToolCall'\n{hook}");
        let error = refused(&text).await;
        assert!(error.contains("ids are compared as they are"), "{error}");
    }
}

#[tokio::test]
async fn a_comparison_whose_sides_are_never_equal_is_a_notice() {
    let runtime =
        runtime("[[hooks.on]]\nevent = 'BeforeToolCall'\nif = 'name == 5'\nblock = 'no'").await;
    let notices = runtime.notices().join("\n");
    let expected = "3:7: `==` compares string and int, which are never equal";
    assert!(notices.contains(expected), "{notices}");
}
