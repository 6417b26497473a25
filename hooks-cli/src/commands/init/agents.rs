//! The agents whose settings `hooks init` knows: a row each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use hooks_builtin::__tools::names;
use hooks_builtin::Profile;
use hooks_runtime::{Dialect, Meaning};
use serde_json::{Map, Value, json};

use crate::commands::serve::RAISED;

/// Whatever is special about one agent.
#[derive(Debug)]
pub(crate) struct Agent {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// Whose events it has; none if it keeps a process.
    pub(super) client: Option<Dialect>,
    place: Place,
    /// The agents whose tools the policy must know.
    pub(crate) profiles: &'static [Profile],
    /// Its tools that are in none of these.
    tools: &'static [&'static str],
    /// Why its commands run as they are written, without a sandbox; none if it takes another command than it asks about.
    pub(crate) as_written: Option<&'static str>,
    /// More tables of `[hooks.builtin.security_policy]`.
    pub(crate) policy: &'static str,
    /// Its tools that run commands.
    pub(crate) shells: &'static str,
    /// What the built-in hook `redact` does there.
    pub(crate) redacts: &'static str,
    /// Events that are left out: a file seldom has hooks for them, and each costs a process.
    seldom: &'static [&'static str],
    content: fn(&Agent, &Call) -> Content,
    /// What is left to do.
    pub(crate) note: &'static str,
}

/// Where the agent's settings are.
#[derive(Debug)]
enum Place {
    Project(&'static str),
    Home(&'static str),
}

/// What the settings get.
#[derive(Debug)]
pub(crate) enum Content {
    /// Keys and entries in a file that has others too.
    Merged(Value),
    /// A file that has nothing else.
    Whole(String),
}

/// How the agent calls this program.
pub(crate) struct Call {
    pub(crate) program: PathBuf,
    pub(crate) file: PathBuf,
    /// The agent's events for which the file has hooks, and how long these may take.
    pub(crate) needs: BTreeMap<String, Duration>,
}

impl Call {
    /// How long the agent waits for the hooks on an event: a moment longer than they may take.
    fn seconds(&self, event: &str) -> u64 {
        let needed = self.needs.get(event).copied().unwrap_or_default();
        (needed.as_secs() + 5 + u64::from(needed.subsec_nanos() > 0)).max(30)
    }
}

pub(crate) const TEXTS: &str = "replaces secrets in the output of tools and in outgoing messages; with `{ model_input = true }` in prompts, too";
const OUTPUTS: &str = "replaces secrets in the output of tools; hooks cannot change a prompt here";

pub(crate) const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        title: "Claude Code",
        client: Some(Dialect::Claude),
        place: Place::Project(".claude/settings.json"),
        profiles: &[Profile::ClaudeCode],
        tools: &[],
        as_written: None,
        policy: "",
        shells: r#"["Bash"]"#,
        redacts: OUTPUTS,
        seldom: &["MessageDisplay", "Notification", "PostCompact"],
        content: |agent, call| {
            merged(agent.groups(call, |event, hook| {
                // A hook that cannot be started, or takes too long, blocks.
                hook["timeout"] = call.seconds(event).into();
                if ["PreToolUse", "PermissionRequest", "UserPromptSubmit"].contains(&event) {
                    hook["onFailure"] = "block".into();
                }
            }))
        },
        note: "",
    },
    Agent {
        name: "codex",
        title: "Codex",
        client: Some(Dialect::Codex),
        place: Place::Project(".codex/hooks.json"),
        // Codex passes its commands to hooks as Claude Code's tool `Bash`.
        profiles: &[Profile::Codex, Profile::ClaudeCode],
        tools: &[],
        as_written: Some("Codex takes a rewritten one for allowed"),
        policy: "",
        shells: r#"["Bash"]"#,
        redacts: OUTPUTS,
        seldom: &["PostCompact"],
        content: |agent, call| merged(agent.groups(call, |_, _| {})),
        note: "Codex runs no hook that you have not trusted: open `/hooks` there, and trust these.",
    },
    Agent {
        name: "gemini",
        title: "Gemini CLI",
        client: Some(Dialect::Gemini),
        place: Place::Project(".gemini/settings.json"),
        profiles: &[Profile::GeminiCli],
        tools: &[],
        as_written: None,
        policy: "",
        shells: r#"["run_shell_command"]"#,
        redacts: "replaces secrets in the output of tools; a prompt stays as it is",
        seldom: &["BeforeModel", "AfterModel", "Notification"],
        content: |agent, call| {
            merged(agent.groups(call, |event, hook| {
                hook["timeout"] = (1000 * call.seconds(event)).into();
            }))
        },
        note: "",
    },
    Agent {
        name: "goose",
        title: "goose",
        client: Some(Dialect::Goose),
        place: Place::Project(".agents/plugins/hooks/hooks/hooks.json"),
        profiles: &[Profile::Goose],
        tools: &["developer__shell", "developer__text_editor"],
        as_written: Some("goose does not accept a rewritten one"),
        policy: "",
        shells: r#"["developer__shell", "shell"]"#,
        redacts: "does nothing here: goose lets no hook change a text",
        seldom: &[],
        content: |agent, call| {
            let hooks = agent.groups(call, |event, hook| {
                if event == "PreToolUse" {
                    hook["on_failure"] = "block".into();
                }
            });
            // A plugin of its own.
            whole(&json!({ "hooks": hooks }))
        },
        note: "",
    },
    Agent {
        name: "cursor",
        title: "Cursor",
        client: Some(Dialect::Cursor),
        place: Place::Project(".cursor/hooks.json"),
        profiles: &[Profile::Cursor],
        tools: &["Shell", "Read", "Write", "Delete", "Grep", "Task"],
        as_written: Some("Cursor does not accept a rewritten one"),
        policy: "\n\
                 # The names that Cursor gives to its tools.\n\
                 [hooks.builtin.security_policy.tools]\n\
                 Shell = { command = \"command\", directory = \"working_directory\", harmless = [\"timeout\", \"description\"] }\n\
                 Read = { read = [\"file_path\", \"path\", \"target_file\"], harmless = [\"offset\", \"limit\"] }\n\
                 Write = { write = [\"file_path\", \"path\"], harmless = [\"content\", \"contents\", \"edits\"] }\n\
                 Delete = { write = [\"file_path\", \"path\"] }\n\
                 Grep = { read = [\"path\"], harmless = [\"pattern\"] }\n\
                 Task = { harmless = [\"*\"] }\n",
        shells: r#"["Shell"]"#,
        redacts: "replaces secrets in the output of MCP tools; hooks cannot change other texts here",
        seldom: &[
            "afterFileEdit",
            "afterShellExecution",
            "afterMCPExecution",
            "afterAgentResponse",
        ],
        content: |agent, call| {
            let hooks = agent.each(call, |event, command| {
                let mut hook = json!({ "command": command(None), "failClosed": true });
                // Other tools have events of their own, on which a hook would run again.
                if event == "preToolUse" {
                    hook["matcher"] = "Write|Delete|Grep|Task".into();
                }
                json!([hook])
            });
            Content::Merged(json!({ "version": 1, "hooks": hooks }))
        },
        note: "",
    },
    Agent {
        name: "picoclaw",
        title: "PicoClaw",
        client: None,
        place: Place::Home(".picoclaw/config.json"),
        profiles: &[Profile::Common],
        tools: &["exec"],
        as_written: None,
        policy: "\n[hooks.builtin.security_policy.tools]\n\
                 exec = { command = \"command\", directory = \"working_dir\", harmless = [\"timeout\"] }\n",
        shells: r#"["exec"]"#,
        redacts: "replaces secrets in the output of tools; with `{ model_input = true }` in prompts, too",
        seldom: &[],
        content: |_, call| {
            Content::Merged(
                json!({ "hooks": { "enabled": true, "processes": { "hooks": {
                "enabled": true,
                "command": [call.program, "serve", "--stdio", call.file],
                "intercept": ["before_tool", "approve_tool", "before_llm"],
                "observe": ["*"],
            } } } }),
            )
        },
        note: "",
    },
    Agent {
        name: "copilot",
        title: "GitHub Copilot",
        client: Some(Dialect::Copilot),
        place: Place::Project(".github/hooks/hooks.json"),
        profiles: &[Profile::Copilot, Profile::ClaudeCode],
        redacts: OUTPUTS,
        seldom: &[
            "userPromptSubmit",
            "stop",
            "preCompact",
            "notification",
            "errorOccurred",
        ],
        content: |agent, call| {
            let hooks = agent.each(call, |event, command| {
                // Its input does not name the event.
                let command = command(Some(event));
                json!([{ "type": "command", "bash": command, "powershell": command, "timeoutSec": call.seconds(event) }])
            });
            Content::Merged(json!({ "version": 1, "hooks": hooks }))
        },
        note: "Copilot runs hooks only in folders that you trust. VS Code reads this file, too.",
        ..NEXT
    },
    Agent {
        name: "qwen",
        title: "Qwen Code",
        client: Some(Dialect::Qwen),
        place: Place::Project(".qwen/settings.json"),
        profiles: &[Profile::Qwen],
        as_written: Some(UNCHANGED),
        seldom: &["MessageDisplay", "Notification", "PostCompact"],
        content: |agent, call| {
            merged(agent.groups(call, |event, hook| {
                hook["timeout"] = call.seconds(event).into();
            }))
        },
        ..NEXT
    },
    Agent {
        name: "opencode",
        title: "OpenCode",
        client: Some(Dialect::Opencode),
        place: Place::Project(".opencode/plugin/hooks.js"),
        profiles: &[Profile::Opencode],
        redacts: "replaces secrets in the output of tools and in what the model answers; a prompt stays as it is",
        content: |agent, call| {
            let text = include_str!("opencode.js");
            let program = json!([call.program, "run", call.file, "--as", "opencode"]);
            let text = text.replace("\"COMMAND LINE\"", &agent.command(call));
            Content::Whole(text.replace("[\"COMMAND\"]", &program.to_string()))
        },
        note: "Kilo reads this file, too.",
        ..NEXT
    },
    Agent {
        name: "antigravity",
        title: "Antigravity CLI",
        client: Some(Dialect::Antigravity),
        place: Place::Project(".agents/hooks.json"),
        profiles: &[Profile::Antigravity],
        as_written: Some(UNCHANGED),
        seldom: &["PostInvocation", "SessionStart"],
        content: |agent, call| {
            let mut set = agent.each(call, |event, command| {
                let hook =
                    json!({ "type": "command", "command": command(Some(event)), "timeout": call.seconds(event) });
                // Only events about tools have groups.
                if event.ends_with("ToolUse") {
                    json!([{ "matcher": "*", "hooks": [hook] }])
                } else {
                    json!([hook])
                }
            });
            set.insert("enabled".into(), true.into());
            merged(set)
        },
        note: "`agy -p /hooks --output-format json` lists what it has loaded.",
        ..NEXT
    },
    Agent {
        name: "grok",
        title: "Grok Build",
        client: Some(Dialect::Grok),
        place: Place::Project(".grok/hooks/hooks.json"),
        profiles: &[Profile::Grok],
        seldom: &["Notification", "PostCompact", "PermissionDenied"],
        content: |agent, call| {
            merged(agent.groups(call, |event, hook| {
                hook["timeout"] = call.seconds(event).into();
            }))
        },
        note: "Grok runs hooks only in folders that you trust: `/hooks-trust`.",
        ..NEXT
    },
    Agent {
        name: "devin",
        title: "Devin CLI",
        client: Some(Dialect::Devin),
        place: Place::Project(".devin/hooks.v1.json"),
        profiles: &[Profile::Devin],
        as_written: Some(UNCHANGED),
        // The whole file is the map of events.
        content: |agent, call| {
            let hooks = agent.groups(call, |event, hook| {
                hook["timeout"] = call.seconds(event).into();
            });
            Content::Merged(hooks.into())
        },
        ..NEXT
    },
    Agent {
        name: "kiro",
        title: "Kiro",
        client: Some(Dialect::Kiro),
        place: Place::Project(".kiro/hooks/hooks.json"),
        profiles: &[Profile::Kiro],
        as_written: Some(UNCHANGED),
        seldom: &["agentSpawn"],
        content: |agent, call| {
            let command = agent.command(call);
            let hook = |event: &str| {
                json!({ "name": format!("hooks {event}"), "trigger": event, "timeout": call.seconds(event), "enabled": true,
                        "action": { "type": "command", "command": command } })
            };
            let hooks: Vec<_> = agent.events(call).into_iter().map(hook).collect();
            whole(&json!({ "version": "v1", "hooks": hooks }))
        },
        ..NEXT
    },
    Agent {
        name: "windsurf",
        title: "Windsurf",
        client: Some(Dialect::Windsurf),
        place: Place::Project(".windsurf/hooks.json"),
        profiles: &[Profile::Windsurf],
        as_written: Some(UNCHANGED),
        content: |agent, call| {
            merged(agent.each(
                call,
                |_, command| json!([{ "command": command(None), "show_output": true }]),
            ))
        },
        note: "As Devin Desktop it reads `.devin/hooks.json`: `--settings .devin/hooks.json`.",
        ..NEXT
    },
    Agent {
        name: "droid",
        title: "Factory Droid",
        client: Some(Dialect::Droid),
        place: Place::Project(".factory/settings.json"),
        profiles: &[Profile::Droid],
        seldom: &["Notification"],
        content: |agent, call| {
            merged(agent.groups(call, |event, hook| {
                hook["timeout"] = call.seconds(event).into();
            }))
        },
        ..NEXT
    },
];

/// The events of the agent's settings, under the key that most have.
fn merged(hooks: Map<String, Value>) -> Content {
    Content::Merged(json!({ "hooks": hooks }))
}

fn whole(settings: &Value) -> Content {
    Content::Whole(format!("{settings:#}\n"))
}

/// Where a row of a newer agent begins.
const NEXT: Agent = Agent {
    name: "",
    title: "",
    client: None,
    place: Place::Project(""),
    profiles: &[],
    tools: &[],
    as_written: None,
    policy: "",
    shells: r#"["shell"]"#,
    redacts: "changes nothing here: the agent lets no hook change a text",
    seldom: &[],
    content: |agent, call| merged(agent.groups(call, |_, _| {})),
    note: "",
};

const UNCHANGED: &str = "the agent does not accept a rewritten one";

/// The names on the command line, as the rows that they stand for.
pub(crate) fn parser() -> impl TypedValueParser<Value = &'static Agent> {
    let named = |name: String| AGENTS.iter().find(|agent| agent.name == name);
    PossibleValuesParser::new(AGENTS.iter().map(|agent| agent.name))
        .map(move |name| named(name).expect("it is one of these names"))
}

impl Agent {
    /// Returns its settings.
    pub(crate) fn settings(&self, project: &Path) -> PathBuf {
        match self.place {
            Place::Project(name) => project.join(name),
            Place::Home(name) => std::env::home_dir().unwrap_or_default().join(name),
        }
    }

    /// Returns what its settings get.
    pub(crate) fn content(&self, call: &Call) -> Content {
        (self.content)(self, call)
    }

    /// The end of each command of ours in the settings. An older entry may name the program by another path.
    pub(crate) fn mark(&self, call: &Call) -> String {
        match self.client {
            Some(client) => format!(" {} --as {client}", quoted(&call.file)),
            None => call.file.to_string_lossy().into_owned(),
        }
    }

    /// Returns the names of its tools.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &'static str> {
        let known = self.profiles.iter().flat_map(|profile| names(*profile));
        known.chain(self.tools.iter().copied())
    }

    /// Returns our events that it raises.
    pub(crate) fn raised(&self) -> BTreeSet<&'static str> {
        match self.client {
            Some(client) => client.raises(),
            None => RAISED.iter().copied().collect(),
        }
    }

    fn command(&self, call: &Call) -> String {
        format!("{} run{}", quoted(&call.program), self.mark(call))
    }

    /// What each event gets, from the command of ours, which may name the event.
    fn each(
        &self,
        call: &Call,
        of: impl Fn(&str, &dyn Fn(Option<&str>) -> String) -> Value,
    ) -> Map<String, Value> {
        let command = |event: Option<&str>| match event {
            Some(event) => {
                let program = quoted(&call.program);
                format!("{program} run --event {event}{}", self.mark(call))
            }
            None => self.command(call),
        };
        let entry = |event: &str| (event.to_owned(), of(event, &command));
        self.events(call).into_iter().map(entry).collect()
    }

    /// The events that are registered: those that most files have hooks for, and those of this file.
    fn events<'c>(&self, call: &'c Call) -> Vec<&'c str> {
        let all = || self.client.into_iter().flat_map(Dialect::calls);
        let mut events: Vec<&str> = all().filter(|event| !self.seldom.contains(event)).collect();
        // Two events of one kind would run a hook twice.
        let kind = |event: &str| {
            let meaning = Meaning::of(self.client?, event).ok()?;
            Some((meaning.event, meaning.failed, meaning.nested))
        };
        let known: Vec<_> = events.iter().filter_map(|event| kind(event)).collect();
        let needed = call.needs.keys().map(String::as_str);
        let is_new = |event: &&str| !kind(event).is_some_and(|kind| known.contains(&kind));
        events.extend(needed.filter(is_new));
        events
    }

    /// The form of Claude Code: a list of groups an event, each with a list of hooks.
    fn groups(&self, call: &Call, with: impl Fn(&str, &mut Value)) -> Map<String, Value> {
        let command = self.command(call);
        let group = |event: &str| {
            let mut hook = json!({ "type": "command", "command": command });
            with(event, &mut hook);
            (event.to_owned(), json!([{ "hooks": [hook] }]))
        };
        self.events(call).into_iter().map(group).collect()
    }
}

/// Quotes a path as one word of a shell.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    // No path has the one character that cannot be quoted.
    shlex::try_quote(&text).unwrap_or_default().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_of_an_agent_is_one_of_ours() {
        for agent in AGENTS {
            let raised = agent.raised();
            for event in ["BeforeToolCall", "ApproveToolCall", "ToolCallEnd"] {
                assert!(raised.contains(event), "{}: {raised:?}", agent.name);
            }
        }
        let of = |name| {
            AGENTS
                .iter()
                .find(|agent| agent.name == name)
                .unwrap()
                .raised()
        };
        assert!(of("gemini").contains("BeforeLlmCall") && of("gemini").contains("AfterLlmCall"));
        assert!(of("claude").contains("MessageSending") && !of("claude").contains("BeforeLlmCall"));
    }
}
