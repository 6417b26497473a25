//! One run of a command, which leaves no process behind.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use tokio::time::timeout;

use super::ShellHookConfig;
use crate::shared::caller;
use crate::shared::child::{Background, Child, ChildOutput};
use crate::shared::clock;

/// The input of a command.
pub(super) struct ShellRun<'a> {
    pub(super) config: &'a ShellHookConfig,
    pub(super) directory: Option<&'a Path>,
    pub(super) variables: &'a [(&'a str, &'a str)],
    pub(super) input: String,
}

impl ShellRun<'_> {
    /// Runs it.
    ///
    /// # Errors
    ///
    /// Why the call should not continue.
    pub(super) async fn run(self) -> Result<(), String> {
        let shown = &self.config.command;
        if !clock::is_there() {
            let missing = clock::MISSING;
            return Err(format!("the hook `{shown}` cannot be started: {missing}"));
        }
        let (child, pipes) = Child::spawn(self.command()?, Background::Ends)
            .map_err(|error| format!("the hook `{shown}` cannot be started: {error}"))?;
        let most = self.config.max_output_bytes as usize;
        let talk = child.talk(pipes, self.input.as_bytes(), most);
        let ended = match timeout(self.config.timeout, talk).await {
            Ok(Ok(ended)) => ended,
            Ok(Err(error)) => {
                return Err(format!("the hook `{shown}` cannot be waited for: {error}"));
            }
            Err(_) => {
                let limit = humantime::format_duration(self.config.timeout);
                return Err(format!("the hook `{shown}` took longer than {limit}"));
            }
        };
        if ended.status.success() {
            return Ok(());
        }
        let said = [ended.stderr, ended.stdout].map(|output| said(&output));
        let said = said.into_iter().find(|said| !said.is_empty());
        Err(said.unwrap_or_else(|| format!("the hook `{shown}` failed: {}", ended.status)))
    }

    fn command(&self) -> Result<Command, String> {
        let [shell, flag] = SHELL;
        let mut words: Vec<OsString> = [shell, flag, &self.config.command].map(Into::into).into();
        if let Some(sandbox) = &self.config.sandbox {
            let folder = self.directory.unwrap_or(Path::new("."));
            // Which variables the command gets, `env` says.
            let confinement = sandbox.sandbox(folder).env("*").prepare();
            let confinement = confinement.map_err(|error| {
                let shown = &self.config.command;
                format!("the hook `{shown}` cannot be started: {error}")
            })?;
            words = confinement.words(&words[0], &words[1..]);
        }
        let mut command = caller::command(&words[0]);
        let kept = self.config.env.iter();
        command
            .args(&words[1..])
            .env_clear()
            .envs(kept.filter_map(|name| Some((name, caller::var_os(name)?))))
            .envs(self.variables.iter().copied());
        if let Some(directory) = self.directory {
            command.current_dir(directory);
        }
        Ok(command)
    }
}

#[cfg(not(windows))]
const SHELL: [&str; 2] = ["sh", "-c"];
#[cfg(windows)]
const SHELL: [&str; 2] = ["cmd", "/C"];

/// Returns the output as text.
fn said(output: &ChildOutput) -> String {
    let mut text = String::from_utf8_lossy(&output.kept).trim().to_owned();
    if output.is_cut {
        // Do not end with half a character.
        while text.ends_with(char::REPLACEMENT_CHARACTER) {
            text.pop();
        }
        text.push_str(" … (cut)");
    }
    text
}
