//! One run of a command, which leaves no process behind.

use std::io;
use std::path::Path;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::timeout;

use super::ShellHookConfig;

/// The input of a command.
pub(super) struct Run<'a> {
    pub(super) config: &'a ShellHookConfig,
    pub(super) directory: Option<&'a Path>,
    pub(super) variables: &'a [(&'a str, &'a str)],
    pub(super) input: String,
}

/// The result of a run.
pub(super) enum Outcome {
    Succeeded,
    /// Why the call should not continue.
    Failed(String),
}

/// How long to wait for the remaining output of a process that has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

impl Run<'_> {
    pub(super) async fn run(self) -> Outcome {
        let shown = &self.config.command;
        let mut child = match self.spawn() {
            Ok(child) => child,
            Err(error) => {
                return Outcome::Failed(format!("the hook `{shown}` cannot be started: {error}"));
            }
        };
        // Declared after the child, so that the group is killed before its leader is reaped.
        let mut group = Group::of(&child);
        let most = self.config.max_output_bytes as usize;
        match timeout(
            self.config.timeout,
            finished(&mut child, &mut group, self.input, most),
        )
        .await
        {
            Ok(Ok((status, _))) if status.success() => Outcome::Succeeded,
            Ok(Ok((_, said))) if !said.is_empty() => Outcome::Failed(said),
            Ok(Ok((status, _))) => Outcome::Failed(format!("the hook `{shown}` failed: {status}")),
            Ok(Err(error)) => {
                Outcome::Failed(format!("the hook `{shown}` cannot be waited for: {error}"))
            }
            Err(_) => {
                group.end();
                let _ = child.start_kill();
                // A killed process ends at once, and is then reaped here.
                let _ = timeout(LAST_WORDS, child.wait()).await;
                let limit = humantime::format_duration(self.config.timeout);
                Outcome::Failed(format!("the hook `{shown}` took longer than {limit}"))
            }
        }
    }

    fn spawn(&self) -> io::Result<Child> {
        let mut command = shell();
        command
            .arg(&self.config.command)
            .env_clear()
            .envs(
                self.config
                    .env
                    .iter()
                    .filter_map(|name| Some((name, std::env::var_os(name)?))),
            )
            .envs(self.variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(directory) = self.directory {
            command.current_dir(directory);
        }
        #[cfg(unix)]
        command.process_group(0);
        command.spawn()
    }
}

#[cfg(not(windows))]
fn shell() -> Command {
    let mut command = Command::new("sh");
    command.arg("-c");
    command
}

#[cfg(windows)]
fn shell() -> Command {
    let mut command = Command::new("cmd");
    command.arg("/C");
    command
}

/// Waits for the command. Returns its status and its output.
async fn finished(
    child: &mut Child,
    group: &mut Group,
    input: String,
    most: usize,
) -> io::Result<(ExitStatus, String)> {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let status = {
        let mut talk = pin!(async {
            tokio::join!(
                tell(stdin, input),
                hear(stdout, &mut output, most),
                hear(stderr, &mut errors, most),
            )
        });
        let mut is_silent = false;
        let status = loop {
            tokio::select! {
                status = child.wait() => break status?,
                _ = &mut talk, if !is_silent => is_silent = true,
            }
        };
        // A process that it left in the background would keep its pipes open.
        group.end();
        if !is_silent {
            let _ = timeout(LAST_WORDS, talk).await;
        }
        status
    };
    let said = [&errors, &output]
        .map(|bytes| said(bytes, most))
        .into_iter()
        .find(|said| !said.is_empty());
    Ok((status, said.unwrap_or_default()))
}

/// Writes the input. A command may ignore it.
async fn tell(stdin: Option<ChildStdin>, input: String) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(input.as_bytes()).await;
    }
}

/// Keeps at most that much of a command's output, and discards the rest, so that the command does not block.
async fn hear(pipe: Option<impl AsyncRead + Unpin>, kept: &mut Vec<u8>, most: usize) {
    let Some(mut pipe) = pipe else { return };
    let mut buffer = [0; 4096];
    while let Ok(bytes @ 1..) = pipe.read(&mut buffer).await {
        // One byte more shows that the output is longer.
        let room = (most + 1).saturating_sub(kept.len());
        kept.extend_from_slice(&buffer[..bytes.min(room)]);
    }
}

/// Returns the output as text.
fn said(bytes: &[u8], most: usize) -> String {
    let kept = &bytes[..bytes.len().min(most)];
    let mut text = String::from_utf8_lossy(kept).trim().to_owned();
    if bytes.len() > most {
        // Do not end with half a character.
        while text.ends_with(char::REPLACEMENT_CHARACTER) {
            text.pop();
        }
        text.push_str(" … (cut)");
    }
    text
}

/// The process group of a command. Dropping this kills the group.
struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

impl Group {
    #[cfg(unix)]
    fn of(child: &Child) -> Self {
        let leader = child.id().and_then(|id| i32::try_from(id).ok());
        Group {
            leader: leader.and_then(rustix::process::Pid::from_raw),
        }
    }

    #[cfg(not(unix))]
    fn of(_: &Child) -> Self {
        Group {}
    }

    /// Kills the group, once: after the leader is reaped, its number may belong to another process.
    fn end(&mut self) {
        #[cfg(unix)]
        if let Some(leader) = self.leader.take() {
            // An empty group is an error, which is expected.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}
