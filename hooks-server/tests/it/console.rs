//! The console without a browser: who may look, what pages say, and what forms do.

use hooks_core::agent::BeforeToolCall;
use hooks_core::{hook, hooks};
use hooks_runtime::Runtime;
use hooks_store::{By, NodeReport};
use serde_json::json;

use crate::common::{Answered, Stored, claude, exchange, request, stored};

/// Somebody who is logged in.
pub(crate) struct Visitor<'a> {
    stored: &'a Stored,
    pub(crate) cookie: String,
}

impl Stored {
    /// Logs in with a token of its own.
    pub(crate) async fn visit(&self, tenant: &str, role: &str) -> Visitor<'_> {
        let token = self.client(tenant, role).await.token;
        self.log_in(&token, "").await
    }

    /// Logs in by a token, with headers.
    pub(crate) async fn log_in(&self, token: &str, headers: &str) -> Visitor<'_> {
        let fields = [("token", token), ("next", "/executions")];
        let entered = form(self, headers, "/login", &fields).await;
        assert_eq!(entered.status, 303, "{entered:?}");
        assert_eq!(entered.header("location"), Some("/executions"));
        let cookie = entered.header("set-cookie").unwrap();
        assert!(cookie.contains("HttpOnly; SameSite"), "{cookie}");
        let cookie = cookie.split(';').next().unwrap().to_owned();
        Visitor {
            stored: self,
            cookie,
        }
    }
}

/// Sends a form.
pub(crate) async fn form(
    stored: &Stored,
    headers: &str,
    path: &str,
    fields: &[(&str, &str)],
) -> Answered {
    let body = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish();
    let headers = format!("content-type: application/x-www-form-urlencoded\r\n{headers}");
    exchange(
        stored.daemon.tcp().await,
        &request("POST", path, &headers, &body),
    )
    .await
}

impl Visitor<'_> {
    /// Publishes what the page shows.
    pub(crate) async fn publish(&self, comment: &str) -> Answered {
        let page = self.page("/publish").await;
        let draft = page.split("name=\"draft\" value=\"").nth(1).unwrap();
        let draft = draft.split('"').next().unwrap();
        self.send("/publish", &[("draft", draft), ("comment", comment)])
            .await
    }

    pub(crate) async fn get(&self, path: &str) -> Answered {
        self.get_from("same-origin", path).await
    }

    pub(crate) async fn get_from(&self, site: &str, path: &str) -> Answered {
        let headers = format!("cookie: a=b; {}\r\nsec-fetch-site: {site}\r\n", self.cookie);
        exchange(
            self.stored.daemon.tcp().await,
            &request("GET", path, &headers, ""),
        )
        .await
    }

    pub(crate) async fn page(&self, path: &str) -> String {
        let page = self.get(path).await;
        assert_eq!(page.status, 200, "{page:?}");
        page.body
    }

    pub(crate) async fn send(&self, path: &str, fields: &[(&str, &str)]) -> Answered {
        self.send_from("same-origin", path, fields).await
    }

    async fn send_from(&self, site: &str, path: &str, fields: &[(&str, &str)]) -> Answered {
        let headers = format!("cookie: {}\r\nsec-fetch-site: {site}\r\n", self.cookie);
        form(self.stored, &headers, path, fields).await
    }
}

#[tokio::test]
async fn a_stranger_is_asked_to_log_in() {
    let stored = stored().await;
    let page = stored.daemon.get("/executions?hook=a").await;
    assert_eq!(page.status, 303);
    assert_eq!(
        page.header("location"),
        Some("/login?next=%2Fexecutions%3Fhook%3Da")
    );
    let refused = form(&stored, "", "/login", &[("token", "<b>no</b>")]).await;
    assert_eq!(refused.status, 401);
    assert!(refused.body.contains("The token is unknown"), "{refused:?}");
    let (acme, by) = (stored.store.tenant("acme"), By::new("the test"));
    let agent = acme
        .token_new("bot", hooks_store::Role::Owner, Some("bot"), &by)
        .await
        .unwrap();
    let refused = form(&stored, "", "/login", &[("token", &agent.to_string())]).await;
    assert!(refused.body.contains("for one of them"), "{refused:?}");
    let used = stored.daemon.get("/login?code=no").await;
    assert!(used.body.contains("was used already"), "{used:?}");
}

#[tokio::test]
async fn a_session_ends_with_its_token_and_by_a_click() {
    let stored = stored().await;
    let visitor = stored.visit("acme", "viewer").await;
    visitor.page("/").await;
    assert_eq!(visitor.send("/logout", &[]).await.status, 303);
    assert_eq!(visitor.get("/").await.status, 303);
    let visitor = stored.visit("acme", "viewer").await;
    let (acme, by) = (stored.store.tenant("acme"), By::new("the test"));
    for token in acme.tokens().await.unwrap() {
        acme.revoke_token(&token.id, &by).await.unwrap();
    }
    assert_eq!(visitor.get("/").await.status, 303);
}

#[tokio::test]
async fn another_page_writes_nothing() {
    let stored = stored().await;
    let visitor = stored.visit("acme", "owner").await;
    for site in ["cross-site", "same-site"] {
        let refused = visitor.send_from(site, "/logout", &[]).await;
        assert_eq!(refused.status, 403);
        assert!(refused.body.contains("sent by another page"), "{refused:?}");
    }
    let page = visitor.get("/").await;
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert_eq!(page.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn the_order_shows_what_runs_and_takes_another_priority_as_a_draft() {
    let stored = stored().await;
    let (acme, by) = (stored.store.tenant("acme"), By::new("ada"));
    let hostile = "<script>alert(1)</script>";
    for (name, block) in [("first", hostile), ("second", "no")] {
        let hook =
            json!({ "name": name, "event": "BeforeToolCall", "tools": [hostile], "block": block });
        acme.create(&hook, &by).await.unwrap();
    }
    acme.publish(&by).await.unwrap();
    let visitor = stored.visit("acme", "author").await;
    let page = visitor.page("/").await;
    assert!(page.find(">first<").unwrap() < page.find(">second<").unwrap());
    assert!(
        page.contains("never runs: `first`") && !page.contains(hostile),
        "{page}"
    );
    let second = acme.hooks().await.unwrap().remove(1);
    let path = format!("/hook/{}/priority", second.id);
    let fields = [("version", "1"), ("priority", "5"), ("next", "/?of=draft")];
    let moved = visitor.send(&path, &fields).await;
    let to = moved.header("location").unwrap();
    assert!(to.starts_with("/?of=draft&done=saved&undo=2."), "{moved:?}");
    let draft = visitor.page(to).await;
    assert!(
        draft.find(">second<").unwrap() < draft.find(">first<").unwrap(),
        "{draft}"
    );
    assert!(
        draft.contains("Saved in the draft") && draft.contains("class=\"count\""),
        "{draft}"
    );
    // Somebody else has set it meanwhile.
    let late = visitor
        .send(&path, &[("version", "1"), ("priority", "4"), ("next", "/")])
        .await;
    assert_eq!(late.status, 412);
    for said in [
        "changed the priority of",
        "to 5 meanwhile",
        "Yours: 4",
        "Set 4</button>",
        "Keep 5</a>",
    ] {
        assert!(late.body.contains(said), "{said}: {late:?}");
    }
    let again = self::fields(&late.body, &path);
    assert_eq!(again, [("version", "2"), ("next", "/"), ("priority", "4")]);
    let mode = format!("/hook/{}/mode", second.id);
    let late = visitor
        .send(&mode, &[("version", "1"), ("mode", "off"), ("next", "/")])
        .await;
    assert!(
        late.body.contains("whose mode is still enforce"),
        "{late:?}"
    );
    let viewer = stored.visit("acme", "viewer").await;
    assert_eq!(viewer.send(&path, &fields).await.status, 403);
    assert!(!viewer.page("/").await.contains("name=\"priority\""));
}

/// It has the name of a stored hook.
#[hook(priority = 50)]
fn later(_: &BeforeToolCall) {}

#[tokio::test]
async fn the_order_of_a_node_has_its_compiled_and_built_in_hooks() {
    let stored = stored().await;
    let (acme, by) = (stored.store.tenant("acme"), By::new("ada"));
    for name in ["first", "later"] {
        let hook = json!({ "name": name, "event": "BeforeToolCall", "block": "no" });
        acme.create(&hook, &by).await.unwrap();
    }
    let tables = json!({ "builtin": { "redact": true, "block_tools": { "tools": ["mcp__*"] } } });
    acme.put_settings(0, &tables, &by).await.unwrap();
    acme.publish(&by).await.unwrap();
    let runtime = Runtime::builder().source(acme.source());
    let runtime = runtime.build().await.unwrap();
    let hooks = hooks![later, ..runtime.clone()];
    let mut report = NodeReport::from(&runtime.status());
    let visitor = stored.visit("acme", "author").await;
    acme.report("edge & co", &report).await.unwrap();
    assert!(!visitor.page("/").await.contains("edge"));
    report.order = Some(runtime.order_in(hooks.plan()));
    acme.report("edge & co", &report).await.unwrap();
    let page = visitor.page("/").await;
    assert!(
        page.contains(r#"<option value="node:edge &#38; co">agent “edge &#38; co”"#),
        "{page}"
    );
    assert!(!page.contains("compiled"), "{page}");
    let page = visitor.page("/?of=node:edge+%26+co&event=").await;
    for shown in [
        "<code>compiled</code>",
        "compiled into the agent",
        "<code>built-in</code>",
        "built-in",
        "in code",
        "<code>tools = [&#34;mcp__*&#34;]</code>",
        "as by default",
        "href=\"/settings#limits\"",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert!(page.contains(r#"co" selected>agent"#), "{page}");
    let forms = page.matches("name=\"priority\"").count();
    assert_eq!(forms, 2, "of the stored hooks alone: {page}");
    assert!(page.find(">later<").unwrap() < page.find(">first<").unwrap());
    let overview = visitor.page("/overview").await;
    assert!(
        overview.contains("/?of=node:edge%20%26%20co&event="),
        "{overview}"
    );
    let gone = visitor.get("/?of=node:none").await;
    assert_eq!(gone.status, 404);
    assert!(
        gone.body.contains("There is no order of a node"),
        "{gone:?}"
    );
}

#[tokio::test]
async fn an_execution_says_why() {
    let stored = stored().await;
    let (acme, by) = (stored.store.tenant("acme"), By::new("ada"));
    let hook = json!({ "name": "no-push", "event": "BeforeToolCall", "if": "args.command.contains('push')", "block": "not <now>" });
    acme.create(&hook, &by).await.unwrap();
    acme.publish(&by).await.unwrap();
    let visitor = stored.visit("acme", "viewer").await;
    assert!(
        visitor
            .page("/executions")
            .await
            .contains("No executions yet")
    );
    let agent = stored.client("acme", "operator").await;
    agent
        .door("/hooks/claude", &claude("Bash", "git push"))
        .await;
    let found = "/executions?hook=no-push&decision=block";
    let page = stored
        .eventually(async || {
            Some(visitor.page(found).await).filter(|page| page.contains("class=\"row\""))
        })
        .await;
    assert!(
        page.contains("not &#60;now&#62;") || page.contains("not &lt;now&gt;"),
        "{page}"
    );
    let path = page
        .split("href=\"/executions/")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let one = visitor.page(&format!("/executions/{path}")).await;
    assert!(
        one.contains("no-push") && one.contains("/sessions/s1"),
        "{one}"
    );
    // A viewer has no simulator.
    assert!(!one.contains("/simulator"), "{one}");
    let operator = stored.visit("acme", "operator").await;
    let one = operator.page(&format!("/executions/{path}")).await;
    assert!(one.contains("Open in the simulator"), "{one}");
    assert!(visitor.page("/sessions/s1").await.contains("no-push"));
    let record = |number: u64| {
        let mut record = hooks_runtime::Record::new(format!("hook-{number}"), "BeforeToolCall");
        record.session_id = "long".into();
        record
    };
    acme.insert((0..401).map(record).collect()).await.unwrap();
    let (mut next, mut sizes) = ("/sessions/long".to_owned(), Vec::new());
    for first in [0, 200, 400] {
        let page = visitor.page(&next).await;
        assert!(page.contains(&format!("<bdi>hook-{first}</bdi>")), "{page}");
        sizes.push(page.matches("class=\"row\"").count());
        let after = page.split("href=\"/sessions/long?").nth(1);
        let after = after.and_then(|after| after.split('"').next());
        next = format!("/sessions/long?{}", after.unwrap_or("none"));
    }
    assert_eq!((sizes, &*next), (vec![200, 200, 1], "/sessions/long?none"));
    assert!(
        visitor
            .page("/executions?tool=none")
            .await
            .contains("Nothing matches")
    );
    assert_eq!(visitor.get("/executions?decision=no").await.status, 400);
    assert_eq!(visitor.get("/executions/999").await.status, 404);
    let other = stored.visit("other", "owner").await;
    assert_eq!(other.get(&format!("/executions/{path}")).await.status, 404);
}

#[tokio::test]
async fn what_failed_is_found_and_whose_code_ran_is_told() {
    let stored = stored().await;
    let acme = stored.store.tenant("acme");
    let step = |hook: &str, handler: &str, outcome: &str, again: bool| json!({ "hook": hook, "handler": handler, "outcome": outcome, "shadow": hook == "look", "again": again, "duration_us": 5 });
    let record = |steps: &[serde_json::Value], reason: &str| -> hooks_runtime::Record {
        let record = json!({
            "at": "2026-01-31T08:00:00Z", "event": "BeforeToolCall", "revision": 1, "session_id": "", "hook": "", "outcome": "continue", "reason": reason, "duration_us": 9, "steps": steps,
        });
        serde_json::from_value(record).unwrap()
    };
    let failed = [
        step("mine", "compiled", "continue", false),
        step("BlockTools", "builtin", "continue", false),
        step("look", "rule", "block", false),
        step("gate", "http", "fault", false),
        step("look", "rule", "block", true),
    ];
    let other = [step("gate", "http", "continue", false)];
    let said = r#"it says "outcome":"fault""#;
    let records = vec![record(&failed, "none"), record(&other, said)];
    acme.insert(records).await.unwrap();
    let visitor = stored.visit("acme", "viewer").await;
    let page = visitor.page("/executions?decision=fault").await;
    assert!(
        page.contains("/executions/1\"") && !page.contains("/executions/2\""),
        "{page}"
    );
    // What a hook says twice, because it judges again, is told once.
    assert_eq!(page.matches("would block").count(), 1, "{page}");
    assert!(page.contains("href=\"/executions?decision=fault&#38;live=1\""));
    let page = visitor.page("/executions?decision=skipped").await;
    assert!(page.contains("Nothing matches"), "{page}");
    let one = visitor.page("/executions/1").await;
    for (name, code) in [
        ("mine", "compiled into the agent"),
        ("BlockTools", "built-in"),
    ] {
        let step = one.split(&format!("<bdi>{name}</bdi>")).nth(1).unwrap();
        let step = step.split("</li>").next().unwrap();
        assert!(step.contains(code), "{name}: {one}");
    }
}

#[tokio::test]
async fn the_simulator_shows_each_step_and_keeps_samples() {
    let stored = stored().await;
    let (acme, by) = (stored.store.tenant("acme"), By::new("ada"));
    let hooks = [
        json!({ "name": "no-push", "event": "BeforeToolCall", "priority": 9, "if": "args.command.contains('push')", "block": "no <b>" }),
        json!({ "name": "push", "event": "BeforeToolCall", "modify": { "command": "git push" } }),
        json!({ "name": "ask", "event": "BeforeToolCall", "priority": 5, "http": { "url": "https://example.com" } }),
    ];
    for hook in &hooks {
        acme.create(hook, &by).await.unwrap();
    }
    acme.publish(&by).await.unwrap();
    let visitor = stored.visit("acme", "publisher").await;
    let call = [
        ("name", "BeforeToolCall"),
        ("event", r#"{"name":"Bash","args":{"command":"ls"}}"#),
        ("cx", ""),
    ];
    let asked = visitor.send("/simulator", &call).await;
    assert_eq!(asked.status, 200, "{asked:?}");
    let page = asked.body;
    for said in [
        "judges again",
        "no &#60;b&#62;",
        "git push",
        "value=\"ask\"",
        "not run: it may have side effects",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    let wrong = visitor
        .send("/simulator", &[("name", "BeforeToolCall"), ("event", "{")])
        .await;
    assert_eq!(wrong.status, 422);
    assert!(
        wrong
            .body
            .contains("Event (JSON), line 1, column 1: EOF while parsing an object"),
        "{wrong:?}"
    );
    let saved = visitor
        .send(
            "/simulator/sample",
            &[&call[..], &[("sample", "a listing")]].concat(),
        )
        .await;
    let sample = saved.header("location").unwrap();
    assert!(visitor.page(sample).await.contains("a listing"));
    let draft = visitor
        .send(
            "/simulator",
            &[&call[..], &[("of", "draft"), ("run", "ask")]].concat(),
        )
        .await;
    assert!(
        draft.status == 422 && draft.body.contains("othing of a draft runs"),
        "{draft:?}"
    );
    let operator = stored.visit("acme", "operator").await;
    let refused = operator
        .send("/simulator", &[&call[..], &[("run", "ask")]].concat())
        .await;
    assert!(
        refused.status == 403 && refused.body.contains("publisher"),
        "{refused:?}"
    );
    assert_eq!(
        stored
            .visit("acme", "viewer")
            .await
            .get("/simulator")
            .await
            .status,
        403
    );
    for event in hooks_core::agent::AgentEvent::NAMES {
        visitor.page(&format!("/simulator?event={event}")).await;
    }
}

#[tokio::test]
async fn publishing_says_what_changes_and_the_way_back_is_there() {
    let stored = stored().await;
    let (acme, by) = (stored.store.tenant("acme"), By::new("ada"));
    let hook = json!({ "name": "gate", "event": "BeforeToolCall", "block": "no" });
    let gate = acme.create(&hook, &by).await.unwrap();
    let visitor = stored.visit("acme", "publisher").await;
    let page = visitor.page("/publish").await;
    assert!(
        page.find("name = &#34;gate&#34;") < page.find("block = &#34;no&#34;")
            && page.contains("name =")
            && page.contains("Publish 1 change<"),
        "{page}"
    );
    let published = visitor.publish("a <gate>").await;
    assert_eq!(
        published.header("location"),
        Some("/publish?done=published"),
        "{published:?}"
    );
    let other = json!({ "name": "gate", "event": "BeforeToolCall", "block": "never" });
    acme.update(&gate.id, gate.version, &other, &by)
        .await
        .unwrap();
    let page = visitor.page("/publish").await;
    assert!(
        page.contains(">live<") && page.contains("class=\"removed\""),
        "{page}"
    );
    visitor.publish("stricter").await;
    let first = visitor.page("/revisions/1").await;
    assert!(
        first.contains("a &#60;gate&#62;") && first.contains("Make revision 1 live again"),
        "{first}"
    );
    let back = visitor
        .send("/revisions/1/rollback", &[("comment", "too strict")])
        .await;
    assert_eq!(back.status, 303, "{back:?}");
    assert_eq!(acme.bundle().await.unwrap().hooks[0]["block"], "no");
    let author = stored.visit("acme", "author").await;
    assert_eq!(author.send("/publish", &[]).await.status, 403);
    assert_eq!(
        author
            .send("/revisions/2/rollback", &[("comment", "")])
            .await
            .status,
        403
    );
    assert_eq!(visitor.get("/revisions/99").await.status, 404);
}

#[tokio::test]
async fn what_is_wrong_is_told_within_the_frame() {
    let stored = stored().await;
    let viewer = stored.visit("acme", "viewer").await;
    let page = viewer.page("/").await;
    assert!(
        page.contains("data-key=\"p\"") && !page.contains("data-key=\"s\""),
        "{page}"
    );
    for (path, status, said) in [
        ("/nope", 404, "There is no such page"),
        ("/executions/7", 404, "There is no execution <code>7</code>"),
        ("/hook/a/priority", 405, "There is nothing to see"),
        (
            "/simulator",
            403,
            "Your role is viewer, and this needs operator",
        ),
    ] {
        let wrong = viewer.get(path).await;
        assert_eq!(wrong.status, status, "{path}");
        for said in [said, "<nav", "log out"] {
            assert!(wrong.body.contains(said), "{path} {said}: {wrong:?}");
        }
        assert!(!wrong.body.contains("Log in</a></p>"), "{wrong:?}");
    }
    let page = stored.daemon.get("/nope").await;
    assert!(
        page.status == 404 && page.body.contains("no such page"),
        "{page:?}"
    );
    assert!(!page.body.contains("<nav"), "{page:?}");
}

#[tokio::test]
async fn a_form_that_is_sent_without_a_session_comes_again_after_the_login() {
    let stored = stored().await;
    let token = stored.client("acme", "author").await.token;
    let late = stored.log_in(&token, "").await;
    late.send("/logout", &[]).await;

    // A script shows a message, and nothing takes the place of the form.
    let headers = format!("cookie: {}\r\nhx-request: true\r\n", late.cookie);
    let toml = "name = \"a&b\"\nevent = \"BeforeToolCall\"\ntools = \"deploy\"\nblock = \"<no>\"\n";
    let typed = [
        ("view", "toml"),
        ("toml", toml),
        ("do", "save"),
        ("version", "0"),
    ];
    let said = form(&stored, &headers, "/hook/convert", &typed).await;
    assert_eq!((said.status, said.header("hx-reswap")), (401, Some("none")));

    // Without one, the login keeps what was typed, also after a wrong token.
    let headers = "referer: http://localhost/hook/new?show=toml\r\n";
    let mut login = form(&stored, headers, "/hook/new", &typed).await;
    assert_eq!(login.status, 401);
    assert!(login.body.contains("What you sent is kept"), "{login:?}");
    let mut entered = None;
    for token in ["wrong", &token] {
        let unescaped = login.body.replace("&#38;", "&");
        let mut kept = fields(&unescaped, "/login");
        assert_eq!(kept[0], ("next", "/hook/new?show=toml"));
        for field in &mut kept {
            if field.0 == "token" {
                field.1 = token;
            }
        }
        let said = form(&stored, "", "/login", &kept).await;
        if token == "wrong" {
            login = said;
        } else {
            entered = Some(said);
        }
    }
    let entered = entered.unwrap();
    assert_eq!(entered.status, 200, "{entered:?}");
    let cookie = entered.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && entered.header("location").is_none());
    let page = &entered.body;
    for said in [
        "Send it now",
        "Show the form as it was",
        "href=\"/hook/new?show=toml\"",
        "a&#38;b",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    assert!(
        stored.has_no_hooks("acme").await,
        "nothing happens by the login"
    );

    let text = page
        .replace("&#34;", "'")
        .replace("&#38;", "&")
        .replace("&#60;", "<")
        .replace("&#62;", ">");
    let again: Vec<_> = fields(&text, "/hook/new")
        .into_iter()
        .map(|(name, value)| (name, value.replace('\'', "\"")))
        .collect();
    let again: Vec<_> = again
        .iter()
        .map(|(name, value)| (*name, &**value))
        .collect();
    assert_eq!(again[1], ("toml", toml));
    let headers = format!("cookie: {}\r\n", cookie.split(';').next().unwrap());
    // The form shows as it was, and is sent by a click.
    let shown: Vec<_> = again
        .iter()
        .copied()
        .filter(|(name, _)| *name != "do")
        .collect();
    let shown = form(&stored, &headers, "/hook/new", &shown).await;
    assert!(
        shown.status == 200 && shown.body.contains("a&#38;b"),
        "{shown:?}"
    );
    let saved = form(&stored, &headers, "/hook/new", &again).await;
    assert!(next(&saved).contains("done=saved"), "{saved:?}");

    // Another page cannot make anybody send anything.
    let headers = format!("{headers}sec-fetch-site: cross-site\r\n");
    let forged = [
        ("token", &*token),
        ("again", "/hook/new"),
        ("fields", "toml=x"),
    ];
    assert_eq!(form(&stored, &headers, "/login", &forged).await.status, 403);
    assert_eq!(
        form(&stored, &headers, "/hook/new", &typed).await.status,
        403
    );
}

/// The address that a form goes on to.
fn next(said: &Answered) -> &str {
    assert_eq!(said.status, 303, "{said:?}");
    said.header("location").unwrap()
}

/// The fields of the only form of a page that goes to an address.
fn fields<'a>(page: &'a str, action: &str) -> Vec<(&'a str, &'a str)> {
    let form = page.split(&format!("action=\"{action}\"")).nth(1);
    let form = form.unwrap_or_else(|| panic!("no {action}: {page}"));
    let form = form.split("</form>").next().unwrap();
    let fields = form.split("name=\"").skip(1);
    let fields = fields.map(|field| {
        let (name, rest) = field.split_once('"').unwrap();
        let value = rest.split_once("value=\"").map_or("", |(_, value)| value);
        (name, value.split('"').next().unwrap())
    });
    fields.collect()
}

#[tokio::test]
async fn to_go_back_keeps_what_is_not_published() {
    let stored = stored().await;
    let acme = stored.store.tenant("acme");
    let (ada, bo) = (By::new("ada"), By::new("bo").comment("for the release"));
    let hook = |name: &str| json!({ "name": name, "event": "BeforeToolCall", "block": "no" });
    for name in ["first", "wrong"] {
        acme.create(&hook(name), &ada).await.unwrap();
        acme.publish(&ada).await.unwrap();
    }
    let mine = acme.create(&hook("mine"), &bo).await.unwrap();
    let visitor = stored.visit("acme", "publisher").await;
    let page = visitor.page("/revisions/1").await;
    let (_, asked) = page.split_once("Not published (1)").unwrap();
    for said in [
        ">mine<",
        "by <bdi>bo</bdi>",
        "for the release",
        "value=\"keep\" checked",
        "value=\"discard\"",
    ] {
        assert!(asked.contains(said), "{said}: {page}");
    }
    let back = visitor
        .send("/revisions/1/rollback", &[("comment", "")])
        .await;
    let page = visitor.page(next(&back)).await;
    assert!(
        page.contains("Revision 1 is live again, as revision 3."),
        "{page}"
    );
    // The draft has what was not published, and nothing of what was taken back.
    assert!(
        page.contains("<b><bdi>mine</bdi></b>") && !page.contains("<b><bdi>wrong</bdi></b>"),
        "{page}"
    );
    assert!(acme.hook(&mine.id).await.unwrap().is_some());

    let fields = [("comment", ""), ("draft", "discard")];
    visitor.send("/revisions/2/rollback", &fields).await;
    assert!(acme.hook(&mine.id).await.unwrap().is_none());

    // By the API, the draft follows, unless it is asked for.
    let client = stored.client("acme", "publisher").await;
    for (keeps, to) in [(true, 1), (false, 2)] {
        let name = format!("other {keeps}");
        acme.create(&hook(&name), &bo).await.unwrap();
        let body = json!({ "comment": "back", "keep_draft": keeps });
        let back = client
            .post(&format!("/revisions/{to}/rollback"), &body)
            .await;
        assert_eq!(acme.hooks().await.unwrap().len(), 2, "{back:?}");
    }
}

#[tokio::test]
async fn each_change_can_be_undone_and_what_is_deleted_put_back() {
    let stored = stored().await;
    let (acme, by) = (stored.store.tenant("acme"), By::new("ada"));
    let hook = json!({ "name": "gate", "event": "BeforeToolCall", "block": "no" });
    let gate = acme.create(&hook, &by).await.unwrap();
    acme.publish(&by).await.unwrap();
    let visitor = stored.visit("acme", "author").await;
    let (at, undo) = (
        format!("/hook/{}", gate.id),
        format!("/hook/{}/undo", gate.id),
    );

    // A priority, and back.
    let form = [("version", "1"), ("priority", "7"), ("next", "/?of=draft")];
    let said = visitor.send(&format!("{at}/priority"), &form).await;
    let page = visitor.page(next(&said)).await;
    assert!(page.contains("Agents see it when you publish."), "{page}");
    let said = visitor.send(&undo, &fields(&page, &undo)).await;
    let now = acme.hook(&gate.id).await.unwrap().unwrap();
    assert_eq!((&now.body, now.version), (&gate.body, 3));
    // To undo it is a change that can be undone, and an old page undoes nothing.
    let again = visitor.page(next(&said)).await;
    assert_eq!(fields(&again, &undo)[0], ("version", "3"));
    assert_eq!(visitor.send(&undo, &fields(&page, &undo)).await.status, 412);
    // The same text is no change.
    assert!(
        visitor
            .page("/publish")
            .await
            .contains("Nothing to publish.")
    );

    // A hook that is deleted comes back by a click: at the banner, at Publish, and at its page.
    for put_back in ["banner", "publish", "deleted", "hook"] {
        let version = acme.hook(&gate.id).await.unwrap().unwrap().version;
        let form = [("version", &*version.to_string())];
        let said = visitor.send(&format!("{at}/delete"), &form).await;
        let page = visitor.page(next(&said)).await;
        assert!(
            page.contains("If it is live, agents run it until you publish."),
            "{page}"
        );
        let restore = format!("{at}/restore");
        let said = if put_back == "banner" {
            visitor.send(&undo, &fields(&page, &undo)).await
        } else {
            let page = match put_back {
                "hook" => {
                    let moved = visitor.get(&at).await;
                    let page = visitor.page(next(&moved)).await;
                    assert!(page.contains("deleted this hook"), "{page}");
                    page
                }
                part => {
                    let page = visitor.page("/publish").await;
                    assert!(page.contains("Deleted (1)"), "{page}");
                    let deleted = page.find("Deleted (1)").unwrap();
                    let (changes, list) = page.split_at(deleted);
                    if part == "deleted" { list } else { changes }.to_owned()
                }
            };
            visitor.send(&restore, &fields(&page, &restore)).await
        };
        next(&said);
        let now = acme.hook(&gate.id).await.unwrap().unwrap();
        assert_eq!(now.body, gate.body, "{put_back}");
    }

    // Before a hook was made, there was none.
    let made = acme
        .create(
            &json!({ "name": "new", "event": "BeforeToolCall", "block": "x" }),
            &by,
        )
        .await;
    let made = made.unwrap();
    let undo = format!("/hook/{}/undo", made.id);
    let said = visitor
        .send(&undo, &[("version", "1"), ("next", "/")])
        .await;
    assert!(next(&said).starts_with("/?done=undone"), "{said:?}");
    assert!(acme.hook(&made.id).await.unwrap().is_none());
    let viewer = stored.visit("acme", "viewer").await;
    let refused = viewer.send(&undo, &[("version", "2"), ("next", "/")]).await;
    assert_eq!(refused.status, 403);
}

#[tokio::test]
async fn what_is_published_is_what_was_read() {
    let stored = stored().await;
    let (acme, by) = (stored.store.tenant("acme"), By::new("ada"));
    let hook = |name: &str| json!({ "name": name, "event": "BeforeToolCall", "block": "no" });
    acme.create(&hook("read"), &by).await.unwrap();
    let visitor = stored.visit("acme", "publisher").await;
    let seen = acme.draft().await.unwrap().sha256();
    acme.create(&hook("unread"), &by).await.unwrap();
    for draft in [&*seen, ""] {
        let form = [("draft", draft), ("comment", "why not")];
        let told = visitor.send("/publish", &form).await;
        assert_eq!(told.status, 412);
        for said in [
            "Another editor changed the draft",
            "unread",
            "Publish 2 changes",
            "why not",
        ] {
            assert!(told.body.contains(said), "{said}: {told:?}");
        }
    }
    assert!(acme.bundle().await.unwrap().hooks.is_empty());
    assert_eq!(visitor.publish("now").await.status, 303);
    assert_eq!(acme.bundle().await.unwrap().hooks.len(), 2);
}

#[tokio::test]
async fn a_replay_says_what_would_be_decided_otherwise() {
    let stored = stored().await;
    let (acme, by) = (stored.store.tenant("acme"), By::new("ada"));
    acme.create(
        &json!({ "name": "look", "event": "BeforeToolCall", "mode": "shadow", "block": "no" }),
        &by,
    )
    .await
    .unwrap();
    acme.publish(&by).await.unwrap();
    let agent = stored.client("acme", "operator").await;
    agent
        .door("/hooks/claude", &claude("Bash", "git push"))
        .await;
    acme.create(
        &json!({ "name": "gate", "event": "BeforeToolCall", "block": "no" }),
        &by,
    )
    .await
    .unwrap();
    let publisher = stored.visit("acme", "publisher").await;
    let page = stored
        .eventually(async || {
            let page = publisher
                .send("/publish/replay", &[("limit", "100")])
                .await
                .body;
            page.contains("decisions would change").then_some(page)
        })
        .await;
    assert!(
        page.contains("git push")
            && page.contains(">gate<")
            && page.contains("href=\"/executions/1\""),
        "{page}"
    );
    // The button says what it does, and a bar shows each decision before and after.
    assert!(
        page.contains(
            "Publish 1 change<span id=\"says\">: blocks 1 of the last 2, 1 more than now<"
        ) && page.contains("<rect class=\"block\" y=\"8\" width=\"50\""),
        "{page}"
    );
    // What fails there is said before it is published.
    acme.create(
        &json!({ "name": "broken", "event": "BeforeToolCall", "priority": 9, "if": "args.nope.contains('x')",
            "block": "no" }),
        &by,
    )
    .await
    .unwrap();
    let page = publisher
        .send("/publish/replay", &[("limit", "100")])
        .await
        .body;
    assert!(
        page.contains("<bdi>broken</bdi> fails on 1 of the last 2 events"),
        "{page}"
    );
}

#[tokio::test]
async fn settings_are_changed_by_whoever_may() {
    let stored = stored().await;
    let acme = stored.store.tenant("acme");
    let owner = stored.visit("acme", "owner").await;
    let made = owner
        .send(
            "/settings/tokens",
            &[
                ("name", "ci <1>"),
                ("role", "viewer"),
                ("agent", ""),
                ("days", "90"),
            ],
        )
        .await;
    let again = [("name", "ci <1>"), ("role", "viewer"), ("agent", "")];
    let again = owner.send("/settings/tokens", &again).await.body;
    let told = again.matches("is a token with the name").count();
    assert!(told == 1 && again.contains("<li>Name: There is"), "{again}");
    let token = made
        .body
        .split("<pre>")
        .nth(1)
        .unwrap()
        .split('<')
        .next()
        .unwrap();
    assert_eq!(
        stored.with_token(token).get("/hooks").await.status,
        200,
        "{made:?}"
    );
    let page = owner.page("/settings").await;
    assert!(
        page.contains("ci &#60;1&#62;") && page.contains(">in 89 d<") && !page.contains(token),
        "{page}"
    );
    let id = acme
        .tokens()
        .await
        .unwrap()
        .into_iter()
        .find(|token| token.name == "ci <1>")
        .unwrap()
        .id;
    // It is asked first, and says when the token was used.
    let revoke = format!("/settings/tokens/{id}/revoke");
    let asked = stored.eventually(async || {
        let page = owner.page(&revoke).await;
        page.contains("Last used").then_some(page)
    });
    let asked = asked.await;
    for said in [
        "Revoke ci &#60;1&#62;?",
        "through api",
        "Keep it",
        "Role viewer",
    ] {
        assert!(asked.contains(said), "{said}: {asked}");
    }
    let revoked = owner.send(&revoke, &[]).await;
    let page = owner.page(next(&revoked)).await;
    assert!(
        page.contains("The token ci &#60;1&#62; is revoked."),
        "{page}"
    );
    assert_eq!(stored.with_token(token).get("/hooks").await.status, 401);
}

#[tokio::test]
async fn secrets_limits_and_budgets_are_changed_by_whoever_may() {
    let stored = stored().await;
    let acme = stored.store.tenant("acme");
    let owner = stored.visit("acme", "owner").await;
    let kept = owner
        .send(
            "/settings/secrets",
            &[("name", "gate"), ("value", "canary-7f3a")],
        )
        .await;
    let page = owner.page(next(&kept)).await;
    assert!(page.contains("The secret gate is set."), "{page}");
    let named = [("name", "a b"), ("value", "c")];
    let wrong = owner.send("/settings/secrets", &named).await.body;
    assert!(
        wrong.contains("Name: A secret cannot have this name."),
        "{wrong}"
    );
    assert!(
        page.contains("<code>gate</code>") && !page.contains("canary-7f3a"),
        "{page}"
    );
    let by = By::new("ada");
    let hook = json!({ "name": "asks", "event": "BeforeToolCall", "http": { "url": "https://a.example", "headers": { "x": "secret:gate" } } });
    let hook = acme.create(&hook, &by).await.unwrap();
    acme.publish(&by).await.unwrap();
    let asked = owner.page("/settings/secrets/gate/delete").await;
    assert!(
        asked.contains("Live hooks name it: asks.") && !asked.contains("Delete gate</button>"),
        "{asked}"
    );
    acme.delete(&hook.id, 1, &by).await.unwrap();
    acme.publish(&by).await.unwrap();
    let asked = owner.page("/settings/secrets/gate/delete").await;
    assert!(
        asked.contains("No live hook names it") && asked.contains("Delete gate</button>"),
        "{asked}"
    );
    let gone = owner.send("/settings/secrets/gate/delete", &[]).await;
    assert!(
        owner
            .page(next(&gone))
            .await
            .contains("The secret gate is deleted.")
    );
    assert!(acme.secrets().await.unwrap().is_empty());

    let wrong = owner
        .send(
            "/settings/tables",
            &[("version", "0"), ("toml", "[limits]\nchian = 1")],
        )
        .await;
    assert!(
        wrong.status == 422 && wrong.body.contains("chian"),
        "{wrong:?}"
    );
    let saved = owner
        .send(
            "/settings/tables",
            &[("version", "0"), ("toml", "[limits]\nchain = '1s'")],
        )
        .await;
    assert_eq!(saved.status, 303, "{saved:?}");
    assert_eq!(acme.settings().await.unwrap().body["limits"]["chain"], "1s");
    let set = owner
        .send("/settings/budget", &[("limit", " 1,000,000 ")])
        .await;
    let page = owner.page(next(&set)).await;
    for said in [
        "The limit of model tokens is set.",
        "set the limit of model tokens\n",
        "changed limits and other tables",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    assert_eq!(acme.budgets().await.unwrap()[0].limit, Some(1_000_000));
    assert!(
        owner
            .send("/settings/budget", &[("limit", "many")])
            .await
            .body
            .contains("Write a whole number")
    );
}

#[tokio::test]
async fn the_change_log_names_things_and_folds_views() {
    let stored = stored().await;
    let acme = stored.store.tenant("acme");
    let (ada, bo) = (By::new("ada").from("api"), By::new("bo"));
    let hook = json!({ "name": "gate", "event": "BeforeToolCall", "block": "no" });
    let gate = acme.create(&hook, &ada).await.unwrap();
    acme.publish(&ada).await.unwrap();
    acme.delete(&gate.id, 1, &bo.clone().comment("too strict"))
        .await
        .unwrap();
    let owner = stored.visit("acme", "owner").await;
    let page = owner.page("/settings").await;
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let versions = format!("/hook/{}/versions\"><bdi>gate</bdi></a>", gate.id);
    for said in [
        &*format!("made the hook <a href=\"{versions}"),
        &*format!("deleted the hook <a href=\"{versions}"),
        "published revision <a href=\"/revisions/1\">1</a>",
        "made the token <bdi>owner</bdi>",
        "too strict",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    let lines = |page: &str| {
        let log = page.split("id=\"log\"").nth(1).unwrap();
        log.matches("<tr>").count() - 1
    };
    assert_eq!(lines(&page), 4);
    for (filter, count) in [
        ("hook=gate", 2),
        ("who=bo", 1),
        ("hook=gate&who=ada", 1),
        ("hook=none", 0),
    ] {
        let page = owner.page(&format!("/settings?{filter}")).await;
        let found = if count == 0 {
            assert!(page.contains("No changes match."), "{page}");
            0
        } else {
            lines(&page)
        };
        assert_eq!(found, count, "{filter}");
    }

    // One line for what a person has read within an hour, and pages for the rest.
    let agent = stored.client("acme", "operator").await;
    agent.door("/hooks/claude", &claude("Bash", "ls")).await;
    let kept = stored.eventually(async || {
        let filter = hooks_store::ExecutionFilter::default();
        let all = acme.executions(&filter, None, 9).await.unwrap().items;
        all.into_iter().find(|execution| execution.has_detail)
    });
    let seq = kept.await.seq;
    for _ in 0..61 {
        acme.detail(seq, &By::new("eve")).await.unwrap();
    }
    for number in 0..60 {
        acme.put_secret(&format!("s{number}"), "v", &bo)
            .await
            .unwrap();
    }
    let first = owner.page("/settings").await;
    assert_eq!(lines(&first), 50);
    let older = first.split("href=\"/settings?before=").nth(1).unwrap();
    let older = older.split('"').next().unwrap().replace("&#38;", "&");
    let older = owner
        .page(&format!(
            "/settings?before={}",
            older.split('#').next().unwrap()
        ))
        .await;
    assert!(older.contains("60 more within the hour"), "{older}");
    // The rest of the secrets, the views, the token of the agent, and the four of before.
    assert!((15..=17).contains(&lines(&older)), "{older}");
}

#[tokio::test]
async fn a_viewer_changes_no_settings() {
    let stored = stored().await;
    let viewer = stored.visit("acme", "viewer").await;
    let page = viewer.page("/settings").await;
    assert!(
        !page.contains("id=\"tokens\"") && !page.contains("id=\"log\""),
        "{page}"
    );
    for (path, fields) in [
        ("/settings/tokens", vec![("name", "a"), ("role", "owner")]),
        ("/settings/secrets", vec![("name", "a"), ("value", "b")]),
        ("/settings/secrets/a/delete", vec![]),
        ("/settings/budget", vec![("limit", "1")]),
        ("/settings/tables", vec![("version", "1"), ("toml", "")]),
        ("/settings/tokens/a/revoke", vec![]),
    ] {
        assert_eq!(viewer.send(path, &fields).await.status, 403, "{path}");
    }
}

#[tokio::test]
async fn the_overview_counts_what_hooks_did() {
    let stored = stored().await;
    let (acme, by) = (stored.store.tenant("acme"), By::new("ada"));
    let hook = json!({ "name": "no-push", "event": "BeforeToolCall", "block": "no" });
    let id = acme.create(&hook, &by).await.unwrap().id;
    let hook = json!({ "name": "look", "event": "BeforeToolCall", "priority": 5, "mode": "shadow", "block": "no" });
    acme.create(&hook, &by).await.unwrap();
    acme.publish(&by).await.unwrap();
    let visitor = stored.visit("acme", "operator").await;
    let page = visitor.page("/overview").await;
    assert!(page.contains("No hook has run in this time"), "{page}");
    let agent = stored.client("acme", "operator").await;
    for _ in 0..3 {
        agent
            .door("/hooks/claude", &claude("Bash", "git push"))
            .await;
    }
    let page = stored
        .eventually(async || {
            let page = visitor.page("/overview").await;
            page.contains("<b>3</b> blocked").then_some(page)
        })
        .await;
    assert!(
        page.contains("3 block</title>")
            && page.contains("<b>3</b> would have been blocked")
            && page.contains("<bdi>no-push</bdi></a>"),
        "{page}"
    );
    let counted = agent.get("/activity?hook=no-push").await.json();
    assert_eq!(counted["items"][0]["outcome"], "block", "{counted}");
    assert_eq!(
        visitor
            .send("/overview/reset", &[("hook", "no-push")])
            .await
            .status,
        404
    );
    let report = NodeReport {
        breakers: vec![("no-push".to_owned(), hooks_runtime::BreakerState::Open)],
        ..NodeReport::default()
    };
    acme.report("edge", &report).await.unwrap();
    let form = [("hook", "no-push")];
    let reset = visitor.send("/overview/reset", &form).await;
    let page = visitor.page(next(&reset)).await;
    for said in [
        "The hook no-push will be asked again on edge.",
        "/ min</text>",
        &*format!("href=\"/hook/{id}\"><bdi>no-push</bdi>"),
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
}
