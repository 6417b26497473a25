//! `hooks init` writes a first file, and prints what to put into the agent's own settings.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hooks_runtime::Dialect;
use serde_json::{Map, Value, json};

use crate::paint::{self, BOLD, GOOD, painted, say};
use crate::{Done, Failure, file};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The agent that the hooks are for.
    #[arg(long)]
    agent: Option<Agent>,
    /// Where the file is written.
    #[arg(long, default_value = file::NAME)]
    file: PathBuf,
    /// Replace the file if it exists. Without this, the file stays, and the agent's settings are printed for it.
    #[arg(long)]
    force: bool,
}

/// An agent whose settings are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Agent {
    Claude,
    Codex,
    Gemini,
    Goose,
    Cursor,
    Picoclaw,
}

impl Agent {
    fn title(self) -> &'static str {
        match self.client() {
            Some(client) => client.title(),
            None => "PicoClaw",
        }
    }

    fn client(self) -> Option<Dialect> {
        match self {
            Agent::Claude => Some(Dialect::Claude),
            Agent::Codex => Some(Dialect::Codex),
            Agent::Gemini => Some(Dialect::Gemini),
            Agent::Goose => Some(Dialect::Goose),
            Agent::Cursor => Some(Dialect::Cursor),
            Agent::Picoclaw => None,
        }
    }

    /// Returns the agents whose tools the policy must know.
    fn profiles(self) -> &'static str {
        match self {
            Agent::Claude => r#"["claude_code"]"#,
            // Codex passes its commands to hooks as Claude Code's tool `Bash`.
            Agent::Codex => r#"["codex", "claude_code"]"#,
            Agent::Gemini => r#"["gemini_cli"]"#,
            Agent::Goose => r#"["goose"]"#,
            Agent::Cursor => r#"["cursor"]"#,
            Agent::Picoclaw => r#"["common"]"#,
        }
    }

    /// Returns the tools that run commands, and those that write files.
    fn tools(self) -> (&'static str, &'static str) {
        match self {
            Agent::Claude => (r#"["Bash"]"#, r#"["Write", "Edit", "MultiEdit"]"#),
            Agent::Codex => (r#"["Bash"]"#, r#"["apply_patch"]"#),
            Agent::Gemini => (r#"["run_shell_command"]"#, r#"["write_file", "replace"]"#),
            Agent::Goose => (
                r#"["developer__shell", "shell"]"#,
                r#"["developer__text_editor", "write", "edit"]"#,
            ),
            Agent::Cursor => (r#"["Shell"]"#, r#"["Write"]"#),
            Agent::Picoclaw => (r#"["exec"]"#, r#"["write_file", "edit_file"]"#),
        }
    }

    /// Returns the place of its settings, for people.
    fn settings(self) -> &'static str {
        match self {
            Agent::Claude => ".claude/settings.json",
            Agent::Codex => "hooks.json beside config.toml in CODEX_HOME (~/.codex)",
            Agent::Gemini => ".gemini/settings.json",
            Agent::Goose => "hooks/hooks.json of a plugin",
            Agent::Cursor => ".cursor/hooks.json",
            Agent::Picoclaw => "the configuration of PicoClaw",
        }
    }
}

pub(crate) fn run(args: &Args, json: bool) -> Done {
    let is_kept = args.file.exists() && !args.force;
    if is_kept && args.agent.is_none() {
        return Err(Failure::usage(format!(
            "{} already exists: `--force` replaces it",
            args.file.display()
        )));
    }
    let path = std::path::absolute(&args.file).map_err(Failure::found)?;
    if !is_kept {
        let text = text(args.agent, &path);
        std::fs::write(&args.file, &text)
            .map_err(|error| Failure::found(format!("{}: {error}", args.file.display())))?;
        if let Err(error) = super::trust::keep([(path.as_path(), &*text)].into_iter()) {
            file::warn(&format!("`hooks trust` is still to be run: {error}"));
        }
    }
    let entry = args.agent.map(|agent| settings(agent, &path));
    if json {
        paint::json(&json!({
            "file": path,
            "settings": args.agent.map(Agent::settings),
            "entry": entry,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    let shown = args.file.display();
    if is_kept {
        anstream::eprintln!("{shown} already exists and was not changed: `--force` replaces it");
    } else {
        anstream::eprintln!("{} {shown}", painted(GOOD, "wrote"));
    }
    if let (Some(agent), Some(entry)) = (args.agent, entry) {
        let title = painted(BOLD, format_args!("Put this into {}:", agent.settings()));
        anstream::eprintln!("{title}\n");
        say!("{entry:#}");
        if agent == Agent::Codex {
            anstream::eprintln!(
                "\nCodex runs no hook that you have not trusted: open `/hooks` there, and trust these."
            );
        }
    } else {
        let tries = "hooks fire --event BeforeToolCall --tool shell --args '{\"command\": \"git push --force\"}'";
        anstream::eprintln!("try it: {}", painted(BOLD, tries));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the first file. Writing to a string cannot fail.
fn text(agent: Option<Agent>, file: &Path) -> String {
    let mut text = String::from(
        "# What an agent may do, and what is logged. `hooks check` finds mistakes, `hooks plan` shows what runs when.\n",
    );
    if let Some(agent) = agent {
        let _ = writeln!(text, "# The agent: {}.", agent.title());
    }
    text.push_str("\n[hooks.builtin]\nredact = true            # replaces secrets in messages and in the output of tools\n");
    let profiles = agent.map_or(r#"["common"]"#, Agent::profiles);
    let _ = writeln!(
        text,
        "\n# What the agent may do by itself. The policy reads a command as a shell does, and judges its effects.\n\
         [hooks.builtin.security_policy]\n\
         autonomy = \"full\"         # within this policy; with \"supervised\", you approve every call\n\
         profiles = {profiles}"
    );
    // An agent may change its directory, but the policy must not follow it.
    if agent.is_some()
        && let Some(folder) = file.parent()
    {
        let folder = toml::Value::from(folder.to_string_lossy().into_owned());
        let _ = writeln!(text, "workspace = {folder}");
    }
    let can_change = matches!(
        agent,
        None | Some(Agent::Claude | Agent::Gemini | Agent::Picoclaw)
    );
    if !can_change {
        text.push_str("rewrite = false           # commands run as written: this agent does not accept a rewritten command\n");
    }
    if agent == Some(Agent::Cursor) {
        text.push_str(
            "\n# The names that Cursor gives to its tools.\n\
             [hooks.builtin.security_policy.tools]\n\
             Shell = { command = \"command\", directory = \"working_directory\", harmless = [\"timeout\", \"description\"] }\n\
             Read = { read = [\"file_path\", \"path\", \"target_file\"], harmless = [\"offset\", \"limit\"] }\n\
             Write = { write = [\"file_path\", \"path\"], harmless = [\"content\", \"contents\", \"edits\"] }\n\
             Delete = { write = [\"file_path\", \"path\"] }\n\
             Grep = { read = [\"path\"], harmless = [\"pattern\"] }\n\
             Task = { harmless = [\"*\"] }\n",
        );
    }
    if agent == Some(Agent::Picoclaw) {
        text.push_str(
            "\n[hooks.builtin.security_policy.tools]\n\
             exec = { command = \"command\", directory = \"working_dir\", harmless = [\"timeout\"] }\n",
        );
    }
    let (shells, _) = agent.map_or((r#"["shell"]"#, ""), Agent::tools);
    let _ = writeln!(
        text,
        "\n# A rule of your own: no process, no code.\n\
         [[hooks.on]]\n\
         name = \"no-force-push\"\n\
         event = \"BeforeToolCall\"\n\
         tools = {shells}\n\
         if = 'args.command.matches(\"git .*push.* (-[a-zA-Z]*f|--force)\")'\n\
         block = \"force pushes are not allowed\""
    );
    text
}

/// Returns what to put into the agent's settings.
fn settings(agent: Agent, file: &Path) -> Value {
    let Some(client) = agent.client() else {
        return json!({ "hooks": { "enabled": true, "processes": { "hooks": {
            "enabled": true,
            "command": ["hooks", "serve", "--stdio", file],
            "intercept": ["before_tool", "approve_tool", "before_llm"],
            "observe": ["*"],
        } } } });
    };
    let command = format!("hooks run {} --as {client}", quoted(file));
    // Only events for which a file is likely to have hooks, because each costs a process.
    let wanted = |event: &&str| {
        !matches!(
            *event,
            "MessageDisplay"
                | "AfterModel"
                | "BeforeModel"
                | "Notification"
                | "PostCompact"
                | "preToolUse"
                | "beforeTabFileRead"
                | "afterTabFileEdit"
                | "afterFileEdit"
                | "afterShellExecution"
                | "afterMCPExecution"
                | "afterAgentResponse"
        )
    };
    let events = client.calls().filter(wanted);
    let entry = |event: &str| {
        if agent == Agent::Cursor {
            json!([{ "command": command, "failClosed": true }])
        } else {
            let mut hook = json!({ "type": "command", "command": command });
            match agent {
                // A hook that cannot be started, or takes too long, blocks.
                Agent::Claude => {
                    hook["timeout"] = 30.into();
                    if matches!(
                        event,
                        "PreToolUse" | "PermissionRequest" | "UserPromptSubmit"
                    ) {
                        hook["onFailure"] = "block".into();
                    }
                }
                Agent::Gemini => hook["timeout"] = 30_000.into(),
                Agent::Goose if event == "PreToolUse" => hook["on_failure"] = "block".into(),
                _ => {}
            }
            json!([{ "hooks": [hook] }])
        }
    };
    let hooks: Map<String, Value> = events
        .map(|event| (event.to_owned(), entry(event)))
        .collect();
    if agent == Agent::Cursor {
        json!({ "version": 1, "hooks": hooks })
    } else {
        json!({ "hooks": hooks })
    }
}

/// Quotes a path as one word of a shell.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%:,=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
