//! Each target for some seconds, with a fixed seed: the same texts in every run.

use fuzz::Target;
use fuzz::run::{Limit, Plan, run};

#[track_caller]
fn holds(name: &str, runs: u64) {
    let target = Target::ALL.into_iter().find(|target| target.name == name);
    let plan = Plan {
        limit: Limit::Runs(runs),
        seed: 1,
        corpus: None,
        keep_going: false,
    };
    assert_eq!(run(target.expect("it is a target"), &plan), 0, "{name}");
}

#[test]
fn glob() {
    holds("glob", 8_000);
}

#[test]
fn shell() {
    holds("shell", 80_000);
}

#[test]
fn config() {
    holds("config", 8_000);
}

#[test]
fn redact() {
    holds("redact", 6_000);
}

#[test]
fn url() {
    holds("url", 300_000);
}
