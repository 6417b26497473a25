//! The handler `command`: a process for each event, which reads the event on standard input, and answers with its exit
//! code and on standard output.
//!
//! | | |
//! | --- | --- |
//! | what runs | `run`, by `sh -c` (Codex's files: by the user's login shell), or `argv`, without a shell |
//! | environment | see [`environment`] |
//! | folder | `cwd`; otherwise the agent's, if it exists; otherwise the project's |
//! | input | the event in the dialect's format, a line feed, the end; a command may ignore it |
//! | output | 1 MiB of each is kept (`output_limit`), the rest is read and dropped |
//! | sandbox | what it may do at most, see [`hooks_sandbox`] |
//! | end | what it has started ends with it, see [`hooks_builtin::__child`] |

mod environment;
mod program;

use std::borrow::Cow;
use std::io;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use hooks_builtin::__caller as caller;
use hooks_builtin::__child::{Background, Child};
use hooks_builtin::SandboxConfig;
use hooks_sandbox::{Confinement, SandboxError};

use self::environment::About;
pub(crate) use self::environment::CommandEnvironment;
use super::{Handler, Making, PendingAnswer, SettingsMistake, words};
use crate::answer::HandlerAnswer;
use crate::entry::CommandEntry;
use crate::events;
use crate::fault::HandlerFault;
use crate::record::RawAnswer;
use crate::system::Dialect;
use crate::system::Exit;
use crate::system::HandlerQuestion;
use crate::system::QuestionEvent;
use crate::system::raw::Raw;

pub(crate) use self::program::in_folder;
pub use self::program::is_executable;

/// How much of a command's output is kept.
const MOST_OUTPUT: usize = 1024 * 1024;

/// What stands for the root of the project in the words of a command, in files of other systems.
pub(crate) const PROJECT: &str = "${CLAUDE_PROJECT_DIR}";

struct CommandHandler(Arc<CommandSettings>);

/// A checked entry.
struct CommandSettings {
    /// The program and its arguments.
    argv: Vec<String>,
    /// Whether [`PROJECT`] is replaced in them. A shell reads the variable itself.
    is_placed: bool,
    /// The command, in one line.
    shown: String,
    dialect: Dialect,
    environment: CommandEnvironment,
    cwd: Option<PathBuf>,
    folder: PathBuf,
    project_dir: Option<PathBuf>,
    project_of_file: Option<PathBuf>,
    most_output: usize,
    sandbox: Option<Confinement>,
}

/// Checks the settings, and creates the handler.
pub(crate) fn make(
    entry: &CommandEntry,
    dialect: Dialect,
    making: &Making,
) -> Result<Arc<dyn Handler>, SettingsMistake> {
    let argv = argv(entry, dialect)?;
    let limits = entry.sandbox.as_ref();
    let sandbox = limits.map(|entry| sandbox(entry, making)).transpose()?;
    if let Some(text) = argv.iter().find(|text| text.contains('\0')) {
        let message = format!("`{}` contains a NUL byte", text.escape_debug());
        return Err(SettingsMistake::new(message));
    }
    let shown = entry.run.clone().unwrap_or_else(|| entry.argv.join(" "));
    Ok(Arc::new(CommandHandler(Arc::new(CommandSettings {
        argv,
        is_placed: entry.run.is_none() && dialect != Dialect::Hooks,
        shown,
        dialect,
        environment: CommandEnvironment::check(&entry.env, dialect)?,
        cwd: entry.cwd.as_ref().map(|cwd| making.folder.join(cwd)),
        folder: making.folder.clone(),
        project_dir: making.project_dir.clone(),
        project_of_file: making.project_of_file.clone(),
        most_output: entry.output_limit.map_or(MOST_OUTPUT, limited),
        sandbox,
    }))))
}

fn limited(limit: NonZeroU64) -> usize {
    usize::try_from(limit.get()).unwrap_or(usize::MAX)
}

/// Returns the program and its arguments.
fn argv(entry: &CommandEntry, dialect: Dialect) -> Result<Vec<String>, SettingsMistake> {
    match (&entry.run, entry.argv.as_slice()) {
        (Some(_), [_, ..]) => Err(
            SettingsMistake::new("`run` and `argv` both choose what runs")
                .at("argv")
                .help(
                    "write one of them: `run` for a shell, `argv` for a program and its arguments",
                ),
        ),
        (None, []) => Err(SettingsMistake::new("the command is missing")
            .help("write `command = \"./check.sh\"`, or a table with `run` or `argv`")),
        (Some(run), []) if run.trim().is_empty() => {
            Err(SettingsMistake::new("the command is empty")
                .help("write the command for the shell"))
        }
        (Some(run), []) => {
            let mut argv = shell(entry.shell.as_deref(), dialect);
            argv.push(run.clone());
            Ok(argv)
        }
        (None, [program, ..]) if program.trim().is_empty() => {
            Err(SettingsMistake::new("the program's name is empty")
                .at("argv")
                .help("the first element of `argv` is the program"))
        }
        (None, argv) => {
            if entry.shell.is_some() {
                return Err(SettingsMistake::new("`argv` runs without a shell")
                    .at("shell")
                    .help("leave `shell` out, or write `run` in place of `argv`"));
            }
            Ok(argv.to_vec())
        }
    }
}

/// Returns the shell, and its arguments before the command.
fn shell(named: Option<&str>, dialect: Dialect) -> Vec<String> {
    let of_user = || caller::var("SHELL").filter(|shell| !shell.is_empty());
    let (shell, is_login) = match named {
        Some(shell) => (shell.to_owned(), false),
        None if dialect == Dialect::Codex => (of_user().unwrap_or_else(|| "sh".into()), true),
        None if cfg!(windows) && program::found("sh", None).is_err() => {
            ("powershell".into(), false)
        }
        None => ("sh".into(), false),
    };
    let name = Path::new(&shell)
        .file_stem()
        .map(|name| name.to_string_lossy().to_lowercase());
    let flags: &[&str] = match name.as_deref() {
        Some("powershell" | "pwsh") => &["-NoProfile", "-NonInteractive", "-Command"],
        Some("cmd") => &["/C"],
        _ if is_login => &["-lc"],
        _ => &["-c"],
    };
    let flags = flags.iter().map(|flag| (*flag).to_owned());
    std::iter::once(shell).chain(flags).collect()
}

/// Returns the sandbox of a program. A limit that cannot be enforced is an error, and never ignored.
pub(super) fn sandbox(
    config: &SandboxConfig,
    making: &Making,
) -> Result<Confinement, SettingsMistake> {
    // Which variables the program gets, its own settings say.
    let sandbox = config.sandbox(&making.folder).env("*");
    let prepared = sandbox.prepare().and_then(|confinement| {
        confinement.check()?;
        Ok(confinement)
    });
    prepared.map_err(|error| {
        let help = match &error {
            SandboxError::Path { .. } => {
                "create it, or correct the path: it starts at the file's folder"
            }
            SandboxError::Launcher { .. } => {
                "leave `sandbox` out, or let your agent's executable, or the program `hooks`, confine programs"
            }
            SandboxError::Kernel { .. } => {
                "leave `sandbox` out, or write `best_effort = true` to run it with the restrictions that the kernel supports"
            }
            _ => "correct the rule",
        };
        SettingsMistake::new(error.to_string()).at("sandbox").help(help)
    })
}

impl Handler for CommandHandler {
    fn kind(&self) -> &'static str {
        "command"
    }

    fn target(&self) -> String {
        self.0.shown.clone()
    }

    fn ask(&self, ask: &HandlerQuestion<'_>) -> PendingAnswer {
        let settings = Arc::clone(&self.0);
        let on = QuestionEvent::of(ask);
        let about = About {
            event: ask.named.to_owned(),
            hook: ask.hook.to_owned(),
            subject: events::subject(&ask.event).map(str::to_owned),
            session_id: ask.cx.session_id.clone(),
            cwd: ask.cx.cwd.clone(),
            project_dir: ask.cx.project_dir.clone(),
            within: Raw::current().map(|raw| raw.within.clone()),
        };
        let input = settings.dialect.input(ask);
        Box::pin(async move {
            let mut input = input.map_err(HandlerFault::nonsense)?;
            input.push(b'\n');
            settings.run(&about, &input, &on).await
        })
    }
}

impl CommandSettings {
    async fn run(
        &self,
        about: &About,
        input: &[u8],
        on: &QuestionEvent,
    ) -> Result<HandlerAnswer, HandlerFault> {
        let command = self.command(about)?;
        // Our own commands leave no process behind. Other systems allow a command to start something that keeps
        // running.
        let background = match self.dialect {
            Dialect::Hooks => Background::Ends,
            _ => Background::Lives,
        };
        let (child, pipes) =
            Child::spawn(command, background).map_err(|error| self.not_started(&error))?;
        let ended = child.talk(pipes, input, self.most_output).await;
        let ended = ended.map_err(|error| {
            HandlerFault::failed(format_args!("the program cannot be followed: {error}"))
        })?;
        let exit = Exit {
            code: ended.status.code(),
            stdout: ended.stdout.kept,
            stderr: ended.stderr.kept,
            is_cut: ended.stdout.is_cut,
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        RawAnswer::note(|| RawAnswer {
            stdout: text(&exit.stdout),
            stderr: text(&exit.stderr),
            ..RawAnswer::default()
        });
        self.dialect.of_command(on, &exit)
    }

    fn not_started(&self, error: &io::Error) -> HandlerFault {
        HandlerFault::not_started(format_args!(
            "`{}` cannot be started: {error}",
            self.argv[0]
        ))
    }

    fn command(&self, about: &About) -> Result<Command, HandlerFault> {
        let project = self.project(about);
        let cwd = self.directory(about, project.as_deref())?;
        let argv = match &project {
            Some(project) if self.is_placed => {
                let project = project.to_string_lossy();
                let words = self.argv.iter();
                words.map(|word| word.replace(PROJECT, &project)).collect()
            }
            _ => Cow::Borrowed(&*self.argv),
        };
        let (program, arguments) = argv
            .split_first()
            .ok_or_else(|| HandlerFault::not_started("the command is empty"))?;
        let path = self.environment.path();
        let found = program::in_folder(program, &self.folder, cwd.as_deref(), path);
        let found = found.map_err(HandlerFault::not_started)?;
        let all = words(self.sandbox.as_ref(), found, arguments);
        let tell = |command: &mut _| self.environment.tell(about, project.as_deref(), command);
        let mut command = self.environment.command(&all[0], tell);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::arg0(&mut command, program);
        command.args(&all[1..]);
        if let Some(cwd) = cwd {
            command.current_dir(cwd);
        }
        Ok(command)
    }

    /// Returns the root of the project: the runtime's, otherwise the agent's, otherwise that of the file, otherwise the
    /// folder that the agent works in. A hook that looks for its script there never looks at the root of the disk.
    fn project(&self, about: &About) -> Option<PathBuf> {
        let named = |folder: &str| Some(PathBuf::from(folder)).filter(|_| !folder.is_empty());
        // An agent that knows no project names its folder, which may be one inside of the file's project.
        let of_file = self.project_of_file.clone().filter(|root| {
            about.project_dir == about.cwd && Path::new(&about.cwd).starts_with(root)
        });
        self.project_dir
            .clone()
            .or(of_file)
            .or_else(|| named(&about.project_dir))
            .or_else(|| self.project_of_file.clone())
            .or_else(|| named(&about.cwd))
            .or_else(|| caller::current_dir().ok())
    }

    fn directory(
        &self,
        about: &About,
        project: Option<&Path>,
    ) -> Result<Option<PathBuf>, HandlerFault> {
        if let Some(cwd) = &self.cwd {
            if !cwd.is_dir() {
                let message = format!("the folder {} of `cwd` does not exist", cwd.display());
                return Err(HandlerFault::not_started(message));
            }
            return Ok(Some(cwd.clone()));
        }
        let agents = Some(Path::new(&about.cwd)).filter(|cwd| !cwd.as_os_str().is_empty());
        let mut known = agents.into_iter().chain(project);
        Ok(known.find(|cwd| cwd.is_dir()).map(Path::to_owned))
    }
}
