//! The cases that are measured: one event, and every way to run the hooks on it.

use std::fmt;
use std::hint::black_box;
use std::sync::atomic::AtomicU64;

use hooks_core::{Dispatch as Hooks, HookResult};

use crate::event::{BenchHooks, BenchHooksNow, ToolCall, ToolCallEnd};
use crate::{boxed, dynamic, hand, poll_now, statics};

/// The tool that is called where the hooks are [`eight`](crate::lists::eight).
const TOOL: &str = "search";
/// The tool that is called where they are [`scaled`](crate::lists::scaled).
const SCALED_TOOL: &str = "tool_99";

/// How the hooks of a case are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By hand: the checks in a function, without hooks.
    Hand,
    /// In a static pipeline, through `intercept(…).await` or `observe(…).await`.
    Static,
    /// In a static pipeline, through `intercept_now` or `observe_now`.
    StaticNow,
    /// In a `HookRegistry`.
    Dyn,
    /// Boxed, cloned and caught.
    Boxed,
    /// As `Static`, with an empty `HookRegistry` spread over the list.
    SpreadEmpty,
    /// As `Static`, with a registry spread over the list whose four handlers are on another event.
    SpreadOthers,
}

impl Way {
    /// All of them.
    pub const ALL: [Way; 7] = [
        Way::Hand,
        Way::Static,
        Way::StaticNow,
        Way::Dyn,
        Way::Boxed,
        Way::SpreadEmpty,
        Way::SpreadOthers,
    ];

    /// Its name in benchmarks and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Way::Hand => "hand",
            Way::Static => "static",
            Way::StaticNow => "static_now",
            Way::Dyn => "dyn",
            Way::Boxed => "boxed",
            Way::SpreadEmpty => "spread_empty",
            Way::SpreadOthers => "spread_others",
        }
    }
}

/// One event and the hooks on it, run in several ways.
#[derive(Debug)]
pub struct Case {
    /// Its name in benchmarks and reports.
    pub name: &'static str,
    /// The tool that is called, which no hook blocks.
    pub tool: &'static str,
    /// The ways, in the order of [`Way::ALL`].
    pub contestants: Vec<Contestant>,
}

/// One way to run the hooks of a case.
pub struct Contestant {
    /// Which.
    pub way: Way,
    dispatch: Box<dyn Dispatch>,
}

impl fmt::Debug for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.way.name())
    }
}

/// What came of one event.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    /// Whether the agent goes on.
    pub goes_on: bool,
    /// The call as the hooks left it, where it is intercepted.
    pub call: Option<ToolCall>,
    /// What the hooks noted, where it is observed.
    pub noted: [u64; 8],
}

impl Contestant {
    /// Dispatches an event so many times, in the loop that is measured.
    pub fn run(&mut self, times: u64) {
        self.dispatch.run(times);
    }

    /// Dispatches an event once, for the tool of that name, and tells what came of it.
    pub fn once(&mut self, tool: &str) -> Outcome {
        self.dispatch.once(tool)
    }
}

trait Dispatch {
    fn run(&mut self, times: u64);
    fn once(&mut self, tool: &str) -> Outcome;
}

/// What a way says of an intercepted event.
trait Verdict {
    /// What the agent asks at once. More of a verdict is not measured: to hand it on whole would cost the
    /// larger ones a copy that no agent makes.
    fn goes_on(&self) -> bool;
}

impl<R> Verdict for Option<R> {
    #[inline]
    fn goes_on(&self) -> bool {
        self.is_none()
    }
}

impl Verdict for HookResult<ToolCall> {
    #[inline]
    fn goes_on(&self) -> bool {
        self.is_continue()
    }
}

struct Intercepting<F> {
    ask: F,
    call: ToolCall,
}

/// The function of an agent that asks its hooks. It stays a function, so that all ways meet the optimiser
/// at the same place, and none is merged with the loop around it.
#[inline(never)]
fn goes_on<V: Verdict>(ask: &mut impl FnMut(&mut ToolCall) -> V, call: &mut ToolCall) -> bool {
    ask(call).goes_on()
}

impl<V: Verdict, F: FnMut(&mut ToolCall) -> V> Dispatch for Intercepting<F> {
    fn run(&mut self, times: u64) {
        for _ in 0..times {
            black_box(goes_on(&mut self.ask, black_box(&mut self.call)));
        }
    }

    fn once(&mut self, tool: &str) -> Outcome {
        let mut call = ToolCall::new(tool);
        Outcome {
            goes_on: goes_on(&mut self.ask, &mut call),
            call: Some(call),
            noted: [0; 8],
        }
    }
}

struct Observing<F> {
    tell: F,
    noted: [AtomicU64; 8],
}

/// The function of an agent that tells its hooks: see [`goes_on`].
#[inline(never)]
fn tell(tell: &mut impl FnMut(&ToolCallEnd<'_>), done: &ToolCallEnd<'_>) {
    tell(done);
}

impl<F: FnMut(&ToolCallEnd<'_>)> Dispatch for Observing<F> {
    fn run(&mut self, times: u64) {
        let done = ToolCallEnd {
            name: TOOL,
            millis: 42,
            noted: &self.noted,
        };
        for _ in 0..times {
            tell(&mut self.tell, black_box(&done));
        }
    }

    fn once(&mut self, tool: &str) -> Outcome {
        let noted = <[AtomicU64; 8]>::default();
        let done = ToolCallEnd {
            name: tool,
            millis: 42,
            noted: &noted,
        };
        tell(&mut self.tell, &done);
        Outcome {
            goes_on: true,
            call: None,
            noted: noted.map(AtomicU64::into_inner),
        }
    }
}

fn intercepting<V: Verdict + 'static>(
    way: Way,
    tool: &'static str,
    ask: impl FnMut(&mut ToolCall) -> V + 'static,
) -> Contestant {
    Contestant {
        way,
        dispatch: Box::new(Intercepting {
            ask,
            call: ToolCall::new(tool),
        }),
    }
}

fn observing(way: Way, tell: impl FnMut(&ToolCallEnd<'_>) + 'static) -> Contestant {
    Contestant {
        way,
        dispatch: Box::new(Observing {
            tell,
            noted: <[AtomicU64; 8]>::default(),
        }),
    }
}

/// A case of synchronous checks.
macro_rules! sync_case {
    ($name:ident, $tool:ident) => {{
        let (awaited, now) = (statics::$name(), statics::$name());
        let (registry, runner) = (dynamic::$name(), boxed::$name());
        Case {
            name: stringify!($name),
            tool: $tool,
            contestants: vec![
                intercepting(Way::Hand, $tool, hand::$name),
                intercepting(Way::Static, $tool, move |call| {
                    poll_now(awaited.intercept(&(), call))
                }),
                intercepting(Way::StaticNow, $tool, move |call| {
                    now.intercept_now(&(), call)
                }),
                intercepting(Way::Dyn, $tool, move |call| {
                    poll_now(registry.intercept(&(), call))
                }),
                intercepting(Way::Boxed, $tool, move |call| {
                    poll_now(runner.run_before_tool_call(call))
                }),
            ],
        }
    }};
}

/// A case of asynchronous checks.
macro_rules! async_case {
    ($name:ident) => {{
        let hooks = statics::$name();
        let (registry, runner) = (dynamic::$name(), boxed::$name());
        Case {
            name: stringify!($name),
            tool: TOOL,
            contestants: vec![
                intercepting(Way::Hand, TOOL, |call| poll_now(hand::$name(call))),
                intercepting(Way::Static, TOOL, move |call| {
                    poll_now(hooks.intercept(&(), call))
                }),
                intercepting(Way::Dyn, TOOL, move |call| {
                    poll_now(registry.intercept(&(), call))
                }),
                intercepting(Way::Boxed, TOOL, move |call| {
                    poll_now(runner.run_before_tool_call(call))
                }),
            ],
        }
    }};
}

/// Eight checks, also with sources of handlers spread over them.
fn sync_8() -> Case {
    let mut case = sync_case!(sync_8, TOOL);
    macro_rules! spread {
        ($way:ident, $source:expr) => {{
            let hooks = statics::sync_8_spread($source);
            intercepting(Way::$way, TOOL, move |call| {
                poll_now(hooks.intercept(&(), call))
            })
        }};
    }
    case.contestants.extend([
        spread!(SpreadEmpty, dynamic::Registry::new()),
        spread!(SpreadOthers, dynamic::on_messages()),
    ]);
    case
}

fn observe_8() -> Case {
    let (awaited, now) = (statics::observe_8(), statics::observe_8());
    let (registry, runner) = (dynamic::observe_8(), boxed::observe_8());
    Case {
        name: "observe_8",
        tool: TOOL,
        contestants: vec![
            observing(Way::Hand, hand::observe_8),
            observing(Way::Static, move |done| {
                poll_now(awaited.observe(&(), done));
            }),
            observing(Way::StaticNow, move |done| now.observe_now(&(), done)),
            observing(Way::Dyn, move |done| {
                poll_now(registry.observe(&(), done));
            }),
            observing(Way::Boxed, move |done| {
                poll_now(runner.fire_after_tool_call(done));
            }),
        ],
    }
}

/// All cases.
#[must_use]
pub fn cases() -> Vec<Case> {
    vec![
        sync_8(),
        async_case!(async_ready_8),
        async_case!(async_pending_8),
        observe_8(),
        sync_case!(one_of_eight_handles, TOOL),
        sync_case!(scaling_1, SCALED_TOOL),
        sync_case!(scaling_4, SCALED_TOOL),
        sync_case!(scaling_16, SCALED_TOOL),
        sync_case!(scaling_64, SCALED_TOOL),
    ]
}

/// Dispatches the case, in the way, so many times: what the report counts the
/// instructions of.
///
/// # Errors
///
/// There is no such case or way, or not three arguments.
pub fn run_counted(args: impl Iterator<Item = String>) -> Result<(), String> {
    let args: Vec<String> = args.collect();
    let [case, way, times] = args.as_slice() else {
        return Err("the program takes a case, a way and a number".to_owned());
    };
    let times = times
        .parse()
        .map_err(|error| format!("`{times}`: {error}"))?;
    cases()
        .iter_mut()
        .filter(|other| other.name == case)
        .flat_map(|case| &mut case.contestants)
        .find(|contestant| contestant.way.name() == way)
        .ok_or_else(|| format!("no such case or way: `{case} {way}`"))?
        .run(times);
    Ok(())
}

/// How large the future of a static dispatch is, by case.
#[must_use]
pub fn future_bytes() -> [(&'static str, usize); 3] {
    fn of(hooks: &impl Hooks<ToolCall>) -> usize {
        size_of_val(&hooks.ask(&(), &mut ToolCall::new(TOOL)))
    }
    [
        ("sync_8", of(&statics::sync_8())),
        ("async_ready_8", of(&statics::async_ready_8())),
        ("async_pending_8", of(&statics::async_pending_8())),
    ]
}
