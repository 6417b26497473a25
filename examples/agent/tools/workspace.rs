//! The folder that the tools work in, and what they do there.
//!
//! The file tools do not leave the workspace. The shell is not a sandbox: it starts there and may go anywhere, which is
//! why there are hooks.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use hooks_core::agent::ToolOutput;
use tokio::fs;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::time::timeout;

use super::{Edit, List, Read, Shell, Tool, Write};

/// How long a shell command may run.
const SHELL_TIMEOUT: Duration = Duration::from_secs(10);
/// How much a shell command may print, in bytes; the rest is cut off.
const SHELL_OUTPUT: u64 = 256 * 1024;

/// The folder that the tools work in.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// Absolute, without links.
    root: PathBuf,
    shell_timeout: Duration,
}

impl Workspace {
    /// Opens the folder, and makes it if it is not there.
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(root)?;
        Ok(Workspace {
            root: root.canonicalize()?,
            shell_timeout: SHELL_TIMEOUT,
        })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Runs a tool. What goes wrong is its output, for the model to read.
    pub(crate) async fn run(&self, tool: Tool) -> ToolOutput {
        let output = match tool {
            Tool::Shell(shell) => self.shell(&shell).await,
            Tool::Read(read) => self.read(&read).await,
            Tool::Write(write) => self.write(&write).await,
            Tool::Edit(edit) => self.edit(&edit).await,
            Tool::List(list) => self.list(&list).await,
        };
        match output {
            Ok(content) => ToolOutput::new(content),
            Err(error) => ToolOutput::error(error),
        }
    }

    async fn shell(&self, Shell { command }: &Shell) -> Result<String, String> {
        let mut child = Command::new("sh")
            .args(["-c", command])
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("the shell does not start: {error}"))?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let finished = async {
            let (stdout, stderr) = tokio::try_join!(text(stdout), text(stderr))?;
            Ok::<_, io::Error>((stdout, stderr, child.wait().await?))
        };
        let (mut printed, errors, status) = timeout(self.shell_timeout, finished)
            .await
            .map_err(|_| format!("stopped after {:?}", self.shell_timeout))?
            .map_err(|error| format!("the shell fails: {error}"))?;
        printed.push_str(&errors);
        if status.success() {
            Ok(printed)
        } else {
            Err(format!("{printed}({status})"))
        }
    }

    async fn read(&self, Read { path }: &Read) -> Result<String, String> {
        let file = self.inside(path)?;
        fs::read_to_string(file)
            .await
            .map_err(|error| format!("{path}: {error}"))
    }

    async fn write(&self, Write { path, content }: &Write) -> Result<String, String> {
        let file = self.inside(path)?;
        let failed = |error| format!("{path}: {error}");
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).await.map_err(failed)?;
        }
        fs::write(file, content).await.map_err(failed)?;
        Ok(format!("wrote {} bytes to {path}", content.len()))
    }

    async fn edit(&self, Edit { path, old, new }: &Edit) -> Result<String, String> {
        let file = self.inside(path)?;
        let failed = |error| format!("{path}: {error}");
        let text = fs::read_to_string(&file).await.map_err(failed)?;
        if old.is_empty() {
            return Err(format!("{path}: there is no text to replace"));
        }
        match text.matches(old).count() {
            1 => {}
            0 => return Err(format!("{path}: the text does not stand there")),
            times => {
                return Err(format!("{path}: the text is there {times} times, not once"));
            }
        }
        fs::write(&file, text.replacen(old, new, 1))
            .await
            .map_err(failed)?;
        Ok(format!("edited {path}"))
    }

    async fn list(&self, List { path }: &List) -> Result<String, String> {
        let folder = self.inside(path)?;
        let failed = |error| format!("{path}: {error}");
        let mut entries = fs::read_dir(folder).await.map_err(failed)?;
        let mut names = Vec::new();
        while let Some(entry) = entries.next_entry().await.map_err(failed)? {
            let end = if entry.file_type().await.map_err(failed)?.is_dir() {
                "/"
            } else {
                ""
            };
            names.push(format!("{}{end}", entry.file_name().to_string_lossy()));
        }
        names.sort_unstable();
        Ok(if names.is_empty() {
            "(empty)".into()
        } else {
            names.join("\n")
        })
    }

    /// Where a path leads, if that is inside the workspace: `..` and links are followed first.
    fn inside(&self, path: &str) -> Result<PathBuf, String> {
        let outside = || format!("{path}: leads out of the workspace");
        let mut place = PathBuf::new();
        for component in self.root.join(path).components() {
            match component {
                Component::ParentDir => {
                    place.pop();
                }
                Component::CurDir => {}
                other => place.push(other),
            }
        }
        if !place.starts_with(&self.root) {
            return Err(outside());
        }
        // What is not there yet has no links; what it will stand in may.
        for ancestor in place.ancestors() {
            match ancestor.canonicalize() {
                Ok(real) if real.starts_with(&self.root) => return Ok(place),
                Err(_) if ancestor.symlink_metadata().is_err() => {}
                Ok(_) | Err(_) => break,
            }
        }
        Err(outside())
    }
}

/// What a command prints, up to the limit; it may be anything, so what is not text is replaced.
async fn text(stream: Option<impl AsyncRead + Unpin>) -> io::Result<String> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        stream.take(SHELL_OUTPUT).read_to_end(&mut bytes).await?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A workspace in a folder that has a file beside it.
    fn workspace() -> (tempfile::TempDir, Workspace) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("secret"), "secret").expect("writable");
        let workspace = Workspace::open(&folder.path().join("work")).expect("makes the folder");
        (folder, workspace)
    }

    async fn run(workspace: &Workspace, name: &str, args: Value) -> ToolOutput {
        workspace
            .run(Tool::parse(name, &args).expect("a call that fits"))
            .await
    }

    #[tokio::test]
    async fn file_tools_work_in_the_workspace() {
        let (_folder, workspace) = workspace();
        let root = workspace.root().to_owned();
        for (name, args, output) in [
            ("list", json!({}), "(empty)"),
            (
                "write",
                json!({"path": "a/b.txt", "content": "one two"}),
                "wrote 7 bytes to a/b.txt",
            ),
            (
                "edit",
                json!({"path": "./a/b.txt", "old": "two", "new": "2"}),
                "edited ./a/b.txt",
            ),
            ("read", json!({"path": "x/../a/b.txt"}), "one 2"),
            ("read", json!({"path": root.join("a/b.txt")}), "one 2"),
            ("list", json!({"path": "."}), "a/"),
            (
                "shell",
                json!({"command": "cat a/b.txt; echo; echo no >&2"}),
                "one 2\nno\n",
            ),
        ] {
            assert_eq!(
                run(&workspace, name, args).await,
                ToolOutput::new(output),
                "{name}"
            );
        }
    }

    #[tokio::test]
    async fn no_path_leads_out_of_the_workspace() {
        let (folder, workspace) = workspace();
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink(folder.path(), workspace.root().join("up")).expect("a link");
            symlink(folder.path().join("new"), workspace.root().join("dangling")).expect("a link");
        }
        for path in [
            "../secret",
            "a/../../secret",
            "/etc/passwd",
            "up/secret",
            "up/new",
            "dangling",
        ] {
            for (name, args) in [
                ("read", json!({"path": path})),
                ("write", json!({"path": path, "content": ""})),
                ("edit", json!({"path": path, "old": "secret", "new": ""})),
                ("list", json!({"path": path})),
            ] {
                let output = run(&workspace, name, args).await;
                assert_eq!(
                    output,
                    ToolOutput::error(format!("{path}: leads out of the workspace")),
                    "{name}"
                );
            }
        }
        assert!(!folder.path().join("new").exists());
    }

    #[tokio::test]
    async fn an_edit_replaces_exactly_one_text() {
        let (_folder, workspace) = workspace();
        run(
            &workspace,
            "write",
            json!({"path": "f", "content": "a a b"}),
        )
        .await;
        for (old, error) in [
            ("a", "f: the text is there 2 times, not once"),
            ("c", "f: the text does not stand there"),
            ("", "f: there is no text to replace"),
        ] {
            let args = json!({"path": "f", "old": old, "new": "x"});
            assert_eq!(
                run(&workspace, "edit", args).await,
                ToolOutput::error(error)
            );
        }
        assert_eq!(
            run(&workspace, "read", json!({"path": "f"})).await.content,
            "a a b"
        );
    }

    #[tokio::test]
    async fn a_command_that_fails_is_an_error_with_its_output() {
        let (_folder, workspace) = workspace();
        let output = run(&workspace, "shell", json!({"command": "echo so; exit 3"})).await;
        assert_eq!(output, ToolOutput::error("so\n(exit status: 3)"));
    }

    #[tokio::test]
    async fn a_command_that_takes_too_long_is_stopped() {
        let (_folder, mut workspace) = workspace();
        workspace.shell_timeout = Duration::from_millis(20);
        let output = run(&workspace, "shell", json!({"command": "exec sleep 60"})).await;
        assert_eq!(output, ToolOutput::error("stopped after 20ms"));
    }

    #[tokio::test]
    async fn a_command_that_prints_without_end_is_cut_off() {
        let (_folder, workspace) = workspace();
        let output = run(&workspace, "shell", json!({"command": "yes 2>/dev/null"})).await;
        assert!(output.content.len() as u64 <= SHELL_OUTPUT + 100);
    }
}
