//! Keeps a process running: starts it, restarts it after a delay, and ends it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hooks_builtin::__caller as caller;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, timeout};

use super::ProcessSettings;
use super::connection::{Connection, End, MessageQueue, QueuedMessage, live, stopped};
use crate::fault::HandlerFault;

/// The delay before the first restart. It doubles each time.
const FIRST_DELAY: Duration = Duration::from_millis(100);

/// The longest delay.
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// After a run of this length, the delays start again.
const HEALTHY: Duration = Duration::from_mins(1);

/// A process is not started more often than this …
const MOST_STARTS: usize = 10;

/// … within this time.
const WINDOW: Duration = Duration::from_mins(5);

/// How many messages wait at most until the process reads them.
const MOST_WAITING: usize = 1024;

/// A process that is kept running.
pub(super) struct HandlerProcess {
    pub(super) settings: Arc<ProcessSettings>,
    keeper: Mutex<Option<Keeper>>,
}

/// The task that keeps it running. Dropping this ends the task.
struct Keeper {
    state: watch::Receiver<ProcessState>,
    stop: watch::Sender<bool>,
    queue: mpsc::Sender<QueuedMessage>,
}

#[derive(Clone)]
enum ProcessState {
    Starting,
    Up(Arc<Connection>),
    Down(Arc<str>),
    /// The process was told to end.
    Ended,
}

impl HandlerProcess {
    pub(super) fn new(settings: ProcessSettings) -> Self {
        HandlerProcess {
            settings: Arc::new(settings),
            keeper: Mutex::new(None),
        }
    }

    /// Returns the connection to the process, and starts the process if necessary.
    ///
    /// # Errors
    ///
    /// If it cannot be started, or is down.
    pub(super) async fn connection(&self) -> Result<Arc<Connection>, HandlerFault> {
        let (mut state, _) = self.kept()?;
        loop {
            match state.borrow_and_update().clone() {
                ProcessState::Up(connection) => return Ok(connection),
                ProcessState::Down(why) => return Err(HandlerFault::not_started(why)),
                ProcessState::Ended => {
                    return Err(HandlerFault::not_started("the process was ended"));
                }
                ProcessState::Starting => {}
            }
            if state.changed().await.is_err() {
                return Err(HandlerFault::not_started("the process was ended"));
            }
        }
    }

    /// Queues a message without waiting, and starts the process if necessary. While it starts, the message waits.
    ///
    /// # Errors
    ///
    /// If the process is down, or does not read.
    pub(super) fn tell(&self, message: QueuedMessage) -> Result<(), HandlerFault> {
        let (state, queue) = self.kept()?;
        match &*state.borrow() {
            ProcessState::Down(why) => return Err(HandlerFault::not_started(why)),
            ProcessState::Ended => return Err(HandlerFault::not_started("the process was ended")),
            ProcessState::Starting | ProcessState::Up(_) => {}
        }
        queue.try_send(message).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => HandlerFault::not_asked(format_args!(
                "{MOST_WAITING} messages are waiting, and the process does not read them"
            )),
            mpsc::error::TrySendError::Closed(_) => {
                HandlerFault::not_started("the process was ended")
            }
        })
    }

    fn kept(
        &self,
    ) -> Result<(watch::Receiver<ProcessState>, mpsc::Sender<QueuedMessage>), HandlerFault> {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(keeper) = &*keeper {
            let is_over = matches!(*keeper.state.borrow(), ProcessState::Ended);
            // If the async runtime of the task is gone, so is the task.
            if is_over || keeper.state.has_changed().is_ok() {
                return Ok((keeper.state.clone(), keeper.queue.clone()));
            }
        }
        let runtime = tokio::runtime::Handle::try_current();
        let runtime =
            runtime.map_err(|_| HandlerFault::not_started("a process needs a Tokio runtime"))?;
        let (sender, state) = watch::channel(ProcessState::Starting);
        let (stop, is_stopped) = watch::channel(false);
        let (queue, messages) = mpsc::channel(MOST_WAITING);
        let ours = MessageQueue {
            sender: queue.clone(),
            messages,
            run: 0,
        };
        let kept = keep(Arc::clone(&self.settings), ours, sender, is_stopped);
        runtime.spawn(caller::inherited(kept));
        *keeper = Some(Keeper {
            state: state.clone(),
            stop,
            queue: queue.clone(),
        });
        Ok((state, queue))
    }

    /// Ends the process permanently.
    pub(super) async fn shut_down(&self) {
        let mut state = {
            let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(keeper) = &*keeper else { return };
            keeper.stop.send_replace(true);
            keeper.state.clone()
        };
        let ended = state.wait_for(|state| matches!(state, ProcessState::Ended));
        // The process itself has two seconds.
        let _ = timeout(Duration::from_secs(5), ended).await;
    }
}

/// Keeps a process running.
async fn keep(
    settings: Arc<ProcessSettings>,
    mut queue: MessageQueue,
    state: watch::Sender<ProcessState>,
    mut stop: watch::Receiver<bool>,
) {
    let mut starts = VecDeque::new();
    let mut delay = FIRST_DELAY;
    loop {
        let started = Instant::now();
        starts.push_back(started);
        let end = live(&settings, &mut queue, &mut stop, |connection| {
            state.send_replace(ProcessState::Up(connection));
        });
        let why = match end.await {
            End::Stopped => break,
            End::Died(why) => why,
        };
        tracing::warn!(
            process = settings.name,
            why,
            "the process of a hook is down"
        );
        state.send_replace(ProcessState::Down(why.into()));
        if started.elapsed() >= HEALTHY {
            delay = FIRST_DELAY;
        }
        let rest = if settings.restart {
            while starts
                .front()
                .is_some_and(|start: &Instant| start.elapsed() >= WINDOW)
            {
                starts.pop_front();
            }
            let rest = match starts.front() {
                Some(first) if starts.len() >= MOST_STARTS => {
                    delay.max(WINDOW.saturating_sub(first.elapsed()))
                }
                _ => delay,
            };
            delay = (delay * 2).min(LONGEST_DELAY);
            Some(rest)
        } else {
            None
        };
        let again = async {
            match rest {
                Some(rest) => sleep(rest).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = again => {}
            () = stopped(&mut stop) => break,
        }
        state.send_replace(ProcessState::Starting);
    }
    queue.messages.close();
    let mut lost = 0_u64;
    while let Ok(message) = queue.messages.try_recv() {
        lost += u64::from(message.is_event());
    }
    if lost > 0 {
        tracing::warn!(
            process = settings.name,
            lost,
            "the process of a hook has ended before it read all events"
        );
    }
    state.send_replace(ProcessState::Ended);
}
