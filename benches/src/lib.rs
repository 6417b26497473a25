//! What hooks cost: the same hooks by hand, in a static pipeline, behind `dyn`, and boxed, cloned and
//! caught.
//!
//! Every way does the same work on the same events, which a test holds it to. The benchmarks, the report
//! and the allocation counter all run the [`cases`] that are made here, so that no figure comes from a
//! program of its own. The built-in hooks are measured beside them, in [`builtin`].
//!
//! ```sh
//! cargo bench -p benches                            # criterion, with HTML in target/criterion
//! cargo run --release -p benches --bin report       # every figure in one pass
//! benches/compile-time                              # how long hooks take to compile
//! ```

pub mod boxed;
pub mod builtin;
pub mod callgrind;
mod case;
mod chart;
pub mod driver;
pub mod dynamic;
pub mod event;
pub mod figures;
pub mod hand;
mod lists;
pub mod statics;
pub mod turns;

use std::future::poll_fn;
use std::path::PathBuf;
use std::pin::pin;
use std::process::Command;
use std::task::{Context, Poll, Waker};

pub use crate::case::{Case, Contestant, Outcome, Way, cases, future_bytes, run_counted};

/// Polls a future until it is done, with a waker that does nothing: no runtime is measured.
#[inline(always)]
pub fn poll_now<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut task = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut task) {
            return output;
        }
    }
}

/// Has to wait once, and is ready when it is asked again.
async fn yield_once() {
    let mut yielded = false;
    poll_fn(|task| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        task.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Python itself: what is first in `PATH` may be a script that looks for it.
#[must_use]
pub fn python() -> Option<PathBuf> {
    let said = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .ok()?;
    let path = String::from_utf8(said.stdout).ok()?;
    Some(path.trim().into()).filter(|path: &PathBuf| path.is_file())
}
