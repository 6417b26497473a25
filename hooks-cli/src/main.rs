//! The program `hooks`: checks, shows and tries the hooks of a file, and runs them for agents in any language.
//!
//! Each command is a module of [`commands`]. This folder has what they share: finding the file, building an event from
//! arguments, and printing.

#![forbid(unsafe_code)]

mod commands;
mod event;
mod file;
mod paint;

use std::path::PathBuf;
use std::process::ExitCode;

#[cfg(feature = "man")]
use clap::CommandFactory as _;
use clap::{Parser, Subcommand};
use hooks_runtime::Dialect;

use crate::event::EventArgs;

/// Hooks for AI agents, from a file.
///
/// A file `hooks.toml` says what an agent may do, and what is logged. This program writes such a file, checks it, tries
/// it, and runs it for agents that call commands as hooks: Claude Code, Codex, Gemini CLI, goose, Cursor, PicoClaw.
#[derive(Debug, Parser)]
#[command(
    name = "hooks",
    version,
    max_term_width = 100,
    after_help = "Where to begin:\n  hooks demo                          see what hooks do; nothing runs\n  hooks init --agent claude --write   a first hooks.toml, and Claude Code asks it\n  hooks doctor                        whether the agents here ask it\n  hooks test                          whether it decides as you mean\n  hooks serve                         a daemon, for a team with --store and a console"
)]
struct Cli {
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a hooks.toml, and put the hooks into the agent's own settings.
    #[command(
        after_help = "Examples:\n  hooks init\n  hooks init --agent claude --write\n  hooks init --agent claude --write --dry-run\n  hooks init --agent claude --remove"
    )]
    Init(commands::init::InitArgs),
    /// Show what hooks do, on a recorded session of an agent. Nothing runs.
    #[command(after_help = "Examples:\n  hooks demo\n  hooks demo --json")]
    Demo,
    /// Read what a file would run, and trust it as it is now.
    ///
    /// A file that you name runs as it is. A hooks.toml that the program finds by itself, in a project that you may only
    /// have cloned, runs after you have trusted it here. A change needs your trust again.
    #[command(
        after_help = "Examples:\n  hooks trust\n  hooks trust --list\n  hooks trust --remove hooks.toml"
    )]
    Trust(commands::trust::TrustArgs),
    /// Find every mistake in files, with line, column and help. The exit code is 1 if there is any.
    #[command(
        after_help = "Examples:\n  hooks check hooks.toml\n  hooks check .claude/settings.json\n  hooks check --for claude\n  hooks check --from claude other.json"
    )]
    Check {
        /// The files; by default the hooks.toml here or in a folder above.
        files: Vec<PathBuf>,
        #[command(flatten)]
        format: file::FormatArgs,
        /// Also find the hooks that can never run in this agent.
        #[arg(long = "for", value_name = "AGENT", value_parser = commands::init::agents::AgentNameParser)]
        agent: Option<commands::init::agents::Agent>,
    },
    /// Compare the file with what the agents here have registered in their settings. The exit code is 1 if something does
    /// not work.
    ///
    /// For each agent: events for which the file has hooks and that are not registered, too little time, events that are
    /// registered twice, programs and files that are not there, scripts that may not be run, tools that the policy does not
    /// know.
    #[command(after_help = "Examples:\n  hooks doctor\n  hooks doctor --for claude --json")]
    Doctor(commands::doctor::DoctorArgs),
    /// Whether this program is installed as it should be.
    #[command(
        name = "self",
        subcommand,
        after_help = "Examples:\n  hooks self check\n  hooks self check --json"
    )]
    Own(commands::own::Own),
    /// The tables of the agents: how each calls its hooks, and what they may answer.
    #[command(
        subcommand,
        after_help = "Examples:\n  hooks agents list\n  hooks agents show claude\n  hooks agents check my-agent.toml"
    )]
    Agents(commands::agents::Agents),
    /// Show what runs when.
    #[command(
        after_help = "Examples:\n  hooks plan\n  hooks plan hooks.toml --event BeforeToolCall"
    )]
    Plan {
        #[command(flatten)]
        file: file::FileArgs,
        /// Only what runs on this event.
        #[arg(long)]
        event: Option<String>,
    },
    /// Raise an event, and show what the hooks do with it.
    ///
    /// The exit code is 0 whatever the hooks decide, which `--json` and the output say. It is 1 if the file has a mistake,
    /// and 2 if the event cannot be built from the arguments.
    #[command(
        after_help = "Examples:\n  hooks fire --event BeforeToolCall --tool shell --args '{\"command\": \"git push --force\"}'\n  \
                      hooks fire --event MessageReceived --args '{\"content\": \"hello\"}' --json\n  \
                      hooks fire --event-json claude-event.json"
    )]
    Fire(EventArgs),
    /// Show for each hook whether it would run on an event, and if not, why. Nothing runs.
    #[command(
        after_help = "Examples:\n  hooks why --event BeforeToolCall --tool shell --args '{\"command\": \"ls\"}'"
    )]
    Why(EventArgs),
    /// Run the tests of a file: each `[[hooks.test]]` in it, and in the files `*.test.toml` beside it. Nothing with effects runs.
    ///
    /// A test is an event, and what the hooks must decide about it. If one fails, what each hook said is shown, and which
    /// part of its condition decided. The exit code is 1 if one fails.
    #[command(
        after_help = "Examples:\n  hooks test\n  hooks test hooks.toml --coverage\n  hooks test --coverage --html coverage.html\n  hooks test --watch\n  hooks test --from records.jsonl > hooks.test.toml"
    )]
    Test(commands::testing::TestArgs),
    /// Run the hooks on one event of an agent, which calls this as its command hook.
    ///
    /// The event is read from standard input. The exit code and the output are what that agent expects of a hook. An event
    /// that cannot be read is blocked, and so is any event while the file has a mistake.
    #[command(
        after_help = "Examples:\n  hooks run /home/me/shop/hooks.toml --as claude < event.json"
    )]
    Run {
        /// The file; by default the hooks.toml of the project.
        file: Option<PathBuf>,
        /// The agent: one of `hooks agents list`, or one of your own that the file names.
        #[arg(long = "as", value_name = "AGENT")]
        system: String,
        #[command(flatten)]
        format: file::FormatArgs,
        /// The event, for agents whose input does not name it, such as Antigravity CLI.
        #[arg(long)]
        event: Option<String>,
        /// Append a record of each hook and each event to this file. `hooks log` shows it.
        #[arg(long, value_name = "FILE")]
        records: Option<PathBuf>,
    },
    /// Stay, and run the hooks for many events: as the daemon that `hooks run` asks, for agents that ask over HTTP, or for
    /// an agent that keeps a process, as PicoClaw does.
    #[command(
        after_help = "Examples:\n  hooks serve\n  hooks serve hooks.toml --listen 127.0.0.1:8787\n  hooks serve --stdio hooks.toml"
    )]
    Serve {
        /// Speak JSON-RPC on standard input and output, a message a line.
        #[cfg_attr(all(feature = "server", unix), arg(long, conflicts_with_all = ["socket", "listen"]))]
        #[cfg_attr(not(all(feature = "server", unix)), arg(long, required = true))]
        stdio: bool,
        #[cfg(all(feature = "server", unix))]
        #[command(flatten)]
        daemon: commands::daemon::DaemonArgs,
        /// Append a record of each hook and each event to this file. `hooks log` shows it.
        #[arg(long, value_name = "FILE")]
        records: Option<PathBuf>,
        /// The file; by default the hooks.toml here or in a folder above.
        file: Option<PathBuf>,
        #[command(flatten)]
        format: file::FormatArgs,
    },
    /// Tokens, with which people, agents and nodes ask the daemon of a store.
    #[cfg(feature = "server")]
    #[command(
        after_help = "Examples:\n  hooks token new --store sqlite:hooks.db --role owner --tenant acme --expires 90d\n  hooks token list --store sqlite:hooks.db\n  hooks token rotate ID --store sqlite:hooks.db --grace 1h\n  hooks token revoke ID --store sqlite:hooks.db"
    )]
    Token(commands::token::TokenArgs),
    /// Back up, restore and upgrade a store, and end a change of its key.
    #[cfg(feature = "server")]
    #[command(
        subcommand,
        after_help = "Examples:\n  hooks store backup sqlite:hooks.db -o hooks.backup\n  hooks store restore hooks.backup --to sqlite:hooks.db\n  hooks store migrate sqlite:hooks.db --check"
    )]
    Store(commands::store::Stores),
    /// Check that a store was not changed afterwards. The exit code is 1 if it was, and 3 if not all could be checked.
    #[cfg(feature = "server")]
    #[command(
        after_help = "Examples:\n  hooks verify sqlite:hooks.db\n  hooks verify sqlite:hooks.db --expect heads.jsonl\n  hooks verify sqlite:hooks.db --lines acme > acme.jsonl\n  hooks verify acme.jsonl"
    )]
    Verify(commands::verify::VerifyArgs),
    /// Convert another system's file to a hooks.toml. Comments say what is lost.
    #[command(
        after_help = "Examples:\n  hooks convert .claude/settings.json > hooks.toml\n  hooks convert config.json --from picoclaw > hooks.toml"
    )]
    Convert {
        /// The file.
        file: PathBuf,
        /// The system whose format it has. By default, a name such as `.claude/settings.json` decides.
        #[arg(long, value_name = "DIALECT")]
        from: Option<Dialect>,
    },
    /// Show a file of records, as `--records` and `JsonlRecorder` write it.
    #[command(
        after_help = "Examples:\n  hooks log records.jsonl\n  hooks log records.jsonl --follow --where 'outcome == \"block\"'"
    )]
    Log {
        /// The file.
        file: PathBuf,
        /// Wait for new records.
        #[arg(long)]
        follow: bool,
        /// Only records for which this CEL expression is true; it sees the fields of a record.
        #[arg(long = "where", value_name = "CEL")]
        condition: Option<String>,
    },
    /// Ask hooks about events of the past, and show which decisions would change. Nothing else runs.
    ///
    /// The past is files that `--records` has written, and the sessions that Claude Code, Codex and Gemini CLI keep. The
    /// exit code is 1 if a decision would change.
    #[command(
        after_help = "Examples:\n  hooks replay records.jsonl --with draft.toml\n  hooks replay ~/.claude/projects --with hooks.toml --since 2026-01-01"
    )]
    Replay(commands::replay::ReplayArgs),
    /// Run a program that may only use what you list here. The kernel enforces it.
    ///
    /// The program may always read the system's own folders, and what known programs need besides, such as `~/.rustup`. It
    /// has a temporary folder of its own, and a part of the environment. List whatever else it may read, write or reach.
    /// What was refused is said at the end. The exit code is the program's; it is 125 if the program could not be confined.
    #[command(
        after_help = "Examples:\n  hooks sandbox --write . -- cargo test\n  hooks sandbox --write . --domain registry.npmjs.org -- npm install\n  hooks sandbox --write . --explain"
    )]
    Sandbox(commands::sandbox::SandboxArgs),
    /// Judge the shell scripts of a folder, for CI. The exit code is 1 if the policy blocks anything. Nothing runs.
    ///
    /// Scripts are files `*.sh` and `*.bash`, and files whose first line names sh, bash, dash or zsh. The folders `.git`,
    /// `target` and `node_modules` are skipped.
    #[command(
        after_help = "Examples:\n  hooks scan .\n  hooks scan . --policy ci/hooks.toml\n  hooks scan . deploy.sh --json"
    )]
    Scan(commands::scan::ScanArgs),
    /// Revisions of hooks as files: build, sign, check and compare them.
    #[command(
        subcommand,
        after_help = "Examples:\n  hooks bundle key new -o key.pem\n  hooks bundle build hooks.toml -o bundle.json --sign key.pem\n  hooks bundle verify bundle.json --key PUBLIC\n  hooks bundle diff old.json new.json"
    )]
    Bundle(commands::bundle::Bundles),
    /// Write the man pages into a folder.
    #[cfg(feature = "man")]
    #[command(hide = true)]
    Man {
        /// The folder.
        folder: PathBuf,
    },
    /// Print completions for a shell.
    #[command(
        after_help = "Examples:\n  hooks completions bash > ~/.local/share/bash-completion/completions/hooks"
    )]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

fn main() -> ExitCode {
    // This program confines others: it is started once more for each.
    hooks_sandbox::enter_if_asked();
    #[cfg(all(feature = "server", unix))]
    let given = commands::daemon::parse();
    #[cfg(not(all(feature = "server", unix)))]
    let given = Ok::<_, Failure>(Cli::parse());
    let done = given.and_then(|Cli { json, command }| done(command, json));
    done.unwrap_or_else(|failure| {
        anstream::eprintln!(
            "{}: {}",
            paint::painted(paint::BAD, "error"),
            paint::lines(&failure.message)
        );
        ExitCode::from(failure.code)
    })
}

/// Does what a command says.
fn done(command: Command, json: bool) -> Done {
    match command {
        Command::Init(args) => commands::init::run(&args, json),
        Command::Demo => commands::demo::run(json),
        Command::Bundle(command) => commands::bundle::run(command, json),
        Command::Trust(args) => commands::trust::run(&args, json),
        Command::Check {
            files,
            format,
            agent,
        } => commands::check::run(files, format, agent, json),
        Command::Agents(command) => commands::agents::run(command, json),
        Command::Doctor(args) => commands::doctor::run(args, json),
        Command::Own(command) => commands::own::run(&command, json),
        Command::Plan { file, event } => commands::plan::run(&file, event.as_deref(), json),
        Command::Fire(args) => commands::fire::run(&args, json),
        Command::Why(args) => commands::why::run(&args, json),
        Command::Test(args) => commands::testing::run(&args, json),
        Command::Run {
            file,
            system,
            format,
            event,
            records,
        } => Ok(commands::run::run(file, &system, format, event, records)),
        Command::Serve {
            file,
            format,
            records,
            #[cfg(all(feature = "server", unix))]
            stdio,
            #[cfg(all(feature = "server", unix))]
            daemon,
            ..
        } => {
            #[cfg(all(feature = "server", unix))]
            if !stdio {
                return commands::daemon::run(file, format, records, daemon, json);
            }
            commands::serve::run(file, format, records.as_deref())
        }
        #[cfg(feature = "server")]
        Command::Token(args) => commands::token::run(args, json),
        #[cfg(feature = "server")]
        Command::Store(command) => commands::store::run(command, json),
        #[cfg(feature = "server")]
        Command::Verify(args) => commands::verify::run(&args, json),
        Command::Convert { file, from } => commands::convert::run(&file, from),
        Command::Log {
            file,
            follow,
            condition,
        } => commands::log::run(&file, follow, condition.as_deref(), json),
        Command::Replay(args) => commands::replay::run(&args, json),
        Command::Sandbox(args) => commands::sandbox::run(&args, json),
        Command::Scan(args) => commands::scan::run(&args, json),
        #[cfg(feature = "man")]
        Command::Man { folder } => {
            clap_mangen::generate_to(Cli::command(), folder).map_err(Failure::found)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Completions { shell } => {
            commands::completions(shell);
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Why a command failed.
#[derive(Debug)]
struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// The file has a mistake, or something is missing.
    fn found(message: impl std::fmt::Display) -> Self {
        Failure {
            message: message.to_string(),
            code: 1,
        }
    }

    /// The arguments are wrong.
    fn usage(message: impl std::fmt::Display) -> Self {
        Failure {
            message: message.to_string(),
            code: 2,
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// The result of a command.
type Done = Result<ExitCode, Failure>;
