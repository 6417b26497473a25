//! The crate without `std`, linked and run.

use hooks_core::agent::ToolOutcome;
use hooks_core::hooks;
use no_std_check::{Reading, SensorEvent, call, sent, shut};

#[test]
fn hooks_run_without_std() {
    assert_eq!(sent(217), Some(Reading { temperature: 210 }));
    assert_eq!(sent(-2732), None);
    assert_eq!(SensorEvent::NAMES, ["Reading", "BatteryLow"]);
}

#[test]
fn a_driver_runs_without_std() {
    let hooks = hooks![shut];
    let outcome = |name| call(&hooks, name).unwrap().unwrap().outcome;
    assert_eq!(outcome("lamp"), ToolOutcome::Ran);
    assert_eq!(outcome("valve"), ToolOutcome::Skipped);
}
