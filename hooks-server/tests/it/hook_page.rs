//! The page of a hook, without a browser: two views of one document, saved, tried, compared, restored.

use hooks_runtime::entry::TestEntry;
use hooks_store::{By, Capabilities};
use serde_json::{Value, json};

use crate::common::{Answered, Stored, claude, stored, stored_with};
use crate::console::Visitor;

/// The fields of a form with a rule.
const RULE: [(&str, &str); 8] = [
    ("view", "form"),
    ("toml", "event = \"BeforeToolCall\"\nblock = \"\"\n"),
    ("name", "no-force"),
    ("event", "BeforeToolCall"),
    ("kind", "block"),
    ("rule", "no force"),
    ("sure", "yes"),
    ("do", "save"),
];

/// The fields of a form, with some in the place of others.
fn with<'a>(fields: &[(&'a str, &'a str)], more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let is_old = |(name, _): &&(&str, &str)| more.iter().all(|(new, _)| new != name);
    fields.iter().filter(is_old).chain(more).copied().collect()
}

/// The id of the hook that was saved.
fn id(saved: &Answered) -> String {
    let to = saved
        .header("location")
        .unwrap_or_else(|| panic!("{saved:?}"));
    let id = to
        .strip_prefix("/hook/")
        .unwrap()
        .split('?')
        .next()
        .unwrap();
    id.to_owned()
}

async fn body(stored: &Stored, id: &str) -> Value {
    stored
        .store
        .tenant("acme")
        .hook(id)
        .await
        .unwrap()
        .unwrap()
        .body
}

/// What the view in TOML has.
fn toml(page: &str) -> String {
    let text = page.split("<textarea id=\"toml\"").nth(1).unwrap();
    let text = text
        .split_once(">\n")
        .unwrap()
        .1
        .split("</textarea>")
        .next()
        .unwrap();
    text.replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&#60;", "<")
        .replace("&#62;", ">")
}

async fn author(stored: &Stored) -> Visitor<'_> {
    stored.visit("acme", "author").await
}

#[tokio::test]
async fn a_hook_is_made_by_its_form() {
    let stored = stored().await;
    let author = author(&stored).await;
    let page = author.page("/hook/new").await;
    assert!(
        page.contains("New hook") && !page.contains("class=\"mistakes\""),
        "{page}"
    );
    let more = [
        ("tools", "Bash\r\nshell\r\n"),
        ("scope/agents", "writer"),
        ("if", "args.command.contains('--force')"),
        ("priority", "10"),
        ("mode", "shadow"),
        ("timeout", "2s"),
        ("on_failure", "skip"),
        ("comment", "no more of this"),
    ];
    let id = id(&author.send("/hook/new", &with(&RULE, &more)).await);
    let saved = stored
        .store
        .tenant("acme")
        .hook(&id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        saved.body,
        json!({ "name": "no-force", "event": "BeforeToolCall", "tools": ["Bash", "shell"],
        "scope": { "agents": ["writer"] }, "if": "args.command.contains('--force')", "block": "no force",
        "priority": 10, "mode": "shadow", "timeout": "2s", "on_failure": "skip" })
    );
    assert_eq!(saved.comment, "no more of this");
    let page = author.page(&format!("/hook/{id}?done=saved")).await;
    assert!(
        page.contains("Saved in the draft") && page.contains("saved by <bdi>author</bdi>"),
        "{page}"
    );
    let kinds = [
        (
            vec![
                ("kind", "http"),
                ("http/url", "https://example.com/hook"),
                ("http/headers", "{ \"X-A\": \"b\" }"),
            ],
            json!({ "url": "https://example.com/hook", "headers": { "X-A": "b" } }),
        ),
        (
            vec![("kind", "command"), ("command/run", "./gate.sh")],
            json!({ "run": "./gate.sh" }),
        ),
        (
            vec![("kind", "modify"), ("modify", "{ \"dry_run\": true }")],
            json!({ "dry_run": true }),
        ),
        (
            vec![("kind", "respond"), ("respond", "{args.command}")],
            json!("{args.command}"),
        ),
        (
            vec![("kind", "process"), ("process/argv", "gate\r\n--fast")],
            json!({ "argv": ["gate", "--fast"] }),
        ),
    ];
    for (number, (fields, handler)) in kinds.into_iter().enumerate() {
        let kind = fields[0].1;
        let name = format!("hook-{number}");
        let sent = with(&with(&RULE, &fields), &[("name", &name)]);
        let saved = author.send("/hook/new", &sent).await;
        let body = body(&stored, &self::id(&saved)).await;
        assert!(body.get("block").is_none(), "{body}");
        assert_eq!(body[kind], handler);
    }
}

#[tokio::test]
async fn the_two_views_are_one_document() {
    let stored = stored().await;
    let author = author(&stored).await;
    let text = "# why\nname = 'a'\nevent = ['ToolCallEnd', 'BeforeToolCall']\nharmless = true\ncommand = 'gate'\n[scope]\nagents = ['x']\n";
    let as_form = author
        .send(
            "/hook/new",
            &[("view", "toml"), ("toml", text), ("show", "form")],
        )
        .await;
    assert_eq!(as_form.status, 200);
    assert!(
        as_form.body.contains("value=\"a\"")
            && as_form.body.contains("value=\"ToolCallEnd\" checked>"),
        "{as_form:?}"
    );
    // What the form does not change stays as it was typed.
    let same = [
        ("view", "form"),
        ("toml", text),
        ("name", "a"),
        ("event", ""),
        ("event", "ToolCallEnd"),
        ("event", "BeforeToolCall"),
        ("kind", "command"),
        ("command/run", "gate"),
        ("command/argv", ""),
        ("scope/agents", "x"),
        ("priority", ""),
        ("show", "toml"),
    ];
    let as_toml = author.send("/hook/new", &same).await;
    assert_eq!(toml(&as_toml.body), text);
    // What it changes, and what it has no field for.
    let other = with(
        &same,
        &[
            ("name", "b"),
            ("scope/agents", ""),
            ("do", "save"),
            ("show", "form"),
        ],
    );
    let other = id(&author.send("/hook/new", &other).await);
    assert_eq!(
        body(&stored, &other).await,
        json!({ "name": "b", "event": ["ToolCallEnd", "BeforeToolCall"], "harmless": true, "command": "gate" })
    );
    // A change in one shows in the other.
    let live = author
        .send(
            "/hook/convert",
            &with(&same, &[("id", "new"), ("priority", "7")]),
        )
        .await;
    assert!(
        toml(&live.body).contains("priority = 7") && !live.body.contains("<html"),
        "{live:?}"
    );
    let changed = text.replace("harmless", "priority = 8\nharmless");
    let live = author
        .send(
            "/hook/convert",
            &[("id", "new"), ("view", "toml"), ("toml", &changed)],
        )
        .await;
    assert!(
        live.body.contains("name=\"priority\"") && live.body.contains("value=\"8\""),
        "{live:?}"
    );
    let saved = author
        .send(
            "/hook/new",
            &[("view", "toml"), ("toml", &changed), ("do", "save")],
        )
        .await;
    assert_eq!(body(&stored, &id(&saved)).await["priority"], 8);
    // A text that nobody can read loses nothing.
    let broken = author
        .send(
            "/hook/new",
            &with(
                &same,
                &[("toml", "name = [\n"), ("name", "typed"), ("do", "save")],
            ),
        )
        .await;
    assert_eq!(broken.status, 422);
    assert!(
        broken.body.contains("value=\"typed\"") && toml(&broken.body).starts_with("name = ["),
        "{broken:?}"
    );
    assert!(
        broken.body.contains("<a href=\"#toml\">TOML, line 1</a>"),
        "{broken:?}"
    );
}

#[tokio::test]
async fn all_mistakes_are_told_at_once_where_they_are() {
    let stored = stored().await;
    let author = author(&stored).await;
    let hostile = "<script>alert(1)</script>";
    let wrong = [
        ("name", hostile),
        ("priority", "high"),
        ("if", "1 +"),
        ("timeout", "soon"),
        ("rule", "</textarea><b>"),
    ];
    let told = author.send("/hook/new", &with(&RULE, &wrong)).await;
    assert_eq!(told.status, 422);
    let page = &told.body;
    for at in ["priority", "if", "timeout"] {
        assert!(
            page.contains(&format!("<a href=\"#{at}\">")),
            "{at}: {page}"
        );
        assert!(
            page.contains(&format!(
                "aria-describedby=\"wrong-{at} hint-{at}\" aria-invalid=\"true\""
            )),
            "{at}: {page}"
        );
    }
    assert!(
        page.contains("value=\"high\"") && page.contains("3 mistakes"),
        "{page}"
    );
    assert!(
        !page.contains(hostile) && !page.contains("</textarea><b>"),
        "{page}"
    );
    let text = "name = 'a'\nevent = 'BeforeToolCall'\nblok = 'no'\npriority = 'high'\n";
    let told = author
        .send(
            "/hook/new",
            &[("view", "toml"), ("toml", text), ("do", "save")],
        )
        .await;
    assert_eq!(told.status, 422);
    assert_eq!(toml(&told.body), text);
    for line in ["line 3", "line 4", "<code>3 blok = "] {
        assert!(told.body.contains(line), "{line}: {told:?}");
    }
    assert!(stored.has_no_hooks("acme").await);
}

#[tokio::test]
async fn of_very_many_mistakes_the_first_are_told() {
    let stored = stored().await;
    let author = author(&stored).await;
    let events = format!("event = [{}]\n", "'x', ".repeat(2_000));
    let keys: Vec<_> = (0..1_000)
        .map(|number| format!("k{number} = 1\n"))
        .collect();
    let keys = keys.concat();
    let lines = "kN =\n".repeat(2_000);
    let dates = format!("a = [{}]\n", "1979-05-27, ".repeat(2_000));
    for text in [&events, &keys, &lines, &dates] {
        let told = author
            .send(
                "/hook/new",
                &[("view", "toml"), ("toml", text), ("do", "save")],
            )
            .await;
        assert_eq!(told.status, 422);
        let mistakes = told.body.matches("<span class=\"mistake\">").count();
        assert!((100..=250).contains(&mistakes), "{mistakes}");
        assert!(told.body.len() < 3 << 20, "{}", told.body.len());
    }
    let client = stored.client("acme", "author").await;
    for text in [&events, &keys, &lines, &dates] {
        let told = client.post("/convert", &json!({ "toml": text })).await;
        let errors = told.json()["errors"].as_array().unwrap().len();
        assert!((100..=102).contains(&errors), "{errors}");
        assert!(told.body.len() < 300 << 10, "{}", told.body.len());
    }
    let long = format!(
        "event = 'BeforeToolCall'\nblock = '{}'\n",
        "x".repeat(64 << 10)
    );
    let told = author
        .send(
            "/hook/new",
            &[("view", "toml"), ("toml", &long), ("do", "save")],
        )
        .await;
    assert!(
        told.status == 422 && told.body.contains("a hook may have 64 kB"),
        "{told:?}"
    );
    let body = json!({ "name": "a", "event": "BeforeToolCall", "block": "x".repeat(64 << 10) });
    let told = client.post("/hooks", &body).await;
    assert!(
        told.status == 422 && told.body.contains("a hook may have 64 kB"),
        "{told:?}"
    );
    let viewer = stored.visit("acme", "viewer").await;
    let asked = [("view", "toml"), ("toml", &*events), ("show", "form")];
    assert_eq!(viewer.send("/hook/new", &asked).await.status, 403);
}

#[tokio::test]
async fn two_who_save_at_once_lose_nothing() {
    let stored = stored().await;
    let author = author(&stored).await;
    let id = id(&author.send("/hook/new", &RULE).await);
    let path = format!("/hook/{id}");
    let theirs = with(&RULE, &[("rule", "theirs"), ("version", "1")]);
    assert_eq!(author.send(&path, &theirs).await.status, 303);
    let mine = with(&RULE, &[("rule", "mine"), ("version", "1")]);
    let told = author.send(&path, &mine).await;
    assert_eq!(told.status, 412);
    assert!(
        told.body.contains("has saved version 2")
            && told.body.contains("theirs")
            && toml(&told.body).contains("mine"),
        "{told:?}"
    );
    assert!(
        told.body.contains("name=\"version\" value=\"2\""),
        "{told:?}"
    );
    assert_eq!(
        author
            .send(&path, &with(&mine, &[("version", "2")]))
            .await
            .status,
        303
    );
    assert_eq!(body(&stored, &id).await["block"], "mine");
    let mode = [("version", "3"), ("mode", "off")];
    assert_eq!(
        author.send(&format!("{path}/mode"), &mode).await.status,
        303
    );
    assert_eq!(
        author.send(&format!("{path}/mode"), &mode).await.status,
        412
    );
    assert!(author.page(&path).await.contains("Turn on"));
}

#[tokio::test]
async fn a_kind_that_is_forbidden_is_greyed_out_and_refused() {
    let stored = stored_with(
        Capabilities::all().without_handlers(["command"]),
        |server| server,
    )
    .await;
    let author = author(&stored).await;
    let page = author.page("/hook/new").await;
    assert!(
        page.contains("data-part=\"command\" disabled>command — not allowed here"),
        "{page}"
    );
    assert!(page.contains("data-part=\"http\">http<"), "{page}");
    let settings = author.page("/settings").await;
    for said in [
        "bad\">command: not allowed<",
        "good\">http: allowed<",
        "good\">agent: allowed<",
    ] {
        assert!(settings.contains(said), "{said}: {settings}");
    }
    let told = author
        .send(
            "/hook/new",
            &with(&RULE, &[("kind", "command"), ("command/run", "true")]),
        )
        .await;
    assert_eq!(told.status, 422);
    assert!(
        told.body.contains("do not run here") && told.body.contains("<a href=\"#kind\">"),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_hook_is_tried_as_it_is_typed_and_nothing_runs() {
    let stored = stored().await;
    let author = author(&stored).await;
    let tries = [
        ("kind", "modify"),
        ("modify", "{ \"dry_run\": true }"),
        ("mode", "off"),
        ("do", "try"),
        (
            "trial",
            "{ \"event\": \"BeforeToolCall\", \"name\": \"deploy\", \"args\": { \"to\": \"<b>\" } }",
        ),
    ];
    let told = author.send("/hook/new", &with(&RULE, &tries)).await.body;
    assert!(
        told.contains("modify</span>")
            && told.contains("class=\"added\">    &#34;dry_run&#34;: true"),
        "{told}"
    );
    assert!(!told.contains("<b>"), "{told}");
    let ran = stored.folder.path().join("ran");
    let command = format!("touch {}", ran.display());
    let tries = [
        ("kind", "command"),
        ("command/run", command.as_str()),
        ("do", "try"),
    ];
    let told = author.send("/hook/new", &with(&RULE, &tries)).await.body;
    assert!(
        told.contains("not run</span>")
            && told.contains("not run: it may have side effects")
            && !ran.exists(),
        "{told}"
    );
    let told = author
        .send(
            "/hook/new",
            &with(&RULE, &[("do", "try"), ("if", "args.command == 'x'")]),
        )
        .await
        .body;
    assert!(told.contains("does not match</span>"), "{told}");
    let told = author
        .send("/hook/new", &with(&RULE, &[("do", "try"), ("trial", "{")]))
        .await
        .body;
    assert!(
        told.contains("Event, line 1, column 1: EOF while parsing"),
        "{told}"
    );
    let told = author
        .send(
            "/hook/new",
            &with(&RULE, &[("do", "try"), ("rule", "{1 +}")]),
        )
        .await;
    assert!(
        told.status == 200 && told.body.contains("One mistake"),
        "{told:?}"
    );
    let sample = TestEntry {
        tool: None,
        args: None,
        expect: None,
        name: "a push".into(),
        event: "BeforeToolCall".into(),
        cx: json!({}),
        body: json!({ "name": "Bash", "args": {} }),
    };
    let sample = stored
        .store
        .tenant("acme")
        .save_sample(&sample, &By::new("ada"))
        .await
        .unwrap();
    let told = author
        .send(
            "/hook/new",
            &with(&RULE, &[("do", "try"), ("sample", &sample.id)]),
        )
        .await
        .body;
    assert!(
        told.contains("a push") && told.contains("block</span>") && told.contains("no force"),
        "{told}"
    );
    assert!(stored.has_no_hooks("acme").await);
}

#[tokio::test]
async fn a_hook_is_deleted_compared_and_restored() {
    let stored = stored().await;
    let author = author(&stored).await;
    let id = id(&author.send("/hook/new", &RULE).await);
    let path = format!("/hook/{id}");
    author
        .send(
            &path,
            &with(&RULE, &[("rule", "second <i>"), ("version", "1")]),
        )
        .await;
    let versions = author.page(&format!("{path}/versions")).await;
    assert!(
        versions.contains("class=\"removed\">block = &#34;no force&#34;"),
        "{versions}"
    );
    assert!(
        versions.contains("class=\"added\">block = &#34;second &#60;i&#62;&#34;"),
        "{versions}"
    );
    let same = author.page(&format!("{path}/versions?from=1&to=1")).await;
    assert!(same.contains("Nothing differs"), "{same}");
    assert!(
        author
            .page(&format!("{path}/delete"))
            .await
            .contains("Delete no-force?")
    );
    let deleted = author
        .send(&format!("{path}/delete"), &[("version", "2")])
        .await;
    let to = deleted.header("location").unwrap();
    assert!(to.starts_with("/?of=draft&done=deleted&undo="), "{to}");
    assert_eq!(
        author.get(&path).await.header("location"),
        Some(&*format!("{path}/versions"))
    );
    // Whoever still writes on it keeps what they wrote.
    let late = author
        .send(&path, &with(&RULE, &[("rule", "late"), ("version", "2")]))
        .await;
    assert!(
        late.status == 404 && toml(&late.body).contains("late"),
        "{late:?}"
    );
    let restore = [("version", "1"), ("expected", "3")];
    assert_eq!(
        author
            .send(&format!("{path}/restore"), &restore)
            .await
            .status,
        303
    );
    assert_eq!(body(&stored, &id).await["block"], "no force");
    assert_eq!(
        author
            .send(&format!("{path}/restore"), &restore)
            .await
            .status,
        412
    );
    assert_eq!(author.get("/hook/no/versions").await.status, 404);
}

#[tokio::test]
async fn a_viewer_reads_and_writes_nothing() {
    let stored = stored().await;
    let owner = stored.visit("acme", "owner").await;
    let id = id(&owner.send("/hook/new", &RULE).await);
    stored
        .store
        .tenant("acme")
        .publish(&By::new("ada"))
        .await
        .unwrap();
    let agent = stored.client("acme", "operator").await;
    agent.door("/hooks/claude", &claude("Bash", "ls")).await;
    let path = format!("/hook/{id}");
    let viewer = stored.visit("acme", "viewer").await;
    let page = stored
        .eventually(async || {
            Some(viewer.page(&path).await).filter(|page| page.contains("class=\"row\""))
        })
        .await;
    assert!(
        page.contains("fieldset class=\"fields\" disabled")
            && page.contains(" readonly")
            && !page.contains("hx-post"),
        "{page}"
    );
    for (path, fields) in [
        ("/hook/new".to_owned(), RULE.to_vec()),
        (path.clone(), RULE.to_vec()),
        (path.clone(), with(&RULE, &[("do", "try")])),
        ("/hook/convert".to_owned(), RULE.to_vec()),
        (
            format!("{path}/mode"),
            vec![("version", "1"), ("mode", "off")],
        ),
        (format!("{path}/delete"), vec![("version", "1")]),
        (
            format!("{path}/restore"),
            vec![("version", "1"), ("expected", "1")],
        ),
    ] {
        assert_eq!(viewer.send(&path, &fields).await.status, 403, "{path}");
    }
    let other = stored.visit("other", "owner").await;
    let gone = other.get(&path).await;
    assert_eq!(gone.header("location"), Some(&*format!("{path}/versions")));
    for path in [format!("{path}/versions"), format!("{path}/delete")] {
        assert_eq!(other.get(&path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn the_global_tenant_says_for_whom() {
    let stored = stored().await;
    let owner = stored.visit("", "owner").await;
    assert!(owner.page("/hook/new").await.contains("name=\"mandatory\""));
    let fields = [("mandatory", "true"), ("scope/tenants", "acme")];
    let id = id(&owner.send("/hook/new", &with(&RULE, &fields)).await);
    let hook = async || {
        stored
            .store
            .tenant("")
            .hook(&id)
            .await
            .unwrap()
            .unwrap()
            .body
    };
    assert_eq!(
        (
            &hook().await["mandatory"],
            &hook().await["scope"]["tenants"][0]
        ),
        (&json!(true), &json!("acme"))
    );
    let text =
        "name = 'no-force'\nevent = 'BeforeToolCall'\nblock = 'no force'\nmandatory = true\n";
    let off = with(
        &RULE,
        &[("mandatory", ""), ("toml", text), ("version", "1")],
    );
    assert_eq!(owner.send(&format!("/hook/{id}"), &off).await.status, 303);
    assert!(hook().await.get("mandatory").is_none());
    let author = author(&stored).await;
    assert!(
        !author
            .page("/hook/new")
            .await
            .contains("name=\"mandatory\"")
    );
}

/// The fields of a form with a handler of a kind.
fn of_kind<'a>(kind: &'a str, fields: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    with(&with(&RULE, fields), &[("kind", kind), ("tools", "Bash")])
}

#[tokio::test]
async fn an_empty_field_is_no_key_and_a_list_is_a_list() {
    let stored = stored().await;
    let author = author(&stored).await;
    let saved = async |fields: &[(&str, &str)]| {
        let id = id(&author.send("/hook/new", fields).await);
        let body = body(&stored, &id).await;
        let page = author.page(&format!("/hook/{id}")).await;
        author
            .send(&format!("/hook/{id}/delete"), &[("version", "1")])
            .await;
        (body, page)
    };
    let command = [
        ("command/run", ""),
        ("command/argv", "python3 'my judge.py' --fast"),
    ];
    let (body, page) = saved(&of_kind("command", &command)).await;
    assert_eq!(
        body["command"],
        json!({ "argv": ["python3", "my judge.py", "--fast"] })
    );
    assert!(
        page.contains("python3 &#39;my judge.py&#39; --fast"),
        "{page}"
    );
    let (body, _) = saved(&of_kind("process", &[("process/argv", "python3 judge.py")])).await;
    assert_eq!(body["process"]["argv"], json!(["python3", "judge.py"]));
    let http = [
        ("http/url", "https://example.com/"),
        ("http/headers", "X-Team: ops\r\n\r\nX-Time: 10:30"),
    ];
    let (body, page) = saved(&of_kind("http", &http)).await;
    assert_eq!(
        body["http"]["headers"],
        json!({ "X-Team": "ops", "X-Time": "10:30" })
    );
    assert!(
        page.contains("X-Team: ops\nX-Time: 10:30</textarea>"),
        "{page}"
    );
    let change = json!({ "command": "ls", "deep": { "dry_run": true } });
    for text in [
        "command = \"ls\"\r\ndeep = { dry_run = true }",
        "{ command = \"ls\", deep = { dry_run = true } }",
        "{ \"command\": \"ls\", \"deep\": { \"dry_run\": true } }",
    ] {
        let (body, page) = saved(&of_kind("modify", &[("modify", text)])).await;
        assert_eq!(body["modify"], change, "{text}");
        assert!(page.contains("command = &#34;ls&#34;"), "{page}");
    }
    let more = [
        ("tools", "Bash, Exec,\r\nmcp__{a,b}__*"),
        ("scope/agents", "writer, coder"),
        ("guard", "false"),
    ];
    let (body, _) = saved(&with(&RULE, &more)).await;
    assert_eq!(body["tools"], json!(["Bash", "Exec", "mcp__{a,b}__*"]));
    assert_eq!(body["scope"]["agents"], json!(["writer", "coder"]));
    assert_eq!(body["guard"], false);
    let (body, _) = saved(&with(&RULE, &[("matcher", "^Bash$")])).await;
    assert_eq!(
        (&body["matcher"], body.get("tools")),
        (&json!("^Bash$"), None)
    );
}

#[tokio::test]
async fn mistakes_are_in_the_words_of_the_form_and_each_is_told_once() {
    let stored = stored().await;
    let author = author(&stored).await;
    let wrong = [
        ("http/url", "gate.example.com/x"),
        ("http/headers", "Authorization"),
        ("http/secret", "hunter2"),
        ("http/retries", "many"),
        ("if", "args.command == 'ls' &&"),
    ];
    let told = author.send("/hook/new", &of_kind("http", &wrong)).await;
    assert_eq!(told.status, 422);
    let page = &told.body;
    for (at, said) in [
        ("http-url", "The URL is refused"),
        ("http-headers", "Write one on each line, as "),
        ("http-secret", ""),
        ("http-retries", "Write a whole number."),
        ("if", "something is missing after <code>&amp;&amp;</code>"),
    ] {
        let said = said.replace("&amp;", "&#38;");
        let place = format!("<span id=\"wrong-{at}\"><span class=\"mistake\">");
        let found = page
            .split(&place)
            .nth(1)
            .unwrap_or_else(|| panic!("{at}: {page}"));
        assert!(
            found.split("<small").next().unwrap().contains(&said),
            "{at}: {found}"
        );
        assert!(page.contains(&format!("<a href=\"#{at}\">")), "{at}");
    }
    let mistakes = page.matches("class=\"mistake\"");
    assert_eq!(mistakes.count(), 5, "{page}");
    let secret = [
        ("http/url", "https://example.com/"),
        ("http/headers", "Authorization: secret:gate"),
    ];
    let told = author
        .send("/hook/new", &of_kind("http", &secret))
        .await
        .body;
    assert!(
        told.contains("There is no secret <code>gate</code>. <a href=\"/settings#secrets\">"),
        "{told}"
    );
    // What is in no field is told at the head; in TOML, each is at its line.
    let text = "name = 'a'\nevent = 'BeforeToolCall'\nblok = 'no'\npriority = 'high'\n";
    let show = [("view", "toml"), ("toml", text), ("show", "form")];
    let told = author.send("/hook/new", &show).await.body;
    let head = told
        .split("id=\"summary\"")
        .nth(1)
        .unwrap()
        .split("</div>")
        .next()
        .unwrap();
    assert!(
        head.contains("Unknown key <code>blok</code>") && !head.contains("whole number"),
        "{head}"
    );
    let told = author
        .send(
            "/hook/new",
            &[("view", "toml"), ("toml", text), ("do", "save")],
        )
        .await
        .body;
    assert!(
        told.contains("<code>3 blok = &#39;no&#39;</code><span class=\"mistake\">Unknown key"),
        "{told}"
    );
    for page in [&told, page] {
        for other in ["hooks.on[", "EOF", "HOOKS_SECRET", "`"] {
            assert!(!page.contains(other), "{other}: {page}");
        }
    }
}

#[tokio::test]
async fn a_hook_has_a_name_and_a_text() {
    let stored = stored().await;
    let author = author(&stored).await;
    let told = author
        .send("/hook/new", &with(&RULE, &[("name", ""), ("rule", " ")]))
        .await;
    assert_eq!(told.status, 422);
    for said in ["Give the hook a name", "Write the text"] {
        assert_eq!(told.body.matches(said).count(), 1, "{said}: {}", told.body);
    }
    let client = stored.client("acme", "author").await;
    let hook = json!({ "event": "BeforeToolCall", "tools": ["Bash"], "block": "no" });
    let told = client.post("/hooks", &hook).await;
    assert_eq!(
        (told.status, &told.json()["errors"][0]["path"]),
        (422, &json!("/name"))
    );
    let id = id(&author.send("/hook/new", &RULE).await);
    let told = client
        .send("PUT", &format!("/hooks/{id}"), "if-match: \"1\"\r\n", &hook)
        .await;
    assert_eq!(
        (told.status, &told.json()["errors"][0]["path"]),
        (422, &json!("/name"))
    );
}

#[tokio::test]
async fn what_is_probably_not_meant_is_told_on_the_form_and_before_publishing() {
    let stored = stored().await;
    let author = author(&stored).await;
    let unsure = with(&RULE, &[("sure", "")]);
    let told = author.send("/hook/new", &unsure).await;
    assert_eq!(told.status, 422);
    let question = "name=\"sure\" value=\"yes\"> This blocks every tool call. Really?";
    assert!(told.body.contains(question), "{told:?}");
    assert!(stored.has_no_hooks("acme").await);
    let never = [("name", "never"), ("tools", "Write"), ("if", "Bash(git *)")];
    let id = id(&author.send("/hook/new", &with(&unsure, &never)).await);
    let page = author.page(&format!("/hook/{id}")).await;
    assert!(
        page.contains("What to know before you save") && page.contains("The hook never runs"),
        "{page}"
    );
    assert!(!page.contains("Really?"), "{page}");
    assert_eq!(author.send("/hook/new", &RULE).await.status, 303);
    let publish = author.page("/publish").await;
    for said in [
        "What to know",
        "the hook never runs",
        "the hook blocks every tool call",
    ] {
        assert!(publish.contains(said), "{said}: {publish}");
    }
    let token = "ghp_0123456789abcdefABCDEF0123456789abcd";
    let command = format!("gate --token {token}");
    let fields = of_kind("command", &[("name", "gate"), ("command/run", &*command)]);
    let live = author
        .send("/hook/convert", &with(&fields, &[("id", "new")]))
        .await
        .body;
    assert!(
        live.contains("The hook shows a credential in <code>command</code>"),
        "{live}"
    );
}

#[tokio::test]
async fn the_text_that_somebody_wrote_stays_with_its_comments() {
    let stored = stored().await;
    let author = author(&stored).await;
    let text = "# why there is this hook\nname = 'a' # its name\nevent = 'BeforeToolCall'\n\n# which tools\ntools = [\n  'Bash',\n]\n# the text\nblock = 'no'\n";
    let save = |text| {
        [
            ("view", "toml"),
            ("toml", text),
            ("version", "1"),
            ("do", "save"),
        ]
    };
    let id = id(&author.send("/hook/new", &save(text)).await);
    let path = format!("/hook/{id}");
    assert_eq!(toml(&author.page(&path).await), text);
    // The form changes what it changes, and no more.
    let fields = [
        ("view", "form"),
        ("toml", text),
        ("name", "b"),
        ("tools", "Bash"),
        ("kind", "ask"),
        ("rule", "sure?"),
        ("version", "1"),
        ("do", "save"),
    ];
    assert_eq!(author.send(&path, &fields).await.status, 303);
    let now = text
        .replace("'a' #", "\"b\" #")
        .replace("block = 'no'", "ask = \"sure?\"");
    assert_eq!(toml(&author.page(&path).await), now);
    // So does a program that knows nothing of the text.
    let mode = [("version", "2"), ("mode", "off")];
    assert_eq!(
        author.send(&format!("{path}/mode"), &mode).await.status,
        303
    );
    assert_eq!(
        toml(&author.page(&path).await),
        format!("{now}mode = \"off\"\n")
    );
}

#[tokio::test]
async fn what_the_api_takes_can_be_edited() {
    let stored = stored().await;
    let author = author(&stored).await;
    let client = stored.client("acme", "author").await;
    let tools: Vec<_> = (0..5_000).map(|number| format!("mcp__t{number}")).collect();
    let hook = json!({ "name": "many", "event": "BeforeToolCall", "tools": tools, "block": "no" });
    assert!(hook.to_string().len() > 50 << 10);
    let made = client.post("/hooks", &hook).await;
    let path = format!("/hook/{}", made.json()["id"].as_str().unwrap());
    let page = author.page(&path).await;
    let text = toml(&page);
    assert!(
        !page.contains("class=\"mistakes\"") && text.lines().count() == 4,
        "{}",
        text.len()
    );
    let fields = [
        ("view", "toml"),
        ("toml", &*text),
        ("version", "1"),
        ("do", "save"),
    ];
    assert_eq!(author.send(&path, &fields).await.status, 303);
}

#[tokio::test]
async fn the_past_is_judged_while_a_hook_is_written() {
    let stored = stored().await;
    let acme = stored.store.tenant("acme");
    let agent = stored.client("acme", "operator").await;
    // Events are kept as soon as a hook looks.
    let look =
        json!({ "name": "look", "event": "BeforeToolCall", "mode": "shadow", "block": "no" });
    acme.create(&look, &By::new("ada")).await.unwrap();
    acme.publish(&By::new("ada")).await.unwrap();
    for command in ["ls", "git push --force", "git push"] {
        agent.door("/hooks/claude", &claude("Bash", command)).await;
    }
    let author = stored.visit("acme", "author").await;
    let written = |condition: &str| {
        format!(
            "event = \"BeforeToolCall\"\nname = \"force\"\nif = \"{condition}\"\nblock = \"no\"\n"
        )
    };
    let judged = async |condition: &str| {
        let toml = written(condition);
        let sent = [("id", "new"), ("view", "toml"), ("toml", &*toml)];
        author.send("/hook/past", &sent).await.body
    };
    let forced = "args.command.contains('--force')";
    let said = stored
        .eventually(async || {
            // Another person reads the events anew.
            let author = stored.visit("acme", "author").await;
            let toml = written(forced);
            let sent = [("id", "new"), ("view", "toml"), ("toml", &*toml)];
            let said = author.send("/hook/past", &sent).await.body;
            said.contains("of the last 6 events").then_some(said)
        })
        .await;
    assert!(
        said.contains(">1 block<")
            && said.contains("matches 1 of the last 6 events, in 1 session.")
            && said.contains("git push --force"),
        "{said}"
    );
    let reads = async || {
        let log = acme.admin_log(None, 100).await.unwrap().items;
        log.iter()
            .filter(|one| one.action == "execution.past")
            .count()
    };
    judged(forced).await;
    let before = reads().await;
    let other = judged("args.command.startsWith('ls')").await;
    assert!(
        other.contains(">1 block<") && !other.contains("--force"),
        "{other}"
    );
    let none = judged("args.command == 'nope'").await;
    assert!(none.contains("matches none of the last 6 events"), "{none}");
    let fails = judged("args.nope.contains('x')").await;
    assert!(fails.contains("fails on 3 of the last 6 events"), "{fails}");
    let wrong = judged("args.command ==").await;
    assert!(wrong.contains("Correct the mistakes"), "{wrong}");
    // Who writes reads the events once, and not with each letter.
    assert_eq!(reads().await, before);
    // Without a script, a button asks.
    let toml = written(forced);
    let sent = [("view", "toml"), ("toml", &*toml), ("do", "past")];
    let page = author.send("/hook/new", &sent).await.body;
    assert!(
        page.contains(">1 block<") && page.contains("The last 1000 events"),
        "{page}"
    );
    let operator = stored.visit("acme", "operator").await;
    assert_eq!(operator.send("/hook/past", &sent).await.status, 403);
}
