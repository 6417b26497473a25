//! Hooks that change what passes by: calls on their way to a tool, and texts on their way to a reader.

use hooks_core::agent::{
    AfterToolCall, AgentContext, BeforePromptBuild, BeforeToolCall, InvalidToolCall,
    MessageSending, ToolCallPatch, ToolOutput,
};
use hooks_core::{HookAction, hook, priority};

use super::super::journal::{Did, decided, noted};

/// Models like to think that the workspace is `/workspace`.
#[hook(priority = priority::NORMAL + 10, only("read", "write", "edit", "list"))]
pub(crate) fn local_paths(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    let path = call.args["path"].as_str().unwrap_or_default();
    let (action, detail) = match path.strip_prefix("/workspace") {
        Some(inside) if inside.is_empty() || inside.starts_with('/') => {
            let local = format!(".{inside}");
            let detail = format!("{path} becomes {local}");
            let mut args = call.args.clone();
            args["path"] = local.into();
            (HookAction::modify(args), detail)
        }
        _ => (HookAction::Continue, String::new()),
    };
    decided("local_paths", action, detail)
}

/// What tools are called elsewhere. The names that it does not know go on to be refused.
#[hook]
pub(crate) fn repair_names(call: &InvalidToolCall) -> HookAction<InvalidToolCall> {
    let known = match call.name.to_ascii_lowercase().as_str() {
        "shell" | "bash" | "sh" | "execute" => Some("shell"),
        "read" | "read_file" | "cat" => Some("read"),
        "write" | "write_file" => Some("write"),
        "edit" | "edit_file" | "str_replace" => Some("edit"),
        "list" | "ls" | "list_dir" => Some("list"),
        _ => None,
    };
    let (action, detail) = match known {
        Some(name) if name != call.name => {
            let patch = ToolCallPatch {
                name: Some(name.into()),
                args: None,
            };
            (
                HookAction::modify(patch),
                format!("{} becomes {name}", call.name),
            )
        }
        _ => (HookAction::Continue, call.error.clone()),
    };
    decided("repair_names", action, detail)
}

/// The rules of the house, `AGENTS.md` in the workspace, go into the prompt. A disk that hangs does not
/// hold the agent up.
#[hook(timeout = "1s", on_timeout = skip)]
pub(crate) async fn house_rules(cx: &AgentContext, building: &mut BeforePromptBuild) {
    let file = std::path::Path::new(&cx.cwd).join("AGENTS.md");
    let (did, detail) = match tokio::fs::read_to_string(file).await {
        Ok(rules) => {
            building.prompt.push('\n');
            building.prompt.push_str(&rules);
            (Did::Modify, format!("{} bytes of AGENTS.md", rules.len()))
        }
        Err(_) => (Did::Continue, "no AGENTS.md".into()),
    };
    noted::<BeforePromptBuild>("house_rules", did, detail);
}

/// Secrets reach neither the model nor the user.
pub(crate) struct Redact {
    /// What takes a secret's place.
    pub(crate) mask: &'static str,
}

// After the plugins: whatever they put in is redacted too.
#[hook(priority = priority::LOW - 100)]
impl Redact {
    fn output(&self, done: &AfterToolCall) -> HookAction<AfterToolCall> {
        let (content, secrets) = redacted(&done.output.content, self.mask);
        let for_user = done
            .output
            .for_user
            .as_deref()
            .map(|text| redacted(text, self.mask));
        let all = secrets + for_user.as_ref().map_or(0, |(_, secrets)| *secrets);
        if all == 0 {
            return decided("Redact", HookAction::Continue, "");
        }
        let output = ToolOutput {
            content,
            for_user: for_user.map(|(text, _)| text),
            ..done.output.clone()
        };
        decided(
            "Redact",
            HookAction::modify(output),
            format!("secrets: {all}"),
        )
    }

    fn message(&self, message: &mut MessageSending) {
        let (content, secrets) = redacted(&message.content, self.mask);
        if secrets > 0 {
            message.content = content;
            noted::<MessageSending>("Redact", Did::Modify, format!("secrets: {secrets}"));
        }
    }
}

/// The text without its secrets, and how many they were: keys that are known by how they begin, and
/// what is assigned to a name that sounds like one.
fn redacted(text: &str, mask: &str) -> (String, usize) {
    const BEGINNINGS: [&str; 4] = ["sk-", "ghp_", "xoxb-", "AKIA"];
    const NAMES: [&str; 4] = ["KEY", "TOKEN", "SECRET", "PASSWORD"];
    const LEAST: usize = 12;

    let mut secrets = 0;
    let mut clean = String::with_capacity(text.len());
    for word in text.split_inclusive(|c: char| c.is_whitespace() || "\"'`,;".contains(c)) {
        let bare = word.trim_end_matches(|c: char| c.is_whitespace() || "\"'`,;".contains(c));
        let end = &word[bare.len()..];
        let (name, value) = bare.split_once('=').unwrap_or(("", bare));
        let assigned = NAMES
            .iter()
            .any(|ending| name.to_ascii_uppercase().ends_with(ending));
        let known = value.len() >= LEAST && BEGINNINGS.iter().any(|start| value.starts_with(start));
        if known || (assigned && !value.is_empty()) {
            secrets += 1;
            clean.push_str(&bare[..bare.len() - value.len()]);
            clean.push_str(mask);
        } else {
            clean.push_str(bare);
        }
        clean.push_str(end);
    }
    (clean, secrets)
}

#[cfg(test)]
mod tests {
    use hooks_core::hooks;
    use serde_json::json;

    use super::*;

    #[test]
    fn only_paths_in_the_workspace_become_local() {
        let cx = AgentContext::new("test");
        for (path, local) in [
            ("/workspace/a.txt", "./a.txt"),
            ("/workspace", "."),
            ("/workspaces/a", "/workspaces/a"),
            ("/etc/passwd", "/etc/passwd"),
        ] {
            let mut call = BeforeToolCall {
                name: "write".into(),
                args: json!({ "path": path, "content": "kept" }),
                ..BeforeToolCall::default()
            };
            assert!(
                hooks![local_paths]
                    .intercept_now(&cx, &mut call)
                    .is_continue()
            );
            assert_eq!(call.args, json!({ "path": local, "content": "kept" }));
        }
    }

    #[test]
    fn a_known_name_is_repaired_and_another_is_left() {
        let cx = AgentContext::new("test");
        for (name, repaired) in [
            ("Bash", "shell"),
            ("cat", "read"),
            ("fly", "fly"),
            ("list", "list"),
        ] {
            let mut call = InvalidToolCall {
                name: name.into(),
                ..InvalidToolCall::default()
            };
            assert!(
                hooks![repair_names]
                    .intercept_now(&cx, &mut call)
                    .is_continue()
            );
            assert_eq!(call.name, repaired);
        }
    }

    #[tokio::test]
    async fn the_rules_of_the_house_go_into_the_prompt() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cx = AgentContext::new("test").with_cwd(folder.path().to_string_lossy());
        let mut building = BeforePromptBuild {
            prompt: "Be brief.".into(),
        };
        house_rules::call(&cx, &mut building).await;
        assert_eq!(building.prompt, "Be brief.");

        std::fs::write(folder.path().join("AGENTS.md"), "Be kind.").expect("writable");
        house_rules::call(&cx, &mut building).await;
        assert_eq!(building.prompt, "Be brief.\nBe kind.");
    }

    #[test]
    fn secrets_are_redacted_and_nothing_else_is_touched() {
        for (text, clean, secrets) in [
            ("API_KEY=abc\nHOST=x\n", "API_KEY=[redacted]\nHOST=x\n", 1),
            ("use 'sk-live-1234567890' now", "use '[redacted]' now", 1),
            (
                "db_password=a token=b",
                "db_password=[redacted] token=[redacted]",
                2,
            ),
            ("ask-me sk-ip  KEY= = \t ü", "ask-me sk-ip  KEY= = \t ü", 0),
        ] {
            assert_eq!(redacted(text, "[redacted]"), (clean.into(), secrets));
        }
    }

    #[test]
    fn a_message_is_redacted_before_it_is_sent() {
        let mut message = MessageSending {
            content: "TOKEN=abc".into(),
            ..MessageSending::default()
        };
        let result =
            hooks![Redact { mask: "…" }].intercept_now(&AgentContext::new("test"), &mut message);
        assert!(result.is_continue());
        assert_eq!(message.content, "TOKEN=…");
    }
}
