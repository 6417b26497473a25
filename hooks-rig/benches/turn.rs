//! What one more hook costs in a turn of an agent of rig: a hook of rig's own, or one in a pipeline of ours that is
//! one hook of rig.
//!
//! ```sh
//! cargo bench --manifest-path hooks-rig/Cargo.toml
//! ```
//!
//! `report --rig` of the crate `benches` runs it as well.
//!
//! A turn is two calls of a scripted model and one call of a tool, without network. Every hook looks at the call
//! before the tool runs and at its output afterwards.

#[path = "../../benches/src/callgrind.rs"]
#[expect(unreachable_pub, reason = "shared with the crate `benches`")]
mod callgrind;
#[path = "../../benches/src/turns.rs"]
#[expect(dead_code, unreachable_pub, reason = "shared with the crate `benches`")]
mod turns;

use std::env;
use std::error::Error;
use std::hint::black_box;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use crate::turns::{median, rounds};
use hooks_core::agent::{AgentContext, BeforeToolCall, ToolCallEnd};
use hooks_core::{HookAction, hook, hooks};
use hooks_rig::RigHooks;
use rig_agent::agent::hook::{
    DispatchAction, DispatchEvent, OutcomeAction, OutcomeEvent, StepEventKind,
};
use rig_agent::agent::{Agent, AgentBuilder, AgentHook, HookContext};
use rig_agent::tool::DynamicTool;
use rig_core::message::ToolName;
use rig_core::test_utils::{MockCompletionModel, MockTurn};
use rig_core::tool::ToolOutput;
use serde_json::json;

/// The first argument of a run that is counted.
const COMMAND: &str = "__instructions";

/// Fewer instructions a hook than these are not told from none: what rig allocates and where its maps put it differ by
/// as many from program to program. So a ratio to fewer is a ratio to these, and the truth is larger.
const NOISE: f64 = 100.0;

/// How many hooks there are.
const COUNTS: [usize; 3] = [1, 8, 32];

/// What a hook sees; kept so that its work is not optimised away.
static SEEN: AtomicUsize = AtomicUsize::new(0);

/// How the hooks are made.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// Each is a hook of rig, which observes tool calls only.
    Rig,
    /// The same, with what a hook of rig observes unless it says otherwise.
    RigDefault,
    /// Functions in one pipeline.
    Ours,
    /// Asynchronous functions in one pipeline.
    OursAsync,
}

impl Way {
    const ALL: [Way; 4] = [Way::Rig, Way::RigDefault, Way::Ours, Way::OursAsync];

    fn name(self) -> &'static str {
        match self {
            Way::Rig => "rig",
            Way::RigDefault => "rig_default",
            Way::Ours => "ours",
            Way::OursAsync => "ours_async",
        }
    }
}

/// Whether a hook lets a tool run: it forbids names of one length.
fn allowed(name: &str, forbidden: usize) -> bool {
    SEEN.fetch_add(name.len(), Ordering::Relaxed);
    black_box(name).len() != forbidden
}

fn note(output: &str) {
    SEEN.fetch_add(output.len(), Ordering::Relaxed);
}

/// A hook of rig.
struct Native<const DEFAULT: bool>(usize);

impl<const DEFAULT: bool> AgentHook for Native<DEFAULT> {
    fn observes(&self, kind: StepEventKind) -> bool {
        match kind {
            StepEventKind::ToolDispatch => true,
            StepEventKind::EmbedDispatch
            | StepEventKind::RerankDispatch
            | StepEventKind::MemoryDispatch
            | StepEventKind::RetrieveDispatch
            | StepEventKind::CustomDispatch => false,
            _ => DEFAULT,
        }
    }

    async fn on_dispatch(&self, _: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
        match event.tool_name() {
            Some(name) if !allowed(name, self.0) => DispatchAction::skip("not allowed"),
            _ => DispatchAction::proceed(),
        }
    }

    async fn on_outcome(&self, _: &HookContext, event: OutcomeEvent<'_>) -> OutcomeAction {
        if let Some(text) = event
            .tool_result()
            .and_then(|result| result.output().as_text())
        {
            note(text);
        }
        OutcomeAction::proceed()
    }
}

/// The same as a hook of ours.
struct Ours(usize);

#[hook]
impl Ours {
    fn before(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        if allowed(&call.name, self.0) {
            HookAction::Continue
        } else {
            HookAction::block("not allowed")
        }
    }

    fn after(&self, done: &ToolCallEnd<'_>) {
        note(&done.output.content);
    }
}

/// The same, asynchronous.
struct OursAsync(usize);

#[hook]
impl OursAsync {
    async fn before(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        if allowed(&call.name, self.0) {
            HookAction::Continue
        } else {
            HookAction::block("not allowed")
        }
    }

    async fn after(&self, done: &ToolCallEnd<'_>) {
        note(&done.output.content);
    }
}

/// An agent with a pipeline of 1, 8 or 32 of a hook.
#[rustfmt::skip]
macro_rules! pipeline {
    ($agent:expr, $hook:expr, $count:expr) => {
        match $count {
            1 => pipeline!($agent, $hook; 100),
            8 => pipeline!($agent, $hook; 100 101 102 103 104 105 106 107),
            32 => pipeline!($agent, $hook;
                100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115
                116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131
            ),
            _ => unreachable!("there is no such pipeline"),
        }
    };
    ($agent:expr, $hook:expr; $($forbidden:literal)*) => {
        $agent.add_hook(RigHooks::new(hooks![$($hook($forbidden)),*], AgentContext::new("s1")))
    };
}

/// An agent whose model is ready for so many turns.
fn agent(way: Way, count: usize, turns: usize) -> Result<Agent, Box<dyn Error>> {
    let script = (0..turns).flat_map(|_| {
        [
            MockTurn::tool_call(
                "1",
                "read",
                json!({ "path": "notes.txt", "lines": [1, 20] }),
            ),
            MockTurn::text("Done."),
        ]
    });
    let mut agent = AgentBuilder::new(MockCompletionModel::from_turns(script)).default_max_turns(2);
    match way {
        Way::Rig => {
            for number in 0..count {
                agent = agent.add_hook(Native::<false>(100 + number));
            }
        }
        Way::RigDefault => {
            for number in 0..count {
                agent = agent.add_hook(Native::<true>(100 + number));
            }
        }
        Way::Ours => agent = pipeline!(agent, Ours, count),
        Way::OursAsync => agent = pipeline!(agent, OursAsync, count),
    }
    let read = DynamicTool::new(
        ToolName::new("read")?,
        "Reads a file.",
        json!({ "type": "object" }),
        |_| Box::pin(async { Ok(ToolOutput::text("Buy milk.\nWater the plants.")) }),
    );
    Ok(agent.dynamic_tool(read).build())
}

/// No runtime is measured: it is asked until it is done.
fn turn(agent: &Agent) -> Result<(), Box<dyn Error>> {
    let mut turn = pin!(agent.prompt("What is to do?").run());
    let mut task = Context::from_waker(Waker::noop());
    let response = loop {
        if let Poll::Ready(response) = turn.as_mut().poll(&mut task) {
            break response?;
        }
    };
    assert_eq!(response.output(), "Done.");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    if let [command, way, count, times] = args.as_slice()
        && command == COMMAND
    {
        let way = Way::ALL.into_iter().find(|other| other.name() == way);
        let (way, times) = (way.ok_or("no such way")?, times.parse()?);
        let agent = agent(way, count.parse()?, times)?;
        for _ in 0..times {
            turn(&agent)?;
        }
        return Ok(());
    }
    times(rounds(5, 61))?;
    instructions()?;
    Ok(())
}

/// How long a turn takes; the ways take turns.
fn times(rounds: usize) -> Result<(), Box<dyn Error>> {
    const TURNS: usize = 100;
    let cases: Vec<(Way, usize)> = Way::ALL
        .into_iter()
        .flat_map(|way| COUNTS.map(|count| (way, count)))
        .collect();
    let mut times = vec![Vec::new(); cases.len()];
    for _ in 0..rounds {
        for (&(way, count), times) in cases.iter().zip(&mut times) {
            let agent = agent(way, count, TURNS)?;
            let start = Instant::now();
            for _ in 0..TURNS {
                turn(&agent)?;
            }
            #[expect(clippy::cast_precision_loss, reason = "there are few")]
            times.push(start.elapsed().as_secs_f64() * 1e9 / TURNS as f64);
        }
    }
    for ((way, count), times) in cases.into_iter().zip(times) {
        println!("rig turn {count} {} ns {}", way.name(), median(times));
    }
    Ok(())
}

/// How many instructions one more hook takes. A turn takes some thousand times as many, so time cannot tell.
fn instructions() -> Result<(), String> {
    if !callgrind::is_installed() {
        return Ok(());
    }
    let few = rounds(10, 50);
    let many = few + rounds(50, 300);
    let slope = |way: Way| -> Result<f64, String> {
        let of = |count: usize| {
            callgrind::instructions(
                &[
                    &callgrind::this_program()?,
                    COMMAND,
                    way.name(),
                    &count.to_string(),
                ],
                few,
                many,
            )
        };
        let counts: Result<Vec<f64>, String> = COUNTS.iter().map(|&count| of(count)).collect();
        let counts = counts?;
        for (count, instructions) in COUNTS.iter().zip(&counts) {
            println!(
                "rig turn {count} {} instructions {instructions}",
                way.name()
            );
        }
        #[expect(clippy::cast_precision_loss, reason = "there are few")]
        let more = (COUNTS[2] - COUNTS[0]) as f64;
        let slope = (counts[2] - counts[0]) / more;
        println!("rig slope {} instructions/hook {slope}", way.name());
        Ok(slope)
    };
    let slopes: Result<Vec<f64>, String> = Way::ALL.into_iter().map(slope).collect();
    if let [rig, rig_default, ours, ours_async] = slopes?[..] {
        let (ours, ours_async) = (ours.max(NOISE), ours_async.max(NOISE));
        println!("rig slope rig/ours {}", rig / ours);
        println!("rig slope rig_default/ours {}", rig_default / ours);
        println!("rig slope rig/ours_async {}", rig / ours_async);
    }
    Ok(())
}
