//! The programs that measure work: each does once what it measures, and prints figures.

use std::process::Command;

#[track_caller]
fn prints_figures(program: &str, args: &[&str]) {
    let run = Command::new(program).args(args).output().unwrap();
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{stderr}");
    let stdout = String::from_utf8(run.stdout).unwrap();
    let mut figures = stdout.lines().peekable();
    assert!(figures.peek().is_some(), "{stderr}");
    for line in figures {
        let (_, figure) = line.rsplit_once(' ').unwrap();
        assert!(figure.parse::<f64>().is_ok_and(f64::is_finite), "{line}");
    }
}

#[test]
fn allocations() {
    prints_figures(env!("CARGO_BIN_EXE_allocations"), &[]);
}

#[test]
fn builtin() {
    prints_figures(env!("CARGO_BIN_EXE_builtin"), &["--once"]);
}

#[test]
fn driver() {
    prints_figures(env!("CARGO_BIN_EXE_driver"), &["--once"]);
}

#[test]
fn memory() {
    prints_figures(env!("CARGO_BIN_EXE_memory"), &["--once"]);
}

/// All but `whole`, which builds the program `hooks` in release mode.
#[test]
fn runtime() {
    let parts = [
        "empty", "filters", "rules", "reload", "command", "process", "http",
    ];
    prints_figures(
        env!("CARGO_BIN_EXE_runtime"),
        &[&["--once"][..], &parts].concat(),
    );
}
