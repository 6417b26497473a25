//! A crate without `std` that links hooks-core: a vocabulary, hooks, a dispatch and a driver, with `core` and `alloc`
//! alone.
//!
//! `#![no_std]` here, and in hooks-core without its feature `std`, means that a use of `std` in either, or in
//! what the macros write, does not compile. `cargo test -p no-std-check` builds it with just the features
//! that it asks for, links it, and runs it.

#![no_std]

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use hooks_core::agent::{
    AgentContext, AgentHooks, BeforeToolCall, ToolCallResult, ToolOutput, run_tool_call,
};
use hooks_core::{Cancel, HookAction, HookEvent, HookResult, hook, hooks};

/// A reading of a sensor, before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// In tenths of a degree Celsius.
    pub temperature: i32,
}

/// The battery is low.
#[derive(Debug)]
pub struct BatteryLow;

/// The events of a sensor.
#[derive(HookEvent, Debug, Clone, Copy)]
pub enum SensorEvent<'a> {
    /// Before a reading is sent.
    #[intercept]
    Reading(&'a Reading),
    /// The battery is low.
    #[observe]
    BatteryLow(&'a BatteryLow),
}

/// Drops what cannot be.
#[hook(priority = 10)]
pub fn plausible(reading: &Reading) -> HookAction<Reading> {
    if reading.temperature < -2731 {
        return HookAction::block("colder than cold");
    }
    HookAction::Continue
}

/// Rounds to whole degrees.
#[hook(when = |reading| reading.temperature % 10 != 0)]
pub fn round(reading: &mut Reading) {
    reading.temperature -= reading.temperature.rem_euclid(10);
}

/// An asynchronous hook without an executor in sight.
#[hook]
pub async fn dim(_: &BatteryLow) {}

/// What is sent of a reading, if anything.
#[must_use]
pub fn sent(temperature: i32) -> Option<Reading> {
    let mut reading = Reading { temperature };
    let hooks = hooks![round, plausible, dim];
    match hooks.intercept_now(&(), &mut reading) {
        HookResult::Continue => Some(reading),
        HookResult::Cancel(_) => None,
    }
}

/// Lets no agent open the valve.
#[hook(only("valve"))]
pub fn shut(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::block("the valve stays shut")
}

/// Runs a tool through a driver, without an executor; `None` if it has to wait.
///
/// # Errors
///
/// A hook ended the turn or the run.
pub fn call(hooks: &impl AgentHooks, name: &str) -> Option<Result<ToolCallResult, Cancel>> {
    let call = BeforeToolCall {
        name: name.into(),
        ..BeforeToolCall::default()
    };
    let cx = AgentContext::new("s1");
    let ran = run_tool_call(hooks, &cx, call, async |call: &BeforeToolCall| {
        ToolOutput::new(call.name.as_str())
    });
    match pin!(ran).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => Some(done),
        Poll::Pending => None,
    }
}
