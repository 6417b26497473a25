//! What the built-in hooks cost: a line a figure. `report` runs it.

#[path = "../../../hooks-shell/tests/it/adversarial.rs"]
mod adversarial;

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use benches::builtin::{AllOn, Call, Receiver, all_off, count};
use benches::turns::{self, median};
use hooks_builtin::{Redact, SecurityPolicy, WebhookAudit, WebhookAuditConfig};
use hooks_core::agent::{
    AgentContext, BeforeToolCall, ToolAnnotations, ToolCallEnd, ToolOutcome, ToolOutput,
};
use hooks_core::hooks;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let rounds = turns::rounds(5, 41);
    all_on(rounds)?;
    off(rounds)?;
    policy(rounds)?;
    adversarial();
    redact(rounds);
    hanging_receiver(turns::rounds(2_000, 50_000))?;
    Ok(())
}

fn nanoseconds(times: u32, mut what: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..times {
        what();
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(times)
}

/// A call through all hooks with nothing to do for them but to write it down. The queues are empty when a round
/// begins, and a round does not fill them: what is counted is what the agent waits for.
fn all_on(rounds: usize) -> Result<(), Box<dyn Error>> {
    const CALLS: u32 = 200;
    for (name, on) in [
        ("builtin call", AllOn::new(Receiver::Answers)?),
        ("builtin call without logs", AllOn::without_logs()?),
    ] {
        let hooks = on.pipeline();
        let mut call = Call::default();
        let mut times = Vec::new();
        for _ in 0..rounds {
            times.push(nanoseconds(CALLS, || assert!(call.raise(&hooks))));
            drain(&on)?;
        }
        println!("{name} ns {}", median(times));
    }
    Ok(())
}

/// Waits until the queues are empty.
fn drain(on: &AllOn) -> Result<(), Box<dyn Error>> {
    if let (Some(log), Some(audit)) = (&on.hooks.builtin.jsonl_log, &on.hooks.builtin.webhook_audit)
    {
        log.flush()?;
        let start = Instant::now();
        while audit.delivered() + audit.dropped() < audit.accepted() {
            if start.elapsed() > Duration::from_mins(1) {
                return Err("the receiver does not answer".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    Ok(())
}

/// One event through all hooks, off, beside an empty pipeline.
fn off(rounds: usize) -> Result<(), Box<dyn Error>> {
    const ASKS: u32 = 100_000;
    let (off, empty) = (all_off(), hooks![]);
    let mut call = Call::default();
    let (mut off_times, mut empty_times) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        off_times.push(nanoseconds(ASKS, || {
            assert!(black_box(&mut call).ask(black_box(&off)));
        }));
        empty_times.push(nanoseconds(ASKS, || {
            assert!(black_box(&mut call).ask(black_box(&empty)));
        }));
    }
    let (off, empty) = (median(off_times), median(empty_times));
    println!("builtin off ns {off}");
    println!("builtin empty ns {empty}");
    #[expect(clippy::cast_precision_loss, reason = "there are a dozen")]
    let hooks = count()? as f64;
    println!("builtin off ns/hook {}", (off - empty).max(0.0) / hooks);
    Ok(())
}

fn policy(rounds: usize) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    std::fs::create_dir(folder.path().join("src"))?;
    let cx = AgentContext::new("s").with_cwd(folder.path().to_str().unwrap_or_default());
    let hooks = hooks![SecurityPolicy::new()?];
    let size = 64 * 1024;
    let line = "ls -la src | head -20; grep -n parse src/main.rs; ";
    let document = "The quick brown fox jumps over the lazy dog.\n";
    for (name, command, times) in [
        (
            "typical",
            "cd src && git log --oneline 2>&1 | tail -20".to_owned(),
            500,
        ),
        (
            "64 KiB document",
            format!(
                "cat > src/x <<'EOF'\n{}EOF",
                document.repeat(size / document.len() - 1)
            ),
            2,
        ),
        ("64 KiB list", line.repeat(size / line.len()), 1),
    ] {
        let asked = BeforeToolCall {
            name: "shell".into(),
            args: json!({ "command": command }),
            ..BeforeToolCall::default()
        };
        let mut times_taken = Vec::new();
        for _ in 0..rounds {
            times_taken.push(nanoseconds(times, || {
                // The policy rewrites the command.
                let mut call = asked.clone();
                let result = hooks.intercept_now(&cx, black_box(&mut call));
                assert!(result.is_continue(), "{name}: {result:?}");
            }));
        }
        println!("builtin policy {name} µs {}", median(times_taken) / 1e3);
    }
    Ok(())
}

/// The slowest of the texts that are meant to hurt a parser.
fn adversarial() {
    let environment = hooks_shell::Environment::new("/work");
    let mut worst = 0.0_f64;
    for text in adversarial::texts()
        .into_iter()
        .take(turns::once_or(usize::MAX))
    {
        worst = worst.max(nanoseconds(1, || {
            if let Ok(script) = hooks_shell::Script::parse(black_box(&text)) {
                black_box(script.evaluate(&environment));
            }
        }));
    }
    println!("builtin shell worst ms {}", worst / 1e6);
}

fn redact(rounds: usize) {
    let redact = Redact::new();
    // A MiB, or a page to see that it works.
    let pages: u16 = turns::once_or(256);
    let size = usize::from(pages) * 4096;
    let mut least = f64::INFINITY;
    for (name, piece) in [
        (
            "prose",
            "It was the best of times, it was the worst of times; he paid 12 pounds for it in 1859.\n",
        ),
        (
            "code",
            "    let found = self.automaton.search(&Input::new(text).span(range.clone()))?; // 17 of 42\n",
        ),
        (
            "json",
            r#"{"id": 4711, "name": "widget", "price": 12.5, "sha": "e83c5163316f89bfbde7d9ab23ca2e25604af290"},"#,
        ),
        (
            "log",
            "2026-03-22T10:00:00.123456Z INFO request{id=550e8400-e29b-41d4-a716-446655440000}: GET /users/12345\n",
        ),
    ] {
        let text = piece.repeat(size / piece.len());
        let times = (0..rounds).map(|_| {
            nanoseconds(1, || {
                assert_eq!(redact.redact(black_box(&text)).len(), text.len());
            })
        });
        #[expect(clippy::cast_precision_loss, reason = "a text has few bytes")]
        let speed = text.len() as f64 / median(times.collect()) * 1e3;
        println!("builtin redact {name} MB/s {speed}");
        least = least.min(speed);
    }
    println!("builtin redact MB/s {least}");
    // Much of these looks like the beginning of a secret, and some of it is one.
    let mut worst = 0.0_f64;
    for piece in [
        "4 ",
        "sk-",
        "eyJaaaaaa-",
        "@b.co",
        "a@b.co ",
        "password=",
        "token=",
        "://a:b@ ",
        "Private-Lines: 1\n",
        "-----BEGIN PRIVATE KEY-----\nA\n",
        "ada@example.org 4 4 4 4 4 4 4 4 ",
    ] {
        let text = piece.repeat(size / piece.len());
        worst = worst.max(nanoseconds(1, || {
            black_box(redact.redact(black_box(&text)));
        }));
    }
    println!(
        "builtin redact worst s/MiB {}",
        worst / 1e9 * f64::from(256 / pages)
    );
}

/// Calls that are audited to a receiver which takes connections and never answers.
fn hanging_receiver(calls: usize) -> Result<(), Box<dyn Error>> {
    let on = AllOn::new(Receiver::Hangs)?;
    let audit: &WebhookAudit = on
        .hooks
        .builtin
        .webhook_audit
        .as_ref()
        .ok_or("the audit is off")?;
    let hooks = hooks![].with_probe(audit);
    let cx = AgentContext::new("s");
    let args = json!({ "command": "cargo test --workspace" });
    let output = ToolOutput::new("ok");
    let done = ToolCallEnd {
        id: "1",
        name: "shell",
        args: &args,
        annotations: ToolAnnotations::default(),
        output: &output,
        duration: Duration::from_millis(42),
        outcome: ToolOutcome::Ran,
    };
    let mut times: Vec<f64> = (0..calls)
        .map(|_| nanoseconds(1, || hooks.observe_now(&cx, &done)))
        .collect();
    times.sort_by(f64::total_cmp);
    println!("builtin hanging receiver p50 ns {}", times[calls / 2]);
    println!(
        "builtin hanging receiver p99 ns {}",
        times[calls * 99 / 100]
    );
    let waiting = audit.accepted() - audit.delivered() - audit.dropped();
    let room = WebhookAuditConfig::new("https://audit.example.com/".parse()?)
        .queue_events
        .get();
    println!("builtin hanging receiver waiting {waiting}");
    if waiting > room as u64 + 1 {
        return Err(format!("{waiting} events wait, and there is room for {room}").into());
    }
    Ok(())
}
