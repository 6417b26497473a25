//! Runs work that keeps a core busy, such as compiling hooks that a request brings, aside from the threads that answer.

use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::problem::Problem;

/// How many works run at once. The others wait.
const AT_ONCE: usize = 2;

/// The room for works, which are counted for the whole process, as its cores are.
static ROOM: Semaphore = Semaphore::const_new(AT_ONCE);

/// Does work aside. It goes on to its end, also when the request that wanted it is gone.
pub(crate) async fn aside<T, E>(
    work: impl Future<Output = Result<T, E>> + Send + 'static,
) -> Result<T, Problem>
where
    T: Send + 'static,
    E: Into<Problem> + Send + 'static,
{
    // The semaphore is never closed.
    let room = ROOM.acquire().await;
    let runtime = Handle::current();
    let working = tokio::task::spawn_blocking(move || {
        let _room = room;
        runtime.block_on(work)
    });
    let worked = working.await.map_err(|error| {
        tracing::error!(%error, "work failed");
        Problem::failed("the work failed: the daemon's log says why")
    })?;
    worked.map_err(Into::into)
}
