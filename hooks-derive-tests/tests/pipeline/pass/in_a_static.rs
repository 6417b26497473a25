//! A pipeline's type cannot be written down, and a `static` has a type. Three ways around it.

use std::any::Any;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, OnceLock};

use hooks_core::agent::{AgentContext, AgentEvent, AgentHooks, BeforeToolCall};
use hooks_core::{Dispatch, HookAction, HookRegistry, hook, hooks};

#[hook(priority = 10)]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

struct Limit {
    left: AtomicU32,
}

#[hook]
impl Limit {
    fn check(&self, _: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 0 {
            return HookAction::block("too many calls");
        }
        HookAction::Continue
    }
}

/// State in a `static`, and a function that makes the pipeline: it is as large as one reference, and
/// nothing is done to make it.
static LIMIT: Limit = Limit {
    left: AtomicU32::new(1),
};

fn made_anew() -> impl AgentHooks + Copy + 'static {
    hooks![lower, &LIMIT]
}

/// Any state: made once, and found again by its type, which only the compiler knows.
fn made_once() -> &'static impl AgentHooks {
    static CELL: OnceLock<Box<dyn Any + Send + Sync>> = OnceLock::new();

    fn kept<H: Send + Sync + 'static>(
        cell: &'static OnceLock<Box<dyn Any + Send + Sync>>,
        make: impl FnOnce() -> H,
    ) -> &'static H {
        let hooks = cell.get_or_init(|| Box::new(make()));
        hooks.downcast_ref().expect("one function, one type")
    }
    kept(&CELL, || {
        let limit = Limit {
            left: AtomicU32::new(1),
        };
        hooks![lower, limit]
    })
}

/// In a registry, whose type has a name: a box for each call of an event that is handled.
static BOXED: LazyLock<HookRegistry<AgentEvent<'static>>> = LazyLock::new(|| {
    let limit = Limit {
        left: AtomicU32::new(1),
    };
    HookRegistry::new().with(hooks![lower, limit])
});

async fn twice(hooks: &impl Dispatch<BeforeToolCall>) -> [bool; 2] {
    let cx = AgentContext::new("s1");
    let mut call = BeforeToolCall::default();
    let first = hooks.ask(&cx, &mut call).await.is_continue();
    [first, hooks.ask(&cx, &mut call).await.is_continue()]
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    assert_eq!(size_of_val(&made_anew()), size_of::<&Limit>());
    assert_eq!(twice(&made_anew()).await, [true, false]);
    assert_eq!(twice(made_once()).await, [true, false]);
    assert_eq!(twice(&*BOXED).await, [true, false]);
}
