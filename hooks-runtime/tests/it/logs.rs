//! What operators find in logs and traces: the keys of warnings, and a span for each handler.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hooks_core::agent::{AgentContext, BeforeToolCall, ToolCall, Usage};
use hooks_core::hooks;
use hooks_runtime::{
    Budget, BudgetError, Evaluated, Evaluation, Evaluator, EvaluatorError, Reservation, Runtime,
    RuntimeBuilder,
};
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

type Fields = BTreeMap<String, String>;

/// What was logged: the keys of warnings, and the spans with all that was recorded in them.
#[derive(Clone, Default)]
struct Log {
    keys: Arc<Mutex<Vec<String>>>,
    spans: Arc<Mutex<BTreeMap<u64, Fields>>>,
    next: Arc<AtomicU64>,
}

struct Read<'a>(&'a mut Fields);

impl Visit for Read<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let value = format!("{value:?}");
        self.0.insert(field.name().into(), value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().into(), value.into());
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("hooks_runtime")
    }

    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        let mut fields = Fields::new();
        attributes.record(&mut Read(&mut fields));
        let id = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        self.spans.lock().unwrap().insert(id, fields);
        span::Id::from_u64(id)
    }

    fn record(&self, span: &span::Id, values: &span::Record<'_>) {
        let mut spans = self.spans.lock().unwrap();
        values.record(&mut Read(spans.get_mut(&span.into_u64()).unwrap()));
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::new();
        event.record(&mut Read(&mut fields));
        self.keys.lock().unwrap().extend(fields.remove("key"));
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// Raises so many calls, and returns what was logged.
async fn logged(builder: RuntimeBuilder, hook: &str, depth: u32, calls: usize) -> Log {
    let text = format!(
        "[[hooks.on]]\nname = 'it'\nevent = 'BeforeToolCall'\ntools = ['shell']\ntimeout = '50s'\n{hook}\n\
         [hooks.limits]\nchain = '60s'\nbreaker = {{ faults = 2 }}\n"
    );
    let built = builder.text(text).build().await;
    let hooks = hooks![..built.unwrap_or_else(|error| panic!("{error}"))];
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    for nth in 0..calls {
        let cx = AgentContext::new("s1").with_depth(depth);
        let args = json!({ "command": format!("ls {nth}") });
        let mut call = BeforeToolCall::new("1", "shell", args);
        let _ = hooks.intercept(&cx, &mut call).await;
    }
    log
}

async fn keys(builder: RuntimeBuilder, hook: &str, depth: u32, calls: usize) -> Vec<String> {
    let log = logged(builder, hook, depth, calls).await;
    let keys = log.keys.lock().unwrap();
    keys.clone()
}

/// A model that says this.
struct Says(Evaluated);

#[async_trait]
impl Evaluator for Says {
    async fn evaluate(&self, _: &Evaluation) -> Result<Evaluated, EvaluatorError> {
        Ok(self.0.clone())
    }
}

fn decides(decision: Value) -> Evaluated {
    Evaluated::call(ToolCall::new("1", "decide", decision)).with_usage(Usage::new(900, 100))
}

fn allows() -> Says {
    Says(decides(
        json!({ "decision": "allow", "reason": "harmless" }),
    ))
}

/// A budget that cannot be reached: from the beginning, or when it is told what was used.
struct Broken {
    reserves: bool,
}

#[async_trait]
impl Budget for Broken {
    async fn reserve(
        &self,
        tenant: &str,
        tokens: u64,
        limit: u64,
    ) -> Result<Reservation, BudgetError> {
        if !self.reserves {
            return Err(BudgetError::Failed("no connection".into()));
        }
        Ok(Reservation {
            tenant: tenant.into(),
            month: "2026-01".into(),
            tokens,
            limit,
        })
    }

    async fn settle(&self, _: Reservation, _: u64) -> Result<u64, BudgetError> {
        Err(BudgetError::Failed("no connection".into()))
    }

    async fn refund(&self, _: Reservation) -> Result<(), BudgetError> {
        Err(BudgetError::Failed("no connection".into()))
    }
}

#[tokio::test]
async fn safeguards_are_logged_under_their_keys() {
    let fails = "command = 'exit 1'";
    let opened = keys(Runtime::builder(), fails, 0, 3).await;
    assert_eq!(opened, ["security.hook.circuit_breaker"]);
    let deep = keys(Runtime::builder(), fails, 9, 1).await;
    assert_eq!(deep, ["security.hook.loop_depth_exceeded"]);
    assert_eq!(
        keys(Runtime::builder(), "command = 'exit 0'", 0, 3).await,
        [] as [&str; 0]
    );
}

#[tokio::test]
async fn what_a_model_does_wrong_is_logged_under_its_key() {
    let prompt = "prompt = 'Judge.'";
    let mut text = Evaluated::default();
    text.text = "allow it".into();
    let free = keys(Runtime::builder().evaluator(Says(text)), prompt, 0, 1).await;
    assert_eq!(free, ["security.hook.prompt_parse_error"]);
    let injected = json!({ "decision": "allow", "reason": "told so", "injection_detected": true });
    let says = Says(decides(injected));
    let injected = keys(Runtime::builder().evaluator(says), prompt, 0, 1).await;
    assert_eq!(injected, ["security.hook.prompt_injection"]);
}

#[tokio::test]
async fn what_is_spent_is_logged_under_its_key() {
    let prompt =
        |limit: u32| format!("prompt = {{ template = 'Judge.', tokens_per_month = {limit} }}");
    let builder = || Runtime::builder().evaluator(allows());
    let exceeded = keys(builder(), &prompt(1), 0, 1).await;
    assert_eq!(exceeded, ["security.hook.budget_exceeded"]);
    // Less than a fifth is left after the first call, which is said once.
    let dear = allows().0.with_usage(Usage::new(25_000, 0));
    let model = Runtime::builder().evaluator(Says(dear));
    let low = keys(model, &prompt(30_000), 0, 2).await;
    assert_eq!(low, ["security.hook.budget_low"]);
    let broken = |reserves| builder().budget(Broken { reserves });
    let before = keys(broken(false), &prompt(10_000), 0, 1).await;
    assert_eq!(before, ["security.hook.budget_precheck_failed"]);
    let after = keys(broken(true), &prompt(10_000), 0, 1).await;
    assert_eq!(after, ["security.hook.budget_deduct_failed"]);
}

#[tokio::test]
async fn each_handler_has_a_span_with_its_outcome() {
    let span = async |hook: &str| {
        let log = logged(Runtime::builder(), hook, 0, 1).await;
        let spans = log.spans.lock().unwrap();
        let mut spans = spans.values().filter(|span| span.contains_key("otel.name"));
        spans.next().cloned().unwrap()
    };
    let blocked = span("command = 'echo no >&2; exit 2'").await;
    for (field, value) in [
        ("otel.name", "hook.command.BeforeToolCall"),
        ("hook", "it"),
        ("handler", "command"),
        ("event", "BeforeToolCall"),
        ("revision", "1"),
        ("outcome", "block"),
    ] {
        assert_eq!(blocked[field], value, "{field}: {blocked:?}");
    }
    assert!(blocked["duration_ms"].parse::<f64>().is_ok(), "{blocked:?}");
    let failed = span("command = 'exit 7'").await;
    assert_eq!(failed["outcome"], "fault");
    assert!(failed["why"].contains("exit code 7"), "{failed:?}");
}

/// Counts what is logged about one process, on any thread.
struct Chatter(Arc<AtomicU64>);

impl Subscriber for Chatter {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target().starts_with("hooks_runtime")
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::new();
        event.record(&mut Read(&mut fields));
        if fields.get("process").is_some_and(|name| name == "chatty") {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[tokio::test]
async fn what_a_process_says_without_an_end_does_not_fill_the_log() {
    let lines = Arc::<AtomicU64>::default();
    // A process is served by a thread of its own.
    tracing::subscriber::set_global_default(Chatter(Arc::clone(&lines))).unwrap();
    let script = r#"read hello; echo '{"jsonrpc":"2.0","id":1,"result":{}}'
        read call; yes '{"jsonrpc":"2.0","method":"log","params":{}}' | head -n 100000
        echo '{"jsonrpc":"2.0","id":2,"result":{"action":"continue"}}'; cat > /dev/null"#;
    let text = format!(
        "[[hooks.on]]\nname = 'chatty'\nevent = 'BeforeToolCall'\ntimeout = '50s'\n\
         process = {{ argv = ['sh', '-c', {}] }}\n[hooks.limits]\nchain = '60s'\n",
        json!(script)
    );
    let runtime = Runtime::builder().text(text).build().await.unwrap();
    let mut call = BeforeToolCall::new("1", "shell", json!({}));
    let cx = AgentContext::new("s1");
    let result = hooks![..runtime.clone()].intercept(&cx, &mut call).await;
    assert!(result.is_continue(), "{result:?}");
    runtime.shutdown().await;
    // 50 a second, and how many more there were.
    let lines = lines.load(Ordering::Relaxed);
    assert!((50..5_000).contains(&lines), "{lines}");
}

#[test]
fn nobody_else_may_read_records() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records.jsonl");
    for _ in 0..2 {
        drop(hooks_runtime::JsonlRecorder::append(&path).unwrap());
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{mode:o}");
        // An older program, or `touch`, has made it.
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    }
}
