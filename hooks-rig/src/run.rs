//! The adapter's notes on one run of rig. They are in the run's scratchpad, and are dropped with the run.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hooks_core::agent::{AgentContext, BeforeToolCall, ToolOutput, Usage};
use rig_agent::agent::HookContext;
use rig_agent::core::effect::EffectId;
use rig_agent::run::policy::RetryRequest;
use serde_json::Value;

/// One run of rig, which is one turn of the agent.
pub(crate) struct RigRun {
    /// What every hook may read.
    pub(crate) cx: AgentContext,
    /// When it started.
    pub(crate) began: Instant,
    /// Whether `AgentStart` has been raised.
    working: AtomicBool,
    /// Whether one of our hooks has ended it.
    stopped: AtomicBool,
    notes: Mutex<Notes>,
}

/// What one callback records for another.
#[derive(Default)]
pub(crate) struct Notes {
    /// The label of the model for the next call.
    pub(crate) model: String,
    /// When the last model call started.
    pub(crate) asked: Option<Instant>,
    /// What rig must do about the answer that hooks have just seen.
    pub(crate) again: Option<RetryRequest>,
    /// What the model's answers have used, as far as rig has reported it.
    pub(crate) usage: Usage,
    /// How many times hooks have retried the current answer.
    pub(crate) retries: u32,
    /// How many times hooks have made the agent continue in this turn.
    pub(crate) stops: u32,
    /// Arguments that hooks have repaired, by call id.
    pub(crate) repaired: HashMap<String, Value>,
    /// Tool calls that hooks have seen and that have not ended.
    calls: HashMap<EffectId, RigCall>,
}

/// A tool call between rig's two callbacks.
pub(crate) enum RigCall {
    /// Hooks let it run, and it started at this time.
    Runs(BeforeToolCall, Instant),
    /// A hook has answered it.
    Answered(BeforeToolCall, ToolOutput),
    /// It does not run, and its end has been raised.
    Over,
}

impl RigRun {
    fn new(cx: AgentContext) -> Self {
        RigRun {
            cx,
            began: Instant::now(),
            working: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            notes: Mutex::default(),
        }
    }

    /// The notes. No lock is held while hooks run.
    pub(crate) fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn park(&self, id: EffectId, call: RigCall) {
        self.notes().calls.insert(id, call);
    }

    pub(crate) fn take(&self, id: EffectId) -> Option<RigCall> {
        self.notes().calls.remove(&id)
    }

    /// Records that a hook ends the run.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Records that the agent works on the prompt.
    pub(crate) fn work(&self) {
        self.working.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_working(&self) -> bool {
        self.working.load(Ordering::Relaxed)
    }
}

/// The runs by adapter: a scratchpad holds one value per type, but an agent may have several adapters.
#[derive(Clone)]
struct Runs {
    adapter: u64,
    run: Arc<RigRun>,
    others: Option<Arc<Runs>>,
}

impl Runs {
    fn of(&self, adapter: u64) -> Option<Arc<RigRun>> {
        let mut runs = self;
        while runs.adapter != adapter {
            runs = runs.others.as_deref()?;
        }
        Some(runs.run.clone())
    }
}

/// The adapter's run, created in the first callback.
pub(crate) fn of(
    ctx: &HookContext,
    adapter: u64,
    cx: impl FnOnce() -> AgentContext,
) -> Arc<RigRun> {
    /// The scratchpad cannot check and insert atomically, and tools run concurrently.
    static BEGINNING: Mutex<()> = Mutex::new(());

    let known = || ctx.scratchpad().get::<Runs>();
    if let Some(run) = known().and_then(|runs| runs.of(adapter)) {
        return run;
    }
    let beginning = BEGINNING.lock().unwrap_or_else(PoisonError::into_inner);
    let others = known();
    if let Some(run) = others.as_ref().and_then(|runs| runs.of(adapter)) {
        return run;
    }
    let run = Arc::new(RigRun::new(cx()));
    ctx.scratchpad().insert(Runs {
        adapter,
        run: run.clone(),
        others: others.map(Arc::new),
    });
    drop(beginning);
    run
}
