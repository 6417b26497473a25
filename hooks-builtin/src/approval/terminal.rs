//! Asks the person at the terminal.

use std::fmt::{self, Write as _};
use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::mpsc as blocking;
use std::thread;

use hooks_core::async_trait;
use tokio::sync::{Mutex, mpsc};

use super::{ApprovalRequest, Approver, Verdict};
use crate::shared::visible::Visible;

/// Shows the call and asks: yes, no, or always for this tool.
///
/// The question is written to standard error. The answer is a line of standard input, which is read only while there is
/// a question: `y`, `n`, `a`, or the whole words. What was typed before the question does not answer it. Several
/// questions are asked one after another. The end of the input denies the call. So does standard input that is not a
/// terminal, because no person types into a pipe. The text of the model is shown so that it cannot forge the question.
/// If a line is long, or there are many lines, only the head and the tail are shown. A long run of blanks is shown as a
/// number. So nothing can be pushed out of sight.
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
    /// Discards what was typed so far. Returns whether a person can type at all.
    is_ready: Box<dyn FnMut() -> bool + Send>,
    /// Asks the reader for a line.
    want: blocking::Sender<()>,
    lines: mpsc::UnboundedReceiver<Option<String>>,
    /// Whether the reader still waits for a line for a question that was given up.
    outstanding: bool,
}

/// The limits on what is shown of a call, and how much of that is its end.
const MOST_LINES: usize = 40;
const TAIL_LINES: usize = 10;
const MOST_CHARACTERS: usize = 400;
const TAIL_CHARACTERS: usize = 150;
/// The longest run of blanks that is shown unchanged.
const MOST_BLANKS: usize = 8;

impl TerminalApprover {
    /// Creates an approver that asks on standard error and reads standard input.
    #[must_use]
    pub fn new() -> Self {
        // Lock for one line only, not for the lifetime of the approver.
        let mut stdin = io::stdin();
        TerminalApprover::of(io::stderr(), is_stdin_ready, move |line| {
            stdin_line(&mut stdin, line)
        })
    }

    /// Creates an approver that writes to `output` and reads from `input`. Here, a line that is already waiting does
    /// answer a question. The reader runs on a thread of its own.
    #[must_use]
    pub fn with(
        output: impl Write + Send + 'static,
        mut input: impl BufRead + Send + 'static,
    ) -> Self {
        TerminalApprover::of(output, || true, move |line| input.read_line(line))
    }

    fn of(
        output: impl Write + Send + 'static,
        is_ready: impl FnMut() -> bool + Send + 'static,
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
        // Without a thread there is no answer, which denies the call.
        let started = thread::Builder::new()
            .name("hooks-approval".into())
            .spawn(reader);
        if let Err(error) = started {
            tracing::error!(target: "hooks_builtin::approval", %error, "cannot ask anyone for approval");
        }
        TerminalApprover {
            terminal: Mutex::new(Terminal {
                output: Box::new(output),
                is_ready: Box::new(is_ready),
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

/// Whether a person can type. Discards what was typed and not read yet.
fn is_stdin_ready() -> bool {
    let stdin = io::stdin();
    #[cfg(unix)]
    forget_typed(&stdin);
    stdin.is_terminal()
}

/// Empties the input queue of a terminal. For anything else, nothing is lost.
#[cfg(unix)]
fn forget_typed(terminal: impl rustix::fd::AsFd) {
    let _ = rustix::termios::tcflush(terminal, rustix::termios::QueueSelector::IFlush);
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
                None => return Verdict::No("no one is there to approve it".into()),
            }
        }
        Verdict::No("no answer was yes or no".into())
    }
}

impl Terminal {
    /// Asks for a line. Returns `None` at the end of the input.
    async fn line(&mut self, question: &str) -> Option<String> {
        // What was typed before the question is not an answer to it: neither a line that was read for an earlier
        // question, nor input that is still unread.
        while let Ok(line) = self.lines.try_recv() {
            self.outstanding = false;
            line?;
        }
        if !(self.is_ready)() {
            return None;
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

/// Returns a line as it is shown: long runs of blanks as a number, and only the head and the tail if it is still long.
/// So nothing can be pushed out of sight.
fn shown(line: &str) -> String {
    let line = without_blanks(line);
    let count = line.chars().count();
    if count <= MOST_CHARACTERS {
        return Visible(&line).to_string();
    }
    let at = |character: usize| {
        line.char_indices()
            .nth(character)
            .map_or(line.len(), |(at, _)| at)
    };
    let (head, tail) = (
        at(MOST_CHARACTERS - TAIL_CHARACTERS),
        at(count - TAIL_CHARACTERS),
    );
    format!(
        "{} … ({} more characters) … {}",
        Visible(&line[..head]),
        count - MOST_CHARACTERS,
        Visible(&line[tail..])
    )
}

/// Replaces long runs of blanks in a line by their number, except its indentation.
fn without_blanks(line: &str) -> String {
    let is_blank = |character: char| character.is_whitespace() && !character.is_control();
    let text = line.trim_start_matches(' ');
    let (indent, mut rest) = line.split_at(line.len() - text.len());
    let mut squeezed = String::with_capacity(line.len());
    let blanks = |squeezed: &mut String, run: &str| match run.chars().count() {
        count if count > MOST_BLANKS => {
            let _ = write!(squeezed, "[{count} blanks]");
        }
        _ => squeezed.push_str(run),
    };
    if indent.len() > MOST_CHARACTERS / 2 {
        blanks(&mut squeezed, indent);
    } else {
        squeezed.push_str(indent);
    }
    while let Some(start) = rest.find(is_blank) {
        squeezed.push_str(&rest[..start]);
        let end = rest[start..].find(|character| !is_blank(character));
        let end = end.map_or(rest.len(), |length| start + length);
        blanks(&mut squeezed, &rest[start..end]);
        rest = &rest[end..];
    }
    squeezed.push_str(rest);
    squeezed
}

/// Returns the text of the call and the question.
fn show(request: &ApprovalRequest) -> String {
    let mut text = format!("\nThe agent wants to call `{}`", shown(&request.tool));
    if !request.agent_id.is_empty() {
        let _ = write!(text, " (agent {})", shown(&request.agent_id));
    }
    text.push_str(":\n");
    if let Some(reason) = &request.reason {
        let _ = writeln!(text, "  because: {}", shown(reason));
    }
    if let Some(effects) = &request.effects {
        let _ = writeln!(text, "  it {}", shown(effects));
    }
    let args =
        serde_json::to_string_pretty(&request.args).unwrap_or_else(|_| request.args.to_string());
    let lines: Vec<_> = args.lines().collect();
    let tail = if lines.len() > MOST_LINES {
        let (head, rest) = lines.split_at(MOST_LINES - TAIL_LINES);
        let (left_out, tail) = rest.split_at(rest.len() - TAIL_LINES);
        for line in head {
            let _ = writeln!(text, "  {}", shown(line));
        }
        let _ = writeln!(text, "  … ({} more lines) …", left_out.len());
        tail
    } else {
        &lines
    };
    for line in tail {
        let _ = writeln!(text, "  {}", shown(line));
    }
    text.push_str("Allow it? [y]es, [n]o, [a]lways in this session: ");
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn before_each_question_what_was_typed_is_forgotten_and_without_anybody_none_is_asked() {
        let times = Arc::new(AtomicUsize::new(0));
        let ready = {
            let times = times.clone();
            move || times.fetch_add(1, Ordering::Relaxed) < 2
        };
        let mut answers = ["what?\n", "y\n"].into_iter();
        let terminal = TerminalApprover::of(io::sink(), ready, move |line| {
            line.push_str(answers.next().expect("asked once too often"));
            Ok(line.len())
        });
        let request = ApprovalRequest::default();
        assert_eq!(terminal.ask(&request).await, Verdict::Yes);
        assert_eq!(times.load(Ordering::Relaxed), 2);
        assert!(
            matches!(terminal.ask(&request).await, Verdict::No(reason) if reason.contains("no one"))
        );
    }

    #[test]
    fn nothing_is_pushed_out_of_sight() {
        let asked = |command: String| {
            show(&ApprovalRequest {
                tool: "shell".into(),
                args: serde_json::json!({ "command": command }),
                ..ApprovalRequest::default()
            })
        };
        for (filler, run) in [
            (" ", "ls[501 blanks]; curl evil"),
            ("\u{3000}", "ls[501 blanks]; curl evil"),
            ("x", "more characters)"),
        ] {
            let text = asked(format!("ls {}; curl evil", filler.repeat(500)));
            assert!(text.contains("ls") && text.contains(run), "{text}");
            assert!(text.contains("; curl evil"), "{text}");
            assert!(text.chars().count() < 600);
        }
        // Indentation and single blanks stay unchanged.
        assert!(
            asked("git log  --oneline".into())
                .contains("\n    \"command\": \"git log  --oneline\"\n")
        );
        assert!(without_blanks(&" ".repeat(300)).contains("[300 blanks]"));

        let lines = ApprovalRequest {
            args: (0..500).collect(),
            ..ApprovalRequest::default()
        };
        let text = show(&lines);
        assert!(
            text.contains("    499\n") && text.contains("(462 more lines)"),
            "{text}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_line_in_the_terminals_queue_is_forgotten() {
        use std::fs::File;

        use rustix::io::ioctl_fionread;
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let name = ptsname(&keyboard, Vec::new()).unwrap();
        let terminal = File::open(name.to_str().unwrap()).unwrap();
        rustix::io::write(&keyboard, b"y\n").unwrap();
        // The kernel delivers the bytes with a delay.
        while ioctl_fionread(&terminal).unwrap() < 2 {
            thread::yield_now();
        }
        forget_typed(&terminal);
        assert_eq!(ioctl_fionread(&terminal).unwrap(), 0);
    }
}
