//! Wraps a judged command in `hooks sandbox`: a shell runs exactly the judged text, and the kernel limits what its
//! programs do.

use std::path::Path;

use super::SecurityPolicyConfig;
use super::command::Form;

/// The text before the script of every command.
pub(super) struct Sandbox(String);

impl Sandbox {
    /// Returns the sandbox of a workspace, if the configuration turns it on.
    pub(super) fn of(config: &SecurityPolicyConfig, workspace: &Path) -> Option<Self> {
        let (program, workspace) = (config.sandbox_program.to_str()?, workspace.to_str()?);
        let options = config.sandbox_options.iter().map(String::as_str);
        let words = [program, "sandbox", "--write", workspace].into_iter();
        let words = words.chain(options).chain(["--", "sh", "-c"]);
        let words: Vec<_> = words.map(quoted).collect();
        config.sandbox.then(|| Sandbox(words.join(" ") + " "))
    }

    /// Returns the command that runs a script in the sandbox.
    pub(super) fn wrap(&self, script: &str) -> String {
        format!("{}{}", self.0, in_quotes(script))
    }

    /// Returns a command as it was before it was wrapped, because a call is judged again when it is approved.
    pub(super) fn unwrap(&self, form: Form) -> Form {
        match form {
            Form::Text(text) => Form::Text(self.script(&text).unwrap_or(text)),
            Form::Shell(nth, text) => Form::Shell(nth, self.script(&text).unwrap_or(text)),
            words @ Form::Words(_) => words,
        }
    }

    fn script(&self, command: &str) -> Option<String> {
        let quoted = command.strip_prefix(&self.0)?.strip_prefix('\'')?;
        let script = quoted.strip_suffix('\'')?.replace(r"'\''", "'");
        // If they differ, the command has more text outside of the quotes.
        (self.wrap(&script) == command).then_some(script)
    }
}

/// Quotes a word for a shell, if necessary.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    in_quotes(word)
}

/// Quotes a text for a shell, whatever it is.
pub(super) fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
