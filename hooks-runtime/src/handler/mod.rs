//! The handlers, which run when a definition's filter matches: a rule in the file itself, or something outside of the
//! agent.
//!
//! | file | handler |
//! | --- | --- |
//! | `rule` | a decision in the file itself: no process, no I/O |
//! | `command` | a process for each event |
//! | `http` | a POST to an endpoint |
//! | `prompt` | a model that decides |
//! | `process` | a process that keeps running, asked over JSON-RPC |

pub(crate) mod command;
pub(crate) mod http;
pub(crate) mod process;
pub(crate) mod prompt;
pub(crate) mod rule;

use std::ffi::OsString;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;

use hooks_sandbox::Confinement;

use crate::answer::HandlerAnswer;
use crate::events::EventInfo;
use crate::fault::HandlerFault;
use crate::services::Services;
use crate::system::HandlerQuestion;

/// What is wrong with hosts of this machine in shared hooks.
pub(crate) const SHARED_LOOPBACK: &str =
    "a hook cannot allow hosts of this machine here: the deployment names such hosts";

/// What to do about what shared hooks may not have.
pub(crate) const SHARED_HELP: &str =
    "leave it out: people write these hooks who may not act as this process";

/// The future answer. It owns all its data, so the agent need not wait for it.
pub(crate) type PendingAnswer =
    Pin<Box<dyn Future<Output = Result<HandlerAnswer, HandlerFault>> + Send>>;

/// Returns the words that start a program: those of its sandbox, if there is one.
fn words(sandbox: Option<&Confinement>, program: PathBuf, arguments: &[String]) -> Vec<OsString> {
    if let Some(sandbox) = sandbox {
        return sandbox.words(program, arguments);
    }
    let arguments = arguments.iter().map(OsString::from);
    [program.into()].into_iter().chain(arguments).collect()
}

/// A handler outside of the agent.
pub(crate) trait Handler: Send + Sync {
    /// Returns the kind, as records name it: `command`, `http`, `prompt` or `process`.
    fn kind(&self) -> &'static str;

    /// Returns what it runs, in one line, for people. It never contains a secret.
    fn target(&self) -> String;

    /// Whether it does nothing but answer, so that even a dry run asks it.
    fn is_inert(&self) -> bool {
        false
    }

    /// Asks about an event. The event is read here, before the future is polled.
    fn ask(&self, ask: &HandlerQuestion<'_>) -> PendingAnswer;

    /// Waits until the handler can be asked, if it must start first. This time does not count for its timeout.
    fn starting(&self) -> Option<Pin<Box<dyn Future<Output = ()> + Send>>> {
        None
    }

    /// Returns what hears of observed events, if that needs no answer.
    fn listener(&self) -> Option<&dyn Listener> {
        None
    }

    /// Ends what runs independently.
    fn shut_down(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }
}

/// A handler that keeps the order of observed events: it hears of them while they are dispatched.
pub(crate) trait Listener {
    /// Passes on an event, without waiting.
    ///
    /// # Errors
    ///
    /// If the handler will not hear of it.
    fn tell(&self, ask: &HandlerQuestion<'_>) -> Result<(), HandlerFault>;
}

/// The surroundings of handlers, in addition to their own settings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Making {
    /// The folder of the file, which its relative paths are relative to. Empty for a text: the current folder.
    pub(crate) folder: PathBuf,
    /// The root of the project that the agent works in, as the program has told the runtime.
    pub(crate) project_dir: Option<PathBuf>,
    /// The project that the file belongs to, by its place.
    pub(crate) project_of_file: Option<PathBuf>,
    /// What the program has passed to the builder.
    pub(crate) services: Services,
    /// The definition's name, if the file gives it one.
    pub(crate) name: Option<String>,
    /// The events of the definition.
    pub(crate) events: Vec<&'static EventInfo>,
}

/// A mistake in the settings of a handler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SettingsMistake {
    /// The keys, from the handler's own on: `["headers", "Authorization"]`. Empty for the whole handler.
    pub(crate) keys: Vec<String>,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// What else is wrong with the same handler.
    pub(crate) more: Vec<SettingsMistake>,
}

impl SettingsMistake {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        SettingsMistake {
            message: message.into(),
            ..SettingsMistake::default()
        }
    }

    pub(crate) fn at(mut self, key: impl Into<String>) -> Self {
        self.keys.push(key.into());
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
