//! What hooks cost the compiler: the instructions of one `rustc`, unoptimised, less those of a program without hooks.
//!
//! A busy machine does not change them, and two runs differ by less than 1 %. So each figure has a bar.

use std::fs;
use std::path::Path;
use std::process::Command;

use benches::callgrind;

const HEAD: &str = "#![allow(unused)]
use hooks_core::agent::*;
use hooks_core::*;

fn now<T>(future: impl Future<Output = T>) -> T {
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut cx) {
        std::task::Poll::Ready(out) => out,
        std::task::Poll::Pending => panic!(),
    }
}
";

const THREE: &str = r#"
#[hook]
fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
#[hook(priority = 10, only("shell"))]
fn no_shell(_: &BeforeToolCall) -> HookAction<BeforeToolCall> { HookAction::block("no") }
#[hook(priority = 20)]
fn third(_: &BeforeToolCall) -> HookAction<BeforeToolCall> { HookAction::Continue }
"#;
const LISTED: &str = "let hooks = hooks![lower, no_shell, third];";
const ASKED: &str = "let _ = now(hooks.intercept(&cx, &mut BeforeToolCall::default()));";
const TURN: &str = r#"let call = ToolCall::new("1", "x", serde_json::json!({}));
let _ = now(run_tool_call(&hooks, &cx, call, async |_: &BeforeToolCall| ToolOutput::new("x")));"#;
const REGISTERED: &str = "let hooks = HookRegistry::<AgentEvent>::new();
hooks.register(lower).unwrap();
hooks.register(no_shell).unwrap();
hooks.register(third).unwrap();";

fn program(hooks: &str, body: &str) -> String {
    format!("{hooks} fn main() {{ let cx = AgentContext::new(\"s\"); {body} }}")
}

/// Lists of eight hooks, each of which blocks a tool.
fn lists(count: usize) -> String {
    let names: Vec<String> = (0..8 * count).map(|at| format!("h{at}")).collect();
    let hook = |(at, name): (usize, &String)| {
        format!(
            r#"#[hook(priority = {})] fn {name}(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {{
                if call.name == "{name}" {{ HookAction::block("no") }} else {{ HookAction::Continue }}
            }}"#,
            at * 7 % 50
        )
    };
    let list = |names: &[String]| format!("{{ let hooks = hooks![{}]; {ASKED} }}", names.join(","));
    program(
        &names.iter().enumerate().map(hook).collect::<String>(),
        &names.chunks(8).map(list).collect::<String>(),
    )
}

/// Arguments of `rustc`: the crates that the programs use, built as for a user, with the features of no other member.
fn crates() -> Vec<String> {
    let built = Command::new(env!("CARGO"))
        .args("build --quiet -p hooks-core --features tokio --message-format json".split(' '))
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{stderr}");
    let mut args = Vec::new();
    for line in String::from_utf8(built.stdout).unwrap().lines() {
        let message: serde_json::Value = serde_json::from_str(line).unwrap();
        if let Some(name @ ("hooks_core" | "serde_json")) = message["target"]["name"].as_str()
            && let Some(file) = message["filenames"][0].as_str()
        {
            args.push(format!("--extern={name}={file}"));
            // That is the folder of all that is built. Named twice, it would be searched twice.
            if name == "serde_json" {
                let folder = Path::new(file).parent().unwrap();
                args.push(format!("-Ldependency={}", folder.display()));
            }
        }
    }
    args
}

#[test]
fn hooks_cost_the_compiler_no_more_than_their_bars() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("case.rs");
    // The macros read it.
    let manifest = "[package]\nname = \"case\"\n\n[dependencies]\nhooks-core = \"0.1\"\n";
    fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    // `rustc` by its name may be rustup's, which starts the one of the toolchain.
    let mut rustc = Command::new(Path::new(env!("CARGO")).with_file_name("rustc"));
    rustc
        .env("CARGO_MANIFEST_DIR", folder.path())
        .args(["--edition=2024", "-Cdebuginfo=0", "-o"])
        .args([&folder.path().join("case"), &source])
        .args(crates());
    let millions = |program: &str| {
        fs::write(&source, HEAD.to_owned() + program).unwrap();
        callgrind::whole_run(&rustc).unwrap_or_else(|error| panic!("{error}")) / 1_000_000
    };

    let without = millions("fn main() {}");
    println!("millions of instructions, beside {without} without hooks:");
    let mut over = false;
    for (name, bar, program) in [
        (
            "a list of three, asked",
            230,
            program(THREE, &[LISTED, ASKED].concat()),
        ),
        (
            "`run_tool_call` on it",
            520,
            program(THREE, &[LISTED, TURN].concat()),
        ),
        ("three registered", 850, program(THREE, REGISTERED)),
        ("four lists of eight", 1567, lists(4)),
    ] {
        let cost = millions(&program).saturating_sub(without);
        println!("{name:24}{cost:6}, of at most {bar}");
        over |= cost > bar;
    }
    assert!(!over, "hooks cost the compiler more than their bars");
}
