//! `hooks init` writes a first file, and connects an agent with it.

pub(crate) mod agents;
pub(crate) mod settings;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use hooks_builtin::Profile;
use hooks_builtin::config::HooksConfig;
use hooks_runtime::{Registration, Runtime, Settings};
use hooks_sandbox::Sandbox;
use serde_json::json;

use self::agents::{Agent, TEXTS};
use self::settings::{FileChange, Ours};
use super::check;
use crate::paint::{self, BOLD, GOOD, painted, say};
use crate::{Done, Failure, file};

/// What is before a thing that the sandbox cannot keep from a program.
pub(crate) const LIMIT: &str = "limit of the sandbox here";

#[derive(Debug, clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line"
)]
pub(crate) struct InitArgs {
    /// The agent that the hooks are for.
    #[arg(long, value_parser = agents::AgentNameParser)]
    agent: Option<Agent>,
    /// Where the file is written.
    #[arg(long, default_value = file::NAME)]
    file: PathBuf,
    /// Replace the file if it exists. Without this, the file stays, and the agent's settings are for it.
    #[arg(long)]
    force: bool,
    /// Put the hooks into the agent's own settings, and show the difference. Everything else there stays.
    #[arg(long, requires = "agent")]
    write: bool,
    /// Take the hooks out of the agent's settings.
    #[arg(long, requires = "agent", conflicts_with_all = ["write", "force"])]
    remove: bool,
    /// Only show the difference that `--write` or `--remove` would make.
    #[arg(long, requires = "agent")]
    dry_run: bool,
    /// The agent's settings; by default those of the project in which the file is.
    #[arg(long, value_name = "FILE", requires = "agent")]
    settings: Option<PathBuf>,
}

pub(crate) fn run(args: &InitArgs, json: bool) -> Done {
    let path = std::path::absolute(&args.file).map_err(Failure::found)?;
    if !args.remove && !args.dry_run {
        write_first(args, &path)?;
    }
    let Some(agent) = args.agent else {
        if json {
            paint::json(&json!({ "file": path, "settings": null, "entry": null }));
        } else {
            let tries = "hooks fire --event BeforeToolCall --tool shell --args '{\"command\": \"git push --force\"}'";
            anstream::eprintln!("try it: {}", painted(BOLD, tries));
        }
        return Ok(ExitCode::SUCCESS);
    };
    let program = std::env::current_exe().map_err(Failure::found)?;
    // What is ours goes, whatever the file needs.
    let needs = (!args.remove).then(|| needs(agent, &path));
    let call = Registration {
        program,
        file: path.clone(),
        needs: needs.unwrap_or_default(),
    };
    let content = call.settings(agent.system).expect("they are in its table");
    let mark = agent.mark(&call);
    let ours = Ours {
        agent,
        file: &path,
        mark: &mark,
    };
    let project = path.parent().unwrap_or(Path::new("."));
    let settings = args
        .settings
        .clone()
        .unwrap_or_else(|| agent.init.path(project));
    if args.write || args.remove || args.dry_run {
        let change = if args.remove {
            FileChange::remove(settings, &content, ours)?
        } else {
            FileChange::add(settings, &content, ours)?
        };
        change.show();
        if !args.dry_run {
            change.write(&content, ours)?;
        }
    } else if json {
        let entry = match &content {
            Settings::Merged(value) => value.clone(),
            Settings::Whole(text) => json!(text),
        };
        paint::json(&json!({ "file": path, "settings": settings, "entry": entry }));
        return Ok(ExitCode::SUCCESS);
    } else {
        let title = format_args!("Put this into {}, or add `--write`:", settings.display());
        anstream::eprintln!("{}\n", painted(BOLD, title));
        match &content {
            Settings::Merged(value) => say!("{value:#}"),
            Settings::Whole(text) => say!("{}", text.trim_end()),
        }
    }
    if !args.remove && !agent.init.note.is_empty() {
        anstream::eprintln!("\n{}", agent.init.note);
    }
    Ok(ExitCode::SUCCESS)
}

/// The agent's events for which a file has hooks. A file that cannot be used has none yet.
///
/// Warns if the file does not name the table of an agent of the user's own.
fn needs(agent: Agent, path: &Path) -> BTreeMap<String, Duration> {
    let built = file::block_on(Runtime::builder().file(path).build());
    let Ok(Ok(runtime)) = built else {
        return BTreeMap::new();
    };
    if let Some(table) = agent
        .table
        .filter(|_| !runtime.agents().contains(&agent.system))
    {
        let (shown, table) = (path.display(), table.display());
        file::warn(&format!(
            "{shown} does not know {agent}: write `[[agents]]` and `file = \"{table}\"` into it",
            agent = agent.title()
        ));
    }
    runtime.needed(agent.system)
}

/// Writes the file of hooks, if it is not there.
fn write_first(args: &InitArgs, path: &Path) -> Result<(), Failure> {
    let shown = args.file.display();
    if path.exists() && !args.force {
        let kept = format!("{shown} already exists and was not changed: `--force` replaces it");
        if args.agent.is_none() {
            return Err(Failure::usage(kept));
        }
        anstream::eprintln!("{kept}");
        let config = args
            .agent
            .and_then(|agent| Some((agent, check::config(path)?)));
        let unknown = config.and_then(|(agent, config)| check::unknown_tools(&config, path, agent));
        if let Some(why) = unknown {
            file::warn(&why);
        }
        return Ok(());
    }
    let text = text(args.agent, path);
    std::fs::write(path, &text).map_err(|error| Failure::found(format!("{shown}: {error}")))?;
    if let Err(error) = super::trust::keep([(path, &*text)].into_iter()) {
        file::warn(&format!("`hooks trust` is still to be run: {error}"));
    }
    anstream::eprintln!("{} {shown}", painted(GOOD, "wrote"));
    let config = HooksConfig::of_file(path, text).map_err(Failure::found)?;
    let confined = super::check::confined(&config);
    if let Some(why) = confined.and_then(|(policy, _sandbox)| policy.is_confined().err()) {
        file::warn(&format!("commands run without a sandbox: {why}"));
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let sandbox = Sandbox::new().write(folder).prepare();
    match sandbox.and_then(|confinement| confinement.explain()) {
        Ok(explanation) => {
            for gap in explanation.gaps {
                anstream::eprintln!("{LIMIT}: {gap}");
            }
        }
        Err(error) => file::warn(&format!(
            "what the sandbox leaves open is not known: {error}"
        )),
    }
    Ok(())
}

/// Returns the first file. Writing to a string cannot fail.
fn text(agent: Option<Agent>, file: &Path) -> String {
    let mut text = String::from(
        "# What an agent may do, and what is logged. `hooks check` finds mistakes, `hooks plan` shows what runs when.\n\
         # `--records FILE` after `hooks run` or `hooks serve` keeps a record of each decision, and `hooks log FILE` shows them.\n",
    );
    if let Some(agent) = agent {
        let _ = writeln!(text, "# The agent: {}.", agent.title());
    }
    let init = agent.map(|agent| agent.init);
    let redacts = init.map_or(TEXTS, |init| &init.redacts);
    let _ = writeln!(
        text,
        "\n[hooks.builtin]\nredact = true            # {redacts}\n\
         \n# What the agent may do by itself. The policy reads a command as a shell does, and judges its effects.\n\
         [hooks.builtin.security_policy]\n\
         autonomy = \"full\"         # within this policy; with \"supervised\", you approve every call\n\
         allowed_hosts = []        # the hosts that commands reach, such as \"static.crates.io\""
    );
    let as_written = init.and_then(|init| init.as_written.as_deref());
    if as_written.is_none() {
        text += "sandbox = \"auto\"          # the kernel holds each command to what the policy has predicted, where it can\n";
    }
    // An agent may change its directory, but the policy must not follow it.
    if let (Some(_), Some(folder)) = (agent, file.parent()) {
        let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
        if home.is_some() && folder.canonicalize().ok() == home {
            text += "# No `workspace` is set, because this file is for all your projects: it is the folder in which the agent works.\n";
        } else {
            let folder = toml::Value::from(folder.to_string_lossy().into_owned());
            let _ = writeln!(text, "workspace = {folder}");
        }
    }
    let policy = init
        .map(|init| &init.policy)
        .filter(|policy| !policy.is_empty());
    let profiles = init.map_or(&[Profile::Common][..], |init| &init.profiles);
    let _ = writeln!(text, "profiles = {}", json!(profiles));
    if let Some(why) = as_written {
        let _ = writeln!(
            text,
            "rewrite = false           # commands run as written, and no sandbox holds them: {why}"
        );
    }
    let _ = writeln!(
        text,
        "{}\n\
         # A rule of your own: no process, no code. `mode = \"off\"` turns it off, and `mode = \"shadow\"` only records it.\n\
         [[hooks.on]]\n\
         name = \"no-force-push\"\n\
         event = \"BeforeToolCall\"\n\
         tools = {}\n\
         if = 'args.command.matches(\"git .*push.* (-[a-zA-Z]*f|--force)\")'\n\
         block = \"force pushes are not allowed\"",
        policy.map_or_else(String::new, |policy| format!("\n{policy}")),
        toml::Value::from(
            init.map_or_else(|| vec!["shell".to_owned()], |init| init.shells.clone())
        ),
    );
    if let Some((agent, table)) = agent.and_then(|agent| Some((agent, agent.table?))) {
        let folder = file.parent().unwrap_or(Path::new("."));
        let table = std::path::absolute(table).unwrap_or_else(|_| table.to_owned());
        let table = table
            .strip_prefix(folder)
            .unwrap_or(&table)
            .to_string_lossy();
        let (title, table) = (agent.title(), toml::Value::from(&*table));
        let _ = write!(
            text,
            "\n# How {title} calls hooks: `hooks agents check` explains the table.\n[[agents]]\nfile = {table}\n"
        );
    }
    text
}
