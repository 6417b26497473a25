//! What a driver costs: `run_tool_call` beside what it saves an agent from writing.

use std::hint::black_box;
use std::time::Instant;

use hooks_core::agent::{
    AfterToolCall, AgentContext, AgentHooks, Approval, ApproveToolCall, BeforeToolCall,
    ToolCallEnd, ToolCallResult, ToolCallStart, ToolOutcome, ToolOutput, run_tool_call,
};
use hooks_core::{Cancel, HookAction, HookResult, hook, hooks};

use crate::poll_now;

/// Eight hooks, on all events of a call.
macro_rules! eight {
    () => {
        hooks![no_shell, shorter, known, told, started, clean, cut, ended]
    };
}
/// Who runs a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    /// The tool's closure, and nothing around it.
    Tool,
    /// `run_tool_call` without hooks.
    DriverAlone,
    /// The five dispatches by hand, with eight hooks.
    Hand,
    /// `run_tool_call` with the same eight hooks.
    Driver,
}

impl Runner {
    /// All of them.
    pub const ALL: [Runner; 4] = [
        Runner::Tool,
        Runner::DriverAlone,
        Runner::Hand,
        Runner::Driver,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Runner::Tool => "tool",
            Runner::DriverAlone => "driver_alone",
            Runner::Hand => "hand",
            Runner::Driver => "driver",
        }
    }

    /// Runs so many calls, none of which allocates by itself; how many came out as they should.
    #[must_use]
    pub fn run(self, times: u64) -> u64 {
        match self {
            Runner::Tool => calls(times, |_, call| Ok(poll_now(tool(&call)))),
            Runner::DriverAlone => calls(times, |cx, call| {
                poll_now(run_tool_call(&hooks![], cx, call, tool)).map(|done| done.output)
            }),
            Runner::Hand => calls(times, |cx, call| {
                poll_now(by_hand(&eight!(), cx, call)).map(|done| done.output)
            }),
            Runner::Driver => calls(times, |cx, call| {
                poll_now(run_tool_call(&eight!(), cx, call, tool)).map(|done| done.output)
            }),
        }
    }
}

/// The calls of one runner. Each runner has a function of its own, so that none is optimised together with another.
#[inline(never)]
fn calls(
    times: u64,
    call: impl Fn(&AgentContext, BeforeToolCall) -> Result<ToolOutput, Cancel>,
) -> u64 {
    let cx = AgentContext::new("");
    let mut right = 0;
    for _ in 0..times {
        let output = call(&cx, black_box(BeforeToolCall::default()));
        right += u64::from(black_box(output).is_ok_and(|output| !output.is_error));
    }
    right
}

/// The bytes of the futures by hand and of the driver, which are moved when they are made.
#[must_use]
pub fn future_bytes() -> [usize; 2] {
    let (hooks, cx) = (eight!(), AgentContext::new(""));
    let call = BeforeToolCall::default;
    [
        size_of_val(&by_hand(&hooks, &cx, call())),
        size_of_val(&run_tool_call(&hooks, &cx, call(), tool)),
    ]
}

async fn tool(call: &BeforeToolCall) -> ToolOutput {
    black_box(call);
    ToolOutput::default()
}

#[hook(priority = 80)]
fn no_shell(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    if call.name == "shell" {
        return HookAction::block("no shell here");
    }
    HookAction::Continue
}

#[hook(priority = 70)]
fn shorter(call: &mut BeforeToolCall) {
    call.context.truncate(8);
}

#[hook(priority = 60)]
fn known<'a>(call: &ApproveToolCall<'a>) -> HookAction<ApproveToolCall<'a>> {
    if call.name == "deploy" {
        return HookAction::block("no one is there to approve it");
    }
    HookAction::Continue
}

#[hook(priority = 50)]
fn told(call: &ToolCallStart<'_>) {
    black_box(call.name);
}

#[hook(priority = 40)]
fn started(call: &ToolCallStart<'_>) {
    black_box(call.id);
}

#[hook(priority = 30)]
fn clean(call: &mut AfterToolCall) {
    if call.output.content.starts_with("sk-") {
        call.output.content.clear();
    }
}

#[hook(priority = 20)]
fn cut(call: &mut AfterToolCall) {
    call.context.truncate(8);
}

#[hook(priority = 10)]
fn ended(call: &ToolCallEnd<'_>) {
    black_box(call.duration);
}

/// The five dispatches of a call that no hook stops, as an agent without a driver has them.
async fn by_hand<H: AgentHooks>(
    hooks: &H,
    cx: &AgentContext,
    mut call: BeforeToolCall,
) -> Result<ToolCallResult, Cancel> {
    match hooks.intercept(cx, &mut call).await {
        HookResult::Continue => {}
        HookResult::Respond(output) => return Ok(answered(call, output)),
        HookResult::Cancel(cancel) => return Err(cancel),
    }
    match hooks.intercept(cx, &mut ApproveToolCall::from(&call)).await {
        HookResult::Continue if matches!(call.approval, Approval::Ask { .. }) => {
            return Ok(answered(
                call,
                ToolOutput::error("no person approved of it"),
            ));
        }
        HookResult::Continue | HookResult::Respond(_) => {}
        HookResult::Cancel(cancel) => return Err(cancel),
    }
    hooks.observe(cx, &ToolCallStart::from(&call)).await;
    let clock = Instant::now();
    let output = tool(&call).await;
    let mut after = AfterToolCall::of(call, output, clock.elapsed());
    if let HookResult::Cancel(cancel) = hooks.intercept(cx, &mut after).await {
        return Err(cancel);
    }
    let end = ToolCallEnd::of(&after, ToolOutcome::Ran);
    hooks.observe(cx, &end).await;
    Ok(ToolCallResult {
        id: after.id,
        name: after.name,
        output: after.output,
        outcome: ToolOutcome::Ran,
        context: after.context,
    })
}

fn answered(call: BeforeToolCall, output: ToolOutput) -> ToolCallResult {
    ToolCallResult {
        id: call.id,
        name: call.name,
        output,
        outcome: ToolOutcome::Answered,
        context: call.context,
    }
}
