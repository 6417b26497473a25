//! The crate without `std`, linked and run.

use no_std_check::{Reading, SensorEvent, sent};

#[test]
fn hooks_run_without_std() {
    assert_eq!(sent(217), Some(Reading { temperature: 210 }));
    assert_eq!(sent(-2732), None);
    assert_eq!(SensorEvent::NAMES, ["Reading", "BatteryLow"]);
}
