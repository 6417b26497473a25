//! Asks the person at the terminal.

use std::fmt::{self, Write as _};
use std::io::{self, BufRead, Write};
use std::sync::mpsc as blocking;
use std::thread;

use hooks_core::async_trait;
use tokio::sync::{Mutex, mpsc};

use super::{ApprovalRequest, Approver, Verdict};
use crate::visible::Visible;

/// Shows the call and asks: yes, no, or always for this tool.
///
/// The question is written to standard error, and the answer read as a line of standard input, only while there is a
/// question: `y`, `n`, `a`, or the whole words. Several questions are asked one after another. The end of the input
/// denies. What the model wrote is shown so that it cannot forge the question, and shortened if it is long.
///
/// ```no_run
/// use hooks_builtin::{Approval, TerminalApprover};
/// use hooks_core::hooks;
///
/// let hooks = hooks![Approval::new(TerminalApprover::new())];
/// ```
pub struct TerminalApprover {
    terminal: Mutex<Terminal>,
}

struct Terminal {
    output: Box<dyn Write + Send>,
    /// Asks the reader for a line.
    want: blocking::Sender<()>,
    lines: mpsc::UnboundedReceiver<Option<String>>,
    /// Whether the reader still waits for a line that a question has given up.
    outstanding: bool,
}

/// The most that is shown of a call.
const MOST_LINES: usize = 40;
const MOST_CHARACTERS: usize = 400;

impl TerminalApprover {
    /// Asks on standard error, and reads standard input.
    #[must_use]
    pub fn new() -> Self {
        // The lock is taken for one line, not for as long as there is an approver.
        let mut stdin = io::stdin();
        TerminalApprover::of(io::stderr(), move |line| stdin_line(&mut stdin, line))
    }

    /// Asks and reads elsewhere. The reader is used on a thread of its own.
    #[must_use]
    pub fn with(
        output: impl Write + Send + 'static,
        mut input: impl BufRead + Send + 'static,
    ) -> Self {
        TerminalApprover::of(output, move |line| input.read_line(line))
    }

    fn of(
        output: impl Write + Send + 'static,
        mut read_line: impl FnMut(&mut String) -> io::Result<usize> + Send + 'static,
    ) -> Self {
        let (want, wanted) = blocking::channel::<()>();
        let (sender, lines) = mpsc::unbounded_channel();
        let reader = move || {
            while wanted.recv().is_ok() {
                let mut line = String::new();
                let read = read_line(&mut line);
                let line = matches!(read, Ok(1..)).then_some(line);
                if sender.send(line).is_err() {
                    break;
                }
            }
        };
        // Without a thread there is no answer, and that denies.
        let started = thread::Builder::new()
            .name("hooks-approval".into())
            .spawn(reader);
        if let Err(error) = started {
            tracing::error!(target: "hooks_builtin::approval", %error, "nobody can be asked");
        }
        TerminalApprover {
            terminal: Mutex::new(Terminal {
                output: Box::new(output),
                want,
                lines,
                outstanding: false,
            }),
        }
    }
}

fn stdin_line(stdin: &mut io::Stdin, line: &mut String) -> io::Result<usize> {
    stdin.read_line(line)
}

impl Default for TerminalApprover {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for TerminalApprover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerminalApprover").finish_non_exhaustive()
    }
}

#[async_trait]
impl Approver for TerminalApprover {
    async fn ask(&self, request: &ApprovalRequest) -> Verdict {
        let mut terminal = self.terminal.lock().await;
        let shown = show(request);
        for question in [
            shown.as_str(),
            "Please answer y, n or a: ",
            "Please answer y, n or a: ",
        ] {
            match terminal.line(question).await.as_deref().map(str::trim) {
                Some("y" | "yes" | "Y" | "Yes") => return Verdict::Yes,
                Some("a" | "always" | "A" | "Always") => return Verdict::Always,
                Some("n" | "no" | "N" | "No") => return Verdict::No(String::new()),
                Some(_) => {}
                None => return Verdict::No("nobody is there to approve of it".into()),
            }
        }
        Verdict::No("there was no answer that is yes or no".into())
    }
}

impl Terminal {
    /// Asks for a line; `None` if there is none any more.
    async fn line(&mut self, question: &str) -> Option<String> {
        // What was typed before the question was there is no answer to it.
        while let Ok(line) = self.lines.try_recv() {
            self.outstanding = false;
            line?;
        }
        self.output.write_all(question.as_bytes()).ok()?;
        self.output.flush().ok()?;
        if !self.outstanding {
            self.want.send(()).ok()?;
            self.outstanding = true;
        }
        let line = self.lines.recv().await?;
        self.outstanding = false;
        line
    }
}

/// The call, and the question.
fn show(request: &ApprovalRequest) -> String {
    let mut shown = format!("\nThe agent wants to call `{}`", Visible(&request.tool));
    if !request.agent_id.is_empty() {
        let _ = write!(shown, " (agent {})", Visible(&request.agent_id));
    }
    shown.push_str(":\n");
    let args =
        serde_json::to_string_pretty(&request.args).unwrap_or_else(|_| request.args.to_string());
    let mut lines = args.lines();
    for line in lines.by_ref().take(MOST_LINES) {
        let cut = line
            .char_indices()
            .nth(MOST_CHARACTERS)
            .map_or(line, |(at, _)| &line[..at]);
        let _ = write!(shown, "  {}", Visible(cut));
        if cut.len() < line.len() {
            let _ = write!(shown, " … ({} more bytes)", line.len() - cut.len());
        }
        shown.push('\n');
    }
    let more = lines.count();
    if more > 0 {
        let _ = writeln!(shown, "  … ({more} more lines)");
    }
    shown.push_str("May it? [y]es, [n]o, [a]lways in this session: ");
    shown
}
