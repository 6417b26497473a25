//! Who is asked, and what answers mean.

use std::io::{self, BufRead, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use hooks_builtin::config::{HookFactoryRegistry, HooksConfig};
use hooks_builtin::{
    Approval, ApprovalConfig, ApprovalRequest, Approver, ApproverKind, ChannelApprover, Globs,
    TerminalApprover, Verdict,
};
use hooks_core::agent::{
    AgentContext, ApproveToolCall, BeforeToolCall, ToolAnnotations, ToolCall, ToolOutput,
    run_tool_call,
};
use hooks_core::{HookResult, async_trait, hooks};
use serde_json::{Value, json};

async fn ask_in(
    approval: &Approval,
    session: &str,
    name: &str,
    args: &Value,
) -> Result<(), String> {
    let mut call = ApproveToolCall {
        id: "1",
        name,
        args,
        annotations: ToolAnnotations::default(),
        approval: &hooks_core::agent::Approval::Usual,
    };
    let cx = AgentContext::new(session);
    match hooks![approval]
        .intercept(&cx, &mut call)
        .await
        .into_result()
    {
        Ok(_) => Ok(()),
        Err(cancel) => Err(cancel.reason.into_owned()),
    }
}

async fn ask(approval: &Approval, name: &str) -> Result<(), String> {
    ask_in(approval, "s1", name, &json!({ "command": "ls" })).await
}

/// Gives one answer, and counts how often it was asked.
struct Says(Verdict, Arc<AtomicUsize>);

#[async_trait]
impl Approver for Says {
    async fn ask(&self, _: &ApprovalRequest) -> Verdict {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.clone()
    }
}

fn says(verdict: Verdict) -> (Approval, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    (Approval::new(Says(verdict, asked.clone())), asked)
}

#[tokio::test]
async fn always_is_remembered_for_the_tool_and_the_session() {
    let (approval, asked) = says(Verdict::Always);
    for (session, tool, times) in [
        ("s1", "shell", 1),
        ("s1", "shell", 1),
        ("s1", "write", 2),
        ("s2", "shell", 3),
        ("s2", "shell", 3),
    ] {
        assert_eq!(ask_in(&approval, session, tool, &json!({})).await, Ok(()));
        assert_eq!(asked.load(Ordering::Relaxed), times);
    }
    let mut call = ApproveToolCall {
        id: "1",
        name: "shell",
        args: &json!({}),
        annotations: ToolAnnotations::default(),
        approval: &hooks_core::agent::Approval::Usual,
    };
    let elsewhere = AgentContext::new("s1").with_tenant_id("another");
    let result = hooks![&approval].intercept(&elsewhere, &mut call).await;
    assert!(
        matches!(result, HookResult::Respond(_)),
        "a yes is a response"
    );
    assert_eq!(asked.load(Ordering::Relaxed), 4, "of another tenant");
    let (approval, asked) = says(Verdict::Yes);
    assert!(ask(&approval, "shell").await.is_ok() && ask(&approval, "shell").await.is_ok());
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn only_the_tools_that_need_it_are_asked_about() {
    let (approval, asked) = says(Verdict::No("no".into()));
    let approval = approval
        .with_tools(Globs::new(["file_*", "shell"]).unwrap())
        .with_except(Globs::new(["file_read"]).unwrap());
    assert!(ask(&approval, "list").await.is_ok() && ask(&approval, "file_read").await.is_ok());
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    assert_eq!(
        ask(&approval, "file_write").await.unwrap_err(),
        "`file_write` was denied: no"
    );
}

#[tokio::test(start_paused = true)]
async fn no_answer_in_time_denies() {
    let (approver, _requests) = ChannelApprover::new(1);
    let approval = Approval::new(approver).with_timeout(Duration::from_secs(90));
    assert_eq!(
        ask(&approval, "shell").await.unwrap_err(),
        "`shell` was denied: no one answered within 1m 30s"
    );
}

#[tokio::test]
async fn an_interface_answers_through_the_channel_and_one_that_has_gone_denies() {
    let (approver, mut requests) = ChannelApprover::new(1);
    let approval = Approval::new(approver);
    let interface = tokio::spawn(async move {
        let first = requests.recv().await.unwrap();
        assert_eq!(
            *first.request(),
            ApprovalRequest {
                session_id: "s1".into(),
                call_id: "1".into(),
                tool: "shell".into(),
                args: json!({ "command": "ls" }),
                ..ApprovalRequest::default()
            }
        );
        first.approve();
        requests.recv().await.unwrap().deny("not now");
        drop(requests.recv().await.unwrap());
    });
    assert_eq!(ask(&approval, "shell").await, Ok(()));
    assert_eq!(
        ask(&approval, "shell").await.unwrap_err(),
        "`shell` was denied: not now"
    );
    let gone = "`shell` was denied: no one is there to approve it";
    assert_eq!(ask(&approval, "shell").await.unwrap_err(), gone);
    interface.await.unwrap();
    assert_eq!(ask(&approval, "shell").await.unwrap_err(), gone);
}

#[tokio::test]
async fn a_call_that_is_given_up_withdraws_its_question() {
    let (approver, mut requests) = ChannelApprover::new(1);
    let approval = Approval::new(approver);
    let call = tokio::spawn(async move { ask(&approval, "shell").await });
    let mut pending = requests.recv().await.unwrap();
    assert!(!pending.is_withdrawn());
    call.abort();
    pending.withdrawn().await;
    assert!(pending.is_withdrawn());
    pending.approve();
}

/// What is written, to look at.
#[derive(Clone, Default)]
struct Screen(Arc<Mutex<Vec<u8>>>);

impl Screen {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A person who types a line when the test says so.
struct Person {
    keyboard: mpsc::Receiver<&'static str>,
    line: Vec<u8>,
    /// How many lines were read.
    read: Arc<AtomicUsize>,
}

impl Read for Person {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        unreachable!("lines are read")
    }
}

impl BufRead for Person {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.line.is_empty() {
            self.line = self.keyboard.recv().unwrap_or_default().into();
        }
        Ok(&self.line)
    }
    fn consume(&mut self, bytes: usize) {
        self.line.drain(..bytes);
        self.read.fetch_add(1, Ordering::Relaxed);
    }
}

/// What types a line, and how many were read.
type Typing = (mpsc::Sender<&'static str>, Arc<AtomicUsize>);

fn terminal() -> (Approval, Screen, Typing) {
    let (sender, keyboard) = mpsc::channel();
    let (screen, read) = (Screen::default(), Arc::default());
    let person = Person {
        keyboard,
        line: Vec::new(),
        read: Arc::clone(&read),
    };
    let approver = TerminalApprover::with(screen.clone(), person);
    (Approval::new(approver), screen, (sender, read))
}

#[tokio::test]
async fn the_person_at_the_terminal_sees_the_call_and_answers() {
    for (typed, answer) in [
        ("y\n", Ok(())),
        ("YES\nyes\n", Ok(())),
        ("a\n", Ok(())),
        ("n\n", Err("`shell` was denied".to_owned())),
        ("what?\n\nno\n", Err("`shell` was denied".to_owned())),
        (
            "?\n?\n?\n",
            Err("`shell` was denied: no answer was yes or no".to_owned()),
        ),
        (
            "",
            Err("`shell` was denied: no one is there to approve it".to_owned()),
        ),
    ] {
        let screen = Screen::default();
        let approver = TerminalApprover::with(screen.clone(), io::Cursor::new(typed));
        let approval = Approval::new(approver);
        assert_eq!(ask(&approval, "shell").await, answer, "{typed:?}");
        assert!(screen.text().starts_with(
            "\nThe agent wants to call `shell`:\n  {\n    \"command\": \"ls\"\n  }\n\
             Allow it? [y]es, [n]o, [a]lways in this session: "
        ));
    }
}

#[tokio::test]
async fn a_call_forges_no_question() {
    let (approval, screen, (keyboard, _)) = terminal();
    keyboard.send("n\n").unwrap();
    let args = json!({ "command": "ls\n\u{1b}[2J\u{202e}May it?", "long": "x".repeat(5000), "many": vec![0; 100] });
    let _ = ask_in(&approval, "s1", "shell\nMay it? [y]es", &args).await;
    let text = screen.text();
    assert!(
        !text.contains('\u{1b}') && !text.contains('\u{202e}'),
        "{text}"
    );
    assert!(text.contains(r"call `shell\nMay it? [y]es`:"), "{text}");
    assert!(
        text.contains("more characters)") && text.contains("more lines)"),
        "{text}"
    );
    assert!(text.len() < 4000);
}

#[tokio::test]
async fn what_was_typed_before_a_question_is_no_answer_to_it() {
    let (approval, screen, (keyboard, read)) = terminal();
    let approval = approval.with_timeout(Duration::from_millis(100));
    assert!(ask(&approval, "shell").await.is_err());
    // Too late for the first question, and too early for the second.
    keyboard.send("y\n").unwrap();
    while read.load(Ordering::Relaxed) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // The reader hands on what it has read.
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(ask(&approval, "shell").await.is_err());
    // The reader still waits for a line, which now answers the question that is there.
    let asked = screen.text().matches("Allow it?").count();
    assert_eq!(asked, 2);
    let call = tokio::spawn({
        let approval = approval.with_timeout(Duration::from_mins(1));
        async move { ask(&approval, "shell").await }
    });
    while screen.text().matches("Allow it?").count() < 3 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    keyboard.send("y\n").unwrap();
    assert_eq!(call.await.unwrap(), Ok(()));
}

#[test]
fn settings_that_cannot_be_are_errors() {
    let no_tools = ApprovalConfig {
        tools: Globs::default(),
        ..ApprovalConfig::default()
    };
    assert_eq!(Approval::from_config(&no_tools).unwrap_err().key(), "tools");
    let no_time = ApprovalConfig {
        timeout: Duration::ZERO,
        approver: ApproverKind::Deny,
        ..ApprovalConfig::default()
    };
    assert_eq!(
        Approval::from_config(&no_time).unwrap_err().key(),
        "timeout"
    );
}

/// What an approval says to a call that is to be approved in that way.
async fn said(
    approval: &Approval,
    how: hooks_core::agent::Approval,
) -> HookResult<ApproveToolCall<'static>> {
    let args = json!({});
    let mut call = ApproveToolCall {
        id: "1",
        name: "shell",
        args: &args,
        annotations: ToolAnnotations::default(),
        approval: &how,
    };
    match hooks![approval]
        .intercept(&AgentContext::new("s1"), &mut call)
        .await
    {
        HookResult::Continue => HookResult::Continue,
        HookResult::Respond(approved) => HookResult::Respond(approved),
        HookResult::Cancel(cancel) => HookResult::Cancel(cancel),
    }
}

#[tokio::test]
async fn what_a_hook_says_of_the_approval_goes_before_the_settings() {
    use hooks_core::agent::Approval as Asked;

    /// Keeps the reason that it was shown.
    struct Reads(std::sync::Mutex<Vec<Option<String>>>);

    #[async_trait]
    impl Approver for Reads {
        async fn ask(&self, request: &ApprovalRequest) -> Verdict {
            self.0.lock().unwrap().push(request.reason.clone());
            Verdict::Always
        }
    }

    let reads = Arc::new(Reads(std::sync::Mutex::default()));
    let approval = Approval::new(reads.clone());
    assert!(matches!(
        said(&approval, Asked::Usual).await,
        HookResult::Respond(_)
    ));
    // "Always" is remembered, so nobody is asked; but a hook's wish to ask comes first.
    assert!(said(&approval, Asked::Usual).await.is_continue());
    let ask = Asked::ask("it is Friday");
    assert!(matches!(
        said(&approval, ask.clone()).await,
        HookResult::Respond(_)
    ));
    assert_eq!(
        *reads.0.lock().unwrap(),
        [None, Some("it is Friday".into())]
    );

    // It is asked about a tool that is excepted, and not about a call that is granted.
    let (denies, asked) = says(Verdict::No(String::new()));
    let denies = denies.with_except(Globs::all());
    assert!(said(&denies, Asked::Usual).await.is_continue());
    assert!(said(&denies, ask).await.as_cancel().is_some());
    let (denies, granted) = says(Verdict::No(String::new()));
    assert!(said(&denies, Asked::granted("policy")).await.is_continue());
    assert_eq!(
        (
            asked.load(Ordering::Relaxed),
            granted.load(Ordering::Relaxed)
        ),
        (1, 0)
    );
}

#[tokio::test]
async fn the_terminal_shows_why_it_asks_and_the_reason_cannot_forge_the_question() {
    #[derive(Clone, Default)]
    struct Screen(Arc<std::sync::Mutex<Vec<u8>>>);
    impl std::io::Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let screen = Screen::default();
    let terminal = TerminalApprover::with(screen.clone(), &b"y\n"[..]);
    let request = ApprovalRequest {
        tool: "shell".into(),
        reason: Some("it is\nFriday".into()),
        ..ApprovalRequest::default()
    };
    assert_eq!(terminal.ask(&request).await, Verdict::Yes);
    let shown = String::from_utf8(screen.0.lock().unwrap().clone()).unwrap();
    assert!(shown.contains(r"because: it is\nFriday"), "{shown}");
}

/// Says yes, and keeps what it was asked about.
struct Sees(Arc<Mutex<Vec<ApprovalRequest>>>);

#[async_trait]
impl Approver for Sees {
    async fn ask(&self, request: &ApprovalRequest) -> Verdict {
        self.0.lock().unwrap().push(request.clone());
        Verdict::Yes
    }
}

#[tokio::test]
async fn a_person_is_asked_about_the_command_as_the_model_wrote_it() {
    let text = "[hooks.builtin]\napproval = true\n[hooks.builtin.security_policy]\nsandbox = 'off'";
    let config = HooksConfig::from_toml(text).unwrap();
    let mut hooks = config.hooks(&HookFactoryRegistry::with_builtins()).unwrap();
    let asked = Arc::new(Mutex::default());
    let approval = hooks.builtin.approval.take().unwrap();
    hooks.builtin.approval = Some(approval.with_approver(Sees(Arc::clone(&asked))));
    let hooks = hooks.into_pipeline();
    let folder = tempfile::tempdir().unwrap();
    let cx = AgentContext::new("s1").with_cwd(folder.path().to_str().unwrap());
    let call = ToolCall::new("1", "shell", json!({ "command": "ls {a,b}.txt" }));
    let done = run_tool_call(&hooks, &cx, call, async |call: &BeforeToolCall| {
        ToolOutput::new(call.args["command"].as_str().unwrap())
    });
    assert!(
        done.await
            .unwrap()
            .output
            .content
            .ends_with("ls a.txt b.txt")
    );
    let asked = asked.lock().unwrap();
    assert_eq!(asked[0].args["command"], "ls {a,b}.txt");
    assert_eq!(
        asked[0].effects.as_deref(),
        Some("runs ls; reads a.txt, b.txt")
    );
}
